package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testCopy: everything goes to a database of either kind and back, a run that was under
// way goes on there, and what holds data is not written over.
func testCopy(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	_, err := s.Secret(ctx, "markers")
	h.must(err)
	_, err = s.Accept(ctx, store.Delivery{ID: "d1", Event: "issues", Payload: []byte("{\"text\":\"\u00e4 \u0001\"}"), ReceivedAt: h.Now()})
	h.must(err)
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	h.must(s.Record(ctx, l, task.Message{Data: json.RawMessage(`"Grüße"`)}))
	_, err = s.Once(ctx, l, "key", func(context.Context, bool) (json.RawMessage, error) { return json.RawMessage(`1`), nil })
	h.must(err)
	h.create(s, ask("r2", "shop", 2))

	middle := h.sibling(SQLite(t))
	there := middle.open()
	copied, err := s.Copy(ctx, there)
	h.must(err)
	if i := slices.IndexFunc(copied, func(c store.Copied) bool { return c.Table == "runs" }); i < 0 || copied[i].Rows != 2 || len(copied[i].Hash) != 64 {
		t.Errorf("%+v", copied)
	}
	same := func(a, b string) {
		t.Helper()
		one, two := Dump(t, a), Dump(t, b)
		for column, values := range one {
			table, _, _ := strings.Cut(column, ".")
			if strings.HasPrefix(table, "river") || strings.HasPrefix(table, "goose") || strings.HasPrefix(table, "sqlite") {
				continue
			}
			slices.Sort(values)
			slices.Sort(two[column])
			if !reflect.DeepEqual(values, two[column]) {
				t.Errorf("%s: %q, and at the new place %q", column, values, two[column])
			}
		}
	}
	same(h.url, middle.url)
	if _, err := s.Copy(ctx, there); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("copied over data: %v", err)
	}
	back := h.sibling(h.another(t))
	home := back.open()
	_, err = there.Copy(ctx, home)
	h.must(err)
	same(h.url, back.url)

	h.Advance(2 * time.Minute)
	if n, err := home.Sweep(ctx, time.Minute); n == 0 || err != nil {
		t.Errorf("what was under way is not taken up: %d %v", n, err)
	}
	l2, r := back.claim(home)
	if r.ID != "r1" || l2.Token <= l.Token {
		t.Errorf("claimed %s with token %d, the old one had %d", r.ID, l2.Token, l.Token)
	}
	h.is(home.SaveState(ctx, l, task.RunState{}), store.ErrFenced)
}
