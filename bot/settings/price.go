package settings

import "strings"

// price is in dollars per million tokens.
type price struct{ in, out float64 }

// prices are the providers' list prices as of 2026-01, by the beginning of the
// model's name; the longest that fits counts. What stands in the operator's
// file beats them.
var prices = map[string]price{
	"deepseek-":       {0.14, 0.28},
	"gpt-5":           {2, 8},
	"claude-sonnet-4": {3, 15},
	"claude-4.5":      {3, 15},
}

func priceOf(model string) (price, bool) {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	best := ""
	for p := range prices {
		if strings.HasPrefix(name, p) && len(p) > len(best) {
			best = p
		}
	}
	return prices[best], best != ""
}
