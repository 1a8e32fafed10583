// Command learning measures what fettle learns: faults that come back are planted in made
// repositories, one after the other, in ways that no rule of the engine knows; a double in
// the place of a model knows each right answer and costs what its tokens cost. Whoever
// maintains the repository keeps what is right and writes the right code over what is not.
// The same errands are done with memory and without. What counts is attempts, dollars and
// seconds for each fault that was mended, in the second half against the first.
//
//	make bench-learning LEARNING="-repos 3 -each 10"
//
// Each change is also run against a test that was held back. It ends with status 1 when
// the second half costs more than 0.6 of the first with memory, or when with memory more
// changes were called ready and are wrong than without.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/fettle-dev/fettle/bench/double"
	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

type bench struct {
	fettle  string
	limit   time.Duration
	verbose bool
}

// Done is what came of one errand.
type Done struct {
	Kind     string  `json:"kind"`
	Memory   bool    `json:"memory"`
	Half     int     `json:"half"`
	Mended   bool    `json:"mended"`
	Ready    bool    `json:"ready"`
	Wrong    bool    `json:"wrong"` // mended, and red with the test that was held back
	Tier     string  `json:"tier"`
	Attempts int     `json:"attempts"`
	Cost     float64 `json:"cost_usd"`
	Seconds  float64 `json:"seconds"`
	Why      string  `json:"why,omitempty"`
}

// Sum is one half of the errands.
type Sum struct {
	Memory            bool
	Half              int
	Errands, Mended   int
	Mechanical, Wrong int // Wrong of those that were called ready
	Attempts          int
	Cost, Seconds     float64
}

func main() {
	b := bench{}
	var repos, each int
	var asJSON bool
	flag.StringVar(&b.fettle, "fettle", "bin/fettle", "the program to look at")
	flag.IntVar(&repos, "repos", 3, "made repositories")
	flag.IntVar(&each, "each", 10, "faults in each, one after the other")
	flag.DurationVar(&b.limit, "limit", 5*time.Minute, "wall clock of one fix")
	flag.BoolVar(&asJSON, "json", false, "print each errand as JSON instead of the table")
	flag.BoolVar(&b.verbose, "v", false, "say what came of each errand")
	flag.Parse()
	if flag.NArg() > 0 || repos < 1 || each < 2 || repos*each > len(nouns) {
		fmt.Fprintf(os.Stderr, "learning: at least 1 repository and 2 faults in each, and at most %d faults in all\n", len(nouns))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, repos, each, asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "learning:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, repos, each int, asJSON bool) (err error) {
	if b.fettle, err = filepath.Abs(b.fettle); err != nil {
		return err
	}
	var all []Done
	lessons := map[bool]pattern.Stats{}
	for _, memory := range []bool{false, true} {
		dir, err := os.MkdirTemp("", "fettle-bench-learning-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		done, stats, err := b.arm(ctx, dir, memory, repos, each)
		if err != nil {
			return err
		}
		all, lessons[memory] = append(all, done...), stats
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	return report(all, lessons[true])
}

// arm does all errands in new repositories.
func (b *bench) arm(ctx context.Context, dir string, memory bool, repos, each int) (all []Done, stats pattern.Stats, err error) {
	list := errands(repos, each)
	for r := range repos {
		tree := tree(dir, r)
		files := map[string]string{"house.py": house, "README.md": "# A house\n"}
		for _, e := range list {
			if e.repo == r {
				files[e.module+".py"], files["test_"+e.module+".py"] = e.right, e.tests
			}
		}
		if err := os.MkdirAll(tree, 0o755); err != nil {
			return nil, stats, err
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
				return nil, stats, err
			}
		}
		if err := errors.Join(git(ctx, tree, "init", "--quiet", "--initial-branch", "main"), commit(ctx, tree, "The house")); err != nil {
			return nil, stats, err
		}
	}
	for n, e := range list {
		d, err := b.errand(ctx, dir, e, memory)
		if err != nil {
			return nil, stats, fmt.Errorf("errand %d (%s of %s): %w", n+1, e.kind.name, e.module, err)
		}
		if all = append(all, d); b.verbose {
			fmt.Fprintf(os.Stderr, "%2d memory %-5v %-10s %-12s mended %-5v ready %-5v wrong %-5v %s, %d attempts, $%.6f, %.1f s %s\n", n+1, memory, e.module, e.kind.name, d.Mended, d.Ready, d.Wrong, d.Tier, d.Attempts, d.Cost, d.Seconds, d.Why)
		}
	}
	for r := range repos {
		out, err := exec.CommandContext(ctx, b.fettle, "memory", "stats", "--json", "--config", filepath.Join(dir, "config.yml"), "--repo", tree(dir, r)).Output()
		if err != nil {
			return nil, stats, fmt.Errorf("fettle memory stats: %w", err)
		}
		var s pattern.Stats
		if err := json.Unmarshal(out, &s); err != nil {
			return nil, stats, err
		}
		stats.Fixes, stats.Usable, stats.Used, stats.Helped, stats.Attempts, stats.Generic = stats.Fixes+s.Fixes, stats.Usable+s.Usable, stats.Used+s.Used, stats.Helped+s.Helped, stats.Attempts+s.Attempts, stats.Generic+s.Generic
	}
	return all, stats, nil
}

func tree(dir string, r int) string { return filepath.Join(dir, fmt.Sprintf("house%d", r+1)) }

// errand plants one fault, has it mended, and does what whoever maintains the repository
// does with the change.
func (b *bench) errand(ctx context.Context, dir string, e errand, memory bool) (Done, error) {
	d := Done{Kind: e.kind.name, Memory: memory, Half: e.half + 1}
	tree, path := tree(dir, e.repo), e.module+".py"
	put := func(text string) error { return os.WriteFile(filepath.Join(tree, path), []byte(text), 0o644) }
	if err := errors.Join(put(e.wrong), commit(ctx, tree, "Work on "+e.module)); err != nil {
		return d, err
	}
	regions, err := code.Regions(ctx, path, []byte(e.wrong))
	if err != nil {
		return d, err
	}
	right, err := code.Regions(ctx, path, []byte(e.right))
	if err != nil {
		return d, err
	}
	answer := double.Edit{Path: path, Why: e.title}
	for _, r := range regions {
		if r.Name == "of_"+e.module {
			answer.Region = r.ID
		}
	}
	for _, r := range right {
		if r.Name == "of_"+e.module {
			answer.Code = e.right[r.StartByte:r.EndByte]
		}
	}
	model, err := scripted.Start(answer.Script())
	if err != nil {
		return d, err
	}
	defer model.Close()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("tiers:\n  tier1:\n    base_url: %s\n    model: scripted-double\n    context_tokens: 65536\n    price_in_per_mtok: 1\n    price_out_per_mtok: 4\nstate_dir: %s\nbudget:\n  attempts_per_tier: 3\n", model.URL(), filepath.Join(dir, "state"))
	issue := filepath.Join(dir, "issue.md")
	if err := errors.Join(os.WriteFile(config, []byte(text), 0o600), os.WriteFile(issue, []byte(e.title+"\n\n"+e.body+"\n"), 0o600)); err != nil {
		return d, err
	}
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	args := []string{"fix", "--quiet", "--config", config, "--repo", tree, "--issue", issue, "--json"}
	if !memory {
		args = append(args, "--without", "memory")
	}
	cmd := exec.CommandContext(limited, b.fettle, args...)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 20*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	runErr := cmd.Run()
	d.Seconds = time.Since(begun).Seconds()
	var s bot.Summary
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		return d, fmt.Errorf("fettle fix says nothing: %w: %s", errors.Join(runErr, err), stderr.String())
	}
	d.Mended, d.Ready, d.Tier, d.Attempts, d.Cost, d.Why = s.Outcome == task.Success, s.Outcome == task.Success && !s.Draft, string(s.Tier), s.Attempts, s.Cost.Float(), s.Reason
	if d.Mended {
		if !s.Applied && !s.Committed {
			apply := exec.CommandContext(ctx, "git", "-C", tree, "apply", "-")
			apply.Stdin = bytes.NewReader([]byte(s.Diff))
			if out, err := apply.CombinedOutput(); err != nil {
				return d, fmt.Errorf("applying what it made: %w: %s", err, out)
			}
		}
		held := exec.CommandContext(limited, "python3", "-B", "-c", e.held)
		held.Dir = tree
		d.Wrong = held.Run() != nil
	}
	if !d.Mended || d.Wrong {
		if err := put(e.right); err != nil {
			return d, err
		}
	}
	return d, errors.Join(commit(ctx, tree, e.title), ctx.Err())
}

func git(ctx context.Context, dir string, args ...string) error {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "user.name=bench", "-c", "user.email=bench@localhost"}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

func commit(ctx context.Context, dir, words string) error {
	return errors.Join(git(ctx, dir, "add", "--all", "--", ".", ":!.fettle"), git(ctx, dir, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", words))
}

func report(all []Done, lessons pattern.Stats) error {
	var sums []*Sum
	for _, d := range all {
		var s *Sum
		for _, o := range sums {
			if o.Memory == d.Memory && o.Half == d.Half {
				s = o
			}
		}
		if s == nil {
			s = &Sum{Memory: d.Memory, Half: d.Half}
			sums = append(sums, s)
		}
		s.Errands++
		s.Attempts, s.Cost, s.Seconds = s.Attempts+d.Attempts, s.Cost+d.Cost, s.Seconds+d.Seconds
		if d.Mended && !d.Wrong {
			s.Mended++
			if d.Tier == string(task.TierMechanical) {
				s.Mechanical++
			}
		}
		if d.Ready && d.Wrong {
			s.Wrong++
		}
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "memory\thalf\terrands\tmended\tby the mechanical tier\tready and wrong\tattempts each\t$ each\tseconds each")
	for _, s := range sums {
		n := float64(max(1, s.Mended))
		fmt.Fprintf(t, "%v\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.6f\t%.1f\n", s.Memory, s.Half, s.Errands, s.Mended, s.Mechanical, s.Wrong, float64(s.Attempts)/n, s.Cost/n, s.Seconds/n)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	wrong, dollars := map[bool]int{}, map[bool]float64{}
	for i := 0; i+1 < len(sums); i += 2 {
		a, z := sums[i], sums[i+1]
		ratio := func(x, y float64) float64 { return y / float64(max(1, z.Mended)) / (x / float64(max(1, a.Mended))) }
		wrong[a.Memory], dollars[a.Memory] = a.Wrong+z.Wrong, ratio(a.Cost, z.Cost)
		fmt.Printf("memory %v: the second half takes %.2f of the first's attempts, %.2f of its dollars, %.2f of its seconds for each that is mended\n",
			a.Memory, ratio(float64(a.Attempts), float64(z.Attempts)), dollars[a.Memory], ratio(a.Seconds, z.Seconds))
	}
	fmt.Printf("lessons: %d fixes, %d usable; %d attempts had some, %d of these runs ended with one; %d of %d attempts had a key that fits everything\n",
		lessons.Fixes, lessons.Usable, lessons.Used, lessons.Helped, lessons.Generic, lessons.Attempts)
	switch {
	case dollars[true] > 0.6:
		return fmt.Errorf("with memory the second half costs %.2f of the first, and at most 0.6 is aimed at", dollars[true])
	case wrong[true] > wrong[false]:
		return fmt.Errorf("%d changes were called ready and are wrong with memory, %d without", wrong[true], wrong[false])
	}
	return nil
}
