package settings

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/model/catalog"
	"github.com/fettle-dev/fettle/bot/task"
)

// PricesAsOf dates the table of default prices.
const PricesAsOf = catalog.AsOf

func (s *Settings) readTiers(root value, path func(value) (string, error)) error {
	tiers, ok := root.has("tiers")
	if !ok {
		return nil
	}
	advice := map[string]string{string(task.TierMechanical): "needs no model; budget.max_tier: mechanical stops the ladder there"}
	if err := tiers.only(advice, string(task.TierNano), string(task.Tier1), string(task.Tier2), string(task.Tier3), string(task.TierEmbeddings)); err != nil {
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
		if name == string(task.TierEmbeddings) && t.Preset != "" {
			if _, ok := v.has("model"); !ok {
				return v.errorf("needs model: the preset %s names one that writes, and this tier needs one that makes embeddings", t.Preset)
			}
		}
		if t.Command != nil && !slices.Contains(task.Ladder, task.Tier(name)) {
			return v.errorf("only tier1, tier2 and tier3 can have their changes written by a command; %s answers single questions", name)
		}
		s.Tiers[task.Tier(name)] = t
	}
	return nil
}

// tier reads one endpoint. What a preset knows need not be said; what is said
// goes before what a preset knows.
func tier(v value, path func(value) (string, error)) (Tier, error) {
	t := Tier{Timeout: 3 * time.Minute, ContextTokens: 65536}
	in, cached, out := -1.0, 0.0, -1.0
	usd := func(v value) (float64, error) { return v.number(0, 10_000) }
	err := first(
		v.only(keyAdvice, "preset", "base_url", "model", "api_key_env", "api_key_file", "price_in_per_mtok", "price_cached_per_mtok", "price_out_per_mtok", "timeout", "max_tokens", "context_tokens", "substitute", "command", "agent"),
		set(v, "preset", &t.Preset, func(v value) (string, error) { return v.oneOf(catalog.Names()...) }),
		set(v, "base_url", &t.BaseURL, endpointURL),
		set(v, "model", &t.Model, value.string),
		set(v, "api_key_env", &t.keyEnv, variable),
		set(v, "api_key_file", &t.keyFile, path),
		set(v, "price_in_per_mtok", &in, usd),
		set(v, "price_cached_per_mtok", &cached, usd),
		set(v, "price_out_per_mtok", &out, usd),
		set(v, "substitute", &t.Substitute, func(v value) (*Tier, error) { return substitute(v, path) }),
		set(v, "command", &t.Command, command),
		set(v, "agent", &t.Command, agent),
		set(v, "timeout", &t.Timeout, func(v value) (time.Duration, error) { return v.duration(time.Second, time.Hour) }),
		set(v, "max_tokens", &t.MaxTokens, whole(16, 1_000_000)),
		set(v, "context_tokens", &t.ContextTokens, whole(1024, 10_000_000)),
	)
	if t.MaxTokens == 0 {
		t.MaxTokens = min(8192, t.ContextTokens/4)
	}
	if err == nil {
		err = t.preset(v)
	}
	t.Agent = agentName(t.Command)
	_, named := v.has("agent")
	_, commanded := v.has("command")
	switch {
	case err != nil:
		return t, err
	case named && commanded:
		return t, v.errorf("has both command and agent; keep one")
	case t.Substitute != nil && len(t.Command)+len(t.Substitute.Command) > 0:
		return t, v.errorf("has both command and substitute; a command asks the model of its own tier: keep one")
	case t.BaseURL == "" || t.Model == "":
		return t, v.errorf("needs base_url and model, or a preset that knows them")
	case t.keyEnv != "" && t.keyFile != "":
		return t, v.errorf("has both api_key_env and api_key_file; keep one")
	case t.MaxTokens >= t.ContextTokens:
		return t, v.errorf("max_tokens (%d) must be less than context_tokens (%d)", t.MaxTokens, t.ContextTokens)
	}
	return t.priced(v, in, cached, out)
}

// substitute is asked while the tier's own provider is down.
func substitute(v value, path func(value) (string, error)) (*Tier, error) {
	t, err := tier(v, path)
	if err == nil && t.Substitute != nil {
		err = v.errorf("a substitute has no substitute of its own; keep one")
	}
	return &t, err
}

// preset completes the tier by what its preset knows.
func (t *Tier) preset(v value) error {
	if t.Preset == "" {
		return nil
	}
	p, err := catalog.Lookup(t.Preset)
	switch {
	case err != nil:
		return v.errorf("%v", err)
	case p.Retired != "" && t.BaseURL == "":
		return v.errorf("%s; name another preset, or give base_url of a service that took its place", p.Retired)
	}
	if t.BaseURL == "" {
		t.BaseURL = p.BaseURL
	}
	if t.Model == "" {
		t.Model = p.Model
	}
	if t.keyEnv == "" && t.keyFile == "" {
		t.keyEnv = p.KeyEnv
	}
	return nil
}

// priced fills in the price: the file's, else the table's, else nothing for an
// endpoint on this machine. A price that nobody knows is a mistake: the budget
// would not hold.
func (t Tier) priced(v value, in, cached, out float64) (Tier, error) {
	if (in < 0) != (out < 0) {
		return t, v.errorf("has only one of price_in_per_mtok and price_out_per_mtok; give both")
	}
	if in >= 0 {
		t.PriceIn, t.PriceCached, t.PriceOut, t.PriceFrom = in, cached, out, "configuration"
		return t, nil
	}
	u, _ := url.Parse(t.BaseURL)
	if u != nil && local(u.Hostname()) {
		t.PriceFrom = "local endpoint"
		return t, nil
	}
	p, ok := catalog.PriceOf(t.Model, t.ContextTokens)
	if !ok {
		return t, v.errorf("the price of this model is not in the table of %s; give price_in_per_mtok and price_out_per_mtok in USD (0 when it is free)", PricesAsOf)
	}
	t.PriceIn, t.PriceCached, t.PriceOut, t.PriceFrom = p.In, p.Cached, p.Out, "table of "+PricesAsOf
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
		for at := &t; at != nil; at = at.Substitute {
			if key, err := at.Key(); err == nil && key != "" {
				out = append(out, key)
			}
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
