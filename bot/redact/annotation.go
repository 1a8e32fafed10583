package redact

import (
	"fmt"
	"io"
	"strings"
)

// Levels of annotations.
const (
	Notice  = "notice"
	Warning = "warning"
	Error   = "error"
)

// Annotation is a line that the runner of GitHub Actions shows beside a job, and at a
// line of a file where it names one.
type Annotation struct {
	Level, Title, Message, File string
	Line                        int // 1-based
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotate prints it as the command that the runner reads. What others wrote is escaped,
// so that it cannot become a command of its own.
func Annotate(w io.Writer, a Annotation) error {
	var with []string
	if a.File != "" {
		with = append(with, "file="+escapeProperty.Replace(a.File), fmt.Sprintf("line=%d", max(1, a.Line)))
	}
	if a.Title != "" {
		with = append(with, "title="+escapeProperty.Replace(a.Title))
	}
	_, err := fmt.Fprintf(w, "::%s %s::%s\n", a.Level, strings.Join(with, ","), escapeData.Replace(a.Message))
	return err
}
