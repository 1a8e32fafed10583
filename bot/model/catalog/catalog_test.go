package catalog

import (
	"net/url"
	"strings"
	"testing"
)

func TestA1EveryProviderOfTheSpecIsInTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ollama", "llama.cpp", "vllm", "lmstudio", "deepseek", "openai", "anthropic", "openrouter", "azure", "github-models"} {
		p, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Source == "" || p.Read == "" || p.Title == "" {
			t.Errorf("%s says not where its row comes from, and when", name)
		}
		u, err := url.Parse(p.BaseURL)
		if err != nil || (p.BaseURL != "" && p.Local != (u.Scheme == "http")) {
			t.Errorf("%s: %q is on this machine: %v", name, p.BaseURL, p.Local)
		}
		if !p.Local && p.KeyEnv == "" {
			t.Errorf("%s names no key", name)
		}
	}
	if _, err := Lookup("gpt"); err == nil || !strings.Contains(err.Error(), "openrouter") {
		t.Errorf("an unknown preset is answered with %v", err)
	}
}

func TestA3ADefaultModelAndItsSubstituteHavePrices(t *testing.T) {
	t.Parallel()
	for _, p := range presets {
		for _, m := range []string{p.Model, p.Substitute} {
			if _, ok := PriceOf(m, 0); m != "" && !ok {
				t.Errorf("%s: %s has no price", p.Name, m)
			}
		}
	}
}

func TestA3PricesOfKnownModels(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][2]float64{
		"deepseek-v3.2": {0.28, 0.42}, "openai/GPT-5": {1.25, 10}, "gpt-5-2025-08-07": {1.25, 10}, "gpt-5-mini": {0.25, 2}, "gpt-6.1-sol": {2, 10}, "gpt-5-nano": {0.05, 0.4},
		"claude-sonnet-4-5-20250929": {3, 15}, "anthropic/claude-4.5": {3, 15}, "deepseek/deepseek-flash:free": {0.3, 1.2},
	} {
		if p, ok := PriceOf(model, 65_536); !ok || p.In != want[0] || p.Out != want[1] {
			t.Errorf("%s: %+v %v", model, p, ok)
		}
	}
	for _, unknown := range []string{"gpt-50", "gpt-5x", "gpt-5-pro", "gpt-6.1", "deepseek", "qwen", "", "claude-sonnet-4-5-fast"} {
		if p, ok := PriceOf(unknown, 0); ok {
			t.Errorf("a price was made up for %q: %+v", unknown, p)
		}
	}
}

func TestA3ThePriceTableIsPlausible(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range prices {
		next, known := PriceOf(p.Next, 0)
		if seen[p.Model] || p.Source == "" || p.Read == "" || p.In <= 0 || p.Out < p.In || p.Cached > p.In || p.Model != strings.ToLower(p.Model) || !known || next.Model == p.Model ||
			p.Above > 0 && (p.AboveIn < p.In || p.AboveOut < p.Out || p.AboveCached < p.Cached) {
			t.Errorf("row %+v", p)
		}
		seen[p.Model] = true
	}
}

func TestA1AnAddressTellsItsProvider(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.deepseek.com": "deepseek", "https://api.openai.com/v1": "openai", "http://localhost:11434/v1": "ollama",
		"http://127.0.0.1:1234/v1": "lmstudio", "https://own.openai.azure.com/openai/v1": "azure", "https://openrouter.ai/api/v1": "openrouter",
		"http://127.0.0.1:8080/v1": "", "https://api.openai.com.evil.example/v1": "", "http://127.0.0.1:39123/v1": "", "::": "",
	} {
		if got := Guess(address); got.Name != want {
			t.Errorf("%s is taken for %q", address, got.Name)
		}
	}
}

func TestA3ALongPromptsPriceHoldsWhereOneCanBeSent(t *testing.T) {
	t.Parallel()
	for context, want := range map[int]float64{0: 4, 65_536: 2, 272_000: 2, 272_001: 4} {
		if p, _ := PriceOf("gpt-6.1-sol", context); p.In != want {
			t.Errorf("with %d tokens: %+v", context, p)
		}
	}
}

func TestA1WhatIsNotOfferedHasASubstituteThatIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model        string
		offered      []string
		instead, why string
	}{
		"its successor":              {"gpt-5", []string{"gpt-6-luna", "gpt-6.1-sol", "o9"}, "gpt-6.1-sol", "its successor"},
		"its successor's successor":  {"gpt-5", []string{"gpt-6-luna", "gpt-6-sol"}, "gpt-6-sol", "its successor"},
		"under another host's name":  {"claude-sonnet-4-5", []string{"anthropic/claude-opus-5-5", "anthropic/claude-sonnet-5-5"}, "anthropic/claude-sonnet-5-5", "its successor"},
		"the same tier":              {"gpt-6-luna", []string{"claude-opus-5-5", "claude-haiku-5-5"}, "claude-haiku-5-5", "of about the same price"},
		"no tier is near":            {"gpt-6-luna", []string{"claude-fable-5-1"}, "", "of the nearest name"},
		"the nearest name":           {"qwen2.5-coder:7b", []string{"llama3.2:3b", "qwen2.5-coder:14b", "nomic-embed-text"}, "qwen2.5-coder:14b", "of the nearest name"},
		"nothing is near":            {"qwen2.5-coder:7b", []string{"nomic-embed-text"}, "", "of the nearest name"},
		"nothing is offered":         {"gpt-5", nil, "", "of the nearest name"},
		"a circle of successors end": {"deepseek-v4-pro", []string{"mistral-7b"}, "", "of the nearest name"},
	} {
		if got, why := Instead(c.model, c.offered); got != c.instead || why != c.why {
			t.Errorf("%s: %q, %s", name, got, why)
		}
	}
	for model, offered := range map[string]string{"qwen3": "qwen3:latest", "claude-haiku-4-5": "claude-haiku-4-5-20251001", "GPT-5": "gpt-5", "gpt-6-sol": "openai/gpt-6-sol"} {
		if !Offers([]string{"x", offered}, model) {
			t.Errorf("%s is not found in %s", model, offered)
		}
	}
	if Offers([]string{"gpt-5-mini", "qwen3:8b"}, "gpt-5") || Offers([]string{"qwen3:8b"}, "qwen3") {
		t.Error("another model is taken for the one that is configured")
	}
}
