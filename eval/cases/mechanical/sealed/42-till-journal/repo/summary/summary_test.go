package summary

import (
	"strings"
	"testing"

	"till/journal"
)

func entries(t *testing.T, text string) []journal.Entry {
	t.Helper()
	result, err := journal.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestSumsByGroup(t *testing.T) {
	got := Of(entries(t, "09:00 sale ware 5\n09:01 sale food 2\n09:02 sale ware 1.50\n"))
	if len(got.Lines) != 2 || got.Lines[0].Group != "food" || got.Lines[1].Total != 650 || got.Lines[1].Count != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestRefundsCountBackwards(t *testing.T) {
	got := Of(entries(t, "@tax 2000\n09:00 sale ware 12\n09:01 refund ware 6\n"))
	if got.Total != 600 || got.Tax != 100 {
		t.Errorf("got %+v", got)
	}
}

func TestBusiest(t *testing.T) {
	if got := Busiest(entries(t, "09:00 sale a 1\n10:00 sale a 1\n10:01 sale a 1\n11:00 sale a 1\n")); got != 10 {
		t.Errorf("got %d", got)
	}
	if got := Busiest(nil); got != -1 {
		t.Errorf("got %d", got)
	}
}

func TestText(t *testing.T) {
	got := Of(entries(t, "@rate EUR 1.1\n@tax food 500\n09:00 sale food 10.50\n09:01 sale ware 8.40 EUR\n")).Text()
	want := "food       1      10.50      0.50\nware       1       9.24      0.00\nall               19.74      0.50\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
