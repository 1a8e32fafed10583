package money

import (
	"fmt"
	"math"
)

// Rates holds what one unit of a currency is worth in the base currency.
type Rates struct {
	Base   string
	Values map[string]float64
}

// ToBase converts an amount to cents of the base currency.
func (r Rates) ToBase(a Amount) (int64, error) {
	if a.Currency == r.Base {
		return a.Cents, nil
	}
	rate, ok := r.Values[a.Currency]
	if !ok || rate <= 0 {
		return 0, fmt.Errorf("money: no rate for %s", a.Currency)
	}
	return int64(math.Round(float64(a.Cents) * rate)), nil
}
