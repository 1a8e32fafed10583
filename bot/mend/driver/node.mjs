// Runs tests of candidates. It reads one request a line from standard input and
// writes one answer a line. What it says is a guide for the search, never
// evidence.
//
// The main thread keeps one worker thread, where node:test is loaded once and
// each candidate gets its modules anew: modules of the tree are imported under
// a URL that has the request's number, and CommonJS forgets them. A candidate
// that does not come to its end costs the thread, not the process.
import { Worker } from 'node:worker_threads';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const url = (text) => 'data:text/javascript,' + encodeURIComponent(text);

// hooks run in the loader's own thread: they hand the number of a module on to
// what it imports, and give the tests our wrapping of node:test.
const hooks = `
let root, shim;
export async function initialize(data) { ({ root, shim } = data); }
export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  if (specifier === 'node:test' && parent.startsWith(root) && !parent.includes('/node_modules/')) return { url: shim, shortCircuit: true };
  const found = await next(specifier, context);
  const number = /[?&]fettle=(\\d+)/.exec(parent);
  if (!number || !found.url.startsWith(root) || found.url.includes('/node_modules/') || /[?&]fettle=/.test(found.url)) return found;
  return { ...found, url: found.url + (found.url.includes('?') ? '&' : '?') + 'fettle=' + number[1] };
}`;

// reporter hands node:test's own verdicts on.
const reporter = url(`
export default async function* (events) {
  const names = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') names[data.nesting] = data.name;
    if (type === 'test:pass' || type === 'test:fail') {
      globalThis[Symbol.for('fettle')].verdict([...names.slice(0, data.nesting), data.name],
        type === 'test:pass' && data.skip === undefined && data.todo === undefined);
    }
  }
}`);

const config = JSON.parse(process.argv[2]); // flags of node, the thread's program, and the arguments of its test runner
const root = pathToFileURL(resolve(process.argv[1] ?? '.')).href.replace(/\/?$/, '/');
const base = decodeURIComponent(new URL(root).pathname);

let worker, number = 0;
let cares = true, always = 0; // code that exchanges built-ins each time it is loaded is no candidate's doing
function start() {
  const w = new Worker('(() => { const { root, base } = require("node:worker_threads").workerData;\n' + config.cover + config.thread + '\n})()', { // what it names is nobody else's
    eval: true, workerData: { root, base, hooks: url(hooks), args: config.args, cover: config.cover }, execArgv: ['--test-reporter=' + reporter, '--no-warnings', ...config.flags],
    stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  w.stdout.resume();
  w.stderr.resume();
  w.got = () => {};
  w.ready = new Promise((resolve) => {
    w.on('message', (m) => (m.ready ? resolve() : w.got(m)));
    w.on('exit', () => { w.gone = true; resolve(); w.got({ died: true }); });
    w.on('error', (e) => { w.why = String(e?.stack ?? e); });
  });
  return w;
}

const spent = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000; };

// one runs a file's tests in the worker.
async function one(request, file) {
  if (!worker || worker.gone) worker = start();
  const w = worker;
  await w.ready;
  const out = { file: file.file, tests: [], ended: 'died', traces: [] };
  if (w.gone) return { ...out, why: w.why };
  number += 1;
  const began = performance.now(), before = spent();
  let timer, spoils = false;
  out.ended = await new Promise((resolve) => {
    w.got = (m) => {
      if (m.done === number) { out.traces = m.traces; out.why = m.why; spoils = m.spoils; resolve('done'); }
      else if (m.stuck === number) resolve('stuck');
      else if (m.died) resolve('died');
      else if (m.spoilt) out.tests = out.tests.filter((t) => t.path.join() !== m.spoilt);
      else if (m.path) out.tests.push({ path: m.path, passed: m.passed });
    };
    timer = setInterval(() => {
      const wall = performance.now() - began, cpu = spent() - before;
      if (cpu > request.cpu || wall > request.wall) resolve('late');
    }, 5);
    w.postMessage({ number, url: new URL(file.file.split('/').map(encodeURIComponent).join('/'), pathToFileURL(process.cwd() + '/')).href,
      file: file.file, together: request.together, usual: request.usual, names: file.names, stop: request.stop, cover: request.cover, late: request.late });
  });
  clearInterval(timer);
  w.got = () => {};
  out.wall = performance.now() - began;
  out.cpu = spent() - before;
  out.why ??= w.why;
  w.asked = (w.asked ?? 0) + 1;
  always = spoils && w.asked === 1 ? always + 1 : 0;
  if (always > 3) cares = false;
  if (out.ended !== 'done' || request.fresh || spoils && cares) {
    worker = start();
    await Promise.race([w.terminate(), new Promise((r) => setTimeout(r, 1000))]); // its processor time must not count for the next
  }
  return out;
}

worker = start();
await worker.ready;
const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');
say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = { files: [] };
  for (const file of request.files) {
    const got = await one(request, file);
    answer.files.push(got);
    if (request.stop && (got.ended !== 'done' || got.tests.some((t) => !t.passed))) break;
  }
  say(answer);
}
process.exit(0);
