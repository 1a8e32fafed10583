package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// RateLimited says that GitHub wants nothing from this installation before
// Until. Whoever gets it parks its run; nothing is sent before that time.
type RateLimited struct {
	Until        time.Time
	Installation int64
	Reason       string
}

// Error says until when.
func (e *RateLimited) Error() string {
	return fmt.Sprintf("GitHub's rate limit for installation %d (%s): nothing is sent before %s", e.Installation, e.Reason, e.Until.UTC().Format(time.RFC3339))
}

// Conflict says that a branch is not where the caller expected it, so it was
// not moved.
type Conflict struct {
	Branch string
	Want   string // expected head; "" when it should not have existed
	Head   string // head as seen; "" when it does not exist
	Ours   bool   // the head commit was made by fettle
}

// Error says what was expected and what stands there.
func (e *Conflict) Error() string {
	whose := "made by somebody else"
	if e.Ours {
		whose = "made by fettle"
	}
	switch {
	case e.Head == "":
		return fmt.Sprintf("branch %s was expected at %s but does not exist any more; it was not made again", e.Branch, e.Want)
	case e.Head == e.Want:
		return fmt.Sprintf("branch %s stands at %s, a commit that fettle does not know as its own; nothing was put on top of it", e.Branch, e.Head)
	case e.Want == "":
		return fmt.Sprintf("branch %s already exists at %s (%s); it was not moved", e.Branch, e.Head, whose)
	default:
		return fmt.Sprintf("branch %s was expected at %s but stands at %s (%s); it was not moved", e.Branch, e.Want, e.Head, whose)
	}
}

// Ruled says that the repository's rules, or the protection of a branch, keep the
// App from writing to a branch. Trying again does not mend it.
type Ruled struct {
	Branch string
	Words  string // GitHub's
	Where  string // address of the page of the rules
	err    error
}

// Error says what to do.
func (e *Ruled) Error() string {
	return fmt.Sprintf("the repository's rules do not let the App write to the branch %s (%s); let it write to fettle/** or name it among those who may bypass them, at %s", e.Branch, e.Words, e.Where)
}
func (e *Ruled) Unwrap() error { return e.err }

// Lasts tells that trying again is of no use.
func (e *Ruled) Lasts() bool { return true }

// ruled tells a refusal by rules from others.
func (c *Client) ruled(repo task.Repo, branch string, err error) error {
	var e *github.ErrorResponse
	if !errors.As(err, &e) || status(err) != http.StatusUnprocessableEntity && status(err) != http.StatusConflict && status(err) != http.StatusForbidden {
		return err
	}
	low := strings.ToLower(e.Message)
	if !strings.Contains(low, "rule violation") && !strings.Contains(low, "protected ref") && !strings.Contains(low, "protected branch") {
		return err
	}
	return &Ruled{Branch: branch, Words: strings.Join(strings.Fields(e.Message), " "), Where: c.rulesURL(repo), err: err}
}

func (c *Client) rulesURL(repo task.Repo) string {
	return webURL(c.base, "/"+repo.Slug()+"/settings/rules").String()
}

// MissingPermission says that the App may not do this here, which permission it
// lacks, and where to grant it.
type MissingPermission struct {
	What       string
	Permission string // as GitHub names it, such as "checks=write"; "" when it did not say
	Grant      string // what to do about it, as a sentence's end
	err        error
}

// Error says what to do.
func (e *MissingPermission) Error() string {
	which := "GitHub refused it"
	if e.Permission != "" {
		which = "the token lacks the permission " + e.Permission
	}
	return fmt.Sprintf("%s: %s; %s: %v", e.What, which, e.Grant, e.err)
}
func (e *MissingPermission) Unwrap() error { return e.err }

// permissionHeader is where GitHub says which permission a refused call needs.
const permissionHeader = "X-Accepted-GitHub-Permissions"

// grant says how a permission is granted.
func (c *Client) grant(installation int64) string {
	if c.cfg.Token != "" {
		return "name it under `permissions:` of the workflow's job, or in the App that made the token"
	}
	return "an owner of the App grants it under Permissions & events, and an owner of this repository accepts it at " + c.grantURL(installation)
}

// grantURL is where the owner of an installation accepts new permissions.
func (c *Client) grantURL(installation int64) string {
	return webURL(c.base, fmt.Sprintf("/settings/installations/%d", installation)).String()
}

// ErrNothingToCommit says that the files are as they were in the base commit.
var ErrNothingToCommit = errors.New("nothing to commit: the files are the same as in the base commit")

// ErrLocked says that a conversation is locked: nothing can be said in it until
// somebody with write permission unlocks it.
var ErrLocked = errors.New("the conversation is locked; unlock it to let the App comment")

// goneError marks what does not exist any more, whatever the status code was.
type goneError struct {
	what string
	err  error
}

func (e *goneError) Error() string {
	return e.what + ": it is gone, or the App was removed from it: " + e.err.Error()
}
func (e *goneError) Unwrap() error { return e.err }

// IsGone tells whether what was asked for does not exist (any more) for this
// App: deleted, transferred, uninstalled, suspended. Such a call is not worth
// repeating.
func IsGone(err error) bool {
	var g *goneError
	if errors.As(err, &g) {
		return true
	}
	switch status(err) {
	case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return true
	}
	return false
}

// status is the HTTP status of GitHub's refusal, 0 when there was no answer.
func status(err error) int {
	var e *github.ErrorResponse
	if errors.As(err, &e) && e.Response != nil {
		return e.Response.StatusCode
	}
	return 0
}

// unsure tells whether a creation may have happened although it failed.
func unsure(err error) bool {
	var limited *RateLimited
	switch {
	case err == nil, errors.As(err, &limited), IsGone(err):
		return false
	case errors.Is(err, context.Canceled):
		return false
	}
	s := status(err)
	return s == 0 || s >= 500
}

// explain puts what was tried before the error; errors of ours stay as they
// are for errors.As.
func (c *Client) explain(what string, err error) error {
	if err == nil {
		return nil
	}
	switch status(err) {
	case http.StatusForbidden:
		return c.forbidden(what, err)
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusFound:
		return fmt.Errorf("%s: the repository was renamed or moved; trigger again under its new name: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// forbidden tells a lacking permission from what nobody may do: write where the
// repository is archived, or the conversation locked.
func (c *Client) forbidden(what string, err error) error {
	var e *github.ErrorResponse
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", what, err)
	}
	low := strings.ToLower(e.Message)
	switch {
	case strings.Contains(low, "archived"):
		return &goneError{what: what, err: fmt.Errorf("the repository is archived: %w", err)}
	case strings.Contains(low, "locked"):
		return fmt.Errorf("%s: %w: %w", what, ErrLocked, err)
	case strings.Contains(low, "not permitted to create"):
		return &MissingPermission{What: what, Grant: "tick \"Allow GitHub Actions to create and approve pull requests\" in the repository's settings under Actions, General", err: err}
	case strings.Contains(low, "suspended"):
		return &goneError{what: what, err: err}
	}
	installation, _ := e.Response.Request.Context().Value(installationKey{}).(int64)
	return &MissingPermission{What: what, Permission: e.Response.Header.Get(permissionHeader), Grant: c.grant(installation), err: err}
}

// Gone is an error of which IsGone is true.
func Gone(what string) error { return &goneError{what: what, err: errors.New("it is not there")} }
