// Package page cuts long lists into pages.
package page

import (
	"fmt"
	"net/url"
	"strconv"
)

// Sizes of a page.
const (
	DefaultSize = 20
	MaxSize     = 100
)

// Request says which page is wanted. Pages are counted from one.
type Request struct {
	Number int
	Size   int
}

// Parse reads the page and size parameters of a query.
func Parse(query url.Values) (Request, error) {
	req := Request{Number: 1, Size: DefaultSize}
	var err error
	if text := query.Get("page"); text != "" {
		if req.Number, err = strconv.Atoi(text); err != nil || req.Number < 1 {
			return Request{}, fmt.Errorf("bad page %q", text)
		}
	}
	if text := query.Get("size"); text != "" {
		if req.Size, err = strconv.Atoi(text); err != nil || req.Size < 1 {
			return Request{}, fmt.Errorf("bad size %q", text)
		}
	}
	req.Size = min(req.Size, MaxSize)
	return req, nil
}

// Bounds gives the half-open range of the page in a list of total elements.
func (r Request) Bounds(total int) (from, to int) {
	from = (r.Number - 1) * r.Size
	to = from + r.Size
	if to > total {
		to = total
	}
	return from, to
}

// Pages is how many pages a list of total elements has.
func (r Request) Pages(total int) int {
	return (total + r.Size - 1) / r.Size
}
