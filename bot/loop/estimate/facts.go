package estimate

import (
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

var (
	feature  = regexp.MustCompile(`(?i)^\W*(feat\b|feature)|\b(add support|please add|would be (nice|great)|feature request|implement)\b`)
	refactor = regexp.MustCompile(`(?i)^\W*refactor|\b(refactor|clean ?up|rename|simplif)`)
	tests    = regexp.MustCompile(`(?i)^\W*tests?\b|\b(add|write|missing) (\w+ )?tests?\b`)
	docs     = regexp.MustCompile(`(?i)^\W*docs?\b|\b(documentation|docstring|typo|readme)\b`)
)

// languages by the ending of a file's name.
var languages = map[string]string{".py": "python", ".go": "go", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".ts": "typescript", ".tsx": "typescript", ".java": "java", ".rs": "rust", ".rb": "ruby", ".php": "php", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hpp": "c++"}

// CaseOf tells the case of a task from its text and from what fails on the
// base. files may name further files that it is about, the likeliest first.
func CaseOf(t task.Task, failures []task.Failure, files ...string) Case {
	c := Case{Class: "bug", Size: "long"}
	switch {
	case tests.MatchString(t.Title):
		c.Class = "test"
	case docs.MatchString(t.Title):
		c.Class = "docs"
	case refactor.MatchString(t.Title):
		c.Class = "refactor"
	case feature.MatchString(t.Title):
		c.Class = "feature"
	}
	switch n := len(t.Title) + len(t.Body); {
	case n < 500:
		c.Size = "short"
	case n < 2500:
		c.Size = "medium"
	}
	if len(failures) > 0 {
		c.Failure = string(failures[0].Kind)
		files = append(files, failures[0].File)
	}
	for _, f := range files {
		if l := languages[strings.ToLower(path.Ext(f))]; l != "" {
			c.Language = l
			break
		}
	}
	return c
}

// Observations tells what a finished run says about its tiers. Runs that ended
// for other reasons than the tiers' own say nothing about the tier in hand.
func Observations(c Case, r task.Result) []Observation {
	var out []Observation
	var before []Try
	for i, a := range r.Attempts {
		n := len(out)
		if n == 0 || out[n-1].Tier != a.Tier {
			out = append(out, Observation{Case: c, Before: append([]Try(nil), before...), Tier: a.Tier})
			n++
		}
		o := &out[n-1]
		o.Cost += a.Cost
		o.Took += a.Elapsed
		last := i == len(r.Attempts)-1
		if !last && r.Attempts[i+1].Tier == a.Tier {
			continue
		}
		o.Solved = last && r.Outcome == task.Success
		before = append(before, Try{a.Tier, o.Cost})
	}
	if n := len(out); n > 0 && !out[n-1].Solved && r.Outcome != task.FailedAllTiers && r.Outcome != task.LoopDetected && r.Outcome != task.Impasse {
		out = out[:n-1] // it was stopped, not beaten
	}
	return out
}
