package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// recordHandshake is the first byte of a TLS connection.
const recordHandshake = 0x16

// errHello ends a handshake when its first message is read.
var errHello = errors.New("the hello is read")

// greeted is what the client of a tunnel sends, when the name that it asks TLS for is the
// one that it was let through for: behind one address, a provider of many hosts answers
// for whichever name is asked. What does not begin as TLS passes; the name is then the
// tunnel's alone.
func greeted(ctx context.Context, r *bufio.Reader, host string) (io.Reader, error) {
	first, err := r.Peek(1)
	if err != nil || first[0] != recordHandshake {
		return r, nil //nolint:nilerr // who reads on sees the end
	}
	var read bytes.Buffer
	name := ""
	heard := tls.Server(&ears{Reader: io.TeeReader(r, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = h.ServerName
			return nil, errHello
		},
	}).HandshakeContext(ctx)
	if !errors.Is(heard, errHello) {
		return nil, fmt.Errorf("the beginning of TLS to %s could not be read: %w", host, heard)
	}
	if net.ParseIP(strings.Trim(host, "[]")) == nil && name != "" && !strings.EqualFold(strings.TrimSuffix(name, "."), strings.TrimSuffix(host, ".")) {
		return nil, fmt.Errorf("the tunnel is for %s, and TLS asks there for %q", host, name)
	}
	return io.MultiReader(&read, r), nil
}

// ears is a connection that only hears.
type ears struct{ io.Reader }

func (*ears) Write(b []byte) (int, error)      { return len(b), nil }
func (*ears) Close() error                     { return nil }
func (*ears) LocalAddr() net.Addr              { return nil }
func (*ears) RemoteAddr() net.Addr             { return nil }
func (*ears) SetDeadline(time.Time) error      { return nil }
func (*ears) SetReadDeadline(time.Time) error  { return nil }
func (*ears) SetWriteDeadline(time.Time) error { return nil }
