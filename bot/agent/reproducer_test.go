package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

// What an earlier way brought takes little room, and gives way before the code and
// the repository's own tests do.
func TestC10WhatAnEarlierWayBroughtStaysShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("assert initials('Ada') == 'A'  # and so on\n", 400)
	prompt := func(bytes int, e Earlier) string {
		var user string
		ask := func(_ context.Context, req model.Request) (model.Reply, error) {
			user = req.User
			return (&speaker{says: []string{`{"actions": [{"action": "finish"}], "explanation": "none"}`}}).ask(t.Context(), req)
		}
		b := ReproductionBrief{Task: task.Task{Title: "initials are wrong", Body: strings.Repeat("They are. ", 20)}, Aim: AimPass, Tests: []Head{{Path: "test_names.py", Text: "from names import initials\n"}}, MaxBytes: bytes, Earlier: e}
		if _, _, err := roles(t).Reproducer.Write(t.Context(), ask, b); err != nil {
			t.Fatal(err)
		}
		return user
	}
	plain := prompt(0, Earlier{Aim: AimFail})
	if strings.Contains(plain, "were turned down") {
		t.Errorf("nothing was tried before, and it is told of:\n%s", plain)
	}
	tried := Earlier{Aim: AimFail, Came: []string{"first: " + long, "second", "third", "fourth: " + long}, Test: long}
	whole := prompt(0, tried)
	if added := len(whole) - len(plain); added > 3000 || strings.Contains(whole, "first: ") || !strings.Contains(whole, "fourth: assert") || !strings.Contains(whole, "The last of them") {
		t.Errorf("it takes %d bytes:\n%s", added, whole)
	}
	small := prompt(len(whole)-1000, tried)
	if strings.Contains(small, "The last of them") && len(small) > len(whole)-1000 || !strings.Contains(small, "test_names.py") || !strings.Contains(small, "third") {
		t.Errorf("the warning pushed out what matters more:\n%s", small)
	}
}
