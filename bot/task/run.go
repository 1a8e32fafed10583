package task

import (
	"encoding/json"
	"time"
)

// Outcome is how a run ended.
type Outcome string

// The outcomes (SPEC, Words).
const (
	Success         Outcome = "success"
	FailedAllTiers  Outcome = "failed_all_tiers"
	Timeout         Outcome = "timeout"
	BudgetExhausted Outcome = "budget_exhausted"
	LoopDetected    Outcome = "loop_detected"
	Impasse         Outcome = "impasse"
	MaxAttempts     Outcome = "max_attempts"
	MaxReplans      Outcome = "max_replans"
	Cancelled       Outcome = "cancelled"
	Quarantined     Outcome = "quarantined"
	Rejected        Outcome = "rejected"
	Error           Outcome = "error"
)

// ExitCode is the process exit status for an outcome (SPEC S6).
func (o Outcome) ExitCode() int {
	switch o {
	case Success:
		return 0
	case FailedAllTiers, Timeout, BudgetExhausted, LoopDetected, Impasse, MaxAttempts, MaxReplans:
		return 3
	case Quarantined, Rejected:
		return 5
	case Cancelled:
		return 130
	default:
		return 1
	}
}

// Exhausted tells whether the run used up what it was allowed and hands over
// its best attempt.
func (o Outcome) Exhausted() bool { return o.ExitCode() == 3 }

// State is where a run stands. Terminal states absorb.
//
//	queued ──► running ──► done
//	  │           │  ▲
//	  │           ▼  │ (lease lost: swept back)
//	  │         queued
//	  └─────────────────► done (cancelled before it began)
//	running ──► parked ──► queued   (rate limit, full disk: goes on later)
type State string

// States of a run.
const (
	StateQueued  State = "queued"
	StateRunning State = "running"
	StateParked  State = "parked"
	StateDone    State = "done"
)

// Run is one execution of the loop on a task, as stored.
type Run struct {
	ID           string    `json:"id"`
	Task         Task      `json:"task"`
	State        State     `json:"state"`
	Outcome      Outcome   `json:"outcome,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	Budget       Budget    `json:"budget"`
	Cost         USD       `json:"cost_usd"`
	Attempts     int       `json:"attempts"`
	Tier         Tier      `json:"tier,omitempty"`
	CreatedAt    time.Time `json:"created_at"`
	StartedAt    time.Time `json:"started_at,omitzero"`
	EndedAt      time.Time `json:"ended_at,omitzero"`
	NotBefore    time.Time `json:"not_before,omitzero"` // of a parked run
	CancelAsked  bool      `json:"cancel_asked,omitempty"`
	CancelReason string    `json:"cancel_reason,omitempty"`
	Waiting      *Gate     `json:"waiting,omitempty"` // of a parked run: what a human has to decide
	Saved        RunState  `json:"-"`
	Result       *Result   `json:"result,omitempty"` // set when done
}

// RunState is what the loop saves after every attempt, and takes up again
// after a crash. It survives a JSON round trip.
type RunState struct {
	Base       string          `json:"base,omitempty"` // branch that it is for, once that is known
	Version    int             `json:"version"`
	Phase      string          `json:"phase,omitempty"` // last finished phase
	BaseCommit string          `json:"base_commit,omitempty"`
	Triage     json.RawMessage `json:"triage,omitempty"`   // triage.Verdict
	Baseline   json.RawMessage `json:"baseline,omitempty"` // verify.Baseline
	Example    json.RawMessage `json:"example,omitempty"`  // example.Found, a test made from the issue
	Holding    json.RawMessage `json:"holding,omitempty"`  // []example.Example, those of the issue that hold on the base
	Claim      json.RawMessage `json:"claim,omitempty"`    // belong.Sorted, which red tests are the issue's
	Suspects   json.RawMessage `json:"suspects,omitempty"` // []mend.Suspect
	Recalled   *Recalled       `json:"recalled,omitempty"` // what earlier runs taught of it; nil: not asked
	Setup      string          `json:"setup,omitempty"`    // what is to be said of setup commands that the repository names and that were not done
	Attempts   []Attempt       `json:"attempts,omitempty"`
	Accepted   int             `json:"accepted,omitempty"` // number of the attempt that ended the run well; 0 for none
	// Where the run stands.
	Plan      json.RawMessage `json:"plan,omitempty"`       // agent.Plan
	PlanNo    int             `json:"plan_no,omitempty"`    // plans so far, without a model's or with
	Planned   bool            `json:"planned,omitempty"`    // whether to ask the planner was decided
	PlanLater bool            `json:"plan_later,omitempty"` // the planner is asked only once the developer has failed
	PlanYes   int             `json:"plan_yes,omitempty"`   // PlanNo of the last plan that a human let go on
	Revisions int             `json:"revisions,omitempty"`  // of the plan
	Step      int             `json:"step,omitempty"`       // index of the step in hand
	Done      []int           `json:"done,omitempty"`       // numbers of the attempts that stand in the tree, a step each
	Next      Tier            `json:"next,omitempty"`       // of the next attempt; "" when it is not chosen
	Feedback  string          `json:"feedback,omitempty"`   // what was said against the last plan or attempt
	Gate      *Gate           `json:"gate,omitempty"`       // what the run waits for
	Answered  int             `json:"answered,omitempty"`   // answers of humans that were taken in
	Scope     []string        `json:"scope,omitempty"`      // what whoever asked allowed to change
	Gates     Gates           `json:"gates,omitzero"`       // where whoever asked wants to be asked
	Outsider  string          `json:"outsider,omitempty"`   // who wrote the task, if that is somebody who may not write to the repository
	Published int             `json:"published,omitempty"`  // number of the draft that stands and waits for a yes
	Worked    time.Duration   `json:"worked,omitempty"`     // on the run, up to the last save; time parked or without a server is not in it
	Outcome   Outcome         `json:"outcome,omitempty"`    // decided, not yet published
	Errors    int             `json:"errors,omitempty"`     // times the run's surroundings failed
	Reason    string          `json:"reason,omitempty"`
}

// Change is what an attempt makes of the base, as diffs one after the other:
// those that it builds on, and its own. It is "" where it made none.
func (s RunState) Change(number int) string {
	a := s.Attempts[number-1]
	if a.Diff == "" {
		return ""
	}
	diff := ""
	for _, n := range a.On {
		diff += s.Attempts[n-1].Diff
	}
	return diff + a.Diff
}

// NewOnBase is what new tests did on the code before the change.
type NewOnBase struct {
	Ran    int `json:"ran"`              // tests
	Red    int `json:"red"`              // of them
	Broken int `json:"broken,omitempty"` // files that could not be run there
}

// Attempt is one pass develop → apply → verify → judge at one tier.
type Attempt struct {
	Number       int           `json:"number"`         // 1-based over the whole run
	Plan         int           `json:"plan,omitempty"` // RunState.PlanNo when it was made
	Step         int           `json:"step,omitempty"` // 1-based
	On           []int         `json:"on,omitempty"`   // numbers of the accepted attempts that it builds on
	Tier         Tier          `json:"tier"`
	Model        string        `json:"model,omitempty"`
	Patch        Patch         `json:"patch"`
	Diff         string        `json:"diff,omitempty"`
	Regions      []RegionRef   `json:"regions,omitempty"`
	Callers      []CallSite    `json:"callers,omitempty"`   // of what changed its name or signature
	Commit       string        `json:"commit,omitempty"`    // on refs/fettle/<run>/attempt-<number> of the run's Git directory
	NewTests     []string      `json:"new_tests,omitempty"` // paths of the test files that it adds
	OwnTests     []string      `json:"own_tests,omitempty"` // those of them that fettle wrote and no model
	OnBase       *NewOnBase    `json:"on_base,omitempty"`   // what the model's new tests did without the change; nil: not asked
	Looked       []string      `json:"looked,omitempty"`    // what its model read before, as targets of a step
	Kept         bool          `json:"kept,omitempty"`      // green with objections, and not reviewed: a draft, if no tier brings better
	Yes          bool          `json:"yes,omitempty"`       // a human allowed it to touch protected files
	Why          string        `json:"why,omitempty"`       // what came of it, and what followed, in a line
	Loop         string        `json:"loop,omitempty"`      // the pattern that it completed
	Explanation  string        `json:"explanation,omitempty"`
	Alternatives []string      `json:"alternatives,omitempty"` // rivals that also pass (SPEC R2)
	Ambiguous    bool          `json:"ambiguous,omitempty"`
	Doubts       []string      `json:"doubts,omitempty"`   // what speaks against the change, though it is green
	Search       *Search       `json:"search,omitempty"`   // of mechanical repair
	Lessons      []string      `json:"lessons,omitempty"`  // ids of those that it was made from, or whose model was shown them
	Refused      string        `json:"refused,omitempty"`  // why the edits were not applied
	Untested     bool          `json:"untested,omitempty"` // refused for want of a test that fails before it
	Checks       []Check       `json:"checks,omitempty"`
	Fixed        []string      `json:"fixed,omitempty"`     // tests red on the base, green now
	Besides      []string      `json:"besides,omitempty"`   // tests red on the base that are not the issue's, green now
	Broken       []string      `json:"broken,omitempty"`    // tests green on the base, red now
	Red          []string      `json:"red,omitempty"`       // tests red with the change, at most 100
	Behaviour    []Behaviour   `json:"behaviour,omitempty"` // what changed functions do otherwise (SPEC C5)
	Failures     []Failure     `json:"failures,omitempty"`
	Unkept       int           `json:"unkept,omitempty"` // failures that are not among them, for their number
	Smoke        *SmokeRate    `json:"smoke,omitempty"`  // nil: no scenarios, or not asked
	Green        bool          `json:"green"`
	Cost         USD           `json:"cost_usd"`
	Elapsed      time.Duration `json:"elapsed"`
	StartedAt    time.Time     `json:"started_at"`
}

// Search is what mechanical repair did for an attempt.
type Search struct {
	Template  string  `json:"template,omitempty"` // the operator of the change that was found
	Tried     int     `json:"tried"`              // candidates that were run
	Plausible int     `json:"plausible"`          // of those, what passed every test
	Seconds   float64 `json:"seconds"`            // of the search alone
	TimeUp    bool    `json:"time_up,omitempty"`  // the time ended it; otherwise it goes the same way on every machine
	// Localised and Judged are the seconds before and after the search.
	Localised float64  `json:"localise_seconds"`
	Judged    float64  `json:"judge_seconds"`
	Place     string   `json:"place,omitempty"`    // why the change was looked for where it is
	Suspects  []string `json:"suspects,omitempty"` // the most suspicious places, with what speaks for them
	Rejected  []string `json:"rejected,omitempty"` // changes that turned the failing tests green, and what was against them
}

// Behaviour is an input on which a changed function does another thing than
// before: what it gave, or what it ended with.
type Behaviour struct {
	Input  string `json:"input"` // a call, as source text
	Before string `json:"before"`
	After  string `json:"after"`
}

// SmokeRate is how many of a service's scenarios passed before and after an
// attempt (SPEC C7).
type SmokeRate struct {
	Before int `json:"before"`
	After  int `json:"after"`
	All    int `json:"all"`
}

// Risk is the score of SPEC E6.
type Risk struct {
	Score   int      `json:"score"` // 0–100
	Reasons []string `json:"reasons"`
}

// Result is what a run hands to its publisher.
type Result struct {
	RunID        string          `json:"run_id"`
	Task         Task            `json:"task"`
	Outcome      Outcome         `json:"outcome"`
	Reason       string          `json:"reason,omitempty"`
	Draft        bool            `json:"draft"` // green, but a human has to decide
	DraftReasons []string        `json:"draft_reasons,omitempty"`
	Notes        []string        `json:"notes,omitempty"`   // what the repository's own file asks for and does not get
	SkipCI       bool            `json:"skip_ci,omitempty"` // its commits ask CI to skip
	Tier         Tier            `json:"tier,omitempty"`    // of the kept attempt
	Best         *Attempt        `json:"best,omitempty"`    // the accepted attempt, or the best failed one
	Attempts     []Attempt       `json:"attempts"`
	Changes      []FileChange    `json:"-"` // files after the kept attempt, for a commit
	Diff         string          `json:"diff"`
	Checks       []Check         `json:"checks"`
	Causes       []string        `json:"causes,omitempty"`       // what was seen of the fault, in sentences
	Unsure       bool            `json:"unsure,omitempty"`       // the tests that it rests on are not known to be the issue's
	Reproduction []string        `json:"reproduction,omitempty"` // tests red before, green after
	NewTests     []string        `json:"new_tests,omitempty"`    // those of them that the change adds
	KnownRed     []string        `json:"known_red,omitempty"`    // red before and after, not ours
	Risk         Risk            `json:"risk"`
	Cost         USD             `json:"cost_usd"`
	CostByTier   map[Tier]USD    `json:"cost_by_tier,omitempty"`
	Elapsed      time.Duration   `json:"elapsed"`
	Sandbox      string          `json:"sandbox"` // backend and walls, for the report
	NextAction   string          `json:"next_action"`
	Published    Publication     `json:"published,omitzero"` // what came of it outside
	Care         string          `json:"care,omitempty"`     // why it was made in degraded mode; "": it was not
	Case         json.RawMessage `json:"case,omitempty"`     // estimate.Case: what the run is to the history of the tiers

	Answers map[string]string `json:"answers,omitempty"` // to questions in threads, by the thread's id
	Left    []string          `json:"left,omitempty"`    // ids of threads whose suggestion could not be applied
}

// Publication is what stands outside after a result was published.
type Publication struct {
	Branch      string       `json:"branch,omitempty"`
	Commit      string       `json:"commit,omitempty"`
	PullRequest *PullRequest `json:"pull_request,omitempty"`
	ReportURL   string       `json:"report_url,omitempty"`
	Applied     bool         `json:"applied,omitempty"` // it was written into the folder that was asked about
}

// PullRequest is a pull request on the forge.
type PullRequest struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Draft  bool   `json:"draft"`
	Body   string `json:"body"`
	// What follows is there where the forge was asked, or told, of it.
	State       string `json:"state,omitempty"` // open or closed
	Author      string `json:"author,omitempty"`
	AuthorIsBot bool   `json:"author_is_bot,omitempty"`
	Head        string `json:"head,omitempty"` // branch
	HeadSHA     string `json:"head_sha,omitempty"`
	HeadRepo    string `json:"head_repo,omitempty"` // owner/name; "" when it is gone
	Base        string `json:"base,omitempty"`      // branch
	BaseSHA     string `json:"base_sha,omitempty"`
	Merged      bool   `json:"merged,omitempty"`
	MergeCommit string `json:"merge_commit,omitempty"`
	MergeState  string `json:"merge_state,omitempty"` // clean, behind, dirty, blocked, …; "" when not known
}

// Message is one message to or from a role (SPEC L8).
type Message struct {
	Run         string          `json:"run"`
	Attempt     int             `json:"attempt"`
	At          time.Time       `json:"timestamp"`
	Agent       string          `json:"agent_type"` // developer, tester, …
	Direction   string          `json:"direction"`  // "to" or "from" the agent
	Data        json.RawMessage `json:"data"`
	Tier        Tier            `json:"tier,omitempty"`
	Model       string          `json:"model,omitempty"`
	PromptClass string          `json:"prompt_class,omitempty"`
	TokensIn    int             `json:"tokens_in,omitempty"`
	TokensOut   int             `json:"tokens_out,omitempty"`
	Cost        USD             `json:"cost_usd,omitempty"`
	Latency     time.Duration   `json:"latency,omitempty"`
}

// Decision is one line of the audit log.
type Decision struct {
	Run    string         `json:"run"`
	At     time.Time      `json:"timestamp"`
	After  int            `json:"after"` // Seq of the last effect before it
	Seen   string         `json:"seen"`  // digest of the effects that the process had seen
	Kind   string         `json:"kind"`  // "tier.start", "attempt.judged", "budget.refused", …
	Reason string         `json:"reason,omitempty"`
	Data   map[string]any `json:"data,omitempty"`
}

// Reservation is money set aside before a call to a model. A call in flight at
// a crash is charged at Worst.
type Reservation struct {
	ID      string          `json:"id"` // deterministic: attempt and call number
	Run     string          `json:"run"`
	Tier    Tier            `json:"tier"`
	Worst   USD             `json:"worst_usd"`
	Limit   USD             `json:"-"` // of the run, where it is narrower than its budget as stored; 0: it is not
	Actual  USD             `json:"actual_usd"`
	Settled bool            `json:"settled"`
	Reply   json.RawMessage `json:"reply,omitempty"` // stored reply: never bought again
	Bought  int             `json:"bought"`          // times the call was sent
}

// Progress is the live picture of a run, for status comments and terminals.
type Progress struct {
	RunID   string        `json:"run_id"`
	Phase   string        `json:"phase"` // queued, checkout, setup, baseline, repair, verify, publish, done
	Tier    Tier          `json:"tier,omitempty"`
	Attempt int           `json:"attempt,omitempty"`
	Cost    USD           `json:"cost_usd"`
	Budget  USD           `json:"budget_usd"`
	Elapsed time.Duration `json:"elapsed"`
	Note    string        `json:"note,omitempty"`
	Care    string        `json:"care,omitempty"` // why it is in degraded mode; "": it is not
}
