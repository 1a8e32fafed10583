package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/settings"
)

// C2: in a terminal init asks before it writes, again where the answer is none, and
// writes what was agreed to.
func TestInitTalkAsksBeforeItWrites(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			heavy(t)
			dir := redMedians(t)
			x := newTerminal(t, dir, size[0], size[1], "DEEPSEEK_API_KEY=key-of-the-test")
			x.types("fettle init", "Enter")
			x.shows("unittest", "Write it to .fettle.yml? [Y/n]")
			if _, err := os.Stat(filepath.Join(dir, ".fettle.yml")); err == nil {
				t.Error("it is written before the answer")
			}
			x.types("perhaps", "Enter")
			x.shows("y or n?")
			x.types("Enter")
			x.shows("wrote .fettle.yml with", "preset: deepseek", "config.yml? [Y/n]")
			x.types("y", "Enter")
			x.shows("with a Git hook? [y/N]")
			x.types("y", "Enter")
			x.shows("in AGENTS.md, to have their work judged? [y/N]")
			x.types("n", "Enter")
			text := x.shows("what is missing on this machine", "jobs.\n")
			if strings.Contains(x.screen(), "\ngithub") || !strings.Contains(x.screen(), "create the GitHub App\n") {
				t.Errorf("words are broken at the edge:\n%s", x.screen())
			}
			if strings.Contains(text, "key-of-the-test") {
				t.Errorf("it shows a key:\n%s", text)
			}
			for name, there := range map[string]bool{".fettle.yml": true, ".git/hooks/pre-push": true, "AGENTS.md": false} {
				if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
					t.Errorf("%s: %v", name, err)
				}
			}
			x.types(`clear; fettle init; echo "ended with $?"`, "Enter")
			x.shows("config.yml is there already and stays as it is.\n\nCheck what is pushed before it leaves, with a Git hook? [y/N]")
			x.types("C-c")
			x.shows("ended with 130")
		})
	}
}

// C2: --yes asks nothing; what is there already stays as it is.
func TestInitTalkYesAsksNothing(t *testing.T) {
	t.Setenv("DEEPSEEK_API_KEY", "key-of-the-test")
	dir := redMedians(t)
	config := filepath.Join(t.TempDir(), "own", "config.yml")
	got := call(t, "--config", config, "init", "--yes", dir)
	if got.code != 0 || !strings.Contains(got.out, "wrote .fettle.yml") || !strings.Contains(got.out, "wrote "+config) || strings.Contains(got.out, "[y/N]") {
		t.Fatalf("%+v", got)
	}
	set, err := settings.Load(config)
	if err != nil || len(set.Tiers) == 0 {
		t.Errorf("%v %+v", err, set)
	}
	save(t, config, "# mine\n")
	if got = call(t, "--config", config, "init", "--yes", dir); got.code != 0 || strings.Count(got.out, "stays as it is") != 2 {
		t.Errorf("%+v", got)
	}
	if raw, err := os.ReadFile(config); err != nil || string(raw) != "# mine\n" {
		t.Errorf("%v %s", err, raw)
	}
	for _, args := range [][]string{{"--yes", "--write"}, {"--yes", "--json"}, {"--yes", "--agents"}} {
		if got := call(t, append([]string{"init", dir}, args...)...); got.code != exitUsage {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
