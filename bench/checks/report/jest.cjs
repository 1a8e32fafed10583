// A reporter of jest: one JSON line for each test that ended.
const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');

module.exports = class {
  onTestResult(test, result) {
    const file = relative(process.cwd(), test.path);
    const write = (id, status) => appendFileSync(process.env.CHECKS_OUT, JSON.stringify({ id, status }) + '\n');
    if (result.testExecError || (result.failureMessage && result.testResults.length === 0)) write(file, 'failed');
    for (const t of result.testResults) {
      write([file, ...t.ancestorTitles, t.title].join(' > '), t.status === 'passed' || t.status === 'failed' ? t.status : 'skipped');
    }
  }
};
