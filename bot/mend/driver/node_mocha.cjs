// Runs the tests of mocha that the main thread asks for: mocha is loaded once,
// and each request gets an instance of it, with the files of the tree anew.
const { extname } = require('node:path');
const { existsSync } = require('node:fs');
const home = dirname(found.resolve('mocha/package.json'));
process.argv.splice(1, process.argv.length, join(home, 'bin/mocha'), ...workerData.args);
const Mocha = found('mocha');
const options = { ...require(join(home, 'lib/cli/options')).loadOptions(workerData.args) };
for (const k of Object.keys(options)) options[k.replace(/-([a-z])/g, (_, c) => c.toUpperCase())] = options[k];
const list = (value) => [value ?? []].flat();
Module.register(hooks, { parentURL: 'data:', data: { root, shim: 'node:test' } });

let job;
// typeOf is the "type" of the package that a file belongs to.
const typeOf = (file) => {
  for (let dir = dirname(file); ; dir = dirname(dir)) {
    const name = join(dir, 'package.json');
    if (existsSync(name)) try { return JSON.parse(readFileSync(name, 'utf8')).type; } catch { return undefined; }
    if (dir === dirname(dir)) return undefined;
  }
};
// load loads a file of the tree as mocha does, and always anew.
const load = async (file) => {
  const anew = () => import(pathToFileURL(file).href + (own(file) ? '?fettle=' + job.number : ''));
  const module = extname(file) === '.mjs' || extname(file) === '.js' && typeOf(file) === 'module';
  if (module) return anew();
  try {
    return found(file);
  } catch (e) {
    if (e.code === 'ERR_REQUIRE_ESM' || e instanceof SyntaxError && /import statement outside a module|Unexpected token 'export'/.test(e.message)) return anew();
    throw e;
  }
};
const place = (name) => {
  for (const f of [name, name + '.js', name + '.cjs', name + '.mjs']) if (existsSync(f) && extname(f)) return resolve(f);
  try { return found.resolve(name); } catch { return found.resolve(resolve(name)); }
};
const required = list(options.require).map(place);
const hookNames = ['beforeAll', 'beforeEach', 'afterAll', 'afterEach'];
// plugins gathers what required modules give to mocha.
const plugins = async (modules) => {
  const out = { rootHooks: {}, globalSetup: [], globalTeardown: [] };
  for (const m of modules) {
    if (m === null || typeof m !== 'object' && typeof m !== 'function') continue;
    const given = m.mochaHooks ?? m.default?.mochaHooks;
    const hooks = typeof given === 'function' ? await given() : given;
    for (const k of hookNames) if (hooks?.[k]) (out.rootHooks[k] ??= []).push(...list(hooks[k]));
    out.globalSetup.push(...list(m.mochaGlobalSetup));
    out.globalTeardown.push(...list(m.mochaGlobalTeardown));
  }
  for (const k of ['globalSetup', 'globalTeardown']) if (!out[k].length) delete out[k];
  return out;
};
const lasting = (async () => { // installed modules are loaded once, such as compilers
  const out = new Map();
  for (const f of required) if (!own(f)) out.set(f, extname(f) === '.mjs' ? await import(pathToFileURL(f).href) : found(f));
  return out;
})();

// specs are all files of the suite, in mocha's order.
const specs = () => {
  const spec = options._?.filter((s) => s !== 'run') ?? [];
  const all = { ignore: list(options.ignore), extension: list(options.extension), file: list(options.file), recursive: options.recursive, sort: options.sort, spec: spec.length ? spec : ['./test'] };
  const got = require(join(home, 'lib/cli/collect-files'))(all);
  return got.files ?? got;
};

async function run() {
  const kept = await lasting;
  const modules = [];
  for (const f of required) modules.push(kept.get(f) ?? await load(f));
  const { rootHooks, ...global } = await plugins(modules);
  let timeout = options.timeout ?? 2000;
  if (job.usual && Number(timeout) > 0) timeout = Math.min(Number(timeout), job.usual);
  let attach;
  const mocha = new Mocha({ ...options, ...global, rootHooks, timeout, bail: Boolean(job.stop), reporter: function (runner) { attach(runner); }, parallel: false, color: false });
  const before = list(options.file).map((f) => resolve(f));
  const files = job.together ? specs().map((f) => resolve(f)) : [...before, resolve(job.file)];
  for (const f of new Set(files)) {
    mocha.suite.emit('pre-require', globalThis, f, mocha);
    const got = await load(f);
    mocha.suite.emit('require', got, f, mocha);
    mocha.suite.emit('post-require', globalThis, f, mocha);
  }
  if (job.cover) take();
  const { number } = job;
  await new Promise((over) => {
    let ids = new Map();
    const ended = new Set(), spoilt = [], name = (id) => (job.together ? id : id.slice(id.indexOf(' > ') + 3));
    const say = (test, passed) => {
      const id = mochaId(ids, test);
      if (id === undefined || number !== job.number) return;
      ended.add(id);
      if (job.cover) job.traces.push({ path: name(id), passed, scripts: take() });
      parentPort.postMessage({ path: [name(id)], passed });
    };
    const choose = () => {
      ids = mochaIds(mocha.suite, process.cwd());
      const wanted = job.names && new Set(job.names);
      mochaSelect(mocha.suite, ids, (id) => !wanted || wanted.has(name(id)));
      if (!job.cover) return;
      for (const test of ids.keys()) {
        const fn = test.fn;
        if (!fn) continue;
        test.fn = fn.length ? function (done) { return bounded(() => fn.call(this, done), job.late); } : function () { return bounded(() => fn.call(this), job.late); };
      }
    };
    attach = (runner) => {
      runner.on('start', choose); // before the first suite
      runner.on('pass', (test) => say(test, true));
      runner.on('fail', (test) => {
        if (test.type === 'hook') spoilt.push({ title: test.title, parent: test.parent, ctx: { currentTest: test.ctx?.currentTest } });
        else say(test, false);
      });
    };
    mocha.run(() => {
      for (const id of spoilt.flatMap((hook) => mochaVictims(ids, ended, hook))) parentPort.postMessage({ spoilt: name(id) });
      over();
    });
  });
  mocha.dispose?.();
}

parentPort.on('message', async (request) => {
  forget();
  before ??= picture();
  job = { ...request, traces: [] };
  if (job.cover) watch();
  let why;
  try { await run(); } catch (e) { why = String(e?.stack ?? e); }
  parentPort.postMessage({ done: request.number, traces: job.traces, why, spoils: spoilt() });
});
lasting.then(() => parentPort.postMessage({ ready: true }));
