// Package model makes one request to a language model: it knows endpoints,
// tiers, prices and limits, and turns whatever a provider does wrong into one
// kind of error. In go a system and a user text; out come text, tokens and
// cost. It never knows roles, never executes anything that a model says, and
// is the only importer of go-openai.
//
// The way of a request:
//
//	Ask ─ which endpoint of the tier is up ─ retry ─ once
//	                                                  │
//	  Reply ◄─ cost ◄─ collect ◄─ lines (bounded) ◄─ doer
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/model/catalog"
	"github.com/fettle-dev/fettle/bot/task"
)

// Limits of a call that no endpoint's settings can lift.
const (
	defaultTimeout = 2 * time.Minute
	defaultBetween = time.Minute
	defaultMax     = 4096
	maxTries       = 3
	maxRetryAfter  = time.Minute // a provider that asks for more is passed over
)

// Endpoint is an OpenAI-compatible chat endpoint bound to a tier.
type Endpoint struct {
	Tier          task.Tier
	Preset        string                 // of package catalog; empty: told from BaseURL
	BaseURL       string                 // with the version, such as http://127.0.0.1:11434/v1
	Model         string                 // the name the provider knows it by
	APIKey        func() (string, error) // asked at each call; nil when no key is needed
	PriceIn       float64                // USD per million tokens
	PriceCached   float64                // USD per million tokens read from the provider's cache; 0: as PriceIn
	PriceOut      float64                // USD per million tokens
	Timeout       time.Duration          // of one call, 2 minutes by default
	First         time.Duration          // until the first words come; by default the whole Timeout
	Between       time.Duration          // from one piece to the next, 1 minute by default
	MaxTokens     int                    // of an answer, 4096 by default
	ContextTokens int                    // of the window; 0 when not known
	Effort        string                 // reasoning effort, sent where the endpoint knows it; empty: the provider's own
	Substitute    *Endpoint              // asked while this one is down; nil: none, or what its preset states
}

// Config is what a Client needs.
type Config struct {
	Endpoints map[task.Tier]Endpoint
	Now       func() time.Time
	Log       logrus.FieldLogger
	HTTP      *http.Client           // nil: http.DefaultTransport without a redirect across hosts
	Backoff   func() backoff.BackOff // nil: exponential from half a second
}

// Client asks the configured models. Its methods may be called at once.
type Client struct {
	cfg   Config
	tiers map[task.Tier]*route
	tally *Tally
}

// New returns a client; with no endpoint it has no tier, which is not an error.
func New(cfg Config) *Client {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{CheckRedirect: sameHost}
	}
	if cfg.Backoff == nil {
		cfg.Backoff = func() backoff.BackOff { return backoff.NewExponentialBackOff() }
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	c := &Client{cfg: cfg, tiers: map[task.Tier]*route{}, tally: newTally()}
	for tier, ep := range cfg.Endpoints {
		ep.Tier = tier
		c.tiers[tier] = newRoute(ep)
	}
	return c
}

// sameHost follows a redirect only where the operator sent the prompt: a 307
// would carry repository text to whatever host the answer names.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Has tells whether a tier has an endpoint.
func (c *Client) Has(t task.Tier) bool { return c.tiers[t] != nil }

// Name is the model's name at a tier, or "".
func (c *Client) Name(t task.Tier) string { return c.cfg.Endpoints[t].Model }

// ContextTokens is the window of a tier's model, 0 when not known.
func (c *Client) ContextTokens(t task.Tier) int { return c.cfg.Endpoints[t].ContextTokens }

// Can tells what a tier's endpoint understands, as far as is known.
func (c *Client) Can(t task.Tier) catalog.Abilities {
	if r := c.tiers[t]; r != nil {
		return r.primary.abilities()
	}
	return catalog.Abilities{}
}

// Tally counts the calls and their failures since the client was made.
func (c *Client) Tally() *Tally { return c.tally }

// Request is one question to one tier.
//
// At the tier embeddings it is a comparison: System and User are the two texts,
// and the reply's text is the cosine of their embeddings, from -1 to 1.
type Request struct {
	Tier        task.Tier       `json:"tier"`
	Agent       string          `json:"agent"`        // the role that asks, for the record
	PromptClass string          `json:"prompt_class"` // name and version of the prompt
	System      string          `json:"system"`
	User        string          `json:"user"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // of the answer, without a model's thoughts; 0: the endpoint's
	Schema      json.RawMessage `json:"schema,omitempty"`     // of the one JSON object that is wanted; empty: any text. The prompt has to show it too
}

// Reply is an answer with what it cost.
type Reply struct {
	Text        string        `json:"text"`
	TokensIn    int           `json:"tokens_in"`
	TokensOut   int           `json:"tokens_out"`
	CachedIn    int           `json:"cached_in,omitempty"` // of TokensIn, read from the provider's cache
	Estimated   bool          `json:"estimated,omitempty"` // the provider told no usage: tokens and cost are upper bounds
	Cost        task.USD      `json:"cost_usd"`
	Latency     time.Duration `json:"latency"`
	Finish      string        `json:"finish"` // "stop", "length" when it was cut at the limit, …
	Model       string        `json:"model"`
	Format      string        `json:"format,omitempty"`      // json_schema, json_object or "" as it was asked for
	Substituted string        `json:"substituted,omitempty"` // why another model than the tier's own answered
	Tries       int           `json:"tries,omitempty"`
}

// Ask sends the request, again where trying again can help: at most three
// times, honouring Retry-After. While the tier's provider is down its
// substitute is asked, where there is one; the reply says so. The error is an
// *Error. At most Worst is charged, whatever happens.
func (c *Client) Ask(ctx context.Context, r Request) (Reply, error) {
	way := c.tiers[r.Tier]
	if way == nil {
		return Reply{}, &Error{Class: Refused, Tier: r.Tier, Err: fmt.Errorf("no endpoint is configured for %s: add it under tiers in the configuration", r.Tier)}
	}
	c.tally.asked(r)
	reply, err := c.route(ctx, way, r)
	if err != nil {
		c.tally.failed(r, err)
		return Reply{}, err
	}
	return reply, nil
}

// try asks one endpoint, with retries.
func (c *Client) try(ctx context.Context, ep *endpoint, r Request) (Reply, *Error) {
	key := ""
	if ep.APIKey != nil {
		k, err := ep.APIKey()
		if err != nil {
			return Reply{}, &Error{Class: Refused, Tier: r.Tier, Err: err}
		}
		key = k
	}
	tries := 0
	var last *Error // the retry loop's own error for Retry-After forgets the cause
	operation := func() (Reply, error) {
		tries++
		reply, err := c.adapt(ctx, ep, key, r)
		if err == nil {
			return reply, nil
		}
		last = err
		switch {
		case !err.Retryable || ctx.Err() != nil || err.RetryAfter > maxRetryAfter:
			return Reply{}, backoff.Permanent(err)
		case err.RetryAfter > 0:
			return Reply{}, &backoff.RetryAfterError{Duration: err.RetryAfter}
		}
		return Reply{}, err
	}
	reply, err := backoff.Retry(ctx, operation, backoff.WithBackOff(c.cfg.Backoff()), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(0))
	reply.Tries = tries
	switch {
	case err == nil:
		return reply, nil
	case ctx.Err() != nil && last != nil && !last.Charged: // given up while it waited
		return Reply{}, &Error{Class: Cancelled, Tier: r.Tier, Err: fmt.Errorf("%w, after: %w", context.Cause(ctx), last.Err)}
	case last != nil:
		return Reply{}, last
	}
	return Reply{}, &Error{Class: Cancelled, Tier: r.Tier, Err: err}
}
