// Gives the value of an expression with the exports of a module of the
// repository as names, and prints what comes of it. What it says guides a model; it
// is never evidence.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const req = JSON.parse(readFileSync(0, 'utf8'));
const show = (v) => console.log(inspect(v, { depth: 6, maxArrayLength: 50, maxStringLength: 2000, breakLength: 120 }));
try {
  const file = resolve(req.file);
  const found = await import(pathToFileURL(file).href);
  const names = { ...(found.default && typeof found.default === 'object' ? found.default : {}), ...found };
  delete names.default;
  names.require = createRequire(file);
  if (found.default !== undefined) names.theDefault = found.default;
  const keys = Object.keys(names).filter((k) => /^[A-Za-z_$][\w$]*$/.test(k));
  const AsyncFunction = (async () => {}).constructor;
  show(await new AsyncFunction(...keys, `return (${req.expression}\n);`)(...keys.map((k) => names[k])));
} catch (e) {
  console.log(String((e && e.stack) || e).split('\n').slice(0, 8).join('\n'));
}
