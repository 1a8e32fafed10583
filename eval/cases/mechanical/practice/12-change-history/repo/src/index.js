'use strict';

const { diff } = require('./diff');
const { patch, revert } = require('./patch');
const { History } = require('./history');

module.exports = { History, diff, patch, revert };
