package runner

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Runners of Ruby: a sentinel is a file beside another test file.

func layRSpec(_ *detect.Tree, c detect.Command, word string) Sentinel {
	file, _ := beside(c, word)
	return Sentinel{File: file, Text: fmt.Sprintf("RSpec.describe '%s' do\n  it('passes') {}\n  it('fails') { raise 'it has to' }\nend\n", word), Names: []string{word + " passes", word + " fails"}}
}

// narrowRSpec runs files, and of them the tests of those names. A test that has no
// title gets its name when it has run: then all of its file are run.
func narrowRSpec(c detect.Command, files, tests []string, s Sentinel) detect.Command {
	c.Argv = slices.Concat(c.Argv, s.with(c, files))
	if names := only(files, tests); len(names) > 0 && !slices.ContainsFunc(names, untitled.MatchString) {
		c.Argv = append(c.Argv, "--example-matches", anyOf(append(names, s.Names...), `\A`, `\z`))
	}
	return c
}

var untitled = lazyregexp.New(`(?:^| )(?:is expected (?:not )?to |should |example at \./)`)

func layMinitest(_ *detect.Tree, c detect.Command, word string) Sentinel {
	return layXUnit(c, word, "Minitest::Test")
}

func layTestUnit(_ *detect.Tree, c detect.Command, word string) Sentinel {
	return layXUnit(c, word, "Test::Unit::TestCase")
}

func layXUnit(c detect.Command, word, class string) Sentinel {
	file, _ := beside(c, word)
	mine := strings.ToUpper(word[:1]) + word[1:]
	return Sentinel{File: file, Text: fmt.Sprintf("class %s < %s\n  def test_passes; end\n\n  def test_fails\n    raise 'it has to'\n  end\nend\n", mine, class),
		Names: []string{mine + "#test_passes", mine + "#test_fails"}}
}

// narrowMinitest puts files in the place of the command's patterns, which stand
// behind the file for results. The sentinel's need not be among what they mean.
func narrowMinitest(c detect.Command, files, tests []string, s Sentinel) detect.Command {
	at := slices.IndexFunc(c.Argv, func(a string) bool { return strings.HasPrefix(a, "{out}/") }) + 1
	named := files
	if len(files) == 0 {
		files = c.Argv[at:]
	}
	c.Argv = slices.Concat(c.Argv[:at], s.with(c, files))
	names := only(named, tests)
	if len(names) == 0 {
		return c
	}
	names = append(names, s.Names...)
	if c.Tool == detect.TestUnit { // it knows tests by their names alone
		for i, n := range names {
			_, names[i], _ = strings.Cut(n, "#")
		}
	}
	c.Argv = append(c.Argv, "-n", "/"+anyOf(names, `\A`, `\z`)+"/")
	return c
}

// only are the names in the ids of tests, nil where a file is run of which none is
// named: that one is run whole.
func only(files, tests []string) (out []string) {
	if len(whole(files, tests)) > 0 {
		return nil
	}
	for _, id := range tests {
		if _, name, ok := strings.Cut(id, " > "); ok {
			out = append(out, name)
		}
	}
	return out
}

// whole are the files of which no test is named.
func whole(files, tests []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return slices.ContainsFunc(tests, func(id string) bool { return strings.HasPrefix(id, f+" > ") })
	})
}

// anyOf is an expression for some names and no others, as Ruby and PCRE read it.
func anyOf(names []string, begin, end string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(n), "/", `\/`)
	}
	return begin + "(?:" + strings.Join(quoted, "|") + ")" + end
}

func isSpec(file string) bool { return strings.HasSuffix(file, "_spec.rb") }

func isRubyTest(file string) bool {
	base := path.Base(file)
	return strings.HasSuffix(base, "_test.rb") || strings.HasPrefix(base, "test_") && path.Ext(base) == ".rb"
}
