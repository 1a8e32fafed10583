'use strict';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const UNITS = { ms: 1, s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY, w: WEEK };

module.exports = { SECOND, MINUTE, HOUR, DAY, WEEK, UNITS };
