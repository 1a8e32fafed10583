package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// maxVectors bounds the answer: two embeddings of some thousand numbers.
const maxVectors = 4 << 20

// errVectors: what came are not two comparable embeddings.
var errVectors = errors.New("the answer does not hold one embedding for each of two texts")

// alike compares the two texts of a request by their embeddings.
func (c *Client) alike(ctx context.Context, ep *endpoint, d *doer, oc *openai.Client, r Request, began time.Time) (Reply, *Error) {
	got, err := oc.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{Input: []string{r.System, r.User}, Model: openai.EmbeddingModel(ep.Model)})
	if err != nil {
		return Reply{}, classify(ctx, r.Tier, d, c.cfg.Now(), err)
	}
	reply := Reply{Finish: "stop", Model: ep.Model, Latency: c.cfg.Now().Sub(began), TokensIn: got.Usage.PromptTokens}
	if reply.TokensIn <= 0 || reply.TokensIn > believable {
		reply.TokensIn, reply.Estimated = mostIn(r), true
	}
	reply.Cost = ep.Price(reply.TokensIn, 0, 0)
	near, err := cosine(got.Data)
	if err != nil {
		return Reply{}, &Error{Class: Malformed, Tier: r.Tier, Charged: true, Cost: reply.Cost, Err: fmt.Errorf("%s: %w", ep.Model, err)}
	}
	reply.Text = strconv.FormatFloat(near, 'f', 6, 64)
	return reply, nil
}

// cosine is that of the angle between two embeddings.
func cosine(all []openai.Embedding) (float64, error) {
	if len(all) != 2 || len(all[0].Embedding) == 0 || len(all[0].Embedding) != len(all[1].Embedding) {
		return 0, errVectors
	}
	var dot, a, b float64
	for i, x := range all[0].Embedding {
		x, y := float64(x), float64(all[1].Embedding[i])
		dot, a, b = dot+x*y, a+x*x, b+y*y
	}
	cos := dot / math.Sqrt(a*b)
	if math.IsNaN(cos) || math.IsInf(cos, 0) {
		return 0, errVectors
	}
	return max(-1, min(cos, 1)), nil
}
