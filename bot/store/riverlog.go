package store

import (
	"context"
	"io"
	"log/slog"

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
