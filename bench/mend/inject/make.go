package inject

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// Options say what Make makes.
type Options struct {
	Work     string    // bugs/<id> are written below it, subjects/<name> and injected/<name>.json kept there
	Mirror   string    // see Prepare
	Subjects []Subject // see ReadSubjects
	Want     int       // bugs for each language, spread evenly over its subjects
	Seed     uint64    // which faults are tried first
	Workers  int       // subjects worked on at once; 0 means 1
	Log      logrus.FieldLogger
}

// Bounds of a bug.
const (
	suiteLimit = 25 * time.Second // one run of a suite, with the fault
	slowSuite  = 2 * bugs.Slow    // of a correct tree, on a machine that does other things too
	mostFail   = 0.4              // share of the suite that may fail
	triesEach  = 7                // faults tried for each bug wanted, at most
)

// Make plants faults into the subjects until each has its share of the bugs
// that are wanted, and writes these. What was tried is kept: called again, it
// goes on where it stopped, and with a greater Want it adds to what is there.
// Subjects whose suite is red, unstable or slow are left out with a warning.
// The error is the context's, or that nothing can be written or run.
func Make(ctx context.Context, o Options) error {
	bench, err := bugs.NewBench(ctx, "", suiteLimit)
	if err != nil {
		return err
	}
	defer bench.Close()
	sites := make([]*site, len(o.Subjects))
	for i, s := range o.Subjects {
		sites[i] = &site{o: o, bench: bench, subject: s, number: i, log: o.Log.WithField("subject", s.Name)}
	}
	defer func() {
		for _, s := range sites {
			s.close()
		}
	}()
	slices.SortStableFunc(sites, func(a, b *site) int { return cmp.Compare(a.turn(sites), b.turn(sites)) })
	if err := each(ctx, max(1, o.Workers), sites, func(s *site) error { return s.open(ctx) }); err != nil {
		return err
	}
	share := map[string]int{}
	for _, s := range sites {
		if s.out == "" {
			share[s.subject.Language]++
		}
	}
	// In two rounds, so that a part of all subjects is there early.
	for _, part := range []int{3, 1} {
		if err := each(ctx, max(1, o.Workers), sites, func(s *site) error {
			n := share[s.subject.Language]
			return s.fill(ctx, ((o.Want+part-1)/part+n-1)/n)
		}); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for all sites, some at once, and stops at the first error.
func each(ctx context.Context, workers int, sites []*site, do func(*site) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *site)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for s := range queue {
				if err := do(s); err != nil {
					cancel(fmt.Errorf("planting faults into %s: %w", s.subject.Name, err))
				}
			}
		})
	}
	for _, s := range sites {
		select {
		case queue <- s:
		case <-ctx.Done():
		}
	}
	close(queue)
	all.Wait()
	return context.Cause(ctx)
}

// site is a subject at work. One goroutine at a time uses it.
type site struct {
	o       Options
	bench   *bugs.Bench
	subject Subject
	number  int
	log     logrus.FieldLogger

	maker *bugs.Maker // nil before open
	draw  *draw
	dir   string
	tried map[string]string // by the key of a fault: the id of its bug, or "-" and why it is none
	out   string            // why the subject is left out
}

// turn is the place of a subject among those of its language, so that the
// languages take turns.
func (s *site) turn(all []*site) int {
	at := 0
	for _, other := range all {
		if other.subject.Language == s.subject.Language && other.number < s.number {
			at++
		}
	}
	return at
}

func (s *site) close() {
	if s.maker != nil {
		if err := s.maker.Close(); err != nil {
			s.log.WithError(err).Warn("the copy of a subject stays behind")
		}
	}
}

// fill makes bugs until the subject has quota of them, or too many faults were
// tried in vain.
func (s *site) fill(ctx context.Context, quota int) error {
	if s.out != "" {
		return nil
	}
	for range quota * triesEach {
		if s.draw.total >= quota {
			break
		}
		var failed error
		f, ok := s.draw.next(func(f Fault) bool {
			src, err := s.text(f)
			fits := err == nil
			if fits {
				fits, err = f.Parses(ctx, src)
			}
			failed = errors.Join(failed, err)
			return fits
		})
		if failed != nil {
			return failed
		}
		if !ok {
			break
		}
		if err := s.try(ctx, f); err != nil {
			return err
		}
	}
	s.log.WithFields(logrus.Fields{"bugs": s.draw.total, "weak": s.draw.weak, "wanted": quota, "tried": len(s.tried)}).Info("faults planted")
	return nil
}

// open prepares the subject, has its suite measured and lists its faults.
func (s *site) open(ctx context.Context) error {
	var err error
	if s.dir, err = Prepare(ctx, s.o.Work, s.o.Mirror, s.subject); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return s.leave(err.Error())
	}
	correct, why, err := s.sound(ctx)
	if err != nil && ctx.Err() == nil {
		why, err = err.Error(), nil // no test is found, for one
	}
	if err != nil {
		return err
	}
	if why != "" {
		return s.leave(why)
	}
	faults, err := s.subject.Enumerate(ctx, s.dir)
	if err != nil {
		return err
	}
	s.log.WithFields(logrus.Fields{"faults": len(faults), "tests": len(correct.Status), "seconds": correct.Report.Elapsed.Seconds()}).Info("a subject is ready")
	s.draw = newDraw(s.o.Seed, s.number, faults)
	s.maker = &bugs.Maker{Bench: s.bench, Subject: s.dir, Correct: correct}
	s.tried = map[string]string{}
	data, err := os.ReadFile(s.journal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, json.Unmarshal(data, &s.tried))
}

func (s *site) leave(why string) error {
	s.out = why
	s.log.WithField("why", why).Warn("a subject is left out")
	return nil
}

// sound gives what the tests of the correct tree show, and says what is wrong
// with them.
func (s *site) sound(ctx context.Context) (correct bugs.Outcome, why string, err error) {
	correct, err = s.bench.Correct(ctx, s.o.Work, s.dir, s.subject.Name, s.subject.Commit)
	if err != nil {
		return correct, "", err
	}
	if red := correct.Red(); len(red) > 0 {
		return correct, fmt.Sprintf("%d tests of the correct tree fail: %s", len(red), red[0]), nil
	}
	for _, t := range correct.Report.Tests {
		if t.Status != correct.Status[t.ID] {
			return correct, "two runs of the correct tree differ: " + t.ID, nil
		}
	}
	switch {
	case correct.Report.Elapsed > slowSuite:
		return correct, fmt.Sprintf("the suite takes %s", correct.Report.Elapsed), nil
	case len(correct.With("passed")) < 10:
		return correct, "fewer than ten tests pass", nil
	}
	return correct, "", nil
}

// journal is where is kept what was tried.
func (s *site) journal() string {
	return filepath.Join(s.o.Work, "injected", s.subject.Name+".json")
}

// try makes a bug of a fault, or notes why it is none.
func (s *site) try(ctx context.Context, f Fault) error {
	id := s.id(f)
	all := filepath.Join(s.o.Work, "bugs")
	if had := s.tried[f.Key()]; had != "" {
		if strings.HasPrefix(had, "-") {
			return nil
		}
		if folder, err := bugs.Load(filepath.Join(all, had)); err == nil {
			s.draw.take(f, folder.Weak)
			return nil
		}
	}
	src, err := s.text(f)
	if err != nil {
		return err
	}
	b := bugs.Bug{
		ID: id, Origin: bugs.Injected, Class: f.Rule, Language: s.subject.Language, Subject: s.subject.Name, Commit: s.subject.Commit,
		Path: f.Path, Line: f.Line, Function: f.Function, Places: 1, FixLines: f.Lines,
	}
	made, why, err := s.maker.Make(ctx, b, bugs.Files{f.Path: f.Apply(src)})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		why = err.Error() // a tree in which no test is found any more, for one
	}
	passed := len(s.maker.Correct.With("passed"))
	switch {
	case why != "":
	case float64(len(made.Failing)) > mostFail*float64(passed):
		why = fmt.Sprintf("%d of %d tests fail", len(made.Failing), passed)
	case made.Weak && !s.draw.bears():
		why = "one more of which no failing test can be held back"
	}
	s.log.WithFields(logrus.Fields{"rule": f.Rule, "why": why}).Debug("a fault was tried")
	if why != "" {
		s.tried[f.Key()] = "- " + why
		return s.save()
	}
	if err := errors.Join(os.MkdirAll(all, 0o755), bugs.Write(all, made)); err != nil {
		return err
	}
	s.tried[f.Key()] = id
	s.draw.take(f, made.Weak)
	return s.save()
}

// text is the correct file of a fault.
func (s *site) text(f Fault) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(f.Path)))
}

// id names the bug of a fault: "py-boltons-strutils-5f0c91aa".
func (s *site) id(f Fault) string {
	file := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
	return strings.Join([]string{prefix[s.subject.Language], s.subject.Name, strings.Trim(file, "._"), f.Key()}, "-")
}

func (s *site) save() error {
	data, err := json.MarshalIndent(s.tried, "", " ")
	if err != nil {
		return err
	}
	name := s.journal()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name+".part", data, 0o644)); err != nil {
		return fmt.Errorf("keeping what was tried: %w", err)
	}
	return os.Rename(name+".part", name)
}
