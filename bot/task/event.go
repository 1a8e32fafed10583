package task

import "time"

// EventKind is what a delivery means to us.
type EventKind string

// The events that change anything. Everything else decodes to EventIgnored.
const (
	EventLabeled   EventKind = "labeled" // the trigger label was put on, or the issue was opened with it
	EventUnlabeled EventKind = "unlabeled"
	EventClosed    EventKind = "closed"
	EventReopened  EventKind = "reopened"
	EventEdited    EventKind = "edited" // title or body of an issue
	EventComment   EventKind = "comment"
	EventReview    EventKind = "review" // a review was submitted, or a comment of one written
	EventCheck     EventKind = "check"  // a check of a commit has ended
	EventPull      EventKind = "pull"   // a pull request changed: Action says how
	EventPush      EventKind = "push"   // a branch moved
	EventPing      EventKind = "ping"
	EventRemoved   EventKind = "removed" // the App was uninstalled or lost the repository
	EventRepo      EventKind = "repo"    // the repository was renamed, transferred, archived, deleted, or got another default branch
	EventIgnored   EventKind = "ignored"
)

// Event is a webhook delivery in our words.
type Event struct {
	Kind       EventKind    `json:"kind"`
	Action     string       `json:"action,omitempty"` // GitHub's word for what was done
	Delivery   string       `json:"delivery"`
	Received   time.Time    `json:"received,omitzero"` // set by whoever acts on the delivery
	Repo       Repo         `json:"repo"`
	Issue      Issue        `json:"issue"` // of a pull request's event too: number, title, body, state
	Label      string       `json:"label,omitempty"`
	CommentID  int64        `json:"comment_id,omitempty"`
	Comment    string       `json:"comment,omitempty"` // the comment's text, foreign
	Pull       *PullRequest `json:"pull,omitempty"`
	Review     *Review      `json:"review,omitempty"`
	Check      *CheckEnd    `json:"check,omitempty"`
	Before     string       `json:"before,omitempty"` // of a branch that moved: its commit before; of a repository: its owner/name, or default branch, before; of an edited pull request: its base branch, where that is another now
	After      string       `json:"after,omitempty"`  // and after
	Branch     string       `json:"branch,omitempty"` // that moved
	Actor      string       `json:"actor"`
	ActorIsBot bool         `json:"actor_is_bot,omitempty"`
	Reason     string       `json:"reason,omitempty"` // why an event is ignored
}

// Verdicts of a review, in GitHub's words.
const (
	ReviewApproved  = "approved"
	ReviewChanges   = "changes_requested"
	ReviewCommented = "commented"
)

// Review is what somebody said about a pull request as a whole.
type Review struct {
	ID     int64  `json:"id"`
	State  string `json:"state"`
	Body   string `json:"body,omitempty"` // foreign
	Author string `json:"author"`
	URL    string `json:"url,omitempty"`
}

// Thread is a conversation about lines of a pull request.
type Thread struct {
	ID        string          `json:"id"` // GitHub's node id, by which it is resolved
	Path      string          `json:"path"`
	Line      int             `json:"line,omitempty"`       // on the head's side; 0 when the lines are gone
	StartLine int             `json:"start_line,omitempty"` // of several lines; 0 for one
	Resolved  bool            `json:"resolved,omitempty"`
	Outdated  bool            `json:"outdated,omitempty"`
	Comments  []ReviewComment `json:"comments"` // the oldest first
}

// Last is what was said last, or the zero value.
func (t Thread) Last() ReviewComment {
	if len(t.Comments) == 0 {
		return ReviewComment{}
	}
	return t.Comments[len(t.Comments)-1]
}

// ReviewComment is one comment of a thread.
type ReviewComment struct {
	ID     int64  `json:"id"`
	Review int64  `json:"review,omitempty"`
	Author string `json:"author"`
	IsBot  bool   `json:"is_bot,omitempty"`
	Body   string `json:"body"`           // foreign
	Hunk   string `json:"hunk,omitempty"` // the diff that it was written under
}

// CheckEnd is a check of a commit, or a suite of them, that has ended.
type CheckEnd struct {
	ID         int64  `json:"id"`
	Name       string `json:"name,omitempty"` // of a check run; "" for a suite
	HeadSHA    string `json:"head_sha"`
	Branch     string `json:"branch,omitempty"`
	Conclusion string `json:"conclusion"`       // success, failure, timed_out, cancelled, …
	AppID      int64  `json:"app_id,omitempty"` // whose check it is
	Pulls      []int  `json:"pulls,omitempty"`  // pull requests of the commit
	Title      string `json:"title,omitempty"`  // foreign
	Summary    string `json:"summary,omitempty"`
	URL        string `json:"url,omitempty"`
	Suite      bool   `json:"suite,omitempty"`
}

// What names what a follow-up answers.
func (f Follow) What() string {
	return map[FollowKind]string{FollowReview: "the review", FollowSuggestion: "what was suggested", FollowCheck: "the red check", FollowTests: "`/fettle test`",
		FollowUndo: "`/fettle undo`", FollowBase: "the moved base", FollowQuestion: "what was asked"}[f.Kind]
}

// Red tells whether the check speaks against the commit.
func (c CheckEnd) Red() bool { return c.Conclusion == "failure" || c.Conclusion == "timed_out" }

// Follow is work on a pull request of fettle's that stands already: what is asked
// is done on its branch.
type Follow struct {
	Pull     int        `json:"pull"`
	URL      string     `json:"url,omitempty"`
	Branch   string     `json:"branch"`
	Head     string     `json:"head"` // of the branch, when it was asked
	Base     string     `json:"base"` // the branch that it is for
	Of       int        `json:"of"`   // Generation of the run that opened it
	Run      string     `json:"run"`  // and its id
	Kind     FollowKind `json:"kind"` // what is asked
	Threads  []Thread   `json:"threads,omitempty"`
	Review   *Review    `json:"review,omitempty"` // whose words are a part of it
	Check    *CheckEnd  `json:"check,omitempty"`
	Edits    *Patch     `json:"edits,omitempty"`    // that somebody wrote out, such as a suggestion
	Known    []string   `json:"known,omitempty"`    // tests that were red before the pull request, and still are
	Comments []int64    `json:"comments,omitempty"` // that this run takes in, each by one run only
}

// FollowKind is what is asked of a pull request that stands.
type FollowKind string

// The kinds.
const (
	FollowReview     FollowKind = "review"     // changes in words
	FollowSuggestion FollowKind = "suggestion" // changes that a reviewer wrote out
	FollowCheck      FollowKind = "check"      // a check is red
	FollowQuestion   FollowKind = "question"   // an answer, and no change
	FollowTests      FollowKind = "tests"      // tests of what was changed
	FollowUndo       FollowKind = "undo"       // the last commit of fettle's taken back
	FollowBase       FollowKind = "base"       // the base moved
)

// Climbs tells whether the ladder is climbed for work of the kind.
func (k FollowKind) Climbs() bool {
	return k == FollowReview || k == FollowSuggestion || k == FollowCheck || k == FollowBase
}

// Fate is what became of a pull request of fettle's.
type Fate string

// The fates. "" is one that is open.
const (
	FateMerged   Fate = "merged"   // as it was
	FateChanged  Fate = "changed"  // merged with commits of others
	FateClosed   Fate = "closed"   // not wanted
	FateReverted Fate = "reverted" // merged, and taken back
)

// Levels of an annotation, in GitHub's words.
const (
	NoteNotice  = "notice"
	NoteWarning = "warning"
	NoteFailure = "failure"
)

// Annotation is what a check says about lines of a file.
type Annotation struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line,omitempty"` // 0: the same line
	Level   string `json:"level"`
	Title   string `json:"title,omitempty"`
	Message string `json:"message"`
}

// HookDelivery is an attempt of the forge to deliver an event, as it remembers it.
type HookDelivery struct {
	ID         int64     `json:"id"`   // of the attempt
	GUID       string    `json:"guid"` // of the event: the same for every attempt
	Event      string    `json:"event"`
	At         time.Time `json:"at"`
	StatusCode int       `json:"status_code"` // that it was answered with; 5xx also where nobody answered
	Redelivery bool      `json:"redelivery,omitempty"`
}

// Delivered tells whether the attempt was answered well.
func (d HookDelivery) Delivered() bool { return d.StatusCode >= 200 && d.StatusCode < 300 }
