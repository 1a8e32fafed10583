// A reporter of node --test: one JSON line for each test that ended.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

export default async function* report(events) {
  let open = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      open = open.slice(0, data.nesting);
      open[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' && (type === 'test:pass' || data.details?.error?.failureType === 'subtestsFailed')) continue;
    const file = data.file ? relative(process.cwd(), data.file) : '';
    const names = [...open.slice(0, data.nesting), data.name];
    const status = type === 'test:fail' && data.todo === undefined ? 'failed' : data.skip !== undefined ? 'skipped' : 'passed';
    const whole = names.length === 1 && file.endsWith(names[0]); // the file itself
    appendFileSync(process.env.CHECKS_OUT, JSON.stringify({ id: (whole ? [file] : [file, ...names]).join(' > '), status }) + '\n');
  }
  yield '';
}
