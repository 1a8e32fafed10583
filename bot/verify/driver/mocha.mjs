// The supervisor of a mocha suite. It runs inside the sandbox but never imports
// anything of the repository, mocha itself included: a child process does, and
// what it reports is written to one signed result file. Standard input: one line
// of JSON, see mochaRequest in mocha.go.
import { spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const cfg = JSON.parse(readFileSync(0, 'utf8'));
const key = Buffer.from(cfg.key, 'hex');
delete cfg.key;
const deadline = Date.now() + cfg.wall * 1000;
const folder = mkdtempSync(join(tmpdir(), 'fettle-'));
const child = join(folder, 'mocha.cjs');
writeFileSync(child, cfg.child);
const rel = (file) => (file ? relative(process.cwd(), file) : '');
const clip = (text, limit = 16000) => (text.length <= limit ? text : text.slice(0, limit / 2) + `\n[... ${text.length - limit} characters ...]\n` + text.slice(-limit / 2));

// once runs mocha and resolves to what was seen of it.
function once(skip) {
  return new Promise((done) => {
    const seen = { results: [], loading: '', started: false, ended: false, test: null, hook: '', late: false, output: '', exit: 0, signal: '' };
    const token = randomBytes(16).toString('hex');
    const p = spawn(cfg.exe || process.execPath, [...cfg.flags, child], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], env: { ...process.env, ...cfg.env }, detached: true });
    const kill = () => { try { process.kill(-p.pid, 'SIGKILL'); } catch { p.kill('SIGKILL'); } };
    p.stdin.on('error', () => {});
    p.stdin.end(JSON.stringify({ token, args: cfg.args, tests: cfg.tests, units: cfg.units, skip }));
    let timer;
    const wait = (seconds) => {
      clearTimeout(timer);
      timer = setTimeout(() => { seen.late = !seen.ended; kill(); }, Math.max(Math.min(seconds * 1000, deadline - Date.now()), 1));
    };
    wait(cfg.limit + 20); // to load everything
    const event = (e) => {
      if (e.k === 'loading') seen.loading = rel(e.file);
      if (e.k === 'start') seen.started = true;
      if (e.k === 'begin') { seen.test = e.id || null; seen.hook = e.hook ?? ''; }
      if (e.k === 'result') { seen.results.push({ ...e, file: rel(e.file) }); seen.test = null; seen.hook = ''; }
      if (e.k === 'end') seen.ended = true;
      if (seen.started) wait(seen.ended ? 5 : cfg.limit);
    };
    let rest = '';
    p.stdio[3].setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith(token + ' ')) try { event(JSON.parse(line.slice(token.length + 1))); } catch { /* not ours */ }
      }
    });
    const note = (text) => { seen.output = clip(seen.output + text); };
    p.stdout.setEncoding('utf8').on('data', note);
    p.stderr.setEncoding('utf8').on('data', note);
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      kill(); // what it left running
      done(seen);
    };
    p.on('error', (e) => { note(String(e)); finish(); });
    p.on('exit', (code, signal) => { seen.exit = code ?? 0; seen.signal = signal ?? ''; setTimeout(finish, 1000); });
    p.on('close', finish);
  });
}

const records = [], known = new Set(), hung = [];
for (let n = 0; ; n++) {
  const seen = await once(hung);
  const before = new Set(known);
  for (const r of seen.results) {
    if (before.has(r.id)) continue;
    known.add(r.id);
    records.push(r); // twice where a hook after it failed: the worse counts
  }
  const lost = seen.ended ? null : seen.test ?? (seen.hook || null);
  records.push({ k: 'run', file: seen.loading, status: seen.ended ? 'passed' : seen.started ? 'lost' : 'none', exit: seen.exit, signal: seen.signal, timeout: seen.late, lost,
    tests: seen.results.length, again: n, text: seen.output });
  if (seen.ended || !seen.test || hung.includes(seen.test) || n >= cfg.restarts || Date.now() > deadline) break;
  hung.push(seen.test);
}
rmSync(folder, { recursive: true, force: true });

const lines = [{ k: 'begin', nonce: cfg.nonce, node: process.version }, ...records, { k: 'end', records: records.length, nonce: cfg.nonce }];
const body = lines.map((l) => JSON.stringify(l) + '\n').join('');
writeFileSync(cfg.out + '.part', body + createHmac('sha256', key).update(body).digest('hex') + '\n');
renameSync(cfg.out + '.part', cfg.out);
process.exit(0);
