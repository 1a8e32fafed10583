package actions

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Pull is the pull request of a job that judges it.
type Pull struct {
	Number     int
	Base, Head string // commits
}

var fullHash = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// ReadPull reads a job on the event pull_request. It needs no token: a fork's pull
// request gets one that only reads, and its job no secrets.
func ReadPull(getenv func(string) string) (*Job, Pull, error) {
	j := &Job{Event: getenv("GITHUB_EVENT_NAME"), output: getenv("GITHUB_OUTPUT"), summary: getenv("GITHUB_STEP_SUMMARY")}
	if err := j.begin(getenv, "fettle judge"); err != nil {
		return j, Pull{}, err
	}
	switch j.Event {
	case "pull_request":
	case "pull_request_target":
		return j, Pull{}, &Refusal{"fettle judges no pull request on pull_request_target: its code would be run in a job that has your secrets. Start it on pull_request"}
	default:
		return j, Pull{}, fmt.Errorf("there is no pull request to judge in the event %q; start it on pull_request", j.Event)
	}
	raw, err := eventOf(getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return j, Pull{}, err
	}
	var e struct {
		Pull struct {
			Number int `json:"number"`
			Base   struct {
				SHA string `json:"sha"`
			} `json:"base"`
			Head struct {
				SHA string `json:"sha"`
			} `json:"head"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return j, Pull{}, fmt.Errorf("the event file holds no event of GitHub's: %w", err)
	}
	p := Pull{e.Pull.Number, e.Pull.Base.SHA, e.Pull.Head.SHA}
	if p.Number <= 0 || !fullHash.MatchString(p.Base) || !fullHash.MatchString(p.Head) {
		return j, p, fmt.Errorf("the event names no pull request with two commits (number %d, base %q, head %q)", p.Number, p.Base, p.Head)
	}
	return j, p, nil
}
