// A reporter of mocha: one JSON line for each test that ended.
const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');

module.exports = class {
  constructor(runner) {
    const write = (status) => (test) => {
      const names = [test.title]; // and mocha's own name for the suites, by which --grep finds them
      if (test.parent && !test.parent.root) names.unshift(test.parent.fullTitle());
      const file = test.file || (test.parent && test.parent.file);
      if (file) names.unshift(relative(process.cwd(), file));
      appendFileSync(process.env.CHECKS_OUT, JSON.stringify({ id: names.join(' > '), status }) + '\n');
    };
    runner.on('pass', write('passed'));
    runner.on('fail', write('failed'));
    runner.on('pending', write('skipped'));
  }
};
