// Runs the files of node:test that the main thread asks for. It loads node:test
// once, and wraps it so that single tests can be chosen and watched.
const { AsyncLocalStorage } = require('node:async_hooks');
const real = require('node:test');
const scope = new AsyncLocalStorage();
let job;

const wanted = (path) => !job.names || job.names.some((n) => n === path || n.startsWith(path + ' > ') || path.startsWith(n + ' > '));
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
      const out = await (job.cover ? bounded(() => fn.call(this, t), job.late) : fn.call(this, t));
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
    if (path.length === 1) {
      real.mock?.reset?.();
      return parentPort.postMessage({ done: job.number, traces: job.traces, spoils: spoilt() });
    }
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
  forget();
  real.mock?.reset?.();
  rest ??= idle();
  before ??= picture();
  same = 0;
  job = { ...request, title: 'candidate ' + request.number, running: [], traces: [], skipped: new Set(), failed: false };
  if (job.cover) watch();
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
