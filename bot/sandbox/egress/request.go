package egress

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// target is where a request wants to go.
type target struct {
	host string
	port uint16
}

func (t target) String() string { return net.JoinHostPort(t.host, strconv.Itoa(int(t.port))) }

// literal is the address that the host is, if it is one.
func (t target) literal() (netip.Addr, bool) {
	a, err := netip.ParseAddr(t.host)
	return a, err == nil
}

// asked reads where a request wants to go and refuses what is not CONNECT
// HOST:PORT or a plain GET or HEAD of an absolute address without a body.
func asked(r *http.Request) (target, error) {
	bad := func(text string) (target, error) { return target{}, &refusal{http.StatusBadRequest, text} }
	if r.Method == http.MethodConnect {
		if r.URL.Host == "" || r.URL.Path != "" || r.URL.User != nil || r.URL.RawQuery != "" {
			return bad("CONNECT takes HOST:PORT")
		}
		return place(r.URL.Host, 0)
	}
	switch {
	case r.URL.Scheme == "" || r.URL.Host == "":
		return bad("this is a proxy; it takes CONNECT, and GET and HEAD with a whole address")
	case r.URL.Scheme != "http":
		return bad("only http addresses are fetched; use CONNECT for TLS")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return target{}, &refusal{http.StatusMethodNotAllowed, "plain HTTP is for GET and HEAD only"}
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return bad("a GET or HEAD with a body is not let through")
	case r.URL.User != nil:
		return bad("an address with a user is not let through")
	case r.Header.Get("Upgrade") != "":
		return bad("upgrades are not let through")
	}
	return place(r.URL.Host, 80)
}

func place(hostport string, otherwise uint16) (target, error) {
	host, port, err := splitPort(hostport, otherwise)
	if err != nil || port == 0 {
		return target{}, &refusal{http.StatusBadRequest, "the request names no host and port"}
	}
	return target{host, port}, nil
}

// hopByHop are headers that are between a client and its proxy (RFC 9110, 7.6.1).
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// endToEnd removes them, and those that Connection names.
func endToEnd(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}
