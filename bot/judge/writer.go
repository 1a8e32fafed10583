package judge

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Lack is what somebody is asked to write a test of.
type Lack struct {
	Title, Body string   // of the issue; empty: none is known
	Path        string   // of the changed file
	Code        []byte   // of it, with the change
	Lines       [][2]int // of it, first and last: of the functions that no test holds on to
	Names       []string // of these
	Missed      []string // planted faults that no test noticed, in words
	Last        string   // the test as it was written last
	CameOf      string   // what speaks against that one
}

// Written is a test as it was written. Where there is none, Why says why.
type Written struct {
	Path, Content, By, Why string
}

const maxWritten = 2 // answers about one file

// askWriter has a test written, and keeps it where it is worth it as any other.
func (r *run) askWriter(ctx context.Context, c verify.Change, lacking []code.Region, allowed func(string) bool, o *Offer) error {
	l := Lack{Title: r.in.Title, Body: r.in.Body, Path: c.Path, Code: c.After}
	for _, g := range lacking {
		l.Names, l.Lines = append(l.Names, g.Name), append(l.Lines, [2]int{g.StartLine, g.EndLine})
	}
	for _, f := range r.planted {
		if f.Path == c.Path && f.ran && !f.noticed {
			l.Missed = append(l.Missed, fmt.Sprintf("line %d: %s", f.Line, inWords(c.After, f)))
		}
	}
	why := ""
	for range maxWritten {
		w, err := r.cfg.Write(ctx, l)
		if err != nil {
			return err
		}
		if w.Why != "" {
			why = w.Why
			break
		}
		one := Offered{Path: path.Clean(w.Path), Content: noted(w.Path, w.Content), Of: c.Path, By: w.By, New: []string{}, Command: r.fileCommand(w.Path)}
		if why, err = r.fits(ctx, c, lacking, allowed, &one); err != nil {
			return err
		}
		if why == "" {
			o.Files = append(o.Files, one)
			return nil
		}
		l.Last, l.CameOf = w.Content, why
	}
	o.Left = append(o.Left, fmt.Sprintf("%s: no test that was written is kept: %s", c.Path, why))
	return nil
}

// noted is a test with the remark that it was made of what the change does, so that it is
// never taken for a proof of the change.
func noted(name, text string) string {
	mark := "//"
	if code.LanguageOf(name) == code.Python {
		mark = "#"
	}
	return mark + " " + characterise.Note + "\n" + text
}

// fits says why a written test is not kept, or "".
func (r *run) fits(ctx context.Context, c verify.Change, lacking []code.Region, allowed func(string) bool, one *Offered) (string, error) {
	switch {
	case !code.IsTest(one.Path) || path.IsAbs(one.Path) || strings.HasPrefix(one.Path, ".."):
		return one.Path + " is no place for a test", nil
	case !allowed(one.Path):
		return one.Path + " is there already, or may not be written to", nil
	case !gate.Judges(string(code.LanguageOf(one.Path))):
		return "tests of its language cannot be judged", nil
	}
	g := gate.New(gate.Config{Runner: r.cfg.Verifier, Now: r.cfg.Now})
	v, err := g.Judge(ctx, gate.Candidate{Dir: r.in.Head.Dir(), Base: r.in.Head.BaseFS(), Tests: map[string][]byte{one.Path: []byte(one.Content)}, Changes: []gate.Change{c}, Characterises: true, Planted: true})
	if err != nil {
		return "", fmt.Errorf("judging a test that was written: %w", err)
	}
	if !v.Accepted() {
		return v.Reasons()[0], nil
	}
	return r.worth(ctx, c, lacking, one)
}
