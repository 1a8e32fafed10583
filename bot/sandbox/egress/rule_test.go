package egress

import (
	"bufio"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestC1RulesSayHostAndPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Rule{
		"Index.Example.":        {Host: "index.example", Port: 443},
		"index.example:8443":    {Host: "index.example", Port: 8443},
		"*.files.example":       {Host: "files.example", Suffix: true, Port: 443},
		"*.files.example:80":    {Host: "files.example", Suffix: true, Port: 80},
		"127.0.0.1:9000":        {Host: "127.0.0.1", Port: 9000},
		"[::1]:9000":            {Host: "::1", Port: 9000},
		"[::ffff:10.0.0.1]:443": {Host: "10.0.0.1", Port: 443},
	} {
		got, err := ParseRule(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "*", "*.", "*.com", "*.10.0.0.1", "https://index.example", "index.example/simple", "index.example:", "index.example:0", "index.example:443x",
		"index.example:65536", "index.example:0443", "a b", "user@index.example", "127.1", "0x7f.0.0.1", "2130706433", "::1", "[::1", "fe80::1%eth0", "[fe80::1%eth0]", "-a.example", "a..b", "*.*.example", strings.Repeat("a", 64) + ".example"} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q was taken as %+v", text, r)
		}
	}
}

func TestC1OnlyWhatIsNamedMatches(t *testing.T) {
	t.Parallel()
	l, err := ParseList([]string{"index.example", "*.files.example", "10.1.2.3:8080"})
	if err != nil {
		t.Fatal(err)
	}
	for hostport, want := range map[string]bool{
		"index.example:443": true, "INDEX.example.:443": true, "index.example:80": false, "index.example:22": false, "www.index.example:443": false,
		"a.files.example:443": true, "a.b.files.example:443": true, "files.example:443": false, "evilfiles.example:443": false, "a.files.example.evil.example:443": false,
		"10.1.2.3:8080": true, "10.1.2.3:443": false, "[::ffff:10.1.2.3]:8080": true, "10.1.2.4:8080": false,
	} {
		host, port, err := splitPort(hostport, 0)
		if err != nil || l.Match(host, port) != want {
			t.Errorf("%s: match %v, %v; want %v", hostport, !want, err, want)
		}
	}
	if (List)(nil).Match("index.example", 443) {
		t.Error("an empty list let something through")
	}
}

func TestC1ARuleReadsBackAsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringMatching(`[a-z]([a-z0-9-]{0,10}[a-z0-9])?`)
		r := Rule{Host: label.Draw(t, "a") + "." + label.Draw(t, "b"), Suffix: rapid.Bool().Draw(t, "suffix"), Port: rapid.Uint16Min(1).Draw(t, "port")}
		if rapid.IntRange(0, 3).Draw(t, "address") == 0 {
			r.Host, r.Suffix = netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "v6"))).Unmap().String(), false
		}
		got, err := ParseRule(r.String())
		if err != nil || got != r {
			t.Fatalf("%+v as %q is %+v, %v", r, r, got, err)
		}
	})
}

func TestC1AddressesThatLeadInwards(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192",
		"168.63.129.16", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "::", "::1", "fe80::1", "fd00:ec2::254", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001::1", "2001:db8::1", "::127.0.0.1", "fec0::1"} {
		if inward(netip.MustParseAddr(in)) == "" {
			t.Errorf("%s is taken for public", in)
		}
	}
	for _, out := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "192.169.0.1", "2606:4700::1", "2a00:1450::5"} {
		if why := inward(netip.MustParseAddr(out)); why != "" {
			t.Errorf("%s is taken for %s", out, why)
		}
	}
}

func TestC1AMetadataAddressHasToBeNamedAsItself(t *testing.T) {
	t.Parallel()
	meta := []netip.Addr{netip.MustParseAddr("169.254.169.254")}
	if fit("169.254.169.254", true, meta) != nil {
		t.Error("the operator's own word does not hold")
	}
	if fit("mirror.corp", true, meta) == nil || fit("169.254.169.254", false, meta) == nil {
		t.Error("a metadata address was let through")
	}
	if fit("mirror.corp", true, []netip.Addr{netip.MustParseAddr("10.0.0.1")}) != nil {
		t.Error("a host that may be private is refused")
	}
	mixed := []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.1")}
	if fit("two.example", false, mixed) == nil {
		t.Error("a name with one private address was let through")
	}
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"a.example", "*.a.example:80", "[::1]:1", "10.0.0.1", "a.example.:443", "*.", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRule(s)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again != r {
			t.Fatalf("%q is %+v, and as %q %+v, %v", s, r, r, again, err)
		}
		if r.Suffix && (List{r}).Match(r.Host, r.Port) {
			t.Fatalf("%q matches its own suffix", s)
		}
	})
}

// FuzzRequest: whatever bytes come from inside, what is let through names
// exactly the one host that is allowed, with GET, HEAD or CONNECT.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{"CONNECT index.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://index.example:80/a HTTP/1.1\r\nHost: evil\r\n\r\n", "CONNECT index.example:443@evil:1 HTTP/1.1\r\n\r\n",
		"GET http://a@index.example/ HTTP/1.1\r\n\r\n", "HEAD http://INDEX.example./ HTTP/1.0\r\n\r\n", "POST http://index.example/ HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT [::1]:443 HTTP/1.1\r\n\r\n"} {
		f.Add([]byte(s))
	}
	allow, err := ParseList([]string{"index.example", "index.example:80"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(raw))))
		if err != nil {
			return
		}
		at, err := asked(r)
		if err != nil || !allow.Match(at.host, at.port) {
			return
		}
		if at.host != "index.example" || r.URL.User != nil {
			t.Fatalf("%q goes to %s", raw, at)
		}
		if got := strings.TrimSuffix(strings.ToLower(r.URL.Hostname()), "."); got != "index.example" {
			t.Fatalf("%q was read as %s and names %q", raw, at, got)
		}
		if r.Method != http.MethodConnect && r.Method != http.MethodGet && r.Method != http.MethodHead {
			t.Fatalf("%s was let through", r.Method)
		}
	})
}
