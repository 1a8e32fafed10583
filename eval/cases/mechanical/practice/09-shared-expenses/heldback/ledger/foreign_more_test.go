package ledger

import (
	"reflect"
	"testing"

	"example.com/kitty/money"
)

func TestForeignExpensesSumToZero(t *testing.T) {
	for _, currency := range []string{"EUR", "CHF", "SEK"} {
		for _, cents := range []int64{1, 7, 100, 999, 12345} {
			got := balances(t, trip(), Expense{Payer: "Bea", Amount: money.Amount{Cents: cents, Currency: currency}})
			if sum := got["Abe"] + got["Bea"] + got["Cleo"]; sum != 0 {
				t.Errorf("%d %s: balances %v are off by %d", cents, currency, got, sum)
			}
		}
	}
}

func TestForeignWeighted(t *testing.T) {
	got := balances(t, trip(), Expense{
		Payer: "Abe", Amount: money.Amount{Cents: 100000, Currency: "SEK"}, Shares: map[string]int{"Bea": 2, "Cleo": 1},
	})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": 9000, "Bea": -6000, "Cleo": -3000}) {
		t.Errorf("got %v", got)
	}
}

func TestMixedCurrencies(t *testing.T) {
	got := balances(t, trip(),
		Expense{Payer: "Abe", Amount: eur(3000)},
		Expense{Payer: "Bea", Amount: money.Amount{Cents: 3000, Currency: "CHF"}},
	)
	if !reflect.DeepEqual(got, map[string]int64{"Abe": 900, "Bea": 1200, "Cleo": -2100}) {
		t.Errorf("got %v", got)
	}
}

func TestPayerOutsideTheShares(t *testing.T) {
	got := balances(t, trip(), Expense{
		Payer: "Cleo", Amount: money.Amount{Cents: 1000, Currency: "CHF"}, Shares: map[string]int{"Abe": 1},
	})
	if !reflect.DeepEqual(got, map[string]int64{"Abe": -1100, "Bea": 0, "Cleo": 1100}) {
		t.Errorf("got %v", got)
	}
}

func TestSpentDoesNotDependOnBalances(t *testing.T) {
	l := trip()
	balances(t, l, Expense{Payer: "Cleo", Amount: money.Amount{Cents: 1000, Currency: "CHF"}})
	if got, err := l.Spent(); err != nil || got != 1100 {
		t.Errorf("got %d, %v", got, err)
	}
}
