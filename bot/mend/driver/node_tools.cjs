// What the threads that run tests share: modules of the tree anew for each candidate.
// Behind node_cover.cjs it stands in front of the program for one of the runners.
const { parentPort, workerData } = require('node:worker_threads');
const { statSync, writeFileSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const Module = require('node:module');
const { hooks } = workerData;
const found = Module.createRequire(join(process.cwd(), 'x.js'));
const forget = () => { for (const k of Object.keys(require.cache)) if (own(k)) delete require.cache[k]; };

// A rest of a candidate that throws when nobody waits for it any more must not
// cost the thread.
process.on('uncaughtException', () => {});
// fail ends a thread that cannot run tests.
const fail = (e) => { process.removeAllListeners('uncaughtException'); setImmediate(() => { throw e; }); };

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
