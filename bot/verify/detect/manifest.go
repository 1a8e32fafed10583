package detect

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/mod/modfile"
)

// Fault is what is wrong with a configuration file, at a place.
type Fault struct {
	File    string
	Line    int // 1-based
	Message string
	Unread  bool // nothing that the file says can be used
}

// String says file, line and what is wrong.
func (f Fault) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message) }

// maxManifest bounds what the parsers see: they call themselves once for each
// bracket that is opened.
const maxManifest = 64 << 10

// Fault reads a file as what its name says that it is: package.json, go.mod,
// go.work, or a .toml file that Python or Rust tools read. ok is false where
// nothing is wrong with it, and for all other files.
func (t *Tree) Fault(p string) (f Fault, ok bool) {
	read := map[string]func(string) (int, string, bool){
		"package.json": brokenJSON, "go.mod": brokenModule, "go.work": brokenWork,
		"pyproject.toml": brokenTOML, "Cargo.toml": brokenTOML, "ruff.toml": brokenTOML, ".ruff.toml": brokenTOML, "tox.toml": brokenTOML,
	}[path.Base(p)]
	if read == nil || !t.have[p] {
		return Fault{}, false
	}
	text := t.Read(p)
	if len(text) > maxManifest {
		return Fault{}, false
	}
	line, message, unread := read(text)
	return Fault{File: p, Line: line, Message: message, Unread: unread}, message != ""
}

// faults notes the files of that name that cannot be read.
func (t *Tree) faults(p *Plan, names ...string) {
	for _, name := range names {
		for _, f := range t.Files {
			if path.Base(f) != name || InDir(f, "testdata", "fixtures", "__fixtures__") {
				continue
			}
			if bad, ok := t.Fault(f); ok {
				p.Notes = append(p.Notes, bad.String())
			}
		}
	}
}

func brokenJSON(text string) (int, string, bool) {
	err := json.Unmarshal([]byte(text), &packageJSON{})
	if err == nil {
		return 0, "", false
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return lineAt(text, int(wrong.Offset)), fmt.Sprintf("%s is a JSON %s, which no package manager takes there; it is not used", wrong.Field, wrong.Value), wrong.Field == ""
	}
	at := len(text)
	if bad := new(json.SyntaxError); errors.As(err, &bad) {
		at = int(bad.Offset)
	}
	return lineAt(text, at), "package.json is not valid JSON (" + err.Error() + "); what it says is not used", true
}

// lineAt is the line of the last byte of text[:end].
func lineAt(text string, end int) int {
	end = min(max(end-1, 0), len(text))
	return 1 + strings.Count(text[:end], "\n")
}

func brokenTOML(text string) (int, string, bool) {
	_, line, message := readTOML(text)
	return line, message, message != ""
}

// readTOML gives the tables of a text, or the line and message of its mistake.
func readTOML(text string) (tables map[string]any, line int, message string) {
	defer func() { // foreign text: a fault of the parser must stay a message
		if r := recover(); r != nil {
			tables, line, message = nil, 1, "it is not TOML that can be read"
		}
	}()
	err := toml.Unmarshal([]byte(text), &tables)
	if err == nil {
		return tables, 0, ""
	}
	line = 1
	if bad := new(toml.DecodeError); errors.As(err, &bad) {
		line, _ = bad.Position()
	}
	return nil, line, "it is not valid TOML (" + strings.TrimPrefix(err.Error(), "toml: ") + ")"
}

// brokenModule finds what keeps every release of Go from reading a go.mod.
// Directives of later releases are no mistake.
func brokenModule(text string) (int, string, bool) {
	f, err := modfile.ParseLax("go.mod", []byte(text), nil)
	if err == nil && f.Module != nil && f.Module.Mod.Path != "" {
		return 0, "", false
	}
	if err == nil { // without a module, what is unknown is the mistake
		_, err = modfile.Parse("go.mod", []byte(text), nil)
	}
	line, message := placed(err)
	if goModule.MatchString(text) {
		return line, "go.mod cannot be read" + message, false
	}
	return line, "go.mod names no module" + message + "; it is not used", true
}

func brokenWork(text string) (int, string, bool) {
	if _, err := modfile.ParseWork("go.work", []byte(text), nil); err != nil {
		line, message := placed(err)
		return line, "go.work cannot be read" + message, true
	}
	return 0, "", false
}

// placed is the first mistake of a Go module file.
func placed(err error) (line int, message string) {
	var all modfile.ErrorList
	if !errors.As(err, &all) || len(all) == 0 {
		return 1, ""
	}
	if all[0].Err == nil {
		return max(all[0].Pos.Line, 1), ""
	}
	return max(all[0].Pos.Line, 1), " (" + all[0].Err.Error() + ")"
}
