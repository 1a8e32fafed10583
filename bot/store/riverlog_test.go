package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
)

// What fails several times a second is said once a minute, and nothing else is kept back.
func TestAnErrorThatRepeatsIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	var r repeated
	log, said := test.NewNullLogger()
	log.SetLevel(logrus.ErrorLevel)
	away := errors.New("the database is away")
	for i := range 300 {
		r.tell(log, away, "deliveries")
		r.tell(log, fmt.Errorf("run %d: %w", i%3, away), "runs")
	}
	if n := len(said.AllEntries()); n != 4 {
		t.Errorf("%d lines", n)
	}
	for key := range r.last {
		r.last[key] = time.Now().Add(-repeatedFor)
	}
	r.tell(log, away, "deliveries")
	if n := len(said.AllEntries()); n != 5 || len(r.last) != 1 {
		t.Errorf("a minute later: %d lines, %d kept", n, len(r.last))
	}
}
