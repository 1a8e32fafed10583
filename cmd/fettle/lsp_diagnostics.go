package main

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/check"
)

// maxShownFile bounds a file that is read to see how long its lines are.
const maxShownFile = 4 << 20

// diagnosticsOf are a result's failures by file, and messages for what is in no file.
func diagnosticsOf(r *lspRoot, got check.Result) (byFile map[string][]lspDiagnostic, homeless []lspMessage) {
	byFile = map[string][]lspDiagnostic{}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return byFile, []lspMessage{{lspError, err.Error()}}
	}
	defer root.Close()
	text := &lineReader{root: root, files: map[string][]string{}}
	for _, c := range got.Checks {
		severity := lspWarning
		if c.Required {
			severity = lspError
		}
		if c.Status == check.NotRun {
			m := fmt.Sprintf("%s was not run: %s", c.Name, c.Detail)
			if c.Do != "" {
				m += "; " + c.Do
			}
			kind := lspLog
			if c.Required {
				kind = lspWarning
			}
			homeless = append(homeless, lspMessage{kind, m})
		}
		for _, f := range c.Failures {
			place := placeOf(f)
			if place.File == "" {
				homeless = append(homeless, lspMessage{severity, fmt.Sprintf("%s: %s", c.Name, check.Title(f)+testOf(f))})
				continue
			}
			d := lspDiagnostic{Range: text.line(place.File, place.Line), Severity: severity, Code: check.Rule(c, f), Source: "fettle", Message: messageOf(f)}
			for _, t := range f.Trace {
				if !filepath.IsLocal(t.File) || t.File == place.File && t.Line == place.Line {
					continue
				}
				rel := lspRelated{Message: "through " + t.Function}
				if t.Function == "" {
					rel.Message = "through here"
				}
				rel.Location.URI, rel.Location.Range = r.fileURI(t.File), text.line(t.File, t.Line)
				d.Related = append(d.Related, rel)
			}
			byFile[place.File] = append(byFile[place.File], d)
		}
		if c.Status == check.Failed && len(c.Failures) == 0 {
			homeless = append(homeless, lspMessage{severity, c.Name + " is red: " + c.Detail})
		}
	}
	return byFile, homeless
}

// placeOf is where a failure is shown: its own place, else the innermost line of the
// repository that it went through.
func placeOf(f task.Failure) (at task.Frame) {
	if f.File != "" && filepath.IsLocal(f.File) {
		return task.Frame{File: f.File, Line: f.Line}
	}
	for _, t := range f.Trace {
		if t.File != "" && filepath.IsLocal(t.File) {
			at = t
		}
	}
	return at
}

// messageOf is a failure's own words, with the test that failed.
func messageOf(f task.Failure) string {
	words := check.Title(f) + rest(f)
	if parts := strings.SplitN(f.Test, ":", 3); len(parts) == 3 {
		words = parts[2] + ": " + words
	}
	return words
}

// lineReader knows where the lines of files begin and end.
type lineReader struct {
	root  *os.Root
	files map[string][]string
}

// line is a line without what it is indented by, as a range. A file that has changed may
// not have it any more: then it is the last.
func (l *lineReader) line(file string, n int) (out lspRange) {
	lines, known := l.files[file]
	if !known {
		if raw, err := regular.ReadFS(regular.FS(l.root), path.Clean(filepath.ToSlash(file)), maxShownFile); err == nil {
			lines = strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
		}
		l.files[file] = lines
	}
	at := max(0, n-1)
	out.Start.Line, out.End.Line = at, at
	if len(lines) == 0 {
		return out
	}
	at = min(at, len(lines)-1)
	text := strings.TrimRight(lines[at], " \t\r")
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	out.Start = lspPosition{at, indent} // blanks are one code unit each
	out.End = lspPosition{at, len(utf16.Encode([]rune(text)))}
	return out
}

// fileURI is a file of the folder as the editor names it.
func (r *lspRoot) fileURI(rel string) string {
	return r.uri + (&url.URL{Path: "/" + path.Clean(filepath.ToSlash(rel))}).EscapedPath()
}

func fileURI(abs string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String()
}
