package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/forge"
)

// Defaults of WebhookConfig. GitHub caps payloads at 25 MB and waits 10 s.
const (
	DefaultMaxBytes = 25 << 20
	DefaultTimeout  = 8 * time.Second

	retryAfter = "60" // seconds
)

// WebhookConfig says what is accepted and who stores it.
type WebhookConfig struct {
	// Secrets that are valid now; two while one is being replaced.
	Secrets [][]byte
	// Accept stores a delivery durably before it returns. fresh is false for
	// an id that is stored already.
	Accept   func(ctx context.Context, id, event string, installation int64, payload []byte) (fresh bool, err error)
	MaxBytes int64         // of a body; 0 is 25 MiB
	Timeout  time.Duration // from the first byte to the answer; 0 is 8 s
	Log      logrus.FieldLogger
}

// Webhook is the handler that GitHub delivers to. Its answers: 202 stored,
// 200 was stored before (or ping), 400 headers or payload, 401 signature, 405
// method, 408 too slow, 413 too large, 415 content type, 503 could not be
// stored now (with Retry-After).
func Webhook(cfg WebhookConfig) http.Handler {
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Log == nil {
		l := logrus.New()
		l.SetOutput(io.Discard)
		cfg.Log = l
	}
	return &webhook{cfg: cfg, bodies: newBodies(cfg.MaxBytes)}
}

type webhook struct {
	cfg    WebhookConfig
	bodies *bodies
}

var (
	deliveryID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	eventName  = regexp.MustCompile(`^[a-z][a-z_]{0,63}$`)
)

// ServeHTTP implements http.Handler.
func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, "this address takes GitHub's webhooks, by POST")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.cfg.Timeout)
	defer cancel()
	body, refused := h.verified(ctx, w, r)
	if refused != nil {
		w.Header().Set("Connection", "close") // what is left of a stranger's body is not waited for
		h.refuse(w, r, refused)
		return
	}
	end := signed(ctx)
	defer func() {
		_ = http.NewResponseController(w).Flush() // the connection is not pushed out before the answer has left
		end()
	}()
	d, refused := read(r.Header, body)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	log := h.cfg.Log.WithFields(logrus.Fields{"delivery": d.id, "event": d.event, "installation": d.installation})
	fresh, err := h.store(ctx, d)
	switch {
	case err != nil:
		log.WithError(err).Error("delivery could not be stored; GitHub was told to come again")
		w.Header().Set("Retry-After", retryAfter)
		answer(w, http.StatusServiceUnavailable, "could not be stored; please redeliver later")
	case !fresh:
		log.Info("delivery was stored before")
		answer(w, http.StatusOK, "duplicate: this delivery was stored before, nothing was changed")
	case d.event == "ping":
		log.Info("ping")
		answer(w, http.StatusOK, "pong")
	default:
		log.Info("delivery stored")
		answer(w, http.StatusAccepted, "stored")
	}
}

// refusal is a request that is not taken.
type refusal struct {
	status int
	why    string
}

func (h *webhook) refuse(w http.ResponseWriter, r *http.Request, f *refusal) {
	h.cfg.Log.WithFields(logrus.Fields{"remote": r.RemoteAddr, "status": f.status}).Warn("webhook refused: " + f.why)
	if f.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	answer(w, f.status, f.why)
}

// verified reads the body, bounded in size, time and memory, and checks its
// signature. Nothing of the request is looked at before that but its length.
func (h *webhook) verified(ctx context.Context, w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	signature := r.Header.Get("X-Hub-Signature-256")
	if r.ContentLength > h.cfg.MaxBytes {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the payload is too large"}
	}
	if signature == "" {
		return nil, &refusal{http.StatusUnauthorized, "no X-Hub-Signature-256; set a secret for the webhook"}
	}
	control := http.NewResponseController(w)
	if deadline, ok := ctx.Deadline(); ok {
		// Not every ResponseWriter can; then the server's own timeouts hold.
		_ = control.SetReadDeadline(deadline)
	}
	parts, done, err := h.bodies.read(ctx, r.Body, r.ContentLength, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	defer done()
	switch {
	case errors.Is(err, errTooLarge):
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the payload is too large"}
	case errors.Is(err, errBusy):
		return nil, &refusal{http.StatusServiceUnavailable, "too many bytes of payloads at once"}
	case err != nil:
		return nil, &refusal{http.StatusRequestTimeout, "the payload did not arrive whole in time"}
	}
	if err := forge.Verify(h.cfg.Secrets, signature, parts...); err != nil {
		return nil, &refusal{http.StatusUnauthorized, err.Error()}
	}
	return bytes.Join(parts, nil), nil
}

// store hands the delivery over. An Accept that does not come back in time
// counts as not stored, so that the answer is never late; when it stores the
// delivery after all, the redelivery is a duplicate.
func (h *webhook) store(ctx context.Context, d delivery) (bool, error) {
	type result struct {
		fresh bool
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // net/http recovers only its own goroutine
				done <- result{err: fmt.Errorf("storing the delivery failed badly: %v", p)}
			}
		}()
		fresh, err := h.cfg.Accept(ctx, d.id, d.event, d.installation, d.payload)
		done <- result{fresh, err}
	}()
	select {
	case r := <-done:
		return r.fresh, r.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// answer says in a line of JSON what became of the request.
func answer(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	body, _ := json.Marshal(map[string]string{"message": message}) // strings
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
