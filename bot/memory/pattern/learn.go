package pattern

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
	"github.com/fettle-dev/fettle/bot/task"
)

// Draft is a change of one region that was accepted and that nobody has merged yet.
// It teaches nothing before that.
type Draft struct {
	ID       string            `json:"id"`
	Run      string            `json:"run"`
	Keys     []task.FailureKey `json:"keys,omitempty"`
	Fix      string            `json:"fix_type"`
	Tier     task.Tier         `json:"tier"`
	Path     string            `json:"path"`
	Region   string            `json:"region"`
	Kinds    string            `json:"region_kind"`
	Language string            `json:"language"`
	Before   string            `json:"before"`
	After    string            `json:"after"`
	Failed   []string          `json:"failed,omitempty"` // what attempts that failed made of the region
	At       time.Time         `json:"at"`
}

// Attempt is what came of one repair attempt (SPEC M5).
type Attempt struct {
	ID      string          `json:"id"`
	Run     string          `json:"run"`
	Number  int             `json:"number"`
	Key     task.FailureKey `json:"key,omitzero"`
	Fix     string          `json:"fix_type"`
	Kinds   string          `json:"region_kind,omitempty"`
	Tier    task.Tier       `json:"tier"`
	Green   bool            `json:"green"`
	Kept    bool            `json:"kept,omitempty"` // it is the change that the run ended with
	Generic bool            `json:"generic,omitempty"`
	Used    []string        `json:"used,omitempty"` // lessons that it was made from, or shown
	Fate    task.Fate       `json:"fate,omitempty"`
	Pull    int             `json:"pull,omitempty"` // that the fate is of
	At      time.Time       `json:"at"`
}

// Bounds of what is kept of a repository.
const (
	mostPatterns  = 10_000
	mostDrafts    = 300
	mostAttempts  = 3000
	mostFailed    = 4
	longestRegion = 16 << 10
)

// End is a run that has ended.
type End struct {
	Run      string
	Keys     []task.FailureKey // of the failures that it was about
	Attempts []task.Attempt
	Kept     int  // number of the attempt that the run ended well with; 0 for none
	Teaches  bool // it is the first change of its issue: what is merged is held against its base
	Base     fs.FS
	Changes  []task.FileChange
	At       time.Time
}

// Ended notes the attempts of a run, and drafts of what its change may teach. A
// generic key makes no draft.
func (b *Book) Ended(ctx context.Context, e End) error {
	key := task.FailureKey{}
	if len(e.Keys) > 0 {
		key = e.Keys[0]
	}
	generic := !slices.ContainsFunc(e.Keys, func(k task.FailureKey) bool { return !Generic(k) })
	fix, tier := "", task.Tier("")
	again := slices.ContainsFunc(b.Attempts, func(t Attempt) bool { return t.Run == e.Run }) // the process died behind this
	for _, a := range e.Attempts {
		t := Attempt{ID: fmt.Sprintf("%s/%d", e.Run, a.Number), Run: e.Run, Number: a.Number, Key: key, Fix: fixOf(a), Tier: a.Tier, Green: a.Green, Kept: a.Number == e.Kept, Generic: generic, Used: a.Lessons, At: e.At}
		if len(a.Regions) > 0 {
			t.Kinds, _, _ = strings.Cut(a.Regions[0].ID, ":")
		}
		if t.Kept {
			fix, tier = t.Fix, t.Tier
		}
		b.Attempts = put(b.Attempts, t, func(x Attempt) bool { return x.ID == t.ID })
	}
	if !again {
		b.helpedNot(e)
	}
	if e.Kept == 0 || generic || !e.Teaches {
		return nil
	}
	for _, c := range e.Changes {
		if c.Deleted || code.IsTest(c.Path) {
			continue
		}
		before, err := fs.ReadFile(e.Base, c.Path)
		if err != nil {
			continue // a new file holds nothing that was wrong before
		}
		pairs, err := changed(ctx, c.Path, before, c.Content)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // what cannot be read as code teaches nothing
		}
		for _, p := range pairs {
			d := Draft{Run: e.Run, Keys: e.Keys, Fix: fix, Tier: tier, Path: c.Path, Region: p.name, Kinds: p.kind, Language: string(code.LanguageIn(c.Path, before)), Before: p.before, After: p.after, At: e.At}
			d.ID = idOf(e.Run, c.Path, p.kind, p.name)
			for _, a := range e.Attempts {
				if text, ok := madeOf(a, c.Path, p); ok && !a.Green && a.Tier != task.TierMechanical && len(d.Failed) < mostFailed {
					d.Failed = append(d.Failed, text)
				}
			}
			b.Drafts = put(b.Drafts, d, func(x Draft) bool { return x.ID == d.ID })
		}
	}
	return nil
}

// helpedNot counts the lessons with which a run did not end: what becomes of the others
// is told with the change.
func (b *Book) helpedNot(e End) {
	counted := map[string]bool{}
	for _, with := range []bool{true, false} { // the attempt that was kept, then the others
		for _, a := range e.Attempts {
			if (a.Number == e.Kept) != with {
				continue
			}
			for _, id := range a.Lessons {
				if p := b.tried(id); p != nil && !with && !counted[id] {
					p.Tries++
				}
				counted[id] = true
			}
		}
	}
}

// fixOf is the type of an attempt's fix: the template of a mechanical one.
func fixOf(a task.Attempt) string {
	switch {
	case a.Search != nil && a.Search.Template != "":
		return a.Search.Template
	case a.Tier == task.TierMechanical:
		return "none found"
	case len(a.Patch.Edits) == 0:
		return "no edit"
	}
	return "model edit"
}

// madeOf is what an attempt made of a region.
func madeOf(a task.Attempt, path string, p pair) (string, bool) {
	for _, e := range a.Patch.Edits {
		if e.Kind == task.EditReplace && e.Path == path && regionName(e.Region) == code.IDName(p.name) && e.Code != p.after && len(e.Code) <= longestRegion {
			return e.Code, true
		}
	}
	return "", false
}

// regionName is the name in a region's id, or the name that stands in its place.
func regionName(id string) string {
	if _, name, ok := strings.Cut(id, ":"); ok {
		id = name
	}
	name, _, _ := strings.Cut(id, "@")
	return code.IDName(name)
}

// pair is a region before and after.
type pair struct{ name, kind, before, after string }

// changed are the innermost regions that differ in two versions of a file and stand
// in both.
func changed(ctx context.Context, path string, before, after []byte) ([]pair, error) {
	was, err := code.Regions(ctx, path, before)
	if err != nil {
		return nil, fmt.Errorf("reading what changed in %s: %w", path, err)
	}
	now, err := code.Touched(ctx, path, before, after)
	if err != nil {
		return nil, err
	}
	var out []pair
	for _, r := range now {
		text := string(after[r.StartByte:r.EndByte])
		old, ok := find(was, before, r.Kind, r.QualifiedName)
		if ok && old != text && len(old)+len(text) <= 2*longestRegion {
			out = append(out, pair{r.QualifiedName, r.Kind, old, text})
		}
	}
	return out, nil
}

func find(all []code.Region, src []byte, kind, name string) (string, bool) {
	for _, r := range all {
		if r.Kind == kind && r.QualifiedName == name {
			return string(src[r.StartByte:r.EndByte]), true
		}
	}
	return "", false
}

// Ends is what became of a pull request, or of a change in a folder.
type Ends struct {
	Runs   []string // whose change it was
	Pull   int
	Source string // for people, such as "#12"
	Fate   task.Fate
	By     string // who merged it, where that is known
	Mute   bool   // learning is off: the fate is noted, and what was merged teaches nothing
	// Read gives a file as people left it; nil where nothing was merged.
	Read func(path string) ([]byte, error)
	At   time.Time
}

// Learned says what an ending taught.
type Learned struct {
	Fixes, Wrongs int
	Changed       bool // something in the book is another than before
}

// Settle turns the drafts of a change into lessons by what people
// made of it. What they merged is right, whatever fettle had proposed; what they
// wrote over is wrong.
func (b *Book) Settle(ctx context.Context, e Ends) (Learned, error) {
	var out Learned
	if b.known(e) {
		return out, nil
	}
	if e.Fate == task.FateReverted { // taking back is never too early
		for i := range b.Patterns {
			if p := &b.Patterns[i]; e.Pull > 0 && slices.Contains(p.Pulls, e.Pull) {
				p.Reverted++
				p.Won = max(0, p.Won-1)
				p.Pulls = slices.DeleteFunc(p.Pulls, func(n int) bool { return n == e.Pull })
				out.Changed = true
			}
		}
		out.Changed = b.fated(e, nil) || out.Changed
		return out, nil
	}
	merged := e.Fate == task.FateMerged || e.Fate == task.FateChanged
	made := map[string]bool{}
	left := b.Drafts[:0:0]
	for _, d := range b.Drafts {
		if !slices.Contains(e.Runs, d.Run) || !merged { // closed may be opened again
			left = append(left, d)
			continue
		}
		out.Changed = true
		if e.Read == nil || e.Mute {
			continue
		}
		text, err := d.now(ctx, e.Read)
		if err != nil {
			return out, err
		}
		if text == "" || text == d.Before || len(text) > longestRegion {
			continue
		}
		fix := d.Fix
		if text != d.After {
			fix = "human edit"
		}
		if b.learn(ctx, task.LessonFix, d, d.Before, text, fix, e, made) {
			out.Fixes++
		}
		wrong := d.Failed
		if text != d.After {
			wrong = append([]string{d.After}, wrong...)
		}
		for _, w := range wrong {
			if b.learn(ctx, task.LessonWrong, d, w, text, fix, e, made) {
				out.Wrongs++
			}
		}
	}
	b.Drafts = left
	undone, counted := map[string]bool{}, made
	out.Changed = b.fated(e, func(t *Attempt) {
		for _, id := range t.Used {
			p := b.tried(id)
			if p == nil || e.Mute && merged {
				continue
			}
			if t.Fate == task.FateClosed && !undone[id] { // it was opened again
				undone[id] = true
				p.Tries, p.Closed = max(0, p.Tries-1), max(0, p.Closed-1)
			}
			switch {
			case counted[id]:
			case merged:
				p.won(nil, e.Pull, e.At)
			default:
				p.Tries++
				p.Closed++
			}
			counted[id] = true
		}
	}) || out.Changed
	return out, nil
}

// now is the draft's region as people left it; "" where its file is gone or is no code
// any more, or the region is not in it: nothing can be told then. The error is the
// context's.
func (d Draft) now(ctx context.Context, read func(path string) ([]byte, error)) (string, error) {
	src, err := read(d.Path)
	if err != nil {
		return "", nil //nolint:nilerr // as above
	}
	regions, err := code.Regions(ctx, d.Path, src)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", nil //nolint:nilerr // as above
	}
	text, _ := find(regions, src, d.Kinds, d.Region)
	return text, nil
}

// FateOf tells what became of a run's change in files that people keep: merged where
// all of its regions stand as it left them, changed where somebody wrote over one;
// "" where nothing of it was taken, or it cannot be told.
func (b *Book) FateOf(ctx context.Context, run string, read func(path string) ([]byte, error)) (task.Fate, error) {
	as, other := 0, 0
	for _, d := range b.Drafts {
		if d.Run != run {
			continue
		}
		text, err := d.now(ctx, read)
		switch {
		case err != nil, text == "", text == d.Before:
			return "", err
		case text == d.After:
			as++
		default:
			other++
		}
	}
	switch {
	case other > 0:
		return task.FateChanged, nil
	case as > 0:
		return task.FateMerged, nil
	}
	return "", nil
}

// fated writes the fate into the attempts; kept is asked before about each attempt that a
// run ended with.
func (b *Book) fated(e Ends, kept func(*Attempt)) (changed bool) {
	for i := range b.Attempts {
		t := &b.Attempts[i]
		if !slices.Contains(e.Runs, t.Run) || t.Fate == e.Fate {
			continue
		}
		if t.Kept && kept != nil {
			kept(t)
		}
		t.Fate, t.Pull, changed = e.Fate, e.Pull, true
	}
	return changed
}

// known tells whether the fate is in the book already: GitHub tells it more than once,
// and a merge again after it was reverted.
func (b *Book) known(e Ends) bool {
	n, same := 0, 0
	for _, t := range b.Attempts {
		if !slices.Contains(e.Runs, t.Run) {
			continue
		}
		if t.Fate == task.FateReverted {
			return true
		}
		if n++; t.Fate == e.Fate {
			same++
		}
	}
	return n > 0 && n == same
}

// learn makes a lesson of an edit that people merged, or counts it once more: once for
// each change, made says which were. false is for what was, and for what cannot be told
// in a few lines.
func (b *Book) learn(ctx context.Context, kind task.LessonKind, d Draft, before, after, fix string, e Ends, made map[string]bool) bool {
	was, now := lines(before, after)
	if was == "" && now == "" || len(was)+len(now) > mostText {
		return false
	}
	p := Pattern{Kind: kind, Language: family(code.Language(d.Language)), Was: was, Now: now, Path: d.Path, Region: d.Region, Kinds: d.Kinds, Fix: fix, Tier: d.Tier, By: e.By, Source: e.Source, MadeAt: e.At}
	p.ID = idOf(string(kind), p.Language, was, now)
	if r, err := rule.Abstract(ctx, code.Language(d.Language), wrapped(d, before), wrapped(d, after)); err == nil {
		r.Name = "learned"
		r.Says = "Make the change that was merged before."
		if text, err := rule.Format([]rule.Rule{r}); err == nil {
			p.Rule = string(text)
			p.ID = idOf(string(kind), p.Language, strings.Join(r.Match, "\n"), r.To[0].Text)
		}
	}
	if made[p.ID] {
		return false
	}
	made[p.ID] = true
	at := b.add(p)
	at.won(d.Keys, e.Pull, e.At)
	at.Source, at.Fix = e.Source, fix
	return true
}

// wrapped is a region as a file that parses.
func wrapped(d Draft, text string) []byte {
	switch l := code.Language(d.Language); {
	case l == code.Go:
		return []byte("package p\n\n" + text + "\n")
	case d.Kinds == code.KindMethod && (l == code.JavaScript || l == code.TypeScript || l == code.TSX || l == code.Java):
		return []byte("class X {\n" + text + "\n}\n")
	}
	return []byte(text + "\n")
}

// lines are the lines in which two texts differ, without those around them.
func lines(before, after string) (was, now string) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return strings.Join(a[head:len(a)-tail], "\n"), strings.Join(b[head:len(b)-tail], "\n")
}
