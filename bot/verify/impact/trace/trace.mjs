// Records which lines of the project's files the tests run. Loaded before
// anything else by NODE_OPTIONS=--import; TRACE_OUT names the file that gets
// lines of JSON (see trace.go), TRACE_UNIT says what is told apart: "test" for
// mocha, whose tests share a process, "file" for node:test, which starts one
// process for each test file.
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Session } from 'node:inspector';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.cwd() + sep;
const out = process.env.TRACE_OUT;
const session = new Session();
const started = performance.now();
const sources = new Map();

// post is synchronous: the session is of the same thread.
function post(method, params) {
  let result;
  session.post(method, params, (error, value) => { result = error ? undefined : value; });
  return result;
}

// project gives the path from the root of a file of the project.
function project(url) {
  let file = url;
  if (url.startsWith('file://')) {
    try { file = fileURLToPath(url); } catch { return undefined; }
  }
  if (!file.startsWith(root) || file.includes(sep + 'node_modules' + sep)) return undefined;
  return file.slice(root.length).split(sep).join('/');
}

// source gives a file's text and where its lines begin.
function source(file) {
  if (!sources.has(file)) {
    let text = '';
    try { text = readFileSync(root + file, 'utf8'); } catch { /* gone: nothing is told of it */ }
    const starts = [0];
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
    sources.set(file, { text, starts });
  }
  return sources.get(file);
}

// lines turns the ranges of a script into spans of lines: a line ran when any
// of its code did. Inner ranges stand after the outer ones.
function lines(file, functions) {
  const { text, starts } = source(file);
  if (!functions.some((f) => f.ranges[0].count > 0)) return '';
  const ran = new Uint8Array(text.length);
  for (const f of functions) for (const r of f.ranges) ran.fill(r.count > 0 ? 1 : 0, r.startOffset, r.endOffset);
  const spans = [];
  for (let n = 0; n < starts.length; n++) {
    const end = n + 1 < starts.length ? starts[n + 1] : text.length;
    let hit = false;
    for (let i = starts[n]; i < end && !hit; i++) hit = ran[i] === 1 && text.charCodeAt(i) > 32;
    if (!hit) continue;
    const last = spans.at(-1);
    if (last && last[1] === n) last[1] = n + 1; else spans.push([n + 1, n + 1]);
  }
  return spans.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(',');
}

// take gives what ran since the last time; the counters begin again.
function take() {
  const ran = {};
  for (const script of post('Profiler.takePreciseCoverage')?.result ?? []) {
    const file = project(script.url);
    if (file === undefined) continue;
    const text = lines(file, script.functions);
    if (text) ran[file] = text;
  }
  return ran;
}

const emit = (record) => appendFileSync(out, JSON.stringify(record) + '\n');

// mocha hands its hooks over when its globals are there.
function mocha() {
  let begun = 0;
  let shared = 0;
  let begins = false; // a suite has begun, and no test of it
  const suites = []; // open ones, each with the numbers of its hooks' records
  const require = createRequire(root);
  const Module = require('node:module');
  const load = Module._load;
  Module._load = function (request, ...rest) {
    const got = load.call(this, request, ...rest);
    if (got?.Runner?.prototype?.runTest && !got.Runner.prototype.fettleTrace) {
      const Runner = got.Runner;
      Runner.prototype.fettleTrace = true;
      const run = Runner.prototype.run;
      Runner.prototype.run = function (...args) {
        const hooks = () => { // of the suite that has begun: they run once for many tests
          emit({ k: 'shared', n: ++shared, ran: take() });
          suites.at(-1).push(shared);
        };
        this.on('suite', () => {
          if (begins) hooks(); else emit({ k: 'loaded', ran: take() }); // what ran late is nobody's
          suites.push([]);
          begins = true;
        });
        this.on('suite end', () => { suites.pop(); begins = false; });
        this.on('test', () => {
          if (begins) hooks();
          begins = false;
          begun = performance.now();
        });
        this.on('test end', (t) => {
          const seconds = (performance.now() - begun) / 1000;
          emit({ k: 'test', id: t.fullTitle(), file: relative(root, t.file ?? ''), seconds, red: t.state === 'failed', uses: suites.flat(), ran: take() });
        });
        return run.apply(this, args);
      };
    }
    return got;
  };
  process.on('exit', () => emit({ k: 'loaded', ran: take() }));
}

// nodeTest tells the whole process when it ends.
function nodeTest() {
  process.on('exit', (code) => {
    const file = relative(root, process.argv[1] ?? '');
    emit({ k: 'test', id: file, file, seconds: (performance.now() - started) / 1000, red: code !== 0, ran: take() });
  });
}

const unit = process.env.TRACE_UNIT;
if (unit === 'test' && !process.env.TRACE_PARENT || unit === 'file' && process.env.NODE_TEST_CONTEXT && !process.env.TRACE_PARENT) {
  process.env.TRACE_PARENT = String(process.pid); // what a test starts itself is not told apart
  session.connect();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  if (unit === 'test') mocha(); else nodeTest();
}
