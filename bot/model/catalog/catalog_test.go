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
		if p.Source == "" || p.Title == "" {
			t.Errorf("%s says not where its row comes from", name)
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
			if _, ok := PriceOf(m); m != "" && !ok {
				t.Errorf("%s: %s has no price", p.Name, m)
			}
		}
	}
}

func TestA3PricesOfKnownModels(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][2]float64{
		"deepseek-v3.2": {0.14, 0.28}, "openai/GPT-5": {2, 8}, "gpt-5-2025-08-07": {2, 8}, "gpt-5-mini": {0.25, 2}, "deepseek-chat": {0.14, 0.28}, "gpt-5-nano": {0.05, 0.4},
		"claude-sonnet-4-5-20250929": {3, 15}, "anthropic/claude-4.5": {3, 15}, "deepseek/deepseek-flash:free": {0.3, 1.2},
	} {
		if p, ok := PriceOf(model); !ok || p.In != want[0] || p.Out != want[1] {
			t.Errorf("%s: %+v %v", model, p, ok)
		}
	}
	for _, unknown := range []string{"gpt-50", "gpt-5x", "gpt-5-pro", "gpt-5.2", "deepseek", "qwen", "", "claude-sonnet-4-5-fast"} {
		if p, ok := PriceOf(unknown); ok {
			t.Errorf("a price was made up for %q: %+v", unknown, p)
		}
	}
}

func TestA3ThePriceTableIsPlausible(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range prices {
		if seen[p.Model] || p.Source == "" || p.In <= 0 || p.Out < p.In || p.Cached > p.In || p.Model != strings.ToLower(p.Model) {
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
