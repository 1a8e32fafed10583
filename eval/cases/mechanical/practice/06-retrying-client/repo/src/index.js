'use strict';

const { Client } = require('./client');
const { Circuit } = require('./circuit');
const { delays } = require('./backoff');
const { retry } = require('./retry');
const { HttpError, CircuitOpen } = require('./errors');

module.exports = { Circuit, CircuitOpen, Client, HttpError, delays, retry };
