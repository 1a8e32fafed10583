// Looks for small expressions that could stand in the place of another one, as
// driver/angel.py does. It stands at the head of the file with the place, where
// fettleAsk is what is asked; the place itself calls it with its expression and
// with a way to work out others in its scope. A process has no child that could
// be thrown away here, so only what changes nothing is worked out.
(() => {
  const ask = fettleAsk;
  const fs = process.getBuiltinModule?.('fs');
  if (!fs || globalThis.__fettle_site?.number === ask.number) return;
  const MADE = 3000, JUDGED = 6000, TERMS = 44, CLOSE = 14, LIMIT = ask.red ? 6 : 14, ENOUGH = 400;
  const ATOM = 10, SIGN = 8, TIMES = 7, PLUS = 6, COMPARED = 4, AND = 2, OR = 1, CHOICE = 0, OWN = '__fettle_own()';
  const truth = ask.kind === 'condition';
  const seen = new Set();
  let count = 0, busy = false, own;

  const show = (v, depth = 0, above = []) => {
    if (v === null || v === undefined || typeof v === 'boolean') return String(v);
    if (typeof v === 'number') return Object.is(v, -0) ? '-0' : String(v);
    if (typeof v === 'bigint') return v + 'n';
    if (typeof v === 'string') return JSON.stringify(v.slice(0, 300));
    if (typeof v === 'symbol' || typeof v === 'function') return typeof v + ' ' + (v.name ?? '');
    if (depth > 5) return '…';
    if (above.includes(v)) return '<cycle>';
    const up = [...above, v], one = (x) => show(x, depth + 1, up);
    if (v instanceof Date) return 'Date ' + v.getTime();
    if (v instanceof RegExp) return String(v);
    if (v instanceof Error) return v.name;
    if (Array.isArray(v)) return '[' + v.slice(0, 60).map(one).join(', ') + ']';
    if (v instanceof Map) return 'Map{' + [...v].slice(0, 60).map(([k, x]) => one(k) + ': ' + one(x)).join(', ') + '}';
    if (v instanceof Set) return 'Set{' + [...v].slice(0, 60).map(one).join(', ') + '}';
    const name = Object.getPrototypeOf(v)?.constructor?.name ?? '';
    return (name === 'Object' ? '' : name) + '{' + fields(v).slice(0, 40).map((k) => k + ': ' + one(v[k])).join(', ') + '}';
  };
  const fields = (v) => Object.keys(v).filter((k) => !Object.getOwnPropertyDescriptor(v, k).get);
  const plain = (v) => v === null || v === undefined || typeof v !== 'object' && typeof v !== 'function';
  const sort = (v) => (v === null ? 'null' : Array.isArray(v) ? 'array' : v instanceof Map ? 'map' : v instanceof Set ? 'set' : v instanceof Date ? 'date' : typeof v);
  const attempt = (f) => { try { return ['ok', f()]; } catch (e) { return ['!' + (e?.name ?? 'Error')]; } };
  const came = (f) => { const [how, v] = attempt(f); return how === 'ok' ? show(truth ? Boolean(v) : v) : how; };
  const say = (record) => fs.appendFileSync(ask.out, JSON.stringify(record) + '\n');
  // quiet tells a function that seems to change nothing.
  const quiet = (f) => {
    const text = Function.prototype.toString.call(f);
    return f.length === 1 && text.length < 1500 && !/^(async|class)\b|\bthis\b|await|yield|\+\+|--|[-+*/|&]=|\.(push|set|add|delete|splice|sort|reverse|pop|shift|unshift|clear|write\w*|emit|log)\(|^\s*[\w.[\]]+\s*=[^=>]/m.test(text);
  };

  const levelOf = (text) => {
    if (/^[\w$.]+$/.test(text) || /^(?:'[^']*'|"[^"]*"|`[^`]*`)$/.test(text)) return ATOM;
    let depth = 0, least = ATOM, quote = '';
    for (let i = 0; i < text.length; i++) {
      const c = text[i], two = text.slice(i, i + 2);
      if (quote) { if (c === '\\') i++; else if (c === quote) quote = ''; continue; }
      if ('\'"`'.includes(c)) { quote = c; continue; }
      if ('([{'.includes(c)) depth++;
      if (')]}'.includes(c)) depth--;
      if (depth > 0) continue;
      if (two === '?.') { i++; continue; }
      if (c === '?' || two === '=>') least = Math.min(least, CHOICE);
      if (two === '||' || two === '??') least = Math.min(least, OR);
      if (two === '&&') { least = Math.min(least, AND); i++; continue; }
      if ('<>=|&^'.includes(c) || two === '!=') least = Math.min(least, COMPARED);
      if ((c === '+' || c === '-') && i > 0) least = Math.min(least, PLUS);
      if ('*/%'.includes(c)) least = Math.min(least, TIMES);
      if ((c === '!' || c === '-') && i === 0 || /^(typeof|new|void) /.test(text)) least = Math.min(least, SIGN);
    }
    return least;
  };
  const piece = (text, code, value, cost, level) => ({ text, code, value, cost, level });
  const at = (p, level) => (p.level >= level ? p : { ...p, text: '(' + p.text + ')', code: '(' + p.code + ')', cost: p.cost + 0.4, level: ATOM });
  const order = (a, b) => a.cost - b.cost || a.text.length - b.text.length || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);

  function alone(p) {
    const v = p.value, out = [], a = at(p, ATOM);
    const add = (text, code, f, cost, level = ATOM) => { const [how, r] = attempt(f); if (how === 'ok') out.push(piece(text, code, r, p.cost + cost, level)); };
    const method = (form, f, cost) => add(a.text + form, a.code + form, f, cost);
    const call = (name, f, cost) => add(name + '(' + p.text + ')', name + '(' + p.code + ')', f, cost);
    if (typeof v === 'string') {
      method('.length', () => v.length, 0.4); method('.trim()', () => v.trim(), 0.6); method('.toLowerCase()', () => v.toLowerCase(), 0.6);
      method('.toUpperCase()', () => v.toUpperCase(), 0.8); method('.trimEnd()', () => v.trimEnd(), 1); method('.trimStart()', () => v.trimStart(), 1);
      if (v.trim() !== v || v.toLowerCase() !== v) method('.trim().toLowerCase()', () => v.trim().toLowerCase(), 1.2);
      call('Number', () => Number(v), 0.9); method('[0]', () => v[0], 0.9); method('.at(-1)', () => v.at(-1), 1); method('.slice(1)', () => v.slice(1), 0.9); method('.slice(0, -1)', () => v.slice(0, -1), 0.9);
    }
    if (typeof v === 'number') {
      for (const name of ['abs', 'floor', 'ceil', 'round', 'trunc']) call('Math.' + name, () => Math[name](v), 0.8);
      call('String', () => String(v), 0.9); call('Number.isNaN', () => Number.isNaN(v), 1); call('Number.isInteger', () => Number.isInteger(v), 1);
      const q = at(p, PLUS), s = at(p, SIGN + 1);
      out.push(piece(q.text + ' + 1', q.code + ' + 1', v + 1, p.cost + 0.6, PLUS), piece(q.text + ' - 1', q.code + ' - 1', v - 1, p.cost + 0.6, PLUS), piece('-' + s.text, '-' + s.code, -v, p.cost + 0.8, SIGN));
    }
    if (Array.isArray(v)) {
      method('.length', () => v.length, 0.4); method('[0]', () => v[0], 0.9); method('.at(-1)', () => v.at(-1), 0.9); method('.slice(1)', () => v.slice(1), 0.9); method('.slice(0, -1)', () => v.slice(0, -1), 0.9);
      method('.slice()', () => v.slice(), 1); method('.flat()', () => v.flat(), 1); method('.filter(Boolean)', () => v.filter(Boolean), 1.1); method('.toReversed()', () => v.slice().reverse(), 1.5);
      if (v.length && v.every((x) => typeof x === 'number')) { add('Math.max(...' + p.text + ')', 'Math.max(...' + p.code + ')', () => Math.max(...v), 1); add('Math.min(...' + p.text + ')', 'Math.min(...' + p.code + ')', () => Math.min(...v), 1); }
      add('[...new Set(' + p.text + ')]', '[...new Set(' + p.code + ')]', () => [...new Set(v)], 1.1);
    }
    if (v instanceof Map || v instanceof Set) {
      method('.size', () => v.size, 0.4); add('[...' + p.text + ']', '[...' + p.code + ']', () => [...v], 1);
      if (v instanceof Map) { add('[...' + a.text + '.values()]', '[...' + a.code + '.values()]', () => [...v.values()], 1.1); add('[...' + a.text + '.keys()]', '[...' + a.code + '.keys()]', () => [...v.keys()], 1.1); }
    }
    if (v instanceof Date) method('.getTime()', () => v.getTime(), 0.8);
    if (sort(v) === 'object') { call('Object.keys', () => Object.keys(v), 0.9); call('Object.values', () => Object.values(v), 0.9); add('{ ...' + p.text + ' }', '({ ...' + p.code + ' })', () => ({ ...v }), 1.2); }
    for (const [name, f] of functions) call(name, () => f(v), 0.9);
    return out;
  }

  function pairs(a, b) {
    const x = a.value, y = b.value, cost = a.cost + b.cost, out = [];
    const add = (text, code, f, more, level) => { const [how, r] = attempt(f); if (how === 'ok') out.push(piece(text, code, r, cost + more, level)); };
    const infix = (op, f, level, more) => { const l = at(a, level), r = at(b, level + 1); add(l.text + op + r.text, l.code + op + r.code, f, more, level); };
    const method = (name, f, more) => { const l = at(a, ATOM); add(l.text + '.' + name + '(' + b.text + ')', l.code + '.' + name + '(' + b.code + ')', f, more, ATOM); };
    const both = (name, f, more) => add(name + '(' + a.text + ', ' + b.text + ')', name + '(' + a.code + ', ' + b.code + ')', f, more, ATOM);
    if (typeof x === 'number' && typeof y === 'number') {
      infix(' + ', () => x + y, PLUS, 0.5); infix(' - ', () => x - y, PLUS, 0.5); infix(' * ', () => x * y, TIMES, 0.6);
      if (y) { infix(' / ', () => x / y, TIMES, 0.8); infix(' % ', () => x % y, TIMES, 0.9); }
      both('Math.max', () => Math.max(x, y), 0.7); both('Math.min', () => Math.min(x, y), 0.7);
    } else if (typeof x === 'string' && typeof y === 'string') {
      if (y) { infix(' + ', () => x + y, PLUS, 0.8); method('split', () => x.split(y), 1.1); method('indexOf', () => x.indexOf(y), 1.2); method('lastIndexOf', () => x.lastIndexOf(y), 1.3); }
    } else if (Array.isArray(x) && Array.isArray(y)) method('concat', () => x.concat(y), 0.9);
    else if (Array.isArray(x) && typeof y === 'string' && x.every((s) => typeof s === 'string')) method('join', () => x.join(y), 1);
    if (Array.isArray(x) && !Array.isArray(y)) method('indexOf', () => x.indexOf(y), 1.1);
    if ((Array.isArray(x) || typeof x === 'string') && Number.isInteger(y)) {
      const l = at(a, ATOM);
      add(l.text + '[' + b.text + ']', l.code + '[' + b.code + ']', () => x[y], 0.8, ATOM);
      if (y > 0) { method('slice', () => x.slice(y), 0.9); add(l.text + '.slice(0, ' + b.text + ')', l.code + '.slice(0, ' + b.code + ')', () => x.slice(0, y), 0.9, ATOM); }
    }
    if (sort(x) === 'object' && typeof y === 'string' && Object.hasOwn(x, y)) { const l = at(a, ATOM); add(l.text + '[' + b.text + ']', l.code + '[' + b.code + ']', () => x[y], 0.8, ATOM); }
    if (x instanceof Map) method('get', () => x.get(y), 0.8);
    return out;
  }

  function compared(a, b) {
    const x = a.value, y = b.value, cost = a.cost + b.cost, out = [];
    const infix = (op, f, more) => { const l = at(a, COMPARED + 0.5), r = at(b, COMPARED + 0.5), [how, v] = attempt(f); if (how === 'ok') out.push(piece(l.text + op + r.text, l.code + op + r.code, v, cost + more, COMPARED)); };
    const ask1 = (name, f, more) => {
      const l = at(a, ATOM), [how, v] = attempt(f);
      if (how !== 'ok') return;
      const text = '.' + name + '(' + b.text + ')', code = '.' + name + '(' + b.code + ')';
      out.push(piece(l.text + text, l.code + code, v, cost + more, ATOM), piece('!' + l.text + text, '!' + l.code + code, !v, cost + more + 0.1, SIGN));
    };
    if (typeof x === typeof y && (typeof x === 'number' || x instanceof Date && y instanceof Date)) { infix(' < ', () => x < y, 0.4); infix(' <= ', () => x <= y, 0.45); infix(' > ', () => x > y, 0.4); infix(' >= ', () => x >= y, 0.45); }
    if (typeof x === typeof y && x !== null && (typeof x === 'number' || typeof x === 'string' || typeof x === 'object' && plain(y) === plain(x) && !Array.isArray(x))) { infix(' === ', () => x === y, 0.4); infix(' !== ', () => x !== y, 0.4); }
    if (Array.isArray(x) && !Array.isArray(y) || typeof x === 'string' && typeof y === 'string' && y) ask1('includes', () => x.includes(y), 0.5);
    if (x instanceof Set || x instanceof Map) ask1('has', () => x.has(y), 0.5);
    if (typeof x === 'string' && typeof y === 'string' && y) { ask1('startsWith', () => x.startsWith(y), 0.8); ask1('endsWith', () => x.endsWith(y), 0.8); }
    return out;
  }

  function asked(p) {
    const v = p.value, n = at(p, SIGN), l = at(p, COMPARED + 0.5);
    const out = [piece(p.text, p.code, v, p.cost + 0.2, p.level), piece('!' + n.text, '!' + n.code, !v, p.cost + 0.4, SIGN)];
    if (typeof v !== 'boolean') {
      out.push(piece(l.text + ' == null', l.code + ' == null', v == null, p.cost + 0.6, COMPARED), piece(l.text + ' != null', l.code + ' != null', v != null, p.cost + 0.6, COMPARED));
      out.push(piece(l.text + ' === undefined', l.code + ' === undefined', v === undefined, p.cost + 0.7, COMPARED), piece(l.text + ' !== undefined', l.code + ' !== undefined', v !== undefined, p.cost + 0.7, COMPARED));
    }
    return out;
  }

  let functions = [];
  function scopeOf(scope) {
    const out = new Map();
    for (const name of [...ask.names, 'this']) {
      const [how, v] = attempt(() => scope(name));
      if (how === 'ok' && v !== globalThis) out.set(name, v);
    }
    return out;
  }

  function terms(scope, read) {
    const near = new Set(ask.near), chains = new Set(ask.chains), out = new Map();
    const add = (text, value, cost) => { if (typeof value !== 'function' && !(cost >= out.get(text)?.cost)) out.set(text, piece(text, text, value, cost, ATOM)); };
    for (const [name, v] of read) {
      const cost = near.has(name) ? 0.3 : 0.7;
      if (name !== 'this') add(name, v, cost);
      if (v !== null && sort(v) === 'object') {
        for (const k of fields(v).slice(0, 16)) {
          if (!/^[A-Za-z_$][\w$]*$/.test(k)) continue;
          add(name + '.' + k, v[k], cost + (chains.has(name + '.' + k) ? 0.2 : 0.6));
          if (v[k] !== null && sort(v[k]) === 'object' && name !== 'globalThis') for (const j of fields(v[k]).slice(0, 8)) if (/^[A-Za-z_$][\w$]*$/.test(j)) add(name + '.' + k + '.' + j, v[k][j], cost + 1.2);
        }
      }
    }
    for (const text of ask.chains) if (!out.has(text)) { const [how, v] = attempt(() => scope(text)); if (how === 'ok') add(text, v, 0.7); }
    for (const text of ask.parts) if (!out.has(text) && !/[(]/.test(text)) { const [how, v] = attempt(() => scope('(' + text + ')')); if (how === 'ok' && typeof v !== 'function') out.set(text, piece(text, text, v, 0.4, levelOf(text))); }
    return [...out.values()].sort(order).slice(0, TERMS);
  }

  function make(scope, mine) {
    const out = new Map(), read = scopeOf(scope);
    let made = 0;
    functions = ask.functions.map((n) => [n, attempt(() => scope(n))[1]]).filter(([, f]) => typeof f === 'function' && quiet(f));
    const put = (p, more = 0) => {
      const q = at(p, ask.need), cost = p.cost + more;
      made++;
      if (q.text !== ask.text && !(cost >= out.get(q.text)?.[1])) out.set(q.text, [q.code, cost]);
    };
    const all = terms(scope, read), close = all.slice(0, CLOSE);
    const constants = [...ask.literals.map((t, i) => [t, 0.8 + 0.02 * i]), ['0', 0.8], ['1', 0.9], ['null', 1.1], ['""', 1.1], ['true', 1.2], ['false', 1.2], ['[]', 1.4], ['undefined', 1.3]]
      .filter(([t], i, l) => l.findIndex(([u]) => u === t) === i).flatMap(([t, cost]) => { const [how, v] = attempt(() => (0, eval)('(' + t + ')')); return how === 'ok' ? [piece(t, t, v, cost, ATOM)] : []; });
    const single = all.flatMap(alone), some = [...close, ...constants.slice(0, 6)];
    const double = some.flatMap((a) => some.flatMap((b) => (a === b || constants.includes(a) && constants.includes(b) ? [] : pairs(a, b))));
    const self = mine.failed ? null : piece(ask.text, OWN, mine.value, 0, levelOf(ask.text));
    if (truth) {
      const near = [...all, ...single.filter((p) => typeof p.value !== 'boolean'), ...double].sort(order).slice(0, 60);
      const atoms = [...all.flatMap(asked), ...single.filter((p) => typeof p.value === 'boolean').flatMap(asked)];
      near.forEach((a) => [...near.slice(0, 26), ...constants].forEach((b) => { if (a !== b && atoms.length < JUDGED) atoms.push(...compared(a, b)); }));
      for (const p of atoms.sort(order).slice(0, MADE / 3)) {
        put(p, 1.2);
        for (const [word, level] of [[' && ', AND], [' || ', OR]]) {
          const whole = self ?? piece(ask.text, OWN, undefined, 0, levelOf(ask.text)), wl = levelOf(ask.text);
          const l = /\?\?/.test(ask.text) || wl < level || wl === OR && level === AND ? at({ ...whole, level: -1 }, 0) : whole, r = at(p, level + 1);
          put(piece(l.text + word + r.text, l.code + word + r.code, undefined, p.cost + 0.3, level));
          if (!self) put(piece(r.text + word + l.text, r.code + word + l.code, undefined, p.cost + 0.3, level));
        }
      }
    } else {
      const wanted = self && mine.value != null ? new Set([sort(mine.value)]) : null;
      const keep = (p, more = 0) => { if ((!wanted || wanted.has(sort(p.value))) && made < JUDGED) put(p, more); };
      if (self) {
        for (const p of alone(self)) { keep(p); for (const q of alone(p)) keep(q, 0.3); }
        for (const b of [...all.slice(0, 2 * CLOSE), ...constants]) {
          for (const p of [...pairs(self, b), ...pairs(b, self)]) keep(p);
          if (mine.value == null || sort(b.value) === sort(mine.value)) {
            const lone = levelOf(ask.text) <= AND ? at({ ...self, level: -1 }, 0) : self, r = at(b, COMPARED);
            if (!/\|\||&&/.test(ask.text)) keep(piece(lone.text + ' ?? ' + r.text, lone.code + ' ?? ' + r.code, mine.value ?? b.value, b.cost + 0.8, OR));
            if (!/\?\?/.test(ask.text)) keep(piece(lone.text + ' || ' + r.text, lone.code + ' || ' + r.code, mine.value || b.value, b.cost + 1, OR));
          }
        }
      }
      for (const p of [...all, ...constants]) keep(p, 0.6);
      for (const p of single) keep(p, 0.4);
      for (const p of double) keep(p, 0.6);
      const small = [...single, ...double].filter((p) => p.cost < 3).sort(order);
      for (const p of small.slice(0, 160)) for (const q of alone(p)) keep(q, 0.5);
      for (const a of small.slice(0, 60)) for (const b of [...close, ...constants.slice(0, 3)]) for (const q of [...pairs(a, b), ...pairs(b, a)]) keep(q, 0.7);
      if (typeof mine.value === 'boolean') {
        for (const p of [...all, ...single, ...double].sort(order).slice(0, 60)) {
          for (const q of asked(p)) if (typeof q.value === 'boolean') keep(q, 0.3);
          for (const b of [...close, ...constants.slice(0, 4)]) if (b !== p) for (const q of compared(p, b)) keep(q, 0.5);
        }
      }
    }
    return [...out].map(([text, [code, cost]]) => [text, code, Number(cost.toFixed(3))]).sort((a, b) => a[2] - b[2] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1)).slice(0, MADE);
  }

  const told = (read) => {
    const out = {};
    for (const [name, v] of read) {
      if (name !== 'this' && typeof v !== 'function') out[name] = show(v);
      if (v !== null && sort(v) === 'object') for (const k of fields(v).slice(0, 16)) if (plain(v[k])) out[name + '.' + k] = show(v[k]);
    }
    for (const k of Object.keys(out)) if (out[k].length > 40) delete out[k];
    return out;
  };

  function look(mine, scope) {
    if (++count > ENOUGH || seen.size >= LIMIT) return;
    const read = scopeOf(scope), key = [...read].map(([k, v]) => k + '=' + (typeof v === 'function' ? '' : show(v))).join();
    if (seen.has(key)) return;
    seen.add(key);
    own = () => { if (mine.failed) throw mine.error; return mine.value; };
    if (!ask.exprs) say({ made: (ask.exprs = make(scope, mine)) });
    const table = new Map(), values = [];
    globalThis.__fettle_own = own;
    const thunks = attempt(() => scope('[' + ask.exprs.map((e) => '() => (' + e[1] + ')').join(',') + ']'))[1];
    if (!thunks) return;
    for (const f of thunks) {
      const v = came(f);
      if (!table.has(v)) table.set(v, table.size);
      values.push(table.get(v));
    }
    say({ record: { red: ask.red, old: mine.failed ? '!' + (mine.error?.name ?? 'Error') : show(truth ? Boolean(mine.value) : mine.value), table: [...table.keys()], values, where: told(read) } });
  }

  globalThis.__fettle_site = (thunk, scope) => {
    const mine = { failed: false };
    try { mine.value = thunk(); } catch (e) { mine.failed = true; mine.error = e; }
    if (!busy) {
      busy = true;
      try { look(mine, scope); } catch { /* the test goes on */ } finally { busy = false; }
    }
    if (mine.failed) throw mine.error;
    return mine.value;
  };
  globalThis.__fettle_site.number = ask.number;
})();
