package egress

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// errSpent ends a transfer when the bytes are used up.
var errSpent = errors.New("egress: the limit of bytes was reached")

// tunnel serves CONNECT.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, t target) {
	far, err := p.reach(r.Context(), t, "https")
	p.note(t.String(), err)
	if err != nil {
		refuse(w, err)
		return
	}
	defer far.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		refuse(w, errors.New("the connection cannot become a tunnel"))
		return
	}
	near, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		return
	}
	stop := closeAtEnd(r, near, far)
	defer stop()
	idle := &idler{after: p.cfg.Limits.Idle, conns: []net.Conn{near, far}}
	var both sync.WaitGroup
	both.Go(func() {
		said, err := greeted(r.Context(), buffered.Reader, t.host)
		if err != nil {
			p.note(t.String(), err)
			idle.closeAll()
			return
		}
		p.pump(far, said, idle)
	})
	both.Go(func() { p.pump(near, far, idle) })
	both.Wait()
}

// closeAtEnd cuts a hijacked connection off when the server ends, which no
// longer knows of it.
func closeAtEnd(r *http.Request, conns ...net.Conn) (stop func()) {
	over := make(chan struct{})
	go func() {
		select {
		case <-r.Context().Done():
			for _, c := range conns {
				_ = c.Close()
			}
		case <-over:
		}
	}()
	return func() { close(over) }
}

// pump copies one direction of a tunnel and closes its end for writing.
func (p *Proxy) pump(to net.Conn, from io.Reader, idle *idler) {
	_, err := io.Copy(writerOnly{to}, p.counted(from, idle))
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	idle.closeAll()
}

type writerOnly struct{ io.Writer }

// counted takes what is read from the bytes that are left.
func (p *Proxy) counted(r io.Reader, idle *idler) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		idle.touch()
		n, err := r.Read(b)
		if p.left.Add(-int64(n)) < 0 {
			return 0, errSpent
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// idler moves the deadlines of a tunnel's two ends on while bytes flow in
// either direction.
type idler struct {
	after time.Duration
	conns []net.Conn
	mu    sync.Mutex
	last  time.Time
}

func (i *idler) touch() {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	if now.Sub(i.last) < i.after/20 {
		return
	}
	i.last = now
	for _, c := range i.conns {
		_ = c.SetDeadline(now.Add(i.after))
	}
}

func (i *idler) closeAll() {
	for _, c := range i.conns {
		_ = c.Close()
	}
}

// fetch serves a plain GET or HEAD.
func (p *Proxy) fetch(w http.ResponseWriter, r *http.Request, t target) {
	out := r.Clone(r.Context())
	out.RequestURI, out.Body, out.Close = "", nil, false
	out.URL.Host, out.Host = t.String(), hostHeader(t)
	endToEnd(out.Header)
	res, err := p.direct.RoundTrip(out)
	p.note(t.String(), err)
	if err != nil {
		var said *refusal
		if !errors.As(err, &said) {
			err = errors.New(t.String() + ": " + unnamed(err).Error())
		}
		refuse(w, err)
		return
	}
	defer res.Body.Close()
	endToEnd(res.Header)
	for k, v := range res.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(res.StatusCode)
	control := http.NewResponseController(w)
	idle := &idler{after: p.cfg.Limits.Idle}
	body := p.counted(res.Body, idle)
	_, err = io.Copy(writerOnly{w}, readerFunc(func(b []byte) (int, error) {
		_ = control.SetWriteDeadline(time.Now().Add(p.cfg.Limits.Idle))
		return body.Read(b)
	}))
	if err != nil {
		panic(http.ErrAbortHandler) // the client must see that the body is not whole
	}
}

// hostHeader leaves the usual port out, as clients do.
func hostHeader(t target) string {
	if t.port == 80 {
		if a, ok := t.literal(); ok && a.Is6() {
			return "[" + t.host + "]"
		}
		return t.host
	}
	return t.String()
}
