// Package task is the vocabulary of fettle: the words that every other
// package shares, as types. It imports nothing of ours and has no behaviour
// beyond validation and presentation of its own values.
package task

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Origin says through which door a task came.
type Origin string

// The doors.
const (
	OriginLabel   Origin = "label"
	OriginComment Origin = "comment"
	OriginCLI     Origin = "cli"
	OriginHook    Origin = "hook"
	OriginEval    Origin = "eval"
	OriginReview  Origin = "review" // what was said of a pull request of fettle's
	OriginCheck   Origin = "check"  // a red check on one
)

// Repo names a repository on a forge, or a folder on this machine.
type Repo struct {
	Installation  int64  `json:"installation,omitempty"` // GitHub App installation; 0 for a local folder
	Owner         string `json:"owner,omitempty"`
	Name          string `json:"name,omitempty"`
	CloneURL      string `json:"clone_url,omitempty"` // never holds credentials
	HTMLURL       string `json:"html_url,omitempty"`
	DefaultBranch string `json:"default_branch,omitempty"`
	Dir           string `json:"dir,omitempty"` // a local folder, for the CLI
}

// Slug is owner/name, or the folder of a local repository.
func (r Repo) Slug() string {
	if r.Owner == "" {
		return r.Dir
	}
	return r.Owner + "/" + r.Name
}

// Task is what is asked. Title and Body are foreign text, taken once at the
// moment of the trigger; later edits of the issue are not obeyed.
type Task struct {
	Title      string  `json:"title"`
	Body       string  `json:"body"`
	Hint       string  `json:"hint,omitempty"` // free words of "/fettle fix <hint>"
	Origin     Origin  `json:"origin"`
	Repo       Repo    `json:"repo"`
	Issue      int     `json:"issue,omitempty"`
	IssueURL   string  `json:"issue_url,omitempty"`
	Actor      string  `json:"actor,omitempty"` // login of who asked; authority is checked with the API
	Generation int     `json:"generation"`      // 1 for the first run on an issue, then counted up
	BaseBranch string  `json:"base_branch,omitempty"`
	BaseCommit string  `json:"base_commit,omitempty"` // full hash, set when the checkout is made
	Wishes     Wishes  `json:"wishes,omitzero"`       // of the repository, for the pull request
	WithTests  bool    `json:"with_tests,omitempty"`  // nominal and edge cases come with the change, also where nobody opens a pull request
	Mending    Mending `json:"mending,omitzero"`      // how mechanical repair searches
	Follow     *Follow `json:"follow,omitempty"`      // the pull request that it goes on with; nil: a new one
}

// Wishes is what a repository's own file says of the pull requests that it gets.
type Wishes struct {
	Labels     []string `json:"labels,omitempty"`
	SignOff    bool     `json:"sign_off,omitempty"`    // commits carry Signed-off-by
	KeepBranch bool     `json:"keep_branch,omitempty"` // where the pull request was merged
}

// Mending is what whoever asked wants of mechanical repair. It stays with the
// run, so that one which waited goes on as it began.
type Mending struct {
	Seed          int64    `json:"seed,omitempty"`           // orders what is equally likely; 0 is an order like any other
	MaxCandidates int      `json:"max_candidates,omitempty"` // that are run; 0 for the default
	Without       []string `json:"without,omitempty"`        // parts of the search that are left out, to measure what they are worth
	Past          []Mended `json:"past,omitempty"`           // what came of earlier mechanical changes of the repository, as it was known when the fault was located
	Lessons       []Lesson `json:"lessons,omitempty"`        // edits that earlier runs on the repository taught
}

// Mended is what came of a mechanical change of a repository.
type Mended struct {
	Template string `json:"template"`
	Path     string `json:"path"`
	Accepted bool   `json:"accepted"`
}

// WantsTests tells whether nominal and edge cases of the changed functions
// come with a change (SPEC C5): always in a pull request, and in a working copy
// when they are asked for (SPEC S6).
func (t Task) WantsTests() bool {
	return t.WithTests || t.Follow == nil && (t.Origin == OriginLabel || t.Origin == OriginComment)
}

// TextHash is the SHA-256 of the text as it was when the run was asked for.
func (t Task) TextHash() string {
	sum := sha256.Sum256([]byte(t.Title + "\n\x00" + t.Body + "\n\x00" + t.Hint))
	return hex.EncodeToString(sum[:])
}

// Issue is an issue or pull request as the forge shows it now.
type Issue struct {
	Number        int      `json:"number"`
	Title         string   `json:"title"`
	Body          string   `json:"body"`
	State         string   `json:"state"` // "open" or "closed"
	Labels        []string `json:"labels,omitempty"`
	URL           string   `json:"url"`
	Author        string   `json:"author"`
	IsPullRequest bool     `json:"is_pull_request,omitempty"`
}

// HasLabel tells whether the issue carries the label; to GitHub, case is no
// difference between labels.
func (i Issue) HasLabel(name string) bool {
	for _, l := range i.Labels {
		if strings.EqualFold(l, name) {
			return true
		}
	}
	return false
}

// USD is money in billionths of a dollar, so that the price of one token is a
// whole number and sums are exact.
type USD int64

// Dollar is one US dollar.
const Dollar USD = 1_000_000_000

// Dollars converts a decimal figure, as it stands in a configuration.
func Dollars(f float64) USD {
	if f < 0 {
		return -Dollars(-f)
	}
	return USD(f*float64(Dollar) + 0.5)
}

// Float is the figure in dollars.
func (u USD) Float() float64 { return float64(u) / float64(Dollar) }

// String prints dollars with as many decimals as the figure needs: $0.00,
// $0.0012, $1.25.
func (u USD) String() string {
	f := u.Float()
	if u != 0 && f < 0.01 && f > -0.01 {
		return fmt.Sprintf("$%.4f", f)
	}
	return fmt.Sprintf("$%.2f", f)
}

// MarshalJSON writes dollars as a decimal number.
func (u USD) MarshalJSON() ([]byte, error) {
	sign, n := "", uint64(u) //nolint:gosec // negated below when negative
	if u < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%09d", sign, n/uint64(Dollar), n%uint64(Dollar))
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (u *USD) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("money %q is not a number of dollars", b)
	}
	*u = Dollars(f)
	return nil
}

// Tier is a rung of the ladder.
type Tier string

// The ladder, from free to strong, the tester's own cheap model, and the one that
// only compares texts by their meaning.
const (
	TierMechanical Tier = "mechanical"
	Tier1          Tier = "tier1"
	Tier2          Tier = "tier2"
	Tier3          Tier = "tier3"
	TierNano       Tier = "nano"
	TierEmbeddings Tier = "embeddings"
)

// Ladder is the order in which tiers are tried.
var Ladder = []Tier{TierMechanical, Tier1, Tier2, Tier3}

// Rank is the position on the ladder, or -1 for what is not on it.
func (t Tier) Rank() int {
	for i, x := range Ladder {
		if x == t {
			return i
		}
	}
	return -1
}

// Budget limits a run. Zero values mean the defaults of DefaultBudget.
type Budget struct {
	USD             USD           `json:"usd"`
	Duration        time.Duration `json:"duration"`
	AttemptsPerTier int           `json:"attempts_per_tier"`
	Attempts        int           `json:"attempts"`
	MaxTier         Tier          `json:"max_tier"`
	Replans         int           `json:"replans,omitempty"`    // plan revisions; 0: DefaultReplans, less: none
	Steps           int           `json:"steps,omitempty"`      // of a plan; 0: DefaultSteps
	NoExplore       bool          `json:"no_explore,omitempty"` // no tier is chosen to learn
}

// Defaults of SPEC L5 that no setting names.
const (
	DefaultReplans = 2
	DefaultSteps   = 12
)

// Caps limit what several runs spend together. 0 is no cap.
type Caps struct {
	Issue           USD `json:"issue"`            // an issue with its follow-ups
	InstallationDay USD `json:"installation_day"` // an installation, UTC day
	ServerMonth     USD `json:"server_month"`     // everything on this database, UTC month
}

// DefaultCaps is SPEC L5.
func DefaultCaps() Caps {
	return Caps{Issue: 3 * Dollar, InstallationDay: 20 * Dollar, ServerMonth: 300 * Dollar}
}

// DefaultBudget is SPEC L5.
func DefaultBudget() Budget {
	return Budget{USD: Dollar, Duration: 30 * time.Minute, AttemptsPerTier: 3, Attempts: 15, MaxTier: Tier3}
}
