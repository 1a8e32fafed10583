package patch

import (
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestE5WhatOnlyTestsUseStaysAsItIs(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"calc.py": calc, "support/helpers.py": "def same(a, b):\n    assert a == b\n",
		"tests/test_calc.py": "from support.helpers import same\nfrom calc import add\n\n\ndef test_add():\n    same(add(1, 1), 2)\n"})
	edit := task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: "support/helpers.py", Region: "same", Code: "def same(a, b):\n    return None"}}}
	_, err := Apply(t.Context(), dir, edit, Guard{})
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Rule != RuleTests || !strings.Contains(refusal.Reason, "only tests use it") {
		t.Errorf("a helper of the tests: %v", err)
	}
	if _, err := Apply(t.Context(), dir, edit, Guard{AllowTests: true}); err != nil {
		t.Errorf("where tests may be edited: %v", err)
	}
	edit.Edits[0] = task.Edit{Kind: task.EditReplace, Path: "calc.py", Region: "add", Code: "def add(a, b):\n    return a + b"}
	if _, err := Apply(t.Context(), dir, edit, Guard{}); err != nil {
		t.Errorf("a library that tests alone import: %v", err)
	}
}
