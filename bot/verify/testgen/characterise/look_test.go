package characterise

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Box is the sandbox of all tests, so that Go's own packages are compiled once.
var Box = sync.OnceValues(func() (*sandbox.Sandbox, error) {
	box, err := sandbox.New(context.Background(), sandbox.Config{})
	if err != nil {
		return nil, err
	}
	return box, box.Warm(context.Background())
})

// A text that hangs, ends its process, fills the memory or does not load costs what it
// would have shown, and nothing of the texts behind it.
func TestR3OneTextOfManyDoesNotCostTheOthers(t *testing.T) {
	t.Parallel()
	box, err := Box()
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	for _, c := range []struct {
		lang        language
		file, sound string
		texts       []string // between two sound ones
	}{
		{python{}, "twice.py", "def twice(n):\n    return n * 2\n", []string{
			"while True:\n    pass\n",
			"import os\nos._exit(0)\n",
			"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
			"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True:\n    pass\n",
			"all = []\nwhile True:\n    all.append(bytearray(1 << 24))\n",
			"def twice(n:\n",
		}},
		{node{}, "twice.mjs", "export const twice = (n) => n * 2;\n", []string{
			"for (;;);\n",
			"process.exit(0);\n",
			"const all = []; for (;;) all.push(new Array(1e6).fill('x'));\n",
			"export const twice = (n => n;\n",
		}},
	} {
		if testing.Short() && c.file != "twice.py" { // the long run has Node's as well
			continue
		}
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			w, err := box.Workspace(t.Context(), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = w.Close() })
			v := &view{c: New(Config{Sandbox: box, Budget: 20 * time.Second}), box: w, change: gate.Change{Path: c.file}, dir: ".", lang: c.lang, rules: rules{lang: code.LanguageOf(c.file)}, module: "twice"}
			one := call{t: &target{}, rec: record{Args: []value{{Kind: "int", Text: "21"}}}}
			one.t.Name = "twice"
			ask := watch{calls: []call{one}, in: here, wall: 5 * time.Minute}
			for _, text := range append(append([]string{c.sound}, c.texts...), c.sound) {
				ask.texts = append(ask.texts, []byte(text))
			}
			got, err := v.observe(t.Context(), ask)
			if err != nil {
				t.Fatal(err)
			}
			last := len(got) - 1
			for i, s := range got {
				switch o, seen := s.calls[0]; {
				case !s.begun:
					t.Errorf("text %d was not begun", i)
				case i == 0 || i == last:
					if !seen || o.Value == nil || *o.Value != "42" {
						t.Errorf("text %d is sound and came to %+v", i, s)
					}
				case seen:
					t.Errorf("text %d is not sound and came to %+v", i, o)
				}
			}
			if err := got[last-1].err; err == nil || !strings.Contains(err.Error(), "it cannot be loaded: SyntaxError") {
				t.Errorf("a text that does not parse: %v", err)
			}
		})
	}
}
