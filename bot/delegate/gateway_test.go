package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

const key = "sk-the-operators-own"

// provider answers every completion alike, and notes what came.
type provider struct {
	mu     sync.Mutex
	bodies []string
	answer func(w http.ResponseWriter)
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.bodies = append(p.bodies, r.Header.Get("Authorization")+" "+string(raw))
	p.mu.Unlock()
	p.answer(w)
}

func completes(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		_, _ = fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q,"tool_calls":[{"id":"a"},{"id":"b"}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`, text)
	}
}

// newGateway asks p; a token costs a millionth of a dollar in, two out.
func newGateway(t *testing.T, p *provider, limit task.USD) (g *gateway, ended func() error) {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	ctx, stop := context.WithCancelCause(t.Context())
	g = &gateway{limit: limit, ctx: ctx, stop: stop, atOnce: make(chan struct{}, mostAtOnce), endpoint: model.Endpoint{
		BaseURL: srv.URL + "/v1", Model: "own", APIKey: func() (string, error) { return key, nil }, PriceIn: 1, PriceOut: 2, MaxTokens: 100, Timeout: 5 * time.Second,
	}}
	return g, func() error { return context.Cause(ctx) }
}

func (g *gateway) post(body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	return w
}

const plain = `{"model":"other","n":9,"user":"x","max_tokens":100000,"messages":[{"role":"user","content":"hello"}],"temperature":0}`

func TestA5TheGatewayWritesRequestsAnewAndKeepsTheKey(t *testing.T) {
	t.Parallel()
	p := &provider{answer: completes("here is " + key)}
	g, _ := newGateway(t, p, task.Dollars(1))
	w := g.post(plain)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), key) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	head, sent, _ := strings.Cut(p.bodies[0], " {")
	var got map[string]any
	if err := json.Unmarshal([]byte("{"+sent), &got); err != nil {
		t.Fatal(err)
	}
	if head != "Bearer "+key || got["model"] != "own" || got["max_tokens"] != 100.0 || got["n"] != nil || got["user"] != nil || got["temperature"] != 0.0 {
		t.Errorf("%s %v", head, got)
	}
	if u := g.total(); u.Calls != 1 || u.TokensIn != 10 || u.TokensOut != 5 || u.Estimated || u.Cost != task.Dollars(20e-6) {
		t.Errorf("usage: %+v", u)
	}
}

func TestA5TheGatewayStreamsInOnePiece(t *testing.T) {
	t.Parallel()
	p := &provider{answer: completes("hi")}
	g, _ := newGateway(t, p, task.Dollars(1))
	got := g.post(`{"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hello"}]}]}`).Body.String()
	if strings.Contains(p.bodies[0], "stream") {
		t.Errorf("the provider was asked for a stream: %s", p.bodies[0])
	}
	var piece struct {
		Choices []struct {
			Delta struct {
				Content string `json:"content"`
				Calls   []struct {
					Index int    `json:"index"`
					ID    string `json:"id"`
				} `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
	}
	text, ok := strings.CutSuffix(got, "\n\ndata: [DONE]\n\n")
	if !ok || json.Unmarshal([]byte(strings.TrimPrefix(text, "data: ")), &piece) != nil || len(piece.Choices) != 1 {
		t.Fatalf("no stream: %s", got)
	}
	if d := piece.Choices[0].Delta; d.Content != "hi" || len(d.Calls) != 2 || d.Calls[1].Index != 1 || d.Calls[1].ID != "b" {
		t.Errorf("%+v", d)
	}
}

func TestA5TheGatewayRefuses(t *testing.T) {
	t.Parallel()
	p := &provider{answer: completes("hi")}
	g, ended := newGateway(t, p, task.Dollars(1))
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"ok","Content":[{"type":"image_url","image_url":{"url":"http://127.0.0.1/"}}]}]}`,
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","Type":"web_search"}]}`,
		``, `[]`, `{"messages":[]}`, `{"messages":"x"}`, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://127.0.0.1/"}}]}]}`,
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"web_search"}]}`, `{"messages":[{"role":"user","content":{"type":"text"}}]}`, `{"messages":[{"role":"user","content":"` + strings.Repeat("x", mostAsked) + `"}]}`,
	} {
		if w := g.post(body); w.Code < 400 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%.60s gave %d %s", body, w.Code, w.Body)
		}
	}
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodGet, "/v1/chat/completions", nil), httptest.NewRequest(http.MethodPost, "/v1/files", strings.NewReader(plain)),
		httptest.NewRequest(http.MethodPost, "/v1/chat/completions/../../admin", strings.NewReader(plain)), httptest.NewRequest(http.MethodConnect, "example.com:443", nil),
	} {
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s %s gave %d", r.Method, r.URL, w.Code)
		}
	}
	if len(p.bodies) != 0 || g.total() != (Usage{}) || ended() != nil {
		t.Errorf("the provider was asked %q, usage %+v, ended %v", p.bodies, g.total(), ended())
	}
}

func TestA5TheCapHoldsWhateverTheProviderTells(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter){
		"usage": completes("hi"),
		"none":  func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"choices":[]}`) },
		"too much": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"usage":{"prompt_tokens":9e8,"completion_tokens":1}}`)
		},
		"negative": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"usage":{"prompt_tokens":1,"completion_tokens":-9}}`)
		},
		"no JSON": func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") },
		"cut":     func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1000"); _, _ = io.WriteString(w, "{") },
		"broken":  func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"leads away": func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"over demand": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := task.Dollars(0.003)
			g, ended := newGateway(t, &provider{answer: answer}, limit)
			g.post(plain)
			if u := g.total(); (u.Cost == 0) != (name == "over demand" || name == "leads away") {
				t.Errorf("charged after one call: %+v", u)
			}
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 200 {
						g.post(plain)
					}
				})
			}
			all.Wait()
			u := g.total()
			if u.Cost > limit || u.Calls > mostCalls || g.held != 0 {
				t.Errorf("%+v of %s, %s held", u, limit, g.held)
			}
			if !errors.Is(ended(), errSpent) {
				t.Errorf("the command goes on: %v, %+v", ended(), u)
			}
		})
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(plain)
	f.Add(`{"stream":true,"max_completion_tokens":-1,"messages":[{"content":null}]}`)
	g := &gateway{endpoint: model.Endpoint{Model: "own", MaxTokens: 100}}
	f.Fuzz(func(t *testing.T, raw string) {
		body, out, _, err := g.order([]byte(raw))
		if err != nil {
			return
		}
		var sent map[string]any
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatal(err)
		}
		if out < 1 || out > 100 || sent["model"] != "own" || sent["n"] != nil || sent["stream"] != nil {
			t.Errorf("%q becomes %s", raw, body)
		}
		stream(body)
	})
}

// What a decoder takes under one name and a provider under another does not go out, nor
// what nobody asked for by name.
func TestA5NothingGoesOutUnderASecondName(t *testing.T) {
	t.Parallel()
	const image = `[{"type":"image_url","image_url":{"url":"http://127.0.0.1/leak"}}]`
	for _, body := range []string{
		`{"messages":[{"role":"user","content":` + image + `}],"Messages":[{"role":"user","content":"ok"}]}`,
		`{"messages":[{"role":"user","content":` + image + `,"Content":"ok"}]}`,
		`{"messages":[{"role":"user","content":"ok","audio":{"id":"leak"},"files":["leak"],"cache_control":{"type":"leak"}}]}`,
		`{"messages":[{"role":"user","content":"ok"}],"tools":[{"type":"web_search","leak":1}],"Tools":[]}`,
		`{"messages":[{"role":"user","content":"ok"}],"tools":[{"type":"web_search","Type":"function","leak":1}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"ok","image_url":"leak"}]}],"plugins":[{"id":"leak"}],"web_search_options":{"leak":1}}`,
	} {
		p := &provider{answer: completes("hi")}
		g, _ := newGateway(t, p, task.Dollars(1))
		g.post(body)
		for _, sent := range p.bodies {
			if strings.Contains(sent, "leak") || strings.Contains(sent, "web_search") || strings.Contains(sent, "image") {
				t.Errorf("%s went out as %s", body, sent)
			}
		}
	}
}

func TestA5ToolCallsGoOutAsTheyAre(t *testing.T) {
	t.Parallel()
	p := &provider{answer: completes("hi")}
	g, _ := newGateway(t, p, task.Dollars(1))
	w := g.post(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"out"}],
		"tools":[{"type":"function","function":{"name":"bash","description":"d","parameters":{"type":"object"}}}],"tool_choice":"auto"}`)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, part := range []string{`"tool_calls":[{"id":"a"`, `"tool_call_id":"a"`, `"content":null`, `"parameters":{"type":"object"}`, `"tool_choice":"auto"`} {
		if !strings.Contains(p.bodies[0], part) {
			t.Errorf("%s is not in %s", part, p.bodies[0])
		}
	}
}

func TestA5AProviderThatIsNotThereCostsNothingAndIsDown(t *testing.T) {
	t.Parallel()
	g, _ := newGateway(t, &provider{answer: completes("hi")}, task.Dollars(1))
	g.endpoint.BaseURL = "http://127.0.0.1:1/v1"
	for range 3 {
		if w := g.post(plain); w.Code != http.StatusBadGateway {
			t.Errorf("%d", w.Code)
		}
	}
	if u := g.total(); u.Cost != 0 || !g.down() {
		t.Errorf("%+v, down %v", u, g.down())
	}
}
