package simulator

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Snapshot is what stands in a repository, for tests and the demo.
type Snapshot struct {
	Repository    string            `json:"repository"` // owner/name
	Installation  int64             `json:"installation"`
	DefaultBranch string            `json:"default_branch"`
	Branches      map[string]string `json:"branches"` // name -> commit
	Issues        []IssueView       `json:"issues"`
	Pulls         []PullView        `json:"pulls"`
	Checks        []CheckView       `json:"checks"`
}

// IssueView is an issue with all that hangs on it.
type IssueView struct {
	Number    int           `json:"number"`
	Title     string        `json:"title"`
	Body      string        `json:"body"`
	State     string        `json:"state"`
	Author    string        `json:"author"`
	URL       string        `json:"url"`
	Labels    []string      `json:"labels"`
	Reactions []string      `json:"reactions"` // "eyes by fettle[bot]"
	Comments  []CommentView `json:"comments"`
}

// CommentView is a comment as it reads now.
type CommentView struct {
	ID        int64     `json:"id"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	URL       string    `json:"url"`
	Edits     int       `json:"edits"`
	Reactions []string  `json:"reactions"`
	CreatedAt time.Time `json:"created_at"`
}

// PullView is a pull request with its diff.
type PullView struct {
	IssueView
	Head    string       `json:"head"` // branch
	Base    string       `json:"base"` // branch
	HeadSHA string       `json:"head_sha"`
	BaseSHA string       `json:"base_sha"`
	Draft   bool         `json:"draft"`
	Merged  bool         `json:"merged"`
	Diff    string       `json:"diff"` // unified git diff from where head left base
	Reviews []ReviewView `json:"reviews,omitempty"`
	Threads []ThreadView `json:"threads,omitempty"`
}

// ReviewView is a review; ThreadView is what it says about lines.
type ReviewView struct {
	ID     int64  `json:"id"`
	State  string `json:"state"`
	Author string `json:"author"`
	Body   string `json:"body"`
}

// ThreadView is a conversation about lines of a pull request.
type ThreadView struct {
	Path       string        `json:"path"`
	Line       int           `json:"line"`
	ResolvedBy string        `json:"resolved_by"`
	Comments   []CommentView `json:"comments"`
}

// CheckView is a check run.
type CheckView struct {
	ID         int64  `json:"id"`
	App        string `json:"app,omitempty"` // of another App than this one
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	Notes      int    `json:"notes,omitempty"` // number of annotations
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Title      string `json:"title"`
	Summary    string `json:"summary"`
}

// Snapshot reads a repository; it is empty when there is none of that name.
func (s *Server) Snapshot(owner, name string) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.state.repo(owner, name)
	if r == nil {
		return Snapshot{}
	}
	out := Snapshot{Repository: r.Owner + "/" + r.Name, DefaultBranch: r.DefaultBranch, Branches: map[string]string{},
		Issues: []IssueView{}, Pulls: []PullView{}, Checks: []CheckView{}}
	if in := s.state.installationOf(r.Owner); in != nil {
		out.Installation = in.ID
	}
	ctx := context.Background()
	shas, _, err := s.refs(ctx, r, "refs/heads/")
	if err != nil {
		s.cfg.Log.WithError(err).Error("simulator: reading branches")
	}
	for ref, sha := range shas {
		out.Branches[strings.TrimPrefix(ref, "refs/heads/")] = sha
	}
	for _, i := range r.Issues {
		view := s.issueView(r, i)
		if i.Pull == nil {
			out.Issues = append(out.Issues, view)
			continue
		}
		p := i.Pull
		view.URL = fmt.Sprintf("%s/pull/%d", s.repoHTML(r), i.Number)
		shown := PullView{IssueView: view, Head: p.Head, Base: p.Base, HeadSHA: p.HeadSHA, BaseSHA: p.BaseSHA,
			Draft: p.Draft, Merged: !p.MergedAt.IsZero(), Diff: s.pullDiff(ctx, r, p)}
		for _, v := range p.Reviews {
			shown.Reviews = append(shown.Reviews, ReviewView{ID: v.ID, State: v.State, Author: v.Author, Body: v.Body})
		}
		for _, t := range p.Threads {
			one := ThreadView{Path: t.Path, Line: t.Line, ResolvedBy: t.ResolvedBy}
			for _, m := range t.Comments {
				one.Comments = append(one.Comments, CommentView{ID: m.ID, Author: m.Author, Body: m.Body, CreatedAt: m.CreatedAt, Reactions: reactionViews(m.Reactions)})
			}
			shown.Threads = append(shown.Threads, one)
		}
		out.Pulls = append(out.Pulls, shown)
	}
	for _, k := range r.Checks {
		out.Checks = append(out.Checks, CheckView{ID: k.ID, App: k.App, Notes: k.Notes, Name: k.Name, HeadSHA: k.HeadSHA, Status: k.Status, Conclusion: k.Conclusion,
			Title: k.Title, Summary: k.Summary})
	}
	return out
}

// pullDiff is the text of PR.diff.
func (s *Server) pullDiff(ctx context.Context, r *repository, p *pull) string {
	out, err := s.git.run(ctx, s.dir(r), nil, nil, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", "--merge-base", p.BaseSHA, p.HeadSHA)
	if err != nil {
		s.cfg.Log.WithError(err).Error("simulator: making a diff")
	}
	return string(out)
}

func (s *Server) issueView(r *repository, i *issue) IssueView {
	v := IssueView{Number: i.Number, Title: i.Title, Body: i.Body, State: i.State, Author: i.Author,
		URL: fmt.Sprintf("%s/issues/%d", s.repoHTML(r), i.Number), Labels: []string{}, Reactions: reactionViews(i.Reactions), Comments: []CommentView{}}
	for _, l := range r.labelsOf(i) {
		v.Labels = append(v.Labels, l.Name)
	}
	for _, c := range i.Comments {
		v.Comments = append(v.Comments, CommentView{ID: c.ID, Author: c.Author, Body: c.Body, Edits: c.Edits, CreatedAt: c.CreatedAt,
			URL: fmt.Sprintf("%s#issuecomment-%d", v.URL, c.ID), Reactions: reactionViews(c.Reactions)})
	}
	return v
}

func reactionViews(list []reaction) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, r.Content+" by "+r.User)
	}
	return out
}

// Call is one request that reached the API.
type Call struct {
	At           time.Time `json:"at"`
	Method       string    `json:"method"`
	Path         string    `json:"path"`
	Route        string    `json:"route"` // as in GitHub's description; "" = unknown
	Installation int64     `json:"installation"`
}

const callsKept = 20000

type callLog struct {
	mu   sync.Mutex
	list []Call
}

func (l *callLog) add(c *call, at time.Time) {
	one := Call{At: at, Method: c.r.Method, Path: c.r.URL.Path, Installation: installationID(c.tok)}
	if c.route != nil {
		one.Route = c.route.path
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == callsKept {
		l.list = l.list[callsKept/2:]
	}
	l.list = append(l.list, one)
}

// Calls lists the API requests handled so far (the last 10,000 at least),
// oldest first; requests that a fault answered are not among them.
func (s *Server) Calls() []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return append([]Call(nil), s.calls.list...)
}
