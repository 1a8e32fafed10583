package loop

import (
	"context"
	"time"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// effects are what a run does to its tree and what it looks at in it. Every call
// goes through the recorder (recorded.go): arguments and answers are plain values.
// There are two implementations: the real one below, and one in the tests that
// needs no tree.
type effects interface {
	prepare(ctx context.Context, p preparing) (prepared, error)
	measure(ctx context.Context, tell func(note string)) (verify.Baseline, error)
	exemplify(ctx context.Context, t task.Task, guard patch.Guard) (example.Found, error)
	witness(ctx context.Context, w witnessing) (witnessed, error)
	sorts(ctx context.Context, c claiming) (belong.Sorted, error)
	concerned(ctx context.Context, text string) (concern, error)
	localise(ctx context.Context, q search) (located, error)
	facts(ctx context.Context, q search) (facts, error)
	repair(ctx context.Context, q search) (mend.Repair, error)
	sight(ctx context.Context, l looking) (sight, error)
	apart(ctx context.Context, p task.Patch, g patch.Guard) (separated, error)
	apply(ctx context.Context, p task.Patch, g patch.Guard, tier task.Tier) (applied, error)
	judge(ctx context.Context, j judging) (verify.Verdict, error)
	reproduces(ctx context.Context, t trying) (reproduced, error)
	weigh(ctx context.Context, w weighing) (weighed, error)
	wishes(ctx context.Context, w wishing) (wishes, error)
	documentation(ctx context.Context, names []string) ([]agent.Text, error)
	conforms(ctx context.Context, c conforming) (conformed, error)
	checks(ctx context.Context, c checking) (checked, error)
	smoke(ctx context.Context, s smoking) (smoked, error)
	pin(ctx context.Context, p pinning) (pinned, error)
	keep(ctx context.Context, k keeping) (string, error)
	restore(ctx context.Context, stands []standing) error
	delegate(ctx context.Context, req model.Request, limit task.USD) (model.Reply, error)
	tool(ctx context.Context, call toolCall) (string, error)
	product(ctx context.Context, stands []standing, promised []string) (product, error)
}

// claiming asks which red tests are the task's.
type claiming struct {
	Task     task.Task       `json:"task"`
	Baseline verify.Baseline `json:"baseline"`
}

// search is what mechanical repair is asked.
type search struct {
	Task     task.Task       `json:"task"`
	Baseline verify.Baseline `json:"baseline"`
	Fresh    bool            `json:"fresh"` // the baseline was just measured: flakes are looked for at the same time
	Example  *example.Found  `json:"example,omitempty"`
	Suspects []mend.Suspect  `json:"suspects,omitempty"`
	Deadline time.Time       `json:"deadline"`
	Followed bool            `json:"followed,omitempty"` // only a model's test fails, and a model is asked next

	forbidden func(path string) bool
	progress  func(note string)
}

// located are the suspicious places, and the flaky tests of a fresh baseline.
type located struct {
	Suspects []mend.Suspect  `json:"suspects"`
	Unstable verify.Unstable `json:"unstable"`
	Seconds  float64         `json:"seconds,omitempty"` // that the second run of the red tests took
}

// looking is what a role wants to see of the tree.
type looking struct {
	Title    string         `json:"title"`
	Body     string         `json:"body"`
	Suspects []mend.Suspect `json:"suspects"`           // places on the base, the most suspicious first
	Targets  []string       `json:"targets,omitempty"`  // of the step in hand
	Words    string         `json:"words,omitempty"`    // of the step
	Looked   []string       `json:"looked,omitempty"`   // what its planner and failed attempts read, as targets
	Failures []task.Failure `json:"failures,omitempty"` // what fails now
	Ran      []string       `json:"ran,omitempty"`      // files that the failing tests were seen to run
	Tests    []redTest      `json:"tests,omitempty"`    // of which the source is wanted
	Given    string         `json:"given,omitempty"`    // source of the test that shows the issue
	Heads    bool           `json:"heads,omitempty"`    // how tests begin is wanted
	On       []int          `json:"on,omitempty"`       // the attempts that stand in the tree
	Room     room           `json:"room"`
}

// redTest is a test of the base that fails.
type redTest struct {
	ID   string `json:"id"`
	File string `json:"file"`
	Name string `json:"name"` // in its file
}

// sight is what a role may be shown of the tree as it stands.
type sight struct {
	Shown    agent.Shown  `json:"shown"`
	Heads    []agent.Head `json:"heads,omitempty"` // how tests begin
	TestDirs []string     `json:"test_dirs"`

	Instructions []agent.Instruction `json:"instructions,omitempty"`
}

// applied is a patch in the tree; or why it is not.
type applied struct {
	Refused   string           `json:"refused,omitempty"`
	Protected bool             `json:"protected,omitempty"` // refused because of a protected file alone
	Rule      string           `json:"rule,omitempty"`      // of patch, by which it was refused
	Regions   []task.RegionRef `json:"regions,omitempty"`
	Callers   []task.CallSite  `json:"callers,omitempty"`
	Diff      string           `json:"diff,omitempty"`
	Risk      task.Risk        `json:"risk"`
}

// trying is a new test on the code as it is, and the patch that it belongs to.
type trying struct {
	Patch task.Patch  `json:"patch"`
	Test  task.Edit   `json:"test"`
	Guard patch.Guard `json:"-"`
}

// reproduced tells of it.
type reproduced struct {
	Not string `json:"not,omitempty"` // what it does instead of failing, behind its name; "" when it fails as it has to
}

// standing is an accepted change: the tree is the base and these, in order.
type standing struct {
	Number int         `json:"number"`
	Patch  task.Patch  `json:"patch"`
	Facts  patch.Facts `json:"facts"`
	Guard  patch.Guard `json:"-"` // told by the number
}

// keeping is an attempt's commit.
type keeping struct {
	Number  int       `json:"number"`
	Ref     string    `json:"ref"`
	Message string    `json:"message"`
	When    time.Time `json:"when"`
}

// product is the tree at the end.
type product struct {
	Changes []task.FileChange `json:"changes"`
	Diff    string            `json:"diff"`
	Risk    task.Risk         `json:"risk"`
	Missing []string          `json:"missing,omitempty"` // promised files that are not there
}

// weighing is what the judge of new tests is asked.
type weighing struct {
	Own           string   `json:"own,omitempty"` // path of the test made from the issue
	New           []string `json:"new"`           // paths of all new tests
	Characterises bool     `json:"characterises"` // other tests prove the change
	OnBase        bool     `json:"on_base"`       // what the new tests did before is asked for
}

// weighed are its verdicts; nil where there was nothing to judge.
type weighed struct {
	Own      *gate.Verdict   `json:"own,omitempty"`
	Theirs   *gate.Verdict   `json:"theirs,omitempty"`
	Unjudged []string        `json:"unjudged,omitempty"` // new tests in languages whose tests cannot be judged
	OnBase   *task.NewOnBase `json:"on_base,omitempty"`
}
