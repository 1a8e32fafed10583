package model

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"github.com/fettle-dev/fettle/bot/model/catalog"
)

// endpoint is an Endpoint with what is known, and was learned, of what it
// understands.
type endpoint struct {
	Endpoint
	preset catalog.Preset

	mu  sync.Mutex
	can catalog.Abilities
}

func newEndpoint(ep Endpoint) *endpoint {
	preset, err := catalog.Lookup(ep.Preset)
	if err != nil {
		preset = catalog.Guess(ep.BaseURL)
	}
	e := &endpoint{Endpoint: ep, preset: preset, can: preset.Can}
	if e.Timeout <= 0 {
		e.Timeout = defaultTimeout
	}
	if e.First <= 0 {
		e.First = e.Timeout // a model may have to be loaded, or may think, before it says a word
	}
	if e.Between <= 0 {
		e.Between = defaultBetween
	}
	e.First, e.Between = min(e.First, e.Timeout), min(e.Between, e.Timeout)
	if e.MaxTokens <= 0 {
		e.MaxTokens = defaultMax
	}
	e.can.NewLimit = e.can.NewLimit || reasons(ep.Model)
	return e
}

func (e *endpoint) abilities() catalog.Abilities {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.can
}

// thoughtTokens is what a model that thinks may use beyond the limit of a
// short answer: providers count thoughts against the same limit.
const thoughtTokens = 2048

func (e *endpoint) maxTokens(r Request) int {
	switch {
	case r.MaxTokens <= 0 || r.MaxTokens >= e.MaxTokens:
		return e.MaxTokens
	case e.Effort != "" || thinks(e.Model):
		return min(r.MaxTokens+thoughtTokens, e.MaxTokens)
	}
	return r.MaxTokens
}

// LimitField is the name under which the endpoint takes the most tokens of an answer.
func (e *Endpoint) LimitField() string {
	if newEndpoint(*e).can.NewLimit {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// Formats of answers, as Reply names them.
const (
	formatSchema = "json_schema"
	formatJSON   = "json_object"
)

// format is the strongest form of answer that the endpoint can be bound to.
func (e *endpoint) format(can catalog.Abilities, r Request) string {
	switch {
	case len(r.Schema) == 0:
		return ""
	case can.Schema:
		return formatSchema
	case can.JSON:
		return formatJSON
	}
	return ""
}

// request writes the request as the endpoint understands it.
func (e *endpoint) request(can catalog.Abilities, r Request) openai.ChatCompletionRequest {
	req := openai.ChatCompletionRequest{Model: e.Model, Messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: r.System},
		{Role: openai.ChatMessageRoleUser, Content: r.User},
	}}
	if can.NewLimit {
		req.MaxCompletionTokens = e.maxTokens(r)
	} else {
		req.MaxTokens = e.maxTokens(r) //nolint:staticcheck // most other servers know only the old name
	}
	if can.StreamUsage {
		req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if can.Effort {
		req.ReasoningEffort = e.Effort
	}
	switch e.format(can, r) {
	case formatSchema:
		req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: r.Schema, Strict: true}}
	case formatJSON:
		req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return req
}

// learn takes from a refusal what the endpoint does not understand, and tells
// whether asking without it makes sense. Each ability is lost at most once, so
// this comes to an end.
func (e *endpoint) learn(err *Error) bool {
	var api *openai.APIError
	if !errors.As(err.Err, &api) || api.HTTPStatusCode != http.StatusBadRequest && api.HTTPStatusCode != http.StatusUnprocessableEntity {
		return false
	}
	text := strings.ToLower(api.Message)
	if api.Param != nil {
		text += " " + strings.ToLower(*api.Param)
	}
	about := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	lose := func(ability *bool) bool { had := *ability; *ability = false; return had }
	switch {
	case about("max_completion_tokens") && !about("'max_tokens'", "max_tokens is") && e.can.NewLimit:
		return lose(&e.can.NewLimit)
	case about("max_tokens") && about("max_completion_tokens") && !e.can.NewLimit:
		e.can.NewLimit = true
		return true
	case about("stream_options", "include_usage"):
		return lose(&e.can.StreamUsage)
	case about("reasoning_effort", "reasoning effort"):
		return lose(&e.can.Effort)
	case about("response_format", "json_schema", "json_object", "structured output", "'json'", "schema"):
		return lose(&e.can.Schema) || lose(&e.can.JSON)
	}
	return false
}

// reasons tells the models that take max_completion_tokens instead of
// max_tokens (OpenAI's API reference, chat completions).
func reasons(model string) bool {
	name := model[strings.LastIndex(model, "/")+1:]
	for _, p := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// thinks tells the models that write their thoughts before a short answer.
func thinks(model string) bool {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	for _, p := range []string{"deepseek-r1", "deepseek-flash", "deepseek-v4", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5", "claude-fable-5", "qwen3", "qwq", "gpt-oss", "magistral", "reasoner", "thinking"} {
		if strings.Contains(name, p) {
			return true
		}
	}
	return reasons(name)
}
