package verify

import (
	"context"
	_ "embed" // the driver
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

//go:embed driver/node.mjs
var nodeMjs string

// nodeRequest is what driver/node.mjs reads from its standard input.
type nodeRequest struct {
	request
	Parallel int               `json:"parallel"`
	Heap     int64             `json:"heap"`  // MiB, of V8's old objects in one test process
	Flags    []string          `json:"flags"` // for the test processes
	Env      map[string]string `json:"env"`   // for them too
	Files    []string          `json:"files"`
}

func (v *Verifier) runNode(ctx context.Context, b box, all []Suite, s Suite, sel selection, lim limits) (outcome, error) {
	tree, err := scanBox(b)
	if err != nil {
		return outcome{}, err
	}
	files := testsIn(tree, s, below(all, s))
	if !sel.all {
		wanted := filesOf(append(slices.Clone(sel.tests), sel.units...))
		files = slices.DeleteFunc(files, func(f string) bool { return !slices.Contains(wanted, f) })
	}
	found, spent, err := v.nodeFiles(ctx, b, s, files, 2, lim)
	if spent && len(files) > 1 { // one of them used up the memory of all
		found, err = v.nodeEach(ctx, b, s, files, lim)
	}
	if err != nil {
		return outcome{}, err
	}
	if !sel.all {
		found.tests = slices.DeleteFunc(found.tests, func(t TestResult) bool { return !sel.has(strings.TrimPrefix(t.ID, s.prefix())) })
	}
	return found, nil
}

// nodeEach runs each file by itself, so that one that runs out of memory takes no
// other with it.
func (v *Verifier) nodeEach(ctx context.Context, b box, s Suite, files []string, lim limits) (outcome, error) {
	var out outcome
	until := v.clock().Add(lim.wall)
	for _, f := range files {
		lim.wall = max(until.Sub(v.clock()), 0)
		one, _, err := v.nodeFiles(ctx, b, s, []string{f}, 1, lim)
		if err != nil {
			return outcome{}, err
		}
		out.tests, out.broken = append(out.tests, one.tests...), append(out.broken, one.broken...)
	}
	return out, nil
}

// nodeFiles runs files, so many at once; spent says that they used up the memory
// before anything was told.
func (v *Verifier) nodeFiles(ctx context.Context, b box, s Suite, files []string, parallel int, lim limits) (found outcome, spent bool, err error) {
	flags, _ := nodeFlags(s.Argv)
	env, _ := detect.Variables(s.Argv)
	recs, broken, err := v.drive(ctx, b, s, sandbox.Command{Argv: []string{"node", "--input-type=module", "-e", nodeMjs}}, lim, func(r request) any {
		r.Exe = v.program("node")
		return nodeRequest{request: r, Parallel: parallel, Heap: v.heap(), Flags: append([]string{}, flags...), Env: env, Files: files}
	})
	if err != nil || broken != nil {
		spent = broken != nil && broken[0].Exception == outOfMemory
		if spent && len(files) == 1 {
			broken[0].Test, broken[0].File = s.id(files[0]), joinDir(s.Dir, files[0])
		}
		return outcome{broken: broken}, spent, err
	}
	return nodeOutcome(s, recs), false, nil
}

// heap is what V8 may use in one test process, in MiB: half of the sandbox's
// memory, so that a test which grows without end is red by itself.
func (v *Verifier) heap() int64 {
	memory := sandbox.DefaultLimits().MemoryBytes
	if v.cfg.Sandbox != nil {
		memory = v.cfg.Sandbox.Limits().MemoryBytes
	}
	return memory >> 21
}

// has tells whether the selection covers a native id.
func (sel selection) has(native string) bool {
	return sel.all || slices.Contains(sel.tests, native) ||
		slices.ContainsFunc(sel.units, func(u string) bool { return u == native || InUnit(u, native) })
}

// NthName is what the n-th test of a name is known as, counted from 1.
func NthName(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + " #" + strconv.Itoa(n)
}

var nth = lazyregexp.New(` #\d+$`)

// OwnName is the name that such a test has in its file.
func OwnName(name string) string { return nth.ReplaceAllString(name, "") }

func filesOf(ids []string) []string {
	var out []string
	for _, id := range ids {
		file, _, _ := strings.Cut(id, " > ")
		out = append(out, file)
	}
	return out
}

// nodeOutcome reads the records of a node run. The results of a file come
// before the record of its end.
func nodeOutcome(s Suite, recs []record) outcome {
	var out outcome
	expected, count := map[string]bool{}, map[string]int{}
	for _, r := range recs {
		switch r.Kind {
		case "collected":
			for _, f := range r.IDs {
				expected[f] = true
			}
		case "result":
			out.tests = appendNodeTest(out.tests, s, r, count)
		case "file":
			delete(expected, r.File)
			if f, bad := nodeFileFailure(s, r); bad {
				out.broken = append(out.broken, f)
			}
		}
	}
	for _, f := range keys(expected) {
		out.broken = append(out.broken, parse.Finish(task.Failure{Suite: s.Name, Test: s.id(f), File: joinDir(s.Dir, f), Kind: task.FailTimeout,
			Exception: "SuiteTimeout", Message: f + " was not run before the suite's time limit"}))
	}
	return out
}

func appendNodeTest(tests []TestResult, s Suite, r record, count map[string]int) []TestResult {
	if len(r.Path) == 0 || r.Suite && (r.Status == StatusPassed || r.Exc != nil && r.Exc.Type == "subtestsFailed") {
		return tests
	}
	name := strings.Join(r.Path, " > ")
	native := r.File + " > " + name
	count[native]++
	native = NthName(native, count[native])
	t := s.result(native, joinDir(s.Dir, r.File), name, r.Status, r.Seconds)
	if r.Source != "" {
		t.Source = joinDir(s.Dir, r.Source)
	}
	if t.Red() {
		t.fail(nodeFailure(s, r.Exc), r.Line)
	}
	return append(tests, t)
}

func nodeFailure(s Suite, e *exception) task.Failure {
	f := task.Failure{Suite: s.Name, Kind: task.FailException, Message: "failed without an error"}
	if e == nil {
		return f
	}
	f.Exception, f.Message, f.Excerpt = e.Class, e.Message, e.Stack
	f.Trace = parse.NodeTrace(e.Stack, s.place())
	locate(&f)
	switch {
	case e.Type == "subtestsFailed":
		f.Kind, f.Exception = task.FailAssertion, wrapper
	case e.Type == "processDied":
		f.Kind = task.FailCrash
	case e.Type == "testTimeoutFailure", e.Type == "cancelledByParent" && strings.Contains(e.Message, "still pending"):
		f.Kind, f.Exception = task.FailTimeout, "TestTimeout"
	case e.Code == "ERR_ASSERTION" || e.Class == "AssertionError":
		f.Kind = task.FailAssertion
	case strings.Contains(e.Code, "MODULE_NOT_FOUND"):
		f.Kind = task.FailImport
	case e.Class == "SyntaxError":
		f.Kind = task.FailSyntax
	}
	f.Missing = nodeMissing(e.Message, "")
	return f
}

// scriptEnding is what an import may leave out of a file's name.
var scriptEnding = lazyregexp.New(`\.[cm]?[jt]sx?$`)

var (
	nodeNoModule = lazyregexp.New(`^Cannot find (?:module|package) '([^']+)'(?:\s+Require stack:\s+- (\S+))?`)
	nodeNoExport = lazyregexp.New(`does not provide an export named '([^']+)'|^Named export '([^']+)' not found`)
)

// nodeMissing reads what node could not import (task.Failure). by is the file that
// asked for it, where node does not say.
func nodeMissing(message, by string) []string {
	if m := nodeNoExport.FindStringSubmatch(message); m != nil {
		return []string{"#" + m[1] + m[2]}
	}
	m := nodeNoModule.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	p := m[1]
	if m[2] != "" {
		by = m[2]
	}
	if strings.HasPrefix(p, ".") {
		p = path.Join(path.Dir(by), p)
	}
	p, _ = parse.Place{}.Rel(p)
	return []string{scriptEnding.ReplaceAllString(p, "")}
}

// nodeFileFailure judges how the process of a test file ended.
func nodeFileFailure(s Suite, r record) (task.Failure, bool) {
	f := task.Failure{Suite: s.Name, Test: s.id(r.File), File: joinDir(s.Dir, r.File), Excerpt: r.Text}
	switch {
	case r.Timeout:
		f.Kind, f.Exception, f.Message = task.FailTimeout, "TestTimeout", "the file was still running after its time limit"
		if r.Lost != nil {
			f.Message = fmt.Sprintf("the test %q was still running after its time limit", *r.Lost)
		}
	case r.Lost != nil:
		f.Kind, f.Exception = task.FailCrash, "ProcessDied"
		f.Message = fmt.Sprintf("the process ended in the middle of the test %q (exit status %d%s)", *r.Lost, exitOf(r), r.Signal)
	case r.Status == StatusFailed && r.Exc != nil && r.Exc.Type != "subtestsFailed":
		uncaught(s, r, &f)
	default: // a file without tests is neither red nor green; tests that are gone are missing
		return f, false
	}
	return parse.Finish(f), true
}

func exitOf(r record) int {
	if r.Exit == nil {
		return 0
	}
	return *r.Exit
}

var nodeUncaught = lazyregexp.New(`(?m)^(?:Uncaught )?((?:[A-Z]\w*)?(?:Error|Exception))(?: \[(\w+)\])?: (.*)$`)
var nodePlace = lazyregexp.New(`(?m)^(?:file://)?(/[^\n:]+):(\d+)\n`)

// uncaught reads what node prints of an error outside any test.
func uncaught(s Suite, r record, f *task.Failure) {
	f.Kind, f.Exception, f.Message = task.FailCollection, "Error", fmt.Sprintf("the file failed outside its tests (exit status %d)", exitOf(r))
	e := r.Error
	if m := nodeUncaught.FindStringSubmatch(r.Text); e == nil && m != nil {
		e = &exception{Class: m[1], Code: m[2], Message: m[3]}
	}
	if e != nil {
		f.Exception, f.Message = e.Class, e.Message
		missing := nodeMissing(e.Message, f.File)
		switch {
		case strings.Contains(e.Code, "MODULE_NOT_FOUND"), missing != nil:
			f.Kind = task.FailImport
		case e.Class == "SyntaxError":
			f.Kind = task.FailSyntax
		}
		if r.Error != nil || s.Name == suiteMocha { // which shares its process with the tests in any case
			f.Missing = missing
		}
	}
	f.Trace = parse.NodeTrace(r.Text, s.place())
	for _, m := range nodePlace.FindAllStringSubmatch(r.Text, -1) {
		if p, ok := s.place().Rel(m[1]); ok {
			n, _ := strconv.Atoi(m[2])
			f.Trace = append(f.Trace, task.Frame{File: p, Line: n})
			break
		}
	}
	locate(f)
}

// nodeFlags splits a command into what node itself must be given and the
// patterns of test files.
func nodeFlags(argv []string) (flags, patterns []string) {
	_, argv = detect.Variables(argv)
	withValue := []string{"--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C"}
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case slices.Contains(withValue, a) && i+1 < len(argv):
			flags = append(flags, a+"="+argv[i+1])
			if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") {
				flags[len(flags)-1] = map[string]string{"-r": "--require", "-C": "--conditions"}[a] + "=" + argv[i+1]
			}
			i++
		case strings.HasPrefix(a, "--test"), strings.HasPrefix(a, "--watch"), strings.HasPrefix(a, "--experimental-test-coverage"):
		case strings.HasPrefix(a, "--"):
			flags = append(flags, a)
		case strings.HasPrefix(a, "-"):
		default:
			patterns = append(patterns, a)
		}
	}
	return flags, patterns
}
