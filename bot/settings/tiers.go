package settings

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// PricesAsOf dates the table of default prices.
const PricesAsOf = "2026-11-20"

// price is a list price in USD per million tokens.
type price struct {
	model   string // beginning of the model's name, lower case, without its vendor
	in, out float64
}

// prices are defaults for known models (SPEC A3), the longest name first where
// one begins another. The operator's file overrides them.
var prices = []price{
	{"deepseek", 0.14, 0.28},
	{"gpt-5-nano", 0.05, 0.40},
	{"gpt-5-mini", 0.25, 2},
	{"gpt-5", 2, 8},
	{"claude-sonnet-4", 3, 15},
	{"claude-sonnet-4.5", 3, 15},
	{"claude-4.5", 3, 15},
	{"claude-4-5", 3, 15},
}

// DefaultPrice is the table's price of a model, USD per million tokens in and
// out. A vendor before the name ("openai/gpt-5") does not matter.
func DefaultPrice(model string) (in, out float64, ok bool) {
	name := strings.ToLower(model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	for _, p := range prices {
		rest, found := strings.CutPrefix(name, p.model)
		// "gpt-5" is also the beginning of other models' names.
		if found && (rest == "" || strings.ContainsAny(rest[:1], "-:@")) {
			return p.in, p.out, true
		}
	}
	return 0, 0, false
}

func (s *Settings) readTiers(root value, path func(value) (string, error)) error {
	tiers, ok := root.has("tiers")
	if !ok {
		return nil
	}
	advice := map[string]string{string(task.TierMechanical): "needs no model; budget.max_tier: mechanical stops the ladder there"}
	if err := tiers.only(advice, string(task.TierNano), string(task.Tier1), string(task.Tier2), string(task.Tier3)); err != nil {
		return err
	}
	for _, name := range tiers.order {
		v, ok := tiers.has(name)
		if !ok {
			continue
		}
		t, err := tier(v, path)
		if err != nil {
			return err
		}
		s.Tiers[task.Tier(name)] = t
	}
	return nil
}

func tier(v value, path func(value) (string, error)) (Tier, error) {
	t := Tier{Timeout: 3 * time.Minute}
	in, out := -1.0, -1.0
	maxTokens, context := int64(0), int64(65536)
	usd := func(v value) (float64, error) { return v.number(0, 10_000) }
	err := first(
		v.only(keyAdvice, "base_url", "model", "api_key_env", "api_key_file", "price_in_per_mtok", "price_out_per_mtok", "timeout", "max_tokens", "context_tokens"),
		set(v, "base_url", &t.BaseURL, endpointURL),
		set(v, "model", &t.Model, value.string),
		set(v, "api_key_env", &t.keyEnv, variable),
		set(v, "api_key_file", &t.keyFile, path),
		set(v, "price_in_per_mtok", &in, usd),
		set(v, "price_out_per_mtok", &out, usd),
		set(v, "timeout", &t.Timeout, func(v value) (time.Duration, error) { return v.duration(time.Second, time.Hour) }),
		set(v, "max_tokens", &maxTokens, func(v value) (int64, error) { return v.integer(16, 1_000_000) }),
		set(v, "context_tokens", &context, func(v value) (int64, error) { return v.integer(1024, 10_000_000) }),
	)
	if maxTokens == 0 {
		maxTokens = min(8192, context/4)
	}
	t.MaxTokens, t.ContextTokens = int(maxTokens), int(context)
	switch {
	case err != nil:
		return t, err
	case t.BaseURL == "" || t.Model == "":
		return t, v.errorf("needs base_url and model")
	case t.keyEnv != "" && t.keyFile != "":
		return t, v.errorf("has both api_key_env and api_key_file; keep one")
	case t.MaxTokens >= t.ContextTokens:
		return t, v.errorf("max_tokens (%d) must be less than context_tokens (%d)", t.MaxTokens, t.ContextTokens)
	}
	return t.priced(v, in, out)
}

// priced fills in the price: the file's, else the table's, else nothing for an
// endpoint on this machine. A price that nobody knows is a mistake: the budget
// would not hold.
func (t Tier) priced(v value, in, out float64) (Tier, error) {
	if (in < 0) != (out < 0) {
		return t, v.errorf("has only one of price_in_per_mtok and price_out_per_mtok; give both")
	}
	if in >= 0 {
		t.PriceIn, t.PriceOut, t.PriceFrom = in, out, "configuration"
		return t, nil
	}
	u, _ := url.Parse(t.BaseURL)
	if u != nil && local(u.Hostname()) {
		t.PriceFrom = "local endpoint"
		return t, nil
	}
	var ok bool
	if t.PriceIn, t.PriceOut, ok = DefaultPrice(t.Model); !ok {
		return t, v.errorf("the price of this model is not in the table of %s; give price_in_per_mtok and price_out_per_mtok in USD (0 when it is free)", PricesAsOf)
	}
	t.PriceFrom = "table of " + PricesAsOf
	return t, nil
}

// Key reads the key from where the file says it is; empty when the endpoint
// needs none.
func (t Tier) Key() (string, error) {
	switch {
	case t.keyEnv != "":
		key := strings.TrimSpace(os.Getenv(t.keyEnv))
		if key == "" {
			return "", fmt.Errorf("settings: the environment variable %s, which holds the key for %s, is not set", t.keyEnv, t.Model)
		}
		return key, nil
	case t.keyFile != "":
		lines, err := secretLines(t.keyFile)
		if err != nil {
			return "", err
		}
		return string(lines[0]), nil
	}
	return "", nil
}

// PrivateKey reads the App's key, PEM.
func (g GitHub) PrivateKey() ([]byte, error) {
	if g.PrivateKeyFile == "" {
		return nil, errors.New("settings: github.private_key_file is not set; it names the App's private key (PEM)")
	}
	data, err := os.ReadFile(g.PrivateKeyFile)
	if err != nil {
		return nil, fmt.Errorf("settings: reading the App's private key: %w", err)
	}
	if !bytes.Contains(data, []byte("PRIVATE KEY-----")) {
		return nil, fmt.Errorf("settings: %s is not a private key in PEM form", g.PrivateKeyFile)
	}
	return data, nil
}

// Secrets reads a file of webhook secrets, one per line; all are valid at once,
// so that one can be replaced without a gap.
func Secrets(file string) ([][]byte, error) {
	if file == "" {
		return nil, errors.New("settings: github.webhook_secret_file is not set; it names a file with the webhook's secret, one per line")
	}
	return secretLines(file)
}

func secretLines(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("settings: reading a secret: %w", err)
	}
	var out [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("settings: %s holds no secret", path)
	}
	return out, nil
}

// Known lists the secret values that can be read now, for the redactor.
// Missing ones are no mistake here: who needs them will say so.
func (s *Settings) Known() []string {
	var out []string
	for _, t := range s.Tiers {
		if key, err := t.Key(); err == nil && key != "" {
			out = append(out, key)
		}
	}
	if s.GitHub.WebhookSecretFile != "" {
		lines, _ := Secrets(s.GitHub.WebhookSecretFile)
		for _, l := range lines {
			out = append(out, string(l))
		}
	}
	if u, err := url.Parse(s.Database); err == nil && u.User != nil {
		if p, ok := u.User.Password(); ok && p != "" {
			out = append(out, p)
		}
	}
	return out
}
