package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// need is what a command lacks.
type need detect.Need

func (n need) what() string {
	switch {
	case n.Module != "":
		return n.Module + " (a module of " + n.Python + ")"
	case strings.HasPrefix(n.Program, "./"):
		return n.Program[2:]
	}
	return n.Program
}

// missing asks the sandbox for the tools of a command, each once.
func (w *run) missing(ctx context.Context, c detect.Command) (*need, error) {
	for _, n := range c.Needs {
		key := n
		key.Python = path.Join(c.Dir, n.Python)
		have, known := w.probed[key]
		if !known {
			var err error
			if have, err = w.probe(ctx, c.Dir, n); err != nil {
				return nil, err
			}
			w.probed[key] = have
		}
		if !have {
			lack := need(n)
			if n.Module == "" {
				return &lack, nil
			}
			there, err := w.probe(ctx, c.Dir, detect.Need{Program: n.Python})
			if err == nil && !there {
				lack = need{Program: n.Python, Install: interpreter(n.Python)}
			}
			return &lack, err
		}
	}
	return nil, nil
}

// interpreter is what to do about a Python that is missing.
func interpreter(python string) string {
	if venv, ok := strings.CutSuffix(python, "/bin/python"); ok {
		return "make the virtual environment again (python3 -m venv --clear " + venv + ") and install the dependencies into it: its Python is not on this machine"
	}
	return "install Python 3"
}

const hasModule = `import importlib.util,sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)`

func (w *run) probe(ctx context.Context, dir string, n detect.Need) (bool, error) {
	cmd := sandbox.Command{Dir: dir, Argv: []string{"sh", "-c", `command -v "$1" >/dev/null`, "sh", n.Program}}
	switch {
	case n.Module != "":
		cmd.Argv = []string{n.Python, "-c", hasModule, n.Module}
	case strings.HasPrefix(n.Program, "./"):
		// Asked inside: what a setup installed stands only there.
		cmd = sandbox.Command{Argv: []string{"sh", "-c", `[ -e "$1" ] || [ -L "$1" ]`, "sh", n.Program}}
	}
	res, err := w.box.Run(ctx, cmd)
	if err != nil {
		return false, ignoreMissing(err)
	}
	if stop := stopped(res); stop != "" { // says nothing about the tool
		return false, &halted{fmt.Sprintf("the sandbox could not be asked for %s: %s", need(n).what(), stop), remedy(res)}
	}
	return res.OK(), nil
}

// halted is a probe that a limit of the sandbox ended: with it goes all that
// would be run there.
type halted struct{ why, do string }

func (h *halted) Error() string { return h.why + "; " + h.do }

// ignoreMissing: a program that is not there is an answer, no error.
func ignoreMissing(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not found") {
		return nil
	}
	return err
}

// inside puts the folder for results into an argument. Names carry the number
// of the command, so that no result is taken for another's.
func (w *run) inside(n int, arg string) string {
	return strings.ReplaceAll(arg, "{out}/", w.out+"/"+strconv.Itoa(n)+"-")
}

const maxResult = 64 << 20

// read reads the command's results: a file that it wrote, or what it printed.
func (w *run) read(n int, c detect.Command, res sandbox.Result) parse.Report {
	at := w.place(c)
	switch {
	case c.Results != "" && slices.ContainsFunc(c.Argv, func(a string) bool { return strings.Contains(a, "{out}/") }):
		if data, err := w.box.ReadOut(strconv.Itoa(n)+"-"+c.Results, maxResult); err == nil {
			return parse.Read(c.Format, data, at)
		}
		return parse.Read(parse.Sniff(res.Stdout), res.Stdout, at)
	case c.Results != "":
		return w.collect(c, at)
	case c.Format == "":
		return parse.Read(parse.Sniff(res.Stdout), res.Stdout, at)
	}
	return parse.Read(c.Format, res.Stdout, at)
}

// collect reads the report files that a command left below its folder.
func (w *run) collect(c detect.Command, at parse.Place) parse.Report {
	var all parse.Report
	root, err := os.OpenRoot(w.box.Path())
	if err != nil {
		return all
	}
	defer root.Close()
	want := strings.Count(c.Results, "/") + 1
	_ = fs.WalkDir(root.FS(), c.Dir, func(p string, d fs.DirEntry, err error) error {
		parts := strings.Split(p, "/")
		if err != nil {
			return fs.SkipDir // what cannot be read holds no reports
		}
		if !d.Type().IsRegular() || len(parts) < want {
			return nil
		}
		if ok, _ := path.Match(c.Results, strings.Join(parts[len(parts)-want:], "/")); !ok {
			return nil
		}
		if data, err := w.box.ReadFile(p, maxResult); err == nil {
			one := parse.Read(c.Format, data, at)
			all.Tests = append(all.Tests, one.Tests...)
			all.Broken = append(all.Broken, one.Broken...)
			all.Ended = true
		}
		return nil
	})
	return all
}
