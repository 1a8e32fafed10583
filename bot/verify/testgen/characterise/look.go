package characterise

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// outcome is what a call came to, as the drivers tell it.
type outcome struct {
	ID     int      `json:"id"`
	Value  *string  `json:"value"`  // the result as a literal
	Raises string   `json:"raises"` // the class of an exception
	Home   string   `json:"home"`   // of Python: the exception's module
	Error  string   `json:"error"`  // of Go: the last result
	Panic  string   `json:"panic"`  // of Go
	After  []string `json:"after"`  // the arguments in variables, afterwards
	Late   bool     `json:"late"`
	Opaque bool     `json:"opaque"` // the result is no literal
	Impure bool     `json:"impure"` // it used files, clock, chance, processes or the network
	Twice  bool     `json:"twice"`  // something else came out the second time
}

// same tells whether nothing tells two outcomes apart.
func (o outcome) same(p outcome) bool {
	o.ID, p.ID = 0, 0
	a, _ := json.Marshal(o)
	b, _ := json.Marshal(p)
	return bytes.Equal(a, b)
}

// surroundings of an observation.
type surroundings struct {
	seed, zone string
	reversed   bool // the order of the calls
}

var (
	here      = surroundings{seed: "0", zone: "UTC"}
	elsewhere = surroundings{seed: "4242", zone: "Asia/Tokyo", reversed: true}
)

// errNotSeen says why nothing could be looked at.
var errNotSeen = errors.New("not observable")

func notSeen(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errNotSeen, fmt.Sprintf(format, args...))
}

// view looks at the targets of one source file, in a workspace with the change.
type view struct {
	c       *Characteriser
	root    string // of the changed tree
	box     *sandbox.Workspace
	change  gate.Change
	targets []*target
	dir     string // of the suite
	runner  string
	tests   []string // test files that are run, from the root
	added   []string // those that the base does not have
	lang    language
	rules   rules
	wanted  []gate.Fault // that are planted first
	module  string       // of Python, as the tests import it; of Go, the module's path
	search  []string     // of Python, where modules are found
}

// language is how a view records and observes.
type language interface {
	// record runs the tests and gives the calls of the targets.
	record(ctx context.Context, v *view) ([]record, error)
	// prepare is told of all calls and texts of the source file that will be asked
	// for, the text with the change first.
	prepare(ctx context.Context, v *view, calls []call, texts [][]byte) error
	// observe gives what calls come to with each text of the source file, and may
	// leave any of them in the workspace. Two may run at once if they ask for the
	// text with the change.
	observe(ctx context.Context, v *view, w watch) ([]seen, error)
}

// watch asks what calls come to with one text of the source file after another.
type watch struct {
	calls []call
	in    surroundings
	texts [][]byte
	wall  time.Duration // for all of them
}

// seen is what calls came to with one text of the source file.
type seen struct {
	begun bool            // false: no time was left for it
	err   error           // errNotSeen and why: it does not build or load
	calls map[int]outcome // by their ids, without those that were not reached; nil: not begun, or err
}

func languageOf(l code.Language) language {
	switch l {
	case code.Python:
		return python{}
	case code.JavaScript:
		return node{}
	case code.Go:
		return &golang{}
	}
	return nil
}

// rel is a path seen from the suite's folder.
func (v *view) rel(p string) string { return detect.From(v.dir, p) }

// testFiles are the test files that are run, seen from the suite's folder.
func (v *view) testFiles() (out []string) {
	for _, f := range v.tests {
		out = append(out, v.rel(f))
	}
	return out
}

// out is the folder for results as the code inside sees it.
func (v *view) out() string {
	if v.c.cfg.Sandbox.Walls().Backend == sandbox.None {
		return v.box.OutDir()
	}
	return "/out"
}

// drive runs a driver with a request and gives the lines that it said. A
// driver that was killed said what it said.
func (v *view) drive(ctx context.Context, cmd sandbox.Command, req map[string]any) ([][]byte, error) {
	mark := make([]byte, 8)
	_, _ = rand.Read(mark) // never fails (crypto/rand)
	req["mark"] = "\x01" + hex.EncodeToString(mark)
	data, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("asking the driver: %w", err)
	}
	cmd.Dir, cmd.Stdin, cmd.Needs = v.dir, bytes.NewReader(data), true
	res, err := v.box.Run(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", v.change.Path, err)
	}
	var out [][]byte
	for line := range bytes.Lines(res.Stderr) {
		if said, ok := bytes.CutPrefix(line, []byte(req["mark"].(string))); ok {
			out = append(out, said)
		}
	}
	return out, nil
}

// watched reads what a driver said of n texts.
func watched(lines [][]byte, n int) []seen {
	out, at := make([]seen, n), -1
	for _, line := range lines {
		var o struct {
			outcome
			Begins *int   `json:"begins"`
			Broken string `json:"broken"`
			Done   bool   `json:"done"`
		}
		switch err := json.Unmarshal(line, &o); {
		case err != nil, o.Done:
		case o.Begins != nil:
			if at = *o.Begins; at < 0 || at >= n {
				return out
			}
			out[at] = seen{begun: true, calls: map[int]outcome{}}
		case at < 0:
		case o.Broken != "":
			out[at] = seen{begun: true, err: notSeen("it cannot be loaded: %s", o.Broken)}
		case out[at].calls != nil:
			out[at].calls[o.ID] = o.outcome
		}
	}
	return out
}

// put lays another text of the source file into the workspace.
func (v *view) put(content []byte) error {
	if err := v.box.WriteFile(v.change.Path, content); err != nil {
		return fmt.Errorf("laying out %s to look at it: %w", v.change.Path, err)
	}
	return nil
}

// over does something while another text of the source file lies in the
// workspace.
func (v *view) over(content []byte, do func() error) error {
	if err := v.put(content); err != nil {
		return err
	}
	return errors.Join(do(), v.put(v.change.After))
}

// recordWall and observeWall end a command that does not come to an end, with a
// part of the budget; what it said until then counts.
func (v *view) recordWall() time.Duration  { return v.c.cfg.Budget * 3 / 10 }
func (v *view) observeWall() time.Duration { return v.c.cfg.Budget / 4 }

// grace is what a driver has to start, and to end by itself what is at its wall.
const grace = 2 * time.Second

// almost is a little less than a wall, for a program that can end by itself.
func almost(wall time.Duration) time.Duration { return wall * 5 / 6 }

func limits(wall time.Duration) sandbox.Limits { return sandbox.Limits{Wall: wall} }

// ordered are the calls in their order.
func (w watch) ordered() []call {
	out := slices.Clone(w.calls)
	if w.in.reversed {
		slices.Reverse(out)
	}
	return out
}

// request is a watch as the drivers take it.
func (v *view) request(w watch) map[string]any {
	calls := make([]map[string]any, 0, len(w.calls))
	for _, c := range w.ordered() {
		t := c.write(true)
		calls = append(calls, map[string]any{"id": c.id, "setup": append([]string{}, t.setup...), "text": t.call, "about": append([]string{}, t.vars...)})
	}
	return map[string]any{"mode": "observe", "file": v.rel(v.change.Path), "calls": calls, "texts": w.texts,
		"each": v.observeWall().Seconds(), "wall": w.wall.Seconds()}
}
