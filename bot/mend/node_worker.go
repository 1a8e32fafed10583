package mend

import (
	"context"
	_ "embed" // the driver
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

var (
	//go:embed driver/node.mjs
	nodeDriver string
	//go:embed driver/node_cover.cjs
	nodeCover string
	//go:embed driver/node_tools.cjs
	nodeTools string
	//go:embed driver/node_test.cjs
	nodeTestThread string
	//go:embed driver/node_mocha.cjs
	nodeMochaThread string
	//go:embed driver/node_vitest.cjs
	vitestThread string
	//go:embed driver/node_jest.cjs
	jestThread string
)

// nodeWorker is one process of driver/node.mjs. It starts when it is first
// asked, and again after it died.
type nodeWorker struct {
	worker
	space  *sandbox.Workspace
	dir    string   // the suite's
	flags  []string // of node, for the thread that runs tests
	env    map[string]string
	thread string   // the program of that thread
	args   []string // of the runner
	life   time.Duration

	since  int // candidates since it was last looked after
	deaths int
}

type nodeFile struct {
	File  string   `json:"file"`            // seen from the suite's folder
	Names []string `json:"names,omitempty"` // "suite > test"; none for all
}

type nodeRequest struct {
	Files []nodeFile `json:"files"`
	CPU   float64    `json:"cpu"`  // milliseconds of processor time, one file
	Wall  float64    `json:"wall"` // milliseconds, one file
	Stop  bool       `json:"stop,omitempty"`
	Fresh bool       `json:"fresh,omitempty"` // a new thread afterwards
	Cover bool       `json:"cover,omitempty"`
	Late  int        `json:"late,omitempty"` // milliseconds after which a traced test is cut off
	// Usual is how many milliseconds one test may take, where the runner asks.
	Usual float64 `json:"usual,omitempty"`
	// Together loads all files of the suite; names are native ids then.
	Together bool `json:"together,omitempty"`
}

type nodeRan struct {
	File  string `json:"file"`
	Why   string `json:"why"`   // why nothing could be run
	Ended string `json:"ended"` // done, late, stuck (waits for what never comes), died
	Tests []struct {
		Path   []string `json:"path"`
		Passed bool     `json:"passed"`
	} `json:"tests"`
	Traces []struct {
		Path    string   `json:"path"`
		Scripts []script `json:"scripts"`
	} `json:"traces"`
	CPU  float64 `json:"cpu"`
	Wall float64 `json:"wall"`
}

// passed tells of each test that was run whether it passed, by its name in native ids.
func (r nodeRan) passed() map[string]bool {
	out, count := map[string]bool{}, map[string]int{}
	for _, t := range r.Tests {
		name := strings.Join(t.Path, " > ")
		count[name]++
		out[verify.NthName(name, count[name])] = t.Passed
	}
	return out
}

// maxDeaths is how often a worker may die before it is given up.
const maxDeaths = 20

// dead tells that the worker died too often to be asked again.
func (w *nodeWorker) dead() bool { return w.deaths >= maxDeaths }

// run asks the worker. One that died, or would not start, gives no results: its
// candidate is no repair.
func (w *nodeWorker) run(ctx context.Context, req nodeRequest) ([]nodeRan, error) {
	if w.dead() {
		return nil, nil
	}
	var answer struct{ Files []nodeRan }
	err := w.ready(ctx)
	if err == nil {
		defer context.AfterFunc(ctx, w.process.Kill)()
		if err = w.ask(req, &answer); err == nil {
			return answer.Files, nil
		}
	}
	w.stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	w.deaths++
	return nil, nil //nolint:nilerr // code under test can kill its process
}

// ready starts the process where none runs.
func (w *nodeWorker) ready(ctx context.Context) error {
	if w.process != nil {
		return nil
	}
	config, err := json.Marshal(map[string]any{"flags": append([]string{}, w.flags...), "thread": w.thread, "cover": nodeCover, "args": append([]string{}, w.args...)})
	if err != nil {
		return err
	}
	env := map[string]string{"NODE_TEST_CONTEXT": ""}
	maps.Copy(env, w.env)
	// The process outlives the request that starts it: starting one anew for each
	// round of candidates takes longer than trying them.
	return w.start(context.WithoutCancel(ctx), w.space, sandbox.Command{
		Argv: []string{"node", "--input-type=module", "-e", nodeDriver, upFrom(w.dir), string(config)}, Dir: w.dir,
		Env:    env,
		Limits: sandbox.Limits{Wall: w.life, CPU: 2 * w.life},
	}, nil)
}

// upFrom is the way from a folder of the tree to the tree's root.
func upFrom(dir string) string {
	if dir = path.Clean(dir); dir == "." {
		return "."
	}
	return strings.TrimSuffix(strings.Repeat("../", strings.Count(dir, "/")+1), "/")
}

// script is what of a file ran: driver/node_cover.cjs tells it by lines of the source.
type script struct {
	URL   string   `json:"url"`   // seen from the tree
	Lines [][2]int `json:"lines"` // line, 1-based, and how often it ran
}

func (s script) ran() map[int]int {
	out := map[int]int{}
	for _, l := range s.Lines {
		out[l[0]] = l[1]
	}
	return out
}

// sourceOf is the file of the tree that a script's URL names.
func sourceOf(w *sandbox.Workspace, address string) (rel string, ok bool) {
	rel, err := url.PathUnescape(address)
	if err == nil {
		rel = path.Clean(rel)
		_, err = w.ReadFile(rel, 4<<20)
	}
	return rel, err == nil
}
