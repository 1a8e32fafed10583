// Package job describes the work that is handed out.
package job

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Urgency orders jobs; more is more urgent.
type Urgency int

const (
	Routine Urgency = iota
	Soon
	Urgent
	Emergency
)

var urgencies = []string{"routine", "soon", "urgent", "emergency"}

func (u Urgency) String() string {
	if u < 0 || int(u) >= len(urgencies) {
		return fmt.Sprintf("urgency(%d)", int(u))
	}
	return urgencies[u]
}

// ParseUrgency reads the name of an urgency.
func ParseUrgency(text string) (Urgency, error) {
	for i, name := range urgencies {
		if strings.EqualFold(strings.TrimSpace(text), name) {
			return Urgency(i), nil
		}
	}
	return 0, fmt.Errorf("job: unknown urgency %q", text)
}

// Job is one visit.
type Job struct {
	ID      string
	Urgency Urgency
	Due     time.Time // zero: whenever it suits
	Takes   time.Duration
	Skills  []string
}

// Validate reports the first thing that is wrong.
func (j Job) Validate() error {
	switch {
	case j.ID == "":
		return errors.New("job: no id")
	case j.Takes <= 0:
		return fmt.Errorf("job: %s takes no time", j.ID)
	}
	return nil
}
