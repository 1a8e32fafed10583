package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Search bounds the search of one repository.
type Search struct {
	Repo, Language string
	Most           int // bugs to have from the repository
	Tries          int // candidates to lay out
	Unfit          int // so many trees in a row that cannot be judged by end it
}

// Find looks for fixes in a repository, newest first, until it has Most, and
// keeps each one it proves below the work folder and as a bug. What was looked
// at before is not looked at again. It gives what is known of the repository.
func (w *Workshop) Find(ctx context.Context, s Search) ([]Entry, error) {
	repo, err := w.Repo(ctx, s.Repo)
	if err != nil {
		return nil, err
	}
	cands, err := Candidates(ctx, repo, s.Repo, s.Language)
	if err != nil {
		return nil, err
	}
	seen, err := w.seen(s.Repo)
	if err != nil {
		return nil, err
	}
	found, tries, unfit := w.known(s.Repo), 0, 0
	for _, c := range cands {
		if len(found) >= s.Most || tries >= s.Tries || unfit >= s.Unfit || ctx.Err() != nil {
			break
		}
		if _, ok := seen[c.Commit]; ok {
			continue
		}
		e, tried, why, err := w.prove(ctx, repo, c)
		if ctx.Err() != nil {
			break // what was cut short is not noted
		}
		if err != nil {
			return found, fmt.Errorf("trying %s of %s: %w", c.Commit, s.Repo, err)
		}
		if tried {
			tries++
		}
		switch {
		case why == "":
			found, unfit, why = append(found, e), 0, "found"
			w.Say("%s: %s, %d failing", e.ID, e.Class, len(e.Failing))
		case strings.HasPrefix(why, unfitWord):
			unfit++
		case tried:
			unfit = 0
		}
		seen[c.Commit] = why
		if err := w.note(s.Repo, seen, e, why == "found"); err != nil {
			return found, err
		}
	}
	w.Say("%s: %d candidates, %d laid out, %d bugs", s.Repo, len(cands), tries, len(found))
	return found, nil //nolint:nilerr // the end of the time ends the search and spoils nothing
}

// unfitWord begins the reasons that say nothing of the fix: its tree cannot be
// judged by on this machine.
const unfitWord = "correct: "

// prove tries one candidate. tried tells that a tree was laid out for it; why is
// empty when it holds.
func (w *Workshop) prove(ctx context.Context, repo string, c Candidate) (e Entry, tried bool, why string, err error) {
	shape, why, err := look(ctx, repo, c)
	if errors.Is(err, errUnfit) {
		return e, false, unfitWord + err.Error(), nil
	}
	if err != nil || why != "" {
		return e, false, why, err
	}
	e = Entry{ID: idOf(c), Repo: c.Repo, Commit: c.Commit, Path: c.Path, Language: c.Language, Class: shape.Class,
		Line: shape.Line, Function: shape.Function, Places: shape.Places, FixLines: shape.FixLines}
	dir, err := w.Tree(ctx, c.Language, c.Repo, c.Commit)
	if err == nil {
		why, err = w.silent(ctx, repo, dir, c)
	}
	if err == nil && why == "" {
		_, why, err = w.make(ctx, &e)
	}
	if errors.Is(err, errUnfit) {
		why, err = unfitWord+err.Error(), nil
	}
	if err != nil || why != "" {
		err = errors.Join(err, w.Drop(c.Repo, c.Commit))
	}
	return e, true, why, err
}

// look reads a candidate's source before and after.
func look(ctx context.Context, repo string, c Candidate) (Shape, string, error) {
	broken, err := blob(ctx, repo, c.Commit+"^1", c.Path)
	if err != nil {
		return Shape{}, "", fmt.Errorf("%w: %w", errUnfit, err)
	}
	correct, err := blob(ctx, repo, c.Commit, c.Path)
	if err != nil {
		return Shape{}, "", fmt.Errorf("%w: %w", errUnfit, err)
	}
	diff, err := git(ctx, repo, nil, "diff", "--no-ext-diff", "--no-textconv", "-U0", c.Commit+"^1", c.Commit, "--", c.Path)
	if err != nil {
		return Shape{}, "", err
	}
	s, why := oneFix(ctx, c.Path, diff, broken, correct)
	return s, why, nil
}

// silent runs nothing but the test files of the commit on the broken tree,
// because most candidates end there: why says that no test fails.
func (w *Workshop) silent(ctx context.Context, repo, dir string, c Candidate) (why string, err error) {
	if len(c.Tests) == 0 {
		return "", nil // its tests are data; the whole suite will tell
	}
	broken, err := blob(ctx, repo, c.Commit+"^1", c.Path)
	if err != nil {
		return "", err
	}
	rep, err := w.Bench.Verifier().Try(ctx, verify.Trial{Dir: dir, Files: bugs.Files{c.Path: broken}, Tests: c.Tests})
	if errors.Is(err, verify.ErrNoTests) { // the whole suite will tell
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errUnfit, err)
	}
	switch {
	case len(rep.Broken) > 0:
		return fmt.Sprintf("%s%s: %.200s", unfitWord, rep.Broken[0].Kind, rep.Broken[0].Message), nil
	case len(rep.Red()) == 0:
		return "no test fails", nil
	}
	return "", nil
}

func (w *Workshop) noteFile(repo string) string {
	return store(w.Work, "seen", strings.Replace(repo, "/", "+", 1)+".json")
}

// seen are the commits that were looked at before, with what came of it.
func (w *Workshop) seen(repo string) (map[string]string, error) {
	out := map[string]string{}
	data, err := os.ReadFile(w.noteFile(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// note keeps what was looked at, and an entry that was proved.
func (w *Workshop) note(repo string, seen map[string]string, e Entry, found bool) error {
	name := mkdir(w.noteFile(repo))
	data, err := json.Marshal(seen)
	if err == nil {
		err = os.WriteFile(name, data, 0o644)
	}
	if err == nil && found {
		err = Save(mkdir(store(w.Work, "found", e.ID+".json")), []Entry{e})
	}
	return err
}

// known are the entries that were proved in a repository.
func (w *Workshop) known(repo string) []Entry {
	return slices.DeleteFunc(Found(w.Work), func(e Entry) bool { return e.Repo != repo })
}

// Gather gives all that was proved in a work folder, each with the shape that
// its fix has by now; a bug that was made under another one is written anew.
func Gather(ctx context.Context, src Sources) ([]Entry, error) {
	out := Found(src.Work)
	for i := range out {
		e := &out[i]
		repo, err := src.Repo(ctx, e.Repo)
		if err != nil {
			return nil, err
		}
		shape, why, err := look(ctx, repo, Candidate{Repo: e.Repo, Commit: e.Commit, Path: e.Path, Language: e.Language})
		if err != nil {
			return nil, fmt.Errorf("looking at %s again: %w", e.ID, err)
		}
		if why != "" {
			return nil, fmt.Errorf("looking at %s again: %s", e.ID, why)
		}
		e.Class, e.Line, e.Function, e.Places, e.FixLines = shape.Class, shape.Line, shape.Function, shape.Places, shape.FixLines
		all := filepath.Join(src.Work, "bugs")
		f, err := bugs.Load(filepath.Join(all, e.ID))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && (f.Class != e.Class || f.Line != e.Line || f.Function != e.Function || f.Places != e.Places || f.FixLines != e.FixLines) {
			f.Class, f.Line, f.Function, f.Places, f.FixLines = e.Class, e.Line, e.Function, e.Places, e.FixLines
			err = bugs.Write(all, f)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Found are all entries that were proved in a work folder.
func Found(work string) []Entry {
	var out []Entry
	names, _ := filepath.Glob(store(work, "found", "*.json")) // the pattern is ours
	for _, name := range names {
		var some []Entry
		if data, err := os.ReadFile(name); err == nil && json.Unmarshal(data, &some) == nil {
			out = append(out, some...)
		}
	}
	return out
}
