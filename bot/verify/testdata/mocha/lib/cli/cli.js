const path = require('node:path');
const { pathToFileURL } = require('node:url');
const Mocha = require('../../index.js');
const load = (f) => (f.endsWith('.mjs') ? import(pathToFileURL(f).href) : require(f));
exports.main = async (argv) => {
  const options = require('./options.js').loadOptions(argv);
  try {
    const hooks = {};
    for (const r of options.require) Object.assign(hooks, (await load(path.resolve(r))).mochaHooks);
    const mocha = new Mocha({ ...options, rootHooks: hooks });
    for (const f of require('./collect-files.js')({ spec: options._.length ? options._ : ['./test'] }).files) {
      mocha.suite.emit('pre-require', globalThis, f, mocha);
      await load(f);
    }
    mocha.run((failures) => process.exit(failures));
  } catch (e) {
    console.error('\n Exception during run:', e);
    process.exit(1);
  }
};
