// Looks at functions from outside: which arguments they are called with while
// tests run ("record": the sources carry calls of globalThis.__fettle), and what
// given calls come to ("observe"). One request is read from standard input; each
// line that it writes to the error stream begins with a mark. What it says makes
// tests, which are then judged by being run.
import fs from 'node:fs';
import vm from 'node:vm';
import { syncBuiltinESMExports, createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, isMainThread, workerData } from 'node:worker_threads';

const req = isMainThread ? JSON.parse(fs.readFileSync(0, 'utf8')) : workerData;
const write = fs.writeSync;
const say = (line) => write(2, '\n' + req.mark + JSON.stringify(line) + '\n');
const FOLLOWED = 20000; // calls
const PARTS = 20, DEEP = 4, TEXT = 200, WHOLE = 300;
const fail = () => { throw new Error('no literal'); };

const quoted = (s) => "'" + JSON.stringify(s).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'") + "'";
const plain = (s) => s.length <= TEXT && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufffd]/.test(s);

// literal is a value as it would stand in a source file, by its parts.
function literal(v, depth = 0) {
  if (depth > DEEP) fail();
  if (v === null || v === undefined) return { k: 'nil', t: String(v) };
  switch (typeof v) {
    case 'boolean': return { k: 'bool', t: String(v) };
    case 'string': return plain(v) ? { k: 'str', s: v, t: quoted(v) } : fail();
    case 'number':
      if (!Number.isFinite(v)) fail();
      if (Object.is(v, -0)) return { k: 'raw', t: '-0' };
      return { k: Number.isSafeInteger(v) ? 'int' : 'float', t: String(v) };
    case 'object': break;
    default: fail();
  }
  if (Array.isArray(v)) {
    if (v.length > PARTS || Object.keys(v).length !== v.length) fail();
    return { k: 'list', o: '[', c: ']', e: v.map((x) => literal(x, depth + 1)) };
  }
  const keys = Object.keys(v);
  if (Object.getPrototypeOf(v) !== Object.prototype || keys.length > PARTS || Object.getOwnPropertySymbols(v).length) fail();
  return { k: 'map', o: '{ ', c: ' }', e: keys.map((k) => ({ ...literal(v[k], depth + 1), p: (/^[A-Za-z_$][\w$]*$/.test(k) && k !== '__proto__' ? k : quoted(k)) + ': ' })) };
}

function text(v) {
  if (v.o === undefined) return (v.p ?? '') + v.t;
  return (v.p ?? '') + (v.e.length ? v.o + v.e.map(text).join(', ') + v.c : (v.o + v.c).replaceAll(' ', ''));
}

const brief = (v, most = 80) => {
  let out;
  try { out = text(literal(v)); } catch { out = typeof v === 'function' ? `<function ${v.name}>` : undefined; }
  try { out ??= typeof v === 'object' && v !== null ? (v.constructor?.name ?? '') + ' ' + JSON.stringify(v) : String(v); } catch { out = `<${typeof v}>`; }
  return out.length <= most ? out : out.slice(0, most - 1) + '…';
};

// trace tells the calls of the functions that carry calls of it, and what came of
// each: the first at once, of the others at the end those that ended last, which the
// calls around them are among.
function trace() {
  let calls = 0, depth = 0;
  const errors = new WeakSet(), first = Math.floor(req.most / 3), late = new Map(), open = new Map();
  const ended = (f, line) => {
    if (!f) return;
    depth = f.depth;
    if (f.call <= first) return say({ call: f.call, ...line });
    const begun = open.get(f.call);
    if (!begun) return;
    open.delete(f.call);
    late.set(f.call, [begun, { call: f.call, ...line }]);
    if (late.size > req.most - first) late.delete(late.keys().next().value);
  };
  process.on('exit', () => {
    for (const line of [...[...open.values()].slice(0, req.most - first), ...[...late.values()].flat()]) say(line);
    say({ calls });
  });
  globalThis.__fettle = {
    begins: (spot, given) => {
      if (calls >= FOLLOWED) return undefined;
      const f = { call: ++calls, depth };
      const line = { call: f.call, spot, depth, args: given().map((v) => brief(v)).join(', ') };
      if (f.call <= first) say(line);
      else open.set(f.call, line);
      depth++;
      return f;
    },
    gave: (f, v) => { ended(f, { gave: brief(v, 160) }); return v; },
    raised: (f, e) => {
      const known = typeof e === 'object' && e !== null && errors.has(e);
      if (typeof e === 'object' && e !== null) errors.add(e);
      ended(f, { raised: `${e?.name ?? 'Error'}: ${String(e?.message ?? e).slice(0, 120)}`, began: !known });
    },
  };
  return run();
}

// run runs the test files.
function run() {
  setTimeout(() => process.exit(0), req.wall * 1000).unref();
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  return (async () => {
    for (const f of req.files) {
      try { await import(pathToFileURL(resolve(f))); } catch { /* the others may run */ }
    }
  })();
}

function record() {
  const objects = new WeakMap(), told = new Set(), count = {};
  const inside = (file) => (new Error().stack.split('\n')[4] ?? '').includes(file);
  const args = (list) => list.map((a) => literal(a));
  const quietly = (f) => { try { f(); } catch { /* what cannot be written down is not told */ } };
  globalThis.__fettle = {
    made: (me, list) => quietly(() => {
      objects.set(me, null);
      objects.set(me, { class: me.constructor.name, args: args(list), calls: [] });
    }),
    called: (me, name, list, file) => quietly(() => {
      const one = objects.get(me) ?? (objects.has(me) ? null : { class: me.constructor.name, args: [], calls: [] });
      if (!one || inside(file)) return;
      objects.set(me, one);
      one.calls.push(null);
      one.calls[one.calls.length - 1] = { name, args: args(list) };
      one.now = one.calls.length - 1;
    }),
    seen: (spot, me, list, name) => quietly(() => {
      if ((count[spot] ?? 0) >= 12) return;
      const line = { spot, args: args(list) };
      if (typeof me === 'function') line.recv = { class: me.name, static: true };
      else if (me) {
        let one = objects.get(me);
        if (!one) return;
        const past = one.calls[one.now]?.name === name && one.now === one.calls.length - 1 ? one.calls.slice(0, one.now) : one.calls;
        if (past.includes(null) || past.length > 5) return;
        line.recv = { class: one.class, args: one.args };
        line.before = past;
      }
      const key = JSON.stringify(line);
      if (told.has(key) || key.length > 4000) return;
      told.add(key);
      count[spot] = (count[spot] ?? 0) + 1;
      say(line);
    }),
  };
  return run();
}

let active = false, impure = false;
const flag = () => { if (active) impure = true; };

// guard notes the use of the clock, chance, files, processes and the network.
function guard() {
  const require = createRequire(resolve('x.js'));
  for (const name of ['fs', 'child_process', 'http', 'https', 'net', 'dgram', 'dns', 'os']) {
    const mod = require('node:' + name);
    for (const k of Object.keys(mod)) {
      const real = mod[k];
      if (typeof real !== 'function' || /^[A-Z]/.test(k)) continue;
      try { mod[k] = Object.assign(function (...a) { flag(); return real.apply(this, a); }, real); } catch { /* it stays */ }
    }
  }
  const crypto = require('node:crypto');
  for (const k of ['randomBytes', 'randomUUID', 'randomInt', 'getRandomValues']) {
    const real = crypto[k];
    try { crypto[k] = function (...a) { flag(); return real.apply(this, a); }; } catch { /* it stays */ }
  }
  syncBuiltinESMExports();
  const chance = Math.random;
  Math.random = () => { flag(); return chance(); };
  const Real = Date;
  globalThis.Date = new Proxy(Real, {
    construct(t, a, n) { if (!a.length) flag(); return Reflect.construct(t, a, n === globalThis.Date ? Real : n); },
    apply() { flag(); return Real(); },
    get(t, k) { if (k === 'now') return () => { flag(); return Real.now(); }; return Reflect.get(t, k); },
  });
  const perf = performance.now.bind(performance);
  try { Object.defineProperty(performance, 'now', { value: () => { flag(); return perf(); }, configurable: true, writable: true }); } catch { /* it stays; Node.js 18 refuses a plain assignment */ }
  for (const k of ['setTimeout', 'setInterval', 'setImmediate', 'fetch']) {
    const real = globalThis[k];
    if (real) globalThis[k] = (...a) => { flag(); return active ? undefined : real(...a); };
  }
}

const shown = (v) => {
  try {
    const out = text(literal(v));
    return out.length <= WHOLE ? out : null;
  } catch { return null; }
};

function one(space, call) {
  const out = { id: call.id };
  impure = false;
  try {
    const names = Object.keys(space);
    const body = new Function(...names, `${call.setup.join(';\n')};\nconst fettled = (${call.text});\nreturn [fettled, [${call.about.join(', ')}]];`);
    globalThis.__fettleCall = () => body(...names.map((n) => space[n]));
    active = true;
    const [value, after] = vm.runInThisContext('globalThis.__fettleCall()', { timeout: 400 });
    active = false;
    out.value = shown(value);
    out.opaque = out.value === null;
    out.after = after.map((v) => shown(v) ?? '');
  } catch (e) {
    active = false;
    if (e?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') out.late = true;
    else if (e instanceof Error) out.raises = e.name;
    else out.opaque = true;
  }
  active = false;
  out.impure = impure;
  return out;
}

// observe looks at one text of the source file after another, each in a thread
// of its own.
async function observe() {
  const end = performance.now() + req.wall * 1000;
  for (const [i, content] of req.texts.entries()) {
    const left = Math.min(req.each * 1000, end - performance.now());
    if (left <= 0) break;
    fs.rmSync(req.file, { force: true }); // it may be read-only, or a link
    fs.writeFileSync(req.file, Buffer.from(content, 'base64'));
    say({ begins: i });
    const thread = new Worker(new URL('data:text/javascript,' + encodeURIComponent(req.driver)), { workerData: { ...req, texts: [], driver: '' } });
    await new Promise((done) => {
      const wall = setTimeout(() => thread.terminate(), left);
      thread.on('error', () => {}); // what was told counts
      thread.on('exit', () => { clearTimeout(wall); done(); });
    });
  }
  process.exit(0);
}

async function look() {
  let mod;
  try {
    mod = await import(pathToFileURL(resolve(req.file)));
  } catch (e) {
    say({ broken: String(e).slice(0, 200) });
    process.exit(0);
  }
  const space = {};
  for (const n of req.names) {
    space[n] = mod[n] ?? mod.default?.[n] ?? (typeof mod.default === 'function' ? mod.default : undefined);
  }
  guard();
  console.log = console.error = console.warn = console.info = () => {};
  for (const call of req.calls) say(one(space, call));
  say({ done: true });
  process.exit(0);
}

await (!isMainThread ? look() : req.mode === 'record' ? record() : req.mode === 'trace' ? trace() : observe());
