// Package smoke starts a repository's service in the sandbox and asks it what
// its .fettle.yml says (SPEC C7). In go a tree and the scenarios; out comes
// which of them passed and, of those that did not, the endpoint, the status,
// the answer's text and the stack trace that the service itself printed.
//
// The service and whoever asks it live in the same network namespace, which
// has nothing but a loopback. So the client is this very program, shown inside
// and started under a word of its own (client.go): it starts the service, waits
// until it answers, sends the requests one after another, and ends the service.
// What the service prints never reaches the client's own output.
package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// Suite is the name under which failures are told.
const Suite = "smoke"

// Config is what a Runner needs; Sandbox is required.
type Config struct {
	Sandbox *sandbox.Sandbox
	Now     func() time.Time
	Log     logrus.FieldLogger
	Each    time.Duration // for one scenario, default 5 s
	// Hide takes secrets out of what the service said; nil: nothing is.
	Hide func(string) string
}

// Runner runs scenarios. It is safe for concurrent use.
type Runner struct{ cfg Config }

// New makes a Runner.
func New(cfg Config) *Runner {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.Each <= 0 {
		cfg.Each = 5 * time.Second
	}
	if cfg.Hide == nil {
		cfg.Hide = func(s string) string { return s }
	}
	return &Runner{cfg}
}

// Result is what came of one scenario.
type Result struct {
	Name     string        `json:"name"`
	Required bool          `json:"required"`
	Passed   bool          `json:"passed"`
	Status   int           `json:"status,omitempty"` // 0: no answer
	Failure  *task.Failure `json:"failure,omitempty"`
}

// Report is what came of all scenarios, in their order.
type Report struct {
	Results []Result      `json:"results"`
	Ready   bool          `json:"ready"`            // the service answered
	Broken  *task.Failure `json:"broken,omitempty"` // why the service did not
	Elapsed time.Duration `json:"elapsed"`
}

// Rate is how many of the scenarios passed.
func (r Report) Rate() (passed, all int) {
	for _, one := range r.Results {
		if one.Passed {
			passed++
		}
	}
	return passed, len(r.Results)
}

// Failures lists what went wrong, that of the service first.
func (r Report) Failures() []task.Failure {
	var out []task.Failure
	if r.Broken != nil {
		out = append(out, *r.Broken)
	}
	for _, one := range r.Results {
		if one.Failure != nil && !one.Passed {
			out = append(out, *one.Failure)
		}
	}
	return out
}

// Worse lists the required scenarios that passed in before and do not here.
func (r Report) Worse(before Report) []Result {
	was := map[string]bool{}
	for _, one := range before.Results {
		was[one.Name] = one.Passed
	}
	var out []Result
	for _, one := range r.Results {
		if one.Required && !one.Passed && was[one.Name] {
			out = append(out, one)
		}
	}
	return out
}

// Run runs the scenarios on a disposable copy of the tree in dir, over which
// files are written (nil takes one away). What goes wrong with the service is
// in the report; the error is of the sandbox or the context.
func (r *Runner) Run(ctx context.Context, dir string, files map[string][]byte, s settings.Smoke) (Report, error) {
	begun := r.cfg.Now()
	w, err := r.cfg.Sandbox.Workspace(ctx, dir)
	if err != nil {
		return Report{}, fmt.Errorf("a workspace for the service: %w", err)
	}
	defer w.Close()
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if files[p] == nil {
			err = w.Remove(p)
		} else {
			err = w.WriteFile(p, files[p])
		}
		if err != nil {
			return Report{}, fmt.Errorf("laying out %s for the service: %w", p, err)
		}
	}
	res, err := r.client(ctx, w, s)
	if err != nil {
		return Report{}, err
	}
	rep := r.report(w, s, res)
	rep.Elapsed = r.cfg.Now().Sub(begun)
	return rep, nil
}

// client starts this program inside and gives what it said.
func (r *Runner) client(ctx context.Context, w *sandbox.Workspace, s settings.Smoke) (answer, error) {
	exe, err := os.Executable()
	if err != nil {
		return answer{}, fmt.Errorf("finding our own program to ask the service: %w", err)
	}
	data, err := json.Marshal(request{Smoke: s, Each: r.cfg.Each})
	if err != nil {
		return answer{}, fmt.Errorf("asking the service: %w", err)
	}
	cmd := sandbox.Command{Needs: true, Argv: []string{inside, clientWord}, Stdin: bytes.NewReader(data), ReadOnly: []sandbox.Mount{{Host: exe, Inside: inside}},
		Limits: sandbox.Limits{Wall: s.Within + time.Duration(len(s.Scenarios))*r.cfg.Each + 10*time.Second, OutputBytes: maxAnswer}}
	if r.cfg.Sandbox.Walls().Backend == sandbox.None {
		cmd.Argv[0], cmd.ReadOnly = exe, nil
	}
	res, err := w.Run(ctx, cmd)
	if err != nil {
		return answer{}, fmt.Errorf("running the service: %w", err)
	}
	var out answer
	if res.Unserved != "" {
		return answer{Broken: res.Unserved}, nil
	}
	if json.Unmarshal(res.Stdout, &out) != nil {
		out = answer{Broken: "the service and its client were ended before anything was asked: " + ending(res)}
	}
	return out, nil
}

func ending(res sandbox.Result) string {
	switch {
	case res.OutOfMemory:
		return "out of memory"
	case res.OverQuota:
		return "over the disk quota"
	case res.TimedOut:
		return "out of time"
	}
	return fmt.Sprintf("exit status %d %s %.300s", res.ExitCode, res.Signal, res.Stderr)
}

// report makes failures of what the client said.
func (r *Runner) report(w *sandbox.Workspace, s settings.Smoke, res answer) Report {
	at := parse.Place{Root: "/work", Suite: Suite}
	if r.cfg.Sandbox.Walls().Backend == sandbox.None {
		at.Root = w.Path()
	}
	rep := Report{Ready: res.Ready}
	if res.Broken != "" {
		f := r.failure(at, Suite, res.Broken, res.Log)
		f.Kind = task.FailCrash
		if res.Late {
			f.Kind = task.FailTimeout
		}
		rep.Broken = &f
	}
	for i, sc := range s.Scenarios {
		one := Result{Name: sc.Name, Required: sc.Required}
		if i < len(res.Replies) {
			reply := res.Replies[i]
			one.Status = reply.Status
			if why := judge(sc, reply); why != "" {
				f := r.failure(at, Suite+": "+sc.Name, why, reply.Log)
				if reply.Late {
					f.Kind = task.FailTimeout
				}
				one.Failure = &f
			} else {
				one.Passed = true
			}
		}
		rep.Results = append(rep.Results, one)
	}
	return rep
}

const (
	shownBody = 1 << 10
	maxAnswer = 8 << 20 // of the client: 50 scenarios, each with what the service said, as JSON
)

// judge says why a reply is not what was expected, or "".
func judge(sc settings.Scenario, reply reply) string {
	head := sc.Method + " " + sc.Path
	shown := func() string {
		body := strings.ToValidUTF8(reply.Body, "\uFFFD")
		if len(body) > shownBody {
			body = strings.ToValidUTF8(body[:shownBody], "") + "…"
		}
		return strings.TrimSpace(body)
	}
	switch {
	case reply.Error != "":
		return head + " got no answer: " + reply.Error
	case sc.Status != 0 && reply.Status != sc.Status:
		return fmt.Sprintf("%s answered %d, expected %d: %s", head, reply.Status, sc.Status, shown())
	case sc.Status == 0 && reply.Status >= 400:
		return fmt.Sprintf("%s answered %d: %s", head, reply.Status, shown())
	case !reply.Has:
		return fmt.Sprintf("%s answered %d without %q: %s", head, reply.Status, sc.Contains, shown())
	}
	return ""
}

// served is how Go's HTTP server tells of a panic that it caught.
var served = regexp.MustCompile(`(?m)^.*http: panic serving \S+: `)

// failure carries what was seen from outside, and the place and trace of what
// the service said of it.
func (r *Runner) failure(at parse.Place, test, why, log string) task.Failure {
	f := task.Failure{Kind: task.FailAssertion}
	if read := parse.Read(parse.Traces, served.ReplaceAll([]byte(log), []byte("panic: ")), at); len(read.Broken) > 0 {
		f = read.Broken[0]
		if f.Message != "" {
			why += "\n" + f.Exception + ": " + f.Message
		}
	}
	f.Test, f.Suite, f.Message, f.Excerpt = test, Suite, r.cfg.Hide(why), r.cfg.Hide(strings.ToValidUTF8(log, "\uFFFD"))
	f.Fingerprint = parse.Fingerprint(f)
	return f
}
