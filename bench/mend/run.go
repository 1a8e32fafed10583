package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
	"github.com/fettle-dev/fettle/bench/mend/bugs"
)

// suiteLimit bounds one run of a subject's suite.
const suiteLimit = 2 * time.Minute

// job is a bug to be mended by a variant of the engine.
type job struct {
	folder  bugs.Folder
	without string
	broken  error // why the bug cannot be read
}

func (o *options) run(ctx context.Context) error {
	build, err := hashOf(o.fettle)
	if err != nil {
		return fmt.Errorf("looking at the program that mends: %w; build it, or name it with -fettle", err)
	}
	results, err := openBook(o.results)
	if err != nil {
		return err
	}
	defer results.close()
	list, err := o.chosen()
	if err != nil {
		return err
	}
	jobs := o.jobsOf(list, results, build)
	without, err := o.partsLeftOut(jobs, results, build)
	if err != nil {
		return err
	}
	jobs = append(jobs, without...)
	fmt.Printf("%s\n%d bugs of the %s half, %d runs to do, build %s\n", machine.Line(), len(list), o.half, len(jobs), build)
	if len(jobs) == 0 {
		return nil
	}
	bench, err := bugs.NewBench(ctx, filepath.Join(o.work, "sandbox"), suiteLimit)
	if err != nil {
		return err
	}
	defer bench.Close()
	b := &runner{options: o, bench: bench, build: build, results: results, of: len(jobs)}
	return b.all(ctx, jobs)
}

// takeRoom locks the first free folder for a worker, so that two runs over one
// work folder do not meet. It stays for the next run, with what the sandbox
// compiled of the languages' own libraries.
func (o *options) takeRoom() (dir string, release func(), err error) {
	for i := range 100 {
		dir = filepath.Join(o.work, "trying", fmt.Sprint(i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", nil, fmt.Errorf("making a folder to mend in: %w", err)
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return "", nil, fmt.Errorf("making a folder to mend in: %w", err)
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			return dir, func() { _ = errors.Join(os.RemoveAll(filepath.Join(dir, "repo")), lock.Close()) }, nil
		}
		_ = lock.Close()
	}
	return "", nil, fmt.Errorf("all folders in %s are taken by other runs", filepath.Join(o.work, "trying"))
}

func hashOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// chosen are the bugs that the flags name: in an order by hash, so that a run
// that is stopped, or a sample, has some of everything.
func (o *options) chosen() ([]job, error) {
	all := filepath.Join(o.work, "bugs")
	ids, err := bugs.List(all)
	if err != nil {
		return nil, fmt.Errorf("%w; make them with BENCH_MEND=make-bugs", err)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return o.half != "all" && bugs.Sealed(id) != (o.half == "sealed")
	})
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a, b)) })
	var out []job
	for _, id := range ids {
		f, err := bugs.Load(filepath.Join(all, id))
		if err != nil {
			f.Bug = bugs.Bug{ID: id}
			out = append(out, job{folder: f, broken: err})
			continue
		}
		if o.wants(f.Bug) {
			out = append(out, job{folder: f})
		}
	}
	if o.sample > 0 && len(out) > o.sample {
		out = out[:o.sample]
	}
	return out, nil
}

func order(id string) string {
	sum := sha256.Sum256([]byte("fettle order " + id))
	return hex.EncodeToString(sum[:8])
}

func (o *options) wants(b bugs.Bug) bool {
	return (o.language == "" || b.Language == o.language) && (o.origin == "" || b.Origin == o.origin) && (o.bug == "" || contains(b.ID, o.bug))
}

// jobsOf are the runs that have no result of this build.
func (o *options) jobsOf(list []job, results *book, build string) []job {
	var out []job
	for _, v := range o.variants() {
		for _, j := range list {
			if j.without = v; o.again || !results.done(j.folder.ID, v, build) {
				out = append(out, j)
			}
		}
	}
	return out
}

// partsLeftOut are the runs of some open bugs, with the whole engine and without
// each of its parts, that are not among those to be done anyway.
func (o *options) partsLeftOut(known []job, results *book, build string) ([]job, error) {
	if o.ablate == 0 {
		return nil, nil
	}
	p := *o
	p.half, p.sample, p.without = "open", o.ablate, ","+strings.Join(parts, ",")
	list, err := p.chosen()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.jobsOf(list, results, build), func(j job) bool {
		return slices.ContainsFunc(known, func(k job) bool { return k.folder.ID == j.folder.ID && k.without == j.without })
	}), nil
}

// runner mends bugs.
type runner struct {
	*options
	bench   *bugs.Bench
	build   string
	results *book

	mu      sync.Mutex
	n, of   int
	correct map[string]*measured
}

// all does the jobs, so many at once as was asked for. What goes wrong with a
// bug is its result; the error is of the results' file or the context.
func (b *runner) all(ctx context.Context, jobs []job) error {
	next := make(chan job)
	errs := make([]error, b.jobs)
	var group sync.WaitGroup
	for i := range b.jobs {
		room, release, err := b.takeRoom()
		if err != nil {
			close(next)
			group.Wait()
			return err
		}
		group.Go(func() {
			defer release()
			for j := range next {
				r := b.one(ctx, room, j)
				if ctx.Err() == nil && errs[i] == nil { // what was cut short is no result
					errs[i] = b.results.add(r)
				}
				b.say(r)
			}
		})
	}
	stopped := false
	for _, j := range jobs {
		if stopped = b.until > 0 && time.Since(b.begun) > b.until; stopped || ctx.Err() != nil {
			break
		}
		select {
		case next <- j:
		case <-ctx.Done():
		}
	}
	close(next)
	group.Wait()
	if stopped {
		fmt.Fprintf(os.Stderr, "mend: stopped after %s; the same command goes on\n", b.until)
	}
	return errors.Join(append(errs, context.Cause(ctx))...)
}

// say prints a line of progress; of sealed bugs only how many are done.
func (b *runner) say(r result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	if r.Sealed {
		fmt.Fprintf(os.Stderr, "%d/%d sealed\n", b.n, b.of)
		return
	}
	word := r.Verdict
	if r.Verdict == mended || r.Verdict == plausible {
		word += map[bool]string{true: ", ready", false: ", draft"}[r.Ready]
	}
	tried := 0
	if r.Search != nil {
		tried = r.Search.Tried
	}
	fmt.Fprintf(os.Stderr, "%d/%d %-42s %-22s %-12s %-18s %5.1f s of %5.1f s, %d tried  %s\n", b.n, b.of, r.Bug, r.Class, r.Without, word, r.Seconds, r.Took, tried, oneLine(r.Why))
}
