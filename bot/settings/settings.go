// Package settings reads the operator's file and the repository's. The
// operator's says what is allowed: endpoints, models, prices, budgets, the
// sandbox, the GitHub App. The repository's .fettle.yml can only narrow it. An
// unknown key or a bad value is an error with file and line; a secret never
// stands in either file, only where to find it. Nothing here reaches outside
// but to read the files that it is told to.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/fettle-dev/fettle/bot/task"
)

// maxFile bounds a settings file.
const maxFile = 1 << 20

// Settings are the operator's, with every default filled in.
type Settings struct {
	Tiers    map[task.Tier]Tier
	Budget   task.Budget
	GitHub   GitHub
	Database string // a SQLite file, or postgres://…
	Sandbox  string // "bubblewrap", or "none" when asked for by that name
	Label    string // that starts a run
	StateDir string
}

// Tier is a model endpoint.
type Tier struct {
	BaseURL       string
	Model         string
	PriceIn       float64 // USD per million tokens
	PriceOut      float64
	Timeout       time.Duration
	MaxTokens     int
	ContextTokens int
	keyEnv        string
	keyFile       string
}

// Key is the API key, read when it is needed; "" when none is configured.
func (t Tier) Key() (string, error) {
	switch {
	case t.keyEnv != "":
		if v := strings.TrimSpace(os.Getenv(t.keyEnv)); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the environment variable %s, which api_key_env names, is empty: set it to the key", t.keyEnv)
	case t.keyFile != "":
		raw, err := os.ReadFile(t.keyFile)
		if err != nil {
			return "", fmt.Errorf("reading api_key_file: %w", err)
		}
		return strings.TrimSpace(string(raw)), nil
	}
	return "", nil
}

// GitHub is the App.
type GitHub struct {
	AppID             int64
	PrivateKeyFile    string
	WebhookSecretFile string
	BaseURL           string
}

// file is the operator's file as it is written.
type file struct {
	Tiers    map[string]tierFile `yaml:"tiers"`
	Budget   *budgetFile         `yaml:"budget"`
	GitHub   *githubFile         `yaml:"github"`
	Database string              `yaml:"database"`
	Sandbox  string              `yaml:"sandbox"`
	Label    string              `yaml:"label"`
	StateDir string              `yaml:"state_dir"`
}

type tierFile struct {
	BaseURL       string   `yaml:"base_url"`
	Model         string   `yaml:"model"`
	APIKeyEnv     string   `yaml:"api_key_env"`
	APIKeyFile    string   `yaml:"api_key_file"`
	PriceIn       *float64 `yaml:"price_in_per_mtok"`
	PriceOut      *float64 `yaml:"price_out_per_mtok"`
	Timeout       string   `yaml:"timeout"`
	MaxTokens     int      `yaml:"max_tokens"`
	ContextTokens int      `yaml:"context_tokens"`
}

type budgetFile struct {
	USD             *float64 `yaml:"usd"`
	Minutes         *float64 `yaml:"minutes"`
	AttemptsPerTier *int     `yaml:"attempts_per_tier"`
	Attempts        *int     `yaml:"attempts"`
	MaxTier         string   `yaml:"max_tier"`
}

type githubFile struct {
	AppID             int64  `yaml:"app_id"`
	PrivateKeyFile    string `yaml:"private_key_file"`
	WebhookSecretFile string `yaml:"webhook_secret_file"`
	BaseURL           string `yaml:"base_url"`
}

// Load reads the operator's file; "" is the default place, where a missing
// file means the defaults. It is never looked for in a repository.
func Load(name string) (*Settings, error) {
	optional := name == ""
	if optional {
		dir, err := configDir()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(dir, "config.yml")
	}
	raw, err := readBounded(name)
	if optional && errors.Is(err, fs.ErrNotExist) {
		raw, err = nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(name, raw)
}

// Parse reads the operator's file from bytes; name stands in errors, and
// relative paths in the file are relative to its folder.
func Parse(name string, raw []byte) (*Settings, error) {
	var f file
	if err := strict(raw, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &checker{name: name, raw: raw}
	s := p.settings(f)
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

func (p *checker) settings(f file) *Settings {
	s := &Settings{Tiers: map[task.Tier]Tier{}, Budget: task.DefaultBudget(), Database: f.Database, Sandbox: f.Sandbox, Label: f.Label, StateDir: p.path(f.StateDir)}
	for name, t := range f.Tiers {
		tier := task.Tier(name)
		if !slices.Contains([]task.Tier{task.TierNano, task.Tier1, task.Tier2, task.Tier3}, tier) {
			p.fail("tiers."+name, "there are nano, tier1, tier2 and tier3")
			continue
		}
		s.Tiers[tier] = p.tier("tiers."+name, t)
	}
	if f.Budget != nil {
		s.Budget = p.budget("budget", *f.Budget, s.Budget)
	}
	if g := f.GitHub; g != nil {
		s.GitHub = GitHub{AppID: g.AppID, PrivateKeyFile: p.path(g.PrivateKeyFile), WebhookSecretFile: p.path(g.WebhookSecretFile), BaseURL: p.url("github.base_url", g.BaseURL)}
		if g.AppID < 0 {
			p.fail("github.app_id", "it is the App's number, as GitHub shows it")
		}
	}
	switch s.Sandbox {
	case "":
		s.Sandbox = "bubblewrap"
	case "bubblewrap", "none":
	default:
		p.fail("sandbox", "it is bubblewrap, or none to run repository code without any wall")
	}
	if s.Label == "" {
		s.Label = "agent:fix"
	}
	if s.StateDir == "" {
		dir, err := stateDir()
		if err != nil {
			p.err = err
		}
		s.StateDir = dir
	}
	if s.Database == "" {
		s.Database = filepath.Join(s.StateDir, "fettle.db")
	}
	return s
}

func (p *checker) tier(at string, f tierFile) Tier {
	t := Tier{BaseURL: p.url(at+".base_url", f.BaseURL), Model: f.Model, MaxTokens: f.MaxTokens, ContextTokens: f.ContextTokens, keyEnv: f.APIKeyEnv, keyFile: p.path(f.APIKeyFile)}
	if f.BaseURL == "" {
		p.fail(at+".base_url", "it is missing: the endpoint's URL with its version, such as http://127.0.0.1:11434/v1")
	}
	if f.Model == "" {
		p.fail(at+".model", "it is missing: the model's name as the endpoint knows it")
	}
	if looksLikeKey(f.APIKeyEnv) {
		p.fail(at+".api_key_env", "it takes the name of an environment variable; the key itself must not stand in the file, and the one here should be replaced")
	}
	known, ok := priceOf(f.Model)
	switch {
	case f.PriceIn != nil && f.PriceOut != nil:
		t.PriceIn, t.PriceOut = *f.PriceIn, *f.PriceOut
	case f.PriceIn != nil || f.PriceOut != nil:
		p.fail(at+".price_in_per_mtok", "price_in_per_mtok and price_out_per_mtok go together")
	case ok:
		t.PriceIn, t.PriceOut = known.in, known.out
	case local(t.BaseURL): // a model on this machine costs nothing
	default:
		p.fail(at+".price_in_per_mtok", fmt.Sprintf("the price of %q is not known: give price_in_per_mtok and price_out_per_mtok in dollars per million tokens, so that the budget can be kept", f.Model))
	}
	if t.PriceIn < 0 || t.PriceOut < 0 {
		p.fail(at+".price_in_per_mtok", "a price is not negative")
	}
	if f.Timeout != "" {
		d, err := time.ParseDuration(f.Timeout)
		if err != nil || d <= 0 {
			p.fail(at+".timeout", "it is a duration such as 90s or 2m")
		}
		t.Timeout = d
	}
	if f.MaxTokens < 0 || f.ContextTokens < 0 {
		p.fail(at+".max_tokens", "max_tokens and context_tokens are not negative")
	}
	return t
}

func (p *checker) budget(at string, f budgetFile, b task.Budget) task.Budget {
	if f.USD != nil {
		b.USD = task.Dollars(*f.USD)
		if *f.USD < 0 || *f.USD > 1000 {
			p.fail(at+".usd", "it is between 0 and 1000 dollars")
		}
		if b.USD == 0 {
			b.MaxTier = task.TierMechanical // nothing may be spent
		}
	}
	if f.Minutes != nil {
		b.Duration = time.Duration(*f.Minutes * float64(time.Minute))
		if *f.Minutes <= 0 || *f.Minutes > 24*60 {
			p.fail(at+".minutes", "it is more than 0 and at most 1440")
		}
	}
	for _, n := range []struct {
		key string
		is  *int
		to  *int
	}{{"attempts_per_tier", f.AttemptsPerTier, &b.AttemptsPerTier}, {"attempts", f.Attempts, &b.Attempts}} {
		if n.is == nil {
			continue
		}
		*n.to = *n.is
		if *n.is < 1 || *n.is > 100 {
			p.fail(at+"."+n.key, "it is between 1 and 100")
		}
	}
	if f.MaxTier != "" {
		b.MaxTier = task.Tier(f.MaxTier)
		if b.MaxTier.Rank() < 0 {
			p.fail(at+".max_tier", "it is mechanical, tier1, tier2 or tier3")
		}
	}
	return b
}

// checker turns the file into settings and keeps the first error with its line.
type checker struct {
	name string
	raw  []byte
	err  error
}

func (p *checker) fail(key, why string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d: %s: %s", p.name, lineOf(p.raw, key), key, why)
	}
}

// path makes a path of the file relative to the file's folder.
func (p *checker) path(s string) string {
	if s == "" || filepath.IsAbs(s) {
		return s
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return filepath.Join(filepath.Dir(p.name), s)
}

func (p *checker) url(key, s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		p.fail(key, "it is a URL that begins with https:// (or http:// on this machine)")
	case u.User != nil:
		p.fail(key, "it must not hold a user or password")
	}
	return s
}

func local(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func looksLikeKey(s string) bool {
	return strings.ContainsAny(s, "-. /") || len(s) > 64
}

// strict decodes YAML, and refuses keys that are not known and a second
// document.
func strict(raw []byte, into any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw), yaml.DisallowUnknownField())
	if err := dec.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return nil
}

// Secrets reads webhook secrets, one a line; two are valid while one is being
// replaced.
func Secrets(name string) ([][]byte, error) {
	if name == "" {
		return nil, errors.New("no webhook secret is configured: set github.webhook_secret_file to a file with one secret a line")
	}
	raw, err := readBounded(name)
	if err != nil {
		return nil, fmt.Errorf("reading github.webhook_secret_file: %w", err)
	}
	var out [][]byte
	for _, l := range bytes.Split(raw, []byte("\n")) {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("github.webhook_secret_file %s holds no secret: put one on its first line", name)
	}
	return out, nil
}

func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return raw, err
}

// configDir is $XDG_CONFIG_HOME/fettle, or ~/.config/fettle.
func configDir() (string, error) { return xdg("XDG_CONFIG_HOME", ".config") }

// stateDir is $XDG_STATE_HOME/fettle, or ~/.local/state/fettle.
func stateDir() (string, error) { return xdg("XDG_STATE_HOME", ".local/state") }

func xdg(env, below string) (string, error) {
	if dir := os.Getenv(env); filepath.IsAbs(dir) { // the standard has relative ones ignored
		return filepath.Join(dir, "fettle"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the home directory: %w; set %s", err, env)
	}
	return filepath.Join(home, below, "fettle"), nil
}
