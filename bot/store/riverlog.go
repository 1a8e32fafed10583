package store

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
)

// silent is a logger that says nothing.
func silent() logrus.FieldLogger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return l
}

// riverLog hands River's warnings and errors to our logger, so that they pass
// the same redaction. What is below a warning is River's own chatter.
func (s *Store) riverLog() *slog.Logger { return slog.New(logHandler{s.cfg.Log}) }

type logHandler struct{ log logrus.FieldLogger }

func (h logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	log := h.log
	r.Attrs(func(a slog.Attr) bool {
		log = log.WithField(a.Key, a.Value.String())
		return true
	})
	if r.Level >= slog.LevelError {
		log.Error("jobs: " + r.Message)
	} else {
		log.Warn("jobs: " + r.Message)
	}
	return nil
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	log := h.log
	for _, a := range attrs {
		log = log.WithField(a.Key, a.Value.String())
	}
	return logHandler{log}
}

func (h logHandler) WithGroup(string) slog.Handler { return h }

// repeatedFor is how long an error that comes again and again is not logged again.
const repeatedFor = time.Minute

// repeated logs an error that comes again and again, such as that of a database that is
// away and asked several times a second, once in a while.
type repeated struct {
	mu   sync.Mutex
	last map[string]time.Time // by what is said
}

func (r *repeated) tell(log logrus.FieldLogger, err error, words string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(r.last, func(_ string, at time.Time) bool { return now.Sub(at) >= repeatedFor })
	key := words + ": " + err.Error()
	if _, said := r.last[key]; said {
		return
	}
	if r.last == nil {
		r.last = map[string]time.Time{}
	}
	r.last[key] = now
	log.WithError(err).Error(words)
}
