// Command find looks for one-fix commits in repositories' histories and keeps
// the list of them, or remakes the bugs of the committed list.
//
//	find -lang go -most 6 tidwall/gjson spf13/pflag   search
//	find -list bench/mend/history/commits.json         gather what was found into the list
//	find -make                                        remake the bugs of the list
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/fettle-dev/fettle/bench/mend/history"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "find:", err)
		os.Exit(1) //nolint:gocritic // the signal's handler ends with the process
	}
}

func work(ctx context.Context) error {
	var s history.Search
	flag.StringVar(&s.Language, "lang", "python", "python, javascript or go")
	flag.IntVar(&s.Most, "most", 6, "bugs to have from each repository")
	flag.IntVar(&s.Tries, "tries", 40, "trees to lay out for each")
	flag.IntVar(&s.Unfit, "unfit", 6, "trees in a row that cannot be judged by end the search of a repository")
	limit := flag.Duration("limit", 4*time.Minute, "time for all")
	list := flag.String("list", "", "file to gather into everything that was found")
	again := flag.Bool("make", false, "remake the bugs of the committed list")
	place := flag.String("place", "1", "name of the sandbox's folder; two searches at a time need two")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	src := history.Sources{Mirror: os.Getenv("FETTLE_MEND_MIRROR"), Work: os.Getenv("FETTLE_MEND_WORK")}
	if src.Work == "" {
		return fmt.Errorf("set FETTLE_MEND_WORK to the benchmark's work folder")
	}
	if *list != "" {
		entries, err := history.Gather(ctx, src)
		if err != nil {
			return err
		}
		return history.Save(*list, entries)
	}
	w, err := history.Open(ctx, src, *place, func(f string, a ...any) { fmt.Printf(f+"\n", a...) })
	if err != nil {
		return err
	}
	defer w.Close()
	if *again {
		entries, err := history.List()
		if err != nil {
			return err
		}
		n, err := w.Make(ctx, entries)
		fmt.Printf("%d of %d bugs\n", n, len(entries))
		return err
	}
	for _, s.Repo = range flag.Args() {
		if _, err := w.Find(ctx, s); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	return nil
}
