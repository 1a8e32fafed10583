// Runs the test files of jest that the main thread asks for, as jest does in one process:
// its settings, its map of files and what it compiled stay, its modules are those of one
// file's run.
const need = (...names) => names.reduce((at, name) => Module.createRequire(at.resolve(name)), found);
const path = (...names) => { let at = found; for (const n of names.slice(0, -1)) at = Module.createRequire(at.resolve(n)); return at(names.at(-1)); };

const open = async () => {
  const { buildArgv } = path('jest', 'jest-cli'), { readConfigs } = path('jest', '@jest/core', 'jest-config');
  const argv = { ...await (buildArgv?.(workerData.args) ?? {}), coverage: false, watch: false, watchAll: false, watchman: false, silent: true, json: false, ci: true, bail: 0 };
  const { globalConfig, configs } = await readConfigs(argv, [process.cwd()]);
  const Runtime = path('jest', '@jest/core', 'jest-runtime').default, { default: runTest } = Module.createRequire(need('jest', '@jest/core', 'jest-config').resolve('jest-runner'))('./runTest');
  const projects = [];
  for (const config of configs) projects.push({ config, context: await Runtime.createContext(config, { console, maxWorkers: 1, watch: false, watchman: false }) });
  return { globalConfig, projects, runTest };
};

let job;
const watched = new Set();
// stand has an environment tell of each test, and run those that are asked for.
const stand = (Environment) => {
  if (watched.has(Environment)) return;
  watched.add(Environment);
  const handle = Environment.prototype.handleTestEvent;
  Environment.prototype.handleTestEvent = async function (event, state) {
    await handle?.call(this, event, state);
    const { test } = event, name = (t) => (t.parent ? [...name(t.parent), t.name] : []);
    if (event.name === 'run_start') {
      const choose = (block) => block.children.forEach((c) => {
        if (c.type === 'describeBlock') return choose(c);
        if (job.names && !job.names.includes(name(c).join(' > '))) c.mode = 'skip';
      });
      choose(state.rootDescribeBlock);
      if (job.usual) state.testTimeout = Math.min(state.testTimeout, job.usual);
      if (job.cover) take();
    }
    if (event.name === 'test_start' && job.stop && job.failed) test.mode = 'skip';
    if (event.name === 'test_fn_start') {
      const { fn } = test, limit = job.late ?? 2 * (job.usual || 5000);
      test.fn = fn.length ? function (done) { return bounded(() => fn.call(this, done), limit); } : function () { return bounded(() => fn.call(this), limit); };
    }
    if (event.name === 'test_done' && test.mode !== 'skip' && test.mode !== 'todo') {
      const passed = test.errors.length === 0;
      job.failed ||= !passed;
      if (job.cover) job.traces.push({ path: name(test).join(' > '), passed, scripts: take() });
      parentPort.postMessage({ path: name(test), passed });
    }
  };
};

async function run({ globalConfig, projects, runTest }) {
  const file = resolve(job.file);
  if (job.cover) watch();
  const { config, context } = projects.find((p) => p.config.roots.some((r) => file.startsWith(r + '/')) && file.startsWith(p.config.rootDir)) ?? projects[0];
  const Environment = require(config.testEnvironment);
  stand(Environment.default ?? Environment.TestEnvironment ?? Environment);
  const result = await runTest(file, globalConfig, config, context.resolver, {});
  return result.testExecError?.stack ?? (result.failureMessage && !result.testResults.length ? result.failureMessage : undefined);
}

open().then((jest) => {
  parentPort.on('message', async (request) => {
    job = { ...request, traces: [] };
    let why;
    try { why = await run(jest); } catch (e) { why = String(e?.stack ?? e); }
    before ??= picture(); // jest itself exchanges some
    parentPort.postMessage({ done: request.number, traces: job.traces, why, spoils: spoilt() });
  });
  parentPort.postMessage({ ready: true });
}, fail);
