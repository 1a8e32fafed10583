// What the threads that run tests share: modules of the tree anew for each
// candidate, and what was covered. It stands in front of node_test.cjs and
// node_mocha.cjs.
const { parentPort, workerData } = require('node:worker_threads');
const { Session } = require('node:inspector');
const { runInThisContext } = require('node:vm');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { root, base, hooks } = workerData; // the tree as a URL and as a path, both with a slash at the end

// own tells whether a path or a URL is of the tree itself.
const own = (file) => (file.startsWith(base) || file.startsWith(root)) && !file.includes('/node_modules/');
const forget = () => { for (const k of Object.keys(require.cache)) if (own(k)) delete require.cache[k]; };

// Code that a hook of require made out of a file, with its source map.
const maps = new Map();
const compile = Module.prototype._compile;
Module.prototype._compile = function (code, file, ...rest) {
  if (watching && own(file) && !maps.has(file)) {
    const inline = /\/\/[#@] sourceMappingURL=data:application\/json;(?:charset=[\w-]+;)?base64,([\w+/=]+)\s*$/.exec(code);
    if (inline) try { maps.set(file, { code, map: new Module.SourceMap(JSON.parse(Buffer.from(inline[1], 'base64'))) }); } catch { /* no map, then */ }
  }
  return compile.call(this, code, file, ...rest);
};

let session, watching = false;
// watch begins to count what runs.
const watch = () => {
  if (session) return;
  watching = true;
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
};
// take tells what ran since it was last asked.
const take = () => {
  let out;
  session.post('Profiler.takePreciseCoverage', (e, r) => { out = e ? [] : r.result; });
  return out.filter((s) => own(s.url)).map((s) => {
    const url = s.url.slice(root.length).replace(/\?.*/, '');
    const made = maps.get(base + decodeURIComponent(url));
    return made ? { url, lines: sourceLines(s.functions, made) } : { url, functions: s.functions };
  });
};

// sourceLines are the lines of the source that ran, and how often, by the map
// of the code that was made of it.
function sourceLines(functions, { code, map }) {
  const count = new Int32Array(code.length + 1).fill(-1), width = new Float64Array(code.length + 1).fill(Infinity);
  for (const f of functions) {
    for (const r of f.ranges) {
      const w = r.endOffset - r.startOffset;
      for (let i = r.startOffset; i < Math.min(r.endOffset, code.length); i++) if (w <= width[i]) { count[i] = r.count; width[i] = w; }
    }
  }
  const out = new Map();
  let at = 0;
  code.split('\n').forEach((line, n) => {
    const lead = line.length - line.trimStart().length;
    const from = map.findEntry(n, lead);
    if (line.trim() && count[at + lead] > 0 && from.originalLine !== undefined) {
      out.set(from.originalLine + 1, Math.max(out.get(from.originalLine + 1) ?? 0, count[at + lead]));
    }
    at += line.length + 1;
  });
  return [...out];
}

// bounded ends a call that never gives way, so that what it ran can be told.
const bounded = (call, limit) => {
  globalThis[Symbol.for('fettle.call')] = call;
  return runInThisContext("globalThis[Symbol.for('fettle.call')]()", { timeout: limit });
};

// A rest of a candidate that throws when nobody waits for it any more must not
// cost the thread.
process.on('uncaughtException', () => {});

// What candidates share in a thread, and how it was before the first of them:
// a built-in that one of them exchanged would judge the next. Only functions
// count, since other values change by themselves.
const shared = [];
{
  const names = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Function', 'Symbol', 'Promise', 'RegExp', 'Date', 'Map', 'Set', 'WeakMap', 'Error', 'TypeError', 'BigInt'];
  for (const n of names) shared.push(globalThis[n], globalThis[n].prototype);
  shared.push(Math, JSON, Reflect, process, console, Module, globalThis);
  for (const n of ['assert', 'fs', 'path', 'util', 'events', 'timers', 'os', 'child_process', 'test']) shared.push(require('node:' + n));
}
const { ownKeys, getOwnPropertyDescriptor } = Reflect, isPrototype = (o) => o !== globalThis && getOwnPropertyDescriptor(o, 'constructor') !== undefined;
const picture = () => {
  const out = [];
  for (let i = 0; i < shared.length; i++) {
    const keys = ownKeys(shared[i]), values = [];
    for (let k = 0; k < keys.length; k++) {
      const value = getOwnPropertyDescriptor(shared[i], keys[k])?.value;
      values[k] = typeof keys[k] === 'string' && typeof value === 'function' ? value : undefined;
    }
    out[i] = { keys, values };
  }
  return { all: out, env: process.env };
};
let before;
// spoilt tells whether a shared function is another one than it was.
const spoilt = () => {
  if (!before) return false;
  if (process.env !== before.env) return true;
  for (let i = 0; i < shared.length; i++) {
    const { keys, values } = before.all[i];
    if (isPrototype(shared[i]) && ownKeys(shared[i]).length !== keys.length) return true;
    for (let k = 0; k < keys.length; k++) {
      if (values[k] !== undefined && getOwnPropertyDescriptor(shared[i], keys[k])?.value !== values[k]) return true;
    }
  }
  return false;
};
