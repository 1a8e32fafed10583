package runner

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// layCargo makes an integration test of the package in the command's folder or of
// the first one below it.
func layCargo(t *detect.Tree, c detect.Command, word string) Sentinel {
	for _, f := range t.Files {
		if path.Base(f) == "Cargo.toml" && detect.Within(f, c.Dir) && strings.Contains(t.Read(f), "[package]") {
			return Sentinel{File: path.Join(path.Dir(f), "tests", word+".rs"), Text: "#[test]\nfn passes() {}\n\n#[test]\nfn fails() {\n    panic!(\"it has to\");\n}\n"}
		}
	}
	return Sentinel{}
}

func narrowCargo(c detect.Command, _, tests []string, _ Sentinel) detect.Command {
	if len(tests) == 0 {
		return c
	}
	c.Argv = append(slices.Clone(c.Argv), "--", "--exact", "passes", "fails")
	for _, id := range tests {
		if _, name, _ := strings.Cut(id, "::"); !Option(name) {
			c.Argv = append(c.Argv, name)
		}
	}
	return c
}
