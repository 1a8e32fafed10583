package page

import "testing"

func TestHeldText(t *testing.T) {
	p := New(12)
	p.Text("Zwölf Bären\ntrüben Öl\n\nüberall")
	expect(t, p, "Zwölf Bären\ntrüben Öl\n\nüberall\n")
}

func TestHeldColumns(t *testing.T) {
	p := New(20)
	p.Columns("äöü äöü ä", "日本 日本", 2)
	expect(t, p, "äöü äöü ä  日本 日本\n")
}

func TestHeldListOfTen(t *testing.T) {
	p := New(9)
	items := make([]string, 10)
	for i := range items {
		items[i] = "öä üß"
	}
	p.List(items)
	want := ""
	for i := 1; i <= 9; i++ {
		want += " " + string(rune('0'+i)) + ". öä üß\n"
	}
	expect(t, p, want+"10. öä üß\n")
}
