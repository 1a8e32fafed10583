package settings

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// RepoFile is where a repository says how it wants to be worked on.
const RepoFile = ".fettle.yml"

// Repo is what a repository's .fettle.yml says. It is read from the default
// branch's commit and can only narrow what the operator allows.
type Repo struct {
	Base      string   // the branch to work from and open pull requests against
	Protected []string // globs that need a human's yes, on top of the defaults
	NeverSend []string // globs that no model may see
	Scope     []string // globs that may be changed; empty for all
	Budget    *task.Budget
}

type repoFile struct {
	Base      string      `yaml:"base"`
	Protected []string    `yaml:"protected"`
	NeverSend []string    `yaml:"never_send"`
	Scope     []string    `yaml:"scope"`
	Budget    *budgetFile `yaml:"budget"`
	MaxTier   string      `yaml:"max_tier"`
}

// LoadRepo reads .fettle.yml from bytes; nil or empty gives nothing to narrow.
func LoadRepo(raw []byte) (*Repo, error) {
	if len(raw) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", RepoFile, maxFile)
	}
	var f repoFile
	if err := strict(raw, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", RepoFile, err)
	}
	p := &checker{name: RepoFile, raw: raw}
	r := &Repo{Base: f.Base, Protected: f.Protected, NeverSend: f.NeverSend, Scope: f.Scope}
	for key, globs := range map[string][]string{"protected": f.Protected, "never_send": f.NeverSend, "scope": f.Scope} {
		for _, g := range globs {
			if _, err := path.Match(strings.ReplaceAll(g, "**", "*"), "x"); err != nil || g == "" {
				p.fail(key, fmt.Sprintf("%q is not a pattern of paths such as src/** or *.sql", g))
			}
		}
	}
	if strings.HasPrefix(f.Base, "-") || strings.ContainsAny(f.Base, " \t\n~^:?*[\\") {
		p.fail("base", "it is the name of a branch")
	}
	if f.Budget != nil || f.MaxTier != "" {
		var none task.Budget
		b := none
		if f.Budget != nil {
			b = p.budget("budget", *f.Budget, none)
		}
		if f.MaxTier != "" {
			b.MaxTier = task.Tier(f.MaxTier)
			if b.MaxTier.Rank() < 0 {
				p.fail("max_tier", "it is mechanical, tier1, tier2 or tier3")
			}
		}
		r.Budget = &b
	}
	if p.err != nil {
		return nil, p.err
	}
	return r, nil
}

// Narrow is the budget that holds where the operator allows one and the
// repository asks for another: the smaller of each limit.
func Narrow(allowed task.Budget, r *Repo) task.Budget {
	if r == nil || r.Budget == nil {
		return allowed
	}
	b, want := allowed, *r.Budget
	if want.USD > 0 && want.USD < b.USD {
		b.USD = want.USD
	}
	if want.Duration > 0 && want.Duration < b.Duration {
		b.Duration = want.Duration
	}
	if want.AttemptsPerTier > 0 && want.AttemptsPerTier < b.AttemptsPerTier {
		b.AttemptsPerTier = want.AttemptsPerTier
	}
	if want.Attempts > 0 && want.Attempts < b.Attempts {
		b.Attempts = want.Attempts
	}
	if want.MaxTier != "" && slices.Index(task.Ladder, want.MaxTier) < slices.Index(task.Ladder, b.MaxTier) {
		b.MaxTier = want.MaxTier
	}
	return b
}
