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
		"function f(list, key) {\n  const out = {};\n  for (const x of list) {\n    «out[key(x)] = [x]|(out[key(x)] ??= []).push(x)»;\n  }\n  return out;\n}\n",
		"function f(words) {\n  const n = {};\n  for (const w of words) «n[w] += 1|n[w] = (n[w] ?? 0) + 1»;\n  return n;\n}\n",
		"class A {\n  snapshot() {\n    return «this.items|this.items.map((x) => ({ ...x }))»;\n  }\n}\n",
		"async function f(list) {\n  return «list.map(async (x) => g(x))|await Promise.all(list.map(async (x) => g(x)))»;\n}\n",
		"function f(list) {\n  return list.sort((a, b) => «a.n > b.n|a.n - b.n»);\n}\n",
		"function f(d) {\n  return `${d.getFullYear()}-${«d.getMonth()|d.getMonth() + 1»}`;\n}\n",
		"function f(list) {\n  return list.reduce((n, x) => n + x.count«|, 0»);\n}\n",
		"function f(x) {\n  return typeof x === 'object'« && x.a| && x !== null && x.a»;\n}\n",
		"function f(o) {\n  o.n «&&=|??=» 3;\n}\n",
		"function chunk(list, i, size) {\n  return list.slice(i, «size|i + size»);\n}\n",
		"function gcd(a, b) {\n  while (b) {\n    «a = b;\n    b = a % b;|[a, b] = [b, a % b];»\n  }\n  return a;\n}\n",
		"function visit(seen, n) {\n  if (seen.has(n)) return;«|\n  seen.add(n);»\n  g(n);\n}\n",
		"function f(text) {\n  «|text = text.trim();\n  »if (text === '') return 0;\n  return g(text);\n}\n",
		"function f(a, b, c) {\n  return «a / b * c|a * c / b»;\n}\n",
	},
	code.Go: {
		"package p\n\nfunc f() {\n\tmu.Lock()\n\t«|defer »mu.Unlock()\n\tg()\n}\n",
		"package p\n\nfunc f(sum int, xs []int) float64 {\n\treturn «float64(sum / len(xs))|float64(sum) / float64(len(xs))»\n}\n",
		"package p\n\nimport \"math\"\n\nfunc f(x float64) int {\n\treturn int(«x * math.Pi|math.Round(x * math.Pi)»)\n}\n",
		"package p\n\nfunc f(s string, n int) bool {\n\tr := []rune(s)\n\treturn len(«s|r») <= n && r[0] > 0\n}\n",
		"package p\n\nimport \"strings\"\n\nfunc f(s string) []string {\n\treturn strings.«Split(s, \" \")|Fields(s)»\n}\n",
		"package p\n\nimport \"errors\"\n\nfunc f(err error) bool {\n\treturn «err == ErrNone|errors.Is(err, ErrNone)»\n}\n",
		"package p\n\nfunc f(xs []int) []int {\n\t«var out []int|out := []int{}»\n\tfor _, x := range xs {\n\t\tout = append(out, x)\n\t}\n\treturn out\n}\n",
		"package p\n\nfunc f(n int) []int {\n\tout := make([]int, «|0, »n)\n\treturn append(out, 1)\n}\n",
		"package p\n\nfunc f(a, b int) int {\n\tfor b != 0 {\n\t\t«a = b\n\t\tb = a % b|a, b = b, a%b»\n\t}\n\treturn a\n}\n",
		"package p\n\nfunc f(xs []int) (out []int) {\n\tseen := map[int]bool{}\n\tfor _, x := range xs {\n\t\tif seen[x] {\n\t\t\tcontinue\n\t\t}«|\n\t\tseen[x] = true»\n\t\tout = append(out, x)\n\t}\n\treturn out\n}\n",
		"package p\n\nfunc f(a, b, c int) int {\n\treturn «a / b * c|a * c / b»\n}\n",
		"package p\n\nfunc f(xs []int, i, size int) []int {\n\treturn xs[i:«size|i+size»]\n}\n",
	},
}
