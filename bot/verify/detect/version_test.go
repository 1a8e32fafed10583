package detect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestC2VersionRangesAreReadAsTheirToolsDo(t *testing.T) {
	t.Parallel()
	for rng, c := range map[string]struct{ in, out []string }{
		">=3.9":                       {[]string{"3.9.0", "3.11.7", "4.0.0"}, []string{"3.8.19", "2.7.18"}},
		">=3.8,<3.12":                 {[]string{"3.8.0", "3.11.7"}, []string{"3.12.0", "3.7.9"}},
		">= 3.8, != 3.9.*, <4":        {[]string{"3.8.1", "3.10.0"}, []string{"3.9.5", "4.0.0"}},
		"~=3.10":                      {[]string{"3.10.0", "3.13.2"}, []string{"4.0.0", "3.9.9"}},
		"==3.11.*":                    {[]string{"3.11.0", "3.11.7"}, []string{"3.12.0", "3.1.1"}},
		"!=3.9.1":                     {[]string{"3.9.0"}, []string{"3.9.1"}},
		"^3.8":                        {[]string{"3.8.0", "3.14.0"}, []string{"4.0.0", "3.7.0"}},
		"^0.2.3":                      {[]string{"0.2.3", "0.2.9"}, []string{"0.3.0", "0.2.2"}},
		">=18":                        {[]string{"18.0.0", "20.20.2"}, []string{"16.20.0"}},
		">=16 <21":                    {[]string{"16.0.0", "20.20.2"}, []string{"21.0.0"}},
		"^18.18.0 || ^20.9.0 || >=21": {[]string{"18.19.1", "20.20.2", "22.0.0"}, []string{"19.0.0", "20.8.0", "18.17.0"}},
		"18.x":                        {[]string{"18.3.0"}, []string{"20.0.0"}},
		"20":                          {[]string{"20.20.2"}, []string{"22.1.0"}},
		"~1.4":                        {[]string{"1.4.0", "1.4.9"}, []string{"1.5.0"}},
		"14 - 18":                     {[]string{"14.0.0", "18.20.0"}, []string{"19.0.0", "13.9.0"}},
		"*":                           {[]string{"1.0.0"}, nil},
		"> 1.0":                       {[]string{"1.0.1"}, []string{"1.0.0"}},
		"<=3.11":                      {[]string{"3.11.7", "3.10.0"}, []string{"3.12.0"}},
		">=1.21rc2":                   {[]string{"1.21.0"}, []string{"1.20.3"}},
		">=20.0.0-rc.1":               {[]string{"20.0.1"}, []string{"18.0.0"}},
	} {
		for _, v := range slices.Concat(c.in, c.out) {
			ok, known := Allows(rng, v)
			if !known || ok != slices.Contains(c.in, v) {
				t.Errorf("%q has %s: %v, known %v", rng, v, ok, known)
			}
		}
	}
	for _, rng := range []string{"lts/*", "latest", ">=three", "3.x.y", ">=99999999999999999999", "3.9;3.10"} {
		if _, known := Allows(rng, "3.9.0"); known {
			t.Errorf("%q is read, and means nothing", rng)
		}
	}
	if _, known := Allows(">=3", "none"); known {
		t.Error("what is no version was compared")
	}
}

// TestC2ABoundAndItsOppositeShareNoVersion: of any two versions, exactly one of
// ">=a" and "<a" has the other.
func TestC2ABoundAndItsOppositeShareNoVersion(t *testing.T) {
	t.Parallel()
	version := rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := version.Draw(t, "a"), version.Draw(t, "b")
		low, known1 := Allows("<"+a, b)
		high, known2 := Allows(">= "+a, b)
		if !known1 || !known2 || low == high {
			t.Fatalf("%s against %s: below %v, not below %v", b, a, low, high)
		}
	})
}

func TestC2ManifestsSayWhichVersionTheyWant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  Want
	}{
		"requires-python":  {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\nrequires-python = '>=3.9' # not older\n", "x.py": ""}, Want{"Python", "python3", ".", ">=3.9", "pyproject.toml", 3, "requires-python"}},
		"poetry":           {map[string]string{"pyproject.toml": "[tool.poetry]\n[tool.poetry.dependencies]\npython = \"^3.8\"\n", "x.py": ""}, Want{"Python", "python3", ".", "^3.8", "pyproject.toml", 3, "python"}},
		"setup.cfg":        {map[string]string{"setup.cfg": "[options]\r\npython_requires = >=3.6\r\n", "x.py": ""}, Want{"Python", "python3", ".", ">=3.6", "setup.cfg", 2, "python_requires"}},
		"engines":          {map[string]string{"web/package.json": "{\n \"name\": \"w\",\n \"engines\": {\"npm\": \">=9\",\n  \"node\": \">=18\"},\n \"scripts\": {\"test\": \"jest\"}}"}, Want{"Node.js", "node", "web", ">=18", "web/package.json", 4, "engines.node"}},
		"go line":          {map[string]string{"go.mod": "module x\n\ngo 1.22.3\n\ntoolchain go1.23.0\n", "x.go": "package x\n"}, Want{"Go", "go", ".", ">=1.22.3", "go.mod", 3, "the go line"}},
		"nothing readable": {map[string]string{"package.json": `{"engines": {"node": "lts/iron"}}`}, Want{}},
	} {
		p, err := Detect(tree(c.files))
		if err != nil {
			t.Fatal(err)
		}
		var want []Want
		if c.want != (Want{}) {
			want = []Want{c.want}
		}
		if !slices.Equal(p.Wants, want) {
			t.Errorf("%s: %+v", name, p.Wants)
		}
	}
}

func TestC2BrokenConfigurationIsToldWithFileAndLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text, says string
	}{
		"pyproject":          {"pyproject.toml", "[project]\nname = \"x\"\nversion = 1.2.\n", "pyproject.toml:3: it is not valid TOML ("},
		"pyproject twice":    {"a/pyproject.toml", "[tool]\r\nx = 1\r\nx = 2\r\n", "a/pyproject.toml:3: it is not valid TOML ("},
		"package.json":       {"package.json", "{\n  \"name\": \"x\",\n  \"scripts\": {,}\n}", "package.json:3: package.json is not valid JSON ("},
		"package.json ends":  {"package.json", "{\n  \"name\": \"x\",\n", "package.json:2: package.json is not valid JSON ("},
		"package.json kinds": {"package.json", "{\n  \"scripts\": {\"test\": 1}\n}", "package.json:2: scripts is a JSON number, which no package manager takes there"},
		"go.mod":             {"go.mod", "\nmodul x\n", "go.mod:2: go.mod names no module (unknown directive: modul)"},
		"go.mod quotes":      {"go.mod", "module x\n\ngo 1.22\n\nrequire (\n\t\"a v1.0.0\n)\n", "go.mod:6: go.mod cannot be read ("},
		"go.work":            {"go.work", "go 1.22\nuze .\n", "go.work:2: go.work cannot be read (unknown directive: uze)"},
		"Cargo.toml":         {"Cargo.toml", "[package\n", "Cargo.toml:1: it is not valid TOML ("},
	} {
		p, err := Detect(tree(map[string]string{c.file: c.text}))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], c.says) {
			t.Errorf("%s: %q, want %q", name, p.Notes, c.says)
		}
	}
	for name, text := range map[string]string{"pyproject.toml": "[project]\n", "package.json": "\ufeff{\"scripts\":{}}", "go.mod": "module x\n\nnewdirective y\n", "go.work": "go 1.22\nuse ./a\n", "x.toml": "[[["} {
		if p, _ := Detect(tree(map[string]string{name: text})); len(p.Notes) != 0 {
			t.Errorf("%s: nothing is wrong with it, and %q was said", name, p.Notes)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add("[project]\nrequires-python = '>=3.9'\n")
	f.Add("a = " + strings.Repeat("[", maxManifest-4))
	f.Add(strings.Repeat("{\"a\":", maxManifest/5))
	f.Add("module x\ngo 1.22\nrequire (\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"pyproject.toml", "package.json", "go.mod", "go.work"} {
			tr, err := Scan(tree(map[string]string{name: text}))
			if err != nil {
				t.Fatal(err)
			}
			lines := 1 + strings.Count(text, "\n")
			if bad, ok := tr.Fault(name); ok && (bad.Line < 1 || bad.Line > lines || bad.Message == "") {
				t.Errorf("%s of %d lines: %+v", name, lines, bad)
			}
		}
		Allows(text, "1.2.3")
	})
}
