package history

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
)

// Candidate is a commit that by its files alone may mend one fault.
type Candidate struct {
	Repo, Commit, Path, Language string
	Tests                        []string // test files that it changes; empty: only data of tests
	When                         time.Time
	Fixing                       bool // its subject speaks of a fix
	blobs                        string
}

// maxLines bounds what a commit adds to its source and what it takes away,
// with comments; MaxFix bounds the lines of code.
const (
	maxLines = 24
	MaxFix   = 12
)

var (
	fixing   = regexp.MustCompile(`(?i)\b(fix(es|ed|ing)?|bugs?|issue|crash|wrong|incorrect|correct|regression|handle|panic|error|broken|don'?t|should|properly|avoid|prevent|ensure|support)\b|#\d+`)
	otherUse = regexp.MustCompile(`(^|/)(docs?|examples?|_examples|benchmarks?|bench|vendor|dist|build|node_modules|min|scripts?|tools?|website|\.github|types?)/|\.min\.js$|\.d\.ts$|(^|/)(setup|conftest|noxfile|tasks)\.py$|(^|/)[\w.]+\.config\.[cm]?js$|(^|/)(Gruntfile|gulpfile|rollup[\w.]*|karma[\w.]*|\.[\w.]+)\.[cm]?js$`)
	inTests  = regexp.MustCompile(`(^|/)(tests?|testing|spec|specs|__tests__|testdata|fixtures?)/|(^|/)tests?\.[cm]?js$`)
)

// language is that of a source file of the three; other tells code of a
// language that is not judged here.
func language(p string) (lang string, other bool) {
	switch path.Ext(p) {
	case ".py":
		return "python", false
	case ".js", ".mjs", ".cjs":
		return "javascript", false
	case ".go":
		return "go", false
	case ".ts", ".tsx", ".jsx", ".c", ".h", ".cc", ".cpp", ".pyx", ".rs", ".s", ".java", ".mts", ".cts", ".coffee", ".y", ".jison":
		return "", true
	}
	return "", false
}

// Candidates lists the commits of a repository's history that change one
// source file and tests: those of the main line, a merge against what it was
// merged into, and those that came in by merges. Newest first, but a subject
// that speaks of a fix counts as two years newer.
func Candidates(ctx context.Context, repo, name, lang string) ([]Candidate, error) {
	var out []Candidate
	seen := map[string]bool{}
	for _, how := range [][]string{{"--no-merges"}, {"--first-parent", "--diff-merges=first-parent"}} {
		args := append([]string{"log", "-M", "--raw", "--numstat", "--no-abbrev", "-z", "--format=%x01%H%x02%ct%x02%s"}, how...)
		text, err := git(ctx, repo, nil, append(args, "HEAD")...)
		if err != nil && len(text) == 0 { // where an old object is missing, the newer commits are there
			return nil, fmt.Errorf("reading the history of %s: %w", name, err)
		}
		for _, rec := range strings.Split(string(text), "\x01")[1:] {
			c, ok := parseCommit(rec)
			if !ok || c.Language != lang || seen[c.blobs] {
				continue
			}
			seen[c.blobs], c.Repo = true, name
			out = append(out, c)
		}
	}
	bonus := func(c Candidate) time.Time {
		if c.Fixing {
			return c.When.AddDate(2, 0, 0)
		}
		return c.When
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return bonus(b).Compare(bonus(a)) })
	return out, nil
}

// parseCommit reads one record of `git log --raw --numstat -z`.
func parseCommit(rec string) (Candidate, bool) {
	head, rest, _ := strings.Cut(rec, "\x00")
	f := strings.Split(strings.TrimSpace(head), "\x02")
	if len(f) != 3 || len(f[0]) != 40 {
		return Candidate{}, false
	}
	secs, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return Candidate{}, false
	}
	c := Candidate{Commit: f[0], When: time.Unix(secs, 0).UTC(), Fixing: fixing.MatchString(f[2])}
	tested := false
	fields := strings.Split(strings.TrimLeft(rest, "\n\x00"), "\x00")
	blobs := map[string]string{}
	for i := 0; i < len(fields); i++ {
		line := strings.TrimLeft(fields[i], "\n")
		if meta, ok := strings.CutPrefix(line, ":"); ok { // ":mode mode blob blob M", path
			w := strings.Fields(meta)
			if len(w) != 5 || i+1 >= len(fields) {
				return c, false
			}
			if w[4][0] == 'R' || w[4][0] == 'C' {
				i++ // the old name
			}
			i++
			if w[4] == "M" && i < len(fields) {
				blobs[fields[i]] = w[2] + w[3]
			}
			continue
		}
		w := strings.SplitN(line, "\t", 3)
		if len(w) != 3 {
			continue
		}
		p := w[2]
		if p == "" && i+2 < len(fields) { // a rename: old and new name follow
			p, i = fields[i+2], i+2
		}
		if !c.takes(p, w[0], w[1], &tested) {
			return c, false
		}
	}
	c.blobs = blobs[c.Path]
	return c, c.Path != "" && tested && c.blobs != ""
}

// takes looks at one file of the commit; false when the commit is out.
func (c *Candidate) takes(p, plus, minus string, tested *bool) bool {
	lang, other := language(p)
	added, _ := strconv.Atoi(plus) // "-": binary
	switch {
	case code.IsTest(p) || inTests.MatchString(p):
		if added > 0 {
			*tested = true
			if lang != "" && code.IsTest(p) {
				c.Tests = append(c.Tests, p)
			}
		}
		return true
	case otherUse.MatchString(p):
		return true
	case other:
		return false
	case lang == "":
		return true
	}
	removed, err := strconv.Atoi(minus)
	if c.Path != "" || err != nil || added > maxLines || removed > maxLines {
		return false
	}
	c.Path, c.Language = p, lang
	return true
}
