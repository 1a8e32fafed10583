package contract

import (
	"net/http"
	"strings"
)

// Exception is a difference from GitHub's description that is known and meant.
type Exception struct {
	Operation string // "METHOD /path" as in the description
	Contains  string // part of the violation's text
	Why       string
}

func (e Exception) matches(operation, what string) bool {
	return e.Operation == operation && strings.Contains(what, e.Contains)
}

// Exceptions are the differences that are not reported.
var Exceptions = []Exception{
	{"POST /repos/{owner}/{repo}/issues/{issue_number}/labels", "request:",
		"GitHub takes a bare list of names as well as {\"labels\": …}, and its widely used client libraries send the bare list; the description has only the object"},
	{"PUT /repos/{owner}/{repo}/issues/{issue_number}/labels", "request:",
		"as for POST: a bare list is taken"},
	{"GET /repos/{owner}/{repo}/contents/{path}", `request: parameter "path" in path has an error: value is required`,
		"an empty path is the root directory"},
	{"POST /app/installations/{installation_id}/access_tokens", "request: request body has an error: doesn't match schema: Value is not nullable",
		"GitHub takes the body null, which a widely used client library sends when it asks for a token without limits"},
	{"GET /repos/{owner}/{repo}/pulls/{pull_number}/comments", "/line\": Value is not nullable",
		"GitHub answers null for the line of a comment whose lines a later commit changed"},
	{"GET /repos/{owner}/{repo}/pulls/{pull_number}/comments", "/position\": Value is not nullable",
		"as for the line: null when it is outdated"},
	{"GET /app/installations", "/account\"",
		"the description as npm has it wants an account to be a user and an enterprise at once (allOf, where the single installation has anyOf)"},
}

// undescribed are statuses that every operation of GitHub can answer, and that
// the description names for few of them.
var undescribed = map[int]string{
	http.StatusMovedPermanently:    "a renamed or transferred repository",
	http.StatusTemporaryRedirect:   "a renamed or transferred repository, for a write",
	http.StatusNotModified:         "conditional requests work on every GET",
	http.StatusBadRequest:          "a body that is not JSON",
	http.StatusUnauthorized:        "missing, wrong or expired credentials",
	http.StatusForbidden:           "missing permission, or a rate limit",
	http.StatusNotFound:            "no such thing, or not to be seen with these credentials",
	http.StatusConflict:            "empty repository",
	http.StatusUnprocessableEntity: "validation failed",
	http.StatusTooManyRequests:     "secondary rate limit",
}
