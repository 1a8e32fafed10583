package egress

import (
	"fmt"
	"net/netip"
)

// refused are the blocks that are no part of the public Internet (IANA's
// special-purpose address registries), with those that carry an IPv4 address
// within, and the address at which one cloud answers its machines although it
// looks public.
var refused = func() []block {
	var out []block
	for _, b := range []struct{ what, prefix string }{
		{"this network", "0.0.0.0/8"}, {"private", "10.0.0.0/8"}, {"shared (carrier)", "100.64.0.0/10"}, {"loopback", "127.0.0.0/8"},
		{"link-local (metadata)", "169.254.0.0/16"}, {"private", "172.16.0.0/12"}, {"protocol assignments", "192.0.0.0/24"}, {"documentation", "192.0.2.0/24"},
		{"6to4 relay", "192.88.99.0/24"}, {"private", "192.168.0.0/16"}, {"benchmarking", "198.18.0.0/15"}, {"documentation", "198.51.100.0/24"},
		{"documentation", "203.0.113.0/24"}, {"multicast", "224.0.0.0/4"}, {"reserved", "240.0.0.0/4"}, {"metadata", "168.63.129.16/32"},
		{"protocol assignments", "2001::/23"}, {"documentation", "2001:db8::/32"}, {"6to4", "2002::/16"}, {"documentation", "3fff::/20"},
	} {
		out = append(out, block{b.what, netip.MustParsePrefix(b.prefix)})
	}
	return out
}()

type block struct {
	what   string
	prefix netip.Prefix
}

var (
	global   = netip.MustParsePrefix("2000::/3")
	metadata = []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("168.63.129.16/32"),
		netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("fd00:ec2::/32"), netip.MustParsePrefix("100.100.100.200/32"), netip.MustParsePrefix("192.0.0.192/32")}
)

// inward says why an address must not be dialled, or "".
func inward(a netip.Addr) string {
	a = a.Unmap()
	for _, b := range refused {
		if b.prefix.Contains(a) {
			return b.what
		}
	}
	switch {
	case a.Is4():
		return ""
	case a.IsLoopback():
		return "loopback"
	case a.IsLinkLocalUnicast():
		return "link-local"
	case a.IsPrivate():
		return "private"
	case a.IsMulticast():
		return "multicast"
	case !global.Contains(a): // NAT64 prefixes, the unspecified address, what is not handed out
		return "not public"
	}
	return ""
}

// fit checks the addresses of a host: all have to be fit, since a name that has
// one of each kind is no name of a public service. A host that the operator
// named as private may have any address but a metadata service's, which has to
// be named as the address it is.
func fit(host string, named bool, addrs []netip.Addr) error {
	if len(addrs) == 0 {
		return fmt.Errorf("%s has no address", host)
	}
	for _, a := range addrs {
		a = a.Unmap()
		why := inward(a)
		if why == "" || named && (host == a.String() || !isMetadata(a)) {
			continue
		}
		if named {
			return fmt.Errorf("%s resolves to a metadata service's address", host)
		}
		return fmt.Errorf("%s has a %s address", host, why)
	}
	return nil
}

func isMetadata(a netip.Addr) bool {
	for _, p := range metadata {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
