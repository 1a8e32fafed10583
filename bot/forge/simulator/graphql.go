package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Of GraphQL there is what REST lacks: whose the token is, two mutations of a pull request's draft
// state, its review threads, and one mutation that resolves them. The query is not
// parsed in general: the names and their arguments are found, and anything else is
// answered with an error.
var (
	viewerShape   = regexp.MustCompile(`^\s*query\s*\{\s*viewer\s*\{\s*login\s*\}\s*\}\s*$`)
	mutationShape = regexp.MustCompile(`\b(markPullRequestReadyForReview|convertPullRequestToDraft)\s*\(\s*input\s*:\s*(\$\w+|\{[^}]*\})\s*\)`)
	pullIDShape   = regexp.MustCompile(`pullRequestId\s*:\s*("([^"]*)"|\$(\w+))`)
)

func (s *Server) graphql(c *call) (answer, error) {
	var ask struct {
		Query     string                     `json:"query"`
		Variables map[string]json.RawMessage `json:"variables"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	switch {
	case viewerShape.MatchString(ask.Query):
		return ok(obj{"data": obj{"viewer": obj{"login": s.botLogin()}}})
	case strings.Contains(ask.Query, "reviewThreads"):
		return s.queryThreads(c, ask.Query, ask.Variables)
	case resolveShape.MatchString(ask.Query):
		return s.mutateThread(c, ask.Query, ask.Variables)
	}
	found := mutationShape.FindStringSubmatch(ask.Query)
	if found == nil || !strings.HasPrefix(strings.TrimSpace(ask.Query), "mutation") {
		return graphQLError("", "The simulator knows markPullRequestReadyForReview, convertPullRequestToDraft, resolveReviewThread and reviewThreads of a pull request only")
	}
	name, id := found[1], pullID(found[2], ask.Variables)
	r, i := s.graphQLPull(c.tok, id)
	if i == nil {
		return graphQLError("NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id))
	}
	if !c.tok.may("pull_requests:write") {
		return graphQLError("FORBIDDEN", "Resource not accessible by integration")
	}
	if i.State != "open" {
		return graphQLError("UNPROCESSABLE", "Pull request is closed")
	}
	if err := s.setDraft(c.r.Context(), r, i, name == "convertPullRequestToDraft", s.botLogin()); err != nil {
		return answer{}, err
	}
	return ok(obj{"data": obj{name: obj{"clientMutationId": nil, "pullRequest": obj{"id": id, "number": i.Number,
		"isDraft": i.Pull.Draft, "state": strings.ToUpper(i.State), "url": fmt.Sprintf("%s/pull/%d", s.repoHTML(r), i.Number)}}}})
}

// pullID finds the id in the input: written out, or in a variable.
func pullID(input string, variables map[string]json.RawMessage) string {
	if name, ok := strings.CutPrefix(input, "$"); ok {
		var in struct {
			PullRequestID string `json:"pullRequestId"`
		}
		_ = json.Unmarshal(variables[name], &in) // what is not there is not found
		return in.PullRequestID
	}
	found := pullIDShape.FindStringSubmatch(input)
	if found == nil {
		return ""
	}
	if found[3] == "" {
		return found[2]
	}
	var id string
	_ = json.Unmarshal(variables[found[3]], &id)
	return id
}

// graphQLError is a 200 with errors, as GraphQL has it.
func graphQLError(kind, message string) (answer, error) {
	e := obj{"message": message, "locations": []obj{{"line": 1, "column": 1}}}
	if kind != "" {
		e["type"] = kind
	}
	return answer{status: http.StatusOK, body: obj{"data": nil, "errors": []obj{e}}}, nil
}
