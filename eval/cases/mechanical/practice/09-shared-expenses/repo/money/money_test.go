package money

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]Amount{
		"12.50 EUR": {1250, "EUR"},
		"7 usd":     {700, "USD"},
		"0.5 EUR":   {50, "EUR"},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "12", "EUR 12", "1.234 EUR", "x EUR"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestString(t *testing.T) {
	if got := (Amount{-1205, "EUR"}).String(); got != "-12.05 EUR" {
		t.Errorf("got %s", got)
	}
}

func TestToBase(t *testing.T) {
	rates := Rates{"EUR", map[string]float64{"CHF": 1.05}}
	if got, err := rates.ToBase(Amount{1000, "CHF"}); err != nil || got != 1050 {
		t.Errorf("got %d, %v", got, err)
	}
	if got, err := rates.ToBase(Amount{1000, "EUR"}); err != nil || got != 1000 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := rates.ToBase(Amount{1000, "SEK"}); err == nil {
		t.Error("no error for SEK")
	}
}
