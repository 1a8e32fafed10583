package bot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Lessons are what a repository taught: read before a run, written after it, and
// settled by what people made of its change (SPEC M5–M8). They are one repository's
// of one installation, in the store as everywhere.
type Lessons struct {
	db   *store.Store
	repo task.Repo
}

// NewLessons are those of a repository.
func NewLessons(db *store.Store, repo task.Repo) Lessons { return Lessons{db, repo} }

// Book is all of them.
func (l Lessons) Book(ctx context.Context) (*pattern.Book, error) {
	all, err := l.db.Lessons(ctx, l.repo.Installation, l.repo.Slug())
	if err != nil {
		return nil, err
	}
	return pattern.Read(rowsOf(all)), nil
}

// At is the book as a version holds it; version 0 is the empty book.
func (l Lessons) At(ctx context.Context, version int) (*pattern.Book, error) {
	if version == 0 {
		return &pattern.Book{}, nil
	}
	all, err := l.db.LessonsAt(ctx, l.repo.Installation, l.repo.Slug(), version)
	if err != nil {
		return nil, l.explain(err, version)
	}
	return pattern.Read(rowsOf(all)), nil
}

func (l Lessons) explain(err error, version int) error {
	if errors.Is(err, store.ErrNoVersion) {
		return fmt.Errorf("version v%02d of what %s taught is not there: the last %d are kept, and 'fettle memory versions' lists them: %w", version, l.repo.Slug(), store.KeptVersions, err)
	}
	return err
}

// Version is the one in use, such as "v07"; "" for none. It is the newest: a rollback
// makes a new one too.
func (l Lessons) Version(ctx context.Context) (string, error) {
	all, err := l.Versions(ctx)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return versionName(all[0].Number), nil
}

// Versions lists the versions that are kept, the newest first.
func (l Lessons) Versions(ctx context.Context) ([]store.LessonVersion, error) {
	return l.db.LessonVersions(ctx, l.repo.Installation, l.repo.Slug())
}

// Change changes the book. With a reason the new state is a version. change may be
// called again, where somebody else changed the book meanwhile.
func (l Lessons) Change(ctx context.Context, why string, change func(*pattern.Book) error) (version int, err error) {
	return l.db.Teach(ctx, l.repo.Installation, l.repo.Slug(), why, func(all []store.Lesson) ([]store.Lesson, error) {
		b := pattern.Read(rowsOf(all))
		if err := change(b); err != nil {
			return nil, err
		}
		rows, err := b.Rows(l.db.Now())
		return lessonsOf(rows), err
	})
}

// Rollback makes the book what a version holds; 0 empties it. That is the next
// version, so that a rollback can be taken back too (SPEC M7, H4).
func (l Lessons) Rollback(ctx context.Context, to int, why string) (version int, err error) {
	var then []store.Lesson
	if to != 0 {
		if then, err = l.db.LessonsAt(ctx, l.repo.Installation, l.repo.Slug(), to); err != nil {
			return 0, l.explain(err, to)
		}
	}
	return l.replace(ctx, then, fmt.Sprintf("back to v%02d: %s", to, why))
}

func (l Lessons) replace(ctx context.Context, all []store.Lesson, why string) (int, error) {
	return l.db.Teach(ctx, l.repo.Installation, l.repo.Slug(), why, func([]store.Lesson) ([]store.Lesson, error) { return slices.Clone(all), nil })
}

// Export writes all of it to the byte.
func (l Lessons) Export(ctx context.Context) ([]byte, error) {
	all, err := l.db.Lessons(ctx, l.repo.Installation, l.repo.Slug())
	if err != nil {
		return nil, err
	}
	return pattern.Export(l.repo.Installation, l.repo.Slug(), rowsOf(all))
}

// Import puts an export of the same repository in the place of what there is.
func (l Lessons) Import(ctx context.Context, raw []byte) (version int, err error) {
	rows, err := pattern.Import(raw, l.repo.Installation, l.repo.Slug())
	if err != nil {
		return 0, err
	}
	return l.replace(ctx, lessonsOf(rows), "imported")
}

func rowsOf(all []store.Lesson) []pattern.Row {
	out := make([]pattern.Row, len(all))
	for i, l := range all {
		out[i] = pattern.Row{ID: l.ID, Kind: l.Kind, Body: l.Body}
	}
	return out
}

func lessonsOf(all []pattern.Row) []store.Lesson {
	out := make([]store.Lesson, len(all))
	for i, r := range all {
		out[i] = store.Lesson{ID: r.ID, Kind: r.Kind, Body: r.Body}
	}
	return out
}

// recall gives a run what its repository taught, by whichever door it came.
func (b *Bot) recall(repo task.Repo) func(context.Context, pattern.Query) (task.Recalled, error) {
	return func(ctx context.Context, q pattern.Query) (task.Recalled, error) {
		l := NewLessons(b.cfg.Store, repo)
		version, err := l.Version(ctx) // before the book: what comes between counts for the next run
		if err != nil {
			return task.Recalled{}, err
		}
		book, err := l.Book(ctx)
		if err != nil {
			return task.Recalled{}, err
		}
		for _, s := range book.Strange {
			b.cfg.Log.WithField("repo", repo.Slug()).WithError(s.Why).Error("a lesson cannot be read, and the run goes on without it")
		}
		got, err := book.Recall(ctx, q)
		if err != nil {
			return got, err
		}
		got.Version = version
		got.Past, err = Past(ctx, b.cfg.Store, repo)
		return got, err
	}
}

// remember writes down what a run tried, and drafts of what its change may teach. A
// run that did not ask for lessons, or during which learning was switched off, teaches
// none.
func (b *Bot) remember(ctx context.Context, r task.Run, got *task.Recalled, res task.Result, base fs.FS) error {
	if got == nil || base == nil || len(res.Attempts) == 0 {
		return nil
	}
	if learning, err := b.learning(ctx, r.Task); err != nil || !learning {
		return err
	}
	e := pattern.End{Run: r.ID, Keys: got.Keys, Attempts: res.Attempts, Base: base, Changes: res.Changes, At: b.cfg.Now().UTC(), Teaches: r.Task.Follow == nil}
	if res.Outcome == task.Success && res.Best != nil {
		e.Kept = res.Best.Number
	}
	_, err := NewLessons(b.cfg.Store, r.Task.Repo).Change(ctx, "", func(book *pattern.Book) error { return book.Ended(ctx, e) })
	return err
}

// settleFolder looks what became of the earlier changes of a folder. Nobody tells of
// a merge there: what stands in a state that is committed was taken by whoever owns
// the folder, as it was or with a change.
func (b *Bot) settleFolder(ctx context.Context, repo task.Repo, tree *checkout.Tree) error {
	if repo.Dir == "" || !tree.Clean() {
		return nil
	}
	l := NewLessons(b.cfg.Store, repo)
	book, err := l.Book(ctx)
	if err != nil || len(book.Drafts) == 0 {
		return err
	}
	read := func(path string) ([]byte, error) { return fs.ReadFile(tree.BaseFS(), path) }
	for _, run := range book.Waiting() {
		fate, err := book.FateOf(ctx, run, read)
		if err != nil {
			return err
		}
		if fate == "" {
			continue
		}
		if err := b.settle(ctx, l, pattern.Ends{Runs: []string{run}, Source: "run " + run, Fate: fate, Read: read, At: b.cfg.Now().UTC()}); err != nil {
			return err
		}
	}
	return nil
}

// settle turns drafts into lessons by what people made of a change.
func (b *Bot) settle(ctx context.Context, l Lessons, e pattern.Ends) error {
	why := fmt.Sprintf("%s was %s", e.Source, e.Fate)
	var did pattern.Learned
	version, err := l.Change(ctx, why, func(book *pattern.Book) (err error) {
		did, err = book.Settle(ctx, e)
		return err
	})
	if err != nil {
		return fmt.Errorf("learning from what became of %s: %w", e.Source, err)
	}
	if version > 0 {
		b.cfg.Log.WithField("version", version).Infof("%s: %d fixes and %d corrections learned", why, did.Fixes, did.Wrongs)
	}
	return nil
}

// learnFate takes what became of a pull request to the lessons. What was merged is
// read from the merge commit.
func (a *App) learnFate(ctx context.Context, ev task.Event, p store.Pull, fate task.Fate, mergeCommit string) error {
	runs, err := a.earlier(ctx, p)
	if err != nil {
		return err
	}
	e := pattern.Ends{Runs: []string{p.Run}, Pull: p.Number, Source: fmt.Sprintf("#%d", p.Number), Fate: fate, By: ev.Actor, At: a.cfg.Now().UTC()}
	for _, r := range runs {
		e.Runs = append(e.Runs, r.ID)
	}
	learning, err := a.learning(ctx, task.Task{Repo: ev.Repo})
	if err != nil {
		return err
	}
	e.Mute = !learning
	l := NewLessons(a.cfg.Store, ev.Repo)
	book, err := l.Book(ctx)
	if err != nil {
		return err
	}
	if learning && mergeCommit != "" && fate != task.FateReverted && slices.ContainsFunc(book.Waiting(), func(run string) bool { return slices.Contains(e.Runs, run) }) {
		repo, err := a.app.Forge.Repo(ctx, ev.Repo)
		if err != nil {
			return err
		}
		tree, err := a.app.Checkouts.Open(ctx, repo, mergeCommit, func(ctx context.Context) (string, error) {
			return a.app.Forge.Token(ctx, repo.Installation, repo.Name)
		})
		if err != nil {
			return fmt.Errorf("reading what was merged with #%d: %w", p.Number, err)
		}
		defer func() {
			if err := tree.Close(); err != nil {
				a.cfg.Log.WithError(err).Warn("the checkout was not removed; the next start does it")
			}
		}()
		e.Read = func(path string) ([]byte, error) { return fs.ReadFile(tree.BaseFS(), path) }
	}
	return a.settle(ctx, l, e)
}

// learnReview takes what a maintainer said of a pull request as advice. Whoever
// calls it has asked whether the actor may write here: nobody else teaches.
func (a *App) learnReview(ctx context.Context, ev task.Event, p store.Pull, words string) error {
	said := pattern.AdviceIn(words)
	if len(said) == 0 {
		return nil
	}
	if learning, err := a.learning(ctx, task.Task{Repo: ev.Repo}); err != nil || !learning {
		return err
	}
	source := fmt.Sprintf("%s on #%d", ev.Actor, p.Number)
	_, err := NewLessons(a.cfg.Store, ev.Repo).Change(ctx, "a review by "+source, func(b *pattern.Book) error {
		for _, s := range said {
			b.Advise(s, ev.Actor, source, a.cfg.Now().UTC())
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping the advice of a review: %w", err)
	}
	return nil
}
