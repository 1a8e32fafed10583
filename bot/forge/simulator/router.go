package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// route is one operation. Its path is written as in GitHub's description,
// below /api/v3; a segment "{name...}" takes as much as the literal segments
// after it leave over, since clients do not escape slashes in a reference.
type route struct {
	method, path string
	segments     []string
	need         string // permission, such as "issues:write"; "app" = JSON web token; "" = anybody
	handle       func(*Server, *call) (answer, error)
}

func match(segments, path []string) (map[string]string, bool) {
	vars := map[string]string{}
	for i, seg := range segments {
		if strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "...}") {
			rest := segments[i+1:] // literal
			end := len(path) - len(rest)
			if end < i || (len(rest) > 0 && end == i) || !slices.Equal(path[end:], rest) {
				return nil, false
			}
			vars[seg[1:len(seg)-4]] = strings.Join(path[i:end], "/")
			return vars, true
		}
		if i >= len(path) {
			return nil, false
		}
		if strings.HasPrefix(seg, "{") {
			if path[i] == "" {
				return nil, false
			}
			vars[strings.Trim(seg, "{}")] = path[i]
		} else if seg != path[i] {
			return nil, false
		}
	}
	return vars, len(segments) == len(path)
}

// split cuts an escaped path into decoded segments.
func split(escaped string) []string {
	parts := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, p := range parts {
		if d, err := url.PathUnescape(p); err == nil {
			parts[i] = d
		}
	}
	return parts
}

func (s *Server) findRoute(method, escaped string) (*route, map[string]string) {
	path := split(escaped)
	for i := range s.routes {
		if r := &s.routes[i]; r.method == method {
			if vars, ok := match(r.segments, path); ok {
				return r, vars
			}
		}
	}
	return nil, nil
}

// serveAPI is REST below /api/v3 and GraphQL at /api/graphql. One request is
// handled at a time; its changes are on disk before it is answered.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	c := &call{r: r, header: http.Header{}}
	ans, err := s.handleAPI(c)
	if serr := s.save(); serr != nil && err == nil {
		err = serr
	}
	if err != nil {
		ans = s.asAnswer(c, err)
	}
	s.write(w, c, ans)
}

func (s *Server) asAnswer(c *call, err error) answer {
	var known *apiError
	if !errors.As(err, &known) {
		s.cfg.Log.WithError(err).WithField("path", c.r.URL.Path).Error("simulator: the request failed")
		known = problem(http.StatusInternalServerError, "Server Error")
	}
	return answer{status: known.status, body: known.body}
}

func (s *Server) handleAPI(c *call) (answer, error) {
	body, err := readBody(c.r)
	if err != nil {
		return answer{}, err
	}
	c.body = body
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, isREST := strings.CutPrefix(c.r.URL.EscapedPath(), "/api/v3")
	if c.r.URL.Path == "/api/graphql" && c.r.Method == http.MethodPost {
		c.route = &route{method: http.MethodPost, path: "/graphql", need: "metadata:read", handle: (*Server).graphql}
	} else if isREST {
		c.route, c.vars = s.findRoute(c.r.Method, rest)
	}
	err = s.authenticate(c)
	s.calls.add(c, s.now()) // with whose token it came
	if err != nil {
		return answer{}, err
	}
	if err := s.charge(c); err != nil {
		return answer{}, err
	}
	if c.route == nil {
		return answer{}, notFound()
	}
	if to := s.state.Renamed[repoKey(c.vars["owner"], c.vars["repo"])]; to != "" && s.state.repo(c.vars["owner"], c.vars["repo"]) == nil {
		return s.movedTo(c, to)
	}
	if err := s.authorise(c); err != nil {
		return answer{}, err
	}
	return c.route.handle(s, c)
}

// authenticate finds out who calls; wrong credentials are a 401 everywhere.
func (s *Server) authenticate(c *call) error {
	cred := credentialsOf(c.r)
	switch {
	case cred.value == "":
		return nil
	case cred.scheme == "bearer" && strings.Count(cred.value, ".") == 2:
		c.app = true
		return s.verifyJWT(cred.value)
	}
	if c.tok = s.tokenFor(cred.value); c.tok == nil {
		return problem(http.StatusUnauthorized, "Bad credentials")
	}
	return nil
}

// authorise checks the route's needs and finds its repository.
func (s *Server) authorise(c *call) error {
	if c.route.need == "app" {
		if !c.app {
			return problem(http.StatusUnauthorized, "A JSON web token could not be decoded")
		}
		if owner, ok := c.vars["owner"]; ok {
			if c.repo = s.state.repo(owner, c.vars["repo"]); c.repo == nil {
				return notFound()
			}
		}
		return nil
	}
	if c.route.need == "" {
		return nil
	}
	if c.app {
		return problem(http.StatusForbidden, "Resource not accessible by integration")
	}
	owner, inRepo := c.vars["owner"]
	if c.tok == nil {
		if inRepo { // private repositories do not exist for strangers
			return notFound()
		}
		return problem(http.StatusUnauthorized, "Requires authentication")
	}
	if inRepo {
		c.repo = s.state.repo(owner, c.vars["repo"])
		if c.repo == nil || !s.sees(c.tok, c.repo) {
			return notFound()
		}
	}
	if c.repo != nil && c.repo.Archived && c.r.Method != http.MethodGet {
		return problem(http.StatusForbidden, "Repository was archived so is read-only.")
	}
	if !c.tok.may(c.route.need) {
		c.header.Set("X-Accepted-GitHub-Permissions", strings.NewReplacer(":", "=", "|", "; ").Replace(c.route.need))
		return problem(http.StatusForbidden, "Resource not accessible by integration")
	}
	return nil
}

// movedTo sends a request for a renamed repository on: a read may follow.
func (s *Server) movedTo(c *call, to string) (answer, error) {
	was := "/repos/" + c.vars["owner"] + "/" + c.vars["repo"]
	_, rest, _ := strings.Cut(c.r.URL.EscapedPath(), was)
	next := s.api("/repos/%s%s", to, rest)
	if c.r.URL.RawQuery != "" {
		next += "?" + c.r.URL.RawQuery
	}
	status := http.StatusMovedPermanently
	if c.r.Method != http.MethodGet {
		status = http.StatusTemporaryRedirect
	}
	return answer{status: status, body: obj{"message": "Moved Permanently", "url": next, "documentation_url": docs}, header: http.Header{"Location": {next}}}, nil
}

// window counts the requests of an hour.
type window struct {
	reset time.Time
	used  int
}

// charge counts a request against its installation (0 = the App or nobody)
// and sets the rate limit headers.
func (s *Server) charge(c *call) error {
	free := c.route != nil && c.route.path == "/rate_limit"
	w := s.windowOf(c.tok)
	if !free {
		w.used++
	}
	left := max(0, s.cfg.RateLimit-w.used)
	c.header.Set("X-RateLimit-Limit", strconv.Itoa(s.cfg.RateLimit))
	c.header.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	c.header.Set("X-RateLimit-Used", strconv.Itoa(min(w.used, s.cfg.RateLimit)))
	c.header.Set("X-RateLimit-Reset", strconv.FormatInt(w.reset.Unix(), 10))
	c.header.Set("X-RateLimit-Resource", "core")
	if w.used > s.cfg.RateLimit && !free {
		e := problem(http.StatusForbidden, fmt.Sprintf("API rate limit exceeded for installation ID %d.", installationID(c.tok)))
		e.body["documentation_url"] = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"
		return e
	}
	return nil
}

func installationID(t *token) int64 {
	if t == nil {
		return 0
	}
	return t.Installation
}

func (s *Server) windowOf(t *token) *window {
	id := installationID(t)
	w := s.limit[id]
	if w == nil || !w.reset.After(s.now()) {
		w = &window{reset: s.now().Add(time.Hour).Truncate(time.Second)}
		s.limit[id] = w
	}
	return w
}

func (s *Server) write(w http.ResponseWriter, c *call, ans answer) {
	h := w.Header()
	for _, from := range []http.Header{c.header, ans.header} {
		for k, v := range from {
			h[k] = v
		}
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", c.r.Method, c.r.URL, s.cfg.Now().UnixNano()))
	h.Set("X-GitHub-Request-Id", strings.ToUpper(hex.EncodeToString(id[:10])))
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("Date", s.now().Format(http.TimeFormat))
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
	if s.cfg.Enterprise != "" {
		h.Set("X-GitHub-Enterprise-Version", s.cfg.Enterprise)
	}
	data := ans.raw
	if data == nil && ans.body != nil {
		encoded, err := json.Marshal(ans.body)
		if err != nil {
			s.cfg.Log.WithError(err).Error("simulator: encoding an answer")
			http.Error(w, `{"message":"Server Error"}`, http.StatusInternalServerError)
			return
		}
		data = encoded
		h.Set("Content-Type", "application/json; charset=utf-8")
	}
	if c.r.Method == http.MethodGet && ans.status == http.StatusOK {
		sum := sha256.Sum256(data)
		tag := `"` + hex.EncodeToString(sum[:]) + `"`
		h.Set("ETag", tag)
		if strings.Contains(c.r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(ans.status)
	_, _ = w.Write(data) // the client may have gone
}
