package detect

import (
	"path"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Want is the version of an interpreter that a manifest asks for.
type Want struct {
	Language string `json:"language"` // "Python", "Node.js", "Go"
	Program  string `json:"program"`  // as the commands of Dir call it
	Dir      string `json:"dir"`
	Range    string `json:"range"` // as the manifest writes it: ">=3.9,<4"
	File     string `json:"file"`
	Line     int    `json:"line"` // 1-based
	Key      string `json:"key"`  // what to change: "requires-python"
}

var (
	pythonKey  = lazyregexp.New(`(?m)^[ \t]*(requires-python|python)[ \t]*=`)
	cfgPython  = lazyregexp.New(`(?m)^[ \t]*(python_requires)[ \t]*=[ \t]*(.+?)[ \t\r]*$`)
	enginesKey = lazyregexp.New(`"engines"\s*:\s*\{[^{}]*?"node"\s*:`)
)

// want notes the Python that the project asks for: by pyproject.toml's standard
// key, by Poetry's, or by setup.cfg.
func (pr *pyProject) want(p *Plan) {
	w := Want{Language: "Python", Program: pr.python(), Dir: pr.dir, File: pr.file("pyproject.toml")}
	text := pr.t.Read(w.File)
	if len(text) <= maxManifest && pr.has("pyproject.toml") {
		tables, _, _ := readTOML(text)
		w.Key, w.Range = "requires-python", textAt(tables, "project", "requires-python")
		if w.Range == "" {
			w.Key, w.Range = "python", textAt(tables, "tool", "poetry", "dependencies", "python")
		}
		for _, m := range pythonKey.FindAllStringSubmatchIndex(text, -1) {
			if text[m[2]:m[3]] == w.Key {
				w.Line = lineAt(text, m[1])
				break
			}
		}
	}
	if w.Range == "" && pr.has("setup.cfg") {
		w.File = pr.file("setup.cfg")
		text = pr.t.Read(w.File)
		if m := cfgPython.FindStringSubmatchIndex(text); m != nil {
			w.Key, w.Range, w.Line = text[m[2]:m[3]], text[m[4]:m[5]], lineAt(text, m[1])
		}
	}
	p.wants(w)
}

// textAt is the text that stands in nested tables, "" for anything else.
func textAt(tables map[string]any, keys ...string) string {
	last := len(keys) - 1
	s, _ := tableAt(tables, keys[:last]...)[keys[last]].(string)
	return s
}

// tableAt is a nested table, nil where there is none.
func tableAt(tables map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		tables, _ = tables[k].(map[string]any)
	}
	return tables
}

// want notes the Node.js that the package asks for.
func (n *nodePackage) want(p *Plan) {
	file := n.file("package.json")
	text := n.t.Read(file)
	w := Want{Language: "Node.js", Program: "node", Dir: n.dir, Range: n.pkg.Engines.Node, File: file, Key: "engines.node"}
	if m := enginesKey.FindStringIndex(text); m != nil {
		w.Line = lineAt(text, m[1])
	}
	p.wants(w)
}

// wantGo notes the Go that a module asks for.
func (t *Tree) wantGo(p *Plan, file string) {
	f, err := modfile.ParseLax(file, []byte(t.Read(file)), nil)
	if err != nil || f.Go == nil {
		return
	}
	w := Want{Language: "Go", Program: "go", Dir: path.Dir(file), Range: ">=" + f.Go.Version, File: file, Key: "the go line"}
	if f.Go.Syntax != nil {
		w.Line = f.Go.Syntax.Start.Line
	}
	p.wants(w)
}

// wants keeps what can be compared.
func (p *Plan) wants(w Want) {
	w.Range = strings.TrimSpace(w.Range)
	if _, known := Allows(w.Range, "1.0.0"); known && w.Range != "" && w.Line > 0 && len(w.Range) < 100 {
		p.Wants = append(p.Wants, w)
	}
}
