'use strict';

const { Queue } = require('./queue');
const { JobError, NoHandler } = require('./errors');

module.exports = { JobError, NoHandler, Queue };
