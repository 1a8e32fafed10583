package mutate

import (
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// allRepairs are the repairs of all files.
func allRepairs() map[code.Language][]string {
	out := map[code.Language][]string{}
	for _, part := range []map[code.Language][]string{repairs, braceRepairs} {
		for lang, list := range part {
			out[lang] = slices.Concat(out[lang], list)
		}
	}
	return out
}

// braceRepairs are more faults of JavaScript and Go, written as in repairs.
var braceRepairs = map[code.Language][]string{
	code.JavaScript: {
		"function f(text) {\n  return «text|text.toLowerCase()».match(/a/);\n}\n",
		"function f(list) {\n  return «list|[...list]».sort();\n}\n",
		"function f(n) {\n  return «n|String(n)».padStart(2, '0');\n}\n",
		"function f(list, x) {\n  const at = list.indexOf(x);\n  if («!at|at === -1») return false;\n  return list[at];\n}\n",
		"function f(list, x) {\n  const at = list.indexOf(x);«|\n  if (at === -1) {\n    return null;\n  }»\n  return list[at];\n}\n",
		"function f(list, key) {\n  const out = {};\n  for (const x of list) {\n    «out[key(x)] = [x]|(out[key(x)] ??= []).push(x)»;\n  }\n  return out;\n}\n",
		"function f(words) {\n  const n = {};\n  for (const w of words) «n[w] += 1|n[w] = (n[w] ?? 0) + 1»;\n  return n;\n}\n",
		"function f(part) {\n  const [key, value«| = \"\"»] = part.split('=');\n  return key + value;\n}\n",
		"class A {\n  page(n, per = «10|this.options.limit») {\n    return n * per + this.options.limit;\n  }\n}\n",
		"function f(options) {\n  return { «...options, ...DEFAULTS|...DEFAULTS, ...options» };\n}\n",
		"function f(options) {\n  return Object.assign(«DEFAULTS|{}, DEFAULTS», options);\n}\n",
		"class A {\n  snapshot() {\n    return «this.items|this.items.map((x) => ({ ...x }))»;\n  }\n}\n",
		"function f(s) {\n  return s.replace(/x/«|g», 'y');\n}\n",
		"function f(s) {\n  return s.replace(/«^-|^-|-$»/g, '');\n}\n",
		"function f(s) {\n  return s.replace(/[^a-z]«|+»/g, '-');\n}\n",
		"async function f(list) {\n  return «list.map(async (x) => g(x))|await Promise.all(list.map(async (x) => g(x)))»;\n}\n",
		"function f(list) {\n  return list.sort((a, b) => «a.n > b.n|a.n - b.n»);\n}\n",
		"function f(d) {\n  return `${d.getFullYear()}-${«d.getMonth()|d.getMonth() + 1»}`;\n}\n",
		"function f(h, m) {\n  return `${pad(h, 2)}:${«m|pad(m, 2)»}`;\n}\n",
		"function f(k) {\n  switch (k) {\n    case 1:\n      «|return »g();\n    default:\n      return h();\n  }\n}\n",
		"function f(k) {\n  switch (k) {\n    case 1:\n      g();«|\n      break;»\n    default:\n      h();\n  }\n}\n",
		"function f(list) {\n  return list.reduce((n, x) => n + x.count«|, 0»);\n}\n",
		"function f(x) {\n  return typeof x === 'object'« && x.a| && x !== null && x.a»;\n}\n",
		"function f(o) {\n  o.n «&&=|??=» 3;\n}\n",
		"function f(d) {\n  return 5 - (d?.amount«| ?? 0»);\n}\n",
		"class A {\n  add(x) {\n    this.list.push(x);«|\n    return this;»\n  }\n}\n",
		"function merge(a, b) {\n  return a.x ? «{ ...b.x }|merge(a.x, b.x)» : b;\n}\n",
		"function chunk(list, size) {\n  for (let i = 0; i < list.length; «i++|i += size») g(list.slice(i, i + size));\n}\n",
		"function chunk(list, i, size) {\n  return list.slice(i, «size|i + size»);\n}\n",
		"function f(n) {\n  for (let «i = 0; i < n; i++|i = n - 1; i >= 0; i--») g(i);\n}\n",
		"function gcd(a, b) {\n  while (b) {\n    «a = b;\n    b = a % b;|[a, b] = [b, a % b];»\n  }\n  return a;\n}\n",
		"function move(from, to, n) {\n  from.size -= n;«|\n  to.size += n;»\n}\n",
		"function visit(seen, n) {\n  if (seen.has(n)) return;«|\n  seen.add(n);»\n  g(n);\n}\n",
		"class Q {\n  run(job) {\n    this.running++;\n    job().finally(() => {\n      «|this.running--;\n      »this.next();\n    });\n  }\n}\n",
		"function f(k) {\n  switch (true) {\n    «case k > 1:\n      return 1;\n    case k > 9:\n      return 9;|case k > 9:\n      return 9;\n    case k > 1:\n      return 1;»\n  }\n}\n",
		"function f(text) {\n  «|text = text.trim();\n  »if (text === '') return 0;\n  return g(text);\n}\n",
		"function f(a, b, c) {\n  return «a / b * c|a * c / b»;\n}\n",
		"function f(list) {\n  return g(«list.length|list.length - 1»);\n}\n",
	},
	code.Go: {
		"package p\n\nfunc f(s string) (int, error) {\n\tn, err := g(s)«|\n\tif err != nil {\n\t\treturn 0, err\n\t}»\n\treturn n + h(), nil\n}\n",
		"package p\n\nfunc f(s string) (int, error) {\n\t«n, _ := g(s)|n, err := g(s)\n\tif err != nil {\n\t\treturn 0, err\n\t}»\n\treturn n, nil\n}\n",
		"package p\n\nfunc f(m map[string]*T, a, b string) error {\n\tx, ok := m[a]\n\tif !ok {\n\t\treturn miss(a)\n\t}\n\t«y := m[b]|y, ok := m[b]\n\tif !ok {\n\t\treturn miss(b)\n\t}»\n\treturn g(x, y)\n}\n",
		"package p\n\nfunc f() {\n\tmu.Lock()\n\t«|defer »mu.Unlock()\n\tg()\n}\n",
		"package p\n\ntype S struct {\n\ta map[string]int\n\tb map[string]int\n}\n\nfunc New() *S { return &S{a: map[string]int{}«|, b: make(map[string]int)»} }\n",
		"package p\n\ntype T struct{ rows map[string]map[string]int }\n\nfunc (t *T) Add(a, b string) {\n\t«|if t.rows[a] == nil {\n\t\tt.rows[a] = make(map[string]int)\n\t}\n\t»t.rows[a][b]++\n}\n",
		"package p\n\nfunc f(xs []int, i int) []int {\n\treturn append(xs[:i«|:i»], xs[i+1:]...)\n}\n",
		"package p\n\nfunc f(tags []string) *A {\n\treturn &A{Tags: «tags|append([]string(nil), tags...)»}\n}\n",
		"package p\n\nfunc f(xs []int, i, size int) []int {\n\tend := i + size«|\n\tif end > len(xs) {\n\t\tend = len(xs)\n\t}»\n\treturn xs[i:end]\n}\n",
		"package p\n\nfunc f(sum int, xs []int) float64 {\n\treturn «float64(sum / len(xs))|float64(sum) / float64(len(xs))»\n}\n",
		"package p\n\nimport \"math\"\n\nfunc f(x float64) int {\n\treturn int(«x * math.Pi|math.Round(x * math.Pi)»)\n}\n",
		"package p\n\nfunc f(s string) int {\n\tr := «[]byte|[]rune»(s)\n\treturn len(r)\n}\n",
		"package p\n\nfunc f(s string, n int) bool {\n\tr := []rune(s)\n\treturn len(«s|r») <= n && r[0] > 0\n}\n",
		"package p\n\nimport \"strings\"\n\nfunc f(s string) []string {\n\treturn strings.«Split(s, \" \")|Fields(s)»\n}\n",
		"package p\n\nimport \"time\"\n\nfunc f(n int) time.Duration {\n\treturn time.Duration(n) * time.«Microsecond|Millisecond»\n}\n",
		"package p\n\nimport \"errors\"\n\nfunc f(err error) bool {\n\treturn «err == ErrNone|errors.Is(err, ErrNone)»\n}\n",
		"package p\n\nfunc f(words []string) {\n\tfor i, w := range words {\n\t\t«w|words[i]» = g(w, i)\n\t}\n}\n",
		"package p\n\nfunc f(lo, hi int) (int, error) {\n\tif lo > hi {\n\t\treturn 0, «nil|ErrRange»\n\t}\n\treturn lo, nil\n}\n\nvar ErrRange = g()\n",
		"package p\n\nfunc f(xs []int) []int {\n\t«var out []int|out := []int{}»\n\tfor _, x := range xs {\n\t\tout = append(out, x)\n\t}\n\treturn out\n}\n",
		"package p\n\nfunc f(n int) []int {\n\tout := make([]int, «|0, »n)\n\treturn append(out, 1)\n}\n",
		"package p\n\nfunc f(a, b int) int {\n\tfor b != 0 {\n\t\t«a = b\n\t\tb = a % b|a, b = b, a%b»\n\t}\n\treturn a\n}\n",
		"package p\n\nfunc f(src, dst *A, n int) {\n\tsrc.Sum -= n«|\n\tdst.Sum += n»\n}\n",
		"package p\n\nfunc f(xs []int) (out []int) {\n\tseen := map[int]bool{}\n\tfor _, x := range xs {\n\t\tif seen[x] {\n\t\t\tcontinue\n\t\t}«|\n\t\tseen[x] = true»\n\t\tout = append(out, x)\n\t}\n\treturn out\n}\n",
		"package p\n\nfunc f(n int) {\n\tfor «i := n - 1; i >= 0; i--|i := 0; i < n; i++» {\n\t\tg(i)\n\t}\n}\n",
		"package p\n\nfunc f(k int) int {\n\tswitch {\n\t«case k > 1:\n\t\treturn 1\n\tcase k > 9:\n\t\treturn 9|case k > 9:\n\t\treturn 9\n\tcase k > 1:\n\t\treturn 1»\n\t}\n\treturn 0\n}\n",
		"package p\n\nfunc f(a, b, c int) int {\n\treturn «a / b * c|a * c / b»\n}\n",
		"package p\n\nfunc f(n int) (i, j int) {\n\tfor i < j {\n\t\ti, j = i+1, «j|j-1»\n\t}\n\treturn i, j\n}\n",
		"package p\n\nfunc f(xs []int) []int {\n\treturn make([]int, len(xs)«|+1»)\n}\n",
		"package p\n\nfunc f(xs []int, i, size int) []int {\n\treturn xs[i:«size|i+size»]\n}\n",
	},
}
