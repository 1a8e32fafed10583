package runner

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// layPHPUnit makes a test class beside another one.
func layPHPUnit(_ *detect.Tree, c detect.Command, word string) Sentinel {
	if len(c.Files) == 0 {
		return Sentinel{}
	}
	class := word + "Test" // its file tells that it is ours
	return Sentinel{File: path.Join(path.Dir(c.Files[0]), class+".php"), Names: []string{class + "::test_passes", class + "::test_fails"},
		Text: fmt.Sprintf("<?php\n\nclass %s extends \\PHPUnit\\Framework\\TestCase\n{\n    public function test_passes(): void { $this->assertSame('%s', '%[2]s'); }\n    public function test_fails(): void { $this->fail('it has to'); }\n}\n", class, word)}
}

// narrowPHPUnit runs the tests of some files by their classes: it takes no more
// than one file, and a class is named like its file.
func narrowPHPUnit(c detect.Command, files, tests []string, s Sentinel) detect.Command {
	if len(files) == 0 {
		return c
	}
	filter := anyOf(append(only(nil, tests), s.Names...), "", "$")
	for _, f := range whole(files, tests) {
		filter += "|" + regexp.QuoteMeta(strings.TrimSuffix(path.Base(f), ".php")) + "::"
	}
	c.Argv = append(slices.Clone(c.Argv), "--filter", `/(?:^|\\)(?:`+filter+")/")
	return c
}

func isPHPUnit(file string) bool { return strings.HasSuffix(file, "Test.php") }
