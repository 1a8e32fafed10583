package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// S7: the picture fits into every window, whatever is in it.
func TestLivePictureFitsIntoItsWindow(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("+名前 = \"👩‍👩‍👧‍👦\"\t# \x1b[31mé\n", 5000)
	for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 8}, {20, 5}, {20, 2}, {1, 1}} {
		m := &liveModel{now: time.Now, began: time.Now().Add(-2 * time.Hour), limit: time.Hour}
		for _, msg := range []tea.Msg{
			tea.WindowSizeMsg{Width: size[0], Height: size[1]},
			task.Progress{Phase: "verify", Tier: task.Tier2, Attempt: 7, Cost: task.Dollars(0.5), Budget: task.Dollars(1), Note: strings.Repeat("word ", 100)},
			task.Attempt{Number: 6, Tier: task.Tier2, Diff: "--- a/x\n+++ b/x\n@@ -1 +1,5000 @@\n" + wide, Fixed: []string{"a", "b"}, Broken: []string{"c"}, Red: []string{"c", "d"}},
			liveTick{},
		} {
			m.Update(msg)
		}
		lines := m.lines()
		if len(lines) == 0 || len(lines) > max(1, size[1]-1) {
			t.Errorf("in %v it has %d lines", size, len(lines))
		}
		for _, l := range lines {
			if n := ansi.StringWidth(l); n > max(1, size[0]-1) {
				t.Errorf("in %v a line is %d wide: %q", size, n, l)
			}
		}
		if text := ansi.Strip(strings.Join(lines, "\n")); size[0] == 80 {
			for _, w := range []string{"verify · 2:00:00 (0:00 left) · tier2, attempt 7 · $0.50 of $1.00", "2 tests turned green, 1 test turned red, 1 test still red", "more lines"} {
				if !strings.Contains(text, w) {
					t.Errorf("it does not say %q:\n%s", w, text)
				}
			}
		}
	}
}

// S7: in a terminal of a person's size fix shows where it stands, and leaves nothing of it
// behind; what is typed meanwhile is not on the screen.
func TestLiveFixShowsWhereItStands(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size[0] > 80 { // TestLivePictureFitsIntoItsWindow draws it in every size
				sandboxtest.Whole(t)
			}
			heavy(t)
			x := newTerminal(t, redMedians(t), size[0], size[1])
			x.types(`fettle fix --fix-until-green; echo "ended with $?"`, "Enter")
			x.shows("left)", "ctrl-c: stop")
			x.types("zzz")
			text := x.shows("ended with 4", "+    return ", "Decide on the open points")
			for _, w := range []string{"left)", "ctrl-c: stop", "zzz", "\ufffd"} {
				if strings.Contains(text, w) {
					t.Errorf("it leaves %q:\n%s", w, text)
				}
			}
			if size[0] == 80 && !strings.Contains(x.screen(), "\n                ") {
				t.Errorf("words are broken at the edge:\n%s", x.screen())
			}
		})
	}
}

// S7, TRUST F14: the first ctrl-c stops with what was reached and gives the terminal back.
func TestLiveCtrlCStopsAndGivesTheTerminalBack(t *testing.T) {
	endToEnd(t)
	dir := redMedians(t)
	test := filepath.Join(dir, "test_calc.py")
	raw, err := os.ReadFile(test)
	if err != nil {
		t.Fatal(err)
	}
	save(t, test, strings.Replace(string(raw), "def test_odd(self):", "def test_odd(self):\n        import time; time.sleep(8)", 1))
	x := newTerminal(t, dir, 80, 24)
	x.types(`fettle fix --fix-until-green --max-tier mechanical`, "Enter")
	x.shows("running the tests as they are", "ctrl-c: stop")
	x.types("C-c")
	x.shows("ctrl-c again ends at once", "Cancelled")
	x.types("echo it is $(( 6 * 7 ))", "Enter")
	x.shows("echo it is $", "it is 42") // what is typed is seen again
}

// S7: who wants plain lines has them; a question has the terminal to itself.
func TestLivePlainLinesAndQuestions(t *testing.T) {
	endToEnd(t)
	dir := redMedians(t)
	x := newTerminal(t, dir, 80, 24)
	plain := `NO_COLOR=1 fettle fix --fix-until-green; echo "ended with $?"`
	if !sandboxtest.Quick() { // what a script prints goes into a pipe, too
		plain = `NO_COLOR=1 fettle fix --fix-until-green 2>&1 | cat; ` + plain
	}
	x.types(plain, "Enter")
	for range 60 * 20 {
		text := x.all()
		if strings.Contains(text, "left)") {
			t.Fatalf("NO_COLOR has a picture:\n%s", text)
		}
		if strings.Contains(text, "ended with 4") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	x.types("clear", "Enter")
	x.types(`fettle fix --fix-until-green --profile safe --interactive --apply=draft; echo "asked, $?"`, "Enter")
	x.shows("yes to the plan?")
	x.types("y", "Enter")
	x.shows("write this change")
	x.types("y", "Enter")
	x.shows("asked, 4")
	if raw, err := os.ReadFile(filepath.Join(dir, "calc.py")); err != nil || string(raw) == wrongMedian {
		t.Errorf("%v\n%s", err, raw)
	}
}
