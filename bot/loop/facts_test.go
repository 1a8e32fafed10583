package loop

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
)

func TestM9OnlyCallsOfWhatIsShownAreTold(t *testing.T) {
	t.Parallel()
	f := facts{Times: 9, Calls: []seenCall{
		{"a.js", 3, "whole('x') gave 1", false}, {"b.js", 5, "shown('x') gave 2", false}, {"b.js", 5, "shown('y') gave 3", false}, {"b.js", 5, "shown('z') gave 4", false},
		{"b.js", 30, "elsewhere('x') gave 5", false}, {"c.js", 1, "thrower('x') raised TypeError", true},
	}}
	got := f.near(agent.Shown{Code: []agent.Text{{Path: "a.js", Start: 1, End: 90}, {Path: "b.js", ID: "function:shown@1", Start: 5, End: 9}, {Path: "c.js", Top: true, Start: 1, End: 3}}})
	want := "whole('x') gave 1   [a.js:3]\nshown('x') gave 2   [b.js:5]\nshown('y') gave 3\nthrower('x') raised TypeError   [c.js:1]\n(5 calls more: "
	if !strings.HasPrefix(got, want) {
		t.Errorf("told\n%s", got)
	}
	if got := f.near(agent.Shown{}); !strings.HasPrefix(got, "thrower") {
		t.Errorf("told\n%s", got)
	}
}
