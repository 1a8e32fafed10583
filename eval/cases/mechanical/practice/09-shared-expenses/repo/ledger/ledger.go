// Package ledger keeps the expenses of a group.
package ledger

import (
	"errors"
	"fmt"
	"sort"

	"example.com/kitty/money"
)

// Expense is something that one member paid for some of the others. Shares
// are weights by member; without any, all members share equally.
type Expense struct {
	Title  string
	Payer  string
	Amount money.Amount
	Shares map[string]int
}

// Ledger is the book of one group.
type Ledger struct {
	rates    money.Rates
	members  []string
	expenses []Expense
}

// New makes a ledger for some members.
func New(rates money.Rates, members ...string) *Ledger {
	sorted := append([]string(nil), members...)
	sort.Strings(sorted)
	return &Ledger{rates: rates, members: sorted}
}

func (l *Ledger) isMember(name string) bool {
	i := sort.SearchStrings(l.members, name)
	return i < len(l.members) && l.members[i] == name
}

// Add checks and files an expense.
func (l *Ledger) Add(e Expense) error {
	if e.Amount.Cents <= 0 {
		return errors.New("ledger: amount must be positive")
	}
	if !l.isMember(e.Payer) {
		return fmt.Errorf("ledger: %s is not a member", e.Payer)
	}
	for name, weight := range e.Shares {
		if !l.isMember(name) {
			return fmt.Errorf("ledger: %s is not a member", name)
		}
		if weight <= 0 {
			return fmt.Errorf("ledger: bad share of %s", name)
		}
	}
	if _, err := l.rates.ToBase(e.Amount); err != nil {
		return err
	}
	l.expenses = append(l.expenses, e)
	return nil
}

// Balances is what each member gets (positive) or owes (negative), in cents of
// the base currency.
func (l *Ledger) Balances() (map[string]int64, error) {
	balances := make(map[string]int64, len(l.members))
	for _, name := range l.members {
		balances[name] = 0
	}
	for _, e := range l.expenses {
		cents, err := l.rates.ToBase(e.Amount)
		if err != nil {
			return nil, err
		}
		shares := e.Shares
		if len(shares) == 0 {
			shares = equal(l.members)
		}
		for name, part := range Split(cents, shares) {
			balances[name] -= part
		}
		balances[e.Payer] += e.Amount.Cents
	}
	return balances, nil
}

// Spent is the sum of all expenses in cents of the base currency.
func (l *Ledger) Spent() (int64, error) {
	var sum int64
	for _, e := range l.expenses {
		cents, err := l.rates.ToBase(e.Amount)
		if err != nil {
			return 0, err
		}
		sum += cents
	}
	return sum, nil
}
