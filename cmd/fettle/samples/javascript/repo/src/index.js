'use strict';

const { parseAddress } = require('./address');
const { Router } = require('./router');
const { render } = require('./template');
const { Inbox } = require('./inbox');

module.exports = { Inbox, Router, parseAddress, render };
