package main

import (
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
)

// fix is a commit that mends an issue in a few functions.
type fix struct {
	repo      string
	commit    string
	parent    string
	title     string
	body      string
	truth     []truth
	testFiles []string
	tests     string // the source of the tests that the commit adds or changes; "" where there are none
}

// truth is a function of the parent's tree that the commit changed.
type truth struct {
	path, name string
	start, end int
}

const (
	mostFunctions = 3
	mostTouched   = 8       // files with tests and documents
	fewestWords   = 4       // of a message, beside the commonest
	mostTests     = 6 << 10 // bytes of test source
)

var (
	fixing  = regexp.MustCompile(`(?i)\b(?:fix(?:e[sd]|ing)?|bug|clos(?:e[sd]?|ing)|resolve[sd]?|regression|crash(?:es)?|panic)\b`)
	trailer = regexp.MustCompile(`(?mi)^(?:co-authored-by|signed-off-by|reviewed-by|change-id|git-svn-id|piperorigin-revid|cc|merge):?.*$|\(?(?:fix(?:e[sd])?|clos(?:e[sd]?)|resolve[sd]?|see|refs?)?:?\s*(?:[\w./-]+)?#\d+\)?`)
	plain   = regexp.MustCompile(`[A-Za-z]{4,}`)
	version = regexp.MustCompile(`(?i)^(?:bump|release|prepare|merge|revert|update changelog|typo|docs?\b|test\b|tests\b|style|chore|ci\b|build\b|lint)`)
)

// fixes lists the newest of a repository's commits that mend something in one to
// three functions, oldest first.
func fixes(ctx context.Context, c *clone, name string, most int) ([]fix, error) {
	text, err := c.git(ctx, "log", "--no-merges", "--max-count=6000", "--raw", "--no-abbrev", "--no-renames", "-z", "--format=%x01%H %P%n%B%x02")
	if err != nil {
		return nil, err
	}
	var out []fix
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "\x01") {
		if len(out) == most || ctx.Err() != nil {
			break
		}
		f, changed, tests, ok := candidate(part)
		if !ok || seen[f.title] {
			continue
		}
		f.repo = name
		if f.truth, err = changedFunctions(ctx, c, changed); err != nil || len(f.truth) == 0 || len(f.truth) > mostFunctions {
			continue // a clone may lack objects
		}
		if f.tests, err = testSource(ctx, c, tests); err != nil {
			continue
		}
		f.testFiles = slices.Sorted(maps.Keys(tests))
		seen[f.title] = true
		out = append(out, f)
	}
	slices.Reverse(out)
	return out, ctx.Err()
}

// candidate reads a commit: its message, and its source and test files with both
// blobs.
func candidate(part string) (f fix, changed, tests map[string][2]string, ok bool) {
	head, files, ok := strings.Cut(part, "\x02")
	first, message, _ := strings.Cut(head, "\n")
	ids := strings.Fields(first)
	if !ok || len(ids) != 2 {
		return fix{}, nil, nil, false
	}
	f = fix{commit: ids[0], parent: ids[1]}
	if !fixing.MatchString(message) || version.MatchString(message) {
		return f, nil, nil, false
	}
	message = strings.TrimSpace(trailer.ReplaceAllString(message, ""))
	f.title, f.body, _ = strings.Cut(message, "\n")
	if len(plain.FindAllString(message, -1)) < fewestWords {
		return f, nil, nil, false
	}
	changed, tests = map[string][2]string{}, map[string][2]string{}
	words := strings.FieldsFunc(files, func(r rune) bool { return r == 0 || r == '\n' })
	n := 0
	for i := 0; i+1 < len(words); i += 2 {
		meta, p := strings.Fields(words[i]), words[i+1]
		if len(meta) != 5 {
			return f, nil, nil, false
		}
		n++
		if memory.ClassOf(p) == memory.ClassTest && meta[4] != "D" {
			tests[p] = [2]string{meta[2], meta[3]}
		}
		if code.LanguageOf(p) == code.Unknown || memory.ClassOf(p) != memory.ClassSource {
			continue
		}
		if meta[4] != "M" {
			return f, nil, nil, false
		}
		changed[p] = [2]string{meta[2], meta[3]}
	}
	return f, changed, tests, len(changed) > 0 && len(changed) <= mostFunctions && n <= mostTouched
}

// changedFunctions are those of the text before that the text after has not.
func changedFunctions(ctx context.Context, c *clone, changed map[string][2]string) ([]truth, error) {
	var out []truth
	for p, blobs := range changed {
		before, err := c.blob(ctx, blobs[0])
		if err != nil {
			return nil, err
		}
		after, err := c.blob(ctx, blobs[1])
		if err != nil {
			return nil, err
		}
		gone, err := code.Touched(ctx, p, after, before)
		if err != nil {
			return nil, err
		}
		for _, g := range gone {
			if g.Kind == code.KindFunction || g.Kind == code.KindMethod {
				out = append(out, truth{p, g.QualifiedName, g.StartLine, g.EndLine})
			}
		}
	}
	slices.SortFunc(out, func(a, b truth) int { return strings.Compare(path.Join(a.path, a.name), path.Join(b.path, b.name)) })
	return out, nil
}

// testSource is the source of the tests that a commit adds or changes, as a run
// has it that begins with a failing test: the innermost regions, in their order.
func testSource(ctx context.Context, c *clone, tests map[string][2]string) (string, error) {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(tests)) {
		var before []byte
		if strings.Trim(tests[p][0], "0") != "" {
			var err error
			if before, err = c.blob(ctx, tests[p][0]); err != nil {
				return "", err
			}
		}
		after, err := c.blob(ctx, tests[p][1])
		if err != nil {
			return "", err
		}
		regions, err := code.Touched(ctx, p, before, after)
		if err != nil {
			return "", err
		}
		for i, r := range regions {
			outer := i+1 < len(regions) && regions[i+1].StartByte >= r.StartByte && regions[i+1].EndByte <= r.EndByte
			callable := r.Kind == code.KindFunction || r.Kind == code.KindMethod || r.Kind == code.KindTest
			if text := after[r.StartByte:r.EndByte]; callable && !outer && b.Len()+len(text) <= mostTests {
				b.Write(text)
				b.WriteString("\n\n")
			}
		}
	}
	return b.String(), nil
}
