// Package scripted is a model double for tests and for trying fettle out: an
// OpenAI-compatible server on loopback that answers from a script instead of
// a model. It says so in every answer's model name. Nothing here is used by
// fettle itself.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Call is what the server was asked.
type Call struct {
	Model  string
	System string
	User   string
	Max    int
	Stream bool
	Usage  bool   // usage was asked for at the end of the stream
	Format string // type of response_format
	Effort string
	Key    string // as it came, "Bearer …" or the value of api-key
}

// Answer is one scripted reply. The zero Status means 200. It is streamed
// where that was asked for, unless Plain or Body says otherwise.
type Answer struct {
	Text      string
	Status    int
	Header    map[string]string
	Body      string        // raw body instead of a completion
	Plain     bool          // one document, as of a server that does not stream
	Delay     time.Duration // before the first byte
	Hang      bool          // after half of the text nothing more comes, and the connection stays open
	Cut       bool          // close the connection half-way through the body
	Finish    string        // "" is "stop"
	TokensIn  int           // 0: four bytes a token
	TokensOut int
	CachedIn  int
	NoUsage   bool // tell no usage
}

// Script gives the answer to a call; n counts the calls to that model from 0.
type Script func(c Call, n int) Answer

// Server is the running double.
type Server struct {
	script Script
	http   *http.Server
	url    string
	mu     sync.Mutex
	calls  []Call
	seen   map[string]int
}

// Start listens on a free port of loopback.
func Start(script Script) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the scripted model: %w", err)
	}
	s := &Server{script: script, url: "http://" + l.Addr().String() + "/v1", seen: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }()
	return s, nil
}

// URL is the base URL, with /v1.
func (s *Server) URL() string { return s.url }

// Close stops the server.
func (s *Server) Close() error { return s.http.Close() }

// Calls lists what was asked so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model    string `json:"model"`
		Messages []struct{ Role, Content string }
		Max      int    `json:"max_tokens"`
		MaxNew   int    `json:"max_completion_tokens"`
		Stream   bool   `json:"stream"`
		Effort   string `json:"reasoning_effort"`
		Options  struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Format struct {
			Type string `json:"type"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	call := Call{Model: req.Model, Max: max(req.Max, req.MaxNew), Stream: req.Stream, Usage: req.Options.Usage, Format: req.Format.Type,
		Effort: req.Effort, Key: r.Header.Get("Authorization") + r.Header.Get("api-key")}
	for _, m := range req.Messages {
		if m.Role == "user" {
			call.User += m.Content
		} else {
			call.System += m.Content
		}
	}
	if a, ok := s.ask(r, call); ok {
		write(w, r, call, a)
	}
}

// embed answers a comparison of two texts: the script's text is the cosine that
// their embeddings shall have.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Input) != 2 {
		http.Error(w, `{"error":{"message":"no two texts"}}`, http.StatusBadRequest)
		return
	}
	call := Call{Model: req.Model, System: req.Input[0], User: req.Input[1], Key: r.Header.Get("Authorization") + r.Header.Get("api-key")}
	a, ok := s.ask(r, call)
	if !ok {
		return
	}
	if cos, err := strconv.ParseFloat(a.Text, 64); err == nil && a.Body == "" {
		body, _ := json.Marshal(map[string]any{ // plain numbers and texts
			"object": "list", "model": req.Model, "usage": map[string]int{"prompt_tokens": a.TokensIn},
			"data": []map[string]any{{"index": 0, "embedding": []float64{1, 0}}, {"index": 1, "embedding": []float64{cos, math.Sqrt(1 - cos*cos)}}},
		})
		a.Body = string(body)
	}
	write(w, r, call, a)
}

// ask notes a call and gives the script's answer when its time has come, unless
// the caller has gone.
func (s *Server) ask(r *http.Request, call Call) (Answer, bool) {
	s.mu.Lock()
	n := s.seen[call.Model]
	s.seen[call.Model]++
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	a := s.script(call, n)
	select {
	case <-time.After(a.Delay):
	case <-r.Context().Done():
		return a, false
	}
	return a, true
}

func write(w http.ResponseWriter, r *http.Request, call Call, a Answer) {
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.TokensIn == 0 {
		a.TokensIn = (len(call.System) + len(call.User)) / 4
	}
	if a.TokensOut == 0 {
		a.TokensOut = len(a.Text)/4 + 1
	}
	if a.Finish == "" {
		a.Finish = "stop"
	}
	if call.Stream && !a.Plain && a.Body == "" && a.Status == http.StatusOK {
		stream(w, r, call, a)
		return
	}
	body := []byte(a.Body)
	if a.Body == "" {
		body = completion("message", a.Text, a.Finish, a.usage())
	}
	w.Header().Set("Content-Type", "application/json")
	if a.Cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+10))
	}
	w.WriteHeader(a.Status)
	if a.Cut {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(body)
}

func (a Answer) usage() map[string]any {
	if a.NoUsage {
		return nil
	}
	return map[string]any{"prompt_tokens": a.TokensIn, "completion_tokens": a.TokensOut, "total_tokens": a.TokensIn + a.TokensOut,
		"prompt_tokens_details": map[string]int{"cached_tokens": a.CachedIn}}
}

// completion is a whole answer (field "message") or a piece of one ("delta").
func completion(field, text, finish string, usage map[string]any) []byte {
	choice := map[string]any{"index": 0, "finish_reason": nil, field: map[string]any{"role": "assistant", "content": text}}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	whole := map[string]any{"id": "scripted", "object": "chat.completion", "model": "scripted-double", "choices": []any{choice}}
	if usage != nil {
		whole["usage"] = usage
	}
	data, _ := json.Marshal(whole)
	return data
}

// stream sends the text in two pieces as server-sent events, with a comment
// between them, then usage where it was asked for, then the end.
func stream(w http.ResponseWriter, r *http.Request, call Call, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	half := len(a.Text) / 2
	for half > 0 && half < len(a.Text) && !utf8.RuneStart(a.Text[half]) {
		half--
	}
	send := func(data []byte) {
		_, _ = fmt.Fprintf(w, ": scripted\n\ndata: %s\n\n", data)
		_ = flush.Flush()
	}
	send(completion("delta", a.Text[:half], "", nil))
	switch {
	case a.Hang:
		<-r.Context().Done()
		return
	case a.Cut:
		panic(http.ErrAbortHandler)
	}
	send(completion("delta", a.Text[half:], a.Finish, nil))
	if usage := a.usage(); usage != nil && call.Usage {
		data, _ := json.Marshal(map[string]any{"id": "scripted", "choices": []any{}, "usage": usage})
		send(data)
	}
	send([]byte("[DONE]"))
}

// Edit writes an answer of the developer's form: a decision with one action,
// which replaces a region, and the code in a fenced block.
func Edit(path, region, code, explanation string) string {
	decision, _ := json.Marshal(map[string]any{
		"actions":     []any{map[string]any{"action": "replace_region", "path": path, "region": region, "code": 1}},
		"explanation": explanation,
	})
	return "```json\n" + string(decision) + "\n```\n\n```\n" + strings.TrimRight(code, "\n") + "\n```\n"
}
