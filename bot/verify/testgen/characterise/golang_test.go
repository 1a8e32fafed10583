package characterise

import (
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

const twiceSource = `package twice

import (
	"os"
	"runtime"
	"strings"
)

const one = 1

type pair[T any] struct{ a, b T }

func (p *pair[T]) swap() { p.a, p.b = p.b, p.a }

func Twice(n int) (out int) {
	p := pair[int]{n, 2}
again:
	for range 2 {
		p.swap()
		continue again
	}
	defer func() { out += len(strings.TrimSpace(" ")) }()
	if n < 0 {
		os.Exit(one)
	}
	return p.a * p.b
}

func Line() int {
	_, _, line, _ := runtime.Caller(0)
	return line
}
`

// All texts of a file that can share a build do, each is seen as if it had been
// built alone, and one that does not build, hangs or ends its process costs itself.
func TestR3TextsOfAGoFileShareABuild(t *testing.T) {
	t.Parallel()
	box, err := Box()
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	w, err := box.Workspace(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for name, text := range map[string]string{"go.mod": "module example.com/twice\n\ngo 1.24\n", "twice.go": twiceSource} {
		if err := w.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	texts := []struct {
		old, new    string
		twice, line string // what the calls come to; "" for nothing
		how         string // it is built
	}{
		{"", "", "42", "30", "together"},
		{"p.a * p.b", "p.a + p.b", "23", "30", "together"},
		{"	p.swap()\n", "	p.swap()\n\t\tbreak again\n", "42", "30", "together"},
		{"{ p.a, p.b = p.b, p.a }", "{ p.a = p.b }", "4", "30", "together"},
		{"	defer func", "	out = 7\n\n\n	defer func", "42", "30", "together"},
		{"	_, _, line", "	// a line more\n	_, _, line", "42", "31", "together"},
		{"p.a * p.b", "p.nosuch", "", "", "refused"},
		{"len(strings.TrimSpace(\" \"))", "0", "", "", "alone"}, // an import without a use
		{"	return line\n", "	_ = line\n", "", "", "alone"},      // no return
		{"n < 0", "n > 0", "", "30", "together"},                // it ends the process, after the other call
		{"continue again", "p.swap(); goto again", "", "30", "together"},
		{"one = 1", "one = 2", "42", "30", "alone"},
		{"(out int)", "(out int /* why */)", "42", "30", "alone"},
		{"return p.a * p.b", "panic(n)", "panics: 21", "30", "together"},
	}
	v := &view{c: New(Config{Sandbox: box, Budget: 10 * time.Minute}), box: w, change: gate.Change{Path: "twice.go", After: []byte(twiceSource)}, dir: ".", rules: rules{lang: code.Go}}
	g := &golang{}
	v.lang = g
	if err := g.lay(v); err != nil {
		t.Fatal(err)
	}
	calls := []call{{id: 3, t: &target{}, rec: record{Args: []value{{Kind: "int", Text: "21"}}}}, {id: 5, t: &target{}}}
	for i, name := range []string{"Twice", "Line"} {
		calls[i].t.Name, calls[i].t.Result, calls[i].t.lang = name, "int", code.Go
	}
	ask := watch{calls: calls, in: elsewhere, wall: 5 * time.Minute}
	for _, text := range texts {
		ask.texts = append(ask.texts, []byte(strings.Replace(twiceSource, text.old, text.new, 1)))
	}
	if err := g.prepare(t.Context(), v, calls, ask.texts); err != nil {
		t.Fatal(err)
	}
	got, err := v.observe(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if how := map[bool]string{true: "together"}[i == 0 || g.together.Built[i-1]] + map[bool]string{true: "alone"}[g.together.Alone[i-1]]; how != strings.TrimPrefix(text.how, "refused") {
			t.Errorf("%q is built %q, want %s", text.new, how, text.how)
		}
		for id, want := range map[int]string{3: text.twice, 5: text.line} {
			o := got[i].calls[id]
			said := o.Panic
			if said != "" {
				said = "panics: " + said
			}
			if o.Value != nil {
				said = *o.Value
			}
			if said != want || o.Twice {
				t.Errorf("call %d with %q came to %q, want %q (%v)", id, text.new, said, want, got[i].err)
			}
		}
	}
	if err := got[6].err; err == nil || !got[7].begun || got[7].err == nil {
		t.Errorf("what does not build: %v, %v", err, got[7].err)
	}
	part, err := v.observe(t.Context(), watch{calls: calls[1:], in: here, texts: ask.texts[1:2], wall: time.Minute})
	if err != nil || len(part[0].calls) != 1 || part[0].calls[5].Value == nil {
		t.Errorf("one call of one text: %+v, %v", part, err)
	}
}
