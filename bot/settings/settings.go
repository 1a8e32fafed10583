package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// Settings is the operator's file, checked and completed by defaults.
type Settings struct {
	File   string // where it was read; empty for the defaults alone
	Tiers  map[task.Tier]Tier
	Budget task.Budget
	// BudgetSaid is what the file itself says of Budget; zero fields are defaults.
	BudgetSaid task.Budget
	Caps       task.Caps  // of what several runs spend together
	Gates      task.Gates // where every run waits for a human
	Prompts    string     // a folder whose files stand for the built-in prompts; empty: none do
	Rules      Rules
	GitHub     GitHub
	Database   string // path of a SQLite file, or "postgres://…"
	Sandbox    string // bubblewrap, docker or none
	Engine     Engine // of the sandbox docker
	StateDir   string // absolute
	Label      string // that asks for a fix
	Setup      Setup
	Keep       Keep
	Access     Access
	Log        Log
	// KeepBranch leaves fettle's branch where its pull request was merged.
	KeepBranch bool
}

// Tier is one model endpoint.
type Tier struct {
	Preset        string // of package catalog; empty when the file spells the endpoint out
	BaseURL       string
	Model         string
	APIKeyEnv     string  // name of an environment variable
	APIKeyFile    string  // absolute path
	PriceIn       float64 // USD per million tokens
	PriceCached   float64 // of them, those read from the provider's cache; 0: not known
	PriceOut      float64
	PriceFrom     string // where the price stands: "configuration", "table of <date>", "local endpoint"
	Timeout       time.Duration
	MaxTokens     int // of an answer
	ContextTokens int // of question and answer together
	// Command is another agent's, which writes the changes of this tier; empty: the
	// model does.
	Command    []string
	Agent      string // what Command is called: its preset\'s name, or that of its program
	Substitute *Tier  // asked while this one's provider is down; nil: none

	keyEnv, keyFile string // where Key looks: an environment variable, a file
}

// GitHub is the App.
type GitHub struct {
	AppID             int64
	PrivateKeyFile    string
	WebhookSecretFile string // one secret per line; all are valid at once, so that they can be changed without a gap
	BaseURL           string // empty: github.com
	CAFile            string // PEM certificates of the authority behind an Enterprise Server; empty: this machine's
}

// Log is how loud and in what form.
type Log struct {
	Level  string // debug, info, warn, error
	Format string // text, json
	URL    string // where a run's log can be read, with {run} for its id; "": nowhere
}

// Default is what holds without a file.
func Default() (*Settings, error) {
	state, err := xdg("XDG_STATE_HOME", ".local/state")
	if err != nil {
		return nil, err
	}
	s := &Settings{Tiers: map[task.Tier]Tier{}, Budget: task.DefaultBudget(), Caps: task.DefaultCaps(), Gates: defaultGates(), Sandbox: "bubblewrap",
		StateDir: filepath.Join(state, "fettle"), Label: "agent:fix", Setup: defaultSetup(), Keep: defaultKeep(), Access: Access{CommandsPerHour: DefaultCommandsPerHour}, Log: Log{Level: "info", Format: "text"}}
	s.Database = filepath.Join(s.StateDir, "fettle.db")
	return s, nil
}

// xdg is a folder of the XDG base directory specification; relative values are
// ignored, as it says.
func xdg(env, fallback string) (string, error) {
	if dir := os.Getenv(env); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("settings: no home folder: %w; set HOME or %s", err, env)
	}
	return filepath.Join(home, fallback), nil
}

// File is the absolute path of the operator's file: the one that is asked for, or
// the usual one.
func File(path string) (string, error) {
	if path == "" {
		dir, err := xdg("XDG_CONFIG_HOME", ".config")
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, "fettle", "config.yml")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("settings: %w", err)
	}
	return path, nil
}

// Load reads the operator's file. An empty path means
// $XDG_CONFIG_HOME/fettle/config.yml where it exists, else the defaults.
func Load(path string) (*Settings, error) {
	asked := path != ""
	path, err := File(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && !asked {
		return Default()
	}
	if err != nil {
		return nil, fmt.Errorf("settings: reading the operator's file: %w", err)
	}
	return Parse(path, data)
}

// keyAdvice answers those who write a secret into the file.
var keyAdvice = map[string]string{ //nolint:gosec // names of keys, no values
	"api_key":        "a key never stands in this file; put it into an environment variable and name that with api_key_env, or into a file named with api_key_file",
	"key":            "a key never stands in this file; name an environment variable with api_key_env, or a file with api_key_file",
	"token":          "a token never stands in this file; name an environment variable with api_key_env, or a file with api_key_file",
	"private_key":    "the private key never stands in this file; name its file with private_key_file",
	"webhook_secret": "the secret never stands in this file; name a file that holds it with webhook_secret_file",
}

// Parse reads the operator's file from bytes; file stands in errors, and
// relative paths in it are beside it.
func Parse(file string, data []byte) (*Settings, error) {
	s, err := Default()
	if err != nil {
		return nil, err
	}
	root, err := read(file, data)
	if err != nil {
		return nil, err
	}
	s.File = file
	path := func(v value) (string, error) { return hostPath(v, filepath.Dir(file)) }
	database := ""
	err = first(
		root.only(keyAdvice, "tiers", "budget", "gates", "prompts", "rules", "github", "database", "sandbox", "engine", "label", "state_dir", "setup", "keep", "log", "bots", "installations", "commands_per_hour", "delete_branch"),
		set(root, "budget", &s.Budget, func(v value) (task.Budget, error) { return s.money(v) }),
		set(root, "gates", &s.Gates, func(v value) (task.Gates, error) { return gates(v, s.Gates) }),
		set(root, "prompts", &s.Prompts, path),
		set(root, "rules", &s.Rules, func(v value) (Rules, error) { return rules(v, path) }),
		set(root, "github", &s.GitHub, func(v value) (GitHub, error) { return github(v, path) }),
		set(root, "sandbox", &s.Sandbox, func(v value) (string, error) { return v.oneOf("bubblewrap", "docker", "none") }),
		set(root, "engine", &s.Engine, engine),
		set(root, "label", &s.Label, label),
		set(root, "state_dir", &s.StateDir, path),
		set(root, "database", &database, func(v value) (string, error) { return databaseURL(v, path) }),
		set(root, "setup", &s.Setup, setup),
		set(root, "keep", &s.Keep, keep),
		set(root, "log", &s.Log, logging),
		s.readTiers(root, path),
		s.readAccess(root),
		set(root, "delete_branch", &s.KeepBranch, keepBranch),
	)
	if err != nil {
		return nil, err
	}
	if s.Database = database; database == "" {
		s.Database = filepath.Join(s.StateDir, "fettle.db")
	}
	return s, nil
}

// hostPath reads a path, which is beside the file where it is relative.
func hostPath(v value, beside string) (string, error) {
	p, err := v.string()
	if err != nil {
		return "", err
	}
	if p, err = Path(p, beside); err != nil {
		return "", v.errorf("%v", err)
	}
	return p, nil
}

// Path makes a path absolute: ~ at its start is the home folder, and what is
// relative lies below beside, which is absolute or "" for the working directory.
func Path(p, beside string) (string, error) {
	if rest, ok := strings.CutPrefix(p, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no home folder for ~: %w; set HOME", err)
		}
		return filepath.Join(home, rest), nil
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(beside, p)
	}
	return filepath.Abs(p)
}

func label(v value) (string, error) {
	s, err := v.string()
	if err == nil && len(s) > 50 {
		err = v.errorf("a label has at most 50 characters")
	}
	return s, err
}

func logging(v value) (Log, error) {
	l := Log{Level: "info", Format: "text"}
	return l, first(
		v.only(nil, "level", "format", "url"),
		set(v, "level", &l.Level, func(v value) (string, error) { return v.oneOf("debug", "info", "warn", "error") }),
		set(v, "format", &l.Format, func(v value) (string, error) { return v.oneOf("text", "json") }),
		set(v, "url", &l.URL, logURL),
	)
}

// keepBranch reads delete_branch.
func keepBranch(v value) (bool, error) {
	gone, err := v.boolean()
	return !gone, err
}

func databaseURL(v value, path func(value) (string, error)) (string, error) {
	s, err := v.string()
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://") {
		if u, err := url.Parse(s); err != nil || u.Host == "" && u.RawQuery == "" {
			return "", v.errorf("is not a URL such as postgres://user@host/name") // not quoted: it may hold a password
		}
		return s, nil
	}
	if strings.Contains(s, "://") {
		return "", v.errorf("must be sqlite:PATH, a path, or postgres://…")
	}
	v.text = strings.TrimPrefix(s, "sqlite:")
	return path(v)
}

func github(v value, path func(value) (string, error)) (GitHub, error) {
	var g GitHub
	return g, first(
		v.only(keyAdvice, "app_id", "private_key_file", "webhook_secret_file", "base_url", "ca_file"),
		set(v, "app_id", &g.AppID, whole[int64](1, 1<<53)),
		set(v, "private_key_file", &g.PrivateKeyFile, path),
		set(v, "webhook_secret_file", &g.WebhookSecretFile, path),
		set(v, "base_url", &g.BaseURL, endpointURL),
		set(v, "ca_file", &g.CAFile, path),
	)
}

// endpointURL is https, or http to this machine or a private network's.
func endpointURL(v value) (string, error) {
	s, err := v.string()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return "", v.errorf("must be a URL such as https://api.example.com/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", v.errorf("must hold no user, key or query; a key is named with api_key_env or api_key_file")
	case u.Scheme == "http" && !local(u.Hostname()):
		return "", v.errorf("http would send keys and code in the clear; use https (http is for this machine and private networks)")
	}
	return strings.TrimRight(s, "/"), nil
}

// local tells whether a host is this machine, or an address or bare name of a
// private network.
func local(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || !strings.Contains(host, ".")
}

var (
	envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	keyLike = lazyregexp.New(`^(sk-|sk_|gh[pousr]_|github_pat_|gsk_|xai|AIza|eyJ|hf_)|[a-z0-9]{24}`)
)

// variable reads the name of an environment variable. What looks like a key is
// never repeated in the error.
func variable(v value) (string, error) {
	s, err := v.string()
	if err == nil && (!envName.MatchString(s) || keyLike.MatchString(s)) {
		return "", v.errorf("must be the name of an environment variable, such as FETTLE_TIER1_KEY, not the key itself")
	}
	return s, err
}
