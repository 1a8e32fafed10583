package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// RepoFile is the name of a repository's own file, at its root.
const RepoFile = ".fettle.yml"

// MaxRepoFile is the size in bytes over which RepoFile is not read.
const MaxRepoFile = 1 << 20

// Repo is what a repository asks for. It can only narrow.
type Repo struct {
	Setup     []string // commands that install dependencies
	Checks    []Check
	Base      string       // branch that fixes start from
	Protected []string     // patterns of paths that no patch may touch
	NeverSend []string     // patterns of paths that no model may see
	Scope     []string     // patterns of paths that a patch may touch; empty: all
	Budget    *task.Budget // nil and zero fields: not said
	Gates     []string     // reasons to leave a pull request a draft
	Ask       task.Gates   // where runs have to wait for a human; zero fields: not said
	Labels    []string     // put on pull requests
	SignOff   bool         // commits carry Signed-off-by
	Keep      bool         // fettle's branch stays where its pull request was merged
	Needs     Needs        // what its tests need beside its files
	Smoke     *Smoke       // how the service is started, and what it has to answer
	Judge     Judge        // whose pull requests are judged without being asked
}

// Check is a named command.
type Check struct {
	Name     string
	Run      string
	Required bool
	Format   string // of what it prints, or of the files that Report names: one of CheckFormats; "": recognised
	Report   string // pattern of result files below the root, "": what it prints is read
}

// CheckFormats are the formats in which a check can say what each test did.
var CheckFormats = []string{"junit", "tap", "json-lines", "exit"}

// operatorsOwn answers a repository that tries to set what is not its own.
var operatorsOwn = advice("belongs to the operator's own file and cannot be set by a repository",
	"tiers", "github", "database", "sandbox", "engine", "state_dir", "log", "label", "prompts", "network", "base_url", "model", "models", "api_key", "api_key_env", "prices", "bots", "installations", "commands_per_hour")

// advice is the same words for several keys.
func advice(words string, keys ...string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		out[key] = words
	}
	return out
}

var (
	word   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,49}$`)
	branch = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`)
)

// LoadRepo reads the bytes of a .fettle.yml; none at all is an empty file.
func LoadRepo(data []byte) (*Repo, error) {
	root, err := read(RepoFile, data)
	if err != nil {
		return nil, err
	}
	r, wish := &Repo{}, task.Budget{}
	globs := func(v value) ([]string, error) { return v.strings(glob) }
	words := func(v value) ([]string, error) { return v.strings(plainWord) }
	err = first(
		root.only(operatorsOwn, "setup", "checks", "base", "protected", "never_send", "scope", "budget", "max_tier", "gates", "labels", "sign_off", "delete_branch", "smoke", "env", "services", "judge"),
		set(root, "setup", &r.Setup, func(v value) ([]string, error) { return v.strings(nil) }),
		set(root, "checks", &r.Checks, checks),
		set(root, "base", &r.Base, branchName),
		set(root, "protected", &r.Protected, globs),
		set(root, "never_send", &r.NeverSend, globs),
		set(root, "scope", &r.Scope, globs),
		set(root, "budget", &wish, repoBudget),
		r.readGates(root),
		set(root, "labels", &r.Labels, words),
		set(root, "sign_off", &r.SignOff, value.boolean),
		set(root, "delete_branch", &r.Keep, keepBranch),
		set(root, "smoke", &r.Smoke, smoke),
		set(root, "env", &r.Needs.Env, plainVariables),
		set(root, "services", &r.Needs.Services, services),
		set(root, "judge", &r.Judge, judge),
	)
	var top task.Tier
	err = first(err, set(root, "max_tier", &top, tierName))
	if err != nil {
		return nil, err
	}
	if wish.MaxTier = lower(wish.MaxTier, top); wish != (task.Budget{}) {
		r.Budget = &wish
	}
	if v, ok := root.has("scope"); ok && len(r.Scope) == 0 {
		return nil, v.errorf("an empty scope would allow nothing; leave the key out to allow all")
	}
	return r, nil
}

func plainWord(s string) error {
	if !word.MatchString(s) {
		return errors.New("must be a short name of letters, digits, spaces and . _ : / -")
	}
	return nil
}

func branchName(v value) (string, error) {
	s, err := v.string()
	if err == nil && !branch.MatchString(s) {
		err = v.errorf("must be the name of a branch")
	}
	return s, err
}

func checks(v value) ([]Check, error) {
	if v.kind != list {
		return nil, v.errorf("must be a list of checks, each with name, run and required")
	}
	var out []Check
	seen := map[string]bool{}
	for _, item := range v.items {
		c := Check{Required: true}
		err := first(
			item.only(nil, "name", "run", "required", "format", "report"),
			set(item, "name", &c.Name, value.string),
			set(item, "run", &c.Run, value.string),
			set(item, "required", &c.Required, value.boolean),
			set(item, "format", &c.Format, value.string),
			set(item, "report", &c.Report, value.string),
		)
		switch {
		case err != nil:
			return nil, err
		case c.Name == "" || c.Run == "":
			return nil, item.errorf("needs name and run")
		case plainWord(c.Name) != nil:
			return nil, item.errorf("name %v", plainWord(c.Name))
		case c.Format != "" && !slices.Contains(CheckFormats, c.Format):
			return nil, item.errorf("format %q is none of %s", c.Format, strings.Join(CheckFormats, ", "))
		case c.Report != "" && c.Format != "junit":
			return nil, item.errorf("report names result files, which are read in the format junit; write format: junit beside it")
		case c.Format == "junit" && c.Report == "":
			return nil, item.errorf("format junit needs report, a pattern of the result files, such as build/results/*.xml")
		case seen[c.Name]:
			return nil, item.errorf("another check has the name %s", c.Name)
		}
		seen[c.Name] = true
		out = append(out, c)
	}
	return out, nil
}

// Narrow is the budget that holds where one is allowed and the repository asks
// for another: the smaller of each two limits. The notes say which of its wishes
// does not hold. r may be nil.
func Narrow(allowed task.Budget, r *Repo) (task.Budget, []string) {
	if r == nil {
		return allowed, nil
	}
	return narrowBudget(allowed, r.Budget)
}

func narrowBudget(b task.Budget, ask *task.Budget) (task.Budget, []string) {
	if ask == nil {
		return b, nil
	}
	var notes []string
	note := func(key string, asked, holds any) {
		notes = append(notes, fmt.Sprintf("%s: budget.%s %v is more than the operator allows; %v holds", RepoFile, key, asked, holds))
	}
	narrow("usd", &b.USD, ask.USD, note)
	narrow("minutes", &b.Duration, ask.Duration, note)
	narrow("attempts_per_tier", &b.AttemptsPerTier, ask.AttemptsPerTier, note)
	narrow("attempts", &b.Attempts, ask.Attempts, note)
	narrowReplans(&b, *ask, note)
	if b.Steps == 0 && ask.Steps > 0 {
		b.Steps = task.DefaultSteps
	}
	narrow("steps", &b.Steps, ask.Steps, note)
	if b.MaxTier != "" && ask.MaxTier.Rank() > b.MaxTier.Rank() {
		note("max_tier", ask.MaxTier, b.MaxTier)
	}
	b.MaxTier = lower(b.MaxTier, ask.MaxTier)
	b.NoExplore = b.NoExplore || ask.NoExplore
	return b, notes
}

// narrow takes the wish where it is said and lower. What is allowed may be zero,
// which allows nothing more.
func narrow[T task.USD | time.Duration | int](key string, have *T, ask T, note func(key string, asked, holds any)) {
	switch {
	case ask <= 0:
	case ask > *have:
		note(key, ask, *have)
	default:
		*have = ask
	}
}

// lower is the lower of two tiers; an empty one is no limit.
func lower(a, b task.Tier) task.Tier {
	if a.Rank() < 0 || (b.Rank() >= 0 && b.Rank() < a.Rank()) {
		return b
	}
	return a
}
