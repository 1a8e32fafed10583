package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // GitHub still sends the old header; nothing here trusts it
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Delivery is one attempt to deliver a webhook, as the App's list shows it.
type Delivery struct {
	ID           int64     `json:"id"`
	GUID         string    `json:"guid"` // the same for every attempt
	Event        string    `json:"event"`
	Action       string    `json:"action,omitempty"`
	Installation int64     `json:"installation,omitempty"`
	Repository   int64     `json:"repository,omitempty"`
	Redelivery   bool      `json:"redelivery,omitempty"`
	DeliveredAt  time.Time `json:"delivered_at"`
	Seconds      float64   `json:"seconds"`
	StatusCode   int       `json:"status_code"` // 0 while under way, 502 and 504 as GitHub shows failures to reach
	Status       string    `json:"status"`      // OK, or what went wrong

	RequestHeader  http.Header     `json:"request_header,omitempty"`
	Payload        json.RawMessage `json:"payload,omitempty"`
	ResponseHeader http.Header     `json:"response_header,omitempty"`
	Response       string          `json:"response,omitempty"`
}

const (
	hookTimeout = 10 * time.Second   // GitHub waits this long for an answer
	hookKept    = 3 * 24 * time.Hour // and keeps a delivery this long

	hookKeptEnterprise = 7 * 24 * time.Hour // an Enterprise Server does longer
	hookAtOnce         = 16
)

// hookQueue delivers each webhook once, in the background, and remembers what
// came of it. There is no retry: GitHub has none.
type hookQueue struct {
	dir    string
	now    func() time.Time
	appID  int64
	server string // version of an Enterprise Server, or ""
	host   string // its name
	keep   time.Duration
	client *http.Client
	ctx    context.Context // ends the deliveries under way at close
	cancel context.CancelFunc
	slots  chan struct{}
	report func(error)

	mu     sync.Mutex
	url    string
	secret string
	list   []*Delivery // by id
	idle   *sync.Cond
	busy   int
	closed bool
}

func newHookQueue(cfg Config, dir string) (*hookQueue, error) {
	ctx, cancel := context.WithCancel(context.Background())
	q := &hookQueue{dir: dir, now: cfg.Now, appID: cfg.AppID, server: cfg.Enterprise, keep: hookKept, url: cfg.WebhookURL, secret: cfg.WebhookSecret, ctx: ctx, cancel: cancel,
		slots: make(chan struct{}, hookAtOnce), client: &http.Client{Timeout: hookTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: hookAtOnce},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if q.server != "" {
		q.keep = hookKeptEnterprise
	}
	q.report = func(err error) { cfg.Log.WithError(err).Error("simulator: keeping a delivery") }
	q.idle = sync.NewCond(&q.mu)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a delivery: %w", err)
		}
		d := &Delivery{}
		if err := json.Unmarshal(data, d); err != nil {
			return nil, fmt.Errorf("%s is not a delivery: %w; remove it", file, err)
		}
		q.list = append(q.list, d)
	}
	sort.Slice(q.list, func(i, j int) bool { return q.list[i].ID < q.list[j].ID })
	return q, nil
}

func (q *hookQueue) target() (url, secret string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.url, q.secret
}

func (q *hookQueue) wanted() bool {
	url, _ := q.target()
	return url != ""
}

// send starts one attempt; it returns at once.
func (q *hookQueue) send(d Delivery, payload []byte) {
	d.DeliveredAt, d.Payload = q.now().UTC(), payload
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	kept := &d
	d.RequestHeader = q.header(d, payload)
	q.list = append(q.list, kept)
	url := q.url
	q.busy++
	q.mu.Unlock()
	go func() {
		defer q.done()
		select {
		case q.slots <- struct{}{}:
			defer func() { <-q.slots }()
			q.attempt(kept, url)
		case <-q.ctx.Done():
		}
	}()
}

func (q *hookQueue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	q.idle.Broadcast()
}

func (q *hookQueue) header(d Delivery, payload []byte) http.Header {
	sign := func(h func() hash.Hash) string {
		mac := hmac.New(h, []byte(q.secret))
		mac.Write(payload)
		return hex.EncodeToString(mac.Sum(nil))
	}
	h := http.Header{}
	h.Set("Accept", "*/*")
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "GitHub-Hookshot/51a1b2c")
	h.Set("X-GitHub-Delivery", d.GUID)
	h.Set("X-GitHub-Event", d.Event)
	h.Set("X-GitHub-Hook-ID", strconv.FormatInt(q.appID+100, 10))
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.FormatInt(q.appID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	if q.server != "" {
		h.Set("X-GitHub-Enterprise-Host", q.host)
		h.Set("X-GitHub-Enterprise-Version", q.server)
	}
	if q.secret != "" {
		h.Set("X-Hub-Signature", "sha1="+sign(sha1.New))
		h.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New))
	}
	return h
}

func (q *hookQueue) attempt(d *Delivery, url string) {
	start := time.Now()
	code, status, header, body := q.post(d, url)
	q.mu.Lock()
	d.Seconds = time.Since(start).Seconds()
	d.StatusCode, d.Status, d.ResponseHeader, d.Response = code, status, header, body
	data, err := json.Marshal(d)
	q.mu.Unlock()
	if err == nil {
		err = writeFile(filepath.Join(q.dir, fmt.Sprintf("%012d.json", d.ID)), data, 0o600)
	}
	if err != nil && q.ctx.Err() == nil {
		q.report(err)
	}
}

func (q *hookQueue) post(d *Delivery, url string) (int, string, http.Header, string) {
	req, err := http.NewRequestWithContext(q.ctx, http.MethodPost, url, bytes.NewReader(d.Payload))
	if err != nil {
		return http.StatusBadGateway, "invalid URL", nil, ""
	}
	req.Header = d.RequestHeader.Clone()
	resp, err := q.client.Do(req)
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, "timed out", nil, ""
	case err != nil:
		return http.StatusBadGateway, "failed to connect to host", nil, ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came is enough for the list
	status := "OK"
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		status = "Invalid HTTP Response: " + strconv.Itoa(resp.StatusCode)
	}
	return resp.StatusCode, status, resp.Header, string(body)
}

func (q *hookQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.cancel()
	_ = q.wait(context.Background())
	q.client.CloseIdleConnections()
}

// wait returns when no delivery is under way.
func (q *hookQueue) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.idle.Broadcast()
	})
	defer stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.busy > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%d webhooks are still under way: %w", q.busy, err)
		}
		q.idle.Wait()
	}
	return nil
}

// kept lists the deliveries that GitHub would still have, newest first.
func (q *hookQueue) kept() []Delivery {
	q.mu.Lock()
	defer q.mu.Unlock()
	oldest := q.now().Add(-q.keep)
	var out []Delivery
	for i := len(q.list) - 1; i >= 0; i-- {
		if !q.list[i].DeliveredAt.Before(oldest) {
			out = append(out, *q.list[i])
		}
	}
	return out
}

// forget drops what was sent to an App that is no longer the one of this GitHub.
func (q *hookQueue) forget() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = nil
	files, err := filepath.Glob(filepath.Join(q.dir, "*.json"))
	for _, file := range files {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func (q *hookQueue) find(id int64) (Delivery, bool) {
	for _, d := range q.kept() {
		if d.ID == id {
			return d, true
		}
	}
	return Delivery{}, false
}

// Deliveries lists the webhooks sent in the last three days, newest first.
func (s *Server) Deliveries() []Delivery { return s.hooks.kept() }

// Redeliver sends a delivery again under the same GUID.
func (s *Server) Redeliver(id int64) error {
	d, ok := s.hooks.find(id)
	if !ok {
		return fmt.Errorf("no delivery %d; GitHub keeps them for three days", id)
	}
	s.mu.Lock()
	s.again(d)
	s.mu.Unlock()
	return s.save()
}

func (s *Server) again(d Delivery) {
	s.changed()
	s.hooks.send(Delivery{ID: s.state.nextID(), GUID: d.GUID, Event: d.Event, Action: d.Action, Installation: d.Installation,
		Repository: d.Repository, Redelivery: true}, d.Payload)
}

// Settle waits until every webhook under way has been answered or failed.
func (s *Server) Settle(ctx context.Context) error { return s.hooks.wait(ctx) }

// SetWebhook changes where webhooks go; "" stops them.
func (s *Server) SetWebhook(url, secret string) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.url, s.hooks.secret = url, secret
}

func deliveryShape(d Delivery) obj {
	out := obj{"id": d.ID, "guid": d.GUID, "event": d.Event, "action": orNull(d.Action), "redelivery": d.Redelivery,
		"delivered_at": stamp(d.DeliveredAt), "duration": d.Seconds, "status": d.Status, "status_code": d.StatusCode,
		"installation_id": nil, "repository_id": nil, "throttled_at": nil}
	if d.Installation != 0 {
		out["installation_id"] = d.Installation
	}
	if d.Repository != 0 {
		out["repository_id"] = d.Repository
	}
	return out
}

// listDeliveries pages by cursor: the id of the last delivery seen.
func (s *Server) listDeliveries(c *call) (answer, error) {
	q := c.r.URL.Query()
	size := min(100, queryInt(c.r, "per_page", 30))
	before, _ := strconv.ParseInt(strings.TrimPrefix(q.Get("cursor"), "v1_"), 10, 64)
	out, more := []obj{}, false
	var last int64
	for _, d := range s.hooks.kept() {
		good := d.StatusCode >= 200 && d.StatusCode < 400
		if d.StatusCode == 0 || (before != 0 && d.ID >= before) || (q.Get("status") == "success" && !good) || (q.Get("status") == "failure" && good) {
			continue
		}
		if len(out) == size {
			more = true
			break
		}
		out, last = append(out, deliveryShape(d)), d.ID
	}
	if more {
		q.Set("cursor", fmt.Sprintf("v1_%d", last))
		c.header.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.url, c.r.URL.Path, q.Encode()))
	}
	return ok(out)
}

func (s *Server) deliveryIn(c *call) (Delivery, error) {
	id, err := c.number("delivery_id")
	if err != nil {
		return Delivery{}, err
	}
	d, found := s.hooks.find(id)
	if !found {
		return Delivery{}, notFound()
	}
	return d, nil
}

func (s *Server) getDelivery(c *call) (answer, error) {
	d, err := s.deliveryIn(c)
	if err != nil {
		return answer{}, err
	}
	flat := func(h http.Header) obj {
		out := obj{}
		for k := range h {
			out[k] = h.Get(k)
		}
		return out
	}
	out := deliveryShape(d)
	out["request"] = obj{"headers": flat(d.RequestHeader), "payload": d.Payload}
	out["response"] = obj{"headers": flat(d.ResponseHeader), "payload": d.Response}
	url, _ := s.hooks.target()
	out["url"] = url
	return ok(out)
}

func (s *Server) redeliver(c *call) (answer, error) {
	d, err := s.deliveryIn(c)
	if err != nil {
		return answer{}, err
	}
	s.again(d)
	return answer{status: http.StatusAccepted, body: obj{}}, nil
}
