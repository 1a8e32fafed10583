package task

import (
	"fmt"
	"strings"
)

// FailureKey says exactly what failed, without what differs from run to run: what
// lessons are looked up by (SPEC M5).
type FailureKey struct {
	Language  string      `json:"language,omitempty"`
	Subject   string      `json:"subject,omitempty"` // the endpoint, such as "GET /users", or the test
	Error     FailureKind `json:"error,omitempty"`
	Exception string      `json:"exception,omitempty"` // class
	Shape     string      `json:"shape,omitempty"`     // of the message, without its values
}

// LessonKind tells lessons apart.
type LessonKind string

// The kinds of lessons that bear on a run.
const (
	LessonFix    LessonKind = "fix"    // an edit that people merged
	LessonWrong  LessonKind = "wrong"  // an edit that turns what people corrected into what they merged
	LessonAdvice LessonKind = "advice" // what maintainers said in a review
)

// Lesson is something that a repository taught, as a run may use it.
type Lesson struct {
	ID       string     `json:"id"`
	Kind     LessonKind `json:"kind"`
	Language string     `json:"language,omitempty"`
	Rule     string     `json:"rule,omitempty"` // the edit as a rule of bot/code/rule; empty where it fits nowhere else
	Was      string     `json:"was,omitempty"`  // the lines before, where it was learned
	Now      string     `json:"now,omitempty"`  // and after
	Path     string     `json:"path,omitempty"` // where it was learned
	Words    string     `json:"words"`          // for people and models; foreign in part
	Source   string     `json:"source,omitempty"`
	Rate     float64    `json:"rate"`  // of its tries that people merged, 0 to 1
	Tries    int        `json:"tries"` // runs that used it
	Exact    bool       `json:"exact,omitempty"`
	Fits     bool       `json:"fits,omitempty"` // it can be made at a suspicious place
}

// Recalled is what earlier runs on the repository taught that bears on a run, as it
// was known when the fault was located.
type Recalled struct {
	Keys    []FailureKey `json:"keys,omitempty"` // of the run's own failures
	Lessons []Lesson     `json:"lessons,omitempty"`
	Past    []Mended     `json:"past,omitempty"`
	Version string       `json:"version,omitempty"` // of what was learned, such as "v07"; "" for nothing
}

// Learned is the template of mechanical changes that a lesson made.
const Learned = "learned:"

// LessonsOf are the ids of the lessons that made the change of a template, which may be
// of several operators together.
func LessonsOf(template string) (ids []string) {
	for name := range strings.SplitSeq(template, "+") {
		if id, ok := strings.CutPrefix(name, Learned); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// String is a lesson in a line.
func (l Lesson) String() string {
	if l.Kind == LessonAdvice {
		return fmt.Sprintf("%s (%s)", l.Words, l.Source)
	}
	return fmt.Sprintf("%s: %s (%.0f %% of %s)", l.ID, l.Words, 100*l.Rate, Count(l.Tries, "run"))
}
