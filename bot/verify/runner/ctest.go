package runner

import (
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// layCTest adds two tests to the project from a file that CMake reads where the
// project begins: its own programs are built and run by the same ctest.
func layCTest(_ *detect.Tree, c detect.Command, word string) Sentinel {
	return Sentinel{File: path.Join(c.Dir, word+".cmake"), Names: []string{word + "_passes", word + "_fails"},
		Text: fmt.Sprintf("if(CMAKE_CURRENT_SOURCE_DIR STREQUAL CMAKE_SOURCE_DIR)\n  enable_testing()\n  add_test(NAME %[1]s_passes COMMAND ${CMAKE_COMMAND} -E true)\n  add_test(NAME %[1]s_fails COMMAND ${CMAKE_COMMAND} -E false)\nendif()\n", word)}
}

func narrowCTest(c detect.Command, _, tests []string, s Sentinel) detect.Command {
	if s.File != "" {
		c.Env = maps.Clone(c.Env)
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env["FETTLE_INCLUDE"] = path.Base(s.File)
	}
	if len(tests) == 0 {
		return c
	}
	var names []string
	for _, name := range append(tests[:len(tests):len(tests)], s.Names...) {
		names = append(names, cmakeSpecial.ReplaceAllString(name, "."))
	}
	c.Argv = append(c.Argv[:len(c.Argv):len(c.Argv)], "-R", "^("+strings.Join(names, "|")+")$")
	return c
}

// cmakeSpecial are what CMake's regular expressions give a meaning: there any
// character will do.
var cmakeSpecial = lazyregexp.New(`[^\w/ -]`)
