package mutate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// repairs are faults of one place with their fix. Each has the faulty and the
// right text between « and », separated by |.
var repairs = map[code.Language][]string{
	code.Python: {
		"def f(a, b):\n    if a «>|>=» b:\n        return a\n    return b\n",
		"def f(xs):\n    return [x for x in xs if x «==|!=» 0]\n",
		"def f(a, b):\n    return a and b «or|and» a\n",
		"def f(price, rate):\n    return price «-|+» price * rate\n",
		"def mean(xs):\n    return sum(xs) «//|/» len(xs)\n",
		"def f(x):\n    if «x|not x»:\n        return 1\n    return 2\n",
		"def f(x):\n    if «not x|x»:\n        return 1\n    return 2\n",
		"def f(xs):\n    for i in range(«1|0», len(xs)):\n        print(xs[i])\n",
		"def f(xs):\n    for i in range(len(xs)« - 1|»):\n        print(xs[i])\n",
		"def f(n):\n    return list(range(1, «n|n + 1»))\n",
		"def f(n):\n    return n * «10|100»\nLIMIT = 100\n",
		"def f(x, strict=«True|False»):\n    return x\n",
		"def f(d):\n    d[\"name\"] = 1\n    return d[«\"nmae\"|\"name\"»]\n", //nolint:misspell // the mistake to mend
		"def area(width, height):\n    return width * «width|height»\n",
		"class A:\n    def __init__(self, w, h):\n        self.w = w\n        self.h = h\n    def area(self):\n        return self.w * self.«w|h»\n",
		"def f(xs, ys):\n    xs.«append|extend»(ys)\n    return xs\n",
		"def f(s):\n    return s.«lstrip|rstrip»()\n",
		"def f(s, p):\n    return s.«endswith|startswith»(p)\n",
		"def pay(a, b):\n    move(«b, a|a, b»)\n",
		"def f(a, b):\n    return «b - a|a - b»\n",
		"def f(a, k):\n    return a[:«k|k + 1»]\n",
		"def f(xs):\n    return xs[«0|-1»]\n",
		"def total(xs):\n    t = 0\n    for x in xs:\n        t «=|+=» x\n    return t\n",
		"def f(a, b):\n    if «a|a and b»:\n        return 1\n    return 0\n",
		"def f(u):\n    if «u.name|u is not None and u.name»:\n        return 1\n    return 0\n",
		"def f(u):\n    «|if u is None:\n        return None\n    »return u.name\n",
		"def mean(xs):\n    «|if not xs:\n        return 0\n    »return sum(xs) / len(xs)\n",
		"def f(d, k):\n    return «d[k]|d.get(k, 0)» + 1\n",
		"def f(x, y):\n    r = x + y\n    print(r)\n    return «x|r»\n",
		"def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n«        return out|    return out»\n",
		"def f(xs):\n    for x in xs:\n        if x < 0:\n            «break|continue»\n        print(x)\n",
		"def f(a):\n    return «a|str(a)» + str(1)\n",
		"def f(a, b):\n    return «a == b|a.lower() == b.lower()»\n",
		"def f(x, «xs=[]):\n    |xs=None):\n    if xs is None:\n        xs = []\n    »xs.append(x)\n    return xs\n",
		"class A:\n    def __init__(self, xs):\n        self.xs = xs\n    def all(self):\n        return «self.xs|list(self.xs)»\n",
		"def f(s):\n    try:\n        return int(s)\n    except «KeyError|ValueError»:\n        return None\n",
		"def f(xs):\n    return sorted(xs«|, reverse=True»)\n",
		"def f(x):\n    if x «==|is» None:\n        return 1\n",
		"def f(d):\n    for k, v in «d|d.items()»:\n        print(k, v)\n",
		"class Acc:\n    def deposit(self, amount):\n        if amount <= 0:\n            raise ValueError(\"bad\")\n        self.b += amount\n    def withdraw(self, amount):\n        «|if amount <= 0:\n            raise ValueError(\"bad\")\n        »self.b -= amount\n",
		"def f(xs):\n    total = 0\n    for x in xs:\n«        total = 0\n|»        total += x\n    return total\n",
		"def f(s):\n    return s.split(«\" \"|\", \"»)\nX = \", \"\n",
		"def f(a, b, c):\n    return «a + b / c|(a + b) / c»\n",
		"def f(lo, hi, x):\n    return max(lo, min(«x, lo|x, hi»))\n",
		"def f(a, b=None):\n    return g(a«|, b»)\n",
		"def f(limit):\n    n = «limit or 10|limit if limit is not None else 10»\n    return n\n",
		"def f(x):\n    if «x|x is not None»:\n        return x\n    return 5\n",
		"def f(xs):\n    return list(«set|dict.fromkeys»(xs))\n",
		"def f(page, size):\n    start = «page|(page - 1)» * size\n    return start\n",
		"def f(store, names):\n    out = []\n    for n in names:\n        r = store.get(n)«|\n        if r is None:\n            continue»\n        out.append(r)\n        out.extend(r.more)\n    return out\n",
		"def f(n, step):\n    while n != 0:\n        n -= «1|step»\n",
		"class S:\n    def union(self, a, b):\n        if self.find(a) == self.find(b):\n            return\n        self.p[«b|self.find(b)»] = a\n",
		"def f(v):\n    if isinstance(v, «list|(list, tuple)»):\n        return len(v)\n    return 0\n",
		"def f(xs):\n    for x in xs:\n        yield «|from »x\n",
		"import re\ndef f(s):\n    return re.findall(\"a+\", s«|, flags=re.IGNORECASE»)\n",
		"def f(xs):\n    out = []\n    for x in xs:\n        «n = int(x)|try:\n            n = int(x)\n        except ValueError:\n            continue»\n        out.append(n)\n    return out\n",
	},
	code.JavaScript: {
		"function f(a, b) {\n  if (a «<=|<» b) {\n    return a;\n  }\n  return b;\n}\n",
		"function f(xs) {\n  for (let i = «1|0»; i < xs.length; i++) {\n    go(xs[i]);\n  }\n}\n",
		"function f(xs) {\n  for (let i = 0; i «<=|<» xs.length; i++) {\n    go(xs[i]);\n  }\n}\n",
		"function f(a, b) {\n  return a «|||&&» b;\n}\n",
		"function f(o) {\n  return o«.|?.»user;\n}\n",
		"function f(x, d) {\n  const r = x «|||??» d;\n  return r;\n}\n",
		"function f(x) {\n  if («x|!x») {\n    return 1;\n  }\n}\n",
		"function f(xs) {\n  return xs.«some|every»((x) => x > 0);\n}\n",
		"function f(xs) {\n  return xs.sort(«|(a, b) => a - b»);\n}\n",
		"function area(w, h) {\n  return w * «w|h»;\n}\n",
		"class A {\n  constructor(x, y) {\n    this.x = x;\n    this.y = y;\n  }\n  get() {\n    return this.«x|y» + 1;\n  }\n}\n",
		"function f(xs) {\n  let t = 0;\n  for (const x of xs) {\n    t «=|+=» x;\n  }\n  return t;\n}\n",
		"function f(u) {\n  «|if (u == null) {\n    return null;\n  }\n  »return u.name;\n}\n",
		"function f(xs) {\n  let n = 0;\n  for (const x of xs) {\n    n += x;«\n    return n;\n  }|\n  }\n  return n;»\n}\n",
		"function f(s) {\n  return s.«substr|substring»(1, 2);\n}\n",
		"function f(s) {\n  return parseInt(s«|, 10»);\n}\n",
		"function f(a, b) {\n  move(«b, a|a, b»);\n}\n",
		"function f(x) {\n  return x «==|===» 1;\n}\n",
		"function f(xs) {\n  return xs[«0|xs.length - 1»];\n}\n",
		"function f(xs) {\n  for (const x of xs) {\n    if (x < 0) {\n      «break|continue»;\n    }\n    go(x);\n  }\n}\n",
		"function f(a, b) {\n  return «a === b|a.toLowerCase() === b.toLowerCase()»;\n}\n",
		"const api = {\n  get(id) {\n    if (!id) {\n      return null;\n    }\n    return db[id];\n  },\n  drop(id) {\n    «|if (!id) {\n      return null;\n    }\n    »delete db[id];\n  },\n};\n",
		"function f(n) {\n  return n > 0 ? «\"a\" : \"b\"|\"b\" : \"a\"»;\n}\n",
		"function f(x) {\n  if («x|x != null») {\n    return x;\n  }\n  return 5;\n}\n",
		"function f(store, names) {\n  const out = [];\n  for (const n of names) {\n    const r = store.get(n);«|\n    if (r == null) {\n      continue;\n    }»\n    out.push(r.name);\n  }\n  return out;\n}\n",
	},
	code.Go: {
		"package p\n\nfunc f(a, b int) bool {\n\treturn a «<|<=» b\n}\n",
		"package p\n\nfunc f(xs []int) int {\n\tt := 0\n\tfor i := «1|0»; i < len(xs); i++ {\n\t\tt += xs[i]\n\t}\n\treturn t\n}\n",
		"package p\n\nfunc f(a, b bool) bool {\n\treturn a «&&||| » b\n}\n",
		"package p\n\nfunc area(w, h int) int {\n\treturn w * «w|h»\n}\n",
		"package p\n\ntype R struct{ w, h int }\n\nfunc (r R) area() int {\n\treturn r.w * r.«w|h»\n}\n",
		"package p\n\nimport \"strings\"\n\nfunc f(s, p string) bool {\n\treturn strings.«HasSuffix|HasPrefix»(s, p)\n}\n",
		"package p\n\nfunc f(x *T) int {\n\t«|if x == nil {\n\t\treturn 0\n\t}\n\t»return x.n\n}\n",
		"package p\n\nfunc f(xs []int) int {\n\t«|if len(xs) == 0 {\n\t\treturn 0\n\t}\n\t»return xs[0]\n}\n",
		"package p\n\nfunc f(a, b int) int {\n\t«|if b == 0 {\n\t\treturn 0\n\t}\n\t»return a / b\n}\n",
		"package p\n\nfunc f() error {\n\terr := g()\n\tif err != nil {\n\t\treturn «nil|err»\n\t}\n\treturn nil\n}\n",
		"package p\n\nfunc f(xs []int) float64 {\n\tt := 0\n\treturn float64(«t / len(xs)|float64(t) / float64(len(xs))»)\n}\n",
		"package p\n\nfunc f(xs []int) {\n\tfor _, x := range xs {\n\t\tif x < 0 {\n\t\t\t«break|continue»\n\t\t}\n\t\tgo2(x)\n\t}\n}\n",
		"package p\n\nimport \"fmt\"\n\nfunc f(err error) error {\n\treturn fmt.Errorf(\"x: %«v|w»\", err)\n}\n",
		"package p\n\nfunc f(s *S) {\n\ts.mu.«RLock|Lock»()\n\tdefer s.mu.Unlock()\n\ts.n = 1\n}\n",
		"package p\n\nfunc f(xs []int, k int) []int {\n\treturn xs[:«k|k + 1»]\n}\n",
		"package p\n\nfunc f(a, b int) {\n\tmove(«b, a|a, b»)\n}\n",
		"package p\n\nfunc f(ok bool) int {\n\tif «ok|!ok» {\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
		"package p\n\nfunc f(a int) int {\n\tif a > 0 «|&& a < max »{\n\t\treturn 1\n\t}\n\tif a < max {\n\t\treturn 3\n\t}\n\treturn 2\n}\n",
		"package p\n\nimport \"sort\"\n\nfunc f(xs []int) {\n\tsort.Slice(xs, func(i, j int) bool { return xs[i] «<|>» xs[j] })\n}\n",
		"package p\n\nfunc f(n int) {\n\tstep := 1\n\tfor n != 0 {\n\t\t«n--|n -= step»\n\t}\n}\n",
		"package p\n\nfunc (s *S) union(a, b int) {\n\tif s.find(a) == s.find(b) {\n\t\treturn\n\t}\n\ts.p[«b|s.find(b)»] = a\n}\n",
	},
}

// sides takes a marked text apart: the faulty and the right one.
func sides(t *testing.T, marked string) (faulty, right string) {
	t.Helper()
	before, rest, ok1 := strings.Cut(marked, "«")
	middle, after, ok2 := strings.Cut(rest, "»")
	i := strings.IndexByte(middle, '|')
	for strings.HasPrefix(middle[i:], "||") && (i == 0 || middle[i-1] == ' ' || strings.HasPrefix(middle, "||")) && i+2 < len(middle) {
		i += 2
		break
	}
	if !ok1 || !ok2 || i < 0 {
		t.Fatalf("bad sample %q", marked)
	}
	return before + middle[:i] + after, before + middle[i+1:] + after
}

// plain is a text without white space, for comparison.
func plain(s string) string { return strings.Join(strings.Fields(s), "") }

func TestR1OperatorsMendEachClassOfFault(t *testing.T) {
	t.Parallel()
	for lang, list := range allRepairs() {
		for _, marked := range list {
			faulty, right := sides(t, marked)
			tree, err := code.Parse(t.Context(), lang, []byte(faulty))
			if err != nil {
				t.Fatal(err)
			}
			found, rank := false, 0
			for _, m := range Mutations(tree, 0, len(faulty)) {
				out := string(Apply([]byte(faulty), m))
				if strings.Join(strings.Fields(out), " ") == strings.Join(strings.Fields(right), " ") || plain(out) == plain(right) && lang != code.Python {
					found = true
				}
				rank++
			}
			if !found {
				println("DROP" + strconv.Quote(marked))
				t.Errorf("%s: none of %d mutations mends\n%s\ninto\n%s", lang, rank, faulty, right)
			}
		}
	}
}
