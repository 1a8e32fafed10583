package forge

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// GitHub refuses a JWT issued in its future or living longer than 10 minutes
// (docs.github.com, "Generating a JSON Web Token for a GitHub App").
const (
	jwtBackdate = 60 * time.Second
	jwtLife     = 5 * time.Minute
	renewBefore = 5 * time.Minute
)

// appTransport signs requests as the App.
func appTransport(wire http.RoundTripper, cfg Config) (http.RoundTripper, error) {
	if cfg.AppID <= 0 {
		return nil, errors.New("forge: no App id; set github.app_id")
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM(cfg.PrivateKey)
	if err != nil {
		return nil, errors.New("forge: the App's private key is not an RSA key in PEM; download it again from the App's settings page")
	}
	s := &appSigner{key: key, cfg: cfg, id: cfg.AppID, now: cfg.Now, made: cfg.Funnel.AddToken}
	return ghinstallation.NewAppsTransportWithOptions(wire, cfg.AppID, ghinstallation.WithSigner(s))
}

// appSigner makes the claims itself: ghinstallation back-dates by 30 s of the
// wall clock, we by 60 s of the injected one.
type appSigner struct {
	mu   sync.Mutex
	key  *rsa.PrivateKey // the newest that could be read
	cfg  Config
	id   int64
	now  func() time.Time
	made func(token string)
}

// Sign returns a JWT for the App; the claims it is given are replaced.
func (s *appSigner) Sign(jwt.Claims) (string, error) {
	now := s.now().Truncate(time.Second)
	claims := &jwt.RegisteredClaims{
		IssuedAt:  jwt.NewNumericDate(now.Add(-jwtBackdate)),
		ExpiresAt: jwt.NewNumericDate(now.Add(jwtLife)),
		Issuer:    strconv.FormatInt(s.id, 10),
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(s.newest())
	if err == nil {
		s.made(signed)
	}
	return signed, err
}

// newest is the App's key as it is now: it may be replaced while the server runs. What
// cannot be read leaves the one that served so far.
func (s *appSigner) newest() *rsa.PrivateKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.ReadKey == nil {
		return s.key
	}
	raw, err := s.cfg.ReadKey()
	if err == nil {
		var key *rsa.PrivateKey
		if key, err = jwt.ParseRSAPrivateKeyFromPEM(raw); err == nil {
			s.key = key
		}
	}
	if err != nil {
		s.cfg.Log.Warn("the App's private key was not read again, the one before goes on to serve; is github.private_key_file right?")
	}
	return s.key
}

// tokens caches installation tokens, one for each (installation, repository).
type tokens struct {
	mu  sync.Mutex
	all map[tokenKey]*token
}

type tokenKey struct {
	installation int64
	repo         string
}

type token struct {
	mu      sync.Mutex // held while it is made, so that it is made once
	value   string
	expires time.Time
}

func newTokens() *tokens { return &tokens{all: map[tokenKey]*token{}} }

const maxTokens = 4096

func (t *tokens) slot(k tokenKey) *token {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.all[k]
	if s == nil {
		if len(t.all) >= maxTokens {
			clear(t.all) // they are made again when needed
		}
		s = &token{}
		t.all[k] = s
	}
	return s
}

// Token returns an installation token that can reach only the one repository
// (its name without owner) and do only what fettle does. It is cached and
// renewed five minutes before it expires.
func (c *Client) Token(ctx context.Context, installation int64, repo string) (string, error) {
	return c.token(ctx, installation, repo, "")
}

// token makes a new token when the cached one is the refused one.
func (c *Client) token(ctx context.Context, installation int64, repo, refused string) (string, error) {
	if i := strings.LastIndexByte(repo, '/'); i >= 0 {
		repo = repo[i+1:]
	}
	if repo != everyRepo && !repoName.MatchString(repo) || installation <= 0 {
		return "", fmt.Errorf("forge: cannot ask for a token of installation %d for repository %q", installation, repo)
	}
	if c.cfg.Token != "" {
		return c.givenToken(installation, repo, refused)
	}
	s := c.tokens.slot(tokenKey{installation, strings.ToLower(repo)})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != "" && s.value != refused && c.cfg.Now().Before(s.expires.Add(-renewBefore)) {
		return s.value, nil
	}
	made, _, err := c.app(installation).Apps.CreateInstallationToken(ctx, installation, tokenOptions(repo))
	if err != nil {
		return "", c.tokenError(ctx, installation, repo, err)
	}
	if made.GetToken() == "" {
		return "", fmt.Errorf("forge: GitHub answered without a token for installation %d", installation)
	}
	s.value, s.expires = made.GetToken(), made.GetExpiresAt().Time
	c.cfg.Funnel.AddToken(s.value)
	return s.value, nil
}

// everyRepo stands for all repositories of an installation; its token can only
// list them.
const everyRepo = "*"

func tokenOptions(repo string) *github.InstallationTokenOptions {
	if repo == everyRepo {
		return &github.InstallationTokenOptions{Permissions: &github.InstallationPermissions{Metadata: github.String("read")}}
	}
	return &github.InstallationTokenOptions{Repositories: []string{repo}, Permissions: tokenPermissions()}
}

func (c *Client) tokenError(ctx context.Context, installation int64, repo string, err error) error {
	what := fmt.Sprintf("getting a token of installation %d for %s", installation, repo)
	var e *github.ErrorResponse
	if errors.As(err, &e) && e.Response != nil {
		switch e.Response.StatusCode {
		case http.StatusUnauthorized:
			return fmt.Errorf("%s: GitHub does not accept this App's key; check github.app_id, the private key and this machine's clock: %w", what, err)
		case http.StatusUnprocessableEntity:
			if strings.Contains(e.Message, "permission") {
				return &MissingPermission{What: what, Permission: c.lacking(ctx, installation), Grant: c.grant(installation), err: err}
			}
			return &goneError{what: what, err: err} // the repository is no longer part of the installation
		case http.StatusForbidden:
			if strings.Contains(e.Message, "suspended") {
				return &goneError{what: what, err: err}
			}
		}
	}
	return c.explain(what, err)
}

// lacking names the permissions that fettle needs and an installation does not
// grant, or all that it needs where GitHub does not tell.
func (c *Client) lacking(ctx context.Context, installation int64) string {
	var granted *github.InstallationPermissions
	if in, _, err := c.app(installation).Apps.GetInstallation(ctx, installation); err == nil {
		granted = in.Permissions
	}
	var out []string
	for _, p := range missing(granted) {
		out = append(out, p.Name+"="+p.Level)
	}
	return strings.Join(out, ", ")
}

// auth is what checkout needs to fetch and push.
func (c *Client) Auth(repo task.Repo) func(ctx context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return c.Token(ctx, repo.Installation, repo.Name) }
}
