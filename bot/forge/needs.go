package forge

import (
	"encoding/json"
	"slices"

	"github.com/google/go-github/v60/github"
)

// Need is a permission or an event of the App, with what it is for. The App's
// manifest, the page that creates it, the tokens that are asked for, 'fettle
// doctor' and docs/github-app.md are all made of, or checked against, these two
// tables.
type Need struct {
	Name  string // as the API has it: pull_requests
	Title string // as GitHub's pages have it: Pull requests
	Level string // of a permission: read or write
	Why   string
}

// Permissions are all that fettle can use, each at the lowest level that serves.
func Permissions() []Need {
	return []Need{
		{"contents", "Contents", "write", "clone the repository, commit the fix to a branch of its own, read .fettle.yml"},
		{"issues", "Issues", "write", "read the issue, keep one status comment, set the labels that show the state"},
		{"pull_requests", "Pull requests", "write", "open the pull request, answer its reviews, review when asked"},
		{"checks", "Checks", "write", "show the evidence at the head commit, read what CI said of it"},
		{"metadata", "Metadata", "read", "ask who may command; every App has it"},
	}
}

// Events are what the App has to hear. GitHub sends installations and pings to
// every App.
func Events() []Need {
	return []Need{
		{"issues", "Issues", "", "the label that starts a run and, taken off, ends it"},
		{"issue_comment", "Issue comment", "", "commands such as /fettle fix"},
		{"pull_request", "Pull request", "", "a merge, a close, commits of others"},
		{"pull_request_review", "Pull request review", "", "changes requested are work, an approval makes a draft ready"},
		{"pull_request_review_comment", "Pull request review comment", "", "threads are mended and answered"},
		{"check_run", "Check run", "", "a red check on fettle's own commit is followed up"},
		{"check_suite", "Check suite", "", "all checks of a commit have ended"},
		{"push", "Push", "", "the branch of a run has moved"},
		{"repository", "Repository", "", "a rename, a transfer, a deletion"},
	}
}

// tokenPermissions are those of a token for one repository.
func tokenPermissions() *github.InstallationPermissions {
	all := map[string]string{}
	for _, p := range Permissions() {
		all[p.Name] = p.Level
	}
	out := &github.InstallationPermissions{}
	data, _ := json.Marshal(all)  // text to text: it cannot fail
	_ = json.Unmarshal(data, out) // and neither can this
	return out
}

// grants are permissions by name.
func grants(in *github.InstallationPermissions) map[string]string {
	out := map[string]string{}
	data, _ := json.Marshal(in)
	_ = json.Unmarshal(data, &out) // nil makes none
	return out
}

// missing are the permissions that fettle needs and that are not granted.
func missing(granted *github.InstallationPermissions) []Need {
	have := grants(granted)
	var out []Need
	for _, p := range Permissions() {
		if level := have[p.Name]; level != p.Level && level != "write" && level != "admin" {
			out = append(out, p)
		}
	}
	return out
}

// surplus are the granted permissions that fettle does not use.
func surplus(granted *github.InstallationPermissions) []string {
	have := grants(granted)
	for _, p := range Permissions() {
		if level := have[p.Name]; level == p.Level || level == "read" {
			delete(have, p.Name)
		}
	}
	var out []string
	for name, level := range have {
		out = append(out, name+"="+level)
	}
	slices.Sort(out)
	return out
}
