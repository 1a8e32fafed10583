package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

const pageSize = 50

var outcomes = []task.Outcome{task.Success, task.FailedAllTiers, task.Timeout, task.BudgetExhausted, task.LoopDetected, task.Impasse, task.MaxAttempts, task.MaxReplans, task.Cancelled, task.Quarantined, task.Rejected, task.Error}

var states = []task.State{task.StateQueued, task.StateRunning, store.StateWaiting, task.StateParked, task.StateDone}

// filter reads what a list is narrowed by. A word that is none of the list's is refused,
// so that a misspelt one is no empty page.
func (q *request) filter() (f store.CardFilter, err error) {
	v := q.URL.Query()
	v.Set("q", q.s.cfg.Funnel.Log(v.Get("q"))) // it is shown again
	v.Set("repo", q.s.cfg.Funnel.Log(v.Get("repo")))
	f = store.CardFilter{
		Scope: q.v.Scope, State: task.State(v.Get("state")), Repo: v.Get("repo"), Outcome: task.Outcome(v.Get("outcome")),
		Tier: task.Tier(v.Get("tier")), Text: v.Get("q"), After: v.Get("after"), Limit: pageSize,
	}
	if f.State == "live" {
		f.State, f.Live = "", true
	}
	switch {
	case f.State != "" && !slices.Contains(states, f.State):
		return f, invalid("state is one of %v", states)
	case f.Outcome != "" && !slices.Contains(outcomes, f.Outcome):
		return f, invalid("outcome is one of %v", outcomes)
	case f.Tier != "" && f.Tier.Rank() < 0:
		return f, invalid("tier is one of %v", task.Ladder)
	case len(f.Text) > 200 || len(f.Repo) > 300:
		return f, invalid("the words to look for are too many")
	}
	return f, nil
}

// cards lists runs as they may be shown, and the cursor behind them where there are more.
func (s *Server) cards(ctx context.Context, f store.CardFilter) (cards []store.Card, next string, err error) {
	want := f.Limit
	f.Limit++
	if cards, err = s.cfg.Store.Cards(ctx, f); err != nil {
		return nil, "", err
	}
	if len(cards) > want {
		cards = cards[:want]
		next = cards[want-1].Cursor()
	}
	cards, err = shown(s.cfg.Funnel, cards)
	return cards, next, err
}

type runsView struct {
	Filter   store.CardFilter
	State    string
	Outcomes []task.Outcome
	States   []task.State
	Tiers    []task.Tier
	Runs     []store.Card
	Next     string // the address of the next page
	Filtered bool
}

func (s *Server) runs(q *request) error {
	f, err := q.filter()
	if err != nil {
		return err
	}
	cards, next, err := s.cards(q.Context(), f)
	if err != nil {
		return err
	}
	state := q.URL.Query().Get("state")
	v := runsView{Filter: f, State: state, Outcomes: outcomes, States: states, Tiers: task.Ladder, Runs: cards,
		Filtered: state+f.Repo+string(f.Outcome)+string(f.Tier)+f.Text+f.After != ""}
	if next != "" {
		v.Next = "/runs?" + query("state", state, "repo", f.Repo, "outcome", string(f.Outcome), "tier", string(f.Tier), "q", f.Text, "after", next)
	}
	return q.render("runs", view{Title: "Runs", Nav: "runs", Live: f.After == "", Data: v})
}

// aRun is one run with what it saved, as it may be shown. What the visitor may not see is
// not there.
func (q *request) aRun() (task.Run, error) {
	r, err := q.found()
	if err != nil {
		return r, err
	}
	return q.s.whole(r)
}

// found is the run as it is stored.
func (q *request) found() (r task.Run, err error) {
	r, err = q.s.cfg.Store.Run(q.Context(), q.PathValue("id"))
	if err == nil && !q.v.Scope.Sees(r.Task.Repo.Installation, r.Task.Repo.Slug()) {
		err = store.ErrNotFound
	}
	return r, err
}

// whole is a run with what it saved, as it may be shown.
func (s *Server) whole(r task.Run) (task.Run, error) {
	type whole struct {
		Run   task.Run
		Saved task.RunState
	}
	w, err := shown(s.cfg.Funnel, whole{r, r.Saved})
	w.Run.Saved = w.Saved
	return w.Run, err
}

// What a page shows of a run at most.
const (
	mostDiffBytes = 400_000 // of all attempts' diffs together
	mostDiffLines = 3000
	mostExcerpt   = 8000 // bytes of a failure's log
	mostFailures  = 20   // of an attempt
)

// trim cuts a run to what a page shows, at ends of lines, before it passes the funnel, and
// counts the lines of diffs that are cut off by attempt.
func trim(r *task.Run) map[int]int {
	lost := map[int]int{}
	all := slices.Clone(bot.AttemptsOf(*r))
	for i := range all {
		a := &all[i]
		a.Patch.Edits = a.Patch.Edits[:min(len(a.Patch.Edits), 50)]
		if kept := wholeLines(a.Diff, mostDiffBytes/len(all)); len(kept) < len(a.Diff) {
			lost[a.Number] = strings.Count(a.Diff[len(kept):], "\n")
			a.Diff = kept
		}
		a.Failures = slices.Clone(a.Failures)
		for k := range a.Failures {
			if k >= mostFailures { // counted only
				a.Failures[k] = task.Failure{}
			}
			a.Failures[k].Excerpt = wholeLines(a.Failures[k].Excerpt, mostExcerpt)
		}
	}
	r.Saved.Attempts, r.Saved.Baseline, r.Saved.Suspects = all, nil, nil
	if r.Result != nil {
		res := *r.Result
		res.Attempts, res.Best, res.Diff, res.Checks, res.Case = nil, nil, "", nil, nil
		r.Result = &res
	}
	return lost
}

// wholeLines is the start of a text, up to the last end of a line within so many bytes.
func wholeLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:strings.LastIndexByte(text[:most], '\n')+1]
}

// attemptView is an attempt with its diff, cut to what a page bears.
type attemptView struct {
	task.Attempt
	Tried, Came string
	Diff        diffView
}

type runView struct {
	Run       task.Run
	Standing  string
	Outline   bot.Outline
	Steps     []stepView
	Attempts  []attemptView
	Turns     []turnView
	Saw       []string
	Messages  int
	Spent     map[task.Tier]task.USD
	Split     bool
	Local     bool
	Tiers     []task.Tier
	MayAct    bool
	MayRetry  bool
	MayResume bool
	Key       string // of the forms: sent twice, they act once
	Issue     string
	Pull      *task.PullRequest
	CommitURL string
}

type turnView struct {
	task.Decision
	About string
}

type stepView struct {
	agent.Step
	Number  int
	Done    bool
	Current bool
}

func (s *Server) run(q *request) error {
	r, err := q.found()
	if err != nil {
		return err
	}
	lost := trim(&r)
	if r, err = s.whole(r); err != nil {
		return err
	}
	rec, err := s.decisions(q.Context(), r.ID)
	if err != nil {
		return err
	}
	turns, err := bot.Turns(rec)
	if err != nil {
		return err
	}
	messages, err := s.cfg.Store.Messages(q.Context(), r.ID)
	if err != nil {
		return err
	}
	_, spent, err := s.cfg.Store.Spent(q.Context(), r.ID)
	if err != nil {
		return err
	}
	v := runView{
		Run: r, Standing: bot.Standing(r), Outline: bot.OutlineOf(r), Saw: bot.Saw(r, rec), Messages: len(messages), Spent: spent,
		Split: q.URL.Query().Get("view") == "split", Local: r.Task.Repo.Dir != "", Tiers: task.Ladder, Key: s.cfg.NewID(), Issue: r.Task.IssueURL,
	}
	for i, step := range v.Outline.Plan.Steps {
		v.Steps = append(v.Steps, stepView{step, i + 1, i < len(r.Saved.Done), i == len(r.Saved.Done) && r.State != task.StateDone})
	}
	for _, d := range turns {
		v.Turns = append(v.Turns, turnView{d, bot.About(d)})
	}
	for _, a := range bot.AttemptsOf(r) {
		d := newDiff(a.Diff, mostDiffLines/len(bot.AttemptsOf(r)), v.Split)
		d.More += lost[a.Number]
		v.Attempts = append(v.Attempts, attemptView{a, bot.Tried(a), bot.Came(a), d})
	}
	if p := r.Result; p != nil && p.Published.PullRequest != nil {
		v.Pull = p.Published.PullRequest
	}
	if r.Result != nil && r.Result.Published.Commit != "" && r.Task.Repo.HTMLURL != "" {
		v.CommitURL = r.Task.Repo.HTMLURL + "/commit/" + r.Result.Published.Commit
	}
	v.MayAct = q.v.Operator && !v.Local
	v.MayRetry = r.State == task.StateDone && r.Outcome != task.Success
	v.MayResume = v.MayRetry || r.State == task.StateParked && r.Waiting == nil
	return q.render("run", view{Title: cmp.Or(r.Task.Title, r.ID), Nav: "runs", Live: r.State != task.StateDone, Data: v})
}

// decisions are the lines of a run's audit log, as they may be shown.
func (s *Server) decisions(ctx context.Context, id string) (lines [][]byte, err error) {
	rec, err := s.cfg.App.Record(ctx, id)
	for _, line := range rec.Decisions {
		lines = append(lines, s.cfg.Funnel.Shown(line))
	}
	return lines, err
}

func (s *Server) diff(q *request, r task.Run) error {
	n, err := strconv.Atoi(q.PathValue("n"))
	attempts := bot.AttemptsOf(r)
	if err != nil || n < 1 || n > len(attempts) || attempts[n-1].Diff == "" {
		return errNotFound
	}
	return q.text("text/plain", fmt.Sprintf("%s-attempt-%d.diff", r.ID, n), attempts[n-1].Diff)
}

func (s *Server) log(q *request, r task.Run) error {
	lines, err := s.decisions(q.Context(), r.ID)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, l := range lines {
		b.Write(l)
	}
	return q.text("text/plain", r.ID+".jsonl", b.String())
}

// messageView is a message, cut to what a page bears.
type messageView struct {
	task.Message
	N     int
	Parts []part
}

// part is a piece of a message with a name.
type part struct {
	Name string
	Text string
	More int // bytes that are not shown
}

const mostPart = 6000 // bytes of a message's part on the page

// parts are the words of a message: its texts by name, or all of it as JSON.
func parts(m task.Message, most int) (out []part) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(m.Data, &fields) == nil {
		for _, name := range []string{"system", "user", "text", "error"} {
			var text string
			if json.Unmarshal(fields[name], &text) == nil && text != "" {
				out = append(out, cutPart(name, text, most))
			}
		}
	}
	if len(out) == 0 {
		out = append(out, cutPart("data", string(m.Data), most))
	}
	return out
}

func cutPart(name, text string, most int) part {
	if len(text) <= most {
		return part{Name: name, Text: text}
	}
	cut := strings.ToValidUTF8(text[:most], "")
	return part{name, cut, len(text) - len(cut)}
}

type conversationView struct {
	Run      task.Run
	Messages []messageView
	Next     int
}

const messagesPage = 40

func (s *Server) conversation(q *request, r task.Run) error {
	all, err := s.cfg.Store.Messages(q.Context(), r.ID)
	if err != nil {
		return err
	}
	from, err := strconv.Atoi(cmp.Or(q.URL.Query().Get("from"), "0"))
	if err != nil || from < 0 {
		return invalid("from is the number of a message")
	}
	v := conversationView{Run: r}
	for i := from; i < len(all) && i < from+messagesPage; i++ {
		m, err := shown(s.cfg.Funnel, all[i])
		if err != nil {
			return err
		}
		v.Messages = append(v.Messages, messageView{m, i + 1, parts(m, mostPart)})
	}
	if from+messagesPage < len(all) {
		v.Next = from + messagesPage
	}
	return q.render("conversation", view{Title: "Conversation", Nav: "runs", Data: v})
}

func (s *Server) message(q *request, r task.Run) error {
	all, err := s.cfg.Store.Messages(q.Context(), r.ID)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(q.PathValue("n"))
	if err != nil || n < 1 || n > len(all) {
		return errNotFound
	}
	m, err := shown(s.cfg.Funnel, all[n-1])
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, p := range parts(m, 1<<30) {
		fmt.Fprintf(&b, "%s\n\n%s\n\n", strings.ToUpper(p.Name), p.Text)
	}
	return q.text("text/plain", fmt.Sprintf("%s-message-%d.txt", r.ID, n), b.String())
}

// deed is what somebody wants done to a run.
type deed struct {
	Action   string // approve, reject, stop, resume, retry
	Feedback string
	Gate     task.GateKind // that is answered; "": whichever is open
	Step     int           // that is answered, or to go on at; -1: where it stands
	Asked    time.Time     // of the gate that the visitor saw
	Tier     task.Tier
	Key      string // the same deed again has the same
}

// do does it, and gives the id of the run that goes on.
func (q *request) do(r task.Run, d deed) (string, error) {
	if r.Task.Repo.Dir != "" {
		return "", &problem{Status: http.StatusConflict, Title: "This run is not the server's", Detail: "The command line that asked for it works on it; use 'fettle runs' there."}
	}
	ctx, app, by := q.Context(), q.s.cfg.App, q.v.Name
	if d.Key != "" { // nobody else's
		d.Key = hash(by + "\x00" + r.ID + "\x00" + d.Action + "\x00" + d.Key)[:16]
	}
	switch d.Action {
	case "approve", "reject":
		if d.Action == "reject" && strings.TrimSpace(d.Feedback) == "" {
			return "", invalid("say what is wrong, so that the next try can be better")
		}
		_, err := app.Answer(ctx, r.ID, task.Answer{Gate: d.Gate, Step: max(d.Step, 0), Approved: d.Action == "approve", Feedback: d.Feedback, By: by, At: q.s.cfg.Now().UTC(), Key: d.Key, Asked: d.Asked})
		return r.ID, err
	case "stop":
		if r.State == task.StateDone {
			return "", store.ErrDone
		}
		return r.ID, app.Stop(ctx, r.ID, "stopped at the dashboard by "+by)
	case "resume":
		if r.State != task.StateDone { // it goes on under its own id: done twice, the second would throw it back
			if d.Key != "" {
				if mine, err := q.s.cfg.Store.Turn(ctx, "resume "+d.Key, 24*time.Hour); err != nil || !mine {
					return r.ID, err
				}
			}
			if r.Waiting != nil && d.Step < 0 {
				return "", &problem{Status: http.StatusConflict, Title: "The run waits for an answer", Detail: "Approve or reject what it asks, or say at which step it goes on."}
			}
		}
		id, err := app.Resume(ctx, r.ID, cmp.Or(d.Key, q.s.cfg.NewID()), d.Step)
		if err != nil && problemOf(err) == nil && !isDatabase(err) {
			err = &problem{Status: http.StatusConflict, Title: "It cannot go on", Detail: q.s.cfg.Funnel.Log(err.Error())}
		}
		return id, err
	case "retry":
		if d.Tier.Rank() < 0 {
			return "", invalid("tier is one of %v", task.Ladder)
		}
		if r.State != task.StateDone {
			return "", store.ErrHeld
		}
		return app.RetryAt(ctx, r, d.Tier, cmp.Or(d.Key, q.s.cfg.NewID()))
	}
	return "", errNotFound
}

// isDatabase tells a failure of the database from a refusal in words.
func isDatabase(err error) bool { return strings.HasPrefix(err.Error(), "store: ") }

// act is a button.
func (s *Server) act(q *request, r task.Run) error {
	d := deed{Action: q.PathValue("action"), Feedback: q.PostFormValue("feedback"), Gate: task.GateKind(q.PostFormValue("gate")), Tier: task.Tier(q.PostFormValue("tier")), Key: q.PostFormValue("key"), Step: -1}
	var err error
	if text := q.PostFormValue("step"); text != "" {
		if d.Step, err = strconv.Atoi(text); err != nil || d.Step < -1 || d.Step > 1000 {
			return invalid("step is a number")
		}
	}
	if text := q.PostFormValue("asked"); text != "" {
		if d.Asked, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return invalid("asked is a time")
		}
	}
	id, err := q.do(r, d)
	if err != nil {
		return err
	}
	return q.see("/runs/" + id)
}
