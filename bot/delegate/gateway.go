package delegate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

// Usage is what the calls of a command used and cost together.
type Usage struct {
	Calls     int      `json:"calls"`
	TokensIn  int      `json:"tokens_in"`
	TokensOut int      `json:"tokens_out"`
	Estimated bool     `json:"estimated,omitempty"` // the provider told no usage of some call: its worst case counts
	Cost      task.USD `json:"cost_usd"`
}

// Bounds of one command's calls.
const (
	mostCalls  = 500
	mostAtOnce = 4
	mostAsked  = 8 << 20
	mostAnswer = 16 << 20
)

// errSpent ends a command whose next call could pass its cap.
var errSpent = errors.New("its next call could cost more than is left")

// gateway answers one kind of request, a chat completion in one piece, by asking the
// tier's endpoint for it. What the command says of model, key and length does not
// count. A call is made only if its worst case fits under the cap.
type gateway struct {
	endpoint model.Endpoint
	limit    task.USD
	stop     func(error)     // ends the command
	ctx      context.Context //nolint:containedctx // the command's, under which its calls are made
	calls    sync.WaitGroup
	atOnce   chan struct{} // a place for each request under way

	mu    sync.Mutex
	used  Usage
	held  task.USD // of calls under way
	heldN int
	away  int // calls that did not reach the provider
}

// passed are the fields of a request that are the command's to choose, beside messages
// and tools.
var passed = []string{
	"tool_choice", "parallel_tool_calls", "temperature", "top_p", "stop", "seed", "response_format",
	"presence_penalty", "frequency_penalty",
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.calls.Add(1)
	defer g.calls.Done()
	if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		refuse(w, http.StatusNotFound, "only POST /v1/chat/completions can be reached from here")
		return
	}
	select {
	case g.atOnce <- struct{}{}:
		defer func() { <-g.atOnce }()
	case <-r.Context().Done():
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostAsked))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request could not be read, or has more than %d bytes", mostAsked))
		return
	}
	body, out, streamed, err := g.order(raw)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	worst := g.endpoint.Price(len(body), 0, out)
	if err := g.hold(worst); err != nil {
		refuse(w, http.StatusPaymentRequired, err.Error())
		g.stop(err)
		return
	}
	a := g.ask(body)
	g.settle(worst, len(body), out, a)
	if pieces, ok := stream(a.body); streamed && ok {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(pieces) // the command may have gone
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the command may have gone
}

// order writes the request anew and gives the most tokens that may be answered. The
// provider is asked for one piece also where the command wants a stream.
func (g *gateway) order(raw []byte) (body []byte, out int, streamed bool, err error) {
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(raw, &asked); err != nil {
		return nil, 0, false, fmt.Errorf("the request is no JSON object: %w", err)
	}
	var said struct {
		Stream   bool      `json:"stream"`
		New      *int      `json:"max_completion_tokens"`
		Old      *int      `json:"max_tokens"`
		Messages []message `json:"messages"`
		Tools    []tool    `json:"tools"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return nil, 0, false, fmt.Errorf("the request is no chat completion of texts and functions: %w", err)
	}
	if len(said.Messages) == 0 {
		return nil, 0, false, errors.New("the request has no messages")
	}
	for _, t := range said.Tools {
		if t.Type != "function" { // such as a provider's search of the web, which costs and goes out
			return nil, 0, false, errors.New("only tools that are functions are passed on")
		}
	}
	out = g.endpoint.MaxTokens
	for _, n := range []*int{said.New, said.Old} {
		if n != nil && *n > 0 {
			out = min(out, *n)
		}
	}
	send := map[string]any{"model": g.endpoint.Model, g.endpoint.LimitField(): out, "messages": said.Messages}
	if len(said.Tools) > 0 {
		send["tools"] = said.Tools
	}
	for _, name := range passed {
		if v, ok := asked[name]; ok {
			send[name] = v
		}
	}
	body, err = json.Marshal(send)
	return body, out, said.Stream, err
}

// stream puts a completion as the one piece of a stream; not where it is none.
func stream(body []byte) (pieces []byte, ok bool) {
	var whole map[string]any
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, false
	}
	choices, _ := whole["choices"].([]any)
	for _, c := range choices {
		choice, ok := c.(map[string]any)
		if !ok {
			return nil, false
		}
		message, ok := choice["message"].(map[string]any)
		if !ok {
			return nil, false
		}
		calls, _ := message["tool_calls"].([]any)
		for i, call := range calls {
			if call, ok := call.(map[string]any); ok {
				call["index"] = i
			}
		}
		choice["delta"] = message
		delete(choice, "message")
	}
	if len(choices) == 0 {
		return nil, false
	}
	whole["object"] = "chat.completion.chunk"
	piece, err := json.Marshal(whole)
	if err != nil {
		return nil, false
	}
	return fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", piece), true
}

// message and tool are what is passed on of the request's. They are written anew: a field
// that is not here, or is here twice, does not go out.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
	Name    string  `json:"name,omitempty"`
	Calls   []call  `json:"tool_calls,omitempty"`
	Of      string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Strict      *bool           `json:"strict,omitempty"`
	} `json:"function"`
}

// content is a text, or nothing. Images, sound and files have a price that their bytes
// do not bound, and an address in them is a way out.
type content struct{ text *string }

func (c *content) UnmarshalJSON(raw []byte) error {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	c.text = new(string)
	if raw[0] == '"' {
		return json.Unmarshal(raw, c.text)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for i, p := range parts {
		if p.Type != "text" {
			return errors.New("only text is passed on: no images, files, or sound")
		}
		if i > 0 {
			*c.text += "\n"
		}
		*c.text += p.Text
	}
	return nil
}

func (c content) MarshalJSON() ([]byte, error) { return json.Marshal(c.text) }

// hold sets a call's worst case aside.
func (g *gateway) hold(worst task.USD) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.used.Calls+g.heldN >= mostCalls:
		return fmt.Errorf("%w: %d calls are made", errSpent, mostCalls)
	case g.used.Cost+g.held+worst > g.limit:
		return fmt.Errorf("%w: %s of %s is spent, and the call can cost %s", errSpent, g.used.Cost+g.held, g.limit, worst)
	}
	g.held += worst
	g.heldN++
	return nil
}

// answered is what came of a call.
type answered struct {
	status int
	body   []byte
	sent   bool // the provider may have charged for it
	away   bool // it did not reach the provider
}

// settle charges a call: by the usage told, else its worst case; nothing where the
// provider refused it.
func (g *gateway) settle(worst task.USD, in, out int, a answered) {
	var told struct {
		Usage *struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		} `json:"usage"`
	}
	_ = json.Unmarshal(a.body, &told)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held -= worst
	g.heldN--
	g.used.Calls++
	if a.away {
		g.away++
	}
	switch u := told.Usage; {
	case !a.sent:
	case u != nil && u.In > 0 && u.In <= in && u.Out >= 0 && u.Out <= out:
		g.used.TokensIn += u.In
		g.used.TokensOut += u.Out
		g.used.Cost += g.endpoint.Price(u.In, 0, u.Out)
	default:
		g.used.TokensIn += in
		g.used.TokensOut += out
		g.used.Estimated = true
		g.used.Cost += worst
	}
}

// total is what was used. A call that is still held counts with its worst case.
func (g *gateway) total() Usage {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := g.used
	u.Cost += g.held
	u.Estimated = u.Estimated || g.held > 0
	return u
}

// down tells whether calls were made and none of them reached the provider.
func (g *gateway) down() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.away > 0 && g.away == g.used.Calls
}

// ask makes the call with the operator's key, which the answer never holds.
func (g *gateway) ask(body []byte) answered {
	ctx, cancel := context.WithTimeout(g.ctx, g.endpoint.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(g.endpoint.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return failed("the address of the model is not one")
	}
	req.Header.Set("Content-Type", "application/json")
	key := ""
	if g.endpoint.APIKey != nil {
		if key, err = g.endpoint.APIKey(); err != nil {
			return failed("the model's key could not be read")
		}
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil { // its text can name hosts that are nobody's business in there
		var op *net.OpError
		a := failed("the model could not be reached, or did not answer in time")
		a.away = errors.As(err, &op) && op.Op == "dial"
		a.sent = !a.away
		return a
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err != nil || len(got) > mostAnswer {
		a := failed("the model's answer was cut, or too long")
		a.sent = resp.StatusCode < http.StatusBadRequest
		return a
	}
	if key != "" {
		got = bytes.ReplaceAll(got, []byte(key), []byte("[key]"))
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return failed("the model's address leads elsewhere")
	}
	return answered{status: resp.StatusCode, body: got, sent: resp.StatusCode < http.StatusBadRequest}
}

func failed(why string) answered { return answered{status: http.StatusBadGateway, body: fault(why)} }

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(fault(why))
}

// fault is an error in the shape that clients of the API know.
func fault(why string) []byte {
	raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "fettle's gateway: " + why, "type": "gateway"}}) // strings always marshal
	return raw
}
