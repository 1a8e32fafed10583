'use strict';

const { parse } = require('./parse');
const { format } = require('./format');
const { ExpiringMap } = require('./expiring-map');
const { readPolicy } = require('./policy');

module.exports = { ExpiringMap, format, parse, readPolicy };
