package example

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Runner runs test files on a copy of a tree; *verify.Verifier is one.
type Runner interface {
	Try(ctx context.Context, t verify.Trial) (verify.Report, error)
}

// Input is an issue and the base that it speaks of.
type Input struct {
	Title, Body string
	Dir         string // the base on disk; not written to
	Base        fs.FS
	Runner      Runner
	// Allowed tells whether a new test may stand at a path; nil allows all.
	Allowed func(path string) bool
}

// Found is a reproduction test that failed on the base as the issue tells.
type Found struct {
	Path     string    `json:"path"`
	Content  string    `json:"content"`
	Examples []Example `json:"examples"`
	// By is the model that wrote the test before any fix, and Fails how the test
	// failed; empty where it was made of the examples.
	By     string        `json:"by,omitempty"`
	Fails  string        `json:"fails,omitempty"`
	Report verify.Report `json:"report"` // of the base with the test: the kept tests only; all red, where no model wrote it
	// Doubts are what a person has to decide about the expectation itself.
	Doubts []string `json:"doubts,omitempty"`
	// Left are examples that made no test, with the reason.
	Left []string `json:"left,omitempty"`
	// Holding are examples that hold on the base: the issue asks for what the code
	// does already. None that the issue leaves unsure is among them.
	Holding []Example `json:"holding,omitempty"`
	// Pinned are green tests that hold a call to the value that the issue calls
	// wrong: no change can satisfy both.
	Pinned []string `json:"pinned,omitempty"`
}

// Reproduce makes a test of the examples and runs it on the base. When
// nothing could be made, Path is empty and Left says why, example by example.
// The error is of the sandbox or the context.
func Reproduce(ctx context.Context, in Input) (Found, error) {
	var out Found
	list := Read(in.Title, in.Body)
	if len(list) == 0 {
		out.Left = []string{"the issue holds no call with a value or an exception that could be read"}
		return out, nil
	}
	x, err := newIndex(ctx, in.Base, in.Title+"\n"+in.Body)
	if err != nil {
		return out, fmt.Errorf("reading the names of the base: %w", err)
	}
	groups, err := x.groups(ctx, list, &out.Left)
	if err != nil {
		return out, err
	}
	for _, g := range groups[:min(len(groups), 3)] { // the first that reproduces is the issue's
		if err := x.try(ctx, in, g, &out); err != nil || out.Path != "" {
			out.Pinned = pinned(in.Base, out.Examples)
			return out, err
		}
	}
	return out, nil
}

// groups binds examples to the code and puts those of the same function together;
// left says which could not be, and why.
func (x *index) groups(ctx context.Context, list []Example, left *[]string) ([][]boundExample, error) {
	var out [][]boundExample
	for _, e := range list {
		b, err := x.bind(ctx, e)
		if errors.Is(err, errRefused) {
			*left = append(*left, e.Call+": "+err.Error())
			continue
		} else if err != nil {
			return nil, fmt.Errorf("looking up %s: %w", e.Call, err)
		}
		i := slices.IndexFunc(out, func(g []boundExample) bool { return g[0].main == b.main && g[0].lang == b.lang })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], b)
	}
	return out, nil
}

// try keeps the examples that fail on the base as told.
func (x *index) try(ctx context.Context, in Input, list []boundExample, out *Found) error {
	list = list[:min(len(list), 5)]
	for len(list) > 0 {
		w, err := x.write(ctx, list, false)
		if errors.Is(err, errRefused) {
			out.Left = append(out.Left, list[0].Call+": "+err.Error())
			list = list[1:]
			continue
		} else if err != nil {
			return fmt.Errorf("writing a test: %w", err)
		}
		if in.Allowed != nil && !in.Allowed(w.path) {
			out.Left = append(out.Left, fmt.Sprintf("%s: a test at %s is not allowed", list[0].Call, w.path))
			return nil
		}
		kept, rep, err := x.run(ctx, in, list, w, out)
		if err != nil || len(kept) == 0 {
			return err
		}
		if len(kept) == len(list) {
			return out.keep(w, kept, rep)
		}
		list = kept // once more without those that show nothing
	}
	return nil
}

// run runs the test, and beside it one that holds to what the issue says came
// out: where that fails, the issue speaks of another state of the code.
func (x *index) run(ctx context.Context, in Input, list []boundExample, w written, out *Found) ([]boundExample, verify.Report, error) {
	files, tests := map[string][]byte{w.path: []byte(w.text)}, []string{w.path}
	var seen []boundExample
	for _, b := range list {
		if b.Got != "" || b.GotError != "" && b.GotError != "panic" {
			seen = append(seen, b)
		}
	}
	var told written
	if len(seen) > 0 {
		var err error
		if told, err = x.write(ctx, seen, true); err == nil {
			files[told.path] = []byte(told.text)
			tests = append(tests, told.path)
		} else if !errors.Is(err, errRefused) {
			return nil, verify.Report{}, err
		}
	}
	rep, err := in.Runner.Try(ctx, verify.Trial{Dir: in.Dir, Files: files, Tests: tests})
	if errors.Is(err, verify.ErrNoTests) {
		out.Left = append(out.Left, list[0].Call+": "+err.Error())
		return nil, rep, nil
	} else if err != nil {
		return nil, rep, fmt.Errorf("running the issue's example on the base: %w", err)
	}
	var kept []boundExample
	for i, b := range list {
		own := find(rep, w.path, w.names[i])
		if own != nil && own.Status == verify.StatusPassed && !b.Unsure {
			out.Holding = append(out.Holding, b.Example)
		}
		why := judge(own, rep)
		if own != nil && own.Status == verify.StatusPassed {
			why = fmt.Sprintf("its test passes on the base (%s), so it shows no fault", b.Gave())
		}
		if at := slices.IndexFunc(seen, func(s boundExample) bool { return s.Call == b.Call }); why == "" && at >= 0 && at < len(told.names) {
			if t := find(rep, told.path, told.names[at]); t == nil || t.Status != verify.StatusPassed {
				why = "on the base something else comes out than the issue says"
			}
		}
		if why != "" {
			out.Left = append(out.Left, b.Call+": "+why)
			continue
		}
		kept = append(kept, b)
	}
	return kept, rep, nil
}

// judge says why a test does not reproduce, or "".
func judge(t *verify.TestResult, rep verify.Report) string {
	switch {
	case t == nil && len(rep.Broken) > 0:
		return "its test could not be run: " + rep.Broken[0].Words()
	case t == nil:
		return "its test was not seen to run"
	case !t.Red():
		return "its test did not fail on the base"
	case !verify.Ran(t.Failure):
		return "its test could not be run: " + t.Failure.Words()
	case t.Failure.Kind == task.FailTimeout:
		return "its test ran out of time"
	}
	return ""
}

// find gives the test of a file by the end of its name.
func find(rep verify.Report, path, name string) *verify.TestResult {
	for i, t := range rep.Tests {
		sameFile := t.File == path || strings.HasSuffix(path, ".go")
		if sameFile && (strings.HasSuffix(t.ID, "::"+name) || strings.HasSuffix(t.ID, "> "+name) || strings.HasSuffix(t.ID, ":"+name)) {
			return &rep.Tests[i]
		}
	}
	return nil
}

func (out *Found) keep(w written, kept []boundExample, rep verify.Report) error {
	out.Path, out.Content = w.path, w.text
	out.Report = verify.Report{Suites: rep.Suites, Elapsed: rep.Elapsed}
	for i, b := range kept {
		out.Examples = append(out.Examples, b.Example)
		out.Report.Tests = append(out.Report.Tests, *find(rep, w.path, w.names[i]))
		switch {
		case b.Unsure:
			out.Doubts = append(out.Doubts, fmt.Sprintf("the issue does not say whether %s is what %s gives or what it should give; the test takes it for the latter", b.Want, b.Call))
		case b.Want == "" && b.WantError == "":
			out.Doubts = append(out.Doubts, fmt.Sprintf("the issue does not say what %s should give; the test only holds that it does not end with %s", b.Call, b.GotError))
		}
	}
	return nil
}
