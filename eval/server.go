package eval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Mode is what a Server does with a question that it knows no answer to.
type Mode string

// The modes.
const (
	Record  Mode = "record"  // asks the tier's own endpoint, and keeps the answer
	Answers Mode = "answers" // refuses it, with the name of the prompt
	Bridge  Mode = "bridge"  // writes it down and waits until somebody has answered it
)

// Kept is an answer in a file. Its name is the prompt's: the hash of model and messages.
type Kept struct {
	Text      string `json:"text"`
	TokensIn  int    `json:"tokens_in"`
	TokensOut int    `json:"tokens_out"`
	By        string `json:"by,omitempty"` // who answered
}

// Server stands between fettle and its models, on loopback, and speaks the protocol of
// chat completions. In its folder NAME.prompt.json is a question and NAME.json its answer.
type Server struct {
	mode     Mode
	dir      string
	upstream map[string]string // base URLs by tier
	url      string
}

// Serve starts a server until the context ends.
func Serve(ctx context.Context, mode Mode, dir string, upstream map[string]string) (*Server, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the server of answers: %w", err)
	}
	s := &Server{mode: mode, dir: dir, upstream: upstream, url: "http://" + l.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{tier}/v1/chat/completions", s.complete)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return s, nil
}

// URL is the base URL of a tier.
func (s *Server) URL(tier string) string { return s.url + "/" + tier + "/v1" }

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model    string            `json:"model"`
		Messages []json.RawMessage `json:"messages"`
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	if err == nil {
		err = json.Unmarshal(raw, &asked)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	prompt, err := json.Marshal(asked)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	name := filepath.Join(s.dir, fmt.Sprintf("%x", sha256.Sum256(prompt))[:16])
	kept, err := answered(name)
	if errors.Is(err, os.ErrNotExist) {
		kept, err = s.find(r, name, raw, prompt)
	}
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(completion{Model: asked.Model, Object: "chat.completion", Choices: []choice{{Message: message{"assistant", kept.Text}, Finish: "stop"}}, Usage: usage{kept.TokensIn, kept.TokensOut, kept.TokensIn + kept.TokensOut}}) // the caller sees that it was cut
}

func answered(name string) (k Kept, err error) {
	raw, err := os.ReadFile(name + ".json")
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		return k, fmt.Errorf("reading %s.json: %w", name, err)
	}
	return k, nil
}

// find has a new question answered.
func (s *Server) find(r *http.Request, name string, raw, prompt []byte) (k Kept, err error) {
	if s.mode == Answers {
		return k, fmt.Errorf("there is no answer to the prompt %s in %s", filepath.Base(name), s.dir)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, prompt, "", "  "); err != nil {
		return k, err
	}
	if err := os.WriteFile(name+".prompt.json", text.Bytes(), 0o644); err != nil {
		return k, err
	}
	if s.mode == Record {
		if k, err = s.ask(r, raw); err != nil {
			return k, err
		}
		out, err := json.MarshalIndent(k, "", "  ")
		if err != nil {
			return k, err
		}
		return k, os.WriteFile(name+".json", append(out, '\n'), 0o644)
	}
	for {
		if k, err = answered(name); !errors.Is(err, os.ErrNotExist) {
			return k, err
		}
		select {
		case <-r.Context().Done():
			return k, context.Cause(r.Context())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ask puts the question to the tier's own endpoint, for an answer in one piece.
func (s *Server) ask(r *http.Request, raw []byte) (k Kept, err error) {
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return k, err
	}
	delete(body, "stream")
	delete(body, "stream_options")
	if raw, err = json.Marshal(body); err != nil {
		return k, err
	}
	base := s.upstream[r.PathValue("tier")]
	if base == "" {
		return k, fmt.Errorf("no tier %q", r.PathValue("tier"))
	}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, base+"/chat/completions", bytes.NewReader(raw))
	if err != nil {
		return k, err
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range []string{"Authorization", "Api-Key"} {
		if v := r.Header.Get(h); v != "" {
			req.Header.Set(h, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return k, err
	}
	defer res.Body.Close()
	var got completion
	if err := json.NewDecoder(io.LimitReader(res.Body, 32<<20)).Decode(&got); err != nil {
		return k, err
	}
	if res.StatusCode != http.StatusOK || len(got.Choices) == 0 {
		return k, fmt.Errorf("the endpoint of %s says %s", r.PathValue("tier"), res.Status)
	}
	return Kept{Text: got.Choices[0].Message.Content, TokensIn: got.Usage.In, TokensOut: got.Usage.Out, By: got.Model}, nil
}

func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": err.Error()}})
}

// completion is the part of the protocol that is used.
type completion struct {
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Message message `json:"message"`
	Finish  string  `json:"finish_reason"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type usage struct {
	In  int `json:"prompt_tokens"`
	Out int `json:"completion_tokens"`
	All int `json:"total_tokens"`
}
