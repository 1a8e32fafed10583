package hooks

import (
	"container/list"
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// Connections is how many a server of the webhook should have open at once. A
// connection that only waits costs some 20 KiB.
const Connections = 1000

// Limit keeps at most this many connections of l open. When one more comes, the
// oldest that holds no signed delivery is closed: strangers who keep
// connections open push each other out, and not whoever comes next. The server
// has to use ConnContext.
func Limit(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, most: most, open: list.New()}
}

type limited struct {
	net.Listener
	most int
	mu   sync.Mutex
	open *list.List // of *conn, the oldest first
}

type conn struct {
	net.Conn
	of     *limited
	at     *list.Element
	signed atomic.Bool
	closed sync.Once
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, of: l}
	l.mu.Lock()
	c.at = l.open.PushBack(c)
	oldest := l.oldest()
	l.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return c, nil
}

// oldest is whoever has to go, if anybody.
func (l *limited) oldest() *conn {
	if l.open.Len() <= l.most {
		return nil
	}
	for at := l.open.Front(); at != nil; at = at.Next() {
		if c := at.Value.(*conn); !c.signed.Load() {
			return c
		}
	}
	return nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.closed.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.open.Remove(c.at)
	})
	return c.Conn.Close()
}

type connKey struct{}

// ConnContext is for http.Server.ConnContext: by it the handler says which
// connections of a Limit hold a signed delivery.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// signed marks the request's connection until the returned function is called.
func signed(ctx context.Context) func() {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return func() {}
	}
	c.signed.Store(true)
	return func() { c.signed.Store(false) }
}
