// Package fresh makes bugs of the benchmark from the ones that somebody planted
// by hand who had not seen the engine (README.md): each with an issue as a user
// would write it. They measure what "ready" is worth on bugs never seen.
//
// Every plant is two bugs: one of which half of the failing tests are shown, and
// one, its id ending in Told, of which none is: the issue alone tells of it.
package fresh

import (
	"bytes"
	"context"
	_ "embed" // the bugs and the projects that they are planted in
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bench/mend/inject"
)

// Told ends the id of a bug without a visible failing test.
const Told = "-told"

var (
	//go:embed open.jsonl
	openHalf []byte
	//go:embed sealed.jsonl
	sealedHalf []byte
	//go:embed subjects.json
	subjectList []byte
)

// Plant is a line of open.jsonl or sealed.jsonl.
type Plant struct {
	ID       string `json:"id"`
	Subject  string `json:"subject"`
	Language string `json:"language"`
	Path     string `json:"path"`
	Function string `json:"function"`
	Class    string `json:"class"`
	Old      string `json:"old"` // stands once in the correct file
	New      string `json:"new"` // in its place: the bug
	Title    string `json:"title"`
	Body     string `json:"body"`
	prefix   string
}

// Subjects are the projects that the bugs are planted in.
func Subjects() ([]inject.Subject, error) { return inject.ReadSubjects(subjectList) }

// Plants are the bugs of both halves.
func Plants() ([]Plant, error) {
	var out []Plant
	for _, half := range []struct {
		prefix string
		data   []byte
	}{{"fresh-", openHalf}, {bugs.SealedPlant, sealedHalf}} {
		lines := json.NewDecoder(bytes.NewReader(half.data))
		for lines.More() {
			p := Plant{prefix: half.prefix}
			if err := lines.Decode(&p); err != nil {
				return nil, fmt.Errorf("reading the planted bugs: %w", err)
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// bug is the plant as a bug of the benchmark, without its tests.
func (p Plant) bug(commit string, src []byte) bugs.Bug {
	return bugs.Bug{
		ID: p.prefix + p.ID, Origin: bugs.Planted, Class: p.Class, Language: p.Language, Subject: p.Subject, Commit: commit,
		Path: p.Path, Function: p.Function, Line: 1 + bytes.Count(src[:bytes.Index(src, []byte(p.Old))], []byte("\n")), Places: 1,
		FixLines: strings.Count(strings.TrimSuffix(p.Old, "\n"), "\n") + 1, Title: p.Title, Body: p.Body,
	}
}

// Options of Make.
type Options struct {
	Work, Mirror string // folder of the benchmark, and of bare clones (inject.Prepare)
	Language     string // "" for all
	Bench        *bugs.Bench
	Say          func(format string, args ...any)
}

// Make makes the bugs that are not there yet, below Work/bugs. One that cannot
// be made is told and left out; of a sealed one only its id.
func Make(ctx context.Context, o Options) error {
	subjects, err := Subjects()
	if err != nil {
		return err
	}
	plants, err := Plants()
	if err != nil {
		return err
	}
	for _, s := range subjects {
		if o.Language != "" && s.Language != o.Language {
			continue
		}
		if err := o.subject(ctx, s, plants); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			o.Say("%s: %v", s.Name, err)
		}
	}
	return nil
}

func (o Options) subject(ctx context.Context, s inject.Subject, plants []Plant) error {
	dir, err := inject.Prepare(ctx, o.Work, o.Mirror, s)
	if err != nil {
		return err
	}
	correct, err := o.Bench.Correct(ctx, o.Work, dir, s.Name, s.Commit)
	if err != nil {
		return err
	}
	m := &bugs.Maker{Bench: o.Bench, Subject: dir, Correct: correct}
	for _, p := range plants {
		if p.Subject != s.Name {
			continue
		}
		if err = o.plant(ctx, m, s.Commit, p); err != nil {
			break
		}
	}
	return errors.Join(err, m.Close())
}

// plant makes the two bugs of a plant.
func (o Options) plant(ctx context.Context, m *bugs.Maker, commit string, p Plant) error {
	src, err := os.ReadFile(filepath.Join(m.Subject, filepath.FromSlash(p.Path)))
	if err != nil {
		return err
	}
	if n := bytes.Count(src, []byte(p.Old)); n != 1 {
		o.Say("%s%s: what it replaces stands %d times in the file", p.prefix, p.ID, n)
		return nil
	}
	broken := bugs.Files{p.Path: bytes.Replace(src, []byte(p.Old), []byte(p.New), 1)}
	for _, told := range []bool{false, true} {
		b := p.bug(commit, src)
		if told {
			b.ID, b.Told = b.ID+Told, true
		}
		all := filepath.Join(o.Work, "bugs")
		if _, err := bugs.Load(filepath.Join(all, b.ID)); err == nil {
			continue
		}
		f, why, err := m.Make(ctx, b, broken)
		if err != nil {
			return err
		}
		if why != "" {
			o.Say("%s: %s", b.ID, why)
			continue
		}
		if err := bugs.Write(all, f); err != nil {
			return err
		}
	}
	return nil
}
