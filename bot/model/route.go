package model

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/model/catalog"
)

// How long a provider that was down is passed over, where there is a
// substitute: doubled each time that it is still down.
const (
	shortestPause = time.Minute
	longestPause  = 10 * time.Minute
)

// route is the way to a tier's model: its own endpoint, and who stands in for
// it.
type route struct {
	primary, substitute *endpoint
	onlyGone            bool // the substitute is the preset's own and stands in for a model that is not offered

	mu    sync.Mutex
	until time.Time // the primary is passed over until then
	pause time.Duration
	why   string
}

func newRoute(ep Endpoint) *route {
	r := &route{primary: newEndpoint(ep)}
	if ep.Substitute != nil {
		sub := *ep.Substitute
		sub.Tier = ep.Tier
		r.substitute = newEndpoint(sub)
		return r
	}
	// What a preset itself chose it may also replace; a name that the operator
	// wrote is not replaced behind his back.
	p := r.primary.preset
	if price, ok := catalog.PriceOf(p.Substitute, ep.ContextTokens); ok && p.Model == ep.Model {
		sub := ep
		sub.Model, sub.PriceIn, sub.PriceCached, sub.PriceOut = p.Substitute, price.In, price.Cached, price.Out
		r.substitute, r.onlyGone = newEndpoint(sub), true
	}
	return r
}

// down says why the primary is passed over now, or "".
func (r *route) down(now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.substitute == nil || !now.Before(r.until) {
		return ""
	}
	return r.why
}

// mark notes what became of a call to the primary.
func (r *route) mark(now time.Time, err *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.pause, r.until = 0, time.Time{}
		return
	}
	if !err.Down || r.onlyGone && err.Class != NotOffered {
		return
	}
	r.pause = min(max(shortestPause, 2*r.pause, err.RetryAfter), longestPause)
	r.until = now.Add(r.pause)
	r.why = fmt.Sprintf("%s at %s is passed over: %s", r.primary.Model, r.primary.BaseURL, err.Class)
}

// route asks the primary, or its substitute when the primary is down. A call
// that the primary may have charged for is not made a second time elsewhere:
// it would cost more than its worst case. The next one goes to the substitute.
func (c *Client) route(ctx context.Context, way *route, r Request) (Reply, error) {
	why := way.down(c.cfg.Now())
	var first *Error
	if why == "" {
		reply, err := c.try(ctx, way.primary, r)
		way.mark(c.cfg.Now(), err)
		if err == nil {
			return reply, nil
		}
		if why = way.down(c.cfg.Now()); why == "" || err.Charged || ctx.Err() != nil {
			return Reply{}, err
		}
		first = err
	}
	c.cfg.Log.WithField("tier", r.Tier).WithField("substitute", way.substitute.Model).Warn(why)
	reply, err := c.try(ctx, way.substitute, r)
	reply.Substituted = why
	switch {
	case err == nil:
		return reply, nil
	case first != nil:
		err.Err = fmt.Errorf("%w; before that, %s: %w", err.Err, why, first.Err)
	default:
		err.Err = fmt.Errorf("%w; %s", err.Err, why)
	}
	return Reply{}, err
}
