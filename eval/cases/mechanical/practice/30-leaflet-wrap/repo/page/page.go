// Package page sets whole pages: a head, paragraphs, lists and tables.
package page

import (
	"fmt"
	"strings"

	"leaflet/table"
	"leaflet/text"
)

// Page is a growing list of lines of a fixed width.
type Page struct {
	Width int
	lines []string
}

func New(width int) *Page { return &Page{Width: width} }

func (p *Page) gap() {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, "")
	}
}

// Head puts a title in the middle and a rule under it.
func (p *Page) Head(title string) {
	p.gap()
	title = text.Cut(title, p.Width)
	p.lines = append(p.lines,
		strings.TrimRight(text.Pad(title, p.Width, text.Center), " "),
		strings.Repeat("=", p.Width))
}

// Text adds paragraphs.
func (p *Page) Text(body string) {
	for _, par := range text.Paragraphs(body) {
		p.gap()
		p.lines = append(p.lines, text.Wrap(par, p.Width, "")...)
	}
}

// List adds numbered items; following lines are indented.
func (p *Page) List(items []string) {
	p.gap()
	digits := len(fmt.Sprint(len(items)))
	indent := strings.Repeat(" ", digits+2)
	for i, item := range items {
		wrapped := text.Wrap(item, p.Width, indent)
		if len(wrapped) == 0 {
			wrapped = []string{indent}
		}
		mark := fmt.Sprintf("%*d. ", digits, i+1)
		wrapped[0] = mark + wrapped[0][len(mark):]
		p.lines = append(p.lines, wrapped...)
	}
}

// Table adds a table.
func (p *Page) Table(t *table.Table) {
	p.gap()
	p.lines = append(p.lines, t.Lines()...)
}

// Columns puts a text beside another one, with so many blanks between.
func (p *Page) Columns(left, right string, blanks int) {
	p.gap()
	half := (p.Width - blanks) / 2
	l, r := text.Wrap(left, half, ""), text.Wrap(right, half, "")
	for i := 0; i < len(l) || i < len(r); i++ {
		a, b := "", ""
		if i < len(l) {
			a = l[i]
		}
		if i < len(r) {
			b = r[i]
		}
		line := text.Pad(a, half, text.Left) + strings.Repeat(" ", blanks) + b
		p.lines = append(p.lines, strings.TrimRight(line, " "))
	}
}

func (p *Page) String() string { return strings.Join(p.lines, "\n") + "\n" }
