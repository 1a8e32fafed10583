// Package table draws simple tables.
package table

import (
	"strings"

	"leaflet/text"
)

// Column has a title, a side, and a largest width (0: any).
type Column struct {
	Title string
	Align text.Align
	Max   int
}

// Table collects rows.
type Table struct {
	Columns []Column
	rows    [][]string
}

func New(columns ...Column) *Table { return &Table{Columns: columns} }

// Add appends a row; missing cells are empty, additional ones are dropped.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Columns))
	copy(row, cells)
	for i, c := range t.Columns {
		if c.Max > 0 {
			row[i] = text.Cut(row[i], c.Max)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *Table) widths() []int {
	out := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = text.Width(c.Title)
		for _, row := range t.rows {
			if w := text.Width(row[i]); w > out[i] {
				out[i] = w
			}
		}
	}
	return out
}

// Lines draws the table.
func (t *Table) Lines() []string {
	w := t.widths()
	draw := func(cells []string) string {
		parts := make([]string, len(cells))
		for i, cell := range cells {
			parts[i] = text.Pad(cell, w[i], t.Columns[i].Align)
		}
		return strings.TrimRight(strings.Join(parts, " | "), " ")
	}
	titles := make([]string, len(t.Columns))
	rules := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
		rules[i] = strings.Repeat("-", w[i])
	}
	lines := []string{draw(titles), strings.Join(rules, "-+-")}
	for _, row := range t.rows {
		lines = append(lines, draw(row))
	}
	return lines
}
