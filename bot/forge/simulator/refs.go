package simulator

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

func (s *Server) refShape(ctx context.Context, r *repository, ref, sha string) (obj, error) {
	kind, err := s.kind(ctx, r, sha)
	if err != nil {
		return nil, err
	}
	return obj{"ref": ref, "node_id": nodeID("REF", r.ID) + ref, "url": s.repoAPI(r) + "/git/" + escapePath(ref),
		"object": obj{"sha": sha, "type": kind, "url": s.repoAPI(r) + "/git/" + kind + "s/" + sha}}, nil
}

// emptyRepo is GitHub's 409 of the Git data API for a repository without commits.
func (s *Server) emptyRepo(c *call) error {
	_, names, err := s.refs(c.r.Context(), c.repo, "refs/heads/")
	if err == nil && len(names) == 0 {
		return problem(http.StatusConflict, "Git Repository is empty.")
	}
	return err
}

func (s *Server) getRef(c *call) (answer, error) {
	if err := s.emptyRepo(c); err != nil {
		return answer{}, err
	}
	ref := "refs/" + strings.TrimPrefix(c.vars["ref"], "refs/")
	sha, err := s.refSHA(c.r.Context(), c.repo, ref)
	if err != nil {
		return answer{}, err
	}
	if sha == "" {
		return answer{}, notFound()
	}
	out, err := s.refShape(c.r.Context(), c.repo, ref, sha)
	if err != nil {
		return answer{}, err
	}
	return ok(out)
}

func (s *Server) matchingRefs(c *call) (answer, error) {
	if err := s.emptyRepo(c); err != nil {
		return answer{}, err
	}
	shas, names, err := s.refs(c.r.Context(), c.repo, "refs/")
	if err != nil {
		return answer{}, err
	}
	out := []obj{}
	for _, name := range names {
		if !strings.HasPrefix(name, "refs/"+c.vars["ref"]) {
			continue
		}
		shape, err := s.refShape(c.r.Context(), c.repo, name, shas[name])
		if err != nil {
			return answer{}, err
		}
		out = append(out, shape)
	}
	return ok(out)
}

func (s *Server) createRef(c *call) (answer, error) {
	var ask struct {
		Ref, SHA *string
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Ref == nil {
		return answer{}, missing("ref")
	}
	if ask.SHA == nil {
		return answer{}, missing("sha")
	}
	if err := s.emptyRepo(c); err != nil {
		return answer{}, err
	}
	ctx, ref := c.r.Context(), *ask.Ref
	if !strings.HasPrefix(ref, "refs/") || strings.Count(ref, "/") < 2 || !s.validRef(ctx, c.repo, ref) {
		return answer{}, unprocessable(fmt.Sprintf("%s is not a valid ref name.", ref))
	}
	if have, err := s.refSHA(ctx, c.repo, ref); err != nil {
		return answer{}, err
	} else if have != "" {
		return answer{}, unprocessable("Reference already exists")
	}
	if err := s.checkTarget(c, ref, *ask.SHA); err != nil {
		return answer{}, err
	}
	if err := s.moveRef(ctx, c.repo, ref, *ask.SHA, ""); err != nil {
		if refused(err) { // a branch "a" stands in the way of "a/b"
			return answer{}, unprocessable("Reference update failed")
		}
		return answer{}, err
	}
	return s.movedRef(c, ref, "", *ask.SHA, http.StatusCreated)
}

// checkTarget refuses objects that are not there and refs that are not the
// App's to move.
func (s *Server) checkTarget(c *call, ref, sha string) error {
	kind, err := s.kind(c.r.Context(), c.repo, sha)
	if err != nil {
		return err
	}
	if kind == "" || (strings.HasPrefix(ref, "refs/heads/") && kind != "commit") {
		return unprocessable("Object does not exist")
	}
	if why := c.repo.guarded(ref); why != "" {
		return unprocessable(why)
	}
	return nil
}

// guarded says why nobody may move a reference, or "".
func (r *repository) guarded(ref string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok && (r.Protected[branch] || r.Ruled[branch]) {
		return "Cannot update this protected ref."
	}
	if strings.HasPrefix(ref, "refs/pull/") {
		return "Reference update failed"
	}
	return ""
}

func (s *Server) updateRef(c *call) (answer, error) {
	var ask struct {
		SHA   *string
		Force bool
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.SHA == nil {
		return answer{}, missing("sha")
	}
	ctx, ref := c.r.Context(), "refs/"+c.vars["ref"]
	before, err := s.refSHA(ctx, c.repo, ref)
	if err != nil {
		return answer{}, err
	}
	if before == "" {
		return answer{}, unprocessable("Reference does not exist")
	}
	if err := s.checkTarget(c, ref, *ask.SHA); err != nil {
		return answer{}, err
	}
	if forward, err := s.isAncestor(ctx, c.repo, before, *ask.SHA); err != nil {
		return answer{}, err
	} else if !forward && !ask.Force {
		return answer{}, unprocessable("Update is not a fast forward")
	}
	if err := s.moveRef(ctx, c.repo, ref, *ask.SHA, before); err != nil {
		return answer{}, err
	}
	return s.movedRef(c, ref, before, *ask.SHA, http.StatusOK)
}

func (s *Server) movedRef(c *call, ref, before, after string, status int) (answer, error) {
	if before != after {
		if err := s.branchMoved(c.r.Context(), c.repo, ref, before, after, s.botLogin()); err != nil {
			return answer{}, err
		}
	}
	out, err := s.refShape(c.r.Context(), c.repo, ref, after)
	return answer{status: status, body: out}, err
}

func (s *Server) deleteRef(c *call) (answer, error) {
	ctx, ref := c.r.Context(), "refs/"+c.vars["ref"]
	before, err := s.refSHA(ctx, c.repo, ref)
	if err != nil {
		return answer{}, err
	}
	if before == "" {
		return answer{}, unprocessable("Reference does not exist")
	}
	if why := c.repo.guarded(ref); why != "" {
		return answer{}, unprocessable(why)
	}
	if ref == "refs/heads/"+c.repo.DefaultBranch {
		return answer{}, unprocessable("Cannot delete the default branch")
	}
	if _, err := s.do(ctx, c.repo, "update-ref", "-d", ref, before); err != nil {
		return answer{}, err
	}
	if err := s.branchMoved(ctx, c.repo, ref, before, "", s.botLogin()); err != nil {
		return answer{}, err
	}
	return noContent()
}

func (s *Server) listBranches(c *call) (answer, error) {
	shas, names, err := s.refs(c.r.Context(), c.repo, "refs/heads/")
	if err != nil {
		return answer{}, err
	}
	out := []obj{}
	for _, ref := range page(c, s.url, names) {
		name := strings.TrimPrefix(ref, "refs/heads/")
		out = append(out, obj{"name": name, "protected": c.repo.Protected[name],
			"commit": obj{"sha": shas[ref], "url": s.repoAPI(c.repo) + "/commits/" + shas[ref]}})
	}
	return ok(out)
}

func (s *Server) getBranch(c *call) (answer, error) {
	name := c.vars["branch"]
	sha, err := s.refSHA(c.r.Context(), c.repo, "refs/heads/"+name)
	if err != nil {
		return answer{}, err
	}
	if sha == "" {
		return answer{}, problem(http.StatusNotFound, "Branch not found")
	}
	commit, err := s.commitShape(c.r.Context(), c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	level, checks := "off", append([]string{}, c.repo.Required[name]...)
	if len(checks) > 0 {
		level = "everyone"
	}
	each := []obj{}
	for _, check := range checks {
		each = append(each, obj{"context": check, "app_id": nil})
	}
	api := s.repoAPI(c.repo) + "/branches/" + escapePath(name)
	return ok(obj{"name": name, "commit": commit, "protected": c.repo.Protected[name], "protection_url": api + "/protection",
		"_links": obj{"self": api, "html": s.repoHTML(c.repo) + "/tree/" + escapePath(name)},
		"protection": obj{"enabled": c.repo.Protected[name],
			"required_status_checks": obj{"enforcement_level": level, "contexts": checks, "checks": each}}})
}

// branchRules answers the rules of rulesets that hold for a branch.
func (s *Server) branchRules(c *call) (answer, error) {
	out := []obj{}
	if c.repo.Ruled[c.vars["branch"]] {
		for _, kind := range []string{"update", "deletion"} {
			out = append(out, obj{"type": kind, "ruleset_source_type": "Repository", "ruleset_source": c.repo.Owner + "/" + c.repo.Name, "ruleset_id": c.repo.ID})
		}
	}
	return ok(out)
}

// commitShape is a commit as the repository's own (not the Git data) API has it.
func (s *Server) commitShape(ctx context.Context, r *repository, sha string) (obj, error) {
	info, err := s.commit(ctx, r, sha)
	if err != nil {
		return nil, err
	}
	api, html := s.repoAPI(r)+"/commits/", s.repoHTML(r)+"/commit/"
	parents := []obj{}
	for _, p := range info.Parents {
		parents = append(parents, obj{"sha": p, "url": api + p, "html_url": html + p})
	}
	return obj{"sha": sha, "node_id": nodeID("C", r.ID) + sha, "url": api + sha, "html_url": html + sha,
		"comments_url": api + sha + "/comments", "parents": parents,
		"author": s.accountOf(info.Author), "committer": s.accountOf(info.Committer),
		"commit": obj{"author": info.Author.shape(), "committer": info.Committer.shape(), "message": info.Message,
			"tree": obj{"sha": info.Tree, "url": s.repoAPI(r) + "/git/trees/" + info.Tree},
			"url":  s.repoAPI(r) + "/git/commits/" + sha, "comment_count": 0, "verification": s.verification(r, info)}}, nil
}

// accountOf finds the account behind an e-mail address, or null.
func (s *Server) accountOf(p person) any {
	id, rest, ok := strings.Cut(p.Email, "+")
	login, domain, okDomain := strings.Cut(rest, "@")
	if !ok || !okDomain || domain != "users.noreply.github.com" || id != fmt.Sprint(userID(login)) {
		return nil
	}
	return s.user(login)
}

func (s *Server) getCommit(c *call) (answer, error) {
	ctx := c.r.Context()
	sha, err := s.resolve(ctx, c.repo, c.vars["ref"])
	if err != nil {
		return answer{}, err
	}
	if sha == "" {
		return answer{}, unprocessable("No commit found for SHA: " + c.vars["ref"])
	}
	out, err := s.commitShape(ctx, c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	files, err := s.filesOf(ctx, c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	shapes, added, removed := []obj{}, 0, 0
	for _, f := range files {
		shapes = append(shapes, s.fileShape(c.repo, sha, f))
		added, removed = added+f.Added, removed+f.Removed
	}
	out["files"] = shapes
	out["stats"] = obj{"total": added + removed, "additions": added, "deletions": removed}
	return ok(out)
}

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// filesOf is what a commit changed against its first parent.
func (s *Server) filesOf(ctx context.Context, r *repository, sha string) ([]fileChange, error) {
	info, err := s.commit(ctx, r, sha)
	if err != nil {
		return nil, err
	}
	before := emptyTree
	if len(info.Parents) > 0 {
		before = info.Parents[0]
	}
	return s.diff(ctx, r, before, sha)
}
