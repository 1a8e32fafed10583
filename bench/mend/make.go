package main

import (
	"context"
	_ "embed" // the list of subjects
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bench/machine"
	"github.com/fettle-dev/fettle/bench/mend/bugs"
	"github.com/fettle-dev/fettle/bench/mend/fresh"
	"github.com/fettle-dev/fettle/bench/mend/history"
	"github.com/fettle-dev/fettle/bench/mend/inject"
	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed subjects.json
var subjectList []byte

// subjects are those that the flags name, of the origins given.
func (o *options) subjects(origins ...string) ([]inject.Subject, error) {
	var all []inject.Subject
	for _, origin := range origins {
		if !o.makes(origin) {
			continue
		}
		some, err := inject.ReadSubjects(subjectList)
		if origin == bugs.Planted {
			some, err = fresh.Subjects()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return slices.DeleteFunc(all, func(s inject.Subject) bool { return o.language != "" && s.Language != o.language }), nil
}

// commits are the fixes that the flags name.
func (o *options) commits() ([]history.Entry, error) {
	all, err := history.List()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(e history.Entry) bool {
		return o.language != "" && e.Language != o.language || o.bug != "" && !strings.Contains(e.ID, o.bug)
	}), nil
}

func (o *options) sources() history.Sources {
	return history.Sources{Mirror: o.mirror, Work: o.work}
}

// prepare fetches the trees of all bugs to come, and measures the subjects'
// tests. What cannot be had is told, and the others are prepared; the error
// counts them.
func (o *options) prepare(ctx context.Context) error {
	bench, err := bugs.NewBench(ctx, filepath.Join(mkdir(o.work), "sandbox"), suiteLimit)
	if err != nil {
		return err
	}
	defer bench.Close()
	fmt.Println(machine.Line())
	bad := 0
	if o.makes(bugs.Injected) || o.makes(bugs.Planted) {
		n, err := o.prepareSubjects(ctx, bench)
		if err != nil {
			return err
		}
		bad += n
	}
	if o.makes(bugs.History) {
		n, err := o.prepareTrees(ctx)
		if err != nil {
			return err
		}
		bad += n
	}
	if bad > 0 {
		return fmt.Errorf("%d trees could not be had; the rest is ready", bad)
	}
	return nil
}

func mkdir(dir string) string {
	_ = os.MkdirAll(dir, 0o755) // whoever writes there sees the fault
	return dir
}

func (o *options) prepareSubjects(ctx context.Context, bench *bugs.Bench) (bad int, err error) {
	list, err := o.subjects(bugs.Injected, bugs.Planted)
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		line, err := o.subject(ctx, bench, s)
		if ctx.Err() != nil {
			return bad, context.Cause(ctx)
		}
		if err != nil {
			bad++
			line = oneLine(err.Error())
		}
		fmt.Printf("%-26s %-11s %s\n", s.Name, s.Language, line)
	}
	return bad, nil
}

// subject prepares one and says how its tests are.
func (o *options) subject(ctx context.Context, bench *bugs.Bench, s inject.Subject) (string, error) {
	dir, err := inject.Prepare(ctx, o.work, o.mirror, s)
	if err != nil {
		return "", err
	}
	got, err := bench.Correct(ctx, o.work, dir, s.Name, s.Commit)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d tests pass, %d are red, %.1f s", len(got.With(verify.StatusPassed)), len(got.Red()), got.Report.Elapsed.Seconds()), nil
}

func (o *options) prepareTrees(ctx context.Context) (bad int, err error) {
	list, err := o.commits()
	if err != nil {
		return 0, err
	}
	for i, e := range list {
		if _, err := o.sources().Tree(ctx, e.Language, e.Repo, e.Commit); err != nil {
			if ctx.Err() != nil {
				return bad, context.Cause(ctx)
			}
			bad++
			fmt.Printf("%s: %s\n", e.ID, oneLine(err.Error()))
		}
		if i == len(list)-1 {
			fmt.Printf("%d of %d trees of commits\n", len(list)-bad, len(list))
		}
	}
	return bad, nil
}

// makeBugs plants faults and takes commits apart, as far as that is not done.
func (o *options) makeBugs(ctx context.Context) error {
	mkdir(filepath.Join(o.work, "bugs"))
	var errs []error
	for origin, do := range map[string]func(context.Context) error{bugs.Injected: o.inject, bugs.History: o.undo, bugs.Planted: o.plant} {
		if o.makes(origin) && ctx.Err() == nil {
			errs = append(errs, do(ctx))
		}
	}
	ids, err := bugs.List(filepath.Join(o.work, "bugs"))
	sealed := 0
	for _, id := range ids {
		if bugs.Sealed(id) {
			sealed++
		}
	}
	fmt.Printf("%d bugs are there, %d of them sealed\n", len(ids), sealed)
	return errors.Join(append(errs, err)...)
}

// makes tells whether the flags ask for bugs of an origin.
func (o *options) makes(origin string) bool { return o.origin == "" || o.origin == origin }

// plant makes the bugs that were planted by hand.
func (o *options) plant(ctx context.Context) error {
	bench, err := bugs.NewBench(ctx, filepath.Join(o.work, "sandbox"), suiteLimit)
	if err != nil {
		return err
	}
	err = fresh.Make(ctx, fresh.Options{Work: o.work, Mirror: o.mirror, Language: o.language, Bench: bench, Say: say})
	return errors.Join(err, bench.Close())
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// inject plants faults by rules.
func (o *options) inject(ctx context.Context) error {
	list, err := o.subjects(bugs.Injected)
	if err != nil {
		return err
	}
	return inject.Make(ctx, inject.Options{Work: o.work, Mirror: o.mirror, Subjects: list, Want: o.want, Seed: 1, Workers: o.jobs, Log: logrus.StandardLogger()})
}

func (o *options) undo(ctx context.Context) error {
	list, err := o.commits()
	if err != nil {
		return err
	}
	shop, err := history.Open(ctx, o.sources(), "make", say)
	if err != nil {
		return err
	}
	n, err := shop.Make(ctx, list)
	fmt.Printf("%d of %d commits are bugs here\n", n, len(list))
	return errors.Join(err, shop.Close())
}

// tree is the correct tree of a bug; one of a commit is laid out when it is
// not there any more.
func (o *options) tree(ctx context.Context, b bugs.Bug) (string, error) {
	dir, err := bugs.TreeDir(ctx, o.work, b)
	if err == nil || b.Origin != bugs.History {
		return dir, err
	}
	list, listErr := history.List()
	if listErr != nil {
		return "", errors.Join(err, listErr)
	}
	at := slices.IndexFunc(list, func(e history.Entry) bool { return e.Commit == b.Commit && history.Subject(e.Repo) == b.Subject })
	if at < 0 {
		return "", err
	}
	return o.sources().Tree(ctx, b.Language, list[at].Repo, b.Commit)
}
