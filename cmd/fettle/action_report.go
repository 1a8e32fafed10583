package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/actions"
	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// What the output outcome says where it is none of a run's outcomes.
const (
	outcomeWaiting = "waiting" // for a human's answer
	outcomeParked  = "parked"
)

const (
	mostNotes  = 8 // GitHub shows ten annotations of a level and step
	reportSays = 2 * time.Minute
)

// reportJob tells the runner what the step before it came to. That step has said by
// its exit status whether the job failed; this one fails where it cannot report.
func (g *global) reportJob(c *cobra.Command) error {
	job, readErr := actions.Read(os.Getenv)
	end, err := job.Ended()
	if err != nil {
		return err
	}
	if readErr != nil && end.Error == "" {
		end.Error = readErr.Error()
		var no *actions.Refusal
		end.Refuse = errors.As(readErr, &no)
	}
	ctx, cancel := context.WithTimeout(c.Context(), reportSays)
	defer cancel()
	r := &jobReport{c: c, job: job, end: end}
	if readErr == nil {
		if err := r.open(ctx, g); err != nil {
			return err
		}
		defer r.close()
	}
	return r.print(ctx)
}

// jobReport is what a job is told of.
type jobReport struct {
	c   *cobra.Command
	job *actions.Job
	end actions.Ending
	p   *parts
	db  *store.Store
	app *bot.App
	run *task.Run
	cut bool // the step before was ended from outside, and the run with it
}

func (r *jobReport) close() {
	if r.db != nil {
		_ = r.db.Close() // what it held is on disk since each commit
	}
}

// open finds the run: the one that was worked on, or where the step was cut the one
// that did not end.
func (r *jobReport) open(ctx context.Context, g *global) (err error) {
	if r.p, err = g.jobParts(r.c, r.job); err != nil {
		r.p = nil
		return nil //nolint:nilerr // the step before failed by it and said so
	}
	if _, err := os.Stat(filepath.Join(r.job.Record(), actions.Database)); err != nil {
		return nil //nolint:nilerr // nothing was begun
	}
	if r.db, err = r.p.openStore(ctx); err != nil {
		return err
	}
	runs, err := r.db.Runs(ctx, store.Filter{})
	if err != nil {
		return err
	}
	for i, run := range runs {
		live := run.State == task.StateQueued || run.State == task.StateRunning
		if run.ID == r.end.Run || !r.end.Done && live {
			r.run, r.cut = &runs[i], live
			break
		}
	}
	if r.run == nil {
		return nil
	}
	client, err := r.p.jobForge(ctx, r.job)
	if client == nil {
		return err
	}
	if err != nil { // what was done by then is told and kept all the same
		r.p.log.WithError(err).Error("GitHub did not answer; nothing can be said on the issue")
	}
	r.app, err = r.p.jobApp(r.db, client, r.job, r.end.Login)
	return err
}

func (r *jobReport) print(ctx context.Context) error {
	out := r.c.OutOrStdout()
	outputs := r.outputs()
	if r.run == nil {
		title := "fettle did not run"
		words := r.end.Error
		switch {
		case words != "":
			if err := redact.Annotate(out, redact.Annotation{Level: redact.Error, Title: title, Message: r.clean(words)}); err != nil {
				return err
			}
		case !r.end.Done:
			words = "the job ended before fettle had begun"
		default:
			title, words = "fettle had nothing to run", r.end.Note
		}
		return errors.Join(r.job.SetOutputs(outputs...), r.job.Summarise(fmt.Sprintf("## %s\n\n%s\n", title, r.markdown(words))))
	}
	for _, a := range r.annotations() {
		if err := redact.Annotate(out, a); err != nil {
			return err
		}
	}
	summary := r.app.JobSummary(*r.run, r.cut)
	if r.byJob() {
		summary += "\n> " + noCI + ".\n"
	}
	if err := errors.Join(r.job.SetOutputs(outputs...), r.job.Summarise(summary), r.record(ctx, summary)); err != nil {
		return err
	}
	if r.cut { // at last: GitHub may take all the time that is left
		if err := r.app.Cut(ctx, *r.run); err != nil {
			r.p.log.WithError(err).Error("that the job was cut could not be said on the issue")
		}
	}
	return nil
}

// byJob tells whether a pull request was made with the job's token.
func (r *jobReport) byJob() bool {
	return r.end.Login == forge.JobLogin && r.run.Result != nil && r.run.Result.Published.PullRequest != nil
}

func (r *jobReport) clean(text string) string {
	if r.p == nil {
		return text // of fettle's own: nothing of the event was looked at
	}
	return r.p.funnel.Log(text)
}

func (r *jobReport) markdown(text string) string {
	if r.p == nil {
		return text
	}
	return r.p.funnel.Markdown(text)
}

// outputs are always all set, so that a later step can rely on them.
func (r *jobReport) outputs() []actions.Output {
	outcome, url, branch, cost, risk, artifact, record := "", "", "", "0", "", "", ""
	switch {
	case r.run == nil && r.end.Refuse:
		outcome = string(task.Rejected)
	case r.run == nil && r.end.Error != "":
		outcome = string(task.Error)
	case r.run != nil:
		cost = strconv.FormatFloat(r.run.Cost.Float(), 'f', -1, 64)
		if outcome = string(r.run.Outcome); r.cut {
			outcome = string(task.Cancelled)
		} else if r.run.Waiting != nil {
			outcome = outcomeWaiting
		} else if r.run.State == task.StateParked {
			outcome = outcomeParked
		}
		if res := r.run.Result; res != nil {
			branch, cost = res.Published.Branch, strconv.FormatFloat(res.Cost.Float(), 'f', -1, 64)
			if pr := res.Published.PullRequest; pr != nil {
				url = pr.URL
			}
			if res.Best != nil {
				risk = strconv.Itoa(res.Risk.Score)
			}
		}
	}
	if r.db != nil && r.end.Issue > 0 {
		artifact, record = actions.Artifact(r.end.Issue), r.job.Record()
	}
	return []actions.Output{{Name: "outcome", Value: outcome}, {Name: "pull-request-url", Value: url}, {Name: "branch", Value: branch}, {Name: "cost-usd", Value: cost}, {Name: "risk", Value: risk},
		{Name: "artifact", Value: artifact}, {Name: "record", Value: record}}
}

func (r *jobReport) annotations() []redact.Annotation {
	run := r.run
	note := func(level, title, message string) redact.Annotation {
		return redact.Annotation{Level: level, Title: r.clean(title), Message: r.clean(message)}
	}
	var out []redact.Annotation
	switch res := run.Result; {
	case r.cut:
		return []redact.Annotation{note(redact.Warning, "fettle was cut", "The job was cancelled or died. Run it again, or say /fettle resume on the issue: it goes on after the last attempt.")}
	case run.Waiting != nil:
		return []redact.Annotation{note(redact.Notice, "fettle waits for an answer", run.Waiting.Words)}
	case res == nil:
		return []redact.Annotation{note(redact.Warning, "fettle put the run aside", run.Reason)}
	case run.Outcome == task.Success && res.Published.PullRequest != nil:
		level, title := redact.Notice, "fettle opened a pull request"
		if res.Draft {
			level, title = redact.Warning, "fettle opened a draft"
		}
		out = append(out, note(level, title, res.Published.PullRequest.URL+"\n"+strings.Join(res.DraftReasons, "\n")))
	case run.Outcome == task.Success:
		out = append(out, note(redact.Notice, "fettle is done", res.NextAction))
	case run.Outcome == task.Error:
		out = append(out, note(redact.Error, "fettle failed", res.Reason))
	default:
		out = append(out, note(redact.Warning, "fettle ended: "+strings.ReplaceAll(string(run.Outcome), "_", " "), res.Reason+"\n"+res.NextAction))
	}
	if r.byJob() {
		out = append(out, note(redact.Notice, "No CI for this pull request", noCI))
	}
	for i, n := range r.app.JobNotes(*run) {
		if i == mostNotes {
			break
		}
		out = append(out, redact.Annotation{Level: redact.Warning, Title: r.clean(n.Title), Message: r.clean(n.Message), File: n.Path, Line: n.Line})
	}
	return out
}

// record lays the files for people beside the database: the summary, the diff, each
// decision, and what was said to models and by them.
func (r *jobReport) record(ctx context.Context, summary string) error {
	files := map[string][]byte{"summary.md": []byte(summary)}
	if res := r.run.Result; res != nil {
		raw, err := json.MarshalIndent(bot.Summarise(*res, res.Published), "", "  ")
		if err != nil {
			return fmt.Errorf("writing the record: %w", err)
		}
		files["summary.json"], files["change.diff"] = append(raw, '\n'), []byte(res.Diff)
	}
	var decisions, messages bytes.Buffer
	if err := r.db.Decisions(ctx, r.run.ID, &decisions); err != nil {
		return err
	}
	said, err := r.db.Messages(ctx, r.run.ID)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(&messages)
	for _, m := range said {
		if err := enc.Encode(m); err != nil {
			return fmt.Errorf("writing the record: %w", err)
		}
	}
	files["decisions.jsonl"], files["messages.jsonl"] = decisions.Bytes(), messages.Bytes()
	for name, data := range files {
		if err := r.job.Write(name, data); err != nil {
			return fmt.Errorf("writing the record: %w", err)
		}
	}
	return nil
}
