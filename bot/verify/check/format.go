package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// Formats are the names that Write knows besides the table for people.
var Formats = []string{"json", "sarif", "github", "unix"}

// Write writes a result for a program: "json", "sarif" (2.1.0), "github"
// (workflow commands) or "unix" (path:line:column: message).
func Write(w io.Writer, format string, r Result, version string) error {
	switch format {
	case "json":
		return document(w, r)
	case "sarif":
		return document(w, sarif(r, version))
	case "github":
		return github(w, r)
	case "unix":
		return unix(w, r)
	}
	return fmt.Errorf("unknown format %q; known are %s", format, strings.Join(Formats, ", "))
}

func document(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Clean sends every text of a result that a repository may have written through
// a filter, such as the funnel for logs.
func (r *Result) Clean(log func(string) string) {
	for i := range r.Checks {
		c := &r.Checks[i]
		for _, s := range []*string{&c.Name, &c.Command, &c.Dir, &c.Why, &c.Detail, &c.Do} {
			*s = log(*s)
		}
		for j := range c.Failures {
			f := &c.Failures[j]
			for _, s := range []*string{&f.Test, &f.File, &f.Exception, &f.Message, &f.Excerpt} {
				*s = log(*s)
			}
			for k := range f.Trace {
				f.Trace[k].File, f.Trace[k].Function = log(f.Trace[k].File), log(f.Trace[k].Function)
			}
		}
		for j := range c.Selected {
			c.Selected[j].File = log(c.Selected[j].File)
			for k := range c.Selected[j].Reasons {
				c.Selected[j].Reasons[k] = log(c.Selected[j].Reasons[k])
			}
		}
	}
	for i := range r.Notes {
		r.Notes[i] = log(r.Notes[i])
	}
}

// Title is a failure in one line: the class and the first line of the message.
func Title(f task.Failure) string {
	m, _, _ := strings.Cut(f.Message, "\n")
	if f.Exception == "" || strings.HasPrefix(m, f.Exception) {
		return m
	}
	return f.Exception + ": " + m
}

// Rule names what found a failure: "pytest/assertion", "ruff/F401".
func Rule(c Check, f task.Failure) string {
	name := f.Suite
	if name == "" {
		name = c.Name
	}
	if f.Kind == task.FailLint || f.Kind == task.FailType {
		if f.Exception != "" {
			return name + "/" + f.Exception
		}
	}
	return name + "/" + string(f.Kind)
}

func unix(w io.Writer, r Result) error {
	for _, c := range r.Checks {
		for _, f := range c.Failures {
			where := f.File
			if where == "" {
				where = "."
			}
			text := Title(f)
			if f.Test != "" {
				text = f.Test + ": " + text
			}
			if _, err := fmt.Fprintf(w, "%s:%d:1: %s [%s]\n", where, max(1, f.Line), oneLine(text), Rule(c, f)); err != nil {
				return err
			}
		}
		if c.Status == NotRun {
			if _, err := fmt.Fprintf(w, ".:1:1: %s was not run: %s [fettle/not-run]\n", c.Name, oneLine(c.Detail)); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// github writes workflow commands.
func github(w io.Writer, r Result) error {
	for _, c := range r.Checks {
		for _, f := range c.Failures {
			a := redact.Annotation{Level: redact.Error, Title: c.Name, Message: f.Message, File: f.File, Line: f.Line}
			if !c.Required {
				a.Level = redact.Warning
			}
			if f.Test != "" {
				a.Message = f.Test + "\n" + a.Message
			}
			if err := redact.Annotate(w, a); err != nil {
				return err
			}
		}
		if c.Status == NotRun {
			if err := redact.Annotate(w, redact.Annotation{Level: redact.Warning, Title: c.Name, Message: "not run: " + c.Detail + "; " + c.Do}); err != nil {
				return err
			}
		}
	}
	return nil
}
