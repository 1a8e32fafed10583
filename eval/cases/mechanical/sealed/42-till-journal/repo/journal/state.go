package journal

import (
	"fmt"
	"strconv"

	"till/money"
)

// state is what has been read so far: the settings and the entries.
type state struct {
	rates map[string]money.Rate
	taxes map[string]int64
	base  int64

	entries []Entry
	line    int // of the last entry
}

func newState() *state {
	return &state{rates: map[string]money.Rate{}, taxes: map[string]int64{}}
}

// directive takes the words of a line that starts with "@".
func (s *state) directive(words []string) error {
	switch {
	case words[0] == "@rate" && len(words) == 3:
		rate, err := money.ParseRate(words[2])
		if err != nil {
			return err
		}
		s.rates[words[1]] = rate
	case words[0] == "@tax" && len(words) == 2:
		tax, err := parseTax(words[1])
		if err != nil {
			return err
		}
		s.base = tax
	case words[0] == "@tax" && len(words) == 3:
		tax, err := parseTax(words[2])
		if err != nil {
			return err
		}
		s.taxes[words[1]] = tax
	default:
		return fmt.Errorf("bad directive %q", words[0])
	}
	return nil
}

func parseTax(text string) (int64, error) {
	tax, err := strconv.ParseInt(text, 10, 32)
	if err != nil || tax < 0 || tax > 10000 {
		return 0, fmt.Errorf("bad tax %q", text)
	}
	return tax, nil
}

// rate finds the rate of a currency; no currency is house money.
func (s *state) rate(currency string) (money.Rate, error) {
	if currency == "" {
		return money.One, nil
	}
	rate, known := s.rates[currency]
	if !known {
		return 0, fmt.Errorf("no rate for %s", currency)
	}
	return rate, nil
}

// tax finds the tax of a group of goods: its own one or the general one.
func (s *state) tax(group string) int64 {
	tax := s.base
	if own, known := s.taxes[group]; known {
		tax = own
	}
	return tax
}
