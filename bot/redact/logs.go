package redact

import (
	"fmt"

	"github.com/sirupsen/logrus"
)

// formatter cleans every entry, whatever field a secret is in.
type formatter struct {
	funnel *Funnel
	inner  logrus.Formatter
}

// Formatter wraps a logrus formatter so that message and fields pass the
// funnel before they are written, and the written line once more for secrets.
func Formatter(f *Funnel, inner logrus.Formatter) logrus.Formatter {
	return formatter{funnel: f, inner: inner}
}

// Format implements logrus.Formatter.
func (w formatter) Format(e *logrus.Entry) ([]byte, error) {
	clean := *e
	clean.Message = w.funnel.Log(e.Message)
	clean.Data = make(logrus.Fields, len(e.Data))
	for key, value := range e.Data {
		switch v := value.(type) {
		case string:
			clean.Data[key] = w.funnel.Log(v)
		case []byte:
			clean.Data[key] = w.funnel.Log(string(v))
		case error:
			clean.Data[key] = w.funnel.Log(v.Error())
		case fmt.Stringer:
			clean.Data[key] = w.funnel.Log(v.String())
		default:
			clean.Data[key] = value
		}
	}
	line, err := w.inner.Format(&clean)
	if err != nil {
		return nil, fmt.Errorf("format a log line: %w", err)
	}
	return []byte(w.funnel.Secrets(string(line))), nil
}
