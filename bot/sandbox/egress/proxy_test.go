package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// world is a proxy on a Unix socket and a client that goes through it.
type world struct {
	*Proxy
	client *http.Client
	socket string
	stop   context.CancelFunc
	ended  chan error
}

func start(t *testing.T, cfg Config, roots *x509.CertPool) *world {
	t.Helper()
	// Longer than a socket's name may be.
	w := &world{Proxy: New(cfg), socket: filepath.Join(t.TempDir(), "proxy"), ended: make(chan error, 1)}
	l, err := Listen(w.socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	w.stop = stop
	go func() { w.ended <- w.Serve(ctx, l) }()
	w.client = &http.Client{Transport: &http.Transport{
		Proxy:       http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.invalid:1"}),
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", w.socket) },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(cs tls.ConnectionState) error { //nolint:gosec // it is checked, by the name in the test server's certificate
			_, err := cs.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "example.com"})
			return err
		}},
		DisableKeepAlives: true,
	}}
	t.Cleanup(func() {
		stop()
		w.client.CloseIdleConnections()
		if err := <-w.ended; err != nil {
			t.Error(err)
		}
	})
	return w
}

func list(t *testing.T, texts ...string) List {
	t.Helper()
	l, err := ParseList(texts)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func hello(t *testing.T) (plain, sealed *httptest.Server, hits *atomic.Int32) {
	hits = &atomic.Int32{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.Header.Get("Proxy-Authorization") != "" || r.Header.Get("X-Hop") != "" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, "hello from "+r.Host)
	})
	plain, sealed = httptest.NewServer(h), httptest.NewTLSServer(h)
	t.Cleanup(plain.Close)
	t.Cleanup(sealed.Close)
	return plain, sealed, hits
}

func pool(s *httptest.Server) *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(s.Certificate())
	return p
}

// named makes every name one of this machine.
func named(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func port(s *httptest.Server) string { return s.URL[strings.LastIndexByte(s.URL, ':'):] }

func get(t *testing.T, w *world, address string) (int, string, error) {
	t.Helper()
	res, err := w.client.Get(address)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestC1NamedHostsAreReachedAndNoOthers(t *testing.T) {
	t.Parallel()
	plain, sealed, hits := hello(t)
	allow := list(t, "index.example"+port(plain), "index.example"+port(sealed), "inner.example"+port(plain))
	w := start(t, Config{Allow: allow, Private: allow[:2], Resolve: named}, pool(sealed))
	for _, address := range []string{"http://index.example" + port(plain) + "/a", "https://INDEX.example" + port(sealed) + "/b"} {
		if code, body, err := get(t, w, address); err != nil || code != http.StatusOK || !strings.HasPrefix(body, "hello") {
			t.Errorf("%s: %d %q %v", address, code, body, err)
		}
	}
	if code, body, _ := get(t, w, "http://other.example"+port(plain)); code != http.StatusForbidden || !strings.Contains(body, "setup.allow") {
		t.Errorf("another host: %d %q", code, body)
	}
	if code, body, _ := get(t, w, "http://inner.example"+port(plain)); code != http.StatusForbidden || !strings.Contains(body, "loopback") {
		t.Errorf("a name that points inwards: %d %q", code, body)
	}
	if code, _, _ := get(t, w, "http://169.254.169.254/latest"); code != http.StatusForbidden {
		t.Errorf("the metadata address: %d", code)
	}
	if _, _, err := get(t, w, "https://other.example"+port(sealed)); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("another host by CONNECT: %v", err)
	}
	if hits.Load() != 2 {
		t.Errorf("%d requests arrived, want the 2 that are allowed", hits.Load())
	}
	seen := map[string]bool{}
	for _, v := range w.Visits() {
		seen[v.Host] = v.Allowed
	}
	if !seen["index.example"+port(plain)] || seen["other.example"+port(plain)] || len(seen) != 6 {
		t.Errorf("visits %+v", w.Visits())
	}
}

func TestC1AnAddressIsCheckedWhereverTheNameComesFrom(t *testing.T) {
	t.Parallel()
	plain, _, hits := hello(t)
	// Listed as hosts, so that only the address can stop them.
	allow := list(t, "127.0.0.1"+port(plain), "[::1]"+port(plain), "169.254.169.254:80", "[::ffff:127.0.0.1]"+port(plain), "10.0.0.1:80")
	w := start(t, Config{Allow: allow}, nil)
	for _, address := range []string{plain.URL, "http://[::1]" + port(plain), "http://169.254.169.254/", "http://[::ffff:7f00:1]" + port(plain), "http://10.0.0.1/"} {
		if code, _, err := get(t, w, address); err != nil || code != http.StatusForbidden {
			t.Errorf("%s: %d %v", address, code, err)
		}
	}
	if hits.Load() != 0 {
		t.Error("a request arrived")
	}
}

func TestC1ANameIsResolvedOnceAndThatAddressDialled(t *testing.T) {
	t.Parallel()
	plain, _, hits := hello(t)
	var asked atomic.Int32
	rebinding := func(context.Context, string) ([]netip.Addr, error) {
		if asked.Add(1)%2 == 1 { // first a public one that nobody answers at, then ours
			return []netip.Addr{netip.MustParseAddr("2001:500:88::ffff")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	w := start(t, Config{Allow: list(t, "a.example"+port(plain)), Resolve: rebinding, Limits: Limits{Dial: time.Second}}, nil)
	for i := int32(1); i <= 2; i++ {
		if code, _, _ := get(t, w, "http://a.example"+port(plain)); code == http.StatusOK {
			t.Errorf("request %d was answered", i)
		}
		if asked.Load() != i {
			t.Errorf("request %d: the name was resolved %d times", i, asked.Load())
		}
	}
	if hits.Load() != 0 {
		t.Error("a request arrived")
	}
}

func TestC1OnlyReadingRequestsPassInTheClear(t *testing.T) {
	t.Parallel()
	plain, _, hits := hello(t)
	allow := list(t, "a.example"+port(plain))
	w := start(t, Config{Allow: allow, Private: allow, Resolve: named}, nil)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		req, _ := http.NewRequest(method, "http://a.example"+port(plain), strings.NewReader("secret"))
		res, err := w.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, res.StatusCode)
		}
	}
	for _, raw := range []string{"GET / HTTP/1.1\r\nHost: a.example" + port(plain) + "\r\n\r\n", "GET http://a.example" + port(plain) + "/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		"GET ftp://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT a.example HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("unix", w.socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, raw)
		answer := make([]byte, 12)
		_, _ = io.ReadFull(c, answer)
		_ = c.Close()
		if string(answer) != "HTTP/1.1 400" {
			t.Errorf("%q: %q", raw, answer)
		}
	}
	if hits.Load() != 0 {
		t.Error("a request arrived")
	}
	req, _ := http.NewRequest(http.MethodGet, "http://a.example"+port(plain), nil)
	req.Header.Set("Proxy-Authorization", "Basic x")
	req.Header.Set("Connection", "X-Hop")
	req.Header.Set("X-Hop", "1")
	res, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("headers between client and proxy were passed on: %d", res.StatusCode)
	}
}

func TestC1BytesAreBounded(t *testing.T) {
	t.Parallel()
	big := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 4<<20))
	}))
	t.Cleanup(big.Close)
	allow := list(t, "127.0.0.1"+port(big))
	w := start(t, Config{Allow: allow, Private: allow, Limits: Limits{Bytes: 1 << 20}}, nil)
	if _, body, err := get(t, w, big.URL); err == nil {
		t.Errorf("%d bytes came without an error", len(body))
	}
	if code, _, err := get(t, w, big.URL); err != nil || code != http.StatusTooManyRequests {
		t.Errorf("after the limit: %d %v", code, err)
	}
}

// TestC1ATunnelLeadsToTheNameThatItIsFor: behind one address stand many names.
func TestC1ATunnelLeadsToTheNameThatItIsFor(t *testing.T) {
	t.Parallel()
	_, sealed, hits := hello(t)
	allow := list(t, "index.example"+port(sealed))
	for name, through := range map[string]bool{"index.example": true, "INDEX.example": true, "": true, "other.example": false} {
		w := start(t, Config{Allow: allow, Private: allow, Resolve: named}, nil)
		c, err := net.Dial("unix", w.socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:revive // a few
		_, _ = io.WriteString(c, "CONNECT index.example"+port(sealed)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		for range len("HTTP/1.1 200 Connection Established\r\n\r\n") {
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		before := hits.Load()
		inner := tls.Client(c, &tls.Config{ServerName: name, InsecureSkipVerify: true}) //nolint:gosec // whom it reaches is what is asked
		_, err = io.WriteString(inner, "GET / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n")
		if err == nil {
			_, err = io.ReadAll(inner)
		}
		if (err == nil) != through || (hits.Load() > before) != through {
			t.Errorf("%q: %v, reached: %v", name, err, hits.Load() > before)
		}
		if last := w.Visits(); !through && !slices.ContainsFunc(last, func(v Visit) bool { return strings.Contains(v.Why, `TLS asks there for "other.example"`) }) {
			t.Errorf("the visit does not say it: %+v", last)
		}
	}
}

func TestC1ATunnelEndsWithTheProxy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	allow := list(t, l.Addr().String())
	w := start(t, Config{Allow: allow, Private: allow}, nil)
	c, err := net.Dial("unix", w.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "CONNECT "+l.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\n")
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	w.stop()
	if n, err := far.Read(make([]byte, 1)); err == nil {
		t.Errorf("%d bytes after the end", n)
	}
	w.ended <- <-w.ended
}

func TestC1TheOperatorsOwnProxyIsGoneThrough(t *testing.T) {
	t.Parallel()
	_, sealed, hits := hello(t)
	allow := list(t, "index.example"+port(sealed))
	second := New(Config{Allow: allow, Private: allow, Resolve: named})
	var authorised atomic.Int32
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") == "Basic "+base64.StdEncoding.EncodeToString([]byte("op:secret")) {
			authorised.Add(1)
			second.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(up.Close)
	via := func(secret string) func(*url.URL) (*url.URL, error) {
		return func(*url.URL) (*url.URL, error) {
			return url.Parse(strings.Replace(up.URL, "://", "://op:"+secret+"@", 1))
		}
	}
	unknown := func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no resolver here") }
	w := start(t, Config{Allow: append(allow, list(t, "10.0.0.1")...), Upstream: via("secret"), Resolve: unknown}, pool(sealed))
	if code, _, err := get(t, w, "https://index.example"+port(sealed)); err != nil || code != http.StatusOK {
		t.Fatalf("%d %v", code, err)
	}
	if _, _, err := get(t, w, "https://other.example"+port(sealed)); err == nil {
		t.Error("another host was let through")
	}
	if _, _, err := get(t, w, "https://10.0.0.1"); err == nil {
		t.Error("a private address was let through")
	}
	if authorised.Load() != 1 || hits.Load() != 1 {
		t.Errorf("%d asked of the operator's proxy, %d arrived", authorised.Load(), hits.Load())
	}
	bad := start(t, Config{Allow: allow, Upstream: via("wrong"), Resolve: unknown}, pool(sealed))
	if _, _, err := get(t, bad, "https://index.example"+port(sealed)); err == nil {
		t.Error("without the right password")
	}
	for _, v := range bad.Visits() {
		if strings.Contains(v.Why, "wrong") || !strings.Contains(v.Why, "407") {
			t.Errorf("%+v", v)
		}
	}
}
