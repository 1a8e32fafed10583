package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"

	"golang.org/x/net/http/httpproxy"
)

// Environment is the operator's own proxy as the process's environment names
// it: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in either case.
func Environment() func(*url.URL) (*url.URL, error) {
	c := httpproxy.FromEnvironment()
	c.CGI = os.Getenv("REQUEST_METHOD") != ""
	return c.ProxyFunc()
}

// reach opens a connection to a host that is on the list.
func (p *Proxy) reach(ctx context.Context, t target, scheme string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Limits.Dial)
	defer cancel()
	up, err := p.cfg.Upstream(&url.URL{Scheme: scheme, Host: t.String()})
	if err != nil {
		return nil, errors.New("the proxy that the environment names is no address")
	}
	addrs, err := p.addresses(ctx, t, up != nil)
	if err != nil {
		return nil, err
	}
	if up != nil {
		return p.through(ctx, up, t)
	}
	for _, a := range addrs {
		var c net.Conn
		// The address that was looked at, not the name.
		if c, err = p.dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(a, t.port).String()); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("%s could not be reached: %w", t, unnamed(err))
}

// addresses resolves a host and checks what it finds. Where another proxy
// resolves, a name that is not known here is left to it.
func (p *Proxy) addresses(ctx context.Context, t target, elsewhere bool) ([]netip.Addr, error) {
	var addrs []netip.Addr
	if a, ok := t.literal(); ok {
		addrs = []netip.Addr{a}
	} else {
		var err error
		if addrs, err = p.cfg.Resolve(ctx, t.host); err != nil && elsewhere {
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s could not be resolved: %w", t.host, unnamed(err))
		}
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	if err := fit(t.host, p.cfg.Private.names(t.host, t.port), addrs); err != nil {
		return nil, &refusal{http.StatusForbidden, err.Error() + ", which is not let through; the operator's file can name it under setup.allow_private"}
	}
	return addrs, nil
}

// unnamed leaves out what an error of the resolver or dialler tells of the
// operator's network: its resolvers and own addresses.
func unnamed(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return errors.New("no such host")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dns) && dns.IsTimeout:
		return errors.New("it took too long")
	case errors.As(err, &op) && op.Err != nil:
		return op.Err
	}
	return errors.New("the network failed")
}

// through asks the operator's own proxy for a tunnel.
func (p *Proxy) through(ctx context.Context, up *url.URL, t target) (net.Conn, error) {
	port := up.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[up.Scheme]
	}
	if port == "" {
		return nil, fmt.Errorf("the operator's proxy is of the kind %q, and only http and https are known", up.Scheme)
	}
	c, err := p.dialer.DialContext(ctx, "tcp", net.JoinHostPort(up.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("the operator's proxy could not be reached: %w", unnamed(err))
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if up.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: up.Hostname(), MinVersion: tls.VersionTLS12})
	}
	r, err := connect(c, up, t)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return &early{Conn: c, r: r}, nil
}

func connect(c net.Conn, up *url.URL, t target) (*bufio.Reader, error) {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: t.String()}, Host: t.String(), Header: http.Header{}}
	if up.User != nil {
		password, _ := up.User.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(up.User.Username()+":"+password)))
	}
	if err := req.Write(c); err != nil {
		return nil, errors.New("the operator's proxy closed the connection")
	}
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, errors.New("the operator's proxy gave no answer to CONNECT")
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("the operator's proxy answered %d to CONNECT %s", res.StatusCode, t)
	}
	return r, nil
}

// early is a connection of which some bytes were read too early.
type early struct {
	net.Conn
	r *bufio.Reader
}

func (e *early) Read(b []byte) (int, error) { return e.r.Read(b) }

// reachPlain is reach for the transport of plain requests.
func (p *Proxy) reachPlain(ctx context.Context, addr string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	return p.reach(ctx, target{host, uint16(port)}, "http")
}
