package task

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestL5MoneyIsExactThroughJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := USD(rapid.Int64Range(-5_000_000_000_000, 5_000_000_000_000).Draw(t, "billionths"))
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got USD
		if err := json.Unmarshal(raw, &got); err != nil || got != want {
			t.Fatalf("%d became %d through %s (%v)", want, got, raw, err)
		}
	})
}

func TestL5MoneyReadsLikeMoney(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]USD{"$0.00": 0, "$1.25": Dollars(1.25), "$0.0012": Dollars(0.0012), "$-0.50": Dollars(-0.5)} {
		if got := u.String(); got != want {
			t.Errorf("%d is %s, want %s", int64(u), got, want)
		}
	}
	if raw, _ := json.Marshal(Dollars(0.0123)); string(raw) != "0.0123" {
		t.Errorf("got %s", raw)
	}
}

func TestS6ExitCodes(t *testing.T) {
	t.Parallel()
	for o, want := range map[Outcome]int{Success: 0, Error: 1, FailedAllTiers: 3, Timeout: 3, BudgetExhausted: 3, LoopDetected: 3, Impasse: 3, MaxAttempts: 3, MaxReplans: 3, Quarantined: 5, Rejected: 5, Cancelled: 130} {
		if got := o.ExitCode(); got != want {
			t.Errorf("%s exits with %d, want %d", o, got, want)
		}
	}
}
