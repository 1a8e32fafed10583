// Command mend measures mechanical repair on bugs of real, well-tested code;
// "make bench-mend" runs it. Bugs are planted by rules that are not the
// inverse of the engine's templates, or are commits of real histories that
// mend one fault, undone, or were planted by hand with an issue of their own
// (-origin planted, package fresh). A bug is mended the way a user does it, by
//
//	fettle fix --repo DIR --issue FILE --max-tier mechanical --max-seconds 60 --apply=draft --json
//
// in a working copy that holds about half of the tests; the issue says how a
// visible test fails, and nothing else. What comes out is judged by all tests
// as the subject has them.
//
//	mend prepare     fetch the subjects and measure their tests
//	mend make-bugs   plant faults and take commits apart
//	mend run         mend bugs and judge what comes out
//	mend report      bench/mend/REPORT.md and standard output
//	mend run -config FILE -results FILE  with the models of a configuration
//	mend honest      have the judge judge the true fixes: bench/mend/HONEST.md and standard output
//	mend reach       ask the operators, without running a test, for the true fixes of bugs and of histories
//	mend             all of these but the last two; -half sealed -jobs 2 -ablate 14 for the report that is kept
//
// FETTLE_MEND_WORK is the folder for everything that is fetched, made and
// found; FETTLE_MEND_MIRROR a folder of bare clones "<owner>+<name>/repo" to
// be used instead of github.com. Each step goes on where a stopped one ended.
//
// Half of the bugs, by a hash of their id, are sealed: nobody who works on the
// engine looks at them or runs them, and their figures are the ones to report.
// Of them nothing but figures is ever printed or kept.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags of all steps.
type options struct {
	work, mirror string
	fettle       string
	config       string // of the models that are asked too; empty: mechanical repair alone
	results      string
	report       string
	half         string // open, sealed or all
	language     string
	origin       string
	bug          string
	without      string // variants: parts of the engine left out, one variant each
	sample       int    // bugs by hash, 0 for all
	ablate       int    // open bugs that are also run without each part
	want         int    // bugs to plant for each language
	jobs         int
	limit        time.Duration // of one run of fettle
	until        time.Duration // then no further bug is begun
	learn        bool
	again        bool
	pins         bool
	diffs        bool // print the true fixes of open bugs
	begun        time.Time
}

func main() {
	step, args := "", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		step, args = args[0], args[1:]
	}
	o, err := parse(step, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2) // the flag package has said why
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.step(ctx, step); err != nil {
		fmt.Fprintln(os.Stderr, "mend:", err)
		os.Exit(1)
	}
}

func parse(step string, args []string) (*options, error) {
	o := &options{begun: time.Now()}
	work := os.Getenv("FETTLE_MEND_WORK")
	if work == "" {
		work = filepath.Join(os.TempDir(), "fettle-bench-mend")
	}
	results, report := "results.jsonl", "REPORT.md"
	if step == "honest" {
		results, report = "honest.jsonl", "HONEST.md"
	}
	fl := flag.NewFlagSet("mend "+step, flag.ContinueOnError)
	fl.StringVar(&o.work, "work", work, "folder for what is fetched, made and found (FETTLE_MEND_WORK)")
	fl.StringVar(&o.mirror, "mirror", os.Getenv("FETTLE_MEND_MIRROR"), "folder of bare clones to use instead of github.com (FETTLE_MEND_MIRROR)")
	fl.StringVar(&o.fettle, "fettle", "bin/fettle", "the program that mends")
	fl.StringVar(&o.results, "results", "", "file of results, a line for each bug and variant (default "+results+" in the work folder)")
	fl.StringVar(&o.report, "o", filepath.Join("bench", "mend", report), "file of the report; empty: standard output alone")
	fl.StringVar(&o.half, "half", "open", "bugs: open, sealed or all")
	fl.StringVar(&o.config, "config", "", "fettle's configuration file with the models that are asked too; then -time is its limit")
	fl.StringVar(&o.language, "language", "", "only bugs in python, javascript or go")
	fl.StringVar(&o.origin, "origin", "", "only bugs that are injected, of history or planted by hand")
	fl.StringVar(&o.bug, "bug", "", "only bugs whose id contains this")
	fl.StringVar(&o.without, "without", "", "measure without "+strings.Join(parts, ", ")+": each by itself, a+b for both at once")
	fl.IntVar(&o.sample, "sample", 0, "only so many bugs, by a hash")
	fl.IntVar(&o.ablate, "ablate", 0, "also run so many open bugs with the whole engine and without each of its parts")
	fl.IntVar(&o.want, "want", 80, "bugs to plant for each language")
	fl.IntVar(&o.jobs, "jobs", 1, "bugs at once")
	fl.DurationVar(&o.limit, "time", 3*time.Minute, "wall clock of fettle on one bug, before it is stopped")
	fl.DurationVar(&o.until, "until", 0, "begin no further bug after this time; 0 for never")
	fl.BoolVar(&o.learn, "learn", false, "keep what fettle learns from one bug for the next")
	fl.BoolVar(&o.again, "again", false, "run bugs again that have a result")
	fl.BoolVar(&o.pins, "pins", true, "also compare the changed functions of the weak ones with the correct ones on recorded and edge inputs")
	fl.BoolVar(&o.diffs, "diffs", false, "also print the true fix of each open bug that was not mended; being the subjects' code it is not in the report's file")
	if err := fl.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if o.work, err = filepath.Abs(o.work); err == nil {
		o.fettle, err = filepath.Abs(o.fettle)
	}
	if err == nil && o.config != "" {
		o.config, err = filepath.Abs(o.config)
	}
	if err == nil {
		err = o.check(fl.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mend:", err)
		return nil, err
	}
	if o.results == "" {
		o.results = filepath.Join(o.work, results)
	}
	return o, nil
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is not understood; flags come after the step", rest[0])
	case o.half != "open" && o.half != "sealed" && o.half != "all":
		return fmt.Errorf("-half takes open, sealed or all, and got %q", o.half)
	case o.jobs < 1:
		return fmt.Errorf("-jobs takes 1 or more, and got %d", o.jobs)
	}
	if o.learn && o.jobs > 1 {
		return fmt.Errorf("-learn needs -jobs 1: what is learned goes from one bug to the next")
	}
	for _, v := range o.variants() {
		for _, part := range strings.Split(v, "+") {
			if v != "" && !slices.Contains(parts, part) {
				return fmt.Errorf("-without takes %s, and got %q", strings.Join(parts, ", "), part)
			}
		}
	}
	return nil
}

// parts are what can be left out of the engine.
var parts = []string{"donors", "naturalness", "spectrum"}

// variants are what is left out: "" is the whole engine.
func (o *options) variants() []string { return strings.Split(o.without, ",") }

func (o *options) step(ctx context.Context, step string) error {
	switch step {
	case "prepare":
		return o.prepare(ctx)
	case "make-bugs":
		return o.makeBugs(ctx)
	case "run":
		return o.run(ctx)
	case "report":
		return o.writeReport(ctx)
	case "honest":
		return o.honestly(ctx)
	case "reach":
		return o.reached(ctx)
	case "": // all of them
		if err := o.prepare(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "mend:", err) // bugs are made of what could be had
		}
		for _, do := range []func(context.Context) error{o.makeBugs, o.run, o.writeReport} {
			if err := do(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the step %q is not one of prepare, make-bugs, run, report, honest, reach", step)
}
