// Package ladder compares ways of choosing tiers on a table of what each tier
// did on each task: always from the cheapest up, always the strongest, chosen
// by history (bot/loop/estimate), and an oracle that knows the table. The
// checks that decide in a real run are not perfect, so their errors are
// parameters. It asks no model and runs nothing; the same table, settings and
// seed give the same figures.
//
// # What was measured
//
// On 2026-11-21, with the checks' errors put in (2 % false green, 3 % false
// red); history starts empty and holds what came before in each order.
//
// Public figures: data/info_for_leaderboard.json of the repository
// SWE-bench/swe-bench.github.io at commit 15491f17 (mini-SWE-agent on the 500
// tasks of SWE-bench Verified; not kept here, its licence is non-commercial).
// Tiers gpt-5-mini, gpt-5, sonnet-4-5; medians of 40 orders. The class is the
// project; the language is python throughout and tells nothing.
//
//	policy                  solved   $/task   without errors of the checks
//	always tier 1 → 3       76.4 %   0.286    77.2 %   0.286
//	always the strongest    68.6 %   0.558    70.6 %   0.558
//	first tier by history   76.4 %   0.286    77.2 %   0.286
//	each tier by history    76.1 %   0.280    76.9 %   0.278
//	… and may give up       76.0 %   0.271    76.4 %   0.261
//	oracle                  75.1 %   0.084    77.2 %   0.084
//
// No project of these is so hard for the cheap tier that passing it over pays:
// the whole saving is in the middle tier. With sonnet-4 in its place, history
// saves 10.2 % for 1.1 points.
//
// Made-up tables, 600 tasks, medians of the 15 seeds from 1001, 3 orders each,
// beside always tier 1 → 3 (each tier by history; first tier alone in brackets):
//
//	table                            points         cost
//	mixed                            +0.0 (+0.0)    +0.0 % (+0.0 %)
//	nothing to learn                 +0.0 (+0.0)    +0.0 % (+0.0 %)
//	a class is hopeless on tier 1    +0.3 (+0.3)    -5.8 % (-5.8 %)
//	a weak middle tier               -0.2 (+0.0)    -1.2 % (+0.0 %)
//	prices close together            -0.2 (-0.3)    -3.2 % (-3.1 %)
//	tiers fail together              -0.2 (+0.0)    -0.5 % (+0.0 %)
//
// Who knew the true rate of every combination of properties of the mixed table
// would save 1.3 % of the cost there (60,000 tasks, the same worth of a solved
// one): 600 tasks do not teach that.
package ladder

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/task"
)

// Did is what one tier did on one task.
type Did struct {
	Solved bool
	Cost   task.USD
	Took   time.Duration
}

// Task is a row of the table: what all tiers did on one task.
type Task struct {
	ID   string
	Case estimate.Case
	By   map[task.Tier]Did
}

// Table is what a comparison runs on. Every task has every tier.
type Table struct {
	Name  string
	Tiers []task.Tier // the cheapest first
	Tasks []Task
}

// columns that a CSV must have; class, language, size and failure_kind may
// stand beside them.
var columns = []string{"task", "tier", "solved", "cost", "seconds"}

// maxRows bounds a table.
const maxRows = 1_000_000

// ReadCSV reads a table with a heading: task, tier (tier1, tier2, tier3),
// solved (true or false), cost in USD, seconds; and, where they are known,
// class, language, size, failure_kind. One line is one tier on one task, and
// every task has a line for each tier of the table.
func ReadCSV(name string, in io.Reader) (*Table, error) {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: reading the heading: %w", name, err)
	}
	at := map[string]int{}
	for i, c := range head {
		at[strings.ToLower(strings.TrimSpace(c))] = i
	}
	for _, c := range columns {
		if _, ok := at[c]; !ok {
			return nil, fmt.Errorf("%s: the column %q is missing; a table has %s", name, c, strings.Join(columns, ", "))
		}
	}
	b := newBuilder(name)
	for n := 2; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return b.table()
		}
		if err == nil && n > maxRows {
			err = fmt.Errorf("more than %d lines", maxRows)
		}
		if err == nil {
			err = b.line(at, row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
}

// builder puts a table together from lines.
type builder struct {
	t     *Table
	index map[string]int
}

func newBuilder(name string) *builder {
	return &builder{t: &Table{Name: name}, index: map[string]int{}}
}

func (b *builder) line(at map[string]int, row []string) error {
	field := func(name string) string {
		if i, ok := at[name]; ok {
			return strings.Clone(strings.TrimSpace(row[i]))
		}
		return ""
	}
	solved, err := strconv.ParseBool(field("solved"))
	if err != nil {
		return fmt.Errorf("solved is %q; write true or false", field("solved"))
	}
	cost, err := amount(field("cost"), 10_000)
	if err != nil {
		return fmt.Errorf("cost: %w", err)
	}
	seconds, err := amount(field("seconds"), 1e7)
	if err != nil {
		return fmt.Errorf("seconds: %w", err)
	}
	tier := task.Tier(field("tier"))
	if tier.Rank() < 0 {
		return fmt.Errorf("tier is %q; known are mechanical, tier1, tier2, tier3", tier)
	}
	c := estimate.Case{Class: field("class"), Language: field("language"), Size: field("size"), Failure: field("failure_kind")}
	return b.add(field("task"), c, tier, Did{solved, task.Dollars(cost), time.Duration(math.Round(seconds * 1e9))})
}

func amount(text string, most float64) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > most {
		return 0, fmt.Errorf("%q is not a number from 0 to %g", text, most)
	}
	return f, nil
}

func (b *builder) add(id string, c estimate.Case, tier task.Tier, did Did) error {
	if id == "" {
		return errors.New("the task has no name")
	}
	i, known := b.index[id]
	if !known {
		i = len(b.t.Tasks)
		b.index[id] = i
		b.t.Tasks = append(b.t.Tasks, Task{ID: id, Case: c, By: map[task.Tier]Did{}})
	}
	if _, twice := b.t.Tasks[i].By[tier]; twice {
		return fmt.Errorf("%s stands there twice for the task %s", tier, id)
	}
	b.t.Tasks[i].By[tier] = did
	if !slices.Contains(b.t.Tiers, tier) {
		b.t.Tiers = append(b.t.Tiers, tier)
	}
	return nil
}

func (b *builder) table() (*Table, error) {
	slices.SortFunc(b.t.Tiers, func(x, y task.Tier) int { return x.Rank() - y.Rank() })
	if len(b.t.Tasks) == 0 {
		return nil, fmt.Errorf("%s: the table is empty", b.t.Name)
	}
	for _, t := range b.t.Tasks {
		for _, tier := range b.t.Tiers {
			if _, ok := t.By[tier]; !ok {
				return nil, fmt.Errorf("%s: the task %s has no line for %s; a comparison needs every tier on every task", b.t.Name, t.ID, tier)
			}
		}
	}
	return b.t, nil
}

// WriteCSV writes a table in the form that ReadCSV reads.
func (t *Table) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write(append(append([]string(nil), columns...), "class", "language", "size", "failure_kind")) // Flush tells
	for _, x := range t.Tasks {
		for _, tier := range t.Tiers {
			d := x.By[tier]
			_ = w.Write([]string{x.ID, string(tier), strconv.FormatBool(d.Solved), strconv.FormatFloat(d.Cost.Float(), 'f', -1, 64),
				strconv.FormatFloat(d.Took.Seconds(), 'f', -1, 64), x.Case.Class, x.Case.Language, x.Case.Size, x.Case.Failure})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("writing a table: %w", err)
	}
	return nil
}

// ReadSWEBench reads the per-instance figures that the SWE-bench project's
// site keeps for its leaderboard (data/info_for_leaderboard.json of the
// repository SWE-bench/swe-bench.github.io: model → instance → resolved, cost,
// api_calls). Its licence forbids commercial use, so it is never a part of
// this repository; who wants the figures fetches the file. models are the
// file's names for tier1, tier2, tier3. The class of a task is its project;
// times are not in the file, so 10 s are counted for each call.
func ReadSWEBench(name string, in io.Reader, models ...string) (*Table, error) {
	var file map[string]map[string]struct {
		Resolved bool    `json:"resolved"`
		Cost     float64 `json:"cost"`
		Calls    int     `json:"api_calls"`
	}
	if err := json.NewDecoder(io.LimitReader(in, 64<<20)).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n := len(models); n < 1 || n > 3 {
		return nil, fmt.Errorf("%s: %d models; name one to three, the cheapest first", name, n)
	}
	b := newBuilder(name)
	for i, m := range models {
		instances, ok := file[m]
		if !ok {
			return nil, fmt.Errorf("%s: no model %q", name, m)
		}
		ids := make([]string, 0, len(instances))
		for id := range instances {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			x := instances[id]
			project, _, _ := strings.Cut(id, "__")
			did := Did{x.Resolved, task.Dollars(x.Cost), time.Duration(x.Calls) * 10 * time.Second}
			if err := b.add(id, estimate.Case{Class: project, Language: "python"}, task.Ladder[i+1], did); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return b.table()
}
