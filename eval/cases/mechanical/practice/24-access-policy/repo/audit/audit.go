// Package audit keeps a record of the answers.
package audit

import (
	"fmt"
	"strings"

	"warden/access"
)

// Log holds the last answers, up to Max.
type Log struct {
	Max     int
	entries []entry
}

type entry struct {
	req access.Request
	dec access.Decision
}

// Add records an answer.
func (l *Log) Add(req access.Request, dec access.Decision) {
	l.entries = append(l.entries, entry{req, dec})
	if l.Max > 0 && len(l.entries) > l.Max {
		l.entries = l.entries[len(l.entries)-l.Max:]
	}
}

// Refused counts the refused requests by user.
func (l *Log) Refused() map[string]int {
	out := map[string]int{}
	for _, e := range l.entries {
		if !e.dec.Allowed {
			out[e.req.User]++
		}
	}
	return out
}

func (l *Log) String() string {
	var b strings.Builder
	for _, e := range l.entries {
		word := "no "
		if e.dec.Allowed {
			word = "yes"
		}
		fmt.Fprintf(&b, "%s %s %s %s (line %d)\n", word, e.req.User, e.req.Action, e.req.Path, e.dec.Line)
	}
	return b.String()
}
