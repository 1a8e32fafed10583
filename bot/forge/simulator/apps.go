package simulator

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// table lists the operations that are answered.
func (s *Server) table() []route {
	const repo = "/repos/{owner}/{repo}"
	const talk = "issues:write|pull_requests:write"
	const hear = "issues:read|pull_requests:read"
	routes := []route{
		{method: "GET", path: "/app", need: "app", handle: (*Server).getApp},
		{method: "GET", path: "/app/installations", need: "app", handle: (*Server).listInstallations},
		{method: "GET", path: "/app/installations/{installation_id}", need: "app", handle: (*Server).getInstallation},
		{method: "POST", path: "/app/installations/{installation_id}/access_tokens", need: "app", handle: (*Server).createToken},
		{method: "GET", path: "/app/hook/config", need: "app", handle: (*Server).getHook},
		{method: "POST", path: "/app-manifests/{code}/conversions", handle: (*Server).convert},
		{method: "GET", path: "/app/hook/deliveries", need: "app", handle: (*Server).listDeliveries},
		{method: "GET", path: "/app/hook/deliveries/{delivery_id}", need: "app", handle: (*Server).getDelivery},
		{method: "POST", path: "/app/hook/deliveries/{delivery_id}/attempts", need: "app", handle: (*Server).redeliver},
		{method: "GET", path: repo + "/installation", need: "app", handle: (*Server).repoInstallation},
		{method: "GET", path: "/installation/repositories", need: "metadata:read", handle: (*Server).installationRepos},
		{method: "GET", path: "/rate_limit", need: "", handle: (*Server).rateLimit},

		{method: "GET", path: repo, need: "metadata:read", handle: (*Server).getRepo},
		{method: "GET", path: repo + "/branches", need: "contents:read", handle: (*Server).listBranches},
		{method: "GET", path: repo + "/branches/{branch...}", need: "contents:read", handle: (*Server).getBranch},
		{method: "GET", path: repo + "/rules/branches/{branch...}", need: "metadata:read", handle: (*Server).branchRules},
		{method: "GET", path: repo + "/commits/{ref...}/check-runs", need: "checks:read", handle: (*Server).listChecks},
		{method: "GET", path: repo + "/commits/{ref...}", need: "contents:read", handle: (*Server).getCommit},
		{method: "GET", path: repo + "/contents/{path...}", need: "contents:read", handle: (*Server).getContents},
		{method: "GET", path: repo + "/collaborators/{username}/permission", need: "metadata:read", handle: (*Server).getPermission},

		{method: "GET", path: repo + "/issues", need: hear, handle: (*Server).listIssues},
		{method: "POST", path: repo + "/issues", need: "issues:write", handle: (*Server).createIssue},
		{method: "GET", path: repo + "/issues/comments/{comment_id}", need: hear, handle: (*Server).getComment},
		{method: "PATCH", path: repo + "/issues/comments/{comment_id}", need: talk, handle: (*Server).editComment},
		{method: "DELETE", path: repo + "/issues/comments/{comment_id}", need: talk, handle: (*Server).deleteComment},
		{method: "GET", path: repo + "/issues/comments/{comment_id}/reactions", need: hear, handle: (*Server).listReactions},
		{method: "POST", path: repo + "/issues/comments/{comment_id}/reactions", need: talk, handle: (*Server).createReaction},
		{method: "GET", path: repo + "/issues/{issue_number}", need: hear, handle: (*Server).getIssue},
		{method: "PATCH", path: repo + "/issues/{issue_number}", need: talk, handle: (*Server).editIssue},
		{method: "GET", path: repo + "/issues/{issue_number}/comments", need: hear, handle: (*Server).listComments},
		{method: "POST", path: repo + "/issues/{issue_number}/comments", need: talk, handle: (*Server).createComment},
		{method: "GET", path: repo + "/issues/{issue_number}/events", need: hear, handle: (*Server).listEvents},
		{method: "GET", path: repo + "/issues/{issue_number}/labels", need: hear, handle: (*Server).listIssueLabels},
		{method: "POST", path: repo + "/issues/{issue_number}/labels", need: talk, handle: (*Server).addLabels},
		{method: "PUT", path: repo + "/issues/{issue_number}/labels", need: talk, handle: (*Server).setLabels},
		{method: "DELETE", path: repo + "/issues/{issue_number}/labels", need: talk, handle: (*Server).clearLabels},
		{method: "DELETE", path: repo + "/issues/{issue_number}/labels/{name...}", need: talk, handle: (*Server).removeLabel},
		{method: "GET", path: repo + "/issues/{issue_number}/reactions", need: hear, handle: (*Server).listReactions},
		{method: "POST", path: repo + "/issues/{issue_number}/reactions", need: talk, handle: (*Server).createReaction},
		{method: "GET", path: repo + "/labels", need: hear, handle: (*Server).listLabels},
		{method: "POST", path: repo + "/labels", need: talk, handle: (*Server).createLabel},
		{method: "GET", path: repo + "/labels/{name...}", need: hear, handle: (*Server).getLabel},

		{method: "GET", path: repo + "/pulls", need: "pull_requests:read", handle: (*Server).listPulls},
		{method: "POST", path: repo + "/pulls", need: "pull_requests:write", handle: (*Server).createPull},
		{method: "GET", path: repo + "/pulls/{pull_number}", need: "pull_requests:read", handle: (*Server).getPull},
		{method: "PATCH", path: repo + "/pulls/{pull_number}", need: "pull_requests:write", handle: (*Server).editPull},
		{method: "GET", path: repo + "/pulls/{pull_number}/files", need: "pull_requests:read", handle: (*Server).pullFiles},
		{method: "GET", path: repo + "/pulls/{pull_number}/reviews", need: "pull_requests:read", handle: (*Server).listReviews},
		{method: "GET", path: repo + "/pulls/{pull_number}/comments", need: "pull_requests:read", handle: (*Server).listReviewComments},
		{method: "POST", path: repo + "/pulls/{pull_number}/comments/{comment_id}/replies", need: "pull_requests:write", handle: (*Server).createReply},
		{method: "POST", path: repo + "/pulls/comments/{comment_id}/reactions", need: "pull_requests:write", handle: (*Server).reactRemark},

		{method: "POST", path: repo + "/git/blobs", need: "contents:write", handle: (*Server).createBlob},
		{method: "GET", path: repo + "/git/blobs/{file_sha}", need: "contents:read", handle: (*Server).getBlob},
		{method: "POST", path: repo + "/git/trees", need: "contents:write", handle: (*Server).createTree},
		{method: "GET", path: repo + "/git/trees/{tree_sha...}", need: "contents:read", handle: (*Server).getTree},
		{method: "POST", path: repo + "/git/commits", need: "contents:write", handle: (*Server).createCommit},
		{method: "GET", path: repo + "/git/commits/{commit_sha}", need: "contents:read", handle: (*Server).getGitCommit},
		{method: "GET", path: repo + "/git/ref/{ref...}", need: "contents:read", handle: (*Server).getRef},
		{method: "GET", path: repo + "/git/matching-refs/{ref...}", need: "contents:read", handle: (*Server).matchingRefs},
		{method: "POST", path: repo + "/git/refs", need: "contents:write", handle: (*Server).createRef},
		{method: "PATCH", path: repo + "/git/refs/{ref...}", need: "contents:write", handle: (*Server).updateRef},
		{method: "DELETE", path: repo + "/git/refs/{ref...}", need: "contents:write", handle: (*Server).deleteRef},

		{method: "GET", path: repo + "/actions/artifacts", need: "actions:read", handle: (*Server).listArtifacts},
		{method: "GET", path: repo + "/actions/artifacts/{artifact_id}/zip", need: "actions:read", handle: (*Server).getArtifact},
		{method: "GET", path: repo + "/actions/runs/{run_id}", need: "actions:read", handle: (*Server).getWorkflowRun},

		{method: "POST", path: repo + "/check-runs", need: "checks:write", handle: (*Server).createCheck},
		{method: "GET", path: repo + "/check-runs/{check_run_id}", need: "checks:read", handle: (*Server).getCheck},
		{method: "PATCH", path: repo + "/check-runs/{check_run_id}", need: "checks:write", handle: (*Server).updateCheck},
		{method: "GET", path: repo + "/check-runs/{check_run_id}/annotations", need: "checks:read", handle: (*Server).listAnnotations},
	}
	for i := range routes {
		routes[i].segments = strings.Split(strings.Trim(routes[i].path, "/"), "/")
		routes[i].path = strings.ReplaceAll(routes[i].path, "...}", "}")
	}
	return routes
}

func (s *Server) getApp(c *call) (answer, error) {
	out := s.appShape(s.app)
	out["installations_count"] = len(s.state.Installations)
	return ok(out)
}

func (s *Server) listInstallations(c *call) (answer, error) {
	out := []obj{}
	for _, in := range page(c, s.url, s.state.Installations) {
		out = append(out, s.installationShape(in))
	}
	return ok(out)
}

func (s *Server) getInstallation(c *call) (answer, error) {
	in, err := s.installationIn(c)
	if err != nil {
		return answer{}, err
	}
	return ok(s.installationShape(in))
}

func (s *Server) installationIn(c *call) (*installation, error) {
	id, err := c.number("installation_id")
	if err != nil {
		return nil, err
	}
	in := s.state.installation(id)
	if in == nil {
		return nil, notFound()
	}
	return in, nil
}

func (s *Server) repoInstallation(c *call) (answer, error) {
	in := s.state.installationOf(c.repo.Owner)
	if in == nil {
		return answer{}, notFound()
	}
	return ok(s.installationShape(in))
}

// createToken makes an installation token, limited to what was asked for.
func (s *Server) createToken(c *call) (answer, error) {
	in, err := s.installationIn(c)
	if err != nil {
		return answer{}, err
	}
	if in.Suspended {
		return answer{}, problem(http.StatusForbidden, "This installation has been suspended")
	}
	var ask struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	t := &token{Installation: in.ID, ExpiresAt: s.now().Add(s.cfg.TokenTTL).Truncate(time.Second)}
	repos, err := s.chosen(in, ask.Repositories, ask.RepositoryIDs)
	if err != nil {
		return answer{}, err
	}
	for _, r := range repos {
		t.Repos = append(t.Repos, r.ID)
	}
	if t.Permissions, err = s.granted(ask.Permissions); err != nil {
		return answer{}, err
	}
	text, err := s.mint(t)
	if err != nil {
		return answer{}, err
	}
	s.changed()
	out := obj{"token": text, "expires_at": stamp(t.ExpiresAt), "permissions": t.Permissions, "repository_selection": "all"}
	if len(repos) > 0 {
		shapes := []obj{}
		for _, r := range repos {
			shapes = append(shapes, s.repoShape(r))
		}
		out["repository_selection"], out["repositories"] = "selected", shapes
	}
	return created(out)
}

func (s *Server) chosen(in *installation, names []string, ids []int64) ([]*repository, error) {
	wrong := unprocessable("There is at least one repository that does not exist or is not accessible to the parent installation.")
	var out []*repository
	for _, name := range names {
		r := s.state.repo(in.Account, name)
		if r == nil {
			return nil, wrong
		}
		out = append(out, r)
	}
	for _, id := range ids {
		before := len(out)
		for _, r := range s.state.repos() {
			if r.ID == id && strings.EqualFold(r.Owner, in.Account) {
				out = append(out, r)
			}
		}
		if len(out) == before {
			return nil, wrong
		}
	}
	return out, nil
}

// granted is the part of the App's permissions that a token gets.
func (s *Server) granted(ask map[string]string) (map[string]string, error) {
	out := map[string]string{}
	whole := &token{Permissions: s.app.Permissions}
	if len(ask) == 0 {
		ask = s.app.Permissions
	}
	for name, level := range ask {
		if (level != "read" && level != "write") || !whole.may(name+":"+level) {
			return nil, unprocessable("The permissions requested are not granted to this installation.")
		}
		out[name] = level
	}
	if _, ok := s.app.Permissions["metadata"]; ok {
		out["metadata"] = "read"
	}
	return out, nil
}

func (s *Server) installationRepos(c *call) (answer, error) {
	var mine []*repository
	for _, r := range s.state.repos() {
		if s.sees(c.tok, r) {
			mine = append(mine, r)
		}
	}
	out := []obj{}
	for _, r := range page(c, s.url, mine) {
		out = append(out, s.repoShape(r))
	}
	return ok(obj{"total_count": len(mine), "repository_selection": "all", "repositories": out})
}

func (s *Server) rateLimit(c *call) (answer, error) {
	w := s.windowOf(c.tok)
	used := min(w.used, s.cfg.RateLimit)
	core := obj{"limit": s.cfg.RateLimit, "used": used, "remaining": s.cfg.RateLimit - used, "reset": w.reset.Unix()}
	search := obj{"limit": 30, "used": 0, "remaining": 30, "reset": w.reset.Unix()}
	return ok(obj{"resources": obj{"core": core, "search": search, "graphql": core}, "rate": core})
}

func (s *Server) getRepo(c *call) (answer, error) { return ok(s.fullRepo(c, c.repo)) }

// getPermission answers what a collaborator may do, with GitHub's four legacy
// levels: maintain counts as write, triage as read.
func (s *Server) getPermission(c *call) (answer, error) {
	login := c.vars["username"]
	if isBot(login) || !s.state.Users[strings.ToLower(login)] {
		return answer{}, problem(http.StatusNotFound, fmt.Sprintf("%s is not a user", login))
	}
	role := s.role(c.repo, login)
	level := map[string]int{"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
	user := s.user(login)
	user["role_name"] = role
	user["permissions"] = obj{"pull": level >= 1, "triage": level >= 2, "push": level >= 3, "maintain": level >= 4, "admin": level >= 5}
	legacy := role
	switch role {
	case "maintain":
		legacy = "write"
	case "triage":
		legacy = "read"
	}
	return ok(obj{"permission": legacy, "role_name": role, "user": user})
}

func (s *Server) role(r *repository, login string) string {
	if role := r.Permissions[strings.ToLower(login)]; role != "" {
		return role
	}
	if strings.EqualFold(login, r.Owner) {
		return "admin"
	}
	return "none"
}
