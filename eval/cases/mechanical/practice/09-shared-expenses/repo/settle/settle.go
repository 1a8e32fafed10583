// Package settle finds the payments that square a group.
package settle

import (
	"fmt"
	"sort"
)

// Payment is money that goes from one member to another.
type Payment struct {
	From, To string
	Cents    int64
}

func (p Payment) String() string {
	return fmt.Sprintf("%s pays %s %d.%02d", p.From, p.To, p.Cents/100, p.Cents%100)
}

type account struct {
	name  string
	cents int64
}

// Plan lets the largest debtor pay the largest creditor until all is square.
func Plan(balances map[string]int64) ([]Payment, error) {
	var debtors, creditors []account
	var sum int64
	for name, cents := range balances {
		sum += cents
		switch {
		case cents < 0:
			debtors = append(debtors, account{name, -cents})
		case cents > 0:
			creditors = append(creditors, account{name, cents})
		}
	}
	if sum != 0 {
		return nil, fmt.Errorf("settle: balances are off by %d", sum)
	}
	var plan []Payment
	for len(debtors) > 0 {
		order(debtors)
		order(creditors)
		d, c := &debtors[0], &creditors[0]
		cents := min(d.cents, c.cents)
		plan = append(plan, Payment{d.name, c.name, cents})
		d.cents -= cents
		c.cents -= cents
		if d.cents == 0 {
			debtors = debtors[1:]
		}
		if c.cents == 0 {
			creditors = creditors[1:]
		}
	}
	return plan, nil
}

func order(accounts []account) {
	sort.Slice(accounts, func(i, j int) bool {
		if accounts[i].cents != accounts[j].cents {
			return accounts[i].cents > accounts[j].cents
		}
		return accounts[i].name < accounts[j].name
	})
}
