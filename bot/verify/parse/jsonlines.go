package parse

import (
	"encoding/json"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// readJSONLines reads what any program can write: one JSON object a line with the
// keys test (its name), status (passed, failed, error or skipped), and where they
// are known file, message and seconds. Other lines are what the tests print.
func readJSONLines(text string, at Place) Report {
	rep := Report{Ended: true}
	for line := range strings.SplitSeq(text, "\n") {
		var l struct {
			Test, Status, File, Message string
			Seconds                     float64
		}
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &l) != nil || l.Test == "" {
			continue
		}
		t := Test{ID: l.Test, Status: l.Status, Seconds: max(0, l.Seconds)}
		if l.File != "" {
			t.File, _ = at.Rel(l.File)
			t.ID = under(at, t.File, l.Test)
		}
		switch l.Status {
		case Passed, Skipped:
		case Failed, Error:
			f, frames, _ := anyTrace(l.Message, at)
			if f.Message == "" {
				f = task.Failure{Message: l.Message}
			}
			put(&f, frames)
			t.Failure = &f
		default:
			t.Status = Error
			t.Failure = &task.Failure{Message: "its status is " + l.Status + ", which is none of passed, failed, error and skipped"}
		}
		rep.Tests = append(rep.Tests, t)
	}
	return rep
}
