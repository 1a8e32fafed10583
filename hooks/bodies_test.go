package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock stands until it is moved.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.Load()) }

// TestS16BodiesOfStrangersHaveABudget: however many send however much and never
// come to an end, no more than the budget is held, and whoever comes is served.
func TestS16BodiesOfStrangersHaveABudget(t *testing.T) {
	t.Parallel()
	b := newBodies(4 << 20)
	var clock clock
	b.budget, b.now = 8<<20, clock.now
	var strangers sync.WaitGroup
	var ends []*io.PipeWriter
	for i := range 100 {
		r, w := io.Pipe()
		ends = append(ends, w)
		strangers.Go(func() {
			_, done, err := b.read(t.Context(), r, int64(i%2)*(4<<20)-1, func() { _ = r.CloseWithError(errors.New("kicked")) })
			done()
			_ = r.CloseWithError(io.ErrClosedPipe)
			if err == nil {
				t.Error("a body without an end was read")
			}
		})
		go func() { _, _ = w.Write(make([]byte, 3<<20)) }() // and nothing more
	}
	for began := 0; began < len(ends); time.Sleep(time.Millisecond) {
		b.mu.Lock()
		began = len(b.all)
		b.mu.Unlock()
	}
	clock.Add(int64(time.Hour)) // from now on strangers are old, and who comes is not
	for _, size := range []int{100, 20 << 10, 4 << 20} {
		sent := bytes.Repeat([]byte("fettle "), size/7+1)[:size]
		parts, done, err := b.read(t.Context(), bytes.NewReader(sent), int64(size), func() {})
		if done(); err != nil || !bytes.Equal(bytes.Join(parts, nil), sent) {
			t.Errorf("a delivery of %d bytes: %d parts, %v", size, len(parts), err)
		}
	}
	for _, w := range ends {
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
	}
	strangers.Wait()
	if b.most > b.budget || b.held != 0 || len(b.all) != 0 {
		t.Errorf("%d bytes were held at once with a budget of %d; at the end %d of %d bodies", b.most, b.budget, b.held, len(b.all))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	b.held = b.budget
	if _, _, err := b.read(over, bytes.NewReader(nil), 1, func() {}); !errors.Is(err, errBusy) {
		t.Errorf("without room and time: %v", err)
	}
}

// TestS16OneStrangerIsSentAwayAtATime: while one who was sent away has still to go there
// will be room, and nobody else has to.
func TestS16OneStrangerIsSentAwayAtATime(t *testing.T) {
	t.Parallel()
	b := newBodies(1 << 20)
	slow, other := &body{held: 900 << 10}, &body{held: 100 << 10}
	b.all[slow], b.all[other] = true, true
	if got := b.worst(); got != slow {
		t.Fatalf("the worst is %+v", got)
	}
	slow.out = true
	if got := b.worst(); got != nil {
		t.Errorf("beside one that has still to go %+v is sent away", got)
	}
	b.held = slow.held + other.held
	b.leave(slow)
	if got := b.worst(); got != other {
		t.Errorf("when it has gone the worst is %+v", got)
	}
}

// TestS16TheAnswerHasLeftBeforeTheConnectionMayGo: what is held back in a buffer would
// be lost with a connection that is pushed out.
func TestS16TheAnswerHasLeftBeforeTheConnectionMayGo(t *testing.T) {
	t.Parallel()
	door := Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Accept: func(context.Context, string, string, int64, []byte) (bool, error) { return true, nil }})
	w := httptest.NewRecorder()
	door.ServeHTTP(w, request("a", payload))
	if w.Code != http.StatusAccepted || !w.Flushed || w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
		t.Errorf("answered %d, flushed: %v, %v", w.Code, w.Flushed, w.Header())
	}
}

// TestS16StrangersWithSlowBodiesKeepNobodyOut: on real connections, more of
// them than may be open at once.
func TestS16StrangersWithSlowBodiesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	var stored atomic.Int64
	door := Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Timeout: time.Minute, Accept: func(context.Context, string, string, int64, []byte) (bool, error) {
		stored.Add(1)
		return true, nil
	}}).(*webhook)
	var clock clock
	door.bodies.budget, door.bodies.now = 2<<20, clock.now
	const most = 60
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limit(raw, most).(*limited)
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: door, ConnContext: ConnContext}}
	s.Start()
	t.Cleanup(s.Close)

	var strangers []net.Conn
	for range 4 * most {
		c, err := net.Dial("tcp", raw.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		strangers = append(strangers, c)
		go fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: %s\r\nContent-Length: 1000000\r\n\r\n%s", signature("wrong", nil), strings.Repeat("x", 100<<10))
	}
	passing := time.NewTicker(10 * time.Millisecond) // strangers get old, whenever the machine lets them begin
	defer passing.Stop()
	go func() {
		for {
			select {
			case <-passing.C:
				clock.Add(int64(time.Hour))
			case <-t.Context().Done():
				return
			}
		}
	}()
	for i := range 30 {
		body := fmt.Appendf(nil, `{"installation":{"id":1},"x":%q}`, strings.Repeat("x", 20<<10))
		r := request(fmt.Sprint("d", i), body)
		out, err := http.NewRequest(http.MethodPost, s.URL, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		out.Header = r.Header
		resp, err := http.DefaultClient.Do(out)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusAccepted {
			t.Errorf("a signed delivery was answered %d", resp.StatusCode)
		}
	}
	l.mu.Lock()
	if n := l.open.Len(); n > most {
		t.Errorf("%d connections are open", n)
	}
	l.mu.Unlock()
	for _, c := range strangers {
		_ = c.Close()
	}
	s.Close() // waits for the handlers
	if b := door.bodies; b.most > b.budget || b.held != 0 || stored.Load() != 30 {
		t.Errorf("%d bytes were held at once with a budget of %d, %d at the end; %d stored", b.most, b.budget, b.held, stored.Load())
	}
}

// TestS16ASignedDeliveryIsNotPushedOut: what is being stored outlives any number
// of connections that come after it.
func TestS16ASignedDeliveryIsNotPushedOut(t *testing.T) {
	t.Parallel()
	storing, goOn := make(chan struct{}), make(chan struct{})
	door := Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Timeout: time.Minute, Accept: func(context.Context, string, string, int64, []byte) (bool, error) {
		close(storing)
		<-goOn
		return true, nil
	}})
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: Limit(raw, 2), Config: &http.Server{Handler: door, ConnContext: ConnContext}}
	s.Start()
	t.Cleanup(s.Close)
	answered := make(chan error, 1)
	go func() {
		out, err := http.NewRequest(http.MethodPost, s.URL, bytes.NewReader(payload))
		if err != nil {
			answered <- err
			return
		}
		out.Header = request("a", payload).Header
		resp, err := new(http.Transport).RoundTrip(out)
		if err == nil && resp.StatusCode != http.StatusAccepted {
			err = fmt.Errorf("answered %s", resp.Status)
		}
		answered <- err
	}()
	<-storing
	for range 10 {
		c, err := net.Dial("tcp", raw.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\n")
	}
	close(goOn)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}
