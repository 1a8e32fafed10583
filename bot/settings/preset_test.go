package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestA1APresetSaysWhatTheFileDoesNot(t *testing.T) {
	t.Parallel()
	s, err := Parse("c.yml", []byte(`
tiers:
  nano: {preset: ollama, model: "qwen2.5-coder:7b"}
  tier1: {preset: deepseek}
  tier2:
    preset: openai
    api_key_env: OWN_KEY
    substitute: {preset: azure, base_url: "https://own.openai.azure.com/openai/v1", model: gpt-5}
  tier3: {preset: anthropic, model: claude-opus-5-5, price_in_per_mtok: 9, price_cached_per_mtok: 1, price_out_per_mtok: 10}
`))
	if err != nil {
		t.Fatal(err)
	}
	for tier, want := range map[task.Tier]Tier{
		task.TierNano: {Preset: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen2.5-coder:7b", PriceFrom: "local endpoint"},
		task.Tier1: {Preset: "deepseek", BaseURL: "https://api.deepseek.com/v1", Model: "deepseek-flash", keyEnv: "DEEPSEEK_API_KEY",
			PriceIn: 0.3, PriceCached: 0.006, PriceOut: 1.2, PriceFrom: "table of " + PricesAsOf},
		task.Tier2: {Preset: "openai", BaseURL: "https://api.openai.com/v1", Model: "gpt-6.1-sol", keyEnv: "OWN_KEY", PriceIn: 2, PriceCached: 0.1, PriceOut: 10, PriceFrom: "table of " + PricesAsOf},
		task.Tier3: {Preset: "anthropic", BaseURL: "https://api.anthropic.com/v1", Model: "claude-opus-5-5", keyEnv: "ANTHROPIC_API_KEY",
			PriceIn: 9, PriceCached: 1, PriceOut: 10, PriceFrom: "configuration"},
	} {
		got := s.Tiers[tier]
		sub := got.Substitute
		got.Timeout, got.MaxTokens, got.ContextTokens, got.Substitute = 0, 0, 0, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", tier, got, want)
		}
		if (sub != nil) != (tier == task.Tier2) {
			t.Errorf("%s: substitute %+v", tier, sub)
		}
	}
	if sub := s.Tiers[task.Tier2].Substitute; sub.BaseURL != "https://own.openai.azure.com/openai/v1" || sub.keyEnv != "AZURE_OPENAI_API_KEY" || sub.PriceIn != 1.25 {
		t.Errorf("substitute %+v", sub)
	}
}

func TestA1MistakesWithPresetsAreExplained(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{preset: gpt}":                                                 "openrouter",
		"{preset: openrouter}":                                          "needs base_url and model",
		"{preset: azure}":                                               "needs base_url and model",
		"{preset: github-models}":                                       "ended GitHub Models",
		"{preset: openrouter, model: own/unknown}":                      "price_in_per_mtok",
		"{preset: openai, substitute: {preset: gpt}}":                   "substitute.preset",
		"{preset: openai, substitute: {preset: ollama}}":                "needs base_url and model",
		"{preset: openai, substitute: {preset: openai, api_key: sk-x}}": "api_key_env",
		"{preset: openai, substitute: {preset: openai, substitute: {preset: openai}}}": "no substitute of its own",
	} {
		_, err := Parse("c.yml", []byte("tiers:\n  tier1: "+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to say %q", text, err, want)
		}
	}
	if _, err := Parse("c.yml", []byte("tiers:\n  tier1: {preset: github-models, base_url: \"https://models.example/inference\", model: gpt-5}\n")); err != nil {
		t.Errorf("an own service in the place of one that ended: %v", err)
	}
}

func TestX1TheSubstitutesKeyIsKnownToTheRedactor(t *testing.T) {
	t.Setenv("SUB_KEY", "canary-of-the-substitute")
	s, err := Parse("c.yml", []byte("tiers:\n  tier1: {preset: openai, api_key_env: NOT_SET, substitute: {preset: deepseek, api_key_env: SUB_KEY}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if known := s.Known(); len(known) != 1 || known[0] != "canary-of-the-substitute" {
		t.Errorf("known secrets %q", known)
	}
}

func TestA5MistakesWithAgentsAsTiersAreExplained(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tier1: {preset: openai, agent: cursor}":                              "aider",
		"tier1: {preset: openai, agent: codex}":                               "untried",
		"tier1: {preset: openai, agent: aider, command: [x]}":                 "keep one",
		"tier1: {preset: openai, agent: aider, substitute: {preset: openai}}": "keep one",
		"tier1: {preset: openai, substitute: {preset: openai, agent: aider}}": "keep one",
		"nano: {preset: openai, command: [x]}":                                "only tier1",
		"tier1: {command: [x]}":                                               "needs base_url and model",
	} {
		_, err := Parse("c.yml", []byte("tiers:\n  "+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to say %q", text, err, want)
		}
	}
	s, err := Parse("c.yml", []byte("tiers: {tier3: {preset: openai, agent: mini-swe-agent}, tier2: {preset: openai, command: [a, b]}, tier1: {preset: openai, command: a b}}\n"))
	if err != nil || len(s.Tiers[task.Tier3].Command) != 3 || s.Tiers[task.Tier3].Agent != "mini-swe-agent" || s.Tiers[task.Tier1].Agent != "a" || !reflect.DeepEqual(s.Tiers[task.Tier2].Command, []string{"a", "b"}) ||
		!reflect.DeepEqual(s.Tiers[task.Tier1].Command, []string{"sh", "-c", "a b"}) {
		t.Errorf("%v %+v", err, s)
	}
}
