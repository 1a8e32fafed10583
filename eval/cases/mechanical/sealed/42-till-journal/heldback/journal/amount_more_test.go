package journal

import (
	"strings"
	"testing"
)

func TestForeignMoneyIsConverted(t *testing.T) {
	wantAmounts(t, mustRead(t, "@rate GBP 1.2500\n@rate EUR 1.1\n09:10 sale a 8 GBP\n09:11 sale a 8\n09:12 refund a 0.50 EUR\n"), 1000, 800, 55)
}

func TestRateBelowOne(t *testing.T) {
	wantAmounts(t, mustRead(t, "@rate SEK 0.0875\n09:10 sale a 100 SEK\n09:11 sale a 1 SEK\n"), 875, 9)
}

func TestRateOfAnotherCurrencyDoesNotCount(t *testing.T) {
	_, err := Read(strings.NewReader("@rate EUR 1.1\n09:10 sale a 1 GBP\n"))
	if err == nil {
		t.Error("no error")
	}
}

func TestErrorInALaterLine(t *testing.T) {
	_, err := Read(strings.NewReader("@rate EUR 1.1\n\n09:10 sale a 1 EUR\n09:11 sale a 1 USD\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "line 4:") {
		t.Errorf("error is %v", err)
	}
}

func wantError(t *testing.T, text, want string) {
	t.Helper()
	entries, err := Read(strings.NewReader(text))
	if err == nil || err.Error() != want {
		t.Errorf("%q: error is %v, want %s", text, err, want)
	}
	if entries != nil {
		t.Errorf("%q: got entries %v", text, entries)
	}
}

func TestBadLineAmongGoodOnes(t *testing.T) {
	wantError(t, "09:10 sale a 1\n09:11 sale a 1,50\n09:12 sale a 2\n", `line 2: bad number "1,50"`)
}

func TestBadLastLine(t *testing.T) {
	wantError(t, "09:10 sale a 1\n# noon\n\n12:00 gift a 1", `line 4: unknown kind "gift"`)
}

func TestFirstOfTwoBadLines(t *testing.T) {
	wantError(t, "09:10 sale a 1\n09:60 sale a 1\n@open\n", `line 2: bad time "09:60"`)
}

func TestBadDirectiveAfterEntries(t *testing.T) {
	wantError(t, "09:10 sale a 1\n@rate EUR x\n", `line 2: bad number "x"`)
}

func TestBackInTimeNamesTheLineBefore(t *testing.T) {
	wantError(t, "# start\n09:10 sale a 1\n@tax 5\n\n09:09 sale a 1\n", "line 5: 09:09 is before line 2")
	wantError(t, "09:10 sale a 1\n09:10 sale a 1\n09:30 sale a 1\n08:00 sale a 1\n", "line 4: 08:00 is before line 3")
}

func TestSameMinuteIsFine(t *testing.T) {
	wantAmounts(t, mustRead(t, "09:10 sale a 1\n09:10 sale a 2\n"), 100, 200)
}

func TestDirectivesBetweenEntries(t *testing.T) {
	wantAmounts(t, mustRead(t, "09:10 sale a 1\n@tax 5\n# x\n09:11 sale a 2\n@rate EUR 2\n"), 100, 200)
}

func TestEmptyJournal(t *testing.T) {
	entries, err := Read(strings.NewReader("\n# closed\n"))
	if err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v", entries, err)
	}
}
