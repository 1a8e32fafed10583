package ledger

import (
	"reflect"
	"testing"

	"example.com/kitty/money"
)

func eur(cents int64) money.Amount { return money.Amount{Cents: cents, Currency: "EUR"} }

func trip() *Ledger {
	return New(money.Rates{Base: "EUR", Values: map[string]float64{"CHF": 1.1, "SEK": 0.09}}, "Cleo", "Abe", "Bea")
}

func balances(t *testing.T, l *Ledger, expenses ...Expense) map[string]int64 {
	t.Helper()
	for _, e := range expenses {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Balances()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestBalancesOfNothing(t *testing.T) {
	if got := balances(t, trip()); !reflect.DeepEqual(got, map[string]int64{"Abe": 0, "Bea": 0, "Cleo": 0}) {
		t.Errorf("got %v", got)
	}
}

func TestBalancesEqualShares(t *testing.T) {
	got := balances(t, trip(), Expense{Title: "hut", Payer: "Abe", Amount: eur(9000)})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": 6000, "Bea": -3000, "Cleo": -3000}) {
		t.Errorf("got %v", got)
	}
}

func TestBalancesWeightedShares(t *testing.T) {
	got := balances(t, trip(), Expense{Title: "taxi", Payer: "Bea", Amount: eur(3000), Shares: map[string]int{"Abe": 2, "Cleo": 1}})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": -2000, "Bea": 3000, "Cleo": -1000}) {
		t.Errorf("got %v", got)
	}
}

func TestBalancesForeignCurrency(t *testing.T) {
	got := balances(t, trip(), Expense{Title: "train", Payer: "Cleo", Amount: money.Amount{Cents: 3000, Currency: "CHF"}})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": -1100, "Bea": -1100, "Cleo": 2200}) {
		t.Errorf("got %v", got)
	}
}

func TestSpent(t *testing.T) {
	l := trip()
	balances(t, l,
		Expense{Title: "hut", Payer: "Abe", Amount: eur(9000)},
		Expense{Title: "fika", Payer: "Bea", Amount: money.Amount{Cents: 10000, Currency: "SEK"}})
	if got, err := l.Spent(); err != nil || got != 9900 {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestAddRejects(t *testing.T) {
	for _, e := range []Expense{
		{Payer: "Abe", Amount: eur(0)},
		{Payer: "Dan", Amount: eur(100)},
		{Payer: "Abe", Amount: eur(100), Shares: map[string]int{"Dan": 1}},
		{Payer: "Abe", Amount: eur(100), Shares: map[string]int{"Bea": 0}},
		{Payer: "Abe", Amount: money.Amount{Cents: 100, Currency: "JPY"}},
	} {
		if err := trip().Add(e); err == nil {
			t.Errorf("%v: no error", e)
		}
	}
}

func TestSplitRemainder(t *testing.T) {
	got := Split(1000, map[string]int{"Abe": 1, "Bea": 1, "Cleo": 1})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": 334, "Bea": 333, "Cleo": 333}) {
		t.Errorf("got %v", got)
	}
}

func TestSplitLargestRemainderFirst(t *testing.T) {
	got := Split(101, map[string]int{"Abe": 1, "Bea": 2})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": 34, "Bea": 67}) {
		t.Errorf("got %v", got)
	}
}
