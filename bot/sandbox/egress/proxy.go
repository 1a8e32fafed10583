package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/net/netutil"
)

// Config says what is let through.
type Config struct {
	Allow   List // empty: nothing
	Private List // of those allowed, hosts that may have private addresses; exact names only
	// Upstream is the operator's own proxy for an address, nil for none: see
	// Environment. What goes through it is resolved there; here only addresses
	// and names that can be resolved are looked at.
	Upstream func(*url.URL) (*url.URL, error)
	Resolve  func(ctx context.Context, host string) ([]netip.Addr, error) // nil: the system's resolver
	Limits   Limits
	Now      func() time.Time
	Log      logrus.FieldLogger
}

// Limits bound what one Proxy serves. A zero field means the default.
type Limits struct {
	Bytes       int64         // both directions together, default 4 GiB
	Connections int           // at once, default 64
	Idle        time.Duration // without a byte in either direction, default 1 minute
	Dial        time.Duration // to find and reach a host, default 15 seconds
}

// Visit is what became of requests for one host and port.
type Visit struct {
	Host    string `json:"host"` // "host:port"; what is no such thing is one entry "?"
	Allowed bool   `json:"allowed"`
	Why     string `json:"why,omitempty"` // of a refusal or failure, the last
	Count   int    `json:"count"`
}

// Proxy is an http.Handler that is a forward proxy.
type Proxy struct {
	cfg    Config
	left   atomic.Int64 // bytes
	dialer net.Dialer
	direct *http.Transport

	mu     sync.Mutex
	visits []Visit
}

// New returns a proxy; Serve makes it work.
func New(cfg Config) *Proxy {
	pick(&cfg.Limits.Bytes, 4<<30)
	pick(&cfg.Limits.Connections, 64)
	pick(&cfg.Limits.Idle, time.Minute)
	pick(&cfg.Limits.Dial, 15*time.Second)
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Resolve == nil {
		cfg.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if cfg.Upstream == nil {
		cfg.Upstream = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	p := &Proxy{cfg: cfg}
	p.left.Store(cfg.Limits.Bytes)
	p.direct = &http.Transport{
		Proxy: nil, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 4, IdleConnTimeout: cfg.Limits.Idle, ResponseHeaderTimeout: cfg.Limits.Idle,
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) { return p.reachPlain(ctx, addr) },
	}
	return p
}

func pick[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Serve answers connections until ctx ends, and closes the listener. What is
// under way then is cut off.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	srv := &http.Server{
		Handler: p, ReadHeaderTimeout: p.cfg.Limits.Idle, IdleTimeout: p.cfg.Limits.Idle, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return inner },
	}
	defer stop()
	end := context.AfterFunc(ctx, func() { stop(); _ = srv.Close() })
	defer end()
	err := srv.Serve(netutil.LimitListener(l, p.cfg.Limits.Connections))
	p.direct.CloseIdleConnections()
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("egress: serving: %w", err)
}

// Visits lists what was asked for, in the order of the first time; the first 200.
func (p *Proxy) Visits() []Visit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Visit(nil), p.visits...)
}

const maxVisits = 200

// note keeps what became of a request and logs it.
func (p *Proxy) note(host string, why error) {
	v := Visit{Host: host, Allowed: why == nil, Count: 1}
	if why != nil {
		v.Why = why.Error()
	}
	log := p.cfg.Log.WithField("host", host)
	if why != nil {
		log.WithField("why", v.Why).Warn("setup: not let through")
	} else {
		log.Debug("setup: let through")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.visits {
		if old := &p.visits[i]; old.Host == v.Host && old.Allowed == v.Allowed {
			old.Count, old.Why = old.Count+1, v.Why
			return
		}
	}
	if len(p.visits) < maxVisits {
		p.visits = append(p.visits, v)
	}
}

// ServeHTTP answers one request of a client.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, err := asked(r)
	if err != nil {
		p.note("?", err)
		refuse(w, err)
		return
	}
	if !p.cfg.Allow.Match(t.host, t.port) {
		err = &refusal{http.StatusForbidden, fmt.Sprintf("%s is not among the hosts that the operator's file allows under setup.allow", t)}
	} else if p.left.Load() <= 0 {
		err = &refusal{http.StatusTooManyRequests, fmt.Sprintf("more than %d bytes were asked for", p.cfg.Limits.Bytes)}
	}
	if err != nil {
		p.note(t.String(), err)
		refuse(w, err)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r, t)
		return
	}
	p.fetch(w, r, t)
}

// refusal is an answer of the proxy itself.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	var r *refusal
	if errors.As(err, &r) {
		status = r.status
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "fettle: "+err.Error(), status)
}
