package model_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func comparison(t *testing.T, a scripted.Answer) (*model.Client, model.Request) {
	t.Helper()
	srv, err := scripted.Start(func(scripted.Call, int) scripted.Answer { return a })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	ep := model.Endpoint{BaseURL: srv.URL(), Model: "embedder", PriceIn: 2, PriceOut: 100}
	c := model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.TierEmbeddings: ep}, Log: quiet(), Backoff: noWait})
	return c, model.Request{Tier: task.TierEmbeddings, Agent: "detector", System: "one change", User: "another change"}
}

func TestL4TwoTextsAreComparedByTheirEmbeddingsAndPaidFor(t *testing.T) {
	t.Parallel()
	c, r := comparison(t, scripted.Answer{Text: "0.6", TokensIn: 8})
	got, err := c.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	cos, err := strconv.ParseFloat(got.Text, 64)
	if err != nil || math.Abs(cos-0.6) > 1e-5 {
		t.Errorf("cosine %q, %v", got.Text, err)
	}
	if got.TokensIn != 8 || got.Cost != 8*2000 || got.Cost > c.Worst(r) {
		t.Errorf("%d tokens for %s, at worst %s", got.TokensIn, got.Cost, c.Worst(r))
	}
}

func TestF09EmbeddingsThatCannotBeComparedAreChargedAndRefused(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"one text only":      `{"data":[{"embedding":[1,0]}],"usage":{"prompt_tokens":9}}`,
		"of other lengths":   `{"data":[{"embedding":[1,0]},{"embedding":[1]}]}`,
		"without length":     `{"data":[{"embedding":[0,0]},{"embedding":[0,0]}]}`,
		"of nothing":         `{"data":[{"embedding":[]},{"embedding":[]}]}`,
		"not numbers":        `{"data":[{"embedding":["a"]},{"embedding":["b"]}]}`,
		"not JSON":           `<html>`,
		"truncated":          `{"data":[{"embedding":[1,`,
		"beyond every limit": `{"data":[{"embedding":[` + strings.Repeat("1,", 3<<20) + `1]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := comparison(t, scripted.Answer{Body: body})
			_, err := c.Ask(t.Context(), r)
			var failed *model.Error
			if !errors.As(err, &failed) || !failed.Charged || failed.Cost > c.Worst(r) {
				t.Errorf("got %v", err)
			}
		})
	}
}
