package forge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/sirupsen/logrus"
	"golang.org/x/sync/semaphore"

	"github.com/fettle-dev/fettle/bot/task"
)

// Funnel is what every outward text passes (redact.Funnel satisfies it).
type Funnel interface {
	AddToken(token string)
	Comment(whole string) string
	Message(whole string) string
	JSON(doc []byte) []byte
}

// Config says which App on which GitHub this is.
type Config struct {
	AppID      int64
	PrivateKey []byte // PEM, PKCS#1 or PKCS#8
	// ReadKey reads the key again for each signature, so that it can be replaced while
	// the server runs; nil: PrivateKey serves for ever.
	ReadKey func() ([]byte, error)
	BaseURL string // "" is github.com; else a GitHub Enterprise Server or the simulator, https unless on loopback
	HTTP    *http.Client
	CA      []byte // PEM certificates that are trusted besides this machine's, such as a company's; nil: none
	Funnel  Funnel
	Now     func() time.Time
	Log     logrus.FieldLogger
	Label   string // the trigger label; "" is agent:fix
	Slug    string // the App's slug; "" asks GitHub when it is first needed
	// MarkerKey keys the HMAC in hidden comment markers: a secret that stays
	// the same over restarts and over new private keys of the App.
	MarkerKey []byte
	// Token stands for App id and key where it is not "": a token that can do what
	// fettle does in TokenFor and is not asked for other repositories. TokenFor's
	// installation is any number that stays the same for the repository.
	Token    string
	TokenFor task.Repo
	// Pace is where what was sent is counted; nil: in this process alone.
	Pace Pace
	// RetryPause is the first pause between tries after a 5xx answer or a
	// broken connection; it grows. 0 is half a second.
	RetryPause time.Duration
	// RequestTimeout bounds one try of one request. 0 is 30 s.
	RequestTimeout time.Duration
}

// DefaultLabel starts a run when an issue gets it.
const DefaultLabel = "agent:fix"

const (
	maxTries    = 3        // of one request, or of one creation
	maxInFlight = 100      // GitHub's limit of concurrent requests
	maxAnswer   = 32 << 20 // bytes of one answer
)

// Client talks to GitHub for all installations of one App. It is safe for
// concurrent use; writes to one repository are made one at a time.
type Client struct {
	cfg    Config
	base   *url.URL
	wire   http.RoundTripper
	signed http.RoundTripper // signs as the App, on top of wire
	limits *limits
	tokens *tokens
	flight *semaphore.Weighted
	locks  *locks
	known  *knownComments

	userID    atomic.Int64           // of the App's bot; 0: not seen yet
	signature atomic.Pointer[string] // what Signature gave last; nil: nobody asked

	mu    sync.Mutex
	login string // of the App's bot; "": not asked yet
}

// New checks the configuration; it sends nothing.
func New(cfg Config) (*Client, error) {
	if cfg.Funnel == nil {
		return nil, errors.New("forge: no funnel given: texts may not leave unsanitised")
	}
	if len(cfg.MarkerKey) < 16 {
		return nil, errors.New("forge: no key for hidden markers given; it takes 16 random bytes or more that are kept")
	}
	if cfg.Log == nil {
		l := logrus.New()
		l.SetLevel(logrus.PanicLevel)
		cfg.Log = l
	}
	setDefaults(&cfg)
	base, err := apiURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	wire := http.DefaultTransport
	if cfg.HTTP != nil && cfg.HTTP.Transport != nil {
		wire = cfg.HTTP.Transport
	}
	if len(cfg.CA) > 0 {
		if wire, err = trusting(wire, cfg.CA); err != nil {
			return nil, err
		}
	}
	var signed http.RoundTripper = withoutKey{}
	if cfg.Token == "" {
		if signed, err = appTransport(wire, cfg); err != nil {
			return nil, err
		}
	} else {
		if err := checkRepo(cfg.TokenFor); err != nil {
			return nil, err
		}
		cfg.AppID = 0
		cfg.Funnel.AddToken(cfg.Token)
	}
	login := ""
	if cfg.Slug != "" {
		login = cfg.Slug + "[bot]"
	}
	return &Client{
		cfg: cfg, login: login, base: base, wire: wire, signed: signed,
		limits: newLimits(cfg.Now, cfg.Pace), tokens: newTokens(), locks: newLocks(), known: newKnownComments(),
		flight: semaphore.NewWeighted(maxInFlight),
	}, nil
}

// trusting is a transport that also trusts these certificates.
func trusting(wire http.RoundTripper, ca []byte) (http.RoundTripper, error) {
	known, isHTTP := wire.(*http.Transport)
	if !isHTTP {
		return nil, errors.New("forge: certificates of an authority are given, but the transport is not one that can be told of them")
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(ca) {
		return nil, errors.New("forge: the file of the certificate authority holds no PEM certificate; export it as PEM and name it with github.ca_file")
	}
	own := known.Clone()
	own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return own, nil
}

func setDefaults(cfg *Config) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Label == "" {
		cfg.Label = DefaultLabel
	}
	if cfg.RetryPause <= 0 {
		cfg.RetryPause = 500 * time.Millisecond
	}
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = 30 * time.Second
	}
}

// apiURL is the address of the REST API, with a final slash. A server of one's
// own has it under /api/v3/, as GitHub Enterprise Server does.
func apiURL(raw string) (*url.URL, error) {
	if raw == "" {
		raw = "https://api.github.com/"
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("forge: base URL %q is not a URL; give https://HOST", raw)
	}
	if u.User != nil {
		return nil, errors.New("forge: the base URL holds credentials; remove them")
	}
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && loopback(u.Hostname()):
	default:
		return nil, fmt.Errorf("forge: base URL %q would send tokens in the clear; use https", raw)
	}
	if u.Host == "github.com" {
		u.Host = "api.github.com"
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	if !strings.HasSuffix(u.Path, "/api/v3/") && !strings.HasPrefix(u.Host, "api.") {
		u.Path += "api/v3/"
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// rest is a REST client that acts as the installation, on this one repository.
func (c *Client) rest(repo task.Repo) (*github.Client, error) {
	if err := checkRepo(repo); err != nil {
		return nil, err
	}
	if repo.Installation <= 0 {
		return nil, fmt.Errorf("forge: no installation known for %s", repo.Slug())
	}
	return c.github(&transport{c: c, wire: c.wire, installation: repo.Installation, repo: repo.Name, asInstallation: true}), nil
}

// app is a REST client that acts as the App itself. The installation only says
// on whose rate limit it counts.
func (c *Client) app(installation int64) *github.Client {
	return c.github(&transport{c: c, wire: c.signed, installation: installation})
}

func (c *Client) github(t http.RoundTripper) *github.Client {
	g := github.NewClient(&http.Client{Transport: t, CheckRedirect: checkRedirect})
	base := *c.base
	g.BaseURL, g.UserAgent = &base, "fettle"
	return g
}

// checkRedirect follows reads of a renamed repository; a write is never
// repeated at another address, because net/http would turn it into a read.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// identity is the App's login as it stands under its comments: slug[bot]. The
// installation is the one it is asked for, so that its rate limit holds.
func (c *Client) identity(ctx context.Context, installation int64) (string, error) {
	if login := c.knownIdentity(); login != "" {
		return login, nil
	}
	login, err := c.ask(ctx, installation)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.login = login
	return login, nil
}

// ask asks GitHub for the identity.
func (c *Client) ask(ctx context.Context, installation int64) (string, error) {
	if c.cfg.Token != "" {
		return c.viewer(ctx)
	}
	a, _, err := c.app(installation).Apps.Get(ctx, "")
	if err != nil {
		return "", c.explain("asking GitHub who this App is", err)
	}
	if a.GetSlug() == "" {
		return "", errors.New("forge: GitHub named no slug for this App; check github.app_id")
	}
	return a.GetSlug() + "[bot]", nil
}

func (c *Client) knownIdentity() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.login
}

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	hash      = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
)

// checkRepo keeps names that came from outside from changing a URL's path.
func checkRepo(r task.Repo) error {
	if !ownerName.MatchString(r.Owner) || !repoName.MatchString(r.Name) || r.Name == "." || r.Name == ".." {
		return fmt.Errorf("forge: %q/%q is not a repository name", r.Owner, r.Name)
	}
	return nil
}

// locks gives one writer at a time to each repository.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	free  chan struct{}
	users int
}

func newLocks() *locks { return &locks{held: map[string]*lock{}} }

// lock waits for the repository's turn and returns what gives it back.
func (l *locks) lock(ctx context.Context, repo task.Repo) (func(), error) {
	key := strings.ToLower(repo.Slug())
	l.mu.Lock()
	k := l.held[key]
	if k == nil {
		k = &lock{free: make(chan struct{}, 1)}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, key)
		}
	}
	select {
	case k.free <- struct{}{}:
		return func() { <-k.free; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
