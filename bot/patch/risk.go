package patch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Facts is what the risk of a change depends on besides its text.
type Facts struct {
	Tier       task.Tier
	TestsAdded bool
	// CallersLeft are the uses of what changed its name or parameters that
	// the change does not adapt.
	CallersLeft int
	// Dangers are what the change adds that can do harm.
	Dangers []Danger
}

// Danger is one of them: a line, why it matters, and its weight.
type Danger struct {
	Points int
	Words  string
}

// maxDanger bounds what dangers add to a risk, so that a long list of the same
// does not hide the other reasons.
const maxDanger = 60

var (
	sensitivePath = lazyregexp.New(`(?i)(?:^|[/_.-])(?:auth\w*|login|session|passw\w*|crypto\w*|secur\w*|permission\w*|acl|oauth\w*|token\w*|payment\w*|billing|migrat\w*|sql|ci|deploy\w*)(?:[/_.-]|$)`)
	sensitiveLine = lazyregexp.New(`(?i)\b(?:password|passwd|secret|hmac|encrypt|decrypt|signature|verify_?token|authenti\w+|authori[sz]\w+|permission|is_admin|csrf|subprocess|os\.system|shell\s*=\s*True|eval|exec|pickle|yaml\.load|innerHTML|dangerouslySetInnerHTML|insert\s+into|delete\s+from|drop\s+table|update\s+\w+\s+set|select\s+.+\s+from)\b`)
	branchWord    = lazyregexp.New(`\b(?:if|elif|else if|for|while|case|catch|except|switch|match|&&|\|\||and|or)\b`)
)

// Risk scores a change from 0 to 100, with the reasons that made it up (SPEC
// E6). The weights are ours; a human reads the reasons, not the number.
func Risk(changes []Change, facts Facts) task.Risk {
	var r risk
	added, removed, branches, files := 0, 0, 0, 0
	for _, c := range changes {
		if code.IsTest(c.Path) && c.Before == nil {
			continue // a new test cannot break anything
		}
		files++
		plus, minus := changedLines(c)
		added, removed = added+len(plus), removed+len(minus)
		branches += count(plus) - count(minus)
		r.sensitive(c.Path, plus, minus)
		r.signatures(c)
		if c.After == nil {
			r.add(15, "%s is deleted", c.Path)
		}
	}
	if lines := added + removed; lines > 0 {
		r.add(min(20, lines/4), "%s changed (+%d −%d)", task.Count(lines, "line"), added, removed)
	}
	if files > 1 {
		r.add(min(16, 4*(files-1)), "%s changed", task.Count(files, "file"))
	}
	if removed > added+10 {
		r.add(8, "%s removed than added", task.Count(removed-added, "more line"))
	}
	if branches > 0 {
		r.add(min(10, branches), "%s more", task.Count(branches, "branch"))
	}
	if facts.CallersLeft > 0 {
		r.add(min(20, 5*facts.CallersLeft), "%s of what changed its name or parameters left as written", task.Count(facts.CallersLeft, "caller"))
	}
	left := maxDanger
	for _, d := range facts.Dangers {
		points := min(d.Points, left)
		left -= points
		r.add(points, "%s", d.Words)
	}
	if rank := facts.Tier.Rank(); rank > 1 {
		r.add(4*(rank-1), "needed %s", facts.Tier)
	}
	if files > 0 && !facts.TestsAdded {
		r.add(6, "no new test came with it")
	}
	return task.Risk{Score: min(100, r.score), Reasons: r.reasons}
}

type risk struct {
	score   int
	reasons []string
	places  int
}

func (r *risk) add(points int, format string, args ...any) {
	if points > 0 {
		r.score += points
		r.reasons = append(r.reasons, fmt.Sprintf(format, args...)+fmt.Sprintf(" (+%d)", points))
	}
}

// sensitive counts places where a mistake is a hole.
func (r *risk) sensitive(name string, plus, minus []string) {
	points := 20
	if r.places > 0 {
		points = 5
	}
	if r.places >= 3 {
		return
	}
	if sensitivePath.MatchString(name) || (Guard{}).IsProtected(name) {
		r.places++
		r.add(points, "%s is a sensitive file", name)
		return
	}
	for _, line := range append(minus, plus...) {
		if word := sensitiveLine.FindString(line); word != "" {
			r.places++
			r.add(points, "%s: a changed line deals with %q", name, word)
			return
		}
	}
}

// signatures compares the public functions, methods and classes.
func (r *risk) signatures(c Change) {
	ctx := context.Background()
	before, err := code.Regions(ctx, c.Path, c.Before)
	if err != nil {
		return
	}
	after, err := code.Regions(ctx, c.Path, c.After)
	if err != nil {
		return
	}
	now := map[string][]string{} // a name may be defined in each branch of an if
	for _, x := range after {
		now[x.QualifiedName] = append(now[x.QualifiedName], squeeze(x.Signature))
	}
	changed := 0
	for _, x := range before {
		if x.Kind == code.KindBlock || !public(x) || changed == 2 {
			continue
		}
		if signatures, ok := now[x.QualifiedName]; !ok {
			changed++
			r.add(15, "%s: %s is gone", c.Path, x.QualifiedName)
		} else if !slices.Contains(signatures, squeeze(x.Signature)) {
			changed++
			r.add(15, "%s: the signature of %s changes", c.Path, x.QualifiedName)
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// public tells whether others may call it, by the language's custom.
func public(r code.Region) bool {
	if r.Name == "" || strings.HasPrefix(r.Name, "_") || strings.HasPrefix(r.Name, "#") {
		return false
	}
	if r.Language == code.Go {
		return r.Name[0] >= 'A' && r.Name[0] <= 'Z'
	}
	return true
}

// changedLines are the lines that only one side has.
func changedLines(c Change) (plus, minus []string) {
	for i, line := range strings.Split(string(diff.Diff("a", c.Before, "b", c.After)), "\n") {
		switch {
		case i < 3 || line == "": // three lines of header
		case line[0] == '+':
			plus = append(plus, line[1:])
		case line[0] == '-':
			minus = append(minus, line[1:])
		}
	}
	return plus, minus
}

func count(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(branchWord.FindAllString(line, -1))
	}
	return n
}
