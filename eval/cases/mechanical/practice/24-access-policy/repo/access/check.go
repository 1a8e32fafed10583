package access

import "warden/policy"

// Request asks whether a user may do something.
type Request struct {
	User   string
	Action string
	Path   string
	Day    int
}

// Decision is the answer, with the line of the rule that gave it (0: none).
type Decision struct {
	Allowed bool
	Line    int
}

// Checker answers requests.
type Checker struct {
	Rules  []policy.Rule
	Groups *Groups
}

// Check looks at all rules: a deny that fits always wins, otherwise the first
// allow that fits. Without any rule the answer is no.
func (c *Checker) Check(req Request) Decision {
	subjects := map[string]bool{"*": true}
	for _, s := range c.Groups.Subjects(req.User) {
		subjects[s] = true
	}
	var found Decision
	for _, r := range c.Rules {
		if !subjects[r.Subject] || !r.Covers(req.Action) {
			continue
		}
		if r.Until != 0 && req.Day > r.Until {
			continue
		}
		if !r.Target.Match(req.Path) {
			continue
		}
		if r.Effect == policy.Deny {
			return Decision{false, r.Line}
		}
		if !found.Allowed {
			found = Decision{true, r.Line}
		}
	}
	return found
}

// Filter keeps the paths a user may use with an action.
func (c *Checker) Filter(user, action string, day int, paths []string) []string {
	var out []string
	for _, p := range paths {
		if c.Check(Request{user, action, p, day}).Allowed {
			out = append(out, p)
		}
	}
	return out
}
