package model

import "github.com/fettle-dev/fettle/bot/task"

// formatTokens bounds from above what the chat format itself adds to a prompt.
const formatTokens = 64

// Worst is the most that Ask can cost. A token is at least one byte of text in
// every tokenizer in use, so bytes bound tokens from above; a reply cannot be
// longer than the limit sent with the request. Where a substitute may be
// asked, the dearer one counts.
func (c *Client) Worst(r Request) task.USD {
	way := c.tiers[r.Tier]
	if way == nil {
		return 0
	}
	worst := way.primary.worst(r)
	if way.substitute != nil {
		worst = max(worst, way.substitute.worst(r))
	}
	return worst
}

func (e *endpoint) worst(r Request) task.USD {
	if r.Tier == task.TierEmbeddings {
		return e.Price(mostIn(r), 0, 0)
	}
	return e.Price(mostIn(r), 0, e.maxTokens(r))
}

// mostIn bounds the tokens of a prompt.
func mostIn(r Request) int { return len(r.System) + len(r.User) + len(r.Schema) + formatTokens }

// Price is exact in billionths of a dollar: a dollar per million tokens is a
// thousand billionths per token. It rounds up.
func (e *Endpoint) Price(in, cached, out int) task.USD {
	cheap := e.PriceCached
	if cheap <= 0 || cheap > e.PriceIn {
		cheap = e.PriceIn
	}
	f := e.PriceIn*1000*float64(in-cached) + cheap*1000*float64(cached) + e.PriceOut*1000*float64(out)
	whole := task.USD(f)
	if float64(whole) < f {
		whole++
	}
	return whole
}

// usage is what a provider says was used. Names differ.
type usage struct {
	In        int `json:"prompt_tokens"`
	Out       int `json:"completion_tokens"`
	InDetails *struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int      `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cost     *float64 `json:"cost"`                    // OpenRouter, in USD
}

// believable bounds foreign figures, so that they cannot overflow.
const believable = 100_000_000

// charge fills in the reply's tokens and cost. Without usage the bounds of the
// worst case stand in, so that a budget is never passed unseen; an answer
// that was asked for with reasoning may have used up to its limit.
func (e *endpoint) charge(r Request, reply *Reply, got *answer, tellsCost bool) {
	u := got.usage
	ok := func(n int) bool { return n > 0 && n <= believable }
	if u == nil || !ok(u.In) || u.Out < 0 || u.Out > believable || u.Out == 0 && reply.Text != "" {
		reply.Estimated = true
		reply.TokensIn, reply.TokensOut = mostIn(r), min(len(reply.Text)+got.thoughts+1, e.maxTokens(r))
		if thinks(e.Model) || e.Effort != "" {
			reply.TokensOut = e.maxTokens(r)
		}
		reply.Cost = e.Price(reply.TokensIn, 0, reply.TokensOut)
		return
	}
	reply.TokensIn, reply.TokensOut = u.In, u.Out
	cached := u.CacheHit
	if u.InDetails != nil {
		cached = max(cached, u.InDetails.Cached)
	}
	reply.CachedIn = min(max(cached, 0), u.In)
	reply.Cost = e.Price(u.In, reply.CachedIn, u.Out)
	if tellsCost && u.Cost != nil && *u.Cost > 0 && *u.Cost < 1000 {
		reply.Cost = task.Dollars(*u.Cost)
	}
}
