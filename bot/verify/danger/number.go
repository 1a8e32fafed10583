package danger

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	longNumber = 5 // digits, those left out that only say its size
	longTable  = 5 // numbers
)

// number: one of many digits that neither the issue nor the repository knows, and that is
// no power, span of time or the like, was searched for until the tests passed, or comes
// from somewhere that a person should see.
func (r *reader) number(n code.Node) {
	text := strings.ReplaceAll(n.Text(), "_", "")
	value, err := strconv.ParseUint(text, 0, 64)
	if err != nil || len(strings.Trim(strconv.FormatUint(value, 10), "0")) < longNumber {
		return
	}
	if round(value) || round(value+1) || round(value-1) || r.named(text) || r.named(n.Text()) {
		return
	}
	r.see(n, SpecialCase, whyNumber, n.Text()).once = true
}

// round tells whether a number is made of small factors, as powers of two and ten and
// all spans of time are.
func round(n uint64) bool {
	for _, p := range []uint64{2, 3, 5, 7, 73} { // 365 is 5 times 73
		for n != 0 && n%p == 0 {
			n /= p
		}
	}
	return n == 1
}

// numbers: a list of numbers that do not just count on.
func (r *reader) numbers(n code.Node, all []code.Node) {
	count, counted, last := 0, true, int64(0)
	for _, c := range all {
		for kids := c.NamedChildren(); len(kids) == 1; kids = c.NamedChildren() { // of Go each stands in a node of its own, of all languages behind its sign
			c = kids[0]
		}
		value, err := strconv.ParseInt(strings.ReplaceAll(c.Text(), "_", ""), 0, 64)
		if _, float := strconv.ParseFloat(c.Text(), 64); err != nil && float != nil {
			return // it holds something else too
		}
		counted = counted && (count == 0 || value == last+1)
		count, last = count+1, value
	}
	if count >= longTable && !counted {
		r.see(n, SpecialCase, whyNumbers, "").once = true // where the file had one, another is of its kind
	}
}
