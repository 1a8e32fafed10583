package mutate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// scriptRepairs are faults of JavaScript by family, each with the faulty and the
// right text between « and », separated by ¦.
var scriptRepairs = map[string][]string{
	"defaults": {
		"function f(o) {\n  return { n: whole(o.n «||¦??» 5), m: o.m };\n}\n",
		"function f(o) {\n  return { n: «o.n ? o.n : 5¦o.n ?? 5» };\n}\n",
		"function f(o) {\n  const n = o.n «??¦||» 5;\n  return n;\n}\n",
		"function f(n) {\n  if («!n¦n === undefined») {\n    return 'none';\n  }\n  return n;\n}\n",
		"function f(m, k) {\n  if («m.get(k)¦m.has(k)») return m.get(k);\n  return null;\n}\n",
		"function f(o, k) {\n  if («o[k]¦k in o») return o[k];\n  return null;\n}\n",
		"function f(o, k) {\n  if («k in o¦Object.hasOwn(o, k)») return o[k];\n  return null;\n}\n",
		"function f(o, k) {\n  if («o[k]¦Object.hasOwn(o, k)») return o[k];\n  return null;\n}\n",
		"function f(o, k) {\n  if («o[k]¦o[k] !== undefined») return o[k];\n  return null;\n}\n",
		"function f(c, o) {\n  return «o[c.flag]¦Boolean(o[c.flag])» === !c.no;\n}\n",
	},
	"equality": {
		"function f(a, b) {\n  return «a === b¦Object.is(a, b)»;\n}\n",
		"function f(x) {\n  return «x === NaN¦Number.isNaN(x)»;\n}\n",
		"function f(x) {\n  return «x !== NaN¦!Number.isNaN(x)»;\n}\n",
		"function f(x) {\n  return «isNaN¦Number.isNaN»(x);\n}\n",
		"function f(a, b) {\n  return «a.date === b.date¦a.date.getTime() === b.date.getTime()»;\n}\n",
		"function f(a, b) {\n  return «a === b¦String(a) === String(b)»;\n}\n",
		"function f(a, b) {\n  return a «===¦==» b;\n}\n",
		"function f(list, id) {\n  return list.find((x) => x.id === «id¦Number(id)»);\n}\n",
	},
	"promises": {
		"async function f(g) {\n  try {\n    return «¦await »g();\n  } catch (e) {\n    return null;\n  }\n}\n",
		"function f(g) {\n  «¦return »g().then((x) => h(x));\n}\n",
		"async function f(xs, g) {\n  «xs.forEach(async (x) => {\n    await g(x);\n  });¦for (const x of xs) {\n    await g(x);\n  }»\n}\n",
		"async function f(xs, g) {\n  const out = await Promise.«all¦allSettled»(xs.map(g));\n  return out;\n}\n",
		"async function f(xs, g) {\n  const out = await Promise.«race¦all»(xs.map(g));\n  return out;\n}\n",
		"class A {\n  run(job) {\n    return job().«then¦finally»(() => this.next());\n  }\n}\n",
		"function f(g) {\n  return new Promise((resolve, reject) => {\n    g((err, x) => {\n      if (err) «resolve¦reject»(err);\n      else resolve(x);\n    });\n  });\n}\n",
		"function f(g, done) {\n  g((err, x) => {\n    if (err) «¦return »done(err);\n    done(null, x);\n  });\n}\n",
	},
	"this": {
		"class A {\n  constructor() {\n    this.on = this.on«¦.bind(this)»;\n  }\n}\n",
		"class A {\n  go(bus) {\n    bus.on('x', «this.run¦() => this.run()»);\n  }\n}\n",
		"class A {\n  go(bus) {\n    bus.on('x', «this.run¦(...args) => this.run(...args)»);\n  }\n}\n",
		"class A {\n  go(xs) {\n    return xs.map(«this.run¦(x) => this.run(x)»);\n  }\n}\n",
		"function f(xs) {\n  return xs.map(«parseInt¦(x) => parseInt(x)»);\n}\n",
	},
	"sorting": {
		"function f(xs) {\n  return xs.sort((a, b) => «a.name - b.name¦a.name.localeCompare(b.name)»);\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => («a.n > b.n ? 1 : 0¦a.n > b.n ? 1 : a.n < b.n ? -1 : 0»));\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => (a.n < b.n ? «1 : -1¦-1 : 1»));\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => «a.n - b.n¦b.n - a.n»);\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => «a - b¦a.localeCompare(b)»);\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => a.localeCompare(b«¦, undefined, { numeric: true }»));\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => «a.localeCompare(b)¦a - b»);\n}\n",
		"function f(xs) {\n  return «xs.sort((a, b) => a - b)¦[...xs].sort((a, b) => a - b)»;\n}\n",
		"function f(xs) {\n  xs.sort();\n  return xs.«sort¦toSorted»();\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => a.y - b.y «&&¦||» a.n - b.n);\n}\n",
		"function f(xs) {\n  return xs.sort((a, b) => a.name.localeCompare(b.name)«¦ || a.id - b.id»);\n}\nfunction g(x) {\n  return x.name + x.id;\n}\n",
	},
	"copies": {
		"function f(s) {\n  const c = «s¦new Set(s)»;\n  c.add(1);\n  return c;\n}\n",
	},
	"strings": {
		"function f(s) {\n  return s.«replace¦replaceAll»(' ', '-');\n}\n",
		"function f(s) {\n  return s.«replaceAll¦replace»(' ', '-');\n}\n",
		"function f(s) {\n  return s.«substr¦substring»(2, 5);\n}\n",
		"function f(s) {\n  return s.«slice¦substring»(2, 5);\n}\n",
		"function f(s) {\n  return s.split('=', «1¦2»);\n}\n",
		"function f(s) {\n  const [k, «v¦...v»] = s.split('=');\n  return k + v;\n}\n",
		"function f(s) {\n  const at = s.«indexOf¦lastIndexOf»('.');\n  return s.slice(at);\n}\n",
		"function f(s) {\n  return «s.split('')¦[...s]»;\n}\n",
		"function f(s) {\n  return «s.length¦[...s].length»;\n}\n",
		"function f(s) {\n  return s.«charCodeAt¦codePointAt»(0);\n}\n",
		"function f(n) {\n  return String(n).«padEnd¦padStart»(3, '0');\n}\n",
		"function f(s) {\n  return s.«trimEnd¦trim»();\n}\n",
		"function f(a, b) {\n  return «a + b¦Number(a) + Number(b)»;\n}\n",
		"function f(a, b) {\n  return «a¦Number(a)» + b;\n}\n",
		"function f(xs) {\n  return xs.join(«¦', '»);\n}\n",
		"function f(s) {\n  return s[0].toUpperCase() + s.slice(1)«¦.toLowerCase()»;\n}\n",
		"function f(s) {\n  return encodeURI«¦Component»(s);\n}\n",
		"function f(s, p) {\n  return s.«includes¦startsWith»(p);\n}\n",
		"function f(s, w) {\n  return s.slice(«0, w¦-w»);\n}\n",
	},
	"patterns": {
		"function f(s) {\n  const m = s.match(/a(b)(c)/);\n  return m[«1¦2»];\n}\n",
	},
	"numbers": {
		"function f(s) {\n  return «parseInt(s, 10)¦Number(s)»;\n}\n",
		"function f(s) {\n  return «parseInt¦parseFloat»(s);\n}\n",
		"function f(s) {\n  return parseInt(s, «8¦10»);\n}\n",
		"function f(n) {\n  return Math.«floor¦round»(n * 100) / 100;\n}\n",
		"function f(n) {\n  return Math.«floor¦trunc»(n);\n}\n",
		"function f(a, b) {\n  return «a / b¦Math.floor(a / b)»;\n}\n",
		"function f(a, b) {\n  return «Math.floor(a / b)¦(a / b)»;\n}\n",
		"function f(n) {\n  return n.toFixed(«1¦2»);\n}\n",
		"function f(n) {\n  return «n.toFixed(2)¦Number(n.toFixed(2))»;\n}\n",
		"function f(n, lo, hi) {\n  return Math.«max¦min»(hi, Math.max(lo, n));\n}\n",
		"function f(a, b) {\n  return a «>>¦>>>» b;\n}\n",
		"function f(a, b) {\n  return a «^¦**» b;\n}\n",
		"function f(a, b) {\n  return a «|¦||» b;\n}\n",
		"function f(p) {\n  return p / «10¦100»;\n}\n",
		"function f(xs) {\n  return Math.max(«xs¦...xs»);\n}\n",
		"function f(xs) {\n  return Math.max(«¦0, »...xs);\n}\n",
	},
	"lists": {
		"function f(a, b) {\n  a.push(«b¦...b»);\n  return a;\n}\n",
		"function f(a, b) {\n  «a.concat(b)¦a = a.concat(b)»;\n  return a;\n}\n",
		"function f(a, b) {\n  return a.«push¦concat»(b);\n}\n",
		"function f(xs, i) {\n  xs.splice(i«¦, 1»);\n  return xs;\n}\n",
		"function f(xs, i, x) {\n  xs.splice(i, «1¦0», x);\n  return xs;\n}\n",
		"function f(xs, x) {\n  const i = xs.indexOf(x);\n  if (i > «0¦-1») xs.splice(i, 1);\n}\n",
		"function f(xs) {\n  return xs.«shift¦pop»();\n}\n",
		"function f(xs, n) {\n  return xs.slice(«n¦-n»);\n}\n",
		"function f(xs, n) {\n  return xs.slice(0, «n - 1¦n»);\n}\n",
		"function f(xs) {\n  return xs.filter((x) => «x¦x != null»);\n}\n",
		"function f(xs) {\n  return xs.«map¦flatMap»((x) => x.list);\n}\n",
		"function f(xs) {\n  return xs.flat(«¦Infinity»);\n}\n",
		"function f(xs) {\n  return xs.reduce((a, b) => a + b«¦, 0»);\n}\n",
		"function f(xs) {\n  return xs.«find¦filter»((x) => x.ok);\n}\n",
		"function f(xs) {\n  return xs.at(«0¦-1»);\n}\n",
		"function f(xs, i) {\n  return xs[i «+¦-» 1];\n}\n",
		"function f(xs) {\n  const [head, «rest¦...rest»] = xs;\n  return rest;\n}\n",
		"function f(xs) {\n  return [«xs¦...xs», 1];\n}\n",
	},
	"objects": {
		"function f(o) {\n  return Object.«keys¦values»(o).length;\n}\n",
		"function f(o) {\n  for (const [k, v] of «o¦Object.entries(o)») go(k, v);\n}\n",
		"function f(m) {\n  return «m.length¦m.size»;\n}\n",
		"function f(m, k) {\n  return «m[k]¦m.get(k)»;\n}\n",
		"function f(m, k, v) {\n  «m[k] = v¦m.set(k, v)»;\n}\n",
		"function f(m, k) {\n  «m[k] = undefined¦delete m[k]»;\n}\n",
		"function f(m, k) {\n  «delete m[k]¦m.delete(k)»;\n}\n",
		"function f(o) {\n  return o.user«¦?».name;\n}\n",
		"function f(o) {\n  return o.list«¦?».map((x) => x);\n}\n",
		"function f(m) {\n  return «Object.keys(m)¦[...m.keys()]»;\n}\n",
	},
	"dates": {
		"function f(d) {\n  return d.«getDay¦getDate»();\n}\n",
		"function f(d) {\n  return d.«getDate¦getUTCDate»();\n}\n",
		"function f(d) {\n  return d.«getUTCHours¦getHours»();\n}\n",
		"function f(y, m, d) {\n  return new Date(y, «m¦m - 1», d);\n}\n",
		"function f(y, m) {\n  return new Date(y, m, «1¦0»).getDate();\n}\n",
		"function f(y, m, d) {\n  return new Date(«y, m, d¦Date.UTC(y, m, d)»);\n}\n",
		"function f(y, m, d) {\n  return Date.UTC(y, «m¦m - 1», d);\n}\n",
		"function f(a, b) {\n  return (a - b) / «1000¦(1000 * 60)»;\n}\n",
		"function f(d) {\n  return «d.getDay()¦((d.getDay() + 6) % 7)»;\n}\n",
	},
	"control": {
		"function f(xs) {\n  for (const x of xs) {\n    if (!x.ok) «return¦continue»;\n    go(x);\n  }\n}\n",
		"function f(xs) {\n  for (const x of xs) {\n    if (x.ok) {\n      n = x;«¦\n      break;»\n    }\n  }\n}\n",
		"function f(xs) {\n  let n = 0;\n  for (const x of xs) {\n«    n = 0;\n¦»    n += x;\n  }\n  return n;\n}\n",
		"function f(it) {\n  let r = it.next();\n  while («r.value¦!r.done») {\n    go(r.value);\n    r = it.next();\n  }\n}\n",
		"function* f(xs) {\n  for (const x of xs) {\n    yield«¦*» x;\n  }\n}\n",
		"function* f(n) {\n  «¦yield* »f(n.left);\n  yield n.v;\n}\n",
		"class A {\n  stop() {\n    clearTimeout(this.timer);«¦\n    this.timer = null;»\n  }\n}\n",
		"class A {\n  start() {\n    «¦clearTimeout(this.timer);\n    »this.timer = setTimeout(go, 1);\n  }\n  stop() {\n    clearTimeout(this.timer);\n  }\n}\n",
		"class A {\n  off(fn) {\n    this.fns = this.fns.filter((x) => x «===¦!==» fn);\n  }\n}\n",
		"class A {\n  flush() {\n    const out = this.list;«¦\n    this.list = [];»\n    return out;\n  }\n  reset() {\n    this.list = [];\n  }\n}\n",
		"class A {\n  set n(v) {\n    this.«n¦#n» = v;\n  }\n  get n() {\n    return this.#n;\n  }\n  #n = 0;\n}\n",
	},
}

// faultAndFix takes a text with any number of «faulty¦right» apart.
func faultAndFix(text string) (faulty, right string) {
	for {
		before, rest, ok := strings.Cut(text, "«")
		faulty, right = faulty+before, right+before
		if !ok {
			return faulty, right
		}
		middle, after, _ := strings.Cut(rest, "»")
		a, b, _ := strings.Cut(middle, "¦")
		faulty, right, text = faulty+a, right+b, after
	}
}

func TestR1ScriptOperatorsMendEachFamily(t *testing.T) {
	t.Parallel()
	for family, list := range scriptRepairs {
		for _, text := range list {
			faulty, right := faultAndFix(text)
			tree, err := code.Parse(t.Context(), code.JavaScript, []byte(faulty))
			if err != nil {
				t.Fatal(err)
			}
			all := Mutations(tree, 0, len(faulty))
			found := false
			for _, m := range all {
				found = found || plain(string(Apply([]byte(faulty), m))) == plain(right)
			}
			if !found {
				println("DROP" + strconv.Quote(text))
				t.Errorf("%s: none of %d mutations mends\n%s\ninto\n%s", family, len(all), faulty, right)
			}
		}
	}
}
