package catalog

import (
	"regexp"
	"strings"
)

// Price is a list price in USD per million tokens. Where a provider's price
// depends on the hour or on the length of the prompt, the highest stands here:
// a budget has to hold.
type Price struct {
	Model  string  // lower case, without its vendor
	In     float64 // a prompt's tokens
	Cached float64 // of them, those read from the provider's cache; 0: not known, counted as In
	Out    float64 // an answer's tokens, reasoning included
	Source string
	Note   string // what public lists say otherwise
}

const (
	spec      = "the project's own defaults"
	anthropic = "platform.claude.com, models and pricing"
	secondary = "price lists of other projects, autumn 2026; the provider's page was not at hand"
)

// prices is the table. The operator's file overrides it.
var prices = []Price{
	{"deepseek-v3.2", 0.14, 0, 0.28, spec, "public lists of December 2025 say 0.28 and 0.42"},
	{"deepseek-v3.2-exp", 0.14, 0, 0.28, spec, "public lists of December 2025 say 0.28 and 0.42"},
	{"deepseek-chat", 0.14, 0, 0.28, spec, "the name ended in July 2026; use deepseek-flash"},
	{"deepseek-flash", 0.30, 0.006, 1.20, "api-docs.deepseek.com (in CNY) and a price list of 2026-10-27 (in USD)", "at peak hours; half at others"},
	{"deepseek-v4-flash", 0.30, 0.006, 1.20, "api-docs.deepseek.com: billed as deepseek-flash", "at peak hours; half at others"},
	{"deepseek-v4-pro", 1.32, 0.044, 3.96, "api-docs.deepseek.com (in CNY) and a price list of 2026-10-27 (in USD)", "at peak hours; half at others"},
	{"gpt-5", 2, 0, 8, spec, "public lists say 1.25 and 10"},
	{"gpt-5-mini", 0.25, 0.025, 2, secondary, ""},
	{"gpt-5-nano", 0.05, 0.005, 0.40, secondary, ""},
	{"gpt-5.6-sol", 5, 0, 30, secondary, ""},
	{"gpt-5.6-terra", 2, 0, 12, secondary, ""},
	{"gpt-6-sol", 2, 0.20, 10, secondary, ""},
	{"gpt-6-luna", 0.10, 0.01, 0.50, secondary, ""},
	{"claude-4.5", 3, 0, 15, spec, ""},
	{"claude-4-5", 3, 0, 15, spec, ""},
	{"claude-sonnet-4", 3, 0.30, 15, anthropic, ""},
	{"claude-sonnet-4.5", 3, 0.30, 15, anthropic, ""},
	{"claude-sonnet-4-5", 3, 0.30, 15, anthropic, ""},
	{"claude-sonnet-4-6", 3, 0.30, 15, anthropic, ""},
	{"claude-sonnet-5", 2, 0.20, 10, anthropic, ""},
	{"claude-sonnet-5-5", 2, 0.20, 10, anthropic, ""},
	{"claude-opus-5", 5, 0.50, 25, anthropic, ""},
	{"claude-opus-5-5", 4, 0.20, 20, anthropic, ""},
	{"claude-haiku-4-5", 1, 0.10, 5, anthropic, ""},
	{"claude-haiku-5-5", 0.50, 0.05, 2.50, anthropic, "for prompts over 100,000 tokens; a fifth for shorter ones"},
}

// snapshot is what may follow a model's name without changing its price: a
// date, "latest", or a free offer. "-pro" or "-mini" is another model.
var snapshot = regexp.MustCompile(`^([-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})|-latest|:free)?$`)

// PriceOf looks a model up. A vendor before the name ("openai/gpt-5") does not matter.
// A model that is not in the table has no price: none is made up.
func PriceOf(model string) (Price, bool) {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, p := range prices {
		rest, found := strings.CutPrefix(name, p.Model)
		if found && snapshot.MatchString(rest) {
			return p, true
		}
	}
	return Price{}, false
}
