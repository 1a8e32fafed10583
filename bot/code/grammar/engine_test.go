package grammar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

func TestModulesMatchTheirCommittedHashes(t *testing.T) {
	t.Parallel()
	for _, m := range modules {
		wasm, err := m.unpack()
		if err != nil {
			t.Fatal(err)
		}
		data, err := packed.ReadFile(m.name + ".wasm.zst")
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{m.name + ".wasm": wasm, m.name + ".wasm.zst": data} {
			sum := sha256.Sum256(data)
			if want := hex.EncodeToString(sum[:]) + "  " + name + "\n"; !strings.Contains(Sums, want) {
				t.Errorf("%s has hash %x, which is not the one in languages.sha256", name, sum)
			}
		}
	}
}

func TestParseNumbersTheTreeInPreorder(t *testing.T) {
	t.Parallel()
	nodes, names, err := Parse(t.Context(), Python, []byte("def f(a):\n    return a\n"))
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for i, n := range nodes {
		if i > 0 && (n.Parent >= int32(i) || nodes[n.Parent].Next < n.Next) {
			t.Errorf("node %d (%s) does not lie inside its parent %d", i, names.Symbol(n.Symbol), n.Parent)
		}
		if f := names.Field(n.Field); f != "" {
			fields = append(fields, f+"="+names.Symbol(n.Symbol))
		}
	}
	want := "name=identifier parameters=parameters body=block"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("fields %q, want %q", got, want)
	}
	if int(nodes[0].Next) != len(nodes) || nodes[0].Flags&HasError != 0 {
		t.Errorf("the root is %+v of %d nodes", nodes[0], len(nodes))
	}
}

func TestEveryLanguageParses(t *testing.T) {
	t.Parallel()
	for lang, src := range map[int]string{
		Python: "x = 1\n", JavaScript: "let x = 1;\n", TypeScript: "let x: number = 1;\n", TSX: "const x = <A b={1}/>;\n",
		Go: "package p\n\nvar x = 1\n", Java: "class A { int x = 1; }\n", Rust: "fn main() { let x = 1; }\n", Ruby: "def f\n  1\nend\n",
		PHP: "<b><?php function f(): int { return 1; }\n", C: "int f(a) int a; { return class; }\n", CPP: "class A { int x = 1; };\n",
	} {
		nodes, _, err := Parse(t.Context(), lang, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if nodes[0].Flags&HasError != 0 || len(nodes) < 4 {
			t.Errorf("language %d does not parse %q", lang, src)
		}
	}
}

// A loop of foreign code that never ends is left at the deadline: f_spin is
// one, compiled as the grammars' own scanners are.
func TestALoopWithoutEndIsStopped(t *testing.T) {
	t.Parallel()
	e, err := modules[len(modules)-1].shared()
	if err != nil {
		t.Fatal(err)
	}
	in, err := e.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer e.give(in, false)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := in.module.ExportedFunction("f_spin").Call(ctx); err == nil || ctx.Err() == nil {
		t.Errorf("err = %v, deadline %v", err, ctx.Err())
	}
}

// Each of these has at some time kept a parser busy: tokens that look at all
// of the text that is left, nests that are never closed, errors in each byte.
func TestHostileInputIsBounded(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	repeat := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n) }
	inputs := map[string][]byte{
		"empty":       {},
		"binary":      repeat("\x00\xff\xfe\x01", 4000),
		"deep":        repeat("[", 200_000),
		"deep mixed":  repeat("([{", 70_000),
		"closed":      append(repeat("(", 100_000), repeat(")", 100_000)...),
		"closing":     repeat("]})", 70_000),
		"deep blocks": repeat("if x:\n", 20_000),
		"indents":     repeat(" ", 3<<20),
		"quotes":      repeat("'\"`", 50_000),
		"templates":   repeat("`${", 50_000),
		"raw strings": repeat("r#\"", 50_000),
		"heredocs":    repeat("<<A\n", 50_000),
		"minified":    repeat("var a=function(b){return b?c(b):{d:[1,2]}};", 120_000),
		"comments":    repeat("/*", 1<<20),
		"less":        repeat("a<b,", 100_000),
	}
	for name, src := range inputs {
		for lang := range languages {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			_, _, err := Parse(ctx, lang, src)
			cancel()
			if err != nil && !errors.Is(err, ErrStopped) {
				t.Errorf("%s in language %d: %v", name, lang, err)
			}
		}
	}
	if _, _, err := Parse(t.Context(), Go, make([]byte, MaxBytes+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a text over the limit gives %v", err)
	}
	if _, _, err := Parse(t.Context(), languages, nil); err == nil {
		t.Error("an unknown language is accepted")
	}
}

func TestDeadlineStopsTheParserAndTheNextParseWorks(t *testing.T) {
	t.Parallel()
	src := bytes.Repeat([]byte("x = foo(a, b)[1:2] + {1: 2}\n"), 200_000)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, _, err := Parse(ctx, Python, src)
	if !errors.Is(err, ErrStopped) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want the deadline", err)
	}
	if took := time.Since(begin); took > 20*time.Second { // generous: a busy machine is no endless parser
		t.Errorf("stopped only after %v", took)
	}
	if _, _, err := Parse(t.Context(), Python, []byte("x = 1\n")); err != nil {
		t.Error(err)
	}
}

func TestManyGoroutinesGetTheSameTree(t *testing.T) {
	t.Parallel()
	src := []byte(strings.Repeat("func f(a int) int {\n\treturn a + 1\n}\n", 50))
	want, _, err := Parse(t.Context(), Go, src)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 5 {
				got, _, err := Parse(t.Context(), Go, src)
				if err != nil || len(got) != len(want) {
					t.Errorf("%d nodes, err %v; want %d", len(got), err, len(want))
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkParse(b *testing.B) {
	src := []byte("package p\n" + strings.Repeat("func f(a int) int {\n\tif a > 1 {\n\t\treturn g(a, \"x\") + 1\n\t}\n\treturn 0\n}\n", 2000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, _, err := Parse(b.Context(), Go, src); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOneVeryLongListParses(t *testing.T) {
	t.Parallel()
	src := []byte("package p\n\nvar x = []byte{" + strings.Repeat("0x3c, ", 100_000) + "}\n")
	nodes, _, err := Parse(t.Context(), Go, src)
	if err != nil || nodes[0].Flags&HasError != 0 {
		t.Errorf("%d bytes in one line: %v", len(src), err)
	}
}
