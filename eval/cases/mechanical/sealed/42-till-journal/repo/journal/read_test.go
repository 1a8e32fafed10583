package journal

import (
	"strings"
	"testing"

	"till/money"
)

func mustRead(t *testing.T, text string) []Entry {
	t.Helper()
	entries, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func wantAmounts(t *testing.T, entries []Entry, want ...money.Cents) {
	t.Helper()
	if len(entries) != len(want) {
		t.Fatalf("got %d entries, want %d", len(entries), len(want))
	}
	for i, entry := range entries {
		if entry.Amount != want[i] {
			t.Errorf("amount %d is %v, want %v", i, entry.Amount, want[i])
		}
	}
}

func TestHouseMoney(t *testing.T) {
	wantAmounts(t, mustRead(t, "09:10 sale food 12.00\n09:11 sale food 3.5\n"), 1200, 350)
}

func TestForeignMoney(t *testing.T) {
	wantAmounts(t, mustRead(t, "@rate EUR 1.1\n09:10 sale food 10.00 EUR\n"), 1100)
}

func TestRateChanges(t *testing.T) {
	wantAmounts(t, mustRead(t, "@rate EUR 1.1\n09:10 sale food 10 EUR\n@rate EUR 1.2\n09:20 sale food 10 EUR\n"), 1100, 1200)
}

func TestUnknownCurrency(t *testing.T) {
	_, err := Read(strings.NewReader("09:10 sale food 1 EUR\n"))
	if err == nil || !strings.Contains(err.Error(), "line 1: no rate for EUR") {
		t.Errorf("error is %v", err)
	}
}

func TestGeneralTax(t *testing.T) {
	entries := mustRead(t, "@tax 2000\n09:10 sale ware 12.00\n")
	if entries[0].Tax != 200 {
		t.Errorf("tax is %v", entries[0].Tax)
	}
}

func TestTaxOfAGroup(t *testing.T) {
	entries := mustRead(t, "@tax 2000\n@tax food 500\n09:10 sale food 10.50\n09:11 sale ware 12.00\n")
	if entries[0].Tax != 50 || entries[1].Tax != 200 {
		t.Errorf("taxes are %v and %v", entries[0].Tax, entries[1].Tax)
	}
}

func TestCommentsAndEmptyLines(t *testing.T) {
	if got := mustRead(t, "# opened late\n\n09:10 sale food 1 # cash\n"); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestBackInTime(t *testing.T) {
	if _, err := Read(strings.NewReader("09:10 sale food 1\n09:09 sale food 1\n")); err == nil {
		t.Error("no error")
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{"9 sale a 1", "24:00 sale a 1", "09:00 gift a 1", "09:00 sale a x", "@rate EUR 0", "@tax -1", "@open", "09:00 sale a"} {
		if _, err := Read(strings.NewReader(line)); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}
