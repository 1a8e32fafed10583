package runner

import (
	"fmt"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Tests of tape and node-tap are programs that print TAP, one for each file.

var moduleImport = lazyregexp.New(`(?m)^\s*import\s`)

// layTAP makes a file of two tests as the first test file loads them.
func layTAP(t *detect.Tree, c detect.Command, word string) Sentinel {
	file, _ := beside(c, word)
	if file == "" || path.Ext(file) == ".ts" || path.Ext(file) == ".tsx" {
		return Sentinel{}
	}
	head := fmt.Sprintf("const test = require('%s');\n", c.Tool)
	if moduleImport.MatchString(t.Read(c.Files[0])) {
		head = fmt.Sprintf("import test from '%s';\n", c.Tool)
	}
	return Sentinel{File: file, Text: fmt.Sprintf("%s(test.test || test)('%s passes', (t) => { t.ok(true); t.end(); });\n(test.test || test)('%s fails', (t) => { t.ok(false, 'it has to'); t.end(); });\n", head, word, word)}
}

func narrowTAP(c detect.Command, files, _ []string, s Sentinel) detect.Command {
	if len(files) == 0 {
		files = slices.Clone(c.Argv[4:])
	}
	if len(files) > 0 {
		c.Argv = slices.Concat(c.Argv[:4], s.with(c, files))
	}
	return c
}
