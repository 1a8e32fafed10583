// Runs mocha's own command line with a reporter that writes events to file
// descriptor 3: one line each, "<token> <JSON>". It shares its process with the
// tests, so the supervisor believes it about as much as it would a test's output.
(() => {
  const fs = require('node:fs');
  const { dirname, join } = require('node:path');
  const { EventEmitter } = require('node:events');
  const cfg = JSON.parse(fs.readFileSync(0, 'utf8'));
  const write = fs.writeSync, text = JSON.stringify;
  const say = (event) => {
    let rest = Buffer.from(cfg.token + ' ' + text(event) + '\n');
    while (rest.length > 0) {
      try { rest = rest.subarray(write(3, rest)); } catch (e) { if (e.code !== 'EAGAIN') return; }
    }
  };
  const clip = (value, limit = 2048) => {
    const s = String(value);
    return s.length <= limit ? s : s.slice(0, limit / 2) + `\n[... ${s.length - limit} characters ...]\n` + s.slice(-limit / 2);
  };
  const { inspect } = require('node:util');
  const describe = (e) => {
    if (e === null || typeof e !== 'object') return { class: 'Error', message: clip(inspect(e)), stack: '', code: '', type: '' };
    const out = { class: String(e.name ?? 'Error'), code: typeof e.code === 'string' ? e.code : '', type: '', message: clip(e.message ?? inspect(e)), stack: clip(e.stack ?? '', 6000) };
    if (out.code === 'ERR_MOCHA_TIMEOUT' || /^Timeout of \d+ms exceeded/.test(out.message)) out.type = 'testTimeoutFailure';
    if (out.code === 'ERR_ASSERTION' && e.generatedMessage === false) out.message += `\nexpected: ${clip(inspect(e.expected), 400)}\nactual: ${clip(inspect(e.actual), 400)}`;
    return out;
  };

  const found = require('node:module').createRequire(join(process.cwd(), 'x.js'));
  const home = dirname(found.resolve('mocha/package.json'));
  process.argv.splice(1, process.argv.length, join(home, 'bin/mocha'), ...cfg.args);
  const Mocha = found('mocha');
  const emit = EventEmitter.prototype.emit;
  Mocha.Suite.prototype.emit = function (type, ...args) {
    if (type === 'pre-require') say({ k: 'loading', file: String(args[1]) });
    return emit.call(this, type, ...args);
  };

  Mocha.reporters.fettle = function (runner) {
    let ids = new Map();
    const ended = new Set(), hooks = [];
    const result = (id, test, status, error) => {
      ended.add(id);
      say({ k: 'result', id, file: String(test.file ?? ''), status, seconds: (test.duration ?? 0) / 1000, exc: error === undefined ? null : describe(error) });
    };
    runner.on('start', () => {
      ids = mochaIds(runner.suite, process.cwd());
      const wanted = cfg.tests && new Set(cfg.tests), skip = new Set(cfg.skip);
      mochaSelect(runner.suite, ids, (id) => !skip.has(id) && (!wanted || wanted.has(id) || cfg.units.some((u) => id.startsWith(u + ' > '))));
      say({ k: 'start' });
    });
    const begin = (test) => say({ k: 'begin', id: mochaId(ids, test) });
    runner.on('test', begin);
    runner.on('hook', (hook) => say({ k: 'begin', id: hook.ctx?.currentTest ? mochaId(ids, hook.ctx.currentTest) ?? '' : '', hook: hook.title }));
    runner.on('pass', (test) => result(mochaId(ids, test), test, 'passed'));
    runner.on('pending', (test) => { if (ids.has(test)) result(ids.get(test), test, 'skipped'); });
    runner.on('fail', (test, error) => {
      if (test.type !== 'hook') return result(mochaId(ids, test), test, 'failed', error);
      const current = test.ctx?.currentTest;
      return hooks.push([{ title: test.title, parent: test.parent, ctx: { currentTest: current }, file: test.file }, error]);
    });
    runner.on('end', () => {
      for (const [hook, error] of hooks) for (const id of mochaVictims(ids, ended, hook)) result(id, hook, 'error', error);
      say({ k: 'end' });
    });
  };
  const cli = require(join(home, 'lib/cli/cli'));
  cli.main([...cfg.args, '--reporter', 'fettle', '--no-parallel', '--no-bail', '--no-watch', '--exit']);
})();
