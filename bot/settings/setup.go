package settings

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Setup is what the operator allows commands that install dependencies. They
// run in the sandbox; with nothing said they are not run at all.
type Setup struct {
	Allow        []string          // hosts that they may reach: HOST, HOST:PORT, *.SUFFIX; port 443 where none is said
	AllowPrivate []string          // hosts that they may reach and that may have private addresses; no *.SUFFIX
	Offline      bool              // those that a repository names may run although no host is allowed
	Env          map[string]string // for them, such as the address of a package index
	Timeout      time.Duration     // of all commands of one setup together
	CacheBytes   int64             // of what they installed, over all repositories
}

// Limits of the cache: of one setup, and wide enough for a server.
const (
	defaultCacheGB = 10
	maxCacheGB     = 10_000
)

func defaultSetup() Setup {
	return Setup{Timeout: 15 * time.Minute, CacheBytes: defaultCacheGB << 30}
}

func setup(v value) (Setup, error) {
	s, gb := defaultSetup(), float64(defaultCacheGB)
	err := first(
		v.only(nil, "allow", "allow_private", "offline", "env", "timeout", "cache_gb"),
		set(v, "allow", &s.Allow, func(v value) ([]string, error) { return v.strings(host) }),
		set(v, "allow_private", &s.AllowPrivate, func(v value) ([]string, error) { return v.strings(oneHost) }),
		set(v, "offline", &s.Offline, value.boolean),
		set(v, "env", &s.Env, func(v value) (map[string]string, error) { return variables(v, noSecret) }),
		set(v, "timeout", &s.Timeout, func(v value) (time.Duration, error) { return v.duration(time.Second, 6*time.Hour) }),
		set(v, "cache_gb", &gb, func(v value) (float64, error) { return v.number(0.1, maxCacheGB) }),
	)
	s.CacheBytes = int64(gb * (1 << 30))
	return s, err
}

var hostRule = lazyregexp.New(`^(\*\.[A-Za-z0-9_-]+\.[A-Za-z0-9._-]+|[A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:[1-9][0-9]{0,4})?$`)

// host checks the form of a rule; its parts are read by whoever keeps it.
func host(s string) error {
	if strings.Contains(s, "://") || strings.Contains(s, "/") {
		return errors.New("names a host, not an address: such as index.example.com, or index.example.com:8443")
	}
	if !hostRule.MatchString(s) {
		return errors.New("must be HOST, HOST:PORT or *.DOMAIN.TLD")
	}
	return nil
}

func oneHost(s string) error {
	if strings.HasPrefix(s, "*") {
		return errors.New("names one host; a private address is never allowed for all names below one")
	}
	return host(s)
}

// noSecret: whatever stands there is read by the scripts that a setup runs.
func noSecret(_, text string) error {
	if u, err := url.Parse(text); err == nil && u.User != nil || len(text) >= 20 && keyLike.MatchString(text) && !strings.ContainsAny(text, "/.") {
		return errors.New("looks like a secret; scripts that install read it, so none may stand here")
	}
	return nil
}

// variables reads names with their values.
func variables(v value, allowed func(name, text string) error) (map[string]string, error) {
	if v.kind != mapping {
		return nil, v.errorf("must be names with their values, such as {NAME: value}")
	}
	out := map[string]string{}
	for _, name := range v.order {
		field, ok := v.has(name)
		if !ok {
			continue
		}
		if !envName.MatchString(name) {
			return nil, field.errorf("is no name of an environment variable")
		}
		text, err := field.string()
		if err != nil {
			return nil, err
		}
		if err := allowed(name, text); err != nil {
			return nil, field.errorf("%v", err)
		}
		out[name] = text
	}
	return out, nil
}
