package simulator

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
)

// defaultLabels are those of a new repository on GitHub.
var defaultLabels = [][3]string{
	{"bug", "d73a4a", "Something isn't working"},
	{"documentation", "0075ca", "Improvements or additions to documentation"},
	{"duplicate", "cfd3d7", "This issue or pull request already exists"},
	{"enhancement", "a2eeef", "New feature or request"},
	{"good first issue", "7057ff", "Good for newcomers"},
	{"help wanted", "008672", "Extra attention is needed"},
	{"invalid", "e4e669", "This doesn't seem right"},
	{"question", "d876e3", "Further information is requested"},
	{"wontfix", "ffffff", "This will not be worked on"},
}

var appEvents = []string{"issues", "issue_comment", "pull_request", "pull_request_review", "pull_request_review_comment",
	"pull_request_review_thread", "check_run", "check_suite", "push", "repository"}

func (s *Server) api(format string, args ...any) string {
	return s.url + "/api/v3" + fmt.Sprintf(format, args...)
}

// nodeID is stable for a kind and an id.
func nodeID(prefix string, id int64) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", prefix, id))
}

// userID is stable for a login.
func userID(login string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(login)))
	return int64(h.Sum32()>>1) + 1
}

func (s *Server) botLogin() string { return s.app.Slug + "[bot]" }

func isBot(login string) bool { return strings.HasSuffix(login, "[bot]") }

func (s *Server) userEmail(login string) string {
	return fmt.Sprintf("%d+%s@users.noreply.github.com", userID(login), login)
}

// knows registers a login; humans exist from the moment they do something.
func (s *Server) know(login string) {
	if !isBot(login) && !s.state.Users[strings.ToLower(login)] {
		s.state.Users[strings.ToLower(login)] = true
		s.changed()
	}
}

func (s *Server) user(login string) obj {
	kind, home := "User", s.url+"/"+url.PathEscape(login)
	if isBot(login) {
		kind, home = "Bot", s.url+"/apps/"+url.PathEscape(strings.TrimSuffix(login, "[bot]"))
	}
	api := s.api("/users/%s", url.PathEscape(login))
	return obj{"login": login, "id": userID(login), "node_id": nodeID("U", userID(login)),
		"avatar_url": s.url + "/_avatar/" + url.PathEscape(login), "gravatar_id": "", "url": api, "html_url": home,
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}",
		"gists_url": api + "/gists{/gist_id}", "starred_url": api + "/starred{/owner}{/repo}",
		"subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs", "repos_url": api + "/repos",
		"events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events", "type": kind,
		"user_view_type": "public", "site_admin": false}
}

// repoURLs are the URL fields of a repository and what follows its API URL.
var repoURLs = map[string]string{
	"forks_url": "/forks", "keys_url": "/keys{/key_id}", "collaborators_url": "/collaborators{/collaborator}",
	"teams_url": "/teams", "hooks_url": "/hooks", "issue_events_url": "/issues/events{/number}", "events_url": "/events",
	"assignees_url": "/assignees{/user}", "branches_url": "/branches{/branch}", "tags_url": "/tags",
	"blobs_url": "/git/blobs{/sha}", "git_tags_url": "/git/tags{/sha}", "git_refs_url": "/git/refs{/sha}",
	"trees_url": "/git/trees{/sha}", "statuses_url": "/statuses/{sha}", "languages_url": "/languages",
	"stargazers_url": "/stargazers", "contributors_url": "/contributors", "subscribers_url": "/subscribers",
	"subscription_url": "/subscription", "commits_url": "/commits{/sha}", "git_commits_url": "/git/commits{/sha}",
	"comments_url": "/comments{/number}", "issue_comment_url": "/issues/comments{/number}",
	"contents_url": "/contents/{+path}", "compare_url": "/compare/{base}...{head}", "merges_url": "/merges",
	"archive_url": "/{archive_format}{/ref}", "downloads_url": "/downloads", "issues_url": "/issues{/number}",
	"pulls_url": "/pulls{/number}", "milestones_url": "/milestones{/number}",
	"notifications_url": "/notifications{?since,all,participating}", "labels_url": "/labels{/name}",
	"releases_url": "/releases{/id}", "deployments_url": "/deployments",
}

func (s *Server) repoAPI(r *repository) string { return s.api("/repos/%s/%s", r.Owner, r.Name) }

func (s *Server) repoHTML(r *repository) string { return s.url + "/" + r.Owner + "/" + r.Name }

// repoShape is a repository in the short form that other objects embed.
func (s *Server) repoShape(r *repository) obj {
	_, host, _ := strings.Cut(s.url, "://")
	full := r.Owner + "/" + r.Name
	out := obj{"id": r.ID, "node_id": nodeID("R", r.ID), "name": r.Name, "full_name": full, "private": true,
		"owner": s.user(r.Owner), "html_url": s.repoHTML(r), "description": nil, "fork": false, "url": s.repoAPI(r),
		"created_at": stamp(r.CreatedAt), "updated_at": stamp(r.UpdatedAt), "pushed_at": stamp(r.PushedAt),
		"git_url": "git://" + host + "/" + full + ".git", "ssh_url": "git@" + host + ":" + full + ".git",
		"clone_url": s.url + "/" + full + ".git", "svn_url": s.url + "/" + full, "homepage": nil, "size": 0,
		"stargazers_count": 0, "watchers_count": 0, "language": nil, "has_issues": true, "has_projects": false,
		"has_downloads": false, "has_wiki": false, "has_pages": false, "has_discussions": false, "forks_count": 0,
		"mirror_url": nil, "archived": r.Archived, "disabled": false, "license": nil, "allow_forking": true,
		"is_template": false, "web_commit_signoff_required": false, "topics": []string{}, "visibility": "private",
		"forks": 0, "watchers": 0, "default_branch": r.DefaultBranch}
	open := 0
	for _, i := range r.Issues {
		if i.State == "open" {
			open++
		}
	}
	out["open_issues"], out["open_issues_count"] = open, open
	for field, tail := range repoURLs {
		out[field] = s.repoAPI(r) + tail
	}
	return out
}

// fullRepo is the answer of GET /repos/{owner}/{repo}.
func (s *Server) fullRepo(c *call, r *repository) obj {
	out := s.repoShape(r)
	push := c.tok.may("contents:write")
	out["permissions"] = obj{"admin": false, "maintain": false, "push": push, "triage": push, "pull": true}
	out["network_count"], out["subscribers_count"] = 0, 0
	out["temp_clone_token"] = ""
	out["allow_squash_merge"], out["allow_merge_commit"], out["allow_rebase_merge"] = true, true, true
	out["allow_auto_merge"], out["delete_branch_on_merge"], out["allow_update_branch"] = false, false, false
	return out
}

func (s *Server) installationShape(in *installation) obj {
	out := obj{"id": in.ID, "account": s.user(in.Account), "repository_selection": "all",
		"access_tokens_url": s.api("/app/installations/%d/access_tokens", in.ID),
		"repositories_url":  s.api("/installation/repositories"),
		"html_url":          s.url + fmt.Sprintf("/settings/installations/%d", in.ID),
		"app_id":            s.app.ID, "client_id": fmt.Sprintf("Iv1.%016x", s.app.ID), "app_slug": s.app.Slug,
		"target_id": userID(in.Account), "target_type": "User", "permissions": s.app.Permissions, "events": s.app.Events,
		"created_at": stamp(in.CreatedAt), "updated_at": stamp(in.CreatedAt), "single_file_name": nil,
		"has_multiple_single_files": false, "single_file_paths": []string{}, "suspended_by": nil, "suspended_at": nil}
	if in.Suspended {
		out["suspended_at"], out["suspended_by"] = stamp(in.CreatedAt), s.user(in.Account)
	}
	return out
}

func (s *Server) labelShape(r *repository, l *label) obj {
	return obj{"id": l.ID, "node_id": nodeID("LA", l.ID), "url": s.repoAPI(r) + "/labels/" + url.PathEscape(l.Name),
		"name": l.Name, "color": l.Color, "default": l.Default, "description": orNull(l.Description)}
}

func (s *Server) labelShapes(r *repository, labels []*label) []obj {
	out := make([]obj, 0, len(labels))
	for _, l := range labels {
		out = append(out, s.labelShape(r, l))
	}
	return out
}

var reactionKinds = []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}

func rollup(list []reaction, base string) obj {
	out := obj{"url": base + "/reactions", "total_count": len(list)}
	for _, kind := range reactionKinds {
		n := 0
		for _, r := range list {
			if r.Content == kind {
				n++
			}
		}
		out[kind] = n
	}
	return out
}

// association is how a login stands to a repository.
func (r *repository) association(login string) string {
	if strings.EqualFold(login, r.Owner) {
		return "OWNER"
	}
	switch r.Permissions[strings.ToLower(login)] {
	case "", "none":
		return "NONE"
	}
	return "COLLABORATOR"
}

func (s *Server) issueShape(r *repository, i *issue) obj {
	base := fmt.Sprintf("%s/issues/%d", s.repoAPI(r), i.Number)
	html := fmt.Sprintf("%s/issues/%d", s.repoHTML(r), i.Number)
	out := obj{"id": i.ID, "node_id": nodeID("I", i.ID), "number": i.Number, "title": i.Title, "body": orNull(i.Body),
		"user": s.user(i.Author), "labels": s.labelShapes(r, r.labelsOf(i)), "state": i.State, "locked": i.Locked,
		"assignee": nil, "assignees": []obj{}, "milestone": nil, "comments": len(i.Comments),
		"created_at": stamp(i.CreatedAt), "updated_at": stamp(i.UpdatedAt), "closed_at": stamp(i.ClosedAt),
		"author_association": r.association(i.Author), "active_lock_reason": nil, "url": base,
		"repository_url": s.repoAPI(r), "labels_url": base + "/labels{/name}", "comments_url": base + "/comments",
		"events_url": base + "/events", "timeline_url": base + "/timeline", "html_url": html,
		"state_reason": orNull(i.StateReason), "performed_via_github_app": nil, "reactions": rollup(i.Reactions, base),
		"sub_issues_summary":         obj{"total": 0, "completed": 0, "percent_completed": 0},
		"issue_dependencies_summary": obj{"blocked_by": 0, "total_blocked_by": 0, "blocking": 0, "total_blocking": 0}}
	if i.Pull != nil {
		pullURL := fmt.Sprintf("%s/pull/%d", s.repoHTML(r), i.Number)
		out["html_url"], out["draft"] = pullURL, i.Pull.Draft
		out["pull_request"] = obj{"url": fmt.Sprintf("%s/pulls/%d", s.repoAPI(r), i.Number), "html_url": pullURL,
			"diff_url": pullURL + ".diff", "patch_url": pullURL + ".patch", "merged_at": stamp(i.Pull.MergedAt)}
	}
	if isBot(i.Author) {
		out["performed_via_github_app"] = s.appShape(s.app)
	}
	return out
}

func (s *Server) commentShape(r *repository, i *issue, c *comment) obj {
	base := fmt.Sprintf("%s/issues/comments/%d", s.repoAPI(r), c.ID)
	place := "issues"
	if i.Pull != nil {
		place = "pull"
	}
	out := obj{"id": c.ID, "node_id": nodeID("IC", c.ID), "url": base, "body": c.Body, "user": s.user(c.Author),
		"html_url":   fmt.Sprintf("%s/%s/%d#issuecomment-%d", s.repoHTML(r), place, i.Number, c.ID),
		"issue_url":  fmt.Sprintf("%s/issues/%d", s.repoAPI(r), i.Number),
		"created_at": stamp(c.CreatedAt), "updated_at": stamp(c.UpdatedAt), "author_association": r.association(c.Author),
		"performed_via_github_app": nil, "reactions": rollup(c.Reactions, base)}
	if c.Author == s.botLogin() {
		out["performed_via_github_app"] = s.appShape(s.app)
	}
	return out
}

func (s *Server) reactionShape(r reaction) obj {
	return obj{"id": r.ID, "node_id": nodeID("REA", r.ID), "user": s.user(r.User), "content": r.Content, "created_at": stamp(r.CreatedAt)}
}

// fileURL hashes a path as GitHub's diff anchors do.
func diffAnchor(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "diff-" + hex.EncodeToString(sum[:])
}
