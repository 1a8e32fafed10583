package table

import (
	"strings"
	"testing"

	"leaflet/text"
)

func TestLines(t *testing.T) {
	tb := New(Column{Title: "Name"}, Column{Title: "n", Align: text.Right})
	tb.Add("Käse", "12")
	tb.Add("Brötchen", "3")
	want := "Name     |  n\n---------+---\nKäse     | 12\nBrötchen |  3"
	if got := strings.Join(tb.Lines(), "\n"); got != want {
		t.Fatalf("got\n%s", got)
	}
}

func TestMax(t *testing.T) {
	tb := New(Column{Title: "x", Max: 4})
	tb.Add("überall")
	if got := tb.Lines()[2]; got != "übe…" {
		t.Fatalf("got %q", got)
	}
}

func TestMissingCells(t *testing.T) {
	tb := New(Column{Title: "a"}, Column{Title: "b"})
	tb.Add("1")
	tb.Add("1", "2", "3")
	if got := tb.Lines(); got[2] != "1 |" || got[3] != "1 | 2" {
		t.Fatalf("got %q", got)
	}
}
