package bot

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// reviewed takes what was said of a pull request of fettle's as work (SPEC S3):
// everything that stands unanswered there, in whichever delivery it was told. A
// review comes as several deliveries, one for itself and one for each comment;
// what one of them took in, the others find taken.
func (a *App) reviewed(ctx context.Context, ev task.Event) (string, error) {
	p, err := a.own(ctx, ev.Repo, ev.Issue.Number)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return "ignored: a review of a pull request that is not fettle's", nil
	case ev.ActorIsBot:
		return "ignored: reviews of bots are no work", nil
	case ev.Pull != nil && ev.Pull.State != "open":
		return "ignored: the pull request is closed", nil
	}
	if ok, err := a.mayWrite(ctx, ev.Repo, ev.Actor); err != nil || !ok {
		return "ignored: " + ev.Actor + " may not write here, so the review is no work", err
	}
	if said := reviewWords(ev); len(command.Parse(said)) > 0 {
		if ev.CommentID == 0 {
			ev.CommentID = ev.Review.ID
		}
		return a.obey(ctx, ev, command.Parse(said))
	}
	note, err := a.work(ctx, ev, *p)
	if err == nil {
		err = a.learnReview(ctx, ev, *p, reviewWords(ev)) // nothing waits for it
	}
	return note, err
}

// work does what is asked in a review, by somebody who may write to the repository.
func (a *App) work(ctx context.Context, ev task.Event, p store.Pull) (string, error) {
	if ev.CommentID == 0 && ev.Review != nil && ev.Review.State == task.ReviewApproved {
		note, err := a.approvedReview(ctx, ev, p)
		if err != nil || note != "" {
			return note, err
		}
	}
	if err := a.later(ctx, ev, p); err != nil {
		return "", err
	}
	open, err := a.unanswered(ctx, ev, p)
	if err != nil {
		return "", err
	}
	q, more, ok := open.work(p)
	if !ok {
		return "everything asked is answered", nil
	}
	note, err := a.follow(ctx, ev, p, q)
	if err == nil && more { // the rest, when this is done
		err = store.Later(a.cfg.Now().Add(leastWait), fmt.Errorf("%s; other work of the review comes after it", note))
	}
	return note, err
}

// reviewWords is what the event itself says.
func reviewWords(ev task.Event) string {
	if ev.CommentID == 0 && ev.Review != nil {
		return ev.Review.Body
	}
	return ev.Comment
}

// approvedReview: an approval is a yes to what waits for one, and to the open
// points of a draft. "" says that there was nothing to say yes to.
func (a *App) approvedReview(ctx context.Context, ev task.Event, p store.Pull) (string, error) {
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil {
		return "", err
	}
	if live != nil && live.Waiting != nil && live.Saved.Published == p.Number {
		said, err := a.Answer(ctx, live.ID, task.Answer{Approved: true, By: ev.Actor, At: a.cfg.Now().UTC()})
		return fmt.Sprintf("%s of run %s: approved by a review", said.Gate, live.ID), err
	}
	if live == nil && ev.Pull != nil && ev.Pull.Draft {
		return "made ready: " + ev.Actor + " approved it", a.ready(ctx, ev.Repo, p)
	}
	return "", nil
}

// ready makes a draft ready for review, because a human decided on its open points.
func (a *App) ready(ctx context.Context, repo task.Repo, p store.Pull) error {
	// First, so that whoever merges it at once closes the issue with it.
	if err := a.app.Forge.Closes(ctx, repo, p.Number, p.Issue); err != nil {
		return err
	}
	if err := a.app.Forge.SetDraft(ctx, repo, p.Number, false); err != nil {
		return err
	}
	a.cfg.Point("made ready")
	return a.restate(ctx, repo, p)
}

// unansweredWork is what stands on a pull request and no run has taken in.
type unansweredWork struct {
	suggestions, changes, questions []task.Thread
	review                          *task.Review
}

var (
	// thanks asks for nothing.
	thanks = lazyregexp.New(`(?i)^\W*(lgtm|looks good( to me)?|thanks?( you)?|thank you|nice|great|good (catch|work|job)|perfect|👍|🎉|❤️)[\w\s]{0,30}\W*$`)
	// interrogative begins a question, where a question mark ends it. "Could you …?"
	// asks for something to be done.
	interrogative = lazyregexp.New(`(?i)^[\W_]*(?:why|what|how|where|when|who|which|is|are|was|were|does|do|did|has|have)(?:[^a-z]|$)`)
)

// isQuestion tells whether a text wants an answer and no change.
func isQuestion(text string) bool {
	text = strings.TrimSpace(text)
	return interrogative.MatchString(text) && strings.HasSuffix(strings.TrimRight(text, " \t\r\n)*_"), "?") && len(forge.Suggestions(text)) == 0
}

// unanswered reads what of the review is open: the threads whose last word is of
// somebody who may write and that no run has taken in, and the reviews themselves.
func (a *App) unanswered(ctx context.Context, ev task.Event, p store.Pull) (unansweredWork, error) {
	var out unansweredWork
	runs, err := a.earlier(ctx, p)
	if err != nil {
		return out, err
	}
	taken := func(id int64) bool {
		return slices.ContainsFunc(runs, func(r task.Run) bool { return slices.Contains(r.Task.Follow.Comments, id) })
	}
	writers := map[string]bool{}
	writes := func(login string) (bool, error) {
		ok, known := writers[login]
		if known || login == "" { // whoever it was has no account any more
			return ok, nil
		}
		ok, err := a.mayWrite(ctx, ev.Repo, login)
		writers[login] = ok
		return ok, err
	}
	threads, err := a.app.Forge.Threads(ctx, ev.Repo, p.Number)
	if err != nil {
		return out, err
	}
	for _, t := range threads {
		last := t.Last()
		if last.ID == ev.CommentID && last.ID != 0 { // the text counts as it was when it was told
			last.Body = ev.Comment
			t.Comments[len(t.Comments)-1] = last
		}
		if t.Resolved || last.ID == 0 || last.IsBot || taken(last.ID) || thanks.MatchString(last.Body) || len(command.Parse(last.Body)) > 0 {
			continue
		}
		if ok, err := writes(last.Author); err != nil {
			return out, err
		} else if !ok {
			continue
		}
		for i, c := range t.Comments { // the task is in words of those who may write
			if ok, err := writes(c.Author); err != nil {
				return out, err
			} else if !ok || c.IsBot {
				t.Comments[i].Body = fmt.Sprintf("(what %s said is left out: only words of people who may write here are work)", c.Author)
			}
		}
		switch {
		case len(forge.Suggestions(last.Body)) > 0:
			out.suggestions = append(out.suggestions, t)
		case isQuestion(last.Body):
			out.questions = append(out.questions, t)
		default:
			out.changes = append(out.changes, t)
		}
	}
	reviews, err := a.app.Forge.Reviews(ctx, ev.Repo, p.Number)
	if err != nil {
		return out, err
	}
	for _, r := range slices.Backward(reviews) {
		asks := r.State == task.ReviewChanges || r.State == task.ReviewCommented
		if !asks || strings.TrimSpace(r.Body) == "" || taken(-r.ID) || thanks.MatchString(r.Body) || len(command.Parse(r.Body)) > 0 {
			continue
		}
		if ok, err := writes(r.Author); err != nil {
			return out, err
		} else if ok {
			out.review = &r
			break
		}
	}
	return out, nil
}

// work is the next follow-up: what a reviewer wrote out goes before what is asked
// in words. Questions are answered with whatever comes first. more tells that
// something is left for another.
func (w unansweredWork) work(p store.Pull) (q asks, more, ok bool) {
	q = asks{origin: task.OriginReview, follow: task.Follow{Kind: task.FollowQuestion}}
	var doing []task.Thread
	switch {
	case len(w.suggestions) > 0:
		q.follow.Kind, doing = task.FollowSuggestion, w.suggestions
		q.title = fmt.Sprintf("apply suggestions of the review of #%d", p.Number)
		more = len(w.changes) > 0 || w.review != nil
	case len(w.changes) > 0 || w.review != nil:
		q.follow.Kind, doing, q.follow.Review = task.FollowReview, w.changes, w.review
	case len(w.questions) == 0:
		return q, false, false
	}
	q.follow.Threads = slices.Concat(doing, w.questions)
	for _, t := range q.follow.Threads {
		q.follow.Comments = append(q.follow.Comments, t.Last().ID)
	}
	if q.follow.Review != nil {
		q.follow.Comments = append(q.follow.Comments, -q.follow.Review.ID)
	}
	if q.body = reviewBody(doing, q.follow.Review); q.title == "" {
		q.title = reviewTitle(doing, q.follow.Review, p)
	}
	return q, more, true
}

// reviewTitle is the first line of what is asked.
func reviewTitle(doing []task.Thread, r *task.Review, p store.Pull) string {
	words := ""
	switch {
	case r != nil:
		words = r.Body
	case len(doing) > 0:
		words = doing[0].Last().Body
	}
	line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
	if line = oneLine(line, 60); line == "" {
		line = fmt.Sprintf("answer the review of #%d", p.Number)
	}
	return line
}

// reviewBody is what a reviewer asks for, with the lines that it is about.
func reviewBody(doing []task.Thread, r *task.Review) string {
	var b strings.Builder
	if r != nil {
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Body))
	}
	for _, t := range doing {
		fmt.Fprintf(&b, "About %s%s:\n\n", t.Path, prefixed(", line ", lineWords(t)))
		if hunk := t.Comments[0].Hunk; hunk != "" {
			fmt.Fprintf(&b, "```diff\n%s\n```\n\n", lastLines(hunk, 12))
		}
		for _, c := range t.Comments {
			fmt.Fprintf(&b, "%s: %s\n\n", c.Author, strings.TrimSpace(c.Body))
		}
	}
	return b.String()
}

func lineWords(t task.Thread) string {
	switch {
	case t.Line == 0:
		return ""
	case t.StartLine > 0 && t.StartLine < t.Line:
		return fmt.Sprintf("%d-%d", t.StartLine, t.Line)
	}
	return fmt.Sprint(t.Line)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// suggested is the patch that suggestions are, on the files as they stand: a block
// a file, from its first changed line to its last. left names the threads whose
// lines are not there any more.
func suggested(base fs.FS, threads []task.Thread) (p task.Patch, left []string) {
	type edit struct {
		from, to int // lines from 1, both in it
		text     string
	}
	byFile := map[string][]edit{}
	var files []string
	for _, t := range threads {
		all := forge.Suggestions(t.Last().Body)
		if len(all) == 0 {
			continue
		}
		e := edit{t.StartLine, t.Line, all[len(all)-1]}
		if e.from == 0 {
			e.from = e.to
		}
		if t.Line == 0 || t.Outdated || e.from > e.to {
			left = append(left, t.ID)
			continue
		}
		if byFile[t.Path] == nil {
			files = append(files, t.Path)
		}
		byFile[t.Path] = append(byFile[t.Path], e)
	}
	for _, path := range files {
		edits := byFile[path]
		slices.SortFunc(edits, func(x, y edit) int { return x.from - y.from })
		src, err := fs.ReadFile(base, path)
		lines := strings.SplitAfter(string(src), "\n")
		from, to := edits[0].from, edits[len(edits)-1].to
		if err != nil || to > len(lines) {
			left = append(left, idsOf(threads, path)...)
			continue
		}
		for strings.Count(string(src), strings.Join(lines[from-1:to], "")) > 1 && (from > 1 || to < len(lines)) { // until the lines stand there once
			from, to = max(1, from-1), min(len(lines), to+1)
		}
		var now strings.Builder
		at := from
		for _, e := range edits {
			if e.from < at { // two suggestions for the same lines
				continue
			}
			now.WriteString(strings.Join(lines[at-1:e.from-1], ""))
			now.WriteString(e.text)
			at = e.to + 1
		}
		now.WriteString(strings.Join(lines[min(at-1, to):to], ""))
		p.Edits = append(p.Edits, task.Edit{Kind: task.EditSearch, Path: path,
			Code: "<<<<<<< SEARCH\n" + ended(strings.Join(lines[from-1:to], "")) + "=======\n" + ended(now.String()) + ">>>>>>> REPLACE\n"})
	}
	return p, left
}

func ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

func idsOf(threads []task.Thread, path string) []string {
	var out []string
	for _, t := range threads {
		if t.Path == path {
			out = append(out, t.ID)
		}
	}
	return out
}
