const fs = require('node:fs');
const path = require('node:path');
module.exports = ({ spec }) => ({
  files: spec.flatMap((s) => (fs.statSync(s).isDirectory() ? fs.readdirSync(s).sort().filter((f) => /\.[cm]?js$/.test(f)).map((f) => path.join(s, f)) : [s])).map((f) => path.resolve(f)),
});
