package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// perHistory is how many fixes of one repository count at most.
const perHistory = 60

var (
	hunkHead = regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)
	words    = regexp.MustCompile(`[\pL\pN_]{1,6}|[^\s\pL\pN_]{1,2}`)
)

// tokens counts pieces of words and signs, near what tokenizers of models
// count for code.
func tokens(s string) int { return len(words.FindAllStringIndex(s, -1)) }

// saving compares, for real fixes, the text of the regions that a fix changed
// with the text of the files that it changed.
func (b *bench) saving(ctx context.Context) error {
	list := os.Getenv("FETTLE_HISTORIES")
	if list == "" {
		own, err := exec.CommandContext(ctx, "git", "rev-parse", "--absolute-git-dir").Output()
		if err != nil {
			return fmt.Errorf("FETTLE_HISTORIES names no Git directories, and this folder has none: %w", err)
		}
		list = strings.TrimSpace(string(own))
	}
	var all []float64
	fmt.Println("Saving of partial updates on real fixes: tokens of the changed regions beside those of the changed files")
	for _, dir := range filepath.SplitList(list) {
		got, err := b.fixes(ctx, dir)
		if err != nil {
			b.miss("fixes of %s: %v", dir, err)
			continue
		}
		fmt.Printf("  %-40s %3d fixes, median saving %5.1f%%\n", dir, len(got), quantile(got, 0.5))
		all = append(all, got...)
	}
	fmt.Printf("  all: %d fixes; saving 5%%: %.1f%%  25%%: %.1f%%  median: %.1f%%  75%%: %.1f%%  95%%: %.1f%%\n", len(all),
		quantile(all, 0.05), quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75), quantile(all, 0.95))
	if len(all) == 0 {
		return errors.New("no history has a fix of one to five source files")
	}
	b.figure("fixes measured for the saving", "at least 100", len(all) >= 100, "%d", len(all))
	b.figure("median saving of tokens", "at least 90 %", quantile(all, 0.5) >= 90, "%.1f %%", quantile(all, 0.5))
	return nil
}

func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return 100 * v[int(q*float64(len(v)-1))]
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"--git-dir", dir, "-c", "core.quotePath=false"}, args...)...).Output() //nolint:gosec // the folders are the operator's
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}

// fixes measures the newest commits that call themselves a fix and change one
// to five source files that are there before and after, tests not counted.
func (b *bench) fixes(ctx context.Context, dir string) ([]float64, error) {
	log, err := git(ctx, dir, "log", "--no-merges", "-i", "--grep=fix", "--format=%H", "-n", "1500")
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, commit := range strings.Fields(log) {
		if len(out) == perHistory {
			break
		}
		status, err := git(ctx, dir, "diff-tree", "-r", "--no-commit-id", "--name-status", commit)
		if err != nil {
			return nil, err
		}
		var paths []string
		for line := range strings.Lines(status) {
			how, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if how == "M" && code.LanguageOf(path) != code.Unknown && !code.IsTest(path) {
				paths = append(paths, path)
			}
		}
		if len(paths) == 0 || len(paths) > 5 {
			continue
		}
		if part, whole := b.weigh(ctx, dir, commit, paths); whole > 0 {
			out = append(out, 1-float64(part)/float64(whole))
		}
	}
	return out, nil
}

// weigh counts the tokens of the regions and of the files that a commit changed.
func (b *bench) weigh(ctx context.Context, dir, commit string, paths []string) (part, whole int) {
	for _, path := range paths {
		src, err1 := git(ctx, dir, "show", commit+":"+path)
		diff, err2 := git(ctx, dir, "diff", "-U0", "--no-color", "--no-ext-diff", commit+"^", commit, "--", path)
		regions, err3 := code.Regions(ctx, path, []byte(src))
		if err1 != nil || err2 != nil || err3 != nil {
			continue
		}
		whole += tokens(src)
		lines := strings.SplitAfter(src, "\n")
		touched := map[string]code.Region{}
		loose := map[int]bool{}
		for _, h := range hunkHead.FindAllStringSubmatch(diff, -1) {
			first, _ := strconv.Atoi(h[1])
			count := 1
			if h[2] != "" {
				count, _ = strconv.Atoi(h[2])
			}
			for line := max(1, first); line < max(1, first)+max(1, count); line++ {
				if r, ok := code.Enclosing(regions, line); ok {
					touched[r.ID] = r
				} else if count > 0 {
					loose[line] = true
				}
			}
		}
		part += outermost(touched, src)
		for line := range loose {
			if line <= len(lines) {
				part += tokens(lines[line-1])
			}
		}
	}
	return part, whole
}

// outermost counts the regions that lie in no other of them.
func outermost(touched map[string]code.Region, src string) int {
	sum := 0
	for _, r := range touched {
		inside := false
		for _, o := range touched {
			inside = inside || o.ID != r.ID && o.StartByte <= r.StartByte && r.EndByte <= o.EndByte
		}
		if !inside {
			sum += tokens(src[r.StartByte:r.EndByte])
		}
	}
	return sum
}
