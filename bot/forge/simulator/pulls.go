package simulator

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) pullIn(c *call) (*issue, error) {
	n, err := c.number("pull_number")
	if err != nil {
		return nil, err
	}
	i := c.repo.issue(int(n))
	if i == nil || i.Pull == nil {
		return nil, notFound()
	}
	return i, nil
}

// createPull checks in GitHub's order: fields, branches, an open one, commits.
func (s *Server) createPull(c *call) (answer, error) {
	var ask struct {
		Title, Body *string
		Head, Base  *string
		Draft       bool
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	for name, value := range map[string]*string{"head": ask.Head, "base": ask.Base} {
		if value == nil {
			return answer{}, missing(name)
		}
	}
	if ask.Title == nil || strings.TrimSpace(*ask.Title) == "" {
		return answer{}, invalid(fieldError("PullRequest", "title", "missing_field"))
	}
	head := *ask.Head
	if owner, branch, ok := strings.Cut(head, ":"); ok {
		if !strings.EqualFold(owner, c.repo.Owner) {
			return answer{}, invalid(fieldError("PullRequest", "head", "invalid"))
		}
		head = branch
	}
	p := &pull{Head: head, Base: *ask.Base, Draft: ask.Draft}
	if err := s.checkPull(c.r.Context(), c.repo, p); err != nil {
		return answer{}, err
	}
	body := ""
	if ask.Body != nil {
		body = *ask.Body
	}
	i, err := s.openPull(c.r.Context(), c.repo, *ask.Title, body, s.botLogin(), p)
	if err != nil {
		return answer{}, err
	}
	out, err := s.fullPull(c.r.Context(), c.repo, i)
	if err != nil {
		return answer{}, err
	}
	return created(out)
}

// checkPull resolves the branches and refuses what cannot be asked for.
func (s *Server) checkPull(ctx context.Context, r *repository, p *pull) error {
	var err error
	if p.HeadSHA, err = s.refSHA(ctx, r, "refs/heads/"+p.Head); err != nil {
		return err
	}
	if p.BaseSHA, err = s.refSHA(ctx, r, "refs/heads/"+p.Base); err != nil {
		return err
	}
	if p.HeadSHA == "" {
		return invalid(fieldError("PullRequest", "head", "invalid"))
	}
	if p.BaseSHA == "" {
		return invalid(fieldError("PullRequest", "base", "invalid"))
	}
	for _, i := range r.Issues {
		if i.Pull != nil && i.State == "open" && i.Pull.Fork == "" && i.Pull.Head == p.Head && i.Pull.Base == p.Base {
			return invalid(customError("PullRequest", fmt.Sprintf("A pull request already exists for %s:%s.", r.Owner, p.Head)))
		}
	}
	if inside, err := s.isAncestor(ctx, r, p.HeadSHA, p.BaseSHA); err != nil {
		return err
	} else if inside {
		return invalid(customError("PullRequest", fmt.Sprintf("No commits between %s and %s", p.Base, p.Head)))
	}
	return nil
}

func (s *Server) openPull(ctx context.Context, r *repository, title, body, author string, p *pull) (*issue, error) {
	now := s.now()
	r.LastNumber++
	i := &issue{ID: s.state.nextID(), Number: r.LastNumber, Title: title, Body: body, Author: author, State: "open",
		CreatedAt: now, UpdatedAt: now, Pull: p}
	p.ID = s.state.nextID()
	r.Issues = append(r.Issues, i)
	i.note("opened", author, short(p.HeadSHA), now)
	if err := s.moveRef(ctx, r, fmt.Sprintf("refs/pull/%d/head", i.Number), p.HeadSHA, ""); err != nil {
		return nil, err
	}
	s.changed()
	return i, s.emitPull(ctx, r, i, "opened", author, nil)
}

func short(sha string) string { return sha[:min(7, len(sha))] }

// listPulls filters as GitHub does; a head without "owner:" filters nothing.
func (s *Server) listPulls(c *call) (answer, error) {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	owner, branch, byHead := strings.Cut(q.Get("head"), ":")
	var found []*issue
	for _, i := range c.repo.Issues {
		if i.Pull == nil || (state != "all" && i.State != state) || (q.Get("base") != "" && i.Pull.Base != q.Get("base")) {
			continue
		}
		from := i.Pull.Fork
		if from == "" {
			from = c.repo.Owner
		}
		if byHead && (!strings.EqualFold(owner, from) || i.Pull.Head != branch) {
			continue
		}
		found = append(found, i)
	}
	order(found, q.Get("sort"), q.Get("direction"))
	out := []obj{}
	for _, i := range page(c, s.url, found) {
		out = append(out, s.pullShape(c.repo, i))
	}
	return ok(out)
}

func (s *Server) getPull(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	out, err := s.fullPull(c.r.Context(), c.repo, i)
	if err != nil {
		return answer{}, err
	}
	return ok(out)
}

func (s *Server) editPull(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	var ask struct {
		Title, Body *string
		State, Base string
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Title != nil && strings.TrimSpace(*ask.Title) == "" {
		return answer{}, invalid(fieldError("PullRequest", "title", "missing_field"))
	}
	if ask.State != "" && ask.State != "open" && ask.State != "closed" {
		return answer{}, invalid(fieldError("PullRequest", "state", "invalid"))
	}
	if ask.State == "open" && i.State == "closed" {
		if err := s.mayReopen(c.r.Context(), c.repo, i); err != nil {
			return answer{}, err
		}
	}
	if ask.Base != "" && ask.Base != i.Pull.Base {
		if err := s.changeBase(c.r.Context(), c.repo, i, ask.Base); err != nil {
			return answer{}, err
		}
	}
	s.editText(c.repo, i, ask.Title, ask.Body, s.botLogin())
	if ask.State != "" {
		s.setState(c.repo, i, ask.State, "", s.botLogin())
	}
	out, err := s.fullPull(c.r.Context(), c.repo, i)
	if err != nil {
		return answer{}, err
	}
	return ok(out)
}

func (s *Server) mayReopen(ctx context.Context, r *repository, i *issue) error {
	if !i.Pull.MergedAt.IsZero() {
		return invalid(customError("PullRequest", "Cannot reopen a merged pull request"))
	}
	sha, err := s.refSHA(ctx, r, "refs/heads/"+i.Pull.Head)
	if err != nil {
		return err
	}
	if sha == "" {
		return invalid(obj{"resource": "PullRequest", "code": "invalid", "field": "state",
			"message": fmt.Sprintf("state cannot be changed. The %s branch was deleted.", i.Pull.Head)})
	}
	return nil
}

func (s *Server) changeBase(ctx context.Context, r *repository, i *issue, base string) error {
	sha, err := s.refSHA(ctx, r, "refs/heads/"+base)
	if err != nil {
		return err
	}
	if sha == "" {
		return invalid(fieldError("PullRequest", "base", "invalid"))
	}
	i.Pull.Base, i.Pull.BaseSHA = base, sha
	s.changed()
	return nil
}

// setDraft is what GraphQL's two mutations do.
func (s *Server) setDraft(ctx context.Context, r *repository, i *issue, draft bool, actor string) error {
	if i.Pull.Draft == draft {
		return nil
	}
	i.Pull.Draft = draft
	action := "ready_for_review"
	if draft {
		action = "converted_to_draft"
	}
	i.note(action, actor, "", s.now())
	s.changed()
	return s.emitPull(ctx, r, i, action, actor, nil)
}

// branchMoved lets pull requests follow their branches: a new head, a new
// base, or a closed one when its branch is deleted (new == "").
func (s *Server) branchMoved(ctx context.Context, r *repository, ref, before, after, actor string) error {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return nil
	}
	r.PushedAt = s.now()
	s.changed()
	if err := s.emitPush(ctx, r, ref, before, after, actor); err != nil {
		return err
	}
	for _, i := range r.Issues {
		if i.Pull == nil || i.State != "open" {
			continue
		}
		if i.Pull.Base == branch && after != "" {
			i.Pull.BaseSHA = after
		}
		if i.Pull.Head != branch || i.Pull.Fork != "" {
			continue
		}
		if after == "" {
			s.setState(r, i, "closed", "", actor)
			continue
		}
		if i.Pull.HeadSHA == after {
			continue
		}
		i.Pull.HeadSHA = after
		i.note("head_moved", actor, short(before)+" → "+short(after), s.now())
		if _, err := s.do(ctx, r, "update-ref", fmt.Sprintf("refs/pull/%d/head", i.Number), after); err != nil {
			return err
		}
		if err := s.emitPull(ctx, r, i, "synchronize", actor, obj{"before": before, "after": after}); err != nil {
			return err
		}
	}
	return nil
}

// closingWords are GitHub's, by which a pull request that is merged into the default
// branch closes an issue.
var closingWords = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+#(\d+)\b`)

// mergePull merges as a human with write permission would by the button.
func (s *Server) mergePull(ctx context.Context, r *repository, i *issue, actor string) error {
	p := i.Pull
	if p == nil || i.State != "open" || p.Draft {
		return errors.New("only an open pull request that is ready can be merged")
	}
	if lacks := r.lacksCheck(p); lacks != "" {
		return fmt.Errorf("required status check %q is expected", lacks)
	}
	out, err := s.do(ctx, r, "merge-tree", "--write-tree", p.BaseSHA, p.HeadSHA)
	if err != nil {
		return fmt.Errorf("the pull request has conflicts: %w", err)
	}
	tree, _, _ := strings.Cut(out, "\n")
	who := person{Name: actor, Email: s.userEmail(actor), Date: s.now()}
	message := fmt.Sprintf("Merge pull request #%d from %s/%s\n\n%s", i.Number, r.Owner, p.Head, i.Title)
	sha, err := s.writeCommit(ctx, r, tree, []string{p.BaseSHA, p.HeadSHA}, message, who, who)
	if err != nil {
		return err
	}
	base := p.BaseSHA
	if err := s.moveRef(ctx, r, "refs/heads/"+p.Base, sha, base); err != nil {
		return err
	}
	p.MergedAt, p.MergedBy, p.MergeSHA = s.now(), actor, sha
	i.note("merged", actor, short(sha), s.now())
	s.setState(r, i, "closed", "", actor)
	p.BaseSHA = base // a merged pull request keeps showing what it was made against
	if p.Base == r.DefaultBranch {
		for _, m := range closingWords.FindAllStringSubmatch(i.Title+"\n"+i.Body, -1) {
			n, _ := strconv.Atoi(m[1]) // too large a number names no issue either
			if closed := r.issue(n); closed != nil && closed.Pull == nil {
				s.setState(r, closed, "closed", "", actor)
			}
		}
	}
	return s.branchMoved(ctx, r, "refs/heads/"+p.Base, base, sha, actor)
}

func (s *Server) sideShape(r *repository, branch, sha string) obj {
	return obj{"label": r.Owner + ":" + branch, "ref": branch, "sha": sha, "user": s.user(r.Owner), "repo": s.repoShape(r)}
}

// headShape is the side that a pull request comes from.
func (s *Server) headShape(r *repository, p *pull) obj {
	if p.Fork == "" {
		return s.sideShape(r, p.Head, p.HeadSHA)
	}
	fork := *r
	fork.ID, fork.Owner, fork.Issues = userID(p.Fork+"/"+r.Name), p.Fork, nil
	out := s.sideShape(&fork, p.Head, p.HeadSHA)
	if repo, isObj := out["repo"].(obj); isObj {
		repo["fork"] = true
	}
	return out
}

// pullShape is a pull request as it stands in lists.
func (s *Server) pullShape(r *repository, i *issue) obj {
	p := i.Pull
	api := fmt.Sprintf("%s/pulls/%d", s.repoAPI(r), i.Number)
	issueAPI := fmt.Sprintf("%s/issues/%d", s.repoAPI(r), i.Number)
	html := fmt.Sprintf("%s/pull/%d", s.repoHTML(r), i.Number)
	statuses := s.repoAPI(r) + "/statuses/" + p.HeadSHA
	link := func(href string) obj { return obj{"href": href} }
	labels := s.labelShapes(r, r.labelsOf(i))
	for _, l := range labels {
		if l["description"] == nil {
			l["description"] = ""
		}
	}
	return obj{"id": p.ID, "node_id": nodeID("PR", p.ID), "number": i.Number, "state": i.State, "locked": i.Locked,
		"title": i.Title, "user": s.user(i.Author), "body": orNull(i.Body), "created_at": stamp(i.CreatedAt),
		"updated_at": stamp(i.UpdatedAt), "closed_at": stamp(i.ClosedAt), "merged_at": stamp(p.MergedAt),
		"merge_commit_sha": orNull(p.MergeSHA), "assignee": nil, "assignees": []obj{}, "requested_reviewers": []obj{},
		"requested_teams": []obj{}, "labels": labels, "milestone": nil, "draft": p.Draft,
		"author_association": r.association(i.Author), "auto_merge": nil, "active_lock_reason": nil,
		"head": s.headShape(r, p), "base": s.sideShape(r, p.Base, p.BaseSHA),
		"url": api, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "issue_url": issueAPI,
		"commits_url": api + "/commits", "review_comments_url": api + "/comments",
		"review_comment_url": s.repoAPI(r) + "/pulls/comments{/number}", "comments_url": issueAPI + "/comments",
		"statuses_url": statuses,
		"_links": obj{"self": link(api), "html": link(html), "issue": link(issueAPI), "comments": link(issueAPI + "/comments"),
			"review_comments": link(api + "/comments"), "review_comment": link(s.repoAPI(r) + "/pulls/comments{/number}"),
			"commits": link(api + "/commits"), "statuses": link(statuses)}}
}

// fullPull adds what only a single pull request shows.
func (s *Server) fullPull(ctx context.Context, r *repository, i *issue) (obj, error) {
	out := s.pullShape(r, i)
	files, err := s.changes(ctx, r, i.Pull.BaseSHA, i.Pull.HeadSHA)
	if err != nil {
		return nil, err
	}
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.Added, removed+f.Removed
	}
	count, err := s.do(ctx, r, "rev-list", "--count", i.Pull.HeadSHA, "^"+i.Pull.BaseSHA)
	if err != nil {
		return nil, err
	}
	commits := 0
	_, _ = fmt.Sscan(count, &commits)
	state, err := s.mergeState(ctx, r, i)
	if err != nil {
		return nil, err
	}
	out["merged"], out["mergeable"], out["rebaseable"], out["mergeable_state"] = !i.Pull.MergedAt.IsZero(), state != "dirty", state != "dirty", state
	out["merged_by"] = nil
	if i.Pull.MergedBy != "" {
		out["merged_by"] = s.user(i.Pull.MergedBy)
	}
	remarks := 0
	for _, t := range i.Pull.Threads {
		remarks += len(t.Comments)
	}
	out["comments"], out["review_comments"], out["maintainer_can_modify"] = len(i.Comments), remarks, false
	out["commits"], out["additions"], out["deletions"], out["changed_files"] = commits, added, removed, len(files)
	return out, nil
}

// lacksCheck is the first check that the base of a pull request requires and its head
// has not passed, or "".
func (r *repository) lacksCheck(p *pull) string {
	for _, name := range r.Required[p.Base] {
		passed := false
		for _, k := range r.Checks { // the last of a name counts
			if k.HeadSHA == p.HeadSHA && k.Name == name {
				passed = slices.Contains([]string{"success", "neutral", "skipped"}, k.Conclusion)
			}
		}
		if !passed {
			return name
		}
	}
	return ""
}

// mergeState is GitHub's word for whether a pull request could be merged.
func (s *Server) mergeState(ctx context.Context, r *repository, i *issue) (string, error) {
	p := i.Pull
	if i.State != "open" {
		return "unknown", nil
	}
	if _, err := s.do(ctx, r, "merge-tree", "--write-tree", p.BaseSHA, p.HeadSHA); refused(err) {
		return "dirty", nil
	} else if err != nil {
		return "", err
	}
	if p.Draft {
		return "draft", nil
	}
	if r.lacksCheck(p) != "" {
		return "blocked", nil
	}
	if merged, err := s.isAncestor(ctx, r, p.BaseSHA, p.HeadSHA); err != nil || !merged {
		return "behind", err
	}
	for _, k := range r.Checks {
		if k.HeadSHA == p.HeadSHA && (k.Conclusion == "failure" || k.Conclusion == "timed_out") {
			return "unstable", nil
		}
	}
	return "clean", nil
}

func (s *Server) pullFiles(c *call) (answer, error) {
	i, err := s.pullIn(c)
	if err != nil {
		return answer{}, err
	}
	files, err := s.changes(c.r.Context(), c.repo, i.Pull.BaseSHA, i.Pull.HeadSHA)
	if err != nil {
		return answer{}, err
	}
	out := []obj{}
	for _, f := range page(c, s.url, files) {
		out = append(out, s.fileShape(c.repo, i.Pull.HeadSHA, f))
	}
	return ok(out)
}

// graphQLPull finds a pull request by its node id.
func (s *Server) graphQLPull(t *token, id string) (*repository, *issue) {
	for _, r := range s.state.repos() {
		for _, i := range r.Issues {
			if i.Pull != nil && nodeID("PR", i.Pull.ID) == id && s.sees(t, r) {
				return r, i
			}
		}
	}
	return nil, nil
}
