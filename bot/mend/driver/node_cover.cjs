// What code of the tree ran, by lines of its sources. root and base are the tree, as a
// URL and as a path, both with a slash at the end. Code that was made of a source, such
// as of TypeScript, tells by the map at its end where it comes from.
const { SourceMap } = require('node:module');
const { readFileSync } = require('node:fs');

// own tells whether a path or a URL is of the tree itself.
const own = (file) => (file.startsWith(base) || file.startsWith(root)) && !file.includes('/node_modules/');

// What was made of files, by path: whoever compiles it is asked for it. Of other files
// it is what stands in them.
const texts = new Map();
let kept = 0;
const keep = (file, code) => {
  if (!session || typeof file !== 'string' || !own(file)) return code;
  const inline = [...code.matchAll(/\/\/[#@] sourceMappingURL=data:application\/json;(?:charset=[\w-]+;)?base64,([\w+/=]+)/g)].at(-1);
  let map;
  if (inline) try { map = new SourceMap(JSON.parse(Buffer.from(inline[1], 'base64'))); } catch { /* no map, then */ }
  texts.set(file, { code, map });
  return `${code}\n//${++kept}`; // what was compiled before is counted by whole functions only
};
const { prototype } = require('node:module'), compile = prototype._compile, vm = require('node:vm'), { runInThisContext } = vm;
prototype._compile = function (code, file, ...rest) { keep(file, code); return compile.call(this, code, file, ...rest); };
vm.Script = class Script extends vm.Script { constructor(code, options) { super(keep(options?.filename ?? options, code), options); } };
vm.runInThisContext = (code, options) => runInThisContext(keep(options?.filename ?? options, code), options);

let session;
// watch begins to count what runs.
const watch = () => {
  if (session) return;
  session = new (require('node:inspector').Session)();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
};
// take tells what ran since it was last asked.
const take = () => {
  let out;
  session.post('Profiler.takePreciseCoverage', (e, r) => { out = e ? [] : r.result.filter((s) => own(s.url)); });
  return out.flatMap((s) => {
    const url = (s.url.startsWith(root) ? s.url.slice(root.length) : encodeURI(s.url.slice(base.length))).replace(/\?.*/, ''), file = base + decodeURIComponent(url);
    if (!texts.has(file)) try { texts.set(file, { code: readFileSync(file, 'utf8') }); } catch { return []; }
    return { url, lines: ranLines(s.functions, texts.get(file)) };
  });
};

// ranLines are the lines that ran, and how often: a function that ran begins in them, or
// the innermost range around a line's first character that is not blank was counted.
function ranLines(functions, { code, map }) {
  const count = new Int32Array(code.length + 1).fill(-1), width = new Float64Array(code.length + 1).fill(Infinity);
  const begins = new Map();
  for (const f of functions) {
    for (const r of f.ranges) {
      const w = r.endOffset - r.startOffset;
      for (let i = Math.max(r.startOffset, 0); i < Math.min(r.endOffset, code.length); i++) if (w <= width[i]) { count[i] = r.count; width[i] = w; }
    }
    const [first] = f.ranges;
    if (first?.count > 0) begins.set(first.startOffset, Math.max(begins.get(first.startOffset) ?? 0, first.count));
  }
  const out = new Map(), starts = [...begins].sort((a, b) => a[0] - b[0]);
  const ran = (n, column, times) => {
    const line = map ? map.findEntry(n, column).originalLine : n;
    if (times > 0 && line !== undefined) out.set(line + 1, Math.max(out.get(line + 1) ?? 0, times));
  };
  let at = 0, k = 0;
  code.split('\n').forEach((line, n) => {
    const lead = line.length - line.trimStart().length;
    if (line.trim()) ran(n, lead, count[at + lead]);
    for (; k < starts.length && starts[k][0] <= at + line.length; k++) if (starts[k][0] > at) ran(n, starts[k][0] - at, starts[k][1]); // behind what stands before it
    at += line.length + 1;
  });
  return [...out];
}

// bounded ends a call that never gives way, so that what it ran can be told.
const bounded = (call, limit) => {
  globalThis[Symbol.for('fettle.call')] = call;
  return runInThisContext("globalThis[Symbol.for('fettle.call')]()", { timeout: Math.ceil(limit) });
};
