package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/task"
)

// judgedFor is how long a judgement, and what the tests showed of a base, stand for the
// same contents: what is installed for the tests, and the day, are not among them.
const judgedFor = 24 * time.Hour

// judgedBefore is a judgement, and of which commit and when it was made where it was
// made before.
type judgedBefore struct {
	judge.Report
	Head string
	At   time.Time
}

// words say that it was made before; "": it was not.
func (r judgedBefore) words() string {
	switch {
	case r.Head != "":
		return fmt.Sprintf(" Nothing was run again: the same files before and after were judged at commit %s on %s, under the same settings and by the same fettle; `/fettle judge` judges anew.", r.Head, r.At.UTC().Format("2 January 15:04 UTC"))
	case r.Reused:
		return " What the tests show of the code before the change was measured for an earlier push; those that say something of the change were run there again."
	}
	return ""
}

// results keeps what the judge saw in a repository.
type results struct {
	app  *App
	repo task.Repo
}

// resultsOf gives what keeps results of a repository; nil where none are kept.
func (a *App) resultsOf(repo task.Repo) *results {
	if a.app.JudgedBy == "" {
		return nil
	}
	return &results{a, repo}
}

// Kept implements judge.Keeper.
func (r *results) Kept(ctx context.Context, name string) ([]byte, time.Time, error) {
	return r.app.cfg.Store.Result(ctx, r.repo.Installation, r.repo.Slug(), r.app.app.JudgedBy+" "+name, judgedFor)
}

// Keep implements judge.Keeper.
func (r *results) Keep(ctx context.Context, name string, body []byte) error {
	return r.app.cfg.Store.KeepResult(ctx, r.repo.Installation, r.repo.Slug(), r.app.app.JudgedBy+" "+name, body)
}

// judged is what was judged of the same contents, with the tests that it lacks where they
// are asked for.
func (r *results) judged(ctx context.Context, in judge.Input) (out judgedBefore) {
	body, at, err := r.Kept(ctx, in.Name())
	if err != nil || body == nil || json.Unmarshal(body, &out.Report) != nil {
		return judgedBefore{}
	}
	if out.Offer == nil && in.Tests {
		return judgedBefore{}
	}
	out.At, out.Head = at, out.Report.Head
	out.Base, out.Report.Head = in.Base.BaseCommit(), in.Head.BaseCommit()
	if !in.Tests {
		out.Offer = nil
	}
	return out
}

// keep keeps a judgement. One that cannot be kept is made again.
func (r *results) keep(ctx context.Context, name string, report judge.Report) {
	body, err := json.Marshal(report)
	if err == nil {
		err = r.Keep(ctx, name, body)
	}
	if err != nil && ctx.Err() == nil {
		r.app.cfg.Log.WithError(err).Warn("the judgement was not kept, and the same contents are judged again")
	}
}
