// A reporter of vitest 3 and newer: one JSON line for each test that ended.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

const write = (id, status) => appendFileSync(process.env.CHECKS_OUT, JSON.stringify({ id, status }) + '\n');

export default class {
  onTestCaseResult(test) {
    const names = [test.name];
    for (let p = test.parent; p && p.type === 'suite'; p = p.parent) names.unshift(p.name);
    const state = test.result().state;
    write([relative(process.cwd(), test.module.moduleId), ...names].join(' > '), state === 'passed' || state === 'failed' ? state : 'skipped');
  }

  onTestModuleEnd(module) {
    if (module.errors().length > 0) write(relative(process.cwd(), module.moduleId), 'failed');
  }
}
