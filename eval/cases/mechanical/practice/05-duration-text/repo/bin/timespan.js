#!/usr/bin/env node
'use strict';

const { format, parse } = require('../lib');

for (const word of process.argv.slice(2)) {
  const ms = parse(word);
  console.log(`${word}\t${ms}\t${format(ms)}`);
}
