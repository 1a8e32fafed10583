package forge

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is as much of GitHub as the tests of single calls need; the whole of it
// is bot/forge/simulator.
type fake struct {
	*httptest.Server
	t     testing.TB
	now   func() time.Time
	fault func(w http.ResponseWriter, r *http.Request) bool // true: it has answered

	mu        sync.Mutex
	log       []string // "METHOD path", without query
	bodies    []string // of writes, beside it
	auths     []string
	tokens    int
	tokenLife time.Duration
	refused   map[string]bool // tokens that do not count any more

	comments  []map[string]any
	labels    map[string]bool // on the issue
	defined   map[string]map[string]any
	blobs     map[string]string
	trees     map[string]map[string]string // path -> mode:sha
	commits   map[string]map[string]any
	refs      map[string]string
	protected map[string]bool
	pulls     []map[string]any
	checks    []map[string]any
	noDrafts  bool
	newest    string // commit made last
	marked    string // a comment that a fault makes
}

func newFake(t testing.TB) *fake {
	f := &fake{
		t: t, now: time.Now, tokenLife: time.Hour, refused: map[string]bool{}, labels: map[string]bool{"bug": true},
		defined: map[string]map[string]any{}, blobs: map[string]string{}, trees: map[string]map[string]string{},
		commits: map[string]map[string]any{}, refs: map[string]string{}, protected: map[string]bool{},
	}
	f.trees[oid("tree0")] = map[string]string{"a.py": "100644:" + oid("a"), "run.sh": "100755:" + oid("r"), "old.py": "100644:" + oid("o")}
	f.commit("base", oid("tree0"), "ada", nil)
	f.refs["heads/main"] = oid("base")
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func oid(s string) string {
	sum := sha1.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// commit puts a commit there by its name.
func (f *fake) commit(name, tree, author string, parents []string) string {
	who := map[string]any{"name": author, "email": author + "@example.org"}
	var ps []any
	for _, p := range parents {
		ps = append(ps, map[string]any{"sha": p})
	}
	f.commits[oid(name)] = map[string]any{"sha": oid(name), "tree": map[string]any{"sha": tree}, "message": name, "author": who, "committer": who, "parents": ps}
	return oid(name)
}

func (f *fake) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.log...)
}

func (f *fake) writes() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.bodies, "\n")
}

func (f *fake) setFault(h func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = h
}

// times makes a fault that strikes the first n requests that fit.
func times(n int, method, suffix string, h func(w http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if n == 0 || r.Method != method || !strings.HasSuffix(r.URL.Path, suffix) {
			return false
		}
		n--
		h(w)
		return true
	}
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(r.URL.Path, "/api/v3")
	f.log = append(f.log, r.Method+" "+path)
	f.bodies = append(f.bodies, string(body))
	auth := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	f.auths = append(f.auths, auth)
	w.Header().Set("Content-Type", "application/json")
	if f.fault != nil && f.fault(w, r) {
		return
	}
	if strings.Count(auth, ".") != 2 && (f.refused[auth] || !strings.HasPrefix(auth, "ghs_")) {
		reply(w, 401, map[string]any{"message": "Bad credentials"})
		return
	}
	var in map[string]any
	_ = json.Unmarshal(body, &in)
	f.route(w, r, r.Method+" "+strings.TrimPrefix(path, "/repos/acme/shop"), in)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (f *fake) route(w http.ResponseWriter, r *http.Request, op string, in map[string]any) {
	arg := op[strings.LastIndexByte(op, '/')+1:]
	is := func(prefix string) bool { return strings.HasPrefix(op, prefix) }
	switch {
	case op == "GET /app":
		reply(w, 200, map[string]any{"id": testAppID, "slug": "fettle"})
	case is("POST /app/installations/"):
		f.tokens++
		reply(w, 201, map[string]any{"token": fmt.Sprintf("ghs_%d", f.tokens), "expires_at": f.now().Add(f.tokenLife)})
	case op == "GET ":
		reply(w, 200, map[string]any{"name": "shop", "owner": map[string]any{"login": "acme"}, "default_branch": "main", "clone_url": "https://example.org/acme/shop.git"})
	case is("GET /collaborators/"):
		f.permission(w, r)
	case strings.HasSuffix(op, "/reactions"):
		reply(w, 201, map[string]any{"id": 1, "content": in["content"]})
	case is("GET /issues/1/comments"):
		f.listComments(w, r)
	case op == "POST /issues/1/comments":
		reply(w, 201, f.addComment(in["body"].(string), "fettle[bot]", "Bot"))
	case is("PATCH /issues/comments/"):
		f.editComment(w, arg, in["body"].(string))
	case is("GET /issues/1"), is("POST /issues/1/labels"), is("DELETE /issues/1/labels/"), is("GET /labels/"), op == "POST /labels":
		f.routeLabels(w, op, arg, in)
	case strings.Contains(op, " /git/"), is("GET /branches/"):
		f.routeGit(w, op, arg, in)
	case strings.Contains(op, "/check-runs"):
		f.routeChecks(w, op, arg, in)
	default:
		f.routePulls(w, r, op, arg, in)
	}
}

func (f *fake) permission(w http.ResponseWriter, r *http.Request) {
	levels := map[string]string{"/collaborators/ada/permission": "write", "/collaborators/eve/permission": "read", "/collaborators/dependabot[bot]/permission": "none"}
	for end, p := range levels {
		if strings.HasSuffix(r.URL.Path, end) {
			reply(w, 200, map[string]any{"permission": p})
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fake) addComment(body, login, kind string) map[string]any {
	id := len(f.comments) + 1
	c := map[string]any{"id": id, "body": body, "html_url": fmt.Sprintf("https://example.org/c/%d", id), "user": map[string]any{"login": login, "type": kind}}
	f.comments = append(f.comments, c)
	return c
}

func (f *fake) listComments(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	from, to := min((page-1)*size, len(f.comments)), min(page*size, len(f.comments))
	if to < len(f.comments) {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d&per_page=%d>; rel="next"`, r.Host, r.URL.Path, page+1, size))
	}
	reply(w, 200, f.comments[from:to])
}

func (f *fake) editComment(w http.ResponseWriter, id, body string) {
	for _, c := range f.comments {
		if fmt.Sprint(c["id"]) == id {
			c["body"] = body
			reply(w, 200, c)
			return
		}
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}

func (f *fake) routeLabels(w http.ResponseWriter, op, arg string, in map[string]any) {
	switch {
	case op == "GET /issues/1":
		var l []any
		for n := range f.labels {
			l = append(l, map[string]any{"name": n})
		}
		reply(w, 200, map[string]any{"number": 1, "title": "t", "body": "b", "state": "open", "labels": l, "user": map[string]any{"login": "ada"}})
	case op == "POST /issues/1/labels":
		for _, n := range in["labels"].([]any) {
			f.labels[n.(string)] = true
		}
		reply(w, 200, []any{})
	case strings.HasPrefix(op, "DELETE"):
		if !f.labels[arg] {
			reply(w, 404, map[string]any{"message": "Label does not exist"})
			return
		}
		delete(f.labels, arg)
		reply(w, 200, []any{})
	case strings.HasPrefix(op, "GET /labels/"):
		if f.defined[arg] == nil {
			reply(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		reply(w, 200, f.defined[arg])
	default:
		f.defined[in["name"].(string)] = in
		reply(w, 201, in)
	}
}

func (f *fake) routeGit(w http.ResponseWriter, op, arg string, in map[string]any) {
	ref, _ := in["ref"].(string)
	ref = strings.TrimPrefix(ref, "refs/")
	sha, _ := in["sha"].(string)
	switch {
	case strings.HasPrefix(op, "GET /branches/"):
		b := strings.TrimPrefix(op, "GET /branches/")
		if f.refs["heads/"+b] == "" {
			reply(w, 404, map[string]any{"message": "Branch not found"})
			return
		}
		reply(w, 200, map[string]any{"name": b, "protected": f.protected[b]})
	case strings.HasPrefix(op, "GET /git/ref/"):
		ref = strings.TrimPrefix(op, "GET /git/ref/")
		if f.refs[ref] == "" {
			reply(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		reply(w, 200, map[string]any{"ref": "refs/" + ref, "object": map[string]any{"sha": f.refs[ref]}})
	case op == "POST /git/refs":
		if f.refs[ref] != "" {
			reply(w, 422, map[string]any{"message": "Reference already exists"})
			return
		}
		f.refs[ref] = sha
		reply(w, 201, map[string]any{"ref": "refs/" + ref, "object": map[string]any{"sha": sha}})
	case strings.HasPrefix(op, "PATCH /git/refs/"):
		ref = strings.TrimPrefix(op, "PATCH /git/refs/")
		if in["force"] != false || !f.reaches(sha, f.refs[ref]) {
			reply(w, 422, map[string]any{"message": "Update is not a fast forward"})
			return
		}
		f.refs[ref] = sha
		reply(w, 200, map[string]any{"ref": "refs/" + ref, "object": map[string]any{"sha": sha}})
	case strings.HasPrefix(op, "GET /git/commits/"):
		if f.commits[arg] == nil {
			reply(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		reply(w, 200, f.commits[arg])
	default:
		f.makeObject(w, op, in)
	}
}

func (f *fake) makeObject(w http.ResponseWriter, op string, in map[string]any) {
	switch op {
	case "POST /git/blobs":
		b, err := base64.StdEncoding.DecodeString(in["content"].(string))
		if err != nil || in["encoding"] != "base64" {
			f.t.Errorf("blob is not base64: %v", in)
		}
		f.blobs[oid(string(b))] = string(b)
		reply(w, 201, map[string]any{"sha": oid(string(b))})
	case "POST /git/trees":
		all := map[string]string{}
		for p, e := range f.trees[in["base_tree"].(string)] {
			all[p] = e
		}
		for _, x := range in["tree"].([]any) {
			e := x.(map[string]any)
			if sha, has := e["sha"]; has && sha == nil {
				delete(all, e["path"].(string))
			} else {
				all[e["path"].(string)] = fmt.Sprintf("%v:%v", e["mode"], sha)
			}
		}
		var lines []string
		for p, e := range all {
			lines = append(lines, p+" "+e)
		}
		sort.Strings(lines)
		sha := oid(strings.Join(lines, "\n"))
		for old, t := range f.trees {
			if fmt.Sprint(t) == fmt.Sprint(all) {
				sha = old
			}
		}
		f.trees[sha] = all
		reply(w, 201, map[string]any{"sha": sha})
	case "POST /git/commits":
		var parents []string
		for _, p := range in["parents"].([]any) {
			parents = append(parents, p.(string))
		}
		name := fmt.Sprint("c", len(f.commits))
		sha := f.commit(name, in["tree"].(string), "fettle[bot]", parents)
		f.newest = sha
		f.commits[sha]["message"] = in["message"]
		reply(w, 201, f.commits[sha])
	default:
		reply(w, 404, map[string]any{"message": "Not Found"})
	}
}

func (f *fake) reaches(from, to string) bool {
	if from == to {
		return true
	}
	c := f.commits[from]
	if c == nil {
		return false
	}
	ps, _ := c["parents"].([]any)
	for _, p := range ps {
		if f.reaches(p.(map[string]any)["sha"].(string), to) {
			return true
		}
	}
	return false
}

func (f *fake) routePulls(w http.ResponseWriter, r *http.Request, op, arg string, in map[string]any) {
	switch {
	case op == "GET /pulls":
		var open []any
		for _, p := range f.pulls {
			if p["state"] == "open" {
				open = append(open, p)
			}
		}
		reply(w, 200, open)
	case op == "POST /pulls":
		if f.noDrafts && in["draft"] == true {
			reply(w, 422, map[string]any{"message": "Draft pull requests are not supported in this repository."})
			return
		}
		f.pulls = append(f.pulls, map[string]any{
			"number": 10 + len(f.pulls), "node_id": fmt.Sprint("PR_", len(f.pulls)), "state": "open", "title": in["title"], "body": in["body"], "draft": in["draft"],
			"html_url": "https://example.org/pr", "head": map[string]any{"ref": in["head"], "repo": map[string]any{"full_name": "acme/shop"}},
		})
		reply(w, 201, f.pulls[len(f.pulls)-1])
	case strings.HasPrefix(op, "PATCH /pulls/"):
		n, _ := strconv.Atoi(arg)
		p := f.pulls[n-10]
		p["title"], p["body"] = in["title"], in["body"]
		reply(w, 200, p)
	case r.URL.Path == "/api/graphql":
		draft := strings.Contains(in["query"].(string), "convertPullRequestToDraft")
		name := map[bool]string{true: "convertPullRequestToDraft", false: "markPullRequestReadyForReview"}[draft]
		for _, p := range f.pulls {
			if p["node_id"] == in["variables"].(map[string]any)["id"] {
				p["draft"] = draft
			}
		}
		reply(w, 200, map[string]any{"data": map[string]any{name: map[string]any{"pullRequest": map[string]any{"isDraft": draft}}}})
	default:
		reply(w, 404, map[string]any{"message": "Not Found"})
	}
}

func (f *fake) routeChecks(w http.ResponseWriter, op, arg string, in map[string]any) {
	switch {
	case strings.HasPrefix(op, "GET"):
		reply(w, 200, map[string]any{"total_count": len(f.checks), "check_runs": f.checks})
	case strings.HasPrefix(op, "POST"):
		in["id"], in["app"] = len(f.checks)+1, map[string]any{"id": testAppID}
		f.checks = append(f.checks, in)
		reply(w, 201, in)
	default:
		n, _ := strconv.Atoi(arg)
		f.checks[n-1]["conclusion"] = in["conclusion"]
		reply(w, 200, f.checks[n-1])
	}
}
