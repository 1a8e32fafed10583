package catalog

import (
	"regexp"
	"strings"
)

// Price is a list price in USD per million tokens. Where a provider's price
// depends on the hour, the highest stands here: a budget has to hold.
type Price struct {
	Model  string  // lower case, without its vendor
	In     float64 // a prompt's tokens
	Cached float64 // of them, those read from the provider's cache; 0: not known, counted as In
	Out    float64 // an answer's tokens, reasoning included

	// Of a request whose prompt has more than Above tokens, all are charged thus; 0: none is.
	Above                          int
	AboveIn, AboveCached, AboveOut float64

	Ends string // day on which the provider ends the model; empty: none is announced
	Next string // what the provider, or this table, names in its place

	Source string
	Read   string // date that the source bears or was read by its keeper
	Doubt  string // what could not be checked at the provider's own page; empty: nothing
	Note   string
}

const (
	anthropic   = "platform.claude.com, the models' pages and pricing"
	anthropicAt = "2026-10-24"
	deepseek    = "api-docs.deepseek.com, models and pricing"
	openaiModel = "developers.openai.com, the model's page"
	litellm     = "LiteLLM's announcement of the model and its price map"
	list        = "models.dev at 2026-07-02"
	secondhand  = "the provider's own page was not at hand"
	ended       = "the provider has ended it; other hosts may have it at prices of their own"
)

// prices is the table. The operator's file overrides it.
var prices = []Price{
	{Model: "deepseek-flash", In: 0.30, Cached: 0.006, Out: 1.20, Next: "deepseek-v4-pro", Source: deepseek, Read: "2026-10", Note: "at peak hours; half at others"},
	{Model: "deepseek-v4-flash", In: 0.30, Cached: 0.006, Out: 1.20, Next: "deepseek-flash", Source: deepseek, Read: "2026-10", Note: "an old name, billed as deepseek-flash"},
	{Model: "deepseek-v4-pro", In: 1.32, Cached: 0.044, Out: 3.96, Next: "deepseek-flash", Source: deepseek, Read: "2026-10", Note: "at peak hours; half at others"},
	{Model: "deepseek-v3.2", In: 0.28, Out: 0.42, Next: "deepseek-flash", Source: "public lists", Read: "2025-12", Doubt: ended},
	{Model: "deepseek-v3.2-exp", In: 0.28, Out: 0.42, Next: "deepseek-flash", Source: "public lists", Read: "2025-12", Doubt: ended},
	{Model: "deepseek-chat", In: 0.28, Out: 0.42, Ends: "2026-07-24", Next: "deepseek-flash", Source: "public lists", Read: "2025-12", Doubt: "the day is that of two clients' notes; " + ended},

	{Model: "gpt-6.1-sol", In: 2, Cached: 0.10, Out: 10, Above: 272_000, AboveIn: 4, AboveCached: 0.20, AboveOut: 15, Next: "gpt-6-sol", Source: litellm, Read: "2026-10", Doubt: secondhand},
	{Model: "gpt-6.1-terra", In: 1, Cached: 0.05, Out: 5, Above: 272_000, AboveIn: 2, AboveCached: 0.10, AboveOut: 7.50, Next: "gpt-6.1-sol", Source: litellm, Read: "2026-10-27", Doubt: secondhand},
	{Model: "gpt-6-sol", In: 2, Cached: 0.20, Out: 10, Above: 272_000, AboveIn: 4, AboveCached: 0.40, AboveOut: 15, Next: "gpt-6.1-sol", Source: litellm, Read: "2026-09-22", Doubt: secondhand},
	{Model: "gpt-6-luna", In: 0.10, Cached: 0.01, Out: 0.50, Above: 272_000, AboveIn: 0.20, AboveCached: 0.02, AboveOut: 0.75, Next: "gpt-6.1-terra", Source: openaiModel, Read: "2026-10"},
	{Model: "gpt-5.6-sol", In: 5, Cached: 0.50, Out: 30, Above: 272_000, AboveIn: 10, AboveCached: 1, AboveOut: 45, Next: "gpt-6.1-sol", Source: "two resellers' price notes", Read: "2026-08-01", Doubt: secondhand},
	{Model: "gpt-5.6-terra", In: 2, Cached: 0.20, Out: 12, Above: 272_000, AboveIn: 4, AboveCached: 0.40, AboveOut: 18, Next: "gpt-6.1-terra", Source: "two resellers' price notes", Read: "2026-08-01", Doubt: secondhand},
	{Model: "gpt-5.6-luna", In: 0.20, Cached: 0.02, Out: 1.20, Above: 272_000, AboveIn: 0.40, AboveCached: 0.04, AboveOut: 1.80, Next: "gpt-6-luna", Source: "two resellers' price notes", Read: "2026-08-01", Doubt: secondhand},
	{Model: "gpt-5.5", In: 5, Cached: 0.50, Out: 30, Above: 272_000, AboveIn: 10, AboveCached: 1, AboveOut: 45, Next: "gpt-6.1-sol", Source: list, Read: "2026-07-02", Doubt: secondhand + "; the price above 272,000 tokens is that of its successor"},
	{Model: "gpt-5.4", In: 2.50, Cached: 0.25, Out: 15, Above: 272_000, AboveIn: 5, AboveCached: 0.50, AboveOut: 22.50, Next: "gpt-6.1-sol", Source: list, Read: "2026-07-02", Doubt: secondhand},
	{Model: "gpt-5.4-mini", In: 0.75, Cached: 0.075, Out: 4.50, Next: "gpt-6.1-terra", Source: list, Read: "2026-07-02", Doubt: secondhand},
	{Model: "gpt-5.2", In: 1.75, Cached: 0.175, Out: 14, Next: "gpt-6.1-sol", Source: "pydantic's genai-prices", Read: "2025-12-11", Doubt: secondhand},
	{Model: "gpt-5.1", In: 1.25, Cached: 0.125, Out: 10, Ends: "2027-04-01", Next: "gpt-6.1-sol", Source: "pydantic's genai-prices", Read: "2025-11-13", Doubt: secondhand + "; its end is from a copy of the deprecations page"},
	{Model: "gpt-5", In: 1.25, Cached: 0.125, Out: 10, Ends: "2026-12-11", Next: "gpt-6.1-sol", Source: list + "; its end: developers.openai.com, deprecations", Read: "2026-07-02"},
	{Model: "gpt-5-mini", In: 0.25, Cached: 0.025, Out: 2, Ends: "2026-12-11", Next: "gpt-6.1-terra", Source: list + "; its end: developers.openai.com, deprecations", Read: "2026-07-02"},
	{Model: "gpt-5-nano", In: 0.05, Cached: 0.005, Out: 0.40, Ends: "2026-12-11", Next: "gpt-6-luna", Source: list + "; its end: developers.openai.com, deprecations", Read: "2026-07-02"},

	{Model: "claude-fable-5-1", In: 10, Cached: 0.25, Out: 50, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-fable-5", In: 10, Cached: 1, Out: 50, Next: "claude-fable-5-1", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-5-5", In: 4, Cached: 0.20, Out: 20, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-5", In: 5, Cached: 0.50, Out: 25, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-4-8", In: 5, Cached: 0.50, Out: 25, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-4-7", In: 5, Cached: 0.50, Out: 25, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-4-6", In: 5, Cached: 0.50, Out: 25, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-opus-4-5", In: 5, Cached: 0.50, Out: 25, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-sonnet-5-5", In: 2, Cached: 0.10, Out: 10, Next: "claude-opus-5-5", Source: anthropic, Read: anthropicAt, Doubt: "the price of the cache, cut on 2026-10-07, is from two clients' notes"},
	{Model: "claude-sonnet-5", In: 2, Cached: 0.20, Out: 10, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-sonnet-4-6", In: 3, Cached: 0.30, Out: 15, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-sonnet-4-5", In: 3, Cached: 0.30, Out: 15, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt, Doubt: "two clients' notes say that it ended in autumn 2026"},
	{Model: "claude-sonnet-4.5", In: 3, Cached: 0.30, Out: 15, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt, Doubt: "a name of other hosts"},
	{Model: "claude-4-5", In: 3, Cached: 0.30, Out: 15, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt, Doubt: "a name of other hosts, taken for Sonnet's"},
	{Model: "claude-4.5", In: 3, Cached: 0.30, Out: 15, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt, Doubt: "a name of other hosts, taken for Sonnet's"},
	{Model: "claude-sonnet-4", In: 3, Cached: 0.30, Out: 15, Ends: "2026-06-15", Next: "claude-sonnet-5-5", Source: anthropic + ", release notes", Read: "2026-06-17"},
	{Model: "claude-haiku-5-5", In: 0.10, Cached: 0.01, Out: 0.50, Above: 100_000, AboveIn: 0.50, AboveCached: 0.05, AboveOut: 2.50, Next: "claude-sonnet-5-5", Source: anthropic, Read: anthropicAt},
	{Model: "claude-haiku-4-5", In: 1, Cached: 0.10, Out: 5, Next: "claude-haiku-5-5", Source: anthropic, Read: anthropicAt},
}

// snapshot is what may follow a model's name without changing its price: a
// date, "latest", or a free offer. "-pro" or "-mini" is another model.
var snapshot = regexp.MustCompile(`^([-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4})|-latest|:free|:latest)?$`)

// PriceOf looks a model up. A vendor before the name ("openai/gpt-5") does not
// matter. context is how many tokens a prompt may have, 0 when that is not known:
// where long prompts cost more, the price is that of the longest. A model that is
// not in the table has no price: none is made up.
func PriceOf(model string, context int) (Price, bool) {
	name := bare(model)
	for _, p := range prices {
		rest, found := strings.CutPrefix(name, p.Model)
		if !found || !snapshot.MatchString(rest) {
			continue
		}
		if p.Above > 0 && (context == 0 || context > p.Above) {
			p.In, p.Cached, p.Out = p.AboveIn, p.AboveCached, p.AboveOut
		}
		return p, true
	}
	return Price{}, false
}

// bare is a model's name in lower case, without its vendor.
func bare(model string) string {
	name := strings.ToLower(model)
	return name[strings.LastIndexByte(name, '/')+1:]
}
