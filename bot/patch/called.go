package patch

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A workflow that nobody may change is worth little when a script that it calls
// may change: the script runs with the same secrets. So what pipelines call by its
// path is protected as they are. What they hand to a test runner is not: that is
// the project's own code, and the tests judge it.

const (
	maxCaller  = 1 << 20 // bytes of a file that calls others; more is not read
	maxCallers = 200
)

// pipelines say what is done with secrets and without a person.
var pipelines = []string{
	".github/workflows/*.yml", ".github/workflows/*.yaml", ".github/actions/*/action.yml", ".github/actions/*/action.yaml", ".gitlab-ci.yml", ".gitlab/*.yml", ".gitlab/ci/*.yml",
	".circleci/*.yml", ".travis.yml", "azure-pipelines.yml", "Jenkinsfile", ".buildkite/*.yml", ".husky/*", ".pre-commit-config.yaml", "appveyor.yml", ".drone.yml", "bitbucket-pipelines.yml",
}

const (
	scriptPath = `((?:\.{0,2}/)?[\w@.-]+(?:/[\w@.-]+)*)`
	// Where a command begins: in a line of its own, behind a key, in a list, a chain.
	starts = `(?m)(?:^[ \t]*(?:- +)?(?:@|\+)?|\b(?:run|script|entry|command|sh|bash|before_script|after_script): *[|>]?-? *|[;&|(` + "`" + `'"]\s*|\$\(|\b(?:then|do|else|exec|sudo|time|xargs|env|nohup) +)(?:\w+=\S+ +)*["']?`
)

var (
	// By an interpreter any file; as a command one that is named with a folder.
	interpreted = lazyregexp.New(`(?m)(?:^|[\s;&|("'@` + "`" + `])(?:python[\d.]*|node|nodejs|deno run|bun(?: run)?|bash|sh|zsh|dash|ksh|fish|ruby|perl|php|pwsh|powershell|tsx|ts-node|source|\.|uv run|go run|npx tsx)[ \t]+(?:-{1,2}[\w-]+(?:=\S+)?[ \t]+)*["']?` + scriptPath)
	commanded   = lazyregexp.New(starts + `(\.{1,2}/[\w@./-]+|[\w@.-]+/[\w@./-]+)`)
	makes       = lazyregexp.New(`(?m)\b(?:make|gmake)((?:[ \t]+-C[ \t]*\S+|[ \t]+-\w+|[ \t]+\w+=\S*)*)((?:[ \t]+[a-zA-Z][\w.-]*)*)`)
	npmRuns     = lazyregexp.New(`\b(?:npm|pnpm|yarn|bun)[ \t]+(?:--?\S+[ \t]+)*(?:run(?:-script)?[ \t]+(?:--?\S+[ \t]+)*)?([a-z][\w:.-]*)`)
	inFolder    = lazyregexp.New(`(?m)(?:working-directory:|\bcd)[ \t]+["']?([\w./-]+)|\bmake[ \t]+-C[ \t]*([\w./-]+)`)
	target      = lazyregexp.New(`^([\w./%$(){} -]+?):{1,2}(?:[^=]|$)`)
	scriptFile  = lazyregexp.New(`(?i)\.(?:sh|bash|zsh|ksh|fish|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1|bat|cmd|go)$`)
)

// Called lists the scripts that pipelines call by their path, directly or through
// a Makefile, package.json or another script, and who calls each. What cannot be
// read calls nothing.
func Called(tree fs.FS) map[string]string {
	c := calling{tree: tree, by: map[string]string{}, folders: []string{"."}, done: map[string]bool{}}
	for _, glob := range pipelines {
		names, _ := fs.Glob(tree, glob) // the globs are well formed
		for _, name := range names {
			text := c.read(name)
			for _, m := range inFolder.FindAllStringSubmatch(text, -1) {
				if dir := path.Clean(m[1] + m[2]); fs.ValidPath(dir) && !slices.Contains(c.folders, dir) {
					c.folders = append(c.folders, dir)
				}
			}
			c.follow(name, text)
		}
	}
	return c.by
}

type calling struct {
	tree    fs.FS
	by      map[string]string
	folders []string        // that commands may be relative to
	done    map[string]bool // targets and scripts that were followed
}

func (c *calling) read(name string) string {
	info, err := fs.Stat(c.tree, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCaller {
		return ""
	}
	src, err := fs.ReadFile(c.tree, name)
	if err != nil {
		return ""
	}
	return string(src)
}

// follow notes the scripts that a text calls, and follows them.
func (c *calling) follow(caller, text string) {
	for _, re := range []*lazyregexp.Regexp{interpreted, commanded} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			for _, dir := range append([]string{path.Dir(caller)}, c.folders...) {
				c.calls(caller, path.Join(dir, m[1]))
			}
		}
	}
	for _, m := range makes.FindAllStringSubmatch(text, -1) {
		for _, dir := range c.folders {
			for _, file := range []string{"GNUmakefile", "Makefile", "makefile"} {
				c.makes(path.Join(dir, file), strings.Fields(m[2]))
			}
		}
	}
	for _, m := range npmRuns.FindAllStringSubmatch(text, -1) {
		for _, dir := range c.folders {
			c.runs(path.Join(dir, "package.json"), m[1])
		}
	}
}

func (c *calling) calls(caller, name string) {
	if !fs.ValidPath(name) || c.by[name] != "" || len(c.by) >= maxCallers || code.IsTest(name) || c.product(name) {
		return
	}
	text := c.read(name)
	if text == "" || !scriptFile.MatchString(name) && !strings.HasPrefix(text, "#!") {
		return
	}
	c.by[name] = caller
	c.follow(name, text)
}

// product tells whether a file belongs to what the project makes: it is called by
// its path in a trial run, and is what fixes mend.
func (c *calling) product(name string) bool {
	switch top, _, deep := strings.Cut(name, "/"); {
	case deep && slices.Contains([]string{"src", "lib", "app", "pkg", "internal", "cmd", "source", "packages"}, top):
		return true
	case slices.Contains([]string{"main", "app", "server", "index", "manage", "cli"}, strings.TrimSuffix(path.Base(name), path.Ext(name))):
		return true
	case strings.HasSuffix(name, ".py"):
		_, err := fs.Stat(c.tree, path.Join(path.Dir(name), "__init__.py"))
		return err == nil
	}
	var p struct {
		Main string
		Bin  json.RawMessage
	}
	dir := path.Dir(name)
	if json.Unmarshal([]byte(c.read(path.Join(dir, "package.json"))), &p) != nil {
		return false
	}
	return path.Join(dir, p.Main) == name || bytes.Contains(p.Bin, []byte(`"`+path.Base(name)+`"`)) || bytes.Contains(p.Bin, []byte("/"+path.Base(name)+`"`))
}

// makes follows targets of a Makefile: their lines and what they need; the first
// one where none is named.
func (c *calling) makes(file string, targets []string) {
	text := c.read(file)
	if text == "" {
		return
	}
	needs, lines, first := map[string][]string{}, map[string]string{}, ""
	var now []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			for _, t := range now {
				lines[t] += line
			}
			continue
		}
		if m := target.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			now = strings.Fields(m[1])
			_, behind, _ := strings.Cut(line, ":")
			behind, recipe, _ := strings.Cut(behind, ";")
			for _, t := range now {
				needs[t] = append(needs[t], strings.Fields(strings.TrimLeft(behind, ":"))...)
				lines[t] += "\n" + recipe
				if first == "" && !strings.HasPrefix(t, ".") {
					first = t
				}
			}
		}
	}
	if len(targets) == 0 {
		targets = []string{first}
	}
	for len(targets) > 0 {
		t := targets[0]
		if targets = targets[1:]; c.done[file+"\x00"+t] {
			continue
		}
		c.done[file+"\x00"+t] = true
		targets = append(targets, needs[t]...)
		c.follow(file, lines[t])
	}
}

// runs follows a script of package.json, and those that npm runs around it.
func (c *calling) runs(file, name string) {
	var p struct{ Scripts map[string]string }
	if json.Unmarshal([]byte(c.read(file)), &p) != nil {
		return
	}
	if slices.Contains([]string{"ci", "install", "i", "publish", "pack"}, name) {
		for _, hook := range slices.Sorted(maps.Keys(p.Scripts)) {
			if slices.Contains([]string{"preinstall", "install", "postinstall", "prepare", "prepublish", "prepublishOnly", "prepack", "postpack", "publish", "postpublish"}, hook) {
				c.script(file, p.Scripts, hook)
			}
		}
		return
	}
	for _, n := range []string{"pre" + name, name, "post" + name} {
		c.script(file, p.Scripts, n)
	}
}

func (c *calling) script(file string, scripts map[string]string, name string) {
	if scripts[name] == "" || c.done[file+"\x00"+name] {
		return
	}
	c.done[file+"\x00"+name] = true
	c.follow(file, scripts[name])
}
