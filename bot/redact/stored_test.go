package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestI5AnErrorIsShownWithoutSecretsAndKnownAllTheSame(t *testing.T) {
	t.Parallel()
	f := New("the-secret-value")
	err := f.Error(fmt.Errorf("reading with the-secret-value: %w", io.EOF))
	if !errors.Is(err, io.EOF) || err.Error() != "reading with "+Mark+": EOF" {
		t.Errorf("%v", err)
	}
	if f.Error(nil) != nil || !errors.Is(f.Error(io.EOF), io.EOF) {
		t.Error("an error without secrets was changed")
	}
}

func TestI5WhatIsStoredForCodeLosesOnlyValuesThatAreSurelySecrets(t *testing.T) {
	t.Parallel()
	f := New("the-live-token-of-this-process", "ollama")
	doc := `{"a":"x = 'the-live-token-of-this-process' \u003c","b":"ollama, ` + fakeAWS + ` \n"}`
	want := `{"a":"x = '` + Mark + `' <","b":"ollama, ` + fakeAWS + ` \n"}`
	if got := string(f.Stored([]byte(doc))); got != want {
		t.Errorf("got %s", got)
	}
	if got := string(f.JSON([]byte(doc))); strings.Contains(got, "ollama") || strings.Contains(got, fakeAWS) {
		t.Errorf("got %s", got)
	}
	var none *Funnel
	if got := string(none.Stored([]byte(doc))); got != doc {
		t.Errorf("got %s", got)
	}
}

func FuzzJSONStaysJSON(f *testing.F) {
	const secret = `a "secret" \ of twenty letters`
	f.Add(`{"a": "b\"c", "d": ["` + `e\\"]}`)
	f.Add(`{"a": "a \"secret\" \\ of twenty letters"}`)
	f.Add(`"cut sho`)
	funnel := New(secret)
	f.Fuzz(func(t *testing.T, doc string) {
		for _, clean := range []func([]byte) []byte{funnel.JSON, funnel.Stored} {
			out := clean([]byte(doc))
			if !json.Valid([]byte(doc)) {
				continue
			}
			var v any
			if err := json.Unmarshal(out, &v); err != nil {
				t.Fatalf("%q became %q: %v", doc, out, err)
			}
			if back, _ := json.Marshal(v); strings.Contains(string(back), `a \"secret\" \\ of twenty letters`) {
				t.Fatalf("%q kept the secret: %s", doc, back)
			}
		}
	})
}
