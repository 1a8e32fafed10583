package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

func parse(t testing.TB, lang code.Language, src []byte) *code.Tree {
	t.Helper()
	tree, err := code.Parse(t.Context(), lang, src)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// checkMutations holds what is true of the mutations of any text that parses.
func checkMutations(t testing.TB, lang code.Language, src []byte, start, end, every int) int {
	t.Helper()
	list := Mutations(parse(t, lang, src), start, end)
	seen := map[string]bool{}
	sum := 0.0
	for i, m := range list {
		out := string(Apply(src, m))
		if out == string(src) {
			t.Errorf("%s at line %d changes nothing: %+v", m.Operator, m.Line, m)
		}
		if m.Start > m.End || m.Description == "" || m.Class == "" || m.Line < 1 || m.Prior <= 0 || m.Prior > 1 {
			t.Errorf("incomplete mutation %+v", m)
		}
		if i > 0 && list[i-1].Start > m.Start {
			t.Errorf("mutation %d is out of order", i)
		}
		sum += m.Prior
		if len(src) < 2000 {
			if seen[out] {
				t.Errorf("%s at line %d: %q comes twice", m.Operator, m.Line, m.Replacement)
			}
			seen[out] = true
		}
		if i%every != 0 {
			continue
		}
		if errs, err := code.CheckLanguage(t.Context(), lang, []byte(out)); err != nil || len(errs) > 0 {
			t.Errorf("%s: %q -> %q does not parse: %v %v in\n%s", m.Operator, src[m.Start:m.End], m.Replacement, errs, err, excerpt(out, m.Start))
		}
	}
	if sum > 1 {
		t.Errorf("the priors add up to %v", sum)
	}
	return len(list)
}

func excerpt(s string, at int) string {
	return s[max(0, min(at, len(s))-200):min(len(s), at+200)]
}

func TestEveryMutationOfTheSamplesParses(t *testing.T) {
	t.Parallel()
	for lang, list := range allRepairs() {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			for _, marked := range list {
				faulty, right := sides(t, marked)
				for i, src := range []string{faulty, right, strings.ReplaceAll(right, "\n", "\r\n")} {
					checkMutations(t, lang, []byte(src), 0, len(src), []int{1, 5, 5}[i])
				}
			}
		})
	}
}

func TestMutationsOfRealFilesParse(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{
		filepath.Join(runtime.GOROOT(), "src/container/*/*.go"), filepath.Join(runtime.GOROOT(), "src/path/*.go"), //nolint:staticcheck // the toolchain that runs the test
		"/usr/lib/python3*/json/*.py", "/usr/lib/python3*/[b-d]*.py", "/usr/lib/node_modules/npm/lib/utils/*.js",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found[:min(12, len(found))]...)
	}
	total := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil || len(src) > 12_000 {
			continue
		}
		lang := code.LanguageOf(file)
		tree := parse(t, lang, src)
		if len(tree.Errors()) > 0 {
			continue
		}
		for i, r := range tree.Regions() {
			if i < 12 && (r.Kind == code.KindFunction || r.Kind == code.KindMethod) && r.EndLine-r.StartLine < 60 {
				total += checkMutations(t, lang, src, r.StartByte, r.EndByte, 211)
			}
		}
	}
	t.Logf("%d mutations in %d files", total, len(files))
}

func TestOperatorsCoverEachLanguage(t *testing.T) {
	t.Parallel()
	for _, lang := range []code.Language{code.Python, code.JavaScript, code.TypeScript, code.TSX, code.Go} {
		names := Operators(lang)
		if len(names) < 40 {
			t.Errorf("%s has only %d operators", lang, len(names))
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(Operators(lang)) {
			t.Errorf("%s has an operator twice", lang)
		}
	}
	if Operators(code.Rust) != nil || Mutations(parse(t, code.Rust, []byte("fn f() {}")), 0, 9) != nil {
		t.Error("a language without operators has some")
	}
	for _, op := range table() {
		if op.share <= 0 || op.share > 0.2 {
			t.Errorf("%s has a share of %v", op.name, op.share)
		}
	}
}

func TestEveryOperatorIsUsedByASample(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	samples := allRepairs()
	for _, r := range pythonRepairs {
		samples[code.Python] = append(slices.Clip(samples[code.Python]), r.piece)
	}
	for lang, list := range samples {
		for _, marked := range list {
			for _, side := range func() []string { a, b := sides(t, marked); return []string{a, b} }() {
				for _, m := range Mutations(parse(t, lang, []byte(side)), 0, len(side)) {
					used[string(lang)+" "+m.Operator] = true
				}
			}
		}
	}
	for _, r := range goRepairs {
		used[string(code.Go)+" "+r.operator] = true
	}
	rules, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules { // their examples are run by a test of their own
		for _, lang := range r.Languages {
			used[lang+" "+r.Name] = true
		}
	}
	for _, list := range scriptRepairs {
		for _, text := range list {
			faulty, _ := faultAndFix(text)
			for _, m := range Mutations(parse(t, code.JavaScript, []byte(faulty)), 0, len(faulty)) {
				used[string(code.JavaScript)+" "+m.Operator] = true
			}
		}
	}
	for _, lang := range []code.Language{code.Python, code.JavaScript, code.Go} {
		var missing []string
		for _, op := range Operators(lang) {
			if !used[string(lang)+" "+op] {
				missing = append(missing, op)
			}
		}
		if len(missing) > 8 {
			t.Errorf("%s: no sample reaches %v", lang, missing)
		}
	}
}

func TestR1MutationsAreDeterministicAndInTheSpan(t *testing.T) {
	t.Parallel()
	src := []byte(strings.Join([]string{
		"import os", "", "LIMIT = 3", "", "def f(a, b=2):", "    total = 0", "    for x in a:", "        if x > b and x < LIMIT:", "            total += x",
		"    return total", "", "def g(a):", "    return f(a, 1)", "",
	}, "\n"))
	tree := parse(t, code.Python, src)
	line := strings.Index(string(src), "        if x")
	end := strings.Index(string(src), "            total +=")
	want := fmt.Sprint(Mutations(tree, line, end))
	for range 5 {
		if got := fmt.Sprint(Mutations(parse(t, code.Python, src), line, end)); got != want {
			t.Fatal("two calls give different mutations")
		}
	}
	list := Mutations(tree, line, end)
	if len(list) < 20 {
		t.Errorf("only %d mutations on the line", len(list))
	}
	for _, m := range list {
		if m.Line < 8 || m.Line > 9 || m.Line == 9 && m.Start < m.End && m.Operator != "statement_swap" {
			t.Errorf("%+v lies outside the span", m)
		}
	}
}

func TestMutationsOfHostileTextDoNotPanic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		langs := []code.Language{code.Python, code.JavaScript, code.TSX, code.Go}
		lang := rapid.SampledFrom(langs).Draw(rt, "lang")
		list := repairs[lang]
		if lang == code.TSX {
			list = repairs[code.JavaScript]
		}
		src := []byte(rapid.SampledFrom(list).Draw(rt, "sample"))
		for range rapid.IntRange(0, 4).Draw(rt, "cuts") {
			i := rapid.IntRange(0, len(src)).Draw(rt, "from")
			j := rapid.IntRange(i, min(len(src), i+9)).Draw(rt, "to")
			src = slices.Concat(src[:i], []byte(rapid.StringN(0, 3, -1).Draw(rt, "text")), src[j:])
		}
		tree, err := code.Parse(t.Context(), lang, src)
		if err != nil {
			rt.Fatal(err)
		}
		for _, m := range Mutations(tree, 0, len(src)) {
			if m.Start < 0 || m.End > len(src) || m.Start > m.End {
				rt.Fatalf("bad span %+v", m)
			}
		}
	})
}

func BenchmarkMutations(b *testing.B) {
	src, _ := os.ReadFile("mutate.go")
	tree := parse(b, code.Go, src)
	count := 0
	for b.Loop() {
		count = len(Mutations(tree, 0, len(src)))
	}
	b.ReportMetric(float64(count), "mutations")
}

// R3: what gives the same is no fault, whoever plants it.
func TestR3ArgumentsWhoseOrderDoesNotCountAreNotSwapped(t *testing.T) {
	t.Parallel()
	for src, swaps := range map[string]bool{
		"def f(a, b):\n    return max(a, b)\n":      false,
		"def f(a, b):\n    return math.gcd(a, b)\n": false,
		"def f(a, b):\n    return range(a, b)\n":    true,
	} {
		got := false
		for _, m := range Mutations(parse(t, code.Python, []byte(src)), 0, len(src)) {
			got = got || m.Operator == "argument_swap"
		}
		if got != swaps {
			t.Errorf("swapped: %v\n%s", got, src)
		}
	}
}
