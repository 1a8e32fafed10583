package actions

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// Output is one output of the step.
type Output struct{ Name, Value string }

// SetOutputs hands outputs to the runner. Each ends with a word that nobody can
// guess, so that no value can end it early and set another output.
func (j *Job) SetOutputs(all ...Output) error { return assign(j.output, all) }

// Keep tells a post step of a wrapping action where the record is.
func (j *Job) Keep() error { return assign(j.state, []Output{{"dir", j.Dir}}) }

func assign(file string, all []Output) error {
	if file == "" {
		return nil
	}
	var b strings.Builder
	for _, o := range all {
		end := "fettle_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o.Name, end, strings.ReplaceAll(o.Value, "\r", ""), end)
	}
	return appendTo(file, b.String())
}

const maxSummary = 1 << 20 // bytes that GitHub takes of a step

// Summarise appends Markdown to the job's summary.
func (j *Job) Summarise(markdown string) error {
	if j.summary == "" {
		return nil
	}
	if len(markdown) > maxSummary-100 {
		markdown = strings.ToValidUTF8(markdown[:maxSummary-100], "") + "\n\n… the rest is in the record.\n"
	}
	return appendTo(j.summary, strings.TrimRight(markdown, "\n")+"\n")
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing what the runner reads: %w", err)
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing what the runner reads: %w", err)
	}
	return nil
}
