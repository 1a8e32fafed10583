// Package catalog is what is known beforehand of providers and of models: one
// table of presets with what each can do, one table of prices with its date.
// It is data and look-ups only: settings completes a tier from it, and
// bot/model asks it what an endpoint understands. It imports nothing of ours
// and never reaches outside.
package catalog

import (
	"fmt"
	"net/url"
	"strings"
)

// Abilities is what an endpoint understands beyond a plain chat completion.
// A wrong entry costs one refused request: bot/model learns from a 400.
type Abilities struct {
	Schema      bool // response_format json_schema: the answer is bound to a schema
	JSON        bool // response_format json_object: the answer is some JSON object
	Tools       bool // tools; fettle sends none, it is shown to the operator
	Effort      bool // reasoning_effort
	StreamUsage bool // stream_options.include_usage: the last chunk says what was used
	NewLimit    bool // max_completion_tokens in place of max_tokens
	TellsCost   bool // usage.cost is what was charged, in USD
}

// Preset is a provider that a tier can name instead of spelling it out.
type Preset struct {
	Name       string
	Title      string
	BaseURL    string // with the version; empty when every customer has an own one
	KeyEnv     string // where the key is looked for when nothing else is said; empty: none is needed
	KeyHeader  string // empty: "Authorization: Bearer"
	Model      string // when nothing else is said; empty: must be given
	Substitute string // of the same provider, for a model that it does not offer (any more)
	Local      bool   // on this machine: costs nothing, and may load for minutes before it answers
	Can        Abilities
	AnyName    bool   // answers by the model that is loaded, whatever name is asked for
	Unlisted   bool   // GET /models lists something else than what can be asked for
	ListQuery  string // what GET /models needs beside the key
	ListHeader map[string]string
	Retired    string // why it cannot be used any more; empty for all that can
	Source     string // where the row was read
	Read       string // date that the source bears or was read by its keeper
	Doubt      string // what could not be checked; empty: nothing
}

// AsOf dates the table of presets and the table of prices.
const AsOf = "2026-11-25"

// presets is the table. What of a row could not be checked stands under Doubt.
var presets = []Preset{
	{Name: "ollama", Title: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Local: true,
		Can:    Abilities{Schema: true, JSON: true, Tools: true, Effort: true, StreamUsage: true},
		Source: "docs.ollama.com, OpenAI compatibility, and its blog on structured outputs", Read: "2026-11", Doubt: "json_schema in response_format is not on the page itself"},
	{Name: "llama.cpp", Title: "llama.cpp server", BaseURL: "http://127.0.0.1:8080/v1", Local: true,
		Can:     Abilities{Schema: true, JSON: true, Tools: true, StreamUsage: true},
		AnyName: true,
		Source:  "README of llama.cpp's server (schema-constrained JSON); tools need --jinja", Read: "2026-11", Doubt: "usage while streaming"},
	{Name: "vllm", Title: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Local: true,
		Can:    Abilities{Schema: true, JSON: true, Tools: true, StreamUsage: true},
		Source: "docs.vllm.ai, OpenAI-compatible server; reasoning_effort depends on the model and is not sent", Read: "2026-11"},
	{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", Local: true,
		Can:    Abilities{Schema: true, Tools: true, StreamUsage: true},
		Source: "lmstudio.ai, structured output: json_schema only, json_object is refused", Read: "2026-11", Doubt: "usage while streaming"},
	{Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY", Model: "deepseek-flash", Substitute: "deepseek-v4-pro",
		Can:    Abilities{JSON: true, Tools: true, Effort: true, StreamUsage: true},
		Source: "api-docs.deepseek.com, models and pricing: names deepseek-flash and deepseek-v4-pro, JSON output, thinking by default; list models", Read: "2026-10"},
	{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Model: "gpt-6.1-sol", Substitute: "gpt-6-sol",
		Can:    Abilities{Schema: true, JSON: true, Tools: true, Effort: true, StreamUsage: true, NewLimit: true},
		Source: "developers.openai.com, deprecations: gpt-5 ends on 2026-12-11, recommended is gpt-6.1-sol; list models with shutdown_date", Read: "2026-11", Doubt: "that gpt-6.1-sol takes chat completions without tools is from resellers' pages"},
	{Name: "anthropic", Title: "Anthropic, OpenAI-compatible endpoint", BaseURL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY", Model: "claude-sonnet-5-5", Substitute: "claude-opus-5-5",
		Can:       Abilities{Tools: true, StreamUsage: true},
		ListQuery: "?limit=1000", ListHeader: map[string]string{"x-api-key": "KEY", "anthropic-version": "2023-06-01"},
		Source: "platform.claude.com, OpenAI SDK compatibility: response_format and reasoning_effort are ignored, stream_options is supported; models list; the models' pages", Read: "2026-10"},
	{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY",
		Can:    Abilities{Schema: true, JSON: true, Tools: true, TellsCost: true},
		Source: "openrouter.ai, API reference and usage accounting: formats depend on the model, usage and cost come always, stream_options has no effect", Read: "2026-11"},
	{Name: "azure", Title: "Azure OpenAI (v1 API)", KeyEnv: "AZURE_OPENAI_API_KEY", KeyHeader: "api-key",
		Can:      Abilities{Schema: true, JSON: true, Tools: true, Effort: true, StreamUsage: true, NewLimit: true},
		Unlisted: true,
		Source:   "learn.microsoft.com, API version lifecycle: base_url https://RESOURCE.openai.azure.com/openai/v1, the model is the deployment's name", Read: "2026-11", Doubt: "the key's header is that of its older reference"},
	{Name: "github-models", Title: "GitHub Models", BaseURL: "https://models.github.ai/inference", KeyEnv: "GITHUB_TOKEN",
		Can:     Abilities{Schema: true, JSON: true, Tools: true, StreamUsage: true},
		Retired: "GitHub ended GitHub Models on 2026-07-30",
		Source:  "GitHub's announcement in its community discussion 203602", Read: "2026-11"},
}

// other is what an unknown endpoint is taken for: most take these, and a
// refusal is learned from.
var other = Preset{Name: "", Title: "OpenAI-compatible endpoint", Can: Abilities{JSON: true, StreamUsage: true}}

// Names lists the presets' names, in the table's order.
func Names() []string {
	out := make([]string, 0, len(presets))
	for _, p := range presets {
		out = append(out, p.Name)
	}
	return out
}

// Lookup finds a preset by name.
func Lookup(name string) (Preset, error) {
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, fmt.Errorf("no preset is called %q; known are %s", name, strings.Join(Names(), ", "))
}

// Guess tells from its address which provider an endpoint is, so that a tier
// that spells everything out loses nothing. Unknown ones are given what most
// understand.
func Guess(baseURL string) Preset {
	u, err := url.Parse(baseURL)
	if err != nil {
		return other
	}
	host := strings.ToLower(u.Hostname())
	if strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".services.ai.azure.com") {
		p, _ := Lookup("azure")
		return p
	}
	for _, p := range presets {
		own, err := url.Parse(p.BaseURL)
		if err != nil || p.BaseURL == "" {
			continue
		}
		switch {
		case p.Local && onThisMachine(host) && u.Port() == own.Port() && unusual(u.Port()):
			return p
		case !p.Local && host == own.Hostname():
			return p
		}
	}
	return other
}

func onThisMachine(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "host.docker.internal"
}

// unusual ports belong to one program; 8080 and 8000 to anybody.
func unusual(port string) bool { return port != "8080" && port != "8000" }
