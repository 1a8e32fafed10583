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

function thread() {
  const { parentPort, workerData } = require('node:worker_threads');
  const { AsyncLocalStorage } = require('node:async_hooks');
  const { Session } = require('node:inspector');
  const { runInThisContext } = require('node:vm');
  const Module = require('node:module');
  const real = require('node:test');
  const { root, base, hooks } = workerData;
  const scope = new AsyncLocalStorage();
  let job, session;

  const wanted = (path) => !job.names || job.names.some((n) => n === path || n.startsWith(path + ' > ') || path.startsWith(n + ' > '));
  const take = () => {
    let out;
    session.post('Profiler.takePreciseCoverage', (e, r) => { out = e ? [] : r.result; });
    return out.filter((s) => s.url.startsWith(root) && !s.url.includes('/node_modules/')).map((s) => ({ ...s, url: s.url.slice(root.length).replace(/\?.*/, '') }));
  };
  // bounded ends a call that never gives way, so that what it ran can be told.
  const bounded = (call) => {
    if (!job.cover) return call();
    globalThis[Symbol.for('fettle.call')] = call;
    return runInThisContext("globalThis[Symbol.for('fettle.call')]()", { timeout: job.late });
  };
  const done = (path, failed) => {
    if (job.cover) job.traces.push({ path, passed: !failed, scripts: take() });
    job.failed ||= failed;
  };
  const body = (fn, names) => {
    const path = names.join(' > ');
    if (fn.length >= 2) {
      return function (t, callback) {
        if (job.stop && job.failed) { job.skipped.add(path); return callback(); }
        return fn.call(this, t, (e) => { done(path, Boolean(e)); callback(e); });
      };
    }
    return async function (t) {
      if (job.stop && job.failed) { job.skipped.add(path); return undefined; }
      let failed = true;
      try {
        const out = await bounded(() => fn.call(this, t));
        failed = false;
        return out;
      } finally {
        done(path, failed);
      }
    };
  };
  const wrap = (make, suite) => {
    const wrapped = (...args) => {
      const at = args.findIndex((a) => typeof a === 'function');
      const fn = args[at];
      const name = typeof args[0] === 'string' ? args[0] : fn?.name || '<anonymous>';
      const names = [...(scope.getStore() ?? []), name];
      if (at < 0 || !job) return make(...args);
      if (!wanted(names.join(' > '))) return Promise.resolve();
      args[at] = suite ? function (...a) { return scope.run(names, () => fn.apply(this, a)); } : body(fn, names);
      const promise = make(...args);
      if (promise?.then) job.running.push(promise);
      return promise;
    };
    return wrapped;
  };
  const outer = (make, suite) => {
    const w = wrap(make, suite);
    for (const k of ['only', 'skip', 'todo']) if (make[k]) w[k] = wrap(make[k], suite);
    return w;
  };
  const shim = outer(real.test ?? real, false);
  for (const k of Object.keys(real)) {
    if (['describe', 'suite'].includes(k)) shim[k] = outer(real[k], true);
    else if (['test', 'it'].includes(k)) shim[k] = outer(real[k], false);
    else if (!(k in shim)) shim[k] = real[k];
  }
  shim.test = shim;
  globalThis[Symbol.for('fettle.test')] = shim;
  const names = Object.keys(shim).filter((k) => /^[A-Za-z]\w*$/.test(k) && k !== 'default');
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    if (request === 'node:test' && parent?.filename?.startsWith(base) && !parent.filename.includes('/node_modules/')) return shim;
    return load.call(this, request, parent, ...rest);
  };
  const shimText = "const s = globalThis[Symbol.for('fettle.test')]; export default s; " + names.map((k) => `export const ${k} = s.${k};`).join(' ');
  Module.register(hooks, { parentURL: 'data:', data: { root, shim: 'data:text/javascript,' + encodeURIComponent(shimText) } });

  globalThis[Symbol.for('fettle')] = {
    verdict(path, passed) {
      if (!job || path[0] !== job.title) return;
      if (path.length === 1) return parentPort.postMessage({ done: job.number, traces: job.traces });
      parentPort.postMessage({ path: path.slice(1), passed: passed && !job.skipped.has(path.slice(1).join(' > ')) });
    },
  };
  const idle = () => process.getActiveResourcesInfo().sort().join();
  let rest, same = 0;
  setInterval(() => {
    if (!job || job.idle === undefined) return;
    const now = idle();
    same = now === job.idle ? same + 1 : 0;
    if (same > 3) parentPort.postMessage({ stuck: job.number });
  }, 10).unref();

  parentPort.on('message', (request) => {
    for (const k of Object.keys(require.cache)) if (k.startsWith(base) && !k.includes('/node_modules/')) delete require.cache[k];
    real.mock?.reset?.();
    rest ??= idle();
    same = 0;
    job = { ...request, title: 'candidate ' + request.number, running: [], traces: [], skipped: new Set(), failed: false };
    if (job.cover && !session) {
      session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    }
    real.test(job.title, async () => {
      await import(job.url + '?fettle=' + job.number);
      if (job.cover) take();
      job.idle = rest;
      for (let k = 0; k < job.running.length;) {
        const some = job.running.slice(k);
        k = job.running.length;
        await Promise.allSettled(some);
      }
    });
  });
  parentPort.postMessage({ ready: true });
}

const root = pathToFileURL(resolve(process.argv[1] ?? '.')).href.replace(/\/?$/, '/');
const base = decodeURIComponent(new URL(root).pathname);

let worker, number = 0;
function start() {
  const w = new Worker('(' + thread.toString() + ')()', {
    eval: true, workerData: { root, base, hooks: url(hooks) }, execArgv: ['--test-reporter=' + reporter, '--no-warnings', ...JSON.parse(process.argv[2] ?? '[]')],
    stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 256 },
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
  let timer;
  out.ended = await new Promise((resolve) => {
    w.got = (m) => {
      if (m.done === number) { out.traces = m.traces; resolve('done'); }
      else if (m.stuck === number) resolve('stuck');
      else if (m.died) resolve('died');
      else if (m.path) out.tests.push({ path: m.path, passed: m.passed });
    };
    timer = setInterval(() => {
      const wall = performance.now() - began, cpu = spent() - before;
      if (cpu > request.cpu || wall > request.wall) resolve('late');
    }, 5);
    w.postMessage({ number, url: new URL(file.file.split('/').map(encodeURIComponent).join('/'), pathToFileURL(process.cwd() + '/')).href,
      names: file.names, stop: request.stop, cover: request.cover, late: request.late });
  });
  clearInterval(timer);
  w.got = () => {};
  out.wall = performance.now() - began;
  out.cpu = spent() - before;
  out.why = w.why;
  if (out.ended !== 'done' || request.fresh) {
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
