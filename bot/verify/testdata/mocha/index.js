// A double of mocha for tests: small, and with the behaviour that the drivers
// rely on. It shares no code with mocha.
const { EventEmitter } = require('node:events');

class Suite extends EventEmitter {
  constructor(title, parent) {
    super();
    Object.assign(this, { title, parent, tests: [], suites: [], before: [], after: [], beforeEach: [], afterEach: [], ctx: parent?.ctx ?? {} });
    parent?.suites.push(this);
  }
  fullTitle() { return [this.parent?.fullTitle(), this.title].filter(Boolean).join(' '); }
}

class Test {
  constructor(title, fn, parent, file) { Object.assign(this, { type: 'test', title, fn, parent, file, pending: !fn, ctx: parent.ctx }); }
  isPending() { return this.pending; }
}

const call = (fn, ctx, limit) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(Object.assign(new Error(`Timeout of ${limit}ms exceeded.`), { code: 'ERR_MOCHA_TIMEOUT' })), limit);
  const over = (e) => { clearTimeout(timer); e ? reject(e) : resolve(); };
  try {
    if (fn.length) fn.call(ctx, over);
    else Promise.resolve(fn.call(ctx)).then(() => over(), over);
  } catch (e) { over(e); }
});

class Mocha {
  constructor(options) {
    this.options = options;
    this.suite = new Suite('');
    for (const [from, to] of [['beforeAll', 'before'], ['beforeEach', 'beforeEach'], ['afterEach', 'afterEach'], ['afterAll', 'after']]) {
      this.suite[to].push(...[options.rootHooks?.[from] ?? []].flat());
    }
    this.suite.on('pre-require', (global, file) => {
      let at = this.suite;
      global.describe = (title, fn) => { at = new Suite(title, at); fn.call(at); at = at.parent; };
      global.it = (title, fn) => at.tests.push(new Test(title, fn, at, file));
      global.it.skip = (title) => global.it(title);
      for (const k of ['before', 'after', 'beforeEach', 'afterEach']) global[k] = (fn) => at[k].push(fn);
      global.run = undefined;
    });
  }

  run(over) {
    const runner = Object.assign(new EventEmitter(), { suite: this.suite });
    const { reporter } = this.options;
    new (typeof reporter === 'function' ? reporter : Mocha.reporters[reporter])(runner);
    const limit = Number(this.options.timeout ?? 2000);
    let failures = 0;
    const hook = async (kind, suite, title, test) => {
      suite.ctx.currentTest = test;
      for (const fn of suite[kind]) {
        try { await call(fn, suite.ctx, limit); } catch (e) {
          failures++;
          runner.emit('fail', { type: 'hook', title: `"${title}" hook`, parent: suite, ctx: suite.ctx, file: test?.file }, e);
          return false;
        }
      }
      return true;
    };
    const holds = (suite) => suite.tests.length > 0 || suite.suites.some(holds);
    const up = (suite) => (suite ? [...up(suite.parent), suite] : []);
    const walk = async (suite) => {
      if (!holds(suite)) return;
      let fine = await hook('before', suite, 'before all');
      for (const test of fine ? suite.tests : []) {
        if (this.options.bail && failures) break;
        if (test.pending) { runner.emit('pending', test); continue; }
        for (const s of up(suite)) fine &&= await hook('beforeEach', s, 'before each', test);
        if (!fine) break;
        runner.emit('test', test);
        try { await call(test.fn, suite.ctx, limit); runner.emit('pass', test); } catch (e) { failures++; runner.emit('fail', test, e); }
        for (const s of up(suite).reverse()) fine &&= await hook('afterEach', s, 'after each', test);
        if (!fine) break;
      }
      for (const s of fine ? suite.suites : []) await walk(s);
      await hook('after', suite, 'after all');
    };
    runner.emit('start');
    walk(this.suite).then(() => { runner.emit('end'); over?.(failures); });
    return runner;
  }
}
Object.assign(Mocha, { Suite, reporters: {} });
module.exports = Mocha;
