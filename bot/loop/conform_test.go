package loop_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// A model's test expects what nobody has stated. What the documents say, as somebody
// reads them who sees neither the issue nor the change, settles it: for the change, against
// it, or not at all.
func TestC10ASecondReadingOfTheDocumentsDecides(t *testing.T) {
	t.Parallel()
	f := blanks["python"]
	own := strings.ReplaceAll(f.unsaid, "G. H.", "GH")
	says := func(call string) string {
		return "from names import initials\n\n\ndef test_as_documented():\n    assert " + call + "\n"
	}
	for name, c := range map[string]struct {
		readme, path, test string
		ready              bool
		want               string // a reason of the draft, or what is checked
	}{
		"for":      {"`initials(name)` gives the first letter of each word.\n", f.path, says("initials('Mary Jane Watson') == 'MJW'") + "\n\ndef test_weak():\n    initials('Bo')\n", true, "1 failed before the change and passed with it"},
		"against":  {"`initials(name)` gives one letter.\n", "tests/test_documented.py", says("initials('Mary Jane Watson') == 'M'"), false, "passed before the change and fails with it: test_as_documented"},
		"neither":  {"`initials(name)` gives capitals.\n", "tests/test_documented.py", says("initials('Bo') == 'B'"), false, "neither the issue nor the README"},
		"the same": {"`initials(name)` gives the first letter of each word.\n", "tests/test_documented.py", own, false, "neither the issue nor the README"},
		"silent":   {"", "", "", false, "neither the issue nor the README"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(f.files)
			if c.readme != "" {
				files["README.md"] = "# names\n\n" + c.readme
			}
			var seen []scripted.Call
			b := newBench(t, files, func(call scripted.Call, _ int) scripted.Answer {
				switch {
				case strings.Contains(call.System, conformWords):
					seen = append(seen, call)
					return creates(c.path, c.test)
				case aim(call) == "":
					return creates(f.source, f.fix)
				}
				return creates(f.path, own)
			}, task.Tier1)
			b.reproducing(t)
			b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
			res := b.run(t, task.Budget{})
			if res.Outcome != task.Success || res.Draft == c.ready {
				t.Fatalf("%s (%s), draft %v: %q, %q", res.Outcome, res.Reason, res.Draft, res.DraftReasons, b.told("conform.turned_down"))
			}
			said := strings.Join(res.DraftReasons, "\n")
			if c.ready {
				said = ""
				for _, check := range res.Best.Checks {
					if check.Name == "what the documents say" {
						said = check.Detail
					}
				}
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("it does not say %q: %s", c.want, said)
			}
			if asked := len(seen) > 0; asked != (c.readme != "") {
				t.Errorf("asked %t, README %q", asked, c.readme)
			}
			for _, call := range seen {
				for _, hidden := range []string{"Lovelace", "Hopper", "GH", "word[0]"} {
					if strings.Contains(call.User, hidden) {
						t.Errorf("whoever reads the documents sees %q of the issue, the test or the change:\n%s", hidden, call.User)
					}
				}
				if !strings.Contains(call.User, "def initials") || !strings.Contains(call.User, strings.TrimSpace(c.readme)) {
					t.Errorf("whoever reads the documents does not see them and the code as it was:\n%s", call.User)
				}
			}
		})
	}
}
