package simulator

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
)

// Config says where the simulator stands and whom it calls.
type Config struct {
	Addr string // to listen on; "" = a free port of 127.0.0.1
	Root string // state directory: state.json, app-key.pem, repos/, deliveries/

	WebhookURL    string // of the App; "" = no deliveries
	WebhookSecret string

	AppID       int64             // 0 = 1
	AppSlug     string            // "" = fettle; the App acts as <slug>[bot]
	Permissions map[string]string // granted to the App's installations; nil = what an App like fettle asks for
	TokenTTL    time.Duration     // of installation tokens; 0 = one hour
	RateLimit   int               // requests per installation and hour; 0 = 5000

	// Enterprise is the version of GitHub Enterprise Server to be, such as 3.14.0:
	// TLS under an authority of its own (CAFile), no rate limits, deliveries kept
	// for seven days. "" is github.com.
	Enterprise string

	Git string // git binary; "" = from PATH
	Now func() time.Time
	Log logrus.FieldLogger

	// Middleware, when set, wraps API, git and pages: for instance the contract
	// validator. Faults are injected outside of it.
	Middleware func(http.Handler) http.Handler
}

// Server is a running simulator. Its methods may be called at any time, from
// any goroutine.
type Server struct {
	cfg      Config
	git      gitRunner
	listener net.Listener
	url      string
	server   *http.Server
	routes   []route

	controlToken string
	pager        *pager

	mu    sync.Mutex // guards state, deliveries, faults, calls
	state *state
	limit map[int64]*window
	app   *app
	key   *rsa.PrivateKey // of the App

	wishes map[string]wish  // manifests that nobody has created an App of yet
	grants map[string]grant // codes that nobody has converted yet

	saver  saver
	hooks  *hookQueue
	faults faultSet
	calls  callLog
}

// New opens or creates the state under Root and binds the address, so that
// URL is known; Serve answers.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{cfg.Root, filepath.Join(cfg.Root, "repos"), filepath.Join(cfg.Root, "deliveries")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making the simulator's state directory: %w", err)
		}
	}
	s := &Server{cfg: cfg, git: gitRunner{bin: cfg.Git}, limit: map[int64]*window{}, wishes: map[string]wish{}, grants: map[string]grant{}, controlToken: rand.Text()}
	key, err := loadKey(filepath.Join(cfg.Root, "app-key.pem"))
	if err != nil {
		return nil, err
	}
	if s.state, err = loadState(filepath.Join(cfg.Root, "state.json")); err != nil {
		return nil, err
	}
	s.saver.path = filepath.Join(cfg.Root, "state.json")
	if s.hooks, err = newHookQueue(cfg, filepath.Join(cfg.Root, "deliveries")); err != nil {
		return nil, err
	}
	if s.listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", cfg.Addr); err != nil {
		return nil, fmt.Errorf("listening on %s: %w; name another address", cfg.Addr, err)
	}
	s.url = "http://" + reachable(s.listener.Addr().String())
	if cfg.Enterprise != "" {
		secure, err := s.certify()
		if err != nil {
			return nil, errors.Join(err, s.listener.Close())
		}
		s.url = "https" + strings.TrimPrefix(s.url, "http")
		s.listener = tls.NewListener(s.listener, secure)
	}
	_, s.hooks.host, _ = strings.Cut(s.url, "://")
	known := s.configured(key)
	if made := s.state.App; made != nil {
		known = made
		s.SetWebhook(made.WebhookURL, made.Secret)
	}
	if err := s.become(known); err != nil {
		return nil, errors.Join(err, s.listener.Close())
	}
	s.routes = s.table()
	s.server = &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	return s, nil
}

func (cfg Config) withDefaults() (Config, error) {
	if cfg.Root == "" {
		return cfg, errors.New("simulator: Root is empty; name a directory for its state")
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return cfg, err
	}
	cfg.Root = root
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if !loopbackHost(cfg.Addr) {
		return cfg, fmt.Errorf("simulator: %s is not an address of this machine alone; name one such as 127.0.0.1:9090", cfg.Addr)
	}
	if cfg.AppID == 0 {
		cfg.AppID = 1
	}
	if cfg.AppSlug == "" {
		cfg.AppSlug = "fettle"
	}
	if cfg.Permissions == nil {
		cfg.Permissions = map[string]string{"metadata": "read", "contents": "write", "issues": "write",
			"pull_requests": "write", "checks": "write", "statuses": "read"}
	}
	if cfg.TokenTTL == 0 {
		cfg.TokenTTL = time.Hour
	}
	if cfg.RateLimit == 0 {
		cfg.RateLimit = 5000
	}
	if cfg.Git == "" {
		cfg.Git = "git"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetLevel(logrus.PanicLevel)
		cfg.Log = quiet
	}
	return cfg, nil
}

// reachable turns a listening address into one that can be dialled.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// URL is the base address, such as http://127.0.0.1:40123. The REST API is
// below URL/api/v3, GraphQL at URL/api/graphql, git at URL/owner/name.git.
func (s *Server) URL() string { return s.url }

// ControlToken is what the calls below /_simulator/ have to bring, as
// "Authorization: Bearer …".
func (s *Server) ControlToken() string { return s.controlToken }

// Serve answers until ctx ends or Close is called.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	err := s.server.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close stops answering and delivering, and leaves the state on disk.
func (s *Server) Close() error {
	err := s.server.Close()
	if cerr := s.listener.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) && err == nil {
		err = cerr
	}
	s.hooks.close()
	if serr := s.save(); serr != nil {
		return serr
	}
	return err
}

// Handler is everything the simulator answers, faults included.
func (s *Server) Handler() http.Handler {
	pages := s.pages()
	control := s.control()
	var inner http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			s.serveAPI(w, r)
		case isGitPath(r.URL.Path):
			s.serveGit(w, r)
		case r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/settings/apps/") && !strings.HasPrefix(r.URL.Path, "/settings/apps/new/"):
			s.appPage(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	})
	if s.cfg.Middleware != nil {
		inner = s.cfg.Middleware(inner)
	}
	inner = s.faulty(inner)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopbackHost(r.Host):
			http.Error(w, "this simulator answers to addresses of this machine only, not to "+strconv.Quote(r.Host), http.StatusMisdirectedRequest)
		case strings.HasPrefix(r.URL.Path, "/_simulator/"):
			s.guarded(control).ServeHTTP(w, r)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// now is the simulator's clock in UTC.
func (s *Server) now() time.Time { return s.cfg.Now().UTC() }
