package forge

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestL6TheSameTreeIsCommittedAgainOnTop(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	c, ctx := testClient(t, f.URL, nil), context.Background()
	first, err := c.CommitFiles(ctx, testRepo(), branch, oid("base"), "fix: a [skip ci]\n\nFettle-Run: r1", change("a.py", "1"), "", own)
	ok(t, err)
	made, err := c.Recommit(ctx, testRepo(), branch, first, message, own)
	ok(t, err)
	head, _, err := c.BranchHead(ctx, testRepo(), branch)
	ok(t, err)
	if head != made || made == first || !reflect.DeepEqual(parents(f.commits[made]), []string{first}) || !reflect.DeepEqual(f.commits[made]["tree"], f.commits[first]["tree"]) {
		t.Errorf("head %s, made %s on %s: %v", head, made, first, f.commits[made])
	}
	if text := f.commits[made]["message"].(string); strings.Contains(text, "skip ci") {
		t.Errorf("message %q", text)
	}
	again, err := c.Recommit(ctx, testRepo(), branch, first, message, own) // after a crash
	ok(t, err)
	if again != made {
		t.Errorf("made again: %s, then %s", made, again)
	}
	if strings.Contains(f.writes(), `"force":true`) {
		t.Error("forced")
	}
}

func TestL6ACommitOfAHumanIsNotBuiltUpon(t *testing.T) {
	t.Parallel()
	own := newLedger()
	f := newFake(t)
	c, ctx := testClient(t, f.URL, nil), context.Background()
	first, err := c.CommitFiles(ctx, testRepo(), branch, oid("base"), message, change("a.py", "1"), "", own)
	ok(t, err)
	own.made = map[string]bool{} // somebody else's
	var conflict *Conflict
	if _, err := c.Recommit(ctx, testRepo(), branch, first, message, own); !errors.As(err, &conflict) {
		t.Errorf("a foreign head: %v", err)
	}
	if _, err := c.Recommit(ctx, testRepo(), branch, "main", message, own); err == nil {
		t.Error("a head that is no hash")
	}
}
