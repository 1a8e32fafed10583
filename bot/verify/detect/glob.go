package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const globChars = "*?[{"

// quotes tells whether a script of the package has the word in quotes: then the
// program sees it as it is, else the shell expands it.
func (n *nodePackage) quotes(word string) bool {
	for _, s := range n.pkg.Scripts {
		if strings.Contains(s, `'`+word+`'`) || strings.Contains(s, `"`+word+`"`) {
			return true
		}
	}
	return false
}

// shown writes arguments as a person types them.
func (n *nodePackage) shown(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if strings.ContainsAny(a, globChars+" ") && n.quotes(a) {
			out[i] = "'" + a + "'"
		}
	}
	return out
}

// seen are arguments as NodeRuns reads them: where a word has no quotes the shell
// expands it, and ** is no more to it than *.
func (n *nodePackage) seen(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if !n.quotes(a) {
			out[i] = strings.ReplaceAll(a, "**", "*")
		}
	}
	return out
}

// expand puts files in the place of patterns, as the shell of an npm script
// does and as node itself does from release 21 on. A pattern that nothing
// matches stays, as in a shell.
func (n *nodePackage) expand(args []string) []string {
	var out []string
	for _, a := range args {
		files := n.matches(a)
		if len(files) == 0 || strings.HasPrefix(a, "-") {
			files = []string{a}
		}
		out = append(out, files...)
	}
	return out
}

// matches lists the package's files that a pattern means, from its folder.
func (n *nodePackage) matches(pattern string) []string {
	if !strings.ContainsAny(pattern, globChars) {
		return nil
	}
	pattern, deep := strings.TrimPrefix(pattern, "./"), n.quotes(pattern)
	prefix := ""
	if n.dir != "." {
		prefix = n.dir + "/"
	}
	var out []string
	for _, f := range n.t.Files {
		rel, ok := strings.CutPrefix(f, prefix)
		if ok && deep {
			ok = means(pattern, rel)
		} else if ok { // the shell's: ** is no more than *
			ok, _ = path.Match(strings.ReplaceAll(pattern, "**", "*"), rel)
		}
		if ok {
			out = append(out, rel)
		}
	}
	return out
}

// means tells whether a pattern with ** and braces means a file. One with more
// alternatives than there is time for means none.
func means(pattern, file string) bool {
	return strings.Count(pattern, "{") <= 3 && doublestar.MatchUnvalidated(pattern, file)
}
