package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Span bounds what is mined of a history.
type Span struct {
	Commits int // looked at, the newest first; a merge is one
	Lines   int // most lines of code that a fix changes
	Cases   int // most cases; 0: all
}

// mostFiles and mostSources bound the files of a fix, all and those of code.
const mostFiles, mostSources = 8, 3

// mined are the languages whose fixes are taken.
var mined = []code.Language{code.Python, code.JavaScript, code.TypeScript, code.TSX, code.Go}

// ChangesCode tells whether a file is code of a language that is mined, and no test.
func ChangesCode(p string) bool {
	return slices.Contains(mined, code.LanguageOf(p)) && !code.IsTest(p)
}

// Tested tells whether a commit changes code and adds to its tests.
func Tested(c checkout.Landed) bool {
	return slices.ContainsFunc(c.Files, func(f checkout.Touched) bool { return ChangesCode(f.Path) }) &&
		slices.ContainsFunc(c.Files, func(f checkout.Touched) bool { return code.IsTest(f.Path) && f.Added > 0 })
}

// Small says why a commit is no small change of code, or "".
func Small(c checkout.Landed, lines int) (class, why string) {
	changed, sources := 0, 0
	for _, f := range c.Files {
		if verify.Configures(f.Path) {
			return dropSettings, "it changes " + f.Path
		}
		if ChangesCode(f.Path) {
			sources++
			changed += f.Added + f.Removed
		}
	}
	switch {
	case changed > lines:
		return dropLarge, fmt.Sprintf("it changes %d lines of code, more than %d", changed, lines)
	case sources > mostSources || len(c.Files) > mostFiles:
		return dropLarge, fmt.Sprintf("it changes %s, %d of them code; at most %d and %d are taken", task.Count(len(c.Files), "file"), sources, mostFiles, mostSources)
	}
	return "", ""
}

// mends are words of a message that is about something wrong.
var mends = regexp.MustCompile(`(?i)\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix|fixes)?|correct(?:s|ed|ly)?|regression)\b`)

// Mine makes cases of the commits and merges of a clone that mend something, change its
// tests, and turn one of them green. The name of the set is the clone's folder's.
func (m Maker) Mine(ctx context.Context, dir string, span Span) (Made, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Made{}, err
	}
	set := strings.TrimSuffix(filepath.Base(abs), ".git")
	all, err := m.Trees.Landed(ctx, dir, span.Commits)
	if err != nil {
		return Made{}, err
	}
	var jobs []job
	for _, c := range all {
		if !Tested(c) || forge.Closing(c.Message) == 0 && !mends.MatchString(c.Message) {
			continue
		}
		title, _ := asked(c.Message)
		name := called(c.Commit[:10], title)
		jobs = append(jobs, job{c.Commit[:10], title, func(ctx context.Context) error { return m.fix(ctx, dir, set, name, c, span.Lines) }, name})
	}
	out, err := m.all(ctx, set, jobs, span.Cases)
	out.Looked = len(all)
	return out, err
}

func (m Maker) tell(format string, args ...any) {
	if m.Say != nil {
		m.Say(fmt.Sprintf(format, args...))
	}
}

// fix makes a case of a commit. What keeps it from being one is a *dropped.
func (m Maker) fix(ctx context.Context, dir, set, name string, c checkout.Landed, lines int) (err error) {
	if class, why := Small(c, lines); why != "" {
		return &dropped{class, why}
	}
	title, body := asked(c.Message)
	if !says(title + " " + body) {
		return &dropped{dropWords, "its message is all that could be asked for: " + title}
	}
	diff, err := m.Trees.Range(ctx, dir, c.Commit, c.Parent) // backwards: what is later is the base
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, diff.Close()) }()
	made := raw{name: name, issue: strings.TrimSpace(title+"\n\n"+body) + "\n", base: diff.After, held: map[string][]byte{}}
	fixed, mended := map[string][]byte{}, []task.FileChange{}
	language := ""
	for _, f := range diff.Files {
		switch {
		case f.Large:
			return &dropped{dropLarge, "it changes " + f.Path + ", which is larger than 4 MiB"}
		case verify.Protected(f.Path) && f.Before != nil:
			made.held[f.Path] = f.Before
		case verify.Protected(f.Path): // a test that is gone says nothing
		default:
			fixed[f.Path] = f.Before
			mended = append(mended, task.FileChange{Path: f.Path, Content: f.Before, Deleted: f.Before == nil, Mode: modeOf(diff.After, f.Path)})
			if ChangesCode(f.Path) && language == "" {
				language = string(code.LanguageOf(f.Path))
			}
		}
	}
	made.fix, err = checkout.DiffOf(mended, func(p string) ([]byte, string, bool, error) {
		data, err := fs.ReadFile(diff.After, p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", false, nil
		}
		return data, modeOf(diff.After, p), err == nil, err
	})
	if err != nil {
		return err
	}
	class := "closed_issue"
	if mends.MatchString(c.Message) {
		class = "bug_fix"
	}
	made.about = map[string]any{"language": language, "class": class, "origin": set + "@" + c.Commit}
	return m.keep(ctx, set, made, func(ctx context.Context, repo string) ([]string, error) {
		return m.command(ctx, repo, made.held, fixed)
	})
}

// modeOf is Git's mode of a file, of one that is new that of any file.
func modeOf(files fs.FS, name string) string {
	if info, err := fs.Stat(files, name); err == nil && info.Mode()&0o111 != 0 {
		return "100755"
	}
	return "100644"
}

var (
	merging  = regexp.MustCompile(`^Merge (?:pull request|branch|remote-tracking branch|PR) .*$`)
	trailer  = regexp.MustCompile(`(?i)^(?:[\w-]+-by|change-id|cc|git-svn-id): .*$`)
	squashed = regexp.MustCompile(`\s*\(#[0-9]+\)\s*$`)
)

// asked is what a message asks for, as a title and a text: without who merged and signed.
func asked(message string) (title, body string) {
	var rows []string
	for row := range strings.Lines(message) {
		row = strings.TrimRight(row, " \t\r\n")
		if !merging.MatchString(row) && !trailer.MatchString(row) && (row != "" || len(rows) > 0 && rows[len(rows)-1] != "") && (row == "" || !slices.Contains(rows, row)) {
			rows = append(rows, row)
		}
	}
	text := strings.TrimSpace(strings.Join(rows, "\n"))
	title, body, _ = strings.Cut(text, "\n")
	return squashed.ReplaceAllString(title, ""), strings.TrimSpace(body)
}

var (
	word   = regexp.MustCompile(`[\pL_][\pL\pN_.]+`)
	hollow = regexp.MustCompile(`(?i)^(?:fix(?:e[sd]|ing)?|bugs?|bugfix|clos(?:e[sd]?|ing)|resolv(?:e[sd]?|ing)|issues?|tests?|typos?|gh|merge|pull|request|branch|master|main|from|and|add(?:ed|s)?|update[sd]?|the|for|in|of|to|some|small|minor|more|failing|unit|broken)$`)
)

// says tells whether a text says anything of what is wrong: three words that are not
// those by which any fix is announced.
func says(text string) bool {
	n := 0
	for _, w := range word.FindAllString(text, -1) {
		if !hollow.MatchString(w) {
			n++
		}
	}
	return n >= 3
}

var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// called is the name of a case: an id, and the begin of its title.
func called(id, title string) string {
	slug := strings.Trim(unnamed.ReplaceAllString(strings.ToLower(title), "-"), "-")
	if len(slug) > 40 {
		slug = slug[:40]
		if cut := strings.LastIndexByte(slug, '-'); cut > 20 {
			slug = slug[:cut]
		}
	}
	return strings.TrimSuffix(id+"-"+slug, "-")
}
