package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bridge starts a server that waits for answers in a folder, and tells what it says.
func bridge(t *testing.T, ctx context.Context, dir string) (*Server, <-chan string) {
	t.Helper()
	said := make(chan string, 100)
	s, err := Serve(ctx, Bridge, dir, nil, func(words string) { said <- words })
	if err != nil {
		t.Fatal(err)
	}
	return s, said
}

// asking puts one question in the background, as fettle does.
func asking(t *testing.T, ctx context.Context, s *Server, words string) <-chan string {
	t.Helper()
	came := make(chan string, 1)
	body := fmt.Sprintf(`{"model": "m", "max_tokens": 500, "messages": [{"role": "user", "content": %q}]}`, words)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL("open/01 0", "tier1")+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			came <- err.Error()
			return
		}
		defer res.Body.Close()
		raw, err := io.ReadAll(res.Body)
		came <- fmt.Sprint(res.StatusCode, " ", string(raw), err)
	}()
	return came
}

// only is the one prompt in the folder of a bridge, and its name.
func only(t *testing.T, dir string) (q Question, name string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.prompt.json"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%q: %v", all, err)
	}
	raw, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return q, strings.TrimSuffix(all[0], ".prompt.json")
}

func answer(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name+".json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// K1: who answers sees where a question comes from; a half-written or a wrong answer is
// told and waited for until it is mended.
func TestK1ABridgeTellsWhatItWaitsForAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, said := bridge(t, t.Context(), dir)
	came := asking(t, t.Context(), s, "why <so>?")
	told := <-said
	q, name := only(t, dir)
	if q.Case != "open/01 0" || q.Tier != "tier1" || q.MaxTokens != 500 || len(q.Messages) != 1 || !bytes.Contains(q.Messages[0], []byte("why ")) {
		t.Errorf("prompt %+v", q)
	}
	if !strings.Contains(told, "open/01 0 asks tier1") || !strings.Contains(told, name+".prompt.json") || !strings.Contains(told, "1 open") {
		t.Errorf("it says %q", told)
	}
	for text, why := range map[string]string{`{"text": "ha`: "unexpected", `{"tokens_in": 3}`: "no text", `{"text": "a", "token_in": 3}`: "token_in", `{"text": "a", "tokens_out": -1}`: "negative"} {
		answer(t, name, text)
		if told = <-said; !strings.Contains(told, why) || !strings.Contains(told, name+".json") {
			t.Errorf("of %s it says %q", text, told)
		}
	}
	answer(t, name, `{"text": "because", "by": "somebody"}`)
	if got := <-came; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"because"`) || !strings.Contains(got, `"completion_tokens":2`) || strings.Contains(got, `"prompt_tokens":0`) {
		t.Errorf("it came as %s", got)
	}
	by, waited := s.gave("open/01 0")
	if len(by) != 1 || by[0] != "somebody" || waited <= 0 {
		t.Errorf("answered by %q after %s", by, waited)
	}
}

// K1: what was answered while nothing ran is taken when the run goes on, without a word.
func TestK1AnAnsweredQuestionOutlivesItsRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, stop := context.WithCancel(t.Context())
	s, said := bridge(t, first, dir)
	came := asking(t, t.Context(), s, "why?")
	<-said
	stop()
	if got := <-came; strings.HasPrefix(got, "200") {
		t.Errorf("it came as %s", got)
	}
	_, name := only(t, dir)
	answer(t, name, `{"text": "because", "tokens_in": 7, "tokens_out": 5}`)
	s, said = bridge(t, t.Context(), dir)
	if got := <-asking(t, t.Context(), s, "why?"); !strings.Contains(got, `"because"`) || !strings.Contains(got, `"prompt_tokens":7`) {
		t.Errorf("it came as %s", got)
	}
	if len(said) > 0 {
		t.Errorf("it says %q", <-said)
	}
}

// K1: a case that has ended waits for nothing, and whoever answers is told.
func TestK1AnEndedCaseWaitsForNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, said := bridge(t, t.Context(), dir)
	asked, end := context.WithCancel(t.Context())
	came := asking(t, asked, s, "why?")
	<-said
	end()
	<-came
	if told := <-said; !strings.Contains(told, "open/01 0 does not wait for") {
		t.Errorf("it says %q", told)
	}
}
