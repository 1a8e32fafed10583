package agent

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// MaxSteps is how many steps a plan has at most (SPEC L5).
const MaxSteps = 12

// Plan is an ordered list of steps. It survives a JSON round trip.
type Plan struct {
	Summary  string   `json:"summary"`
	Steps    []Step   `json:"steps"`
	Origin   Origin   `json:"origin"`
	Problems []string `json:"problems,omitempty"` // what was said against it, or why it is the fallback
	Looked   []string `json:"looked,omitempty"`   // what the planner read before, as targets of a step
}

// Whole tells whether the plan is the task itself, and its step says no more.
func (p Plan) Whole() bool { return p.Origin == Fallback && len(p.Steps) == 1 }

// Step is one change with its own goal.
type Step struct {
	Goal       string   `json:"goal"`
	Targets    []string `json:"targets,omitempty"` // paths, or path::region
	Acceptance string   `json:"acceptance,omitempty"`
	Critical   bool     `json:"critical,omitempty"`
	Test       *bool    `json:"test,omitempty"` // it changes what the program does, so that a test can fail before it; nil: the planner does not say
}

// Testable tells whether a test could fail before the step and pass after it:
// as its plan says, else unless it is about documents alone.
func (s Step) Testable() bool {
	if s.Test != nil {
		return *s.Test
	}
	return len(s.Targets) == 0 || slices.ContainsFunc(s.Targets, func(t string) bool {
		file, _ := SplitTarget(t)
		return !document.MatchString(file)
	})
}

var document = lazyregexp.New(`(?i)\.(?:md|rst|adoc|txt)$|(?:^|/)(?:README|CHANGELOG)[^/.]*$`)

// lines are what may stand behind a path, such as :12 or :12-20.
var lines = lazyregexp.New(`:[0-9]+(?:[:-][0-9]+)?$`)

// SplitTarget gives the file of a target such as src/a.py::Cart.total, and the
// region, "" when it names none.
func SplitTarget(target string) (file, region string) {
	file, region, _ = strings.Cut(target, "::")
	if file = lines.ReplaceAllString(strings.TrimSpace(file), ""); file != "" {
		file = path.Clean(file)
	}
	return file, strings.TrimSpace(region)
}

// Files are the files that the plan names, each once, without regions.
func (p Plan) Files() []string {
	var out []string
	for _, s := range p.Steps {
		for _, t := range s.Targets {
			if file, _ := SplitTarget(t); file != "" && !slices.Contains(out, file) {
				out = append(out, file)
			}
		}
	}
	return out
}

// Fold makes one step of two that follow each other.
func Fold(a, b Step) Step {
	one := Step{Goal: a.Goal + "\nIn the same change: " + b.Goal, Targets: slices.Clone(a.Targets), Critical: a.Critical || b.Critical}
	for _, t := range b.Targets {
		if !slices.Contains(one.Targets, t) {
			one.Targets = append(one.Targets, t)
		}
	}
	one.Acceptance = strings.TrimSpace(a.Acceptance + "\n" + b.Acceptance)
	tests := (a.Test != nil && *a.Test) || (b.Test != nil && *b.Test)
	if tests || a.Test != nil && b.Test != nil {
		one.Test = &tests
	}
	return one
}

// Origin is how a plan came about.
type Origin string

// The origins of plans.
const (
	Planned  Origin = "planned"  // the planner's first
	Revised  Origin = "revised"  // the planner's second, after a critique or feedback
	Fallback Origin = "fallback" // made without a model: read, patch, test, finish
)
