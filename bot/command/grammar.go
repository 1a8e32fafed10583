package command

import (
	"fmt"
	"strings"
)

// Spec is one command of the grammar (SPEC S3).
type Spec struct {
	Name    string
	Usage   string // as typed, without backticks
	Summary string
}

// known lists all commands in the order of the help.
var known = []Spec{
	{"fix", "/fettle fix [hint]", "mend this issue and open a pull request, or go on with one of fettle's; the hint is passed on"},
	{"plan", "/fettle plan", "make a plan only, and wait"},
	{"approve", "/fettle approve [step N]", "approve the plan or a step"},
	{"reject", "/fettle reject [step N] <feedback>", "reject the plan or a step, with the reason"},
	{"retry", "/fettle retry [--tier T]", "try again, on this tier"},
	{"stop", "/fettle stop", "stop the run on this issue"},
	{"resume", "/fettle resume [--from N]", "go on where a run stopped"},
	{"status", "/fettle status", "say where the run stands"},
	{"explain", "/fettle explain", "show the evidence behind a change"},
	{"test", "/fettle test [commit]", "write tests of the changed functions; on a pull request of others they are shown, or committed to its branch"},
	{"undo", "/fettle undo", "revert fettle's last commit on the branch"},
	{"release", "/fettle release", "lift the quarantine of this repository"},
	{"judge", "/fettle judge", "say what the change of this pull request proves"},
	{"help", "/fettle help", "show this"},
}

func lookup(name string) (Spec, bool) {
	for _, s := range known {
		if s.Name == name {
			return s, true
		}
	}
	return Spec{}, false
}

// Help lists the commands, as Markdown. No line of it is a
// command itself.
func Help() string {
	var b strings.Builder
	b.WriteString("Commands, one per line, at the start of a line:\n\n")
	for _, s := range known {
		fmt.Fprintf(&b, "- `%s`: %s\n", s.Usage, s.Summary)
	}
	b.WriteString("\nOnly people with write permission on this repository may use them.\n")
	return b.String()
}

// Nearest is the command whose name is most like the given one, or "" when
// none is close.
func Nearest(name string) string {
	if _, ok := lookup(strings.ToLower(name)); ok {
		return strings.ToLower(name)
	}
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = s.Name
	}
	return NearestOf(name, names)
}

// NearestOf is the one of the names that is most like the given one, or "" when
// none is close: at most one change per three letters, or a common beginning.
func NearestOf(name string, of []string) string {
	name = strings.ToLower(name)
	if len(name) > 32 {
		return ""
	}
	best, at := "", 1<<30
	for _, s := range of {
		d := distance(name, s)
		if strings.HasPrefix(s, name) && len(name) >= 2 || strings.HasPrefix(name, s) {
			d = min(d, 1)
		}
		if d < at {
			best, at = s, d
		}
	}
	if at > max(1, (len(best)+1)/3) {
		return ""
	}
	return best
}

// distance is the number of letters to insert, remove, change, or swap with
// their neighbour (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
