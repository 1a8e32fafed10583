// Package journal reads the lines that a till writes.
package journal

import (
	"fmt"

	"till/money"
)

// Kind says what happened at the till.
type Kind int

const (
	Sale Kind = iota
	Refund
)

func parseKind(word string) (Kind, error) {
	switch word {
	case "sale":
		return Sale, nil
	case "refund":
		return Refund, nil
	}
	return 0, fmt.Errorf("unknown kind %q", word)
}

// Entry is one sale or refund, in house money.
type Entry struct {
	Minute int
	Kind   Kind
	Group  string
	Amount money.Cents
	Tax    money.Cents
}

// Signed is the amount as it changes the contents of the till.
func (e Entry) Signed() money.Cents {
	if e.Kind == Refund {
		return -e.Amount
	}
	return e.Amount
}

// SignedTax is the tax owed because of the entry.
func (e Entry) SignedTax() money.Cents {
	if e.Kind == Refund {
		return -e.Tax
	}
	return e.Tax
}
