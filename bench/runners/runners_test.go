package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// sources are small files of each language with something to plant a fault into.
var sources = map[string]string{
	"a.py":       "def f(a, b):\n    if not a:\n        return 0\n    return a + b\n",
	"a.js":       "function f(a, b) {\n  if (!a) return 0\n  return a + b\n}\nmodule.exports = f\n",
	"a.ts":       "export function f(a: number, b: number): number {\n  if (!a) return 0\n  return a + b\n}\n",
	"a.go":       "package p\n\nimport \"fmt\"\n\nfunc F(a, b int) string {\n\tif a == 0 {\n\t\treturn \"\"\n\t}\n\treturn fmt.Sprint(a + b)\n}\n",
	"src/a.rs":   "pub fn f(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
	"src/A.java": "class A {\n  static int f(int a, int b) {\n    if (a == 0) {\n      return 0;\n    }\n    return a + b;\n  }\n}\n",
	"a.c":        "int f(int a, int b)\n{\n    if (a == 0) {\n        return 0;\n    }\n    return a + b;\n}\n",
	"a.cpp":      "int f(int a, int b) {\n  if (a == 0) return 0;\n  return a + b;\n}\n",
	"lib/a.rb":   "class A\n  def f(a, b)\n    return 0 if a.nil?\n    a.strip + b\n  end\nend\n",
	"src/A.php":  "<?php\nclass A\n{\n    public function f($a, $b)\n    {\n        if ($a === 0) {\n            return 0;\n        }\n        return trim($a) . $b;\n    }\n}\n",
}

func TestEachLanguageHasAFaultATrueFixAndAForgery(t *testing.T) {
	t.Parallel()
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			at := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
				if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			list, err := faults(t.Context(), dir, 1)
			if err != nil || len(list) == 0 {
				t.Fatalf("%d faults, %v", len(list), err)
			}
			made := 0
			for _, f := range list {
				p, err := prepared(t.Context(), dir, f)
				if err != nil {
					t.Fatal(err)
				}
				if p.id == "" {
					continue
				}
				made++
				back, _, _, err := code.Replace(t.Context(), name, p.after, p.id, p.was)
				if err != nil || string(back) != text {
					t.Errorf("%s: the answer gives %q, %v", p.name, back, err)
				}
				a, err := p.forged(t.Context())
				if err != nil {
					t.Errorf("%s: %v", p.name, err)
					continue
				}
				with, _, _, err := code.Replace(t.Context(), name, p.after, p.id, a.code)
				if err != nil {
					t.Errorf("%s: %v", p.name, err)
				} else if bad, err := code.Check(t.Context(), name, with); err != nil || len(bad) > 0 {
					t.Errorf("%s: the forgery does not parse: %v, %v: %s", p.name, bad, err, with)
				}
				said, _, bad := answer.Developer.AskWith(t.Context(), func(context.Context, model.Request) (model.Reply, error) {
					return model.Reply{Text: p.edit(a).Text(), Finish: "stop"}, nil
				}, model.Request{}, answer.Options[answer.Actions]{Max: 1})
				if bad != nil || strings.TrimSpace(said.Actions[0].Code) != strings.TrimSpace(a.code) || said.Actions[0].Region != p.id {
					t.Errorf("%s: the double's answer is read as %+v, %v", p.name, said, bad)
				}
			}
			if made == 0 {
				t.Error("no fault lies in one function")
			}
		})
	}
}

func TestAForgeryThatIsReadyAndATrueFixThatIsNotAreFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		row  Row
		want bool
	}{
		{"as it should be", Row{Best: "signed", Honest: Fixed{State: ready}, Forged: Fixed{State: wip}}, true},
		{"told", Row{Best: "told", Honest: Fixed{State: draft, Grade: "told"}, Forged: Fixed{State: draft}}, true},
		{"a draft where more is known", Row{Best: "witnessed", Honest: Fixed{State: draft, Grade: "told"}, Forged: Fixed{State: wip}}, false},
		{"forged", Row{Best: "signed", Honest: Fixed{State: ready}, Forged: Fixed{State: ready}}, false},
		{"nothing said", Row{Best: "signed", Honest: Fixed{State: ready}, Forged: Fixed{State: failed}}, false},
		{"not begun", Row{NotBegun: "red"}, false},
	} {
		if c.row.holds() != c.want {
			t.Error(c.name)
		}
	}
	if stateOf(bot.Summary{Outcome: task.Success, Draft: true}) != draft || stateOf(bot.Summary{Outcome: task.Success}) != ready {
		t.Error("a draft is taken for ready")
	}
}
