package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"

	openai "github.com/sashabaranov/go-openai"

	"github.com/fettle-dev/fettle/bot/task"
)

// doer is the HTTP client handed to go-openai for one request: it sets the
// key's header, bounds the body, and keeps what go-openai drops.
type doer struct {
	client    *http.Client
	document  bool // the answer is one document and not a stream
	key       string
	keyHeader string
	sent      atomic.Bool // the request went out: it may be charged
	status    int
	header    http.Header
	body      *lines // of a good answer
}

// maxRefusal bounds the body of an answer with an error's status.
const maxRefusal = 256 << 10

func (d *doer) Do(req *http.Request) (*http.Response, error) {
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{WroteHeaders: func() { d.sent.Store(true) }}))
	if d.keyHeader != "" && d.key != "" && !strings.HasPrefix(d.key, "eyJ") { // a signed token is always a bearer's
		req.Header.Del("Authorization")
		req.Header.Set(d.keyHeader, d.key)
	}
	resp, err := d.client.Do(req) //nolint:gosec // the operator names the endpoint
	if err != nil {
		return nil, err
	}
	d.status, d.header = resp.StatusCode, resp.Header
	if resp.StatusCode >= 300 { // a redirect that was not followed is no answer
		d.status = max(d.status, http.StatusBadRequest)
		resp.StatusCode = d.status
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxRefusal), resp.Body}
		return resp, nil
	}
	if d.document {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxVectors), resp.Body}
		return resp, nil
	}
	d.body = newLines(resp.Body)
	resp.Body = d.body
	return resp, nil
}

// answered tells whether any part of an answer came.
func (d *doer) answered() bool { return d.body != nil && d.body.some }

// adapt asks once, and again at once where the endpoint refused something
// that it can be asked without.
func (c *Client) adapt(ctx context.Context, ep *endpoint, key string, r Request) (Reply, *Error) {
	for {
		reply, err := c.once(ctx, ep, key, r)
		if err == nil || !ep.learn(err) {
			return reply, err
		}
		c.cfg.Log.WithField("tier", r.Tier).WithField("model", ep.Model).Infof("the endpoint does not understand all of a request and is asked without it: %v", err.Err)
	}
}

// once sends the request a single time.
func (c *Client) once(ctx context.Context, ep *endpoint, key string, r Request) (Reply, *Error) {
	ctx, cancel := context.WithTimeoutCause(ctx, ep.Timeout, fmt.Errorf("%w (%s)", errTotal, ep.Timeout))
	defer cancel()
	ctx, watch := watched(ctx, ep.First, ep.Between)
	defer watch.stop()
	d := &doer{client: c.cfg.HTTP, key: key, keyHeader: ep.preset.KeyHeader, document: r.Tier == task.TierEmbeddings}
	oc := openai.DefaultConfig(key)
	oc.BaseURL = strings.TrimRight(ep.BaseURL, "/")
	oc.HTTPClient = d
	began := c.cfg.Now()
	if d.document {
		return c.alike(ctx, ep, d, openai.NewClientWithConfig(oc), r, began)
	}
	can := ep.abilities()
	var got answer
	stream, err := openai.NewClientWithConfig(oc).CreateChatCompletionStream(ctx, ep.request(can, r))
	if err == nil {
		got, err = collect(stream, d.body, watch)
		_ = stream.Close()
	}
	reply := Reply{Text: got.text.String(), Finish: got.finish, Model: ep.Model, Format: ep.format(can, r), Latency: c.cfg.Now().Sub(began)}
	if err == nil || errors.Is(err, errUTF8) {
		ep.charge(r, &reply, &got, can.TellsCost)
	}
	switch {
	case err != nil:
		e := classify(ctx, r.Tier, d, c.cfg.Now(), err)
		e.Cost = reply.Cost
		return Reply{}, e
	case reply.Cost > ep.worst(r):
		c.cfg.Log.WithField("tier", r.Tier).WithField("model", ep.Model).Warnf("the provider charged %s for a call whose worst case was %s: it counts otherwise or keeps to no limit", reply.Cost, ep.worst(r))
	}
	if strings.TrimSpace(reply.Text) == "" {
		return reply, &Error{Class: Empty, Tier: r.Tier, Charged: true, Cost: reply.Cost, Err: fmt.Errorf("%s answered with nothing (finish reason %q)", ep.Model, reply.Finish)}
	}
	return reply, nil
}
