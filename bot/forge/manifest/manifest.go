// Package manifest creates the GitHub App by GitHub's manifest flow: a page on
// this machine asks GitHub for an App with fettle's permissions, GitHub sends the
// browser back with a code, and the code is exchanged for the App's key and webhook
// secret, which are stored beside the operator's file that is written.
//
// Nothing is written before GitHub has sent the browser back, and an App is only
// asked for once its files have a place: GitHub shows the key a single time. No
// file that is there already is written over. The page answers only the browser
// that was given its address, only itself and GitHub may lead there, and it ends
// with the App.
package manifest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
)

// Config says which App is created where.
type Config struct {
	Place   forge.Place
	Name    string // proposed to GitHub, where it can be changed; "" makes one
	Webhook string // where GitHub delivers; "" asks on the page
	Addr    string // loopback address to listen on; "" is a free port
	File    string // the operator's file, absolute
	CAFile  string // certificates that the file names; "" for none
	Add     bool   // add to an operator's file that is there
	Now     func() time.Time
	Note    func(string) // told what happens on the page; nil: nobody is
}

// Result is what was made. The secrets are in the files only.
type Result struct {
	AppID    int64  `json:"app_id"`
	Slug     string `json:"slug"`
	Owner    string `json:"owner"`
	Settings string `json:"settings_url"`
	Install  string `json:"install_url"`
	Webhook  string `json:"webhook_url"`
	File     string `json:"config"`
	Key      string `json:"private_key_file"`
	Secret   string `json:"webhook_secret_file"`
	Serve    string `json:"serve"` // the command that starts the server with it
}

const (
	about     = "https://github.com/fettle-dev/fettle"
	maxName   = 34               // GitHub's limit of an App's name
	patience  = time.Hour        // how long the page waits for the person
	usualAddr = "127.0.0.1:8080" // where fettle serve listens
	path      = "/webhook"       // where fettle serve listens for deliveries
)

// ErrPatience says that nobody created the App.
var ErrPatience = errors.New("nobody created the App within an hour; nothing was written: run the command again")

// Run shows the page until the App is made or ctx ends. ready is told the page's
// address.
func Run(ctx context.Context, cfg Config, ready func(address string)) (Result, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Note == nil {
		cfg.Note = func(string) {}
	}
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	if cfg.Name == "" {
		cfg.Name = "fettle-" + strings.ToLower(rand.Text()[:6])
		if cfg.Place.Org != "" {
			cfg.Name = cut("fettle-" + cfg.Place.Org)
		}
	}
	if len(cfg.Name) > maxName {
		return Result{}, fmt.Errorf("the App's name %q has more than GitHub's %d characters", cfg.Name, maxName)
	}
	if _, err := cfg.Place.NewAppURL(""); err != nil {
		return Result{}, err
	}
	if cfg.Webhook != "" {
		hook, err := cfg.webhook(cfg.Webhook)
		if err != nil {
			return Result{}, err
		}
		cfg.Webhook = hook
	}
	if err := cfg.free(); err != nil {
		return Result{}, err
	}
	host, _, err := net.SplitHostPort(cfg.Addr)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return Result{}, fmt.Errorf("the page is for this machine alone: %s is not an address such as 127.0.0.1:8765", cfg.Addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return Result{}, fmt.Errorf("listening on %s for the page: %w; choose another address", cfg.Addr, err)
	}
	p := &page{cfg: cfg, own: "http://" + l.Addr().String(), key: rand.Text(), state: rand.Text(), done: make(chan struct{})}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, ErrPatience)
	defer cancel()
	srv := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	ready(p.own + "/" + p.key)
	select {
	case <-p.done:
	case err = <-served:
		return Result{}, fmt.Errorf("showing the page: %w", err)
	case <-ctx.Done():
	}
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	_ = srv.Shutdown(closing) // the last answer is sent out; what does not end by then is cut
	_ = srv.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made != nil {
		return *p.made, nil
	}
	return Result{}, context.Cause(ctx)
}

func cut(name string) string { return strings.TrimRight(name[:min(len(name), maxName)], "-") }

// webhook checks an address against what the GitHub of the App can reach.
func (c Config) webhook(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return "", fmt.Errorf("%q is not an address such as https://fettle.example.com%s", raw, path)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = path
	}
	web, err := c.Place.Web()
	if err != nil {
		return "", err
	}
	there, here := reach(web.Hostname()), reach(u.Hostname())
	switch {
	case here < there && web.Host == "github.com":
		return "", fmt.Errorf("github.com cannot reach %s: give a public address, such as that of a TLS proxy or a tunnel before 'fettle serve'", u.Host)
	case here == loopback && there != loopback:
		return "", fmt.Errorf("%s cannot reach %s, which is this machine's own: give an address by which it sees this machine", web.Host, u.Host)
	case u.Scheme == "http" && here == public:
		return "", fmt.Errorf("http would send the words of issues over public networks in the clear: give https://%s%s", u.Host, u.Path)
	}
	return u.String(), nil
}

// How far a host can be seen.
const (
	loopback = iota
	private
	public
)

func reach(host string) int {
	ip := net.ParseIP(host)
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback():
		return loopback
	case ip != nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()), ip == nil && !strings.Contains(host, "."):
		return private
	}
	return public
}

// document is the manifest as GitHub takes it.
func (c Config) document(hook, back string) (string, error) {
	permissions, events := map[string]string{}, []string{}
	for _, p := range forge.Permissions() {
		permissions[p.Name] = p.Level
	}
	for _, e := range forge.Events() {
		events = append(events, e.Name)
	}
	data, err := json.Marshal(map[string]any{
		"name": c.Name, "url": about, "description": "Turns a labelled issue into a tested pull request.",
		"hook_attributes": map[string]any{"url": hook, "active": true}, "redirect_url": back,
		"public": false, "default_permissions": permissions, "default_events": events,
	})
	return string(data), err
}
