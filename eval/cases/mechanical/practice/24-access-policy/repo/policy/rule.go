package policy

import (
	"fmt"
	"strings"
)

// Effect is what a rule does.
type Effect int

const (
	Allow Effect = iota
	Deny
)

func (e Effect) String() string {
	if e == Deny {
		return "deny"
	}
	return "allow"
}

// Rule is one line of a policy.
type Rule struct {
	Line    int
	Effect  Effect
	Subject string
	Actions map[string]bool
	Target  Pattern
	// Until is the last day of a rule, 0 if it does not end.
	Until int
}

// Covers reports whether the rule speaks about an action.
func (r Rule) Covers(action string) bool {
	return r.Actions["*"] || r.Actions[action]
}

// Parse reads a policy, one rule per line:
//
//	allow editors read,write /docs/** until 120
//	deny  *       *          /docs/secret/**
//	include base
//
// Lines after "end" are notes and are not looked at.
func Parse(text string, include func(name string) (string, error)) ([]Rule, error) {
	var rules []Rule
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "allow", "deny":
			r, err := parseRule(f)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			r.Line = i + 1
			rules = append(rules, r)
		case "include":
			if len(f) != 2 || include == nil {
				return nil, fmt.Errorf("line %d: cannot include", i+1)
			}
			body, err := include(f[1])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			more, err := Parse(body, include)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f[1], err)
			}
			rules = append(rules, more...)
		case "end":
			break
		default:
			return nil, fmt.Errorf("line %d: unknown word %q", i+1, f[0])
		}
	}
	return rules, nil
}

func parseRule(f []string) (Rule, error) {
	if len(f) != 4 && len(f) != 6 {
		return Rule{}, fmt.Errorf("a rule has 4 or 6 words, not %d", len(f))
	}
	r := Rule{Subject: f[1], Actions: map[string]bool{}}
	if f[0] == "deny" {
		r.Effect = Deny
	}
	for _, a := range strings.Split(f[2], ",") {
		if a == "" {
			return Rule{}, fmt.Errorf("empty action in %q", f[2])
		}
		r.Actions[a] = true
	}
	var err error
	if r.Target, err = ParsePattern(f[3]); err != nil {
		return Rule{}, err
	}
	if len(f) == 6 {
		if f[4] != "until" {
			return Rule{}, fmt.Errorf("expected until, got %q", f[4])
		}
		if _, err := fmt.Sscanf(f[5], "%d", &r.Until); err != nil {
			return Rule{}, fmt.Errorf("not a day: %q", f[5])
		}
	}
	return r, nil
}
