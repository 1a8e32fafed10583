// Package model makes one request to a language model: it knows endpoints,
// tiers, prices and limits, and turns whatever a provider does wrong into one
// kind of error. In go a system and a user text; out come text, tokens and
// cost. It never knows roles, never executes anything that a model says, and
// is the only importer of go-openai.
package model

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/task"
)

// Limits of a call that no endpoint's settings can lift.
const (
	maxReplyBytes  = 64 << 20 // TRUST F09: bounded memory
	defaultTimeout = 2 * time.Minute
	defaultMax     = 4096
	maxTries       = 3
	maxRetryAfter  = time.Minute // a provider that asks for more is passed over
)

// Endpoint is an OpenAI-compatible chat endpoint bound to a tier.
type Endpoint struct {
	Tier          task.Tier
	BaseURL       string                 // with the version, such as http://127.0.0.1:11434/v1
	Model         string                 // the name the provider knows it by
	APIKey        func() (string, error) // asked at each call; nil when no key is needed
	PriceIn       float64                // USD per million tokens
	PriceOut      float64                // USD per million tokens
	Timeout       time.Duration          // of one call, 2 minutes by default
	MaxTokens     int                    // of an answer, 4096 by default
	ContextTokens int                    // of the window; 0 when not known
}

// Config is what a Client needs.
type Config struct {
	Endpoints map[task.Tier]Endpoint
	Now       func() time.Time
	Log       logrus.FieldLogger
	HTTP      *http.Client           // nil: http.DefaultTransport without a redirect across hosts
	Backoff   func() backoff.BackOff // nil: exponential from half a second
}

// Client asks the configured models.
type Client struct {
	cfg Config
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
	return &Client{cfg: cfg}
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
func (c *Client) Has(t task.Tier) bool { _, ok := c.cfg.Endpoints[t]; return ok }

// Name is the model's name at a tier, or "".
func (c *Client) Name(t task.Tier) string { return c.cfg.Endpoints[t].Model }

// ContextTokens is the window of a tier's model, 0 when not known.
func (c *Client) ContextTokens(t task.Tier) int { return c.cfg.Endpoints[t].ContextTokens }

// Request is one question to one tier.
type Request struct {
	Tier        task.Tier `json:"tier"`
	Agent       string    `json:"agent"`        // the role that asks, for the record
	PromptClass string    `json:"prompt_class"` // name and version of the prompt
	System      string    `json:"system"`
	User        string    `json:"user"`
	MaxTokens   int       `json:"max_tokens,omitempty"` // 0: the endpoint's
}

// Reply is an answer with what it cost.
type Reply struct {
	Text      string        `json:"text"`
	TokensIn  int           `json:"tokens_in"`
	TokensOut int           `json:"tokens_out"`
	Cost      task.USD      `json:"cost_usd"`
	Latency   time.Duration `json:"latency"`
	Finish    string        `json:"finish"`
	Model     string        `json:"model"`
}

// Worst is the most that the call can cost. A token is at least one byte of
// text in every tokenizer in use, so bytes bound tokens from above; a reply
// cannot be longer than the limit sent with the request.
func (c *Client) Worst(r Request) task.USD {
	ep := c.cfg.Endpoints[r.Tier]
	in := len(r.System) + len(r.User) + 64 // 64: the chat format's own tokens
	return price(ep, in, c.maxTokens(r))
}

func (c *Client) maxTokens(r Request) int {
	ep := c.cfg.Endpoints[r.Tier]
	limit := ep.MaxTokens
	if limit <= 0 {
		limit = defaultMax
	}
	if r.MaxTokens > 0 && r.MaxTokens < limit {
		limit = r.MaxTokens
	}
	return limit
}

// price is exact in billionths of a dollar: a dollar per million tokens is a
// thousand billionths per token. It rounds up.
func price(ep Endpoint, in, out int) task.USD {
	f := ep.PriceIn*1000*float64(in) + ep.PriceOut*1000*float64(out)
	whole := task.USD(f)
	if float64(whole) < f {
		whole++
	}
	return whole
}

// Ask sends the request, again where trying again can help: at most three
// times, honouring Retry-After. The error is an *Error.
func (c *Client) Ask(ctx context.Context, r Request) (Reply, error) {
	ep, ok := c.cfg.Endpoints[r.Tier]
	if !ok {
		return Reply{}, &Error{Class: Refused, Tier: r.Tier, Err: fmt.Errorf("no endpoint is configured for %s: add it under tiers in the configuration", r.Tier)}
	}
	key := ""
	if ep.APIKey != nil {
		k, err := ep.APIKey()
		if err != nil {
			return Reply{}, &Error{Class: Refused, Tier: r.Tier, Err: err}
		}
		key = k
	}
	var last *Error // the retry loop's own error for Retry-After forgets the cause
	operation := func() (Reply, error) {
		reply, err := c.once(ctx, ep, key, r)
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
	switch {
	case err == nil:
		return reply, nil
	case last != nil:
		return Reply{}, last
	}
	return Reply{}, &Error{Class: Cancelled, Tier: r.Tier, Err: err}
}

// once sends the request a single time.
func (c *Client) once(ctx context.Context, ep Endpoint, key string, r Request) (Reply, *Error) {
	timeout := ep.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	doer := &doer{client: c.cfg.HTTP}
	oc := openai.DefaultConfig(key)
	oc.BaseURL = strings.TrimRight(ep.BaseURL, "/")
	oc.HTTPClient = doer
	req := openai.ChatCompletionRequest{Model: ep.Model, Messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: r.System},
		{Role: openai.ChatMessageRoleUser, Content: r.User},
	}}
	if reasons(ep.Model) {
		req.MaxCompletionTokens = c.maxTokens(r)
	} else {
		req.MaxTokens = c.maxTokens(r) //nolint:staticcheck // most other servers know only the old name
	}
	began := c.cfg.Now()
	resp, err := openai.NewClientWithConfig(oc).CreateChatCompletion(ctx, req)
	if err != nil {
		return Reply{}, classify(ctx, r.Tier, doer, err)
	}
	reply := Reply{Model: ep.Model, Latency: c.cfg.Now().Sub(began), TokensIn: resp.Usage.PromptTokens, TokensOut: resp.Usage.CompletionTokens}
	if len(resp.Choices) > 0 {
		reply.Text = strings.ToValidUTF8(resp.Choices[0].Message.Content, "\uFFFD")
		reply.Finish = string(resp.Choices[0].FinishReason)
	}
	if reply.TokensIn <= 0 { // no usage in the answer: an estimate, four bytes a token
		reply.TokensIn = (len(r.System)+len(r.User))/4 + 16
	}
	if reply.TokensOut <= 0 {
		reply.TokensOut = len(reply.Text)/4 + 1
	}
	reply.Cost = price(ep, reply.TokensIn, reply.TokensOut)
	if strings.TrimSpace(reply.Text) == "" {
		return reply, &Error{Class: Empty, Tier: r.Tier, Charged: true, Cost: reply.Cost, Err: fmt.Errorf("%s answered with nothing (finish reason %q)", ep.Model, reply.Finish)}
	}
	return reply, nil
}

// reasons tells the models that take max_completion_tokens instead of
// max_tokens (OpenAI's API reference, chat completions).
func reasons(model string) bool {
	name := model[strings.LastIndex(model, "/")+1:]
	for _, p := range []string{"gpt-5", "o1", "o3", "o4"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
