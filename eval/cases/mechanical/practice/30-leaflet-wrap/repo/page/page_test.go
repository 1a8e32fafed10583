package page

import (
	"testing"

	"leaflet/table"
)

func expect(t *testing.T, p *Page, want string) {
	t.Helper()
	if got := p.String(); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHead(t *testing.T) {
	p := New(9)
	p.Head("Menü")
	expect(t, p, "  Menü\n=========\n")
}

func TestText(t *testing.T) {
	p := New(10)
	p.Text("one two three\n\nfour")
	expect(t, p, "one two\nthree\n\nfour\n")
}

func TestList(t *testing.T) {
	p := New(12)
	p.List([]string{"short", "rather long item"})
	expect(t, p, "1. short\n2. rather\n   long item\n")
}

func TestListEmptyItem(t *testing.T) {
	p := New(12)
	p.List([]string{""})
	expect(t, p, "1. \n")
}

func TestTable(t *testing.T) {
	p := New(12)
	p.Text("x")
	p.Table(table.New(table.Column{Title: "T"}))
	expect(t, p, "x\n\nT\n-\n")
}

func TestColumns(t *testing.T) {
	p := New(11)
	p.Columns("a b c d", "long text", 1)
	expect(t, p, "a b c long\nd     text\n")
}

func TestColumnsWithAccents(t *testing.T) {
	p := New(22)
	p.Columns("thé à la crème", "café au lait", 2)
	expect(t, p, "thé à la    café au\ncrème       lait\n")
}

func TestListWithAccents(t *testing.T) {
	p := New(13)
	p.List([]string{"crème brûlée"})
	expect(t, p, "1. crème\n   brûlée\n")
	q := New(15)
	q.List([]string{"crème brûlée"})
	expect(t, q, "1. crème brûlée\n")
}
