// Package cron understands the five-field notation of crontab.
package cron

import (
	"fmt"
	"strconv"
	"strings"
)

// set is a bit set of allowed values.
type set struct {
	bits uint64
	any  bool
}

func (s set) has(n int) bool { return s.bits&(1<<uint(n)) != 0 }

var dayNames = map[string]int{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}

// parseField reads lists such as "1-5,10,*/15" within [lo, hi].
func parseField(text string, lo, hi int, names map[string]int) (set, error) {
	var out set
	for _, part := range strings.Split(text, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			n, err := strconv.Atoi(stepText)
			if err != nil || n < 1 {
				return set{}, fmt.Errorf("bad step in %q", part)
			}
			step = n
		}
		from, to := lo, hi
		if span == "*" {
			if !stepped {
				out.any = true
			}
		} else {
			a, b, isRange := strings.Cut(span, "-")
			var err error
			if from, err = number(a, names); err != nil {
				return set{}, err
			}
			to = from
			if isRange {
				if to, err = number(b, names); err != nil {
					return set{}, err
				}
			} else if stepped {
				to = hi
			}
		}
		if from < lo || to > hi || from > to {
			return set{}, fmt.Errorf("%q is outside %d-%d", part, lo, hi)
		}
		for n := from; n <= to; n += step {
			out.bits |= 1 << uint(n)
		}
	}
	return out, nil
}

func number(text string, names map[string]int) (int, error) {
	if n, ok := names[strings.ToLower(text)]; ok {
		return n, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("not a number: %q", text)
	}
	return n, nil
}
