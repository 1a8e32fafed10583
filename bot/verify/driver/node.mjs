// The supervisor of a node:test suite. It runs inside the sandbox but never
// imports anything of the repository: node's own runner starts one process a
// test file, and what that runner reports is written to one signed result
// file. Standard input: one line of JSON, see nodeRequest in node.go.
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { run } from 'node:test';

const cfg = JSON.parse(readFileSync(0, 'utf8'));
const key = Buffer.from(cfg.key, 'hex');
delete cfg.key;
if (cfg.exe) process.execPath = cfg.exe; // what the test processes are started from
process.execArgv.length = 0; // our own -e must not reach the test processes
const deadline = Date.now() + cfg.wall * 1000;

// A hint, never evidence: each test process says on standard error which test
// it begins, so that a test that hangs or exits can be named, and which error
// outside of any test ended it.
const tag = 'fettle-' + randomBytes(6).toString('hex') + ' ';
const hint = `import { beforeEach } from 'node:test'; import fs from 'node:fs';
const write = fs.writeSync, tag = ${JSON.stringify(tag)};
const options = process.env.NODE_OPTIONS.split(' ').filter((o) => !o.startsWith('--import=data:text/javascript,')).join(' ');
if (options) process.env.NODE_OPTIONS = options; else delete process.env.NODE_OPTIONS;
const say = (value) => { try { write(2, tag + JSON.stringify(value) + '\\n'); } catch {} };
const on = process.env.NODE_TEST_CONTEXT;
if (on) beforeEach((t) => say([t?.name ?? '', t?.fullName]));
if (on) process.on('uncaughtExceptionMonitor', (e) => say({ class: String(e?.name ?? 'Error'), code: String(e?.code ?? ''), message: String(e?.message ?? e).slice(0, 2000) }));`;
Object.assign(process.env, cfg.env); // for the test processes: we must not load what NODE_OPTIONS names
process.env.NODE_OPTIONS = ['--max-old-space-size=' + cfg.heap, ...cfg.flags, ...(cfg.env.NODE_OPTIONS ? [cfg.env.NODE_OPTIONS] : []), '--import=data:text/javascript,' + encodeURIComponent(hint)].join(' ');

const records = [];
const clip = (text, limit = 2048) => {
  text = String(text);
  return text.length <= limit ? text
    : text.slice(0, limit / 2) + `\n[... ${text.length - limit} characters ...]\n` + text.slice(-limit / 2);
};
const show = (value) => clip(inspect(value, { depth: 4, breakLength: 100 }), 400);

function describe(error) {
  if (!error) return null;
  const cause = error.cause;
  const object = cause !== null && typeof cause === 'object';
  const out = {
    class: object ? String(cause.name ?? 'Error') : 'Error',
    code: object && typeof cause.code === 'string' ? cause.code : '',
    type: String(error.failureType ?? ''),
    message: clip(object ? cause.message ?? show(cause) : cause ?? error.message),
    stack: clip(object ? cause.stack ?? '' : '', 6000),
  };
  if (object && out.code === 'ERR_ASSERTION' && cause.generatedMessage === false) {
    out.message += `\nexpected: ${show(cause.expected)}\nactual: ${show(cause.actual)}`;
  }
  return out;
}

// once runs one file and resolves to what was seen of it.
function once(file, skip) {
  return new Promise((done) => {
    const seen = { results: [], hints: [], uncaught: null, output: '', file: null };
    const left = Math.max(deadline - Date.now(), 1);
    const options = { files: [file], timeout: Math.min(cfg.limit * 1000, left), concurrency: 1 };
    if (skip.length) {
      options.testNamePatterns = [new RegExp('^(?!(?:' + skip.map((s) => s.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|') + ')$)[^<]')];
    }
    const path = [];
    const finish = (event, status) => {
      const d = event;
      if (d.nesting === 0 && d.name === file) {
        seen.file = { status, error: describe(d.details?.error), exit: d.details?.error?.exitCode ?? 0, signal: d.details?.error?.signal ?? '' };
        return;
      }
      path.length = d.nesting + 1;
      path[d.nesting] = d.name;
      if (d.skip !== undefined && String(d.skip).includes('does not match pattern')) return;
      if (d.skip !== undefined || d.todo !== undefined) status = 'skipped';
      const where = String(d.file ?? '').startsWith('file:') ? fileURLToPath(d.file) : d.file; // Node.js 18, of a module
      seen.results.push({
        k: 'result', path: path.slice(), file: relative(process.cwd(), file), line: where === file ? d.line ?? 0 : 0, status, // a helper may have called test()
        source: typeof where === 'string' && where !== file ? relative(process.cwd(), where) : '',
        suite: d.details?.type === 'suite', seconds: (d.details?.duration_ms ?? 0) / 1000, exc: describe(d.details?.error),
      });
    };
    const note = (d) => {
      for (const line of String(d.message).split('\n')) {
        if (!line.startsWith(tag)) continue;
        try {
          const hint = JSON.parse(line.slice(tag.length));
          if (Array.isArray(hint)) seen.hints.push(hint); else seen.uncaught = hint;
        } catch { /* cut line */ }
      }
      seen.output += String(d.message).split('\n').filter((l) => !l.startsWith(tag)).join('\n');
      if (seen.output.length > 40000) seen.output = seen.output.slice(0, 8000) + '\n[...]\n' + seen.output.slice(-12000);
    };
    const stream = run(options);
    stream.on('test:start', (d) => { path.length = d.nesting + 1; path[d.nesting] = d.name; });
    stream.on('test:pass', (d) => finish(d, 'passed'));
    stream.on('test:fail', (d) => finish(d, 'failed'));
    stream.on('test:stderr', note);
    stream.on('test:stdout', note);
    stream.on('end', () => done(seen));
    stream.on('error', () => done(seen));
    stream.resume();
  });
}

async function whole(file) {
  const hung = [];
  const known = new Set();
  const unit = relative(process.cwd(), file);
  for (let n = 0; ; n++) {
    const seen = await once(file, hung);
    for (const r of seen.results) {
      const id = JSON.stringify([r.path, seen.results.filter((o) => o !== r && JSON.stringify(o.path) === JSON.stringify(r.path)).indexOf(r)]);
      if (n > 0 && known.has(id)) continue;
      known.add(id);
      records.push(r);
    }
    const late = seen.file?.error?.type === 'testTimeoutFailure';
    const [last, full] = seen.hints.at(-1) ?? [];
    const lost = last !== undefined && !seen.results.some((r) => r.path.at(-1) === last);
    const died = lost && !late && full !== undefined; // then the test that it died in is red, and not the file
    if (died && !hung.includes(last)) {
      const how = seen.file?.signal ? `signal ${seen.file.signal}` : `exit status ${seen.file?.exit ?? 0}`;
      const why = seen.output.includes('JavaScript heap out of memory') ? 'out of memory' : 'the process ended in the middle of the test';
      records.push({ k: 'result', path: [full], file: unit, line: 0, status: 'failed', suite: false, seconds: 0,
        exc: { class: 'ProcessDied', code: '', type: 'processDied', message: `${why} (${how})`, stack: '' } });
    }
    const end = {
      k: 'file', file: unit, status: died ? 'told' : seen.file?.status ?? (seen.results.length ? 'passed' : 'none'), exc: seen.file?.error ?? null,
      exit: seen.file?.exit ?? 0, signal: String(seen.file?.signal ?? ''), timeout: late, lost: lost && !died ? last : null,
      tests: seen.results.length, error: seen.uncaught, text: clip(seen.output, 16000), again: n,
    };
    records.push(end);
    if (!lost || hung.includes(last) || n >= cfg.restarts || Date.now() > deadline) return;
    hung.push(last);
  }
}

const files = cfg.files.map((f) => resolve(f));
records.push({ k: 'collected', ids: cfg.files });
let next = 0;
async function worker() {
  while (next < files.length && Date.now() < deadline) await whole(files[next++]);
}
await Promise.all(Array.from({ length: cfg.parallel }, worker));

const lines = [{ k: 'begin', nonce: cfg.nonce, node: process.version }, ...records, { k: 'end', records: records.length, nonce: cfg.nonce }];
const body = lines.map((l) => JSON.stringify(l) + '\n').join('');
writeFileSync(cfg.out + '.part', body + createHmac('sha256', key).update(body).digest('hex') + '\n');
renameSync(cfg.out + '.part', cfg.out);
process.exit(0);
