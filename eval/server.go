package eval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
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
// Tokens that nobody counted are a quarter of the bytes.
type Kept struct {
	Text      string `json:"text"`
	TokensIn  int    `json:"tokens_in"`
	TokensOut int    `json:"tokens_out"`
	By        string `json:"by,omitempty"` // who answered
}

// Question is what whoever answers sees, in NAME.prompt.json.
type Question struct {
	Case      string            `json:"case"`
	Tier      string            `json:"tier"`
	Model     string            `json:"model"`
	MaxTokens int               `json:"max_tokens,omitempty"` // that the answer may have, where the request says so
	Messages  []json.RawMessage `json:"messages"`
}

// prompt is what makes a question the same as another.
type prompt struct {
	Model    string            `json:"model"`
	Messages []json.RawMessage `json:"messages"`
}

// Server stands between fettle and its models, on loopback, and speaks the protocol of
// chat completions. In its folder NAME.prompt.json is a question and NAME.json its answer.
type Server struct {
	mode     Mode
	dir      string
	upstream map[string]string // base URLs by tier
	url      string
	say      func(string)
	ended    <-chan struct{}

	mu      sync.Mutex
	served  map[string]*served // by case
	waiting int
}

// served is what a case got. Time in which several of its questions wait counts once.
type served struct {
	by     map[string]bool
	open   int
	since  time.Time
	waited time.Duration
}

// Serve starts a server until the context ends. It says what it waits for.
func Serve(ctx context.Context, mode Mode, dir string, upstream map[string]string, say func(string)) (*Server, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the server of answers: %w", err)
	}
	s := &Server{mode: mode, dir: dir, upstream: upstream, url: "http://" + l.Addr().String(), say: say, ended: ctx.Done(), served: map[string]*served{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{case}/{tier}/v1/chat/completions", s.complete)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(l) }()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return s, nil
}

// URL is the base URL of a tier, as a case asks it.
func (s *Server) URL(name, tier string) string {
	return s.url + "/" + url.PathEscape(name) + "/" + tier + "/v1"
}

// Live tells whether the tiers' own endpoints are asked.
func (s *Server) Live() bool { return s.mode == Record }

// Waits tells whether somebody outside answers.
func (s *Server) Waits() bool { return s != nil && s.mode == Bridge }

// gave are those who answered a case, and how long it waited for them.
func (s *Server) gave(name string) (by []string, waited time.Duration) {
	if s == nil {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.served[name]
	if is == nil {
		return nil, 0
	}
	return slices.Sorted(maps.Keys(is.by)), is.waited
}

// asked counts a question of a case until it is answered, by somebody or by nobody.
func (s *Server) asked(name string) (done func(by string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.served[name]
	if is == nil {
		is = &served{by: map[string]bool{}}
		s.served[name] = is
	}
	if is.open++; is.open == 1 {
		is.since = time.Now()
	}
	return func(by string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if by != "" {
			is.by[by] = true
		}
		if is.open--; is.open == 0 {
			is.waited += time.Since(is.since)
		}
	}
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var q Question
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 32<<20))
	if err == nil {
		err = json.Unmarshal(raw, &q)
	}
	q.Case, q.Tier = r.PathValue("case"), r.PathValue("tier")
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	hashed, err := json.Marshal(prompt{q.Model, q.Messages})
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	name := filepath.Join(s.dir, fmt.Sprintf("%x", sha256.Sum256(hashed))[:16])
	done := s.asked(q.Case)
	kept, err := answered(name)
	if errors.Is(err, os.ErrNotExist) || err != nil && s.mode == Bridge {
		kept, err = s.find(r, name, raw, q)
	}
	done(kept.By)
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err)
		return
	}
	if kept.TokensIn == 0 {
		kept.TokensIn = (len(hashed) + 3) / 4
	}
	if kept.TokensOut == 0 {
		kept.TokensOut = (len(kept.Text) + 3) / 4
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(completion{Model: q.Model, Object: "chat.completion", Choices: []choice{{Message: message{"assistant", kept.Text}, Finish: "stop"}}, Usage: usage{kept.TokensIn, kept.TokensOut, kept.TokensIn + kept.TokensOut}}) // the caller sees that it was cut
}

func answered(name string) (k Kept, err error) {
	raw, err := os.ReadFile(name + ".json")
	if err != nil {
		return k, err
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields()
	switch err = in.Decode(&k); {
	case err != nil:
	case k.Text == "":
		err = errors.New("it has no text")
	case k.TokensIn < 0 || k.TokensOut < 0:
		err = errors.New("a number of tokens is negative")
	}
	if err != nil {
		return Kept{}, fmt.Errorf("reading the answer %s.json: %w", name, err)
	}
	return k, nil
}

// find has a new question answered.
func (s *Server) find(r *http.Request, name string, raw []byte, q Question) (k Kept, err error) {
	if s.mode == Answers {
		return k, fmt.Errorf("there is no answer to the prompt %s in %s", filepath.Base(name), s.dir)
	}
	text, err := json.MarshalIndent(q, "", "  ")
	if err != nil {
		return k, err
	}
	if err := put(name+".prompt.json", text); err != nil {
		return k, err
	}
	if s.mode == Bridge {
		return s.wait(r, name, q)
	}
	if k, err = s.ask(r, raw); err != nil {
		return k, err
	}
	if text, err = json.MarshalIndent(k, "", "  "); err != nil {
		return k, err
	}
	return k, put(name+".json", text)
}

// put writes a file that nobody sees in part, as others look at the folder.
func put(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".part-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// wait waits for the answer of somebody else. One that cannot be read, which may be half
// written, is waited for like none.
func (s *Server) wait(r *http.Request, name string, q Question) (Kept, error) {
	s.mu.Lock()
	s.waiting++
	s.say(fmt.Sprintf("%s asks %s: %s.prompt.json; its answer is awaited in %s.json; %d open", q.Case, q.Tier, name, filepath.Base(name), s.waiting))
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.waiting--
		s.mu.Unlock()
	}()
	said := ""
	for rounds := 0; ; rounds++ {
		k, err := answered(name)
		switch {
		case err == nil:
			return k, nil
		case !errors.Is(err, os.ErrNotExist) && rounds%5 == 4 && err.Error() != said:
			said = err.Error()
			s.say(said + "; it is waited for until that is mended")
		}
		select {
		case <-r.Context().Done():
			select {
			case <-s.ended: // the run is stopped; an answer that comes now is there when it goes on
			default:
				s.say(fmt.Sprintf("%s does not wait for %s any more", q.Case, filepath.Base(name)))
			}
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
