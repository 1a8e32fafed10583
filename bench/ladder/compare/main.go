// Command bench compares the ways of choosing tiers and prints the figures:
//
//	go run ./bench/ladder/compare                       the synthetic table
//	go run ./bench/ladder/compare -tables 15            synthetic tables of every shape
//	go run ./bench/ladder/compare -csv FILE             an own table
//	go run ./bench/ladder/compare -swebench FILE -models cheap,middle,strong
//	go run ./bench/ladder/compare -swebench FILE -write FILE.csv    the same as an own table
//
// See package ladder for the forms of the files.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/fettle-dev/fettle/bench/ladder"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/task"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var s ladder.Settings
	csv := flag.String("csv", "", "a table: task,tier,solved,cost,seconds[,class,language,size,failure_kind]")
	swe := flag.String("swebench", "", "info_for_leaderboard.json of SWE-bench's site")
	models := flag.String("models", "gpt-5-mini,gpt-5,sonnet-4-5", "its models for tier 1 to 3")
	budget := flag.Float64("budget", 0, "USD a task; 0: none")
	worth := flag.Float64("worth", 2, "USD that a solved task counts as, for the policies that learn")
	tables := flag.Int("tables", 0, "compare on made-up tables of every shape, with this many seeds from -seed up")
	write := flag.String("write", "", "write the table as CSV and end")
	flag.Float64Var(&s.FalseGreen, "false-green", 0, "share of wrong patches that the checks let pass, 0 to 1")
	flag.Float64Var(&s.FalseRed, "false-red", 0, "share of right patches that the checks refuse, 0 to 1")
	flag.Uint64Var(&s.Seed, "seed", 1, "of orders and luck")
	flag.IntVar(&s.Rounds, "rounds", 20, "orders of the tasks")
	flag.Parse()
	if *tables > 0 {
		return suite(s, *tables, task.Dollars(*budget), task.Dollars(*worth))
	}
	table, err := load(*csv, *swe, *models)
	if err != nil {
		return err
	}
	if *write != "" {
		f, err := os.Create(*write)
		if err != nil {
			return err
		}
		if err := table.WriteCSV(f); err != nil {
			return err
		}
		return f.Close()
	}
	s.Budget = task.Dollars(*budget)
	s.Estimate = estimate.Config{Worth: task.Dollars(*worth)}
	return ladder.Print(os.Stdout, table, s, ladder.Compare(table, s))
}

func suite(s ladder.Settings, n int, budget, worth task.USD) error {
	s.Budget, s.Estimate.Worth = budget, worth
	var seeds []uint64
	for i := range n {
		seeds = append(seeds, s.Seed+uint64(i)) //nolint:gosec // a small count
	}
	return ladder.PrintSuite(os.Stdout, s, n, ladder.SyntheticTasks, ladder.Suite(s, seeds, ladder.SyntheticTasks))
}

func load(csv, swe, models string) (*ladder.Table, error) {
	name, read := csv, func(f *os.File) (*ladder.Table, error) { return ladder.ReadCSV(csv, f) }
	switch {
	case csv == "" && swe == "":
		return ladder.Synthetic(ladder.SyntheticSeed, ladder.SyntheticTasks), nil
	case csv != "" && swe != "":
		return nil, fmt.Errorf("give -csv or -swebench, not both")
	case swe != "":
		name, read = swe, func(f *os.File) (*ladder.Table, error) {
			return ladder.ReadSWEBench(swe, f, strings.Split(models, ",")...)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return read(f)
}
