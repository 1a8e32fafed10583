package simulator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	resolveShape = regexp.MustCompile(`\bresolveReviewThread\s*\(\s*input\s*:\s*\{\s*threadId\s*:\s*([^}\s]+)\s*\}\s*\)`)
	argumentOf   = map[string]*regexp.Regexp{
		"owner":  regexp.MustCompile(`\brepository\s*\([^)]*\bowner\s*:\s*([^,)\s]+)`),
		"name":   regexp.MustCompile(`\brepository\s*\([^)]*\bname\s*:\s*([^,)\s]+)`),
		"number": regexp.MustCompile(`\bpullRequest\s*\(\s*number\s*:\s*([^,)\s]+)`),
		"first":  regexp.MustCompile(`\breviewThreads\s*\([^)]*\bfirst\s*:\s*([^,)\s]+)`),
		"after":  regexp.MustCompile(`\breviewThreads\s*\([^)]*\bafter\s*:\s*([^,)\s]+)`),
	}
)

// argument is the value of an argument, written out or in a variable, or "".
func argument(found []string, variables map[string]json.RawMessage) string {
	if found == nil {
		return ""
	}
	raw := []byte(found[1])
	if name, isVar := strings.CutPrefix(found[1], "$"); isVar {
		raw = variables[name]
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(raw)) // a number
}

// queryThreads answers with every field that is known of a thread; a client reads
// those that it asked for.
func (s *Server) queryThreads(c *call, query string, variables map[string]json.RawMessage) (answer, error) {
	arg := func(name string) string { return argument(argumentOf[name].FindStringSubmatch(query), variables) }
	first, err := strconv.Atoi(arg("first"))
	if err != nil || first < 1 || first > 100 {
		return graphQLError("EXCESSIVE_PAGINATION", "You must provide a `first` value between 1 and 100 to paginate the `reviewThreads` connection.")
	}
	r := s.state.repo(arg("owner"), arg("name"))
	if r == nil || !s.sees(c.tok, r) {
		return graphQLError("NOT_FOUND", fmt.Sprintf("Could not resolve to a Repository with the name '%s/%s'.", arg("owner"), arg("name")))
	}
	n, _ := strconv.Atoi(arg("number"))
	i := r.issue(n)
	if i == nil || i.Pull == nil {
		return graphQLError("NOT_FOUND", fmt.Sprintf("Could not resolve to a PullRequest with the number of %d.", n))
	}
	if !c.tok.may("pull_requests:read") {
		return graphQLError("FORBIDDEN", "Resource not accessible by integration")
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(arg("after"), "cursor:"))
	from = min(max(from, 0), len(i.Pull.Threads))
	to := min(from+first, len(i.Pull.Threads))
	nodes := []obj{}
	for _, t := range i.Pull.Threads[from:to] {
		shape, err := s.threadShape(c, r, i, t)
		if err != nil {
			return answer{}, err
		}
		nodes = append(nodes, shape)
	}
	threads := obj{"totalCount": len(i.Pull.Threads), "nodes": nodes, "pageInfo": obj{"hasNextPage": to < len(i.Pull.Threads), "endCursor": fmt.Sprintf("cursor:%d", to)}}
	return ok(obj{"data": obj{"repository": obj{"pullRequest": obj{"number": n, "reviewThreads": threads}}}})
}

func (s *Server) threadShape(c *call, r *repository, i *issue, t *thread) (obj, error) {
	start, line, outdated, err := s.lineNow(c.r.Context(), r, i, t)
	if err != nil {
		return nil, err
	}
	comments := []obj{}
	for _, m := range t.Comments {
		kind, login := "User", m.Author
		if isBot(login) { // GraphQL names an App without the suffix that REST has
			kind, login = "Bot", strings.TrimSuffix(login, "[bot]")
		}
		comments = append(comments, obj{"id": nodeID("PRRC", m.ID), "fullDatabaseId": fmt.Sprint(m.ID), "body": m.Body, "diffHunk": t.Hunk,
			"author": obj{"login": login, "__typename": kind}, "pullRequestReview": obj{"fullDatabaseId": fmt.Sprint(m.Review)}})
	}
	out := obj{"id": nodeID("PRRT", t.ID), "isResolved": t.ResolvedBy != "", "isOutdated": outdated, "path": t.Path, "line": nil, "startLine": nil,
		"originalLine": t.Line, "comments": obj{"totalCount": len(comments), "nodes": comments[:min(len(comments), 100)]}}
	if !outdated {
		out["line"] = line
		if start > 0 {
			out["startLine"] = start
		}
	}
	return out, nil
}

func (s *Server) mutateThread(c *call, query string, variables map[string]json.RawMessage) (answer, error) {
	id := argument(resolveShape.FindStringSubmatch(query), variables)
	for _, r := range s.state.repos() {
		for _, i := range r.Issues {
			if i.Pull == nil || !s.sees(c.tok, r) {
				continue
			}
			for _, t := range i.Pull.Threads {
				if nodeID("PRRT", t.ID) != id {
					continue
				}
				if !c.tok.may("pull_requests:write") {
					return graphQLError("FORBIDDEN", "Resource not accessible by integration")
				}
				if err := s.resolveThread(c.r.Context(), r, i, t, s.botLogin()); err != nil {
					return answer{}, err
				}
				return ok(obj{"data": obj{"resolveReviewThread": obj{"thread": obj{"id": id, "isResolved": true}}}})
			}
		}
	}
	return graphQLError("NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id))
}
