package impact

import (
	_ "embed"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// The recorders, see the head of each.
//
//go:embed trace/trace.py
var tracePython string

//go:embed trace/trace.mjs
var traceNode string

//go:embed trace/trace.sh
var traceGo string

// TraceFile is what a traced command writes to its folder for results.
const TraceFile = "trace"

// Trace is the command that runs the whole suite and records what each test
// runs, into the file TraceFile of the folder that {out} in its arguments and
// environment stands for; Record reads it. It stops after limit. ok is false
// for a runner whose tests cannot be told apart.
//
// What is recorded serves to choose tests. It is no evidence of anything:
// repository code runs in the same process and could write what it likes.
func Trace(c detect.Command, limit time.Duration) (traced detect.Command, ok bool) {
	const out = "{out}/" + TraceFile
	seconds := strconv.Itoa(max(1, int(limit.Seconds())))
	argv := c.Argv
	switch c.Tool {
	case "pytest", "unittest":
		at := slices.Index(argv, c.Tool)
		if at < 2 || argv[at-1] != "-m" {
			return c, false
		}
		c.Argv = append([]string{argv[0], "-c", tracePython, out, seconds, c.Tool}, argv[at+1:]...)
	case "mocha":
		c.Env = nodeEnv(c.Env, out, "test")
	case "node:test":
		c.Env = nodeEnv(c.Env, out, "file")
	case "go test":
		flags, packages := goArgs(argv)
		c.Argv = append([]string{"sh", "-c", traceGo, "sh", out, seconds, strings.Join(flags, " ")}, packages...)
	default:
		return c, false
	}
	c.Format, c.Results = "", ""
	return c, true
}

// nodeEnv loads the recorder before everything else, out of the variable
// itself: no file of ours has to lie in the tree.
func nodeEnv(env map[string]string, out, unit string) map[string]string {
	all := map[string]string{"TRACE_OUT": out, "TRACE_UNIT": unit}
	for k, v := range env {
		all[k] = v
	}
	all["NODE_OPTIONS"] = strings.TrimSpace(all["NODE_OPTIONS"] + " --import=data:text/javascript," + url.PathEscape(traceNode))
	return all
}

// goArgs splits the arguments of go test into the flags that building needs
// and the packages.
func goArgs(argv []string) (flags, packages []string) {
	for _, a := range argv[min(2, len(argv)):] {
		switch {
		case strings.HasPrefix(a, "-tags=") || a == "-race":
			flags = append(flags, a)
		case strings.HasPrefix(a, "-"):
		default:
			packages = append(packages, a)
		}
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	return flags, packages
}

// unit is the test that an id of the runner belongs to: parameters of pytest
// are run together.
func unit(tool, id string) string {
	if tool == "pytest" {
		if at := strings.IndexByte(id, '['); at > 0 {
			return id[:at]
		}
	}
	return id
}

// native is the id that a person would type in the command's folder: pytest
// names files from its own root, which may be another folder.
func native(tool, id, file string) string {
	if tool != "pytest" {
		return id
	}
	_, rest, ok := strings.Cut(id, "::")
	if !ok {
		return file
	}
	return path.Clean(file) + "::" + rest
}
