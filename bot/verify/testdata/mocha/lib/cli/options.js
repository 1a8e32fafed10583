const fs = require('node:fs');
exports.loadOptions = (argv = []) => {
  const out = { _: [], require: [], timeout: '2000', ...(fs.existsSync('.mocharc.json') ? JSON.parse(fs.readFileSync('.mocharc.json', 'utf8')) : {}) };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--require') out.require.push(argv[++i]);
    else if (argv[i] === '--reporter') out.reporter = argv[++i];
    else if (argv[i] === '--timeout') out.timeout = argv[++i];
    else if (!argv[i].startsWith('-')) out._.push(argv[i]);
  }
  return out;
};
