// Runs the test files of vitest that the main thread asks for. Its server stays, and so
// does the one thread of its own in which tests run; both load what changed anew.
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const home = dirname(found.resolve('vitest/package.json'));

// inside is vitest's runner of the thread with the tests. What it is asked comes as a
// provided value, and what ran goes back in the metadata of a test.
const inside = (Base, { getFn }, { inject }) => class extends Base {
  constructor(config) {
    super(config);
    this.job = inject('fettle');
    if (config.testTimeout && this.job.usual) config.testTimeout = Math.min(config.testTimeout, this.job.usual);
    if (this.job.cover) watch();
  }
  onCollected(files) {
    const choose = (task, above) => {
      const path = [...above, task.name].filter(Boolean), name = path.join(' > ');
      const any = task.tasks ? task.tasks.map((t) => choose(t, path)).includes(true) : !this.job.names || this.job.names.includes(name);
      if (!any) task.mode = 'skip';
      return any;
    };
    for (const file of files) for (const task of file.tasks) choose(task, []);
    super.onCollected?.(files);
    if (this.job.cover) take();
  }
  onBeforeRunTask(test) {
    if (this.job.stop && this.failed) test.mode = 'skip';
    return super.onBeforeRunTask?.(test);
  }
  runTask(test) { return bounded(() => getFn(test)(), this.job.late ?? 2 * this.job.usual); }
  onAfterRunTask(test) {
    this.failed ||= test.result?.state === 'fail';
    if (this.job.cover) test.meta.fettle = take();
    return super.onAfterRunTask?.(test);
  }
};

const open = async () => {
  const part = (name) => JSON.stringify(pathToFileURL(join(home, 'dist', name)).href), file = join(mkdtempSync(join(tmpdir(), 'fettle-')), 'runner.mjs');
  writeFileSync(file, `import { VitestTestRunner } from ${part('runners.js')};\nimport * as suite from ${part('suite.js')};\nimport * as vitest from ${part('index.js')};\n` +
    `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url), root = ${JSON.stringify(root)}, base = ${JSON.stringify(base)};\n` +
    `${workerData.cover}\nexport default (${inside})(VitestTestRunner, suite, vitest);\n`);
  const pool = await import(pathToFileURL(Module.createRequire(join(home, 'x.js')).resolve('tinypool')).href).catch(() => undefined);
  if (pool) pool.default.prototype.recycleWorkers = async () => {}; // the thread would be a new one after each run
  const { createVitest, parseCLI } = await import(pathToFileURL(join(home, 'dist/node.js')).href);
  const asked = parseCLI?.(['vitest', 'run', ...workerData.args], { allowUnknownOptions: true }) ?? { options: {}, filter: [] };
  const threads = { minThreads: 1, maxThreads: 1, isolate: false };
  return createVitest('test', { ...asked.options, run: true, watch: false, pool: 'threads', poolOptions: { threads }, isolate: false, fileParallelism: false, runner: file, reporters: [{}],
    coverage: { enabled: false }, cache: false, ui: false, silent: true, retry: 0, typecheck: { enabled: false }, passWithNoTests: true });
};

const stamps = new Map(), specs = new Map();
// renew has the server and the thread forget the modules of the tree.
const renew = (vitest) => {
  const stamp = (file) => { try { const s = statSync(file); return `${s.mtimeMs} ${s.size} ${s.ino}`; } catch { return ''; } };
  for (const project of vitest.projects) {
    const graph = (project.vite ?? project.server).moduleGraph;
    for (const file of graph.fileToModulesMap.keys()) {
      if (!own(file)) continue;
      (vitest.watcher?.invalidates ?? vitest.invalidates).add(file);
      const now = stamp(file);
      if (stamps.get(file) !== now) graph.onFileChange(file);
      stamps.set(file, now);
    }
  }
};

async function run(vitest, job) {
  const path = resolve(job.file);
  if (!specs.has(path)) specs.set(path, (await (vitest.globTestSpecifications ?? vitest.globTestSpecs).call(vitest, [path])).filter((s) => (s.moduleId ?? s[1]) === path));
  renew(vitest);
  const { number, names, stop, cover, late, usual } = job;
  vitest.provide('fettle', { number, names, stop, cover, late, usual: usual || 5000 });
  await (vitest.runTestSpecifications ?? vitest.runFiles).call(vitest, specs.get(path));
  const traces = [];
  const tell = (task, above, fine) => {
    const names = [...above, task.name].filter(Boolean);
    fine &&= !task.result?.errors?.length || !task.tasks;
    for (const t of task.tasks ?? []) tell(t, names, fine);
    if (task.tasks || task.mode !== 'run' || !task.result) return;
    const passed = fine && task.result.state === 'pass';
    parentPort.postMessage({ path: names, passed });
    if (cover) traces.push({ path: names.join(' > '), passed, scripts: task.meta.fettle ?? [] });
  };
  const files = vitest.state.getFiles([path]);
  for (const file of files) for (const t of file.tasks) tell(t, [], !file.result?.errors?.length);
  return { traces, why: files.flatMap((f) => f.result?.errors ?? []).map((e) => e.stack ?? e.message)[0] };
}

open().then((vitest) => {
  parentPort.on('message', async (job) => {
    let out;
    try { out = await run(vitest, job); } catch (e) { out = { traces: [], why: String(e?.stack ?? e) }; }
    parentPort.postMessage({ done: job.number, ...out });
  });
  parentPort.postMessage({ ready: true });
}, fail);
