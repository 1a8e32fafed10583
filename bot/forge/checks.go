package forge

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// notesAtOnce is how many annotations GitHub takes in one request; an update
// adds its own to those that are there.
const notesAtOnce = 50

// maxNotes bounds the annotations of one check run.
const maxNotes = 500

// CheckRun leaves one finished check run of this name on the commit. The
// conclusion is one of GitHub's: success, failure, neutral, cancelled, skipped,
// timed_out, action_required. Done again, it updates the one that is there;
// annotations that stand there already are not sent again.
func (c *Client) CheckRun(ctx context.Context, repo task.Repo, sha, name, conclusion, title, summary string, notes ...task.Annotation) error {
	if !hash.MatchString(sha) {
		return fmt.Errorf("forge: %q is not a full commit hash", sha)
	}
	g, err := c.rest(repo)
	if err != nil {
		return err
	}
	unlock, err := c.locks.lock(ctx, repo)
	if err != nil {
		return err
	}
	defer unlock()
	k := checkWriter{c: c, g: g, repo: repo, sha: sha, name: name, conclusion: conclusion, done: github.Timestamp{Time: c.cfg.Now().UTC()},
		title: c.title(title), summary: clip(c.cfg.Funnel.Comment(summary), maxComment), notes: c.notes(notes)}
	return c.explain("writing check run "+name+" on "+repo.Slug()+"@"+sha[:7], k.write(ctx))
}

// checkWriter writes the one check run of a name on a commit.
type checkWriter struct {
	c                     *Client
	g                     *github.Client
	repo                  task.Repo
	sha, name, conclusion string
	title, summary        string
	done                  github.Timestamp
	notes                 []*github.CheckRunAnnotation
}

func (k checkWriter) write(ctx context.Context) error {
	var id int64
	has := 0
	created := false
	err := k.c.createOnce(ctx, func() (bool, error) {
		found, err := k.c.findCheck(ctx, k.g, k.repo, k.sha, k.name)
		id, has = found.GetID(), found.GetOutput().GetAnnotationsCount()
		return found != nil, err
	}, func() error {
		made, _, err := k.g.Checks.CreateCheckRun(ctx, k.repo.Owner, k.repo.Name, github.CreateCheckRunOptions{
			Name: k.name, HeadSHA: k.sha, Status: github.String("completed"), Conclusion: &k.conclusion, CompletedAt: &k.done, Output: k.output(0),
		})
		id, has, created = made.GetID(), min(len(k.notes), notesAtOnce), err == nil
		return err
	})
	if err != nil {
		return err
	}
	for first := !created; first || has < len(k.notes); first = false {
		_, _, err := k.g.Checks.UpdateCheckRun(ctx, k.repo.Owner, k.repo.Name, id, github.UpdateCheckRunOptions{
			Name: k.name, Status: github.String("completed"), Conclusion: &k.conclusion, CompletedAt: &k.done, Output: k.output(has),
		})
		if err != nil {
			return err
		}
		has += notesAtOnce
	}
	return nil
}

// output is what the run says, with the annotations behind the first sent.
func (k checkWriter) output(sent int) *github.CheckRunOutput {
	out := &github.CheckRunOutput{Title: &k.title, Summary: &k.summary}
	if sent < len(k.notes) {
		out.Annotations = k.notes[sent:min(len(k.notes), sent+notesAtOnce)]
	}
	return out
}

// notes are annotations as they may leave. One without a place is left out: GitHub
// would refuse the whole request.
func (c *Client) notes(all []task.Annotation) []*github.CheckRunAnnotation {
	var out []*github.CheckRunAnnotation
	for _, n := range all {
		if n.Path == "" || n.Line <= 0 || len(out) == maxNotes {
			continue
		}
		last, level := max(n.EndLine, n.Line), n.Level
		if level != task.NoteFailure && level != task.NoteWarning {
			level = task.NoteNotice
		}
		message := clip(c.cfg.Funnel.Comment(n.Message), maxComment)
		if strings.TrimSpace(message) == "" {
			message = level
		}
		one := &github.CheckRunAnnotation{Path: &n.Path, StartLine: &n.Line, EndLine: &last, AnnotationLevel: &level, Message: &message}
		if n.Title != "" {
			one.Title = github.String(c.title(n.Title))
		}
		out = append(out, one)
	}
	return out
}

// Checks lists what the checks of a commit say now, those of GitHub Actions and
// of other Apps among them, the newest of each name.
func (c *Client) Checks(ctx context.Context, repo task.Repo, ref string) ([]task.CheckEnd, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	var out []task.CheckEnd
	opts := &github.ListCheckRunsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for range maxPages {
		list, resp, err := g.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, ref, opts)
		if err != nil {
			return nil, c.explain("reading the checks of "+repo.Slug()+"@"+ref, err)
		}
		for _, r := range list.CheckRuns {
			end := task.CheckEnd{ID: r.GetID(), Name: r.GetName(), HeadSHA: r.GetHeadSHA(), Conclusion: r.GetConclusion(), AppID: r.GetApp().GetID(),
				Title: r.GetOutput().GetTitle(), Summary: r.GetOutput().GetSummary(), URL: r.GetHTMLURL()}
			for _, p := range r.PullRequests {
				end.Pulls = append(end.Pulls, p.GetNumber())
			}
			out = append(out, end)
		}
		if resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	return out, nil
}

// Annotations lists what a check run says about lines, at most the first hundred.
func (c *Client) Annotations(ctx context.Context, repo task.Repo, check int64) ([]task.Annotation, error) {
	g, err := c.rest(repo)
	if err != nil {
		return nil, err
	}
	list, _, err := g.Checks.ListCheckRunAnnotations(ctx, repo.Owner, repo.Name, check, &github.ListOptions{PerPage: 100})
	if err != nil {
		return nil, c.explain(fmt.Sprintf("reading the annotations of check run %d of %s", check, repo.Slug()), err)
	}
	var out []task.Annotation
	for _, a := range list {
		out = append(out, task.Annotation{Path: a.GetPath(), Line: a.GetStartLine(), EndLine: a.GetEndLine(), Level: a.GetAnnotationLevel(), Title: a.GetTitle(), Message: a.GetMessage()})
	}
	return out, nil
}

// findCheck is the App's own check run of this name, or nil.
func (c *Client) findCheck(ctx context.Context, g *github.Client, repo task.Repo, sha, name string) (*github.CheckRun, error) {
	opts := &github.ListCheckRunsOptions{CheckName: &name, ListOptions: github.ListOptions{PerPage: 100}}
	var me string // of a job's token, whose App has no number here
	if c.cfg.AppID != 0 {
		opts.AppID = &c.cfg.AppID
	} else {
		var err error
		if me, err = c.identity(ctx, repo.Installation); err != nil {
			return nil, err
		}
	}
	list, _, err := g.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, sha, opts)
	if err != nil {
		return nil, err
	}
	for _, r := range list.CheckRuns {
		if r.GetName() == name && (c.cfg.AppID != 0 && r.GetApp().GetID() == c.cfg.AppID || me != "" && strings.EqualFold(r.GetApp().GetSlug()+"[bot]", me)) {
			return r, nil
		}
	}
	return nil, nil
}
