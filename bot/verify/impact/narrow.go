package impact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Narrow is the command with the chosen tests only; with All it is unchanged.
func (s Selection) Narrow(c detect.Command) detect.Command {
	if s.All || len(s.Picks) == 0 {
		return c
	}
	var files, tests []string
	single := true // every pick names its tests
	for _, p := range s.Picks {
		files = append(files, rel(c.Dir, p.File))
		tests = append(tests, p.Tests...)
		single = single && len(p.Tests) > 0
	}
	c.Argv = slices.Clone(c.Argv)
	switch c.Tool {
	case "pytest":
		c.Argv = append(slices.DeleteFunc(c.Argv, isPath(c.Argv, "-p")), s.named(c.Dir)...)
	case "unittest":
		c.Argv = s.unittestArgv(c, files)
	case "go test":
		c.Argv = slices.DeleteFunc(c.Argv, func(a string) bool { return a == "./..." })
		if single {
			c.Argv = append(c.Argv, "-run=^("+alternatives(tests)+")$")
		}
		for _, f := range files {
			c.Argv = append(c.Argv, "./"+f)
		}
	case "node:test":
		at := slices.Index(c.Argv, "--test-reporter=tap")
		c.Argv = append(c.Argv[:at+1:at+1], files...)
	case "jest":
		c.Argv = append(append(c.Argv, "--runTestsByPath"), files...)
	case "vitest":
		c.Argv = append(c.Argv, files...)
	case "mocha":
		c.Argv = slices.DeleteFunc(c.Argv, func(a string) bool {
			return looksLikeSpec(a) && !valueOf(c.Argv, a, "--require", "-r", "--reporter", "-R", "--file", "--config")
		})
		if single && !slices.ContainsFunc(c.Argv, greps) {
			c.Argv = append(c.Argv, "--grep", "^(?:"+alternatives(tests)+")$")
		}
		c.Argv = append(c.Argv, files...)
	}
	return c
}

// named lists the single tests, and the files that are run as a whole.
func (s Selection) named(dir string) []string {
	var out []string
	for _, p := range s.Picks {
		if len(p.Tests) == 0 {
			out = append(out, rel(dir, p.File))
		}
		out = append(out, p.Tests...)
	}
	return out
}

func alternatives(tests []string) string {
	quoted := make([]string, len(tests))
	for i, t := range tests {
		quoted[i] = regexp.QuoteMeta(t)
	}
	slices.Sort(quoted)
	return strings.Join(slices.Compact(quoted), "|")
}

func greps(a string) bool {
	return a == "-g" || a == "-f" || strings.HasPrefix(a, "--grep") || strings.HasPrefix(a, "--fgrep")
}

// valueOf tells whether an argument belongs to the flag before it.
func valueOf(argv []string, a string, flags ...string) bool {
	i := slices.Index(argv, a)
	return i > 0 && slices.Contains(flags, argv[i-1])
}

func looksLikeSpec(a string) bool {
	return !strings.HasPrefix(a, "-") && a != "json" && !strings.Contains(a, "node_modules/") && (strings.Contains(a, "/") || strings.Contains(a, "*") || a == "test" || strings.HasSuffix(a, "js"))
}

// isPath finds the folders that pytest was told; skip is a flag with a value.
func isPath(argv []string, skip string) func(string) bool {
	at := slices.Index(argv, "pytest")
	return func(a string) bool {
		i := slices.Index(argv, a)
		return i > at && !strings.HasPrefix(a, "-") && argv[i-1] != skip
	}
}

func rel(dir, p string) string {
	if p == dir {
		return "."
	}
	return detect.From(dir, p)
}

// unittestArgv runs each test by its name; where discovery starts from a folder
// that is no package, whole files by theirs.
func (s Selection) unittestArgv(c detect.Command, files []string) []string {
	out := []string{c.Argv[0], "-m", "unittest", "-v"}
	if slices.Contains(c.Argv, "-s") {
		return append(out, files...)
	}
	for _, p := range s.Picks {
		if len(p.Tests) > 0 {
			out = append(out, p.Tests...)
			continue
		}
		out = append(out, strings.ReplaceAll(strings.TrimSuffix(rel(c.Dir, p.File), ".py"), "/", "."))
	}
	return out
}
