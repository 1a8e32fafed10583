// Package money has amounts in cents and the rates between currencies.
package money

import (
	"fmt"
	"strconv"
	"strings"
)

// Cents is an amount in the smallest unit of a currency.
type Cents int64

// Rate is the worth of one unit in house money, in ten-thousandths.
type Rate int64

// One is the rate of the house currency itself.
const One Rate = 10000

// ParseCents reads amounts such as "12", "12.5" and "12.50".
func ParseCents(text string) (Cents, error) {
	n, err := parseFixed(text, 2)
	return Cents(n), err
}

// ParseRate reads a positive rate with up to four decimals.
func ParseRate(text string) (Rate, error) {
	n, err := parseFixed(text, 4)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("a rate cannot be zero")
	}
	return Rate(n), nil
}

func parseFixed(text string, decimals int) (int64, error) {
	whole, part, _ := strings.Cut(text, ".")
	if whole == "" || len(part) > decimals {
		return 0, fmt.Errorf("bad number %q", text)
	}
	digits := whole + part + strings.Repeat("0", decimals-len(part))
	n, err := strconv.ParseUint(digits, 10, 50)
	if err != nil {
		return 0, fmt.Errorf("bad number %q", text)
	}
	return int64(n), nil
}

// Convert gives the worth of an amount in house money, rounded half up.
func (r Rate) Convert(amount Cents) Cents {
	return Cents((int64(amount)*int64(r) + int64(One)/2) / int64(One))
}

// Contained gives the tax that is part of an amount, for a tax in hundredths
// of a percent.
func Contained(amount Cents, tax int64) Cents {
	whole := 10000 + tax
	return Cents((int64(amount)*tax + whole/2) / whole)
}

func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}
