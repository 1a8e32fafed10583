package simulator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

type review struct {
	ID     int64     `json:"id"`
	State  string    `json:"state"` // approved, changes_requested, commented
	Body   string    `json:"body,omitempty"`
	Author string    `json:"author"`
	SHA    string    `json:"sha"`
	At     time.Time `json:"at"`
}

// thread is a conversation about lines of a pull request.
type thread struct {
	ID         int64            `json:"id"`
	Path       string           `json:"path"`
	StartLine  int              `json:"start_line,omitempty"` // 0: one line
	Line       int              `json:"line"`                 // in the file as it was at SHA
	SHA        string           `json:"sha"`
	Hunk       string           `json:"hunk"`
	ResolvedBy string           `json:"resolved_by,omitempty"`
	Comments   []*reviewComment `json:"comments"`
}

type reviewComment struct {
	ID        int64      `json:"id"`
	Review    int64      `json:"review"`
	Body      string     `json:"body"`
	Author    string     `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	Reactions []reaction `json:"reactions,omitempty"`
}

// Remark is what a reviewer says about lines of a file; StartLine 0 is one line.
type Remark struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line,omitempty"`
	Line      int    `json:"line"`
	Body      string `json:"body"`
}

var errNoPull = errors.New("that is not a pull request")

// Review submits a review with its remarks, each of which opens a thread. The
// verdict is approved, changes_requested or commented. It returns the review's id.
func (s *Server) Review(owner, name string, n int, verdict, body, actor string, remarks ...Remark) (int64, error) {
	var id int64
	err := s.on(owner, name, n, func(r *repository, i *issue) error {
		if i.Pull == nil {
			return errNoPull
		}
		if !slices.Contains([]string{"approved", "changes_requested", "commented"}, verdict) {
			return fmt.Errorf("%q is no verdict; use approved, changes_requested or commented", verdict)
		}
		made, err := s.review(context.Background(), r, i, verdict, body, actor, remarks)
		id = made
		return err
	})
	return id, err
}

func (s *Server) review(ctx context.Context, r *repository, i *issue, verdict, body, actor string, remarks []Remark) (int64, error) {
	now := s.now()
	v := &review{ID: s.state.nextID(), State: verdict, Body: body, Author: actor, SHA: i.Pull.HeadSHA, At: now}
	var opened []*thread
	for _, m := range remarks {
		hunk, err := s.hunkAt(ctx, r, i, m)
		if err != nil {
			return 0, err
		}
		opened = append(opened, &thread{ID: s.state.nextID(), Path: m.Path, StartLine: m.StartLine, Line: m.Line, SHA: i.Pull.HeadSHA, Hunk: hunk,
			Comments: []*reviewComment{{ID: s.state.nextID(), Review: v.ID, Body: m.Body, Author: actor, CreatedAt: now, UpdatedAt: now}}})
	}
	s.know(actor)
	i.Pull.Reviews = append(i.Pull.Reviews, v)
	i.Pull.Threads = append(i.Pull.Threads, opened...)
	i.UpdatedAt = now
	s.changed()
	s.emitReview(r, i, v)
	for _, t := range opened {
		s.emitReviewComment(ctx, r, i, t, t.Comments[0])
	}
	return v.ID, nil
}

// hunkAt is the part of the diff that a remark stands under; GitHub takes remarks
// on lines of the diff only, this also on others of the file.
func (s *Server) hunkAt(ctx context.Context, r *repository, i *issue, m Remark) (string, error) {
	entries, err := s.tree(ctx, r, i.Pull.HeadSHA, false, m.Path)
	if err != nil {
		return "", err
	}
	if len(entries) != 1 || entries[0].Type != "blob" {
		return "", fmt.Errorf("the pull request has no file %q", m.Path)
	}
	data, err := s.blob(ctx, r, entries[0].SHA)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if m.Line < 1 || m.Line > len(lines) || m.StartLine < 0 || m.StartLine > m.Line {
		return "", fmt.Errorf("%s has %d lines; a remark stands on one of them", m.Path, len(lines))
	}
	files, err := s.changes(ctx, r, i.Pull.BaseSHA, i.Pull.HeadSHA)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if f.Path == m.Path {
			if hunk := hunkOf(f.Patch, m.Line); hunk != "" {
				return hunk, nil
			}
		}
	}
	from := max(0, m.Line-4)
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n %s", from+1, m.Line-from, from+1, m.Line-from, strings.Join(lines[from:m.Line], "\n ")), nil
}

// hunkOf is the hunk of a patch down to a line of the new side, or "".
func hunkOf(patch string, line int) string {
	var out []string
	for _, l := range diffLines(patch) {
		if l.Kind == "hunk" && strings.HasPrefix(l.Text, "@@") {
			out = nil
		}
		out = append(out, l.Text)
		if l.New == fmt.Sprint(line) {
			return strings.Join(out, "\n")
		}
	}
	return ""
}

// Reply answers a thread, by the id of one of its comments.
func (s *Server) Reply(owner, name string, n int, comment int64, body, actor string) (int64, error) {
	var id int64
	err := s.on(owner, name, n, func(r *repository, i *issue) error {
		t, _ := i.remark(comment)
		if t == nil {
			return fmt.Errorf("pull request %d has no review comment %d", n, comment)
		}
		id = s.reply(context.Background(), r, i, t, body, actor).ID
		return nil
	})
	return id, err
}

// reply makes, as GitHub does, an empty review that the comment belongs to.
func (s *Server) reply(ctx context.Context, r *repository, i *issue, t *thread, body, actor string) *reviewComment {
	now := s.now()
	v := &review{ID: s.state.nextID(), State: "commented", Author: actor, SHA: i.Pull.HeadSHA, At: now}
	m := &reviewComment{ID: s.state.nextID(), Review: v.ID, Body: body, Author: actor, CreatedAt: now, UpdatedAt: now}
	i.Pull.Reviews, t.Comments, i.UpdatedAt = append(i.Pull.Reviews, v), append(t.Comments, m), now
	s.know(actor)
	s.changed()
	s.emitReview(r, i, v)
	s.emitReviewComment(ctx, r, i, t, m)
	return m
}

// Resolve marks the thread of a comment as resolved.
func (s *Server) Resolve(owner, name string, n int, comment int64, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		t, _ := i.remark(comment)
		if t == nil {
			return fmt.Errorf("pull request %d has no review comment %d", n, comment)
		}
		return s.resolveThread(context.Background(), r, i, t, actor)
	})
}

func (s *Server) resolveThread(ctx context.Context, r *repository, i *issue, t *thread, actor string) error {
	if t.ResolvedBy != "" {
		return nil
	}
	t.ResolvedBy = actor
	s.changed()
	comments := []obj{}
	for _, m := range t.Comments {
		shape, err := s.reviewCommentShape(ctx, r, i, t, m)
		if err != nil {
			return err
		}
		comments = append(comments, shape)
	}
	s.emit(r, "pull_request_review_thread", "resolved", actor, obj{"action": "resolved", "pull_request": s.pullShape(r, i),
		"thread": obj{"node_id": nodeID("PRRT", t.ID), "comments": comments}})
	return nil
}

// remark finds a comment of a review and its thread.
func (i *issue) remark(id int64) (*thread, *reviewComment) {
	if i.Pull != nil {
		for _, t := range i.Pull.Threads {
			for _, m := range t.Comments {
				if m.ID == id {
					return t, m
				}
			}
		}
	}
	return nil, nil
}

// lineNow is where the thread's lines are in the head: outdated when a later
// commit has changed them.
func (s *Server) lineNow(ctx context.Context, r *repository, i *issue, t *thread) (start, line int, outdated bool, err error) {
	start, line = t.StartLine, t.Line
	if t.SHA == i.Pull.HeadSHA {
		return start, line, false, nil
	}
	text, err := s.do(ctx, r, "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", t.SHA, i.Pull.HeadSHA, "--", ":(literal)"+t.Path)
	if err != nil {
		return 0, 0, false, err
	}
	first, shift := t.Line, 0
	if t.StartLine > 0 {
		first = t.StartLine
	}
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "@@ ") {
			continue
		}
		words := strings.Fields(l)
		oldAt, oldLen := span(words[1])
		_, newLen := span(words[2])
		switch {
		case oldLen == 0 && oldAt >= first && oldAt < t.Line, oldLen > 0 && oldAt <= t.Line && oldAt+oldLen > first:
			return 0, 0, true, nil
		case oldAt < first:
			shift += newLen - oldLen
		}
	}
	if start > 0 {
		start += shift
	}
	return start, line + shift, false, nil
}

// span reads "-3,2" or "+3".
func span(word string) (at, n int) {
	n = 1
	start, length, ok := strings.Cut(strings.TrimLeft(word, "+-"), ",")
	_, _ = fmt.Sscan(start, &at)
	if ok {
		_, _ = fmt.Sscan(length, &n)
	}
	return at, n
}

func (s *Server) reviewShape(r *repository, i *issue, v *review, state string) obj {
	html := fmt.Sprintf("%s/pull/%d#pullrequestreview-%d", s.repoHTML(r), i.Number, v.ID)
	pullURL := fmt.Sprintf("%s/pulls/%d", s.repoAPI(r), i.Number)
	return obj{"id": v.ID, "node_id": nodeID("PRR", v.ID), "user": s.user(v.Author), "body": v.Body, "state": state, "html_url": html,
		"pull_request_url": pullURL, "commit_id": v.SHA, "submitted_at": stamp(v.At), "author_association": r.association(v.Author),
		"_links": obj{"html": obj{"href": html}, "pull_request": obj{"href": pullURL}}}
}

func (s *Server) reviewCommentShape(ctx context.Context, r *repository, i *issue, t *thread, m *reviewComment) (obj, error) {
	start, line, outdated, err := s.lineNow(ctx, r, i, t)
	if err != nil {
		return nil, err
	}
	api := fmt.Sprintf("%s/pulls/comments/%d", s.repoAPI(r), m.ID)
	html := fmt.Sprintf("%s/pull/%d#discussion_r%d", s.repoHTML(r), i.Number, m.ID)
	pullURL := fmt.Sprintf("%s/pulls/%d", s.repoAPI(r), i.Number)
	position := max(1, strings.Count(t.Hunk, "\n"))
	out := obj{"id": m.ID, "node_id": nodeID("PRRC", m.ID), "url": api, "html_url": html, "pull_request_url": pullURL, "pull_request_review_id": m.Review,
		"diff_hunk": t.Hunk, "path": t.Path, "position": position, "original_position": position, "commit_id": i.Pull.HeadSHA,
		"original_commit_id": t.SHA, "user": s.user(m.Author), "body": m.Body, "created_at": stamp(m.CreatedAt), "updated_at": stamp(m.UpdatedAt),
		"author_association": r.association(m.Author), "start_line": nil, "original_start_line": nil, "start_side": nil, "line": line,
		"original_line": t.Line, "side": "RIGHT", "subject_type": "line", "reactions": rollup(m.Reactions, api),
		"_links": obj{"self": obj{"href": api}, "html": obj{"href": html}, "pull_request": obj{"href": pullURL}}}
	if t.StartLine > 0 {
		out["start_line"], out["original_start_line"], out["start_side"] = start, t.StartLine, "RIGHT"
	}
	if outdated {
		out["line"], out["start_line"], out["position"], out["commit_id"] = nil, nil, nil, t.SHA
	}
	if m != t.Comments[0] {
		out["in_reply_to_id"] = t.Comments[0].ID
	}
	return out, nil
}

func (s *Server) emitReview(r *repository, i *issue, v *review) {
	s.emit(r, "pull_request_review", "submitted", v.Author, obj{"action": "submitted", "review": s.reviewShape(r, i, v, v.State), "pull_request": s.pullShape(r, i)})
}

func (s *Server) emitReviewComment(ctx context.Context, r *repository, i *issue, t *thread, m *reviewComment) {
	shape, err := s.reviewCommentShape(ctx, r, i, t, m)
	if err != nil {
		s.cfg.Log.WithError(err).Error("simulator: describing a review comment for its webhook")
		return
	}
	s.emit(r, "pull_request_review_comment", "created", m.Author, obj{"action": "created", "comment": shape, "pull_request": s.pullShape(r, i)})
}

// The handlers of the REST API.

func (s *Server) listReviews(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	out := []obj{}
	for _, v := range page(c, s.url, i.Pull.Reviews) {
		out = append(out, s.reviewShape(c.repo, i, v, strings.ToUpper(v.State)))
	}
	return ok(out)
}

func (s *Server) listReviewComments(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	type one struct {
		t *thread
		m *reviewComment
	}
	var all []one
	for _, t := range i.Pull.Threads {
		for _, m := range t.Comments {
			all = append(all, one{t, m})
		}
	}
	desc := c.r.URL.Query().Get("direction") == "desc"
	slices.SortStableFunc(all, func(a, b one) int {
		if desc {
			a, b = b, a
		}
		return int(a.m.ID - b.m.ID)
	})
	out := []obj{}
	for _, x := range page(c, s.url, all) {
		shape, err := s.reviewCommentShape(c.r.Context(), c.repo, i, x.t, x.m)
		if err != nil {
			return answer{}, err
		}
		out = append(out, shape)
	}
	return ok(out)
}

// createReply takes only the first comment of a thread, as GitHub does.
func (s *Server) createReply(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	id, err := c.number("comment_id")
	if err != nil {
		return answer{}, err
	}
	t, m := i.remark(id)
	if t == nil || m != t.Comments[0] {
		return answer{}, notFound()
	}
	body, err := commentBody(c)
	if err != nil {
		return answer{}, err
	}
	if i.Locked {
		return answer{}, locked()
	}
	shape, err := s.reviewCommentShape(c.r.Context(), c.repo, i, t, s.reply(c.r.Context(), c.repo, i, t, body, s.botLogin()))
	if err != nil {
		return answer{}, err
	}
	return created(shape)
}

// locked is GitHub's answer to a comment in a locked conversation.
func locked() *apiError {
	return problem(http.StatusForbidden, "Unable to create comment because issue is locked.")
}

// reactRemark puts the App's reaction on a comment of a review.
func (s *Server) reactRemark(c *call) (answer, error) {
	id, err := c.number("comment_id")
	if err != nil {
		return answer{}, err
	}
	for _, i := range c.repo.Issues {
		if _, m := i.remark(id); m != nil {
			return s.react(c, &m.Reactions)
		}
	}
	return answer{}, notFound()
}
