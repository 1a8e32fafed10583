package history

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// past is a repository with a history, made with real Git, that lies as a
// mirror does.
type past struct {
	t      *testing.T
	mirror string
	dir    string
	ticks  int
}

const pastName = "people/sums"

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{t: t, mirror: t.TempDir()}
	p.dir = filepath.Join(p.mirror, "people+sums", "work")
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.git("init", "-q", "-b", "main")
	if err := os.Symlink(filepath.Join(p.dir, ".git"), filepath.Join(p.mirror, "people+sums", "repo")); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *past) git(args ...string) string {
	p.t.Helper()
	p.ticks++
	cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	when := fmt.Sprintf("2024-01-01T00:%02d:%02dZ", p.ticks/60, p.ticks%60)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files (path, text, path, text …) and gives the commit.
func (p *past) commit(subject string, files ...string) string {
	p.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(p.dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	p.git("add", "-A")
	p.git("commit", "-q", "-m", subject)
	return p.git("rev-parse", "HEAD")
}

func (p *past) candidates(lang string) []Candidate {
	p.t.Helper()
	out, err := Candidates(context.Background(), filepath.Join(p.dir, ".git"), pastName, lang)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

const (
	meanBroken  = "def mean(xs):\n    return sum(xs) / len(xs)\n"
	meanCorrect = "def mean(xs):\n    if not xs:\n        return 0\n    return sum(xs) / len(xs)\n"
	testOne     = "from sums import mean\n\n\ndef test_mean():\n    assert mean([1, 3]) == 2\n"
	testTwo     = testOne + "\n\ndef test_nothing():\n    assert mean([]) == 0\n\n\ndef test_nothing_at_all():\n    assert mean(()) == 0\n"
)

func TestCandidatesAreCommitsOfOneSourceWithTests(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.commit("begin", "sums.py", meanBroken, "test_sums.py", testOne)
	fix := p.commit("mean of nothing", "sums.py", meanCorrect, "test_sums.py", testTwo, "NEWS.md", "mended\n")
	p.commit("no test", "sums.py", meanCorrect+"X = 1\n")
	p.commit("only a test", "test_sums.py", testTwo+"\n\n")
	p.commit("two sources", "sums.py", meanCorrect, "more.py", "Y = 1\n", "test_sums.py", testTwo)
	p.commit("another language beside it", "sums.py", meanCorrect+"X = 2\n", "fast.c", "int x;\n", "test_sums.py", testTwo+"\n")
	p.commit("too much", "sums.py", meanCorrect+strings.Repeat("X = 2\n", maxLines+1), "test_sums.py", testTwo)
	p.commit("back", "sums.py", meanCorrect, "test_sums.py", testTwo+"#\n")
	p.git("checkout", "-q", "-b", "side")
	p.commit("a test first", "test_sums.py", testTwo+"# one\n")
	p.commit("then the source", "sums.py", meanCorrect+"X = 3\n")
	p.git("checkout", "-q", "main")
	p.commit("meanwhile", "NEWS.md", "more\n")
	p.git("merge", "-q", "--no-ff", "-m", "Fix the mean (#7)", "side")
	merge := p.git("rev-parse", "HEAD")

	got := p.candidates("python")
	var ids []string
	for _, c := range got {
		ids = append(ids, c.Commit)
		if c.Path != "sums.py" || !slices.Equal(c.Tests, []string{"test_sums.py"}) {
			t.Errorf("%s: path %q, tests %q", c.Commit, c.Path, c.Tests)
		}
	}
	if want := []string{merge, fix}; !slices.Equal(ids, want) {
		t.Fatalf("candidates %v, want the merge and the fix, %v", ids, want)
	}
	if !got[0].Fixing || got[1].Fixing {
		t.Errorf("fixing is %t, %t; a subject that speaks of a fix ranks first", got[0].Fixing, got[1].Fixing)
	}
	if n := len(p.candidates("go")); n != 0 {
		t.Errorf("%d candidates in Go, where there is none", n)
	}
}

// pairs are texts before and after, by the class that the change has; "" for
// what is no fix of one place.
var pairs = []struct{ name, path, before, after, class string }{
	{"py guard", "a.py", meanBroken, meanCorrect, Guard},
	{"py operator", "a.py", "def f(a, b):\n    return a + b\n", "def f(a, b):\n    return a - b\n", Operator},
	{"py literal", "a.py", "def f(a):\n    return a[1]\n", "def f(a):\n    return a[0]\n", Literal},
	{"py term", "a.py", "def f(a, b):\n    if a:\n        g()\n    return b\n", "def f(a, b):\n    if a and b:\n        g()\n    return b\n", Extended},
	{"py condition", "a.py", "def f(a, b):\n    if a < b:\n        g()\n", "def f(a, b):\n    if a <= b:\n        g()\n", Condition},
	{"py wrapped", "a.py", "def f(a):\n    return a\n", "def f(a):\n    return list(a)\n", Wrapped},
	{"py caught", "a.py", "def f(a):\n    return g(a)\n", "def f(a):\n    try:\n        return g(a)\n    except KeyError:\n        return None\n", Handled},
	{"py alternative", "a.py", "def f(a):\n    if a:\n        g()\n", "def f(a):\n    if h(a):\n        i()\n    elif a:\n        g()\n", Branch},
	{"py statement", "a.py", "def f(a):\n    return a\n", "def f(a):\n    a.sort()\n    return a\n", Statement},
	{"py removed", "a.py", "def f(a):\n    a.sort()\n    return a\n", "def f(a):\n    return a\n", Removed},
	{"py comment", "a.py", "def f(a):\n    return a\n", "def f(a):\n    # why\n    return a\n", ""},
	{"py docstring", "a.py", "def f(a):\n    return a\n", "def f(a):\n    \"\"\"Why.\"\"\"\n    return a\n", ""},
	{"py layout", "a.py", "def f(a):\n    return g(a, 1)\n", "def f(a):\n    return g(\n        a, 1\n    )\n", ""},
	{"py parameter", "a.py", "def f(a):\n    return a\n", "def f(a, b=1):\n    return a + b\n", ""},
	{"py function", "a.py", "def f(a):\n    return a\n", "def f(a):\n    return a\n\n\ndef g(a):\n    return a\n", ""},
	{"js argument", "a.js", "function f(a, b) {\n  return g(a, h, 2);\n}\n", "function f(a, b) {\n  return g(a, b.h, 2);\n}\n", Argument},
	{"js call", "a.js", "function f(a) {\n  return a.trimStart();\n}\n", "function f(a) {\n  return a.trim();\n}\n", Call},
	{"js two places", "a.js", "function f(a) {\n  a += 1;\n  g(a);\n  return a;\n}\n", "function f(a) {\n  a += 2;\n  g(a);\n  return -a;\n}\n", Multi},
	{"js guard", "a.js", "function f(a) {\n  return a.b;\n}\n", "function f(a) {\n  if (!a) {\n    return;\n  }\n  return a.b;\n}\n", Guard},
	{"go condition", "a.go", "package a\n\nfunc f(a int) bool {\n\tfor i := 0; i < a; i++ {\n\t}\n\treturn false\n}\n", "package a\n\nfunc f(a int) bool {\n\tfor i := 0; i <= a; i++ {\n\t}\n\treturn false\n}\n", Condition},
	{"go guard", "a.go", "package a\n\nfunc f(a []int) int {\n\treturn a[0]\n}\n", "package a\n\nfunc f(a []int) int {\n\tif len(a) == 0 {\n\t\treturn 0\n\t}\n\treturn a[0]\n}\n", Guard},
	{"go table", "a.go", "package a\n\nvar t = map[string]int{\"a\": 1}\n", "package a\n\nvar t = map[string]int{\"a\": 1, \"b\": 2}\n", Declaration},
	{"go moved", "a.go", "package a\n\nfunc f() {\n\tg()\n\th()\n\ti()\n}\n", "package a\n\nfunc f() {\n\th()\n\ti()\n\tg()\n}\n", Moved},
}

func TestTheShapeOfAFixIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range pairs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPast(t)
			test := map[string]string{".py": "test_a.py", ".js": "a.test.js", ".go": "a_test.go"}[filepath.Ext(c.path)]
			p.commit("begin", c.path, c.before, test, "\n")
			p.commit("change", c.path, c.after, test, "\n\n")
			lang, _ := language(c.path)
			all := p.candidates(lang)
			if len(all) != 1 {
				t.Fatalf("%d candidates", len(all))
			}
			s, why, err := look(context.Background(), filepath.Join(p.dir, ".git"), all[0])
			if err != nil {
				t.Fatal(err)
			}
			if s.Class != c.class && why == "" || (why == "") != (c.class != "") {
				t.Errorf("class %q (%s), want %q", s.Class, why, c.class)
			}
			if why == "" && (s.Line < 1 || s.Places < 1 || s.FixLines < 1) {
				t.Errorf("shape %+v", s)
			}
		})
	}
}

func TestAFixFarFromTheOtherIsNotOnePlace(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("    g()\n", 20)
	text := func(n int) string {
		return fmt.Sprintf("def f():\n    a = %d\n%s\n\ndef h():\n%s    return %d\n", n, filler, filler, n)
	}
	p := newPast(t)
	p.commit("begin", "a.py", text(1), "test_a.py", "\n")
	p.commit("change", "a.py", text(2), "test_a.py", "\n\n")
	_, why, err := look(context.Background(), filepath.Join(p.dir, ".git"), p.candidates("python")[0])
	if err != nil || why != "more than one function" {
		t.Errorf("why %q, %v", why, err)
	}
}

func TestAFixIsProvedKeptAndRemade(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newPast(t)
	p.commit("begin", "sums.py", meanBroken, "test_sums.py", testOne)
	fix := p.commit("Fix the mean of nothing", "sums.py", meanCorrect, "test_sums.py", testTwo)
	p.commit("a constant", "sums.py", meanCorrect+"\n\nX = 3\n", "test_sums.py", testTwo+"\n\ndef test_x():\n    pass\n")

	open := func() *Workshop {
		w, err := Open(ctx, Sources{Mirror: p.mirror, Work: t.TempDir()}, "1", t.Logf)
		if err != nil {
			t.Fatalf("the tests need the sandbox: %v", err)
		}
		t.Cleanup(func() { _ = w.Close() })
		return w
	}
	w := open()
	s := Search{Repo: pastName, Language: "python", Most: 5, Tries: 5, Unfit: 3}
	got, err := w.Find(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Commit != fix || got[0].Class != Guard || got[0].Function != "mean" || len(got[0].Failing) != 2 {
		t.Fatalf("found %+v, want the fix with its two tests", got)
	}
	if again, err := w.Find(ctx, s); err != nil || len(again) != 1 {
		t.Errorf("the second search gives %+v, %v", again, err)
	}
	f, err := bugs.Load(filepath.Join(w.Out, got[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Broken["sums.py"]) != meanBroken || len(f.Visible) != 1 || len(f.Held) != 1 || f.Origin != bugs.History {
		t.Errorf("the bug is %+v, broken %q", f.Bug, f.Broken["sums.py"])
	}
	other := open()
	if n, err := other.Make(ctx, got); n != 1 || err != nil {
		t.Fatalf("remade %d, %v", n, err)
	}
	same, err := bugs.Load(filepath.Join(other.Out, got[0].ID))
	if err != nil || !slices.Equal(same.Failing, f.Failing) || !slices.Equal(same.Visible, f.Visible) || string(same.Shown["test_sums.py"]) != string(f.Shown["test_sums.py"]) {
		t.Errorf("remade as %+v, %v; was %+v", same.Bug, err, f.Bug)
	}
}

func TestTheCommittedListIsFactsOfEachFixOnce(t *testing.T) {
	t.Parallel()
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.ID] || e.ID != idOf(Candidate{Repo: e.Repo, Commit: e.Commit, Language: e.Language}) {
			t.Errorf("%s is there twice or is not named after its commit", e.ID)
		}
		seen[e.ID] = true
		b := e.bug()
		b.Failing, b.Visible, b.Weak = e.Failing, e.Failing, true
		if err := b.Check(); err != nil {
			t.Error(err)
		}
		if e.FixLines < 1 || e.FixLines > MaxFix || e.Places < 1 || e.Line < 1 {
			t.Errorf("%s: %d lines in %d places at line %d", e.ID, e.FixLines, e.Places, e.Line)
		}
	}
}
