package model

import (
	"testing"
	"time"
)

func TestA3ATiersTimeHoldsForItsFirstWordToo(t *testing.T) {
	t.Parallel()
	if e := newEndpoint(Endpoint{BaseURL: "https://models.example.com/v1", Timeout: 20 * time.Minute}); e.First != 20*time.Minute {
		t.Errorf("a call is given up after %s without a word, of %s", e.First, e.Timeout)
	}
}
