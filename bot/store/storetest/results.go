package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// testResults: a result is found under its name, in its repository, while it is young,
// and the newest alone stay.
func testResults(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.must(s.KeepResult(ctx, 7, "Acme/Shop", "a", json.RawMessage(`{"n":1}`)))
	h.must(s.KeepResult(ctx, 7, "Acme/Shop", "a", json.RawMessage(`{"n":2}`)))
	want := func(installation int64, repo, name string, age time.Duration, body string) {
		t.Helper()
		got, made, err := s.Result(ctx, installation, repo, name, age)
		if err != nil || string(got) != body || made.IsZero() != (body == "") {
			t.Errorf("%d %s %s: %s, %v, %v", installation, repo, name, got, made, err)
		}
	}
	want(7, "acme/shop", "a", time.Hour, `{"n":2}`)
	want(7, "acme/shop", "b", time.Hour, "")
	want(7, "acme/other", "a", time.Hour, "")
	want(8, "acme/shop", "a", time.Hour, "")
	want(7, "acme/shop", "a", -time.Hour, "")
	for n := range 60 {
		h.must(s.KeepResult(ctx, 7, "acme/shop", fmt.Sprintf("n%02d", n), json.RawMessage(`{}`)))
	}
	want(7, "acme/shop", "a", time.Hour, "")
	want(7, "acme/shop", "n59", time.Hour, "{}")
}
