// Package money has amounts in cents and their exchange.
package money

import (
	"fmt"
	"strconv"
	"strings"
)

// Amount is a number of cents of a currency.
type Amount struct {
	Cents    int64
	Currency string
}

func (a Amount) String() string {
	sign, cents := "", a.Cents
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, cents/100, cents%100, a.Currency)
}

// Parse reads amounts such as "12.50 EUR" or "7 USD".
func Parse(text string) (Amount, error) {
	fields := strings.Fields(text)
	if len(fields) != 2 || len(fields[1]) != 3 {
		return Amount{}, fmt.Errorf("money: cannot read %q", text)
	}
	whole, fraction, _ := strings.Cut(fields[0], ".")
	if len(fraction) > 2 {
		return Amount{}, fmt.Errorf("money: too many digits in %q", text)
	}
	cents, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return Amount{}, fmt.Errorf("money: cannot read %q", text)
	}
	return Amount{cents, strings.ToUpper(fields[1])}, nil
}
