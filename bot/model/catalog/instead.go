package catalog

import (
	"math"
	"strings"
)

// Offers tells whether a model is among those that an endpoint lists. A list may
// name the snapshot that an alias stands for, and a local one the tag "latest".
func Offers(offered []string, model string) bool { return listed(offered, model) != "" }

// listed is the name under which a model is listed, or "".
func listed(offered []string, model string) string {
	for _, o := range offered {
		if strings.EqualFold(o, model) {
			return o
		}
	}
	for _, o := range offered {
		rest, found := strings.CutPrefix(bare(o), bare(model))
		if found && snapshot.MatchString(rest) {
			return o
		}
	}
	return ""
}

// Instead names what an endpoint offers in the place of a model that it does not:
// what the table says follows it, else what costs most nearly the same, else the
// nearest name. It is "" where nothing is near.
func Instead(model string, offered []string) (name, why string) {
	here, priced := PriceOf(model, 1)
	seen := map[string]bool{}
	for at := here; priced && at.Next != "" && !seen[at.Next]; {
		seen[at.Next] = true
		if o := listed(offered, at.Next); o != "" {
			return o, "its successor"
		}
		if at, priced = PriceOf(at.Next, 1); !priced {
			break
		}
	}
	if _, known := PriceOf(model, 1); known {
		best := math.Log(4) // four times as much is another tier
		for _, o := range offered {
			p, ok := PriceOf(o, 1)
			if !ok {
				continue
			}
			if d := math.Abs(math.Log(p.In*3+p.Out) - math.Log(here.In*3+here.Out)); d < best {
				best, name = d, o
			}
		}
		if name != "" {
			return name, "of about the same price"
		}
	}
	best := 0.5
	for _, o := range offered {
		if s := alike(bare(model), bare(o)); s > best {
			best, name = s, o
		}
	}
	return name, "of the nearest name"
}

// alike is how much of two names is the same: the share of their pairs of letters
// that both have (Dice's coefficient).
func alike(a, b string) float64 {
	pairs := func(s string) map[string]int {
		out := map[string]int{}
		for i := 0; i+2 <= len(s); i++ {
			out[s[i:i+2]]++
		}
		return out
	}
	left, right := pairs(a), pairs(b)
	both, all := 0, max(0, len(a)-1)+max(0, len(b)-1)
	for pair, n := range left {
		both += min(n, right[pair])
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(both) / float64(all)
}
