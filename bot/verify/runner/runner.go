// Package runner runs one detected command of a repository in a sandbox and reads
// the report that it leaves (SPEC C9). In goes a command as package detect describes
// it and the copy of a tree; out come how it ended and the normalised report, or
// the tool that is missing. Package check shows what comes of it, package verify
// judges with it; neither has another way to start a repository's own tools.
//
// It decides nothing: whether an end and a report together are green is its users'.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// Box is the part of a sandbox's workspace that is used here.
type Box interface {
	Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error)
	Path() string
	ReadFile(rel string, max int64) ([]byte, error)
	ReadOut(name string, max int64) ([]byte, error)
}

// Place is a tree in a box in which commands are run, one after another.
type Place struct {
	Box       Box
	Root, Out string                     // the tree and the folder for results, as the code inside sees them
	Find      func(suffix string) string // see parse.Place
	Found     *sync.Map                  // programs that another place of the same sandbox found: they are not asked for again
	probed    map[detect.Need]bool
}

// Suite is the first part of the ids of a tool's tests.
func Suite(tool string) string {
	switch tool {
	case "node:test":
		return "node"
	case "go test":
		return "go"
	}
	return tool
}

// At is where a command's output was made.
func (p *Place) At(c detect.Command) parse.Place {
	return parse.Place{Root: p.Root, Dir: c.Dir, Suite: Suite(c.Tool), Module: c.Module, Find: p.Find}
}

// Command is a command as it stands in the sandbox. Standard output and error
// become one stream, in their order, but where a document is printed. n numbers the
// commands of a place, so that no result is taken for another's; report files that lie
// in the tree before are taken away.
func (p *Place) Command(n int, c detect.Command, limits sandbox.Limits) sandbox.Command {
	argv := make([]string, len(c.Argv))
	for i, a := range c.Argv {
		argv[i] = p.Inside(n, a)
	}
	switch {
	case c.Results != "" && !writesOut(c):
		argv = append([]string{"sh", "-c", `find . -type f -path "*/$1" -delete 2>/dev/null; shift; exec "$@" 2>&1`, "sh", c.Results}, argv...)
	case c.Format != parse.MochaJS:
		argv = append([]string{"sh", "-c", `exec "$@" 2>&1`, "sh"}, argv...)
	}
	env := map[string]string{"FORCE_COLOR": "0", "TERM": "dumb", "COLUMNS": "160"}
	maps.Copy(env, c.Env)
	limits.OutputBytes = outputBytes
	return sandbox.Command{Argv: argv, Dir: c.Dir, Env: env, Needs: c.Kind == detect.Test || c.Declared && c.Kind == detect.Build, Limits: limits}
}

// Inside puts the folder for results into an argument.
func (p *Place) Inside(n int, arg string) string {
	return strings.ReplaceAll(arg, "{out}/", p.Out+"/"+strconv.Itoa(n)+"-")
}

const (
	outputBytes = 16 << 20
	maxResult   = 64 << 20
)

// Read reads the results of a command: a file that it wrote, or what it printed.
func (p *Place) Read(n int, c detect.Command, res sandbox.Result) parse.Report {
	at := p.At(c)
	switch {
	case c.Results != "" && writesOut(c):
		if data, err := p.Box.ReadOut(strconv.Itoa(n)+"-"+c.Results, maxResult); err == nil {
			return parse.Read(c.Format, data, at)
		}
		return parse.Read(parse.Sniff(res.Stdout), res.Stdout, at)
	case c.Results != "" && c.Format == parse.Surefire:
		return parse.Printed(p.collect(c, at, parse.JUnit), parse.Read(c.Format, res.Stdout, at))
	case c.Results != "":
		return p.collect(c, at, c.Format)
	case c.Format == "":
		return parse.Read(parse.Sniff(res.Stdout), res.Stdout, at)
	}
	return parse.Read(c.Format, res.Stdout, at)
}

// writesOut tells whether a command writes its results into the folder for them.
func writesOut(c detect.Command) bool {
	return slices.ContainsFunc(c.Argv, func(a string) bool { return strings.Contains(a, "{out}/") })
}

// collect reads the report files that a command left below its folder. In a build of
// several modules each has files of its own, and may have classes of the same name.
func (p *Place) collect(c detect.Command, at parse.Place, format parse.Format) parse.Report {
	var all parse.Report
	root, err := os.OpenRoot(p.Box.Path())
	if err != nil {
		return all
	}
	defer root.Close()
	want := strings.Count(c.Results, "/") + 1
	_ = fs.WalkDir(root.FS(), c.Dir, func(name string, d fs.DirEntry, err error) error {
		parts := strings.Split(name, "/")
		if err != nil {
			return fs.SkipDir // what cannot be read holds no reports
		}
		if !d.Type().IsRegular() || len(parts) < want {
			return nil
		}
		if ok, _ := path.Match(c.Results, strings.Join(parts[len(parts)-want:], "/")); !ok {
			return nil
		}
		if data, err := p.Box.ReadFile(name, maxResult); err == nil {
			folder := path.Join(parts[:len(parts)-want]...)
			at.Module, at.Find = "", p.Find
			if folder != strings.TrimPrefix(c.Dir, ".") {
				at.Module, at.Find = detect.From(c.Dir, folder), p.findIn(folder)
			}
			one := parse.Read(format, data, at)
			all.Tests = append(all.Tests, one.Tests...)
			all.Broken = append(all.Broken, one.Broken...)
			all.Ended = true
		}
		return nil
	})
	return all
}

// findIn looks for a source in a module's own folders first.
func (p *Place) findIn(folder string) func(string) string {
	if p.Find == nil {
		return nil
	}
	return func(suffix string) string {
		dir := strings.Replace(strings.TrimPrefix(path.Ext(suffix), "."), "kt", "kotlin", 1)
		return cmp.Or(p.Find(path.Join(folder, "src/test", dir, suffix)), p.Find(path.Join(folder, "src/main", dir, suffix)), p.Find(suffix))
	}
}

// Lack is a tool that a command needs and that is not there.
type Lack detect.Need

// What names the tool.
func (l Lack) What() string {
	switch {
	case l.Module != "":
		return l.Module + " (a module of " + l.Python + ")"
	case strings.HasPrefix(l.Program, "./"):
		return l.Program[2:]
	}
	return l.Program
}

// Missing asks the sandbox for the tools of a command, each once for a place: nil
// where all are there. An error that is a *Halted says nothing about the tools.
func (p *Place) Missing(ctx context.Context, c detect.Command) (*Lack, error) {
	for _, n := range c.Needs {
		key := n
		key.Python = path.Join(c.Dir, n.Python)
		have, known := p.probed[key]
		if !known {
			have, known = p.found(n)
		}
		if !known {
			var err error
			if have, err = p.probe(ctx, c.Dir, n); err != nil {
				return nil, err
			}
			if p.probed == nil {
				p.probed = map[detect.Need]bool{}
			}
			p.probed[key] = have
			if have && outside(n) && p.Found != nil {
				p.Found.Store(n.Program, true)
			}
		}
		if have {
			continue
		}
		lack := Lack(n)
		if n.Module == "" {
			return &lack, nil
		}
		there, err := p.probe(ctx, c.Dir, detect.Need{Program: n.Python})
		if err == nil && !there {
			lack = Lack{Program: n.Python, Install: interpreter(n.Python)}
		}
		return &lack, err
	}
	return nil, nil
}

// found tells whether a program of the machine was found before. Whatever stands in the
// tree, and modules, which it may hold as well, are asked for in each.
func (p *Place) found(n detect.Need) (have, known bool) {
	if p.Found == nil || !outside(n) {
		return false, false
	}
	_, have = p.Found.Load(n.Program)
	return have, have
}

func outside(n detect.Need) bool { return n.Module == "" && !strings.Contains(n.Program, "/") }

// interpreter is what to do about a Python that is missing.
func interpreter(python string) string {
	if venv, ok := strings.CutSuffix(python, "/bin/python"); ok {
		return "make the virtual environment again (python3 -m venv --clear " + venv + ") and install the dependencies into it: its Python is not on this machine"
	}
	return "install Python 3"
}

const hasModule = `import importlib.util,sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)`

func (p *Place) probe(ctx context.Context, dir string, n detect.Need) (bool, error) {
	cmd := sandbox.Command{Dir: dir, Argv: []string{"sh", "-c", `command -v "$1" >/dev/null`, "sh", n.Program}}
	switch {
	case n.Module != "":
		cmd.Argv = []string{n.Python, "-c", hasModule, n.Module}
	case strings.HasPrefix(n.Program, "./"):
		// Asked inside: what a setup installed stands only there.
		cmd = sandbox.Command{Argv: []string{"sh", "-c", `[ -e "$1" ] || [ -L "$1" ]`, "sh", n.Program}}
	}
	res, err := p.Box.Run(ctx, cmd)
	if err != nil {
		return false, IgnoreMissing(err)
	}
	if stop := Stopped(res); stop != "" { // says nothing about the tool
		return false, &Halted{fmt.Sprintf("the sandbox could not be asked for %s: %s", Lack(n).What(), stop), Remedy(res)}
	}
	return res.OK(), nil
}

// Halted is a probe that a limit of the sandbox ended: with it goes all that
// would be run there.
type Halted struct{ Why, Do string }

func (h *Halted) Error() string { return h.Why + "; " + h.Do }

// IgnoreMissing drops the error of a program that is not there: that is an answer.
func IgnoreMissing(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not found") {
		return nil
	}
	return err
}

// Stopped says which limit ended a command, "" for none.
func Stopped(res sandbox.Result) string {
	switch {
	case res.TimedOut:
		return "it did not end within its time limit and was killed"
	case res.OutOfMemory:
		return "it ran out of memory and was killed"
	case res.OverQuota:
		return "it passed its disk quota and was killed"
	}
	return ""
}

// Remedy is what to do about a command that a limit ended, "" for any other.
func Remedy(res sandbox.Result) string {
	switch {
	case res.TimedOut:
		return "give it more time with --timeout, or have it do less at once"
	case res.OutOfMemory:
		return "have it run fewer tests at a time, or hold less in memory"
	case res.OverQuota:
		return "have it write less, or clean up between tests; a tree that holds a file as large as the sandbox lets one grow (512 MiB) cannot be checked in it"
	}
	return ""
}
