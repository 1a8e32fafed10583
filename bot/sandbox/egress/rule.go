package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// tlsPort is meant where a rule or a request names no other.
const tlsPort = 443

// Rule allows one host, or all names below one, at one port.
type Rule struct {
	Host   string // lower case, without a dot at the end; an address as netip writes it
	Suffix bool   // names below Host, and not Host itself
	Port   uint16
}

// ParseRule reads "host", "host:port", "*.suffix" or "*.suffix:port". Without a
// port 443 is meant, which is CONNECT; plain HTTP needs its port said.
func ParseRule(s string) (Rule, error) {
	text, suffix := strings.CutPrefix(s, "*.")
	host, port, err := splitPort(text, tlsPort)
	if err != nil {
		return Rule{}, fmt.Errorf("%q is not HOST, HOST:PORT or *.SUFFIX: %w", s, err)
	}
	r := Rule{Host: host, Suffix: suffix, Port: port}
	if _, err := netip.ParseAddr(host); err == nil && suffix {
		return Rule{}, fmt.Errorf("%q: names below an address do not exist", s)
	}
	if suffix && !strings.Contains(host, ".") {
		return Rule{}, fmt.Errorf("%q is too wide; name at least *.DOMAIN.TLD", s)
	}
	return r, nil
}

// String is the rule as ParseRule reads it.
func (r Rule) String() string {
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if r.Suffix {
		host = "*." + host
	}
	if r.Port == tlsPort {
		return host
	}
	return host + ":" + strconv.Itoa(int(r.Port))
}

// match tells whether a host, in the form that splitPort gives, is meant.
func (r Rule) match(host string, port uint16) bool {
	if port != r.Port {
		return false
	}
	if !r.Suffix {
		return host == r.Host
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return strings.HasSuffix(host, "."+r.Host)
}

// List is what is allowed. An empty one allows nothing.
type List []Rule

// ParseList reads several rules; the error names the first that is wrong.
func ParseList(texts []string) (List, error) {
	var out List
	for _, s := range texts {
		r, err := ParseRule(s)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Match tells whether a rule allows host and port.
func (l List) Match(host string, port uint16) bool {
	for _, r := range l {
		if r.match(host, port) {
			return true
		}
	}
	return false
}

// names tells whether a rule means this very host and port and no others.
func (l List) names(host string, port uint16) bool {
	for _, r := range l {
		if !r.Suffix && r.match(host, port) {
			return true
		}
	}
	return false
}

// splitPort reads HOST, HOST:PORT, [V6] or [V6]:PORT. The host comes back in one
// form: names in lower case without a dot at the end, addresses as netip writes
// them, IPv4 in IPv6 as IPv4.
func splitPort(s string, otherwise uint16) (host string, port uint16, err error) {
	host, port = s, otherwise
	after := ""
	if rest, ok := strings.CutPrefix(s, "["); ok {
		if host, after, ok = strings.Cut(rest, "]"); !ok || !strings.Contains(host, ":") {
			return "", 0, errors.New("an address in brackets is not whole")
		}
	} else if i := strings.LastIndexByte(s, ':'); i >= 0 {
		if strings.Count(s, ":") > 1 {
			return "", 0, errors.New("an IPv6 address stands in brackets")
		}
		host, after = s[:i], s[i:]
	}
	if after != "" {
		digits, ok := strings.CutPrefix(after, ":")
		n, perr := strconv.ParseUint(digits, 10, 16)
		if !ok || perr != nil || n == 0 || strconv.FormatUint(n, 10) != digits {
			return "", 0, errors.New("the port is no number from 1 to 65535")
		}
		port = uint16(n)
	}
	if addr, perr := netip.ParseAddr(host); perr == nil {
		if addr.Zone() != "" {
			return "", 0, errors.New("an address has a zone")
		}
		return addr.Unmap().String(), port, nil
	}
	host, err = hostName(host)
	return host, port, err
}

// hostName checks a DNS name. One whose last label is a number is no name but
// an odd way to write an address, and resolvers disagree about those.
func hostName(s string) (string, error) {
	s = strings.ToLower(strings.TrimSuffix(s, "."))
	if s == "" || len(s) > 253 {
		return "", errors.New("the host is empty or too long")
	}
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return "", errors.New("the host is not a DNS name")
		}
		for _, c := range []byte(l) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return "", errors.New("the host holds a character that no DNS name has")
			}
		}
	}
	last := labels[len(labels)-1]
	if last[0] >= '0' && last[0] <= '9' {
		return "", errors.New("the host ends like an address and is none")
	}
	return s, nil
}
