// Names and selects the tests of a mocha suite that is loaded. It stands in
// front of the code that uses it.
//
// An id is "file > titles of the suites > title", the file seen from dir and
// the suites' titles joined by blanks as mocha does; the second of a name has
// " #2" at its end.
function mochaIds(root, dir) {
  const { relative } = require('node:path');
  const ids = new Map(), count = new Map();
  const walk = (suite) => {
    for (const test of suite.tests) {
      const above = suite.fullTitle();
      const name = relative(dir, test.file ?? '').replaceAll('\\', '/') + ' > ' + (above ? above + ' > ' : '') + test.title;
      count.set(name, (count.get(name) ?? 0) + 1);
      ids.set(test, count.get(name) > 1 ? name + ' #' + count.get(name) : name);
    }
    suite.suites.forEach(walk);
  };
  walk(root);
  return ids;
}

// mochaId is the id of a test that ran, which may be the copy that a retry is.
function mochaId(ids, test) {
  const first = ids.get(test) ?? ids.get(test.retriedTest?.());
  if (first !== undefined) return first;
  for (const [other, id] of ids) if (other.title === test.title && other.parent === test.parent) return id;
  return undefined;
}

// mochaSelect leaves the tests in whose ids are wanted.
function mochaSelect(root, ids, wanted) {
  const walk = (suite) => {
    suite.tests = suite.tests.filter((test) => wanted(ids.get(test)));
    suite.suites.forEach(walk);
  };
  walk(root);
}

// mochaVictims are the ids of the tests that a failed hook spoilt: those that it
// kept from running, and the one after which it ran.
function mochaVictims(ids, ended, hook) {
  const out = [];
  let last;
  for (const [test, id] of ids) {
    let at = test.parent;
    while (at && at !== hook.parent) at = at.parent;
    if (!at || !test.parent.tests.includes(test) || test.isPending()) continue;
    if (ended.has(id)) last = id;
    else out.push(id);
  }
  if (!hook.title.startsWith('"after')) return out;
  const current = hook.ctx?.currentTest;
  return [(current && mochaId(ids, current)) ?? last, ...out].filter(Boolean);
}
