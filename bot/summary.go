package bot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Summary is the one JSON document that a run ends with on the command line,
// and what .fettle/last_run.json holds. Its names are a contract.
type Summary struct {
	RunID        string                 `json:"run_id"`
	Outcome      task.Outcome           `json:"outcome"`
	Reason       string                 `json:"reason,omitempty"`
	Tier         task.Tier              `json:"tier"` // of the kept attempt; "" when there is none
	Attempts     int                    `json:"attempts"`
	Cost         task.USD               `json:"cost_usd"`
	CostByTier   map[task.Tier]task.USD `json:"cost_by_tier,omitempty"`
	Elapsed      float64                `json:"elapsed_s"`       // seconds
	Tried        []string               `json:"tried,omitempty"` // what came of each tier, in words
	Draft        bool                   `json:"draft"`
	DraftReasons []string               `json:"draft_reasons,omitempty"`
	Notes        []string               `json:"notes,omitempty"` // what .fettle.yml asks for and does not get
	Branch       string                 `json:"branch,omitempty"`
	Commit       string                 `json:"commit,omitempty"`
	Committed    bool                   `json:"committed"`
	Applied      bool                   `json:"applied"`
	PullRequest  *task.PullRequest      `json:"pull_request,omitempty"`
	Diff         string                 `json:"diff"`
	Checks       []SummaryCheck         `json:"checks"`
	Causes       []string               `json:"causes,omitempty"` // what was seen of the fault
	Reproduction []string               `json:"reproduction,omitempty"`
	FilesChanged []string               `json:"files_changed"`
	Regions      []task.RegionRef       `json:"regions"`
	Explanation  string                 `json:"explanation,omitempty"`
	Search       *task.Search           `json:"search,omitempty"` // of the last mechanical attempt
	Alternatives []string               `json:"alternatives,omitempty"`
	Risk         task.Risk              `json:"risk"`
	NextAction   string                 `json:"next_action"`
	Sandbox      string                 `json:"sandbox,omitempty"`
	Comments     []string               `json:"comments,omitempty"` // of the demo: what stands on the issue
}

// SummaryCheck is one line of the checklist.
type SummaryCheck struct {
	Name    string           `json:"name"`
	Status  task.CheckStatus `json:"status"`
	Seconds float64          `json:"seconds"`
	Detail  string           `json:"detail,omitempty"`
}

// String is the check in a line, with its reason.
func (c SummaryCheck) String() string {
	return fmt.Sprintf("%s: %s in %.1f s%s", c.Name, c.Status, c.Seconds, prefixed(": ", oneLine(c.Detail, 400)))
}

// Summarise describes a result and what became of it.
func Summarise(res task.Result, pub task.Publication) Summary {
	s := Summary{
		RunID: res.RunID, Outcome: res.Outcome, Reason: res.Reason, Tier: res.Tier, Attempts: len(res.Attempts), Cost: res.Cost, CostByTier: res.CostByTier,
		Elapsed: math.Round(res.Elapsed.Seconds()*1000) / 1000, Draft: res.Draft, DraftReasons: res.DraftReasons, Notes: res.Notes, Branch: pub.Branch, Commit: pub.Commit,
		Committed: pub.Commit != "", PullRequest: pub.PullRequest, Diff: res.Diff, Causes: res.Causes, Reproduction: res.Reproduction, Risk: res.Risk,
		Sandbox: res.Sandbox, Checks: []SummaryCheck{}, FilesChanged: []string{}, Regions: []task.RegionRef{},
	}
	s.Applied, s.NextAction = pub.Applied, afterwards(res, pub)
	s.Tried = perTier(res)
	for _, c := range res.Checks {
		s.Checks = append(s.Checks, SummaryCheck{c.Name, c.Status, math.Round(c.Seconds*1000) / 1000, c.Detail})
	}
	for _, a := range res.Attempts {
		if a.Search != nil {
			s.Search = a.Search
		}
	}
	if res.Best != nil {
		s.FilesChanged = res.Best.Patch.Paths()
		s.Regions = append(s.Regions, res.Best.Regions...)
		s.Explanation, s.Alternatives = res.Best.Explanation, res.Best.Alternatives
	}
	if s.Risk.Reasons == nil {
		s.Risk.Reasons = []string{}
	}
	return s
}

// afterwards is what is left to do, by where the change stands: in a folder nothing
// is merged, and what was written there is not written again.
func afterwards(res task.Result, pub task.Publication) string {
	if res.Outcome != task.Success || res.Task.Repo.Dir == "" {
		return res.NextAction
	}
	return inFolder(res.Draft, pub)
}

// inFolder is what is left to do about a change of a folder.
func inFolder(draft bool, pub task.Publication) string {
	todo := "Review the change"
	if draft {
		todo = "Decide on the open points"
	}
	switch {
	case pub.Commit != "" && pub.Applied:
		return fmt.Sprintf("%s: 'git show %.12s'; 'fettle undo' takes it back, 'fettle pr-ready' makes a pull request of it.", todo, pub.Commit)
	case pub.Commit != "":
		return fmt.Sprintf("%s: 'git show %.12s'; 'fettle undo' takes it back, 'git switch %s' and 'fettle pr-ready' make a pull request of it.", todo, pub.Commit, pub.Branch)
	case pub.Applied:
		return todo + " and commit it; 'fettle undo' takes it back."
	}
	return todo + "; 'fettle apply' writes the change."
}

// After is the summary of a run that went on where another one had ended.
func (s Summary) After(before Summary) Summary {
	s.Attempts += before.Attempts
	s.Cost += before.Cost
	s.Elapsed += before.Elapsed
	by := map[task.Tier]task.USD{}
	for _, costs := range []map[task.Tier]task.USD{before.CostByTier, s.CostByTier} {
		for tier, usd := range costs {
			by[tier] += usd
		}
	}
	s.CostByTier = by
	s.Tried, s.Reproduction = slices.Concat(before.Tried, s.Tried), slices.Concat(before.Reproduction, s.Reproduction)
	s.Regions = slices.Concat(before.Regions, s.Regions)
	s.Explanation = strings.TrimPrefix(before.Explanation+"; "+s.Explanation, "; ")
	s.DraftReasons = slices.Concat(slices.DeleteFunc(slices.Clone(before.DraftReasons), func(why string) bool {
		return strings.Contains(why, stillRed) || strings.Contains(why, someOnly) // this run saw to it
	}), s.DraftReasons)
	s.Draft = len(s.DraftReasons) > 0
	s.Risk.Score = max(s.Risk.Score, before.Risk.Score)
	return s
}

// What is in the reasons for a draft that leaves tests red which were so before.
const (
	stillRed = "are still red"
	someOnly = "mends some of the failing tests only"
)

// Markdown is the summary for a person to read.
func (s Summary) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fettle: %s\n\n", s.Status())
	if s.Reason != "" {
		fmt.Fprintf(&b, "%s\n\n", s.Reason)
	}
	for _, why := range s.Causes {
		fmt.Fprintf(&b, "- seen: %s\n", why)
	}
	if s.Explanation != "" {
		fmt.Fprintf(&b, "\n%s\n\n", s.Explanation)
	}
	for _, line := range s.Search.Lines() {
		fmt.Fprintf(&b, "- %s: %s\n", line.Name, line.Text)
	}
	for _, d := range s.DraftReasons {
		fmt.Fprintf(&b, "- open: %s\n", d)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "- note: %s\n", n)
	}
	for _, line := range s.Tried {
		fmt.Fprintf(&b, "- tried: %s\n", line)
	}
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	fmt.Fprintf(&b, "- files changed: %s\n- applied: %v\n- risk: %d of 100 (%s)\n- cost: %s, %s, tier %s\n- next: %s\n", orNone(strings.Join(s.FilesChanged, ", ")), s.Applied, s.Risk.Score, orNone(strings.Join(s.Risk.Reasons, "; ")), s.Cost, task.Count(s.Attempts, "attempt"), orNone(string(s.Tier)), s.NextAction)
	if s.Diff != "" {
		fmt.Fprintf(&b, "\n```diff\n%s\n```\n", strings.TrimRight(s.Diff, "\n"))
	}
	return b.String()
}

// Status is the outcome in a few words.
func (s Summary) Status() string {
	switch {
	case s.Outcome == task.Success && s.Draft:
		return "a change that passes, waiting for your decision"
	case s.Outcome == task.Success:
		return "fixed and proved"
	}
	return strings.ReplaceAll(string(s.Outcome), "_", " ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
