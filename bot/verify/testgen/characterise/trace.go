package characterise

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Traced asks for what the functions of some files are called with while tests run.
type Traced struct {
	Dir    string
	Suites []verify.Suite
	Tests  []string            // test files
	Only   map[string][]string // of a file, the tests that matter, as it names them; without: all
	Files  map[string][]byte   // whose functions are followed, with their texts
}

// Call is one call as it was seen. It is a guide for a reader and never evidence.
type Call struct {
	Path, Name string
	Line       int
	Depth      int    // of the calls that are followed
	Args       string // as they would be written, cut
	Gave       string // the result; "" where it did not return
	Raised     string // the exception that left it; "" for none
	Began      bool   // the exception was raised in it
}

// Came says what came of a call.
func (c Call) Came() string {
	switch {
	case c.Raised != "" && c.Began:
		return "raised " + c.Raised
	case c.Raised != "":
		return "let pass " + c.Raised
	case c.Gave == "":
		return "did not return"
	}
	return "gave " + c.Gave
}

const (
	traceTime  = 20 * time.Second
	mostFollow = 400 // functions
	mostSeen   = 300 // calls
)

// Trace runs test files of Python or JavaScript in the sandbox, and tells the calls
// of the files' functions in their order, and how many there were: of many the first,
// and those that ended last. Of other languages it tells none.
func (c *Characteriser) Trace(ctx context.Context, in Traced) (calls []Call, times int, err error) {
	calls, times, err = c.trace(ctx, in)
	if err == nil && len(calls) == 0 && len(in.Only) > 0 { // its runner may know the tests by other names
		in.Only = nil
		return c.trace(ctx, in)
	}
	return calls, times, err
}

func (c *Characteriser) trace(ctx context.Context, in Traced) (calls []Call, times int, err error) {
	lang, dir, name := code.Unknown, "", ""
	for _, p := range slices.Sorted(maps.Keys(in.Files)) {
		if l := family(p); l == code.Python || l == code.JavaScript {
			var ok bool
			if dir, name, ok = c.suite(Input{Suites: in.Suites}, target{path: p, lang: l}); ok {
				lang = l
				break
			}
		}
	}
	if lang == code.Unknown || len(in.Tests) == 0 {
		return nil, 0, nil
	}
	box, err := c.cfg.Sandbox.Workspace(ctx, in.Dir)
	if err != nil {
		return nil, 0, fmt.Errorf("a workspace to follow calls: %w", err)
	}
	defer box.Close()
	v := &view{c: c, root: in.Dir, box: box, dir: dir, runner: name, change: gate.Change{Path: "calls"}}
	var files []string
	for _, f := range in.Tests {
		if family(f) != lang {
			continue
		}
		if names := in.Only[f]; v.runner == "pytest" && len(names) > 0 {
			for _, n := range names {
				files = append(files, v.rel(f)+"::"+n)
			}
			continue
		}
		files = append(files, v.rel(f))
	}
	var followed []code.Callable
	var paths []string
	var targets []map[string]any
	for _, p := range slices.Sorted(maps.Keys(in.Files)) {
		if family(p) != lang {
			continue
		}
		all, err := code.Callables(ctx, p, in.Files[p])
		if err != nil {
			return nil, 0, fmt.Errorf("reading the functions of %s: %w", p, err)
		}
		all = all[:min(len(all), max(0, mostFollow-len(followed)))]
		if lang == code.JavaScript {
			text, err := follow(ctx, p, in.Files[p], all, len(followed))
			if err != nil {
				return nil, 0, err
			}
			if err := box.WriteFile(p, text); err != nil {
				return nil, 0, fmt.Errorf("laying out %s to follow its calls: %w", p, err)
			}
		}
		for _, f := range all {
			followed, paths = append(followed, f), append(paths, p)
			targets = append(targets, map[string]any{"path": v.rel(p), "name": f.Name, "class": "", "from": f.StartLine, "to": f.EndLine})
		}
	}
	cmd := python{}.command(here)
	if lang == code.JavaScript {
		cmd = node{}.command(here)
		for _, f := range in.Tests {
			for _, n := range in.Only[f] {
				suites := strings.Split(n, " > ")
				cmd.Argv = slices.Insert(cmd.Argv, 1, "--test-name-pattern="+regexp.QuoteMeta(suites[len(suites)-1]))
			}
		}
	}
	cmd.Limits = limits(traceTime)
	lines, err := v.drive(ctx, cmd, map[string]any{"mode": "trace", "targets": targets, "files": files, "runner": v.runner, "wall": almost(traceTime).Seconds(), "most": mostSeen})
	if err != nil {
		return nil, 0, err
	}
	calls, times = callsOf(lines, followed, paths)
	return calls, times, nil
}

// callsOf reads what a driver said of calls: that they begin, how they end, and how many
// there were.
func callsOf(lines [][]byte, followed []code.Callable, paths []string) (out []Call, times int) {
	at := map[int]int{}
	var order []int
	for _, line := range lines {
		var s struct {
			Call   int    `json:"call"`
			Spot   *int   `json:"spot"` // of a call that begins
			Depth  int    `json:"depth"`
			Args   string `json:"args"`
			Gave   string `json:"gave"`
			Raised string `json:"raised"`
			Began  bool   `json:"began"`
			Calls  int    `json:"calls"` // in all
		}
		if json.Unmarshal(line, &s) != nil {
			continue
		}
		times = max(times, s.Calls)
		n, known := at[s.Call]
		switch {
		case s.Spot != nil && *s.Spot >= 0 && *s.Spot < len(followed) && len(out) < 2*mostSeen:
			f := followed[*s.Spot]
			at[s.Call] = len(out)
			order = append(order, s.Call)
			out = append(out, Call{Path: paths[*s.Spot], Name: f.QualifiedName, Line: f.StartLine, Depth: max(0, s.Depth), Args: short(s.Args)})
		case s.Spot == nil && known:
			out[n].Gave, out[n].Raised, out[n].Began = short(s.Gave), short(s.Raised), s.Began
		}
	}
	byCall := make([]int, len(out))
	for n := range byCall {
		byCall[n] = n
	}
	slices.SortFunc(byCall, func(a, b int) int { return order[a] - order[b] })
	sorted := make([]Call, 0, len(out))
	for _, n := range byCall {
		sorted = append(sorted, out[n])
	}
	return sorted, max(times, len(out))
}

const longestSeen = 110 // characters of arguments or of a result

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longestSeen {
		return string(r[:longestSeen-1]) + "…"
	}
	return s
}

// follow puts calls into a file of JavaScript that tell when its functions begin
// and what comes of them.
func follow(ctx context.Context, p string, src []byte, all []code.Callable, first int) ([]byte, error) {
	tree, err := code.Parse(ctx, code.LanguageOf(p), src)
	if err != nil {
		return nil, fmt.Errorf("reading %s to follow its calls: %w", path.Base(p), err)
	}
	var add []insertion
	for n, c := range all {
		fn, body, ok := function(tree, c.Region)
		given := ""
		if ok {
			given = arguments(fn, c)
		}
		if given == "" || strings.Contains(fn.Kind(), "generator") || c.Name == "constructor" && derived(fn) {
			continue
		}
		k := first + n
		begin := fmt.Sprintf("const __f%d = globalThis.__fettle?.begins(%d, () => %s);", k, k, given)
		if body.Kind() != "statement_block" { // x => expression
			add = append(add, insertion{body.Start(), fmt.Sprintf("{ %s try { return globalThis.__fettle ? globalThis.__fettle.gave(__f%d, (", begin, k)},
				insertion{body.End(), fmt.Sprintf(")) : undefined; } catch (__e) { globalThis.__fettle?.raised(__f%d, __e); throw __e; } }", k)})
			continue
		}
		add = append(add, insertion{body.Start() + 1, fmt.Sprintf(" %s try {", begin)},
			insertion{body.End() - 1, fmt.Sprintf(" globalThis.__fettle?.gave(__f%d, undefined); } catch (__e) { globalThis.__fettle?.raised(__f%d, __e); throw __e; }", k, k)})
		add = append(add, returns(body, k)...)
	}
	out := inserted(src, add)
	if errs, err := code.Check(ctx, p, out); err != nil || len(errs) > 0 {
		return src, err // it is left as it is
	}
	return out, nil
}

// returns wraps what a function's own return statements give.
func returns(body code.Node, k int) []insertion {
	var out []insertion
	body.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "arrow_function", "function_expression", "generator_function", "generator_function_declaration", "method_definition", "function_declaration", "class_body":
			return false
		case "return_statement":
			if kids := n.NamedChildren(); len(kids) > 0 {
				value := kids[0]
				out = append(out, insertion{value.Start(), fmt.Sprintf("globalThis.__fettle.gave(__f%d, (", k)}, insertion{value.End(), "))"})
			}
		}
		return true
	})
	return out
}
