package model_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func quiet() logrus.FieldLogger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

// at asks an endpoint of its own once and returns what came of it.
func at(t *testing.T, ep model.Endpoint) (model.Reply, *model.Error) {
	t.Helper()
	c := model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: ep}, Log: quiet(), Backoff: noWait})
	reply, err := c.Ask(t.Context(), question)
	var failed *model.Error
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%v is not a *model.Error", err)
	}
	return reply, failed
}

func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(answer)
	t.Cleanup(srv.Close)
	return srv.URL
}

// Not parallel: it counts what is allocated.
func TestF09AGigabyteCostsLittleMemory(t *testing.T) {
	chunk := []byte(strings.Repeat("a", 1<<20))
	for name, head := range map[string]string{
		"one document":      `{"choices":[{"message":{"content":"`,
		"one endless line":  `data: {"choices":[{"delta":{"content":"`,
		"endless comments":  ": ",
		"nothing but space": " ",
	} {
		piece := chunk
		switch name {
		case "endless comments":
			piece = []byte("keep alive\n:" + strings.Repeat("\n: still here", 1<<16))
		case "nothing but space":
			piece = []byte(strings.Repeat(" \n", 1<<19))
		}
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, head)
			for range 1024 {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: 30 * time.Second})
		runtime.ReadMemStats(&after)
		if err == nil || (err.Class != model.TooLarge && err.Class != model.Malformed) || !err.Charged {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d MiB were allocated in all", name, used>>20)
		}
	}
}

func TestF09AStreamOfManySmallPiecesIsCutAtTheLimit(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		piece := strings.Repeat(`data: {"choices":[{"delta":{"content":"`+strings.Repeat("a", 4000)+`"}}]}`+"\n\n", 20)
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	})
	if _, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: 30 * time.Second}); err == nil || err.Class != model.TooLarge {
		t.Errorf("got %v", err)
	}
}

func TestF09SilenceIsNoticedBeforeTheTimeIsUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer scripted.Answer
		says   string
		down   bool
	}{
		"nothing comes":          {scripted.Answer{Delay: time.Hour}, "nothing came in time", true},
		"half comes":             {scripted.Answer{Text: "half an answer", Hang: true}, "no more came in time", false},
		"a plain answer is late": {scripted.Answer{Text: "late", Plain: true, Delay: time.Hour}, "nothing came in time", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, func(scripted.Call, int) scripted.Answer { return tc.answer })
			_, err := at(t, model.Endpoint{BaseURL: srv.URL(), Model: "m", Timeout: time.Hour, First: 200 * time.Millisecond, Between: 200 * time.Millisecond})
			if err == nil || err.Class != model.Stalled || !err.Charged || err.Down != tc.down || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %+v", err)
			}
		})
	}
}

func TestF09CommentsThatKeepAConnectionAliveAreNoAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ": PROCESSING\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond) // the rate of a stalled provider, nothing is waited for
		}
	})
	_, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: time.Hour, First: 300 * time.Millisecond})
	if err == nil || err.Class != model.Stalled || !err.Down {
		t.Errorf("got %v", err)
	}
}

func TestF09APieceASecondEndsAtTheTimeLimit(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	_, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: 400 * time.Millisecond, Between: time.Hour})
	if err == nil || err.Class != model.Stalled || !strings.Contains(err.Error(), "not complete in time") || !err.Charged {
		t.Errorf("got %v", err)
	}
}

func TestF09AnswersThatAreNoAnswers(t *testing.T) {
	t.Parallel()
	event := func(s string) string { return "data: " + s + "\n\n" }
	piece := event(`{"choices":[{"delta":{"content":"x = 1"}}]}`)
	for name, tc := range map[string]struct {
		body  string
		class model.Class
	}{
		"bad UTF-8":                {event("{\"choices\":[{\"delta\":{\"content\":\"caf\xe9\"},\"finish_reason\":\"stop\"}]}") + event("[DONE]"), model.Malformed},
		"bad UTF-8, one document":  {"{\"choices\":[{\"message\":{\"content\":\"caf\xe9\"}}]}", model.Malformed},
		"ends without an end":      {piece, model.Malformed},
		"cut in a piece":           {piece + `data: {"choices":[{"del`, model.Malformed},
		"a page of HTML":           {"<html>our site is being rebuilt</html>", model.Malformed},
		"nothing at all":           {"", model.Malformed},
		"an error in mid stream":   {piece + event(`{"error":{"message":"overloaded","code":529}}`), model.Server},
		"an error in a piece":      {event(`{"id":"1","error":{"message":"provider gone"},"choices":[]}`), model.Server},
		"an error with status 200": {`{"error":{"message":"no"}}`, model.Server},
		"only reasoning":           {event(`{"choices":[{"delta":{"reasoning_content":"hm"},"finish_reason":"length"}]}`) + event("[DONE]"), model.Empty},
		"a number for text":        {event(`{"choices":[{"delta":{"content":7}}]}`), model.Malformed},
		"100,000 brackets":         {event(strings.Repeat("[", 100_000)), model.Malformed},
		"two documents":            {`{"choices":[]}{"choices":[]}`, model.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tc.body) })
			_, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: 20 * time.Second, PriceIn: 1, PriceOut: 1})
			if err == nil || err.Class != tc.class || !err.Charged {
				t.Errorf("got %+v, want %s, charged", err, tc.class)
			}
		})
	}
}

func TestF09ARequestThatNeverWentOutCostsNothing(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // takes the connection and ends it before a byte is read
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	addr := l.Addr().String()
	_, cut := at(t, model.Endpoint{BaseURL: "http://" + addr, Model: "m", Timeout: 20 * time.Second})
	if cut == nil || !cut.Down || (cut.Class == model.Refused) == cut.Charged {
		t.Errorf("cut: %+v", cut)
	}
	_ = l.Close()
	_, gone := at(t, model.Endpoint{BaseURL: "http://" + addr, Model: "m", Timeout: 20 * time.Second})
	if gone == nil || gone.Class != model.Refused || gone.Charged || !gone.Down {
		t.Errorf("refused: %+v", gone)
	}
}

func TestA3RetryAfterIsHonouredInBothForms(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	for name, header := range map[string]map[string]string{
		"seconds":      {"Retry-After": "3600"},
		"a date":       {"Retry-After": now.Add(time.Hour).Format(http.TimeFormat), "Date": now.Format(http.TimeFormat)},
		"milliseconds": {"Retry-After-Ms": "3600000", "Retry-After": "1"},
	} {
		srv := start(t, func(scripted.Call, int) scripted.Answer {
			return scripted.Answer{Status: 429, Body: `{"error":{"message":"slow down"}}`, Header: header}
		})
		_, err := at(t, model.Endpoint{BaseURL: srv.URL(), Model: "m"})
		if err == nil || err.RetryAfter != time.Hour || err.Class != model.RateLimited || err.Charged || len(srv.Calls()) != 1 {
			t.Errorf("%s: %+v after %d calls", name, err, len(srv.Calls()))
		}
	}
}

func TestA3AShortRetryAfterIsWaitedFor(t *testing.T) {
	t.Parallel()
	srv := start(t, func(_ scripted.Call, n int) scripted.Answer {
		if n == 0 {
			return scripted.Answer{Status: 503, Body: "{}", Header: map[string]string{"Retry-After": "0.05"}}
		}
		return scripted.Answer{Text: "here"}
	})
	reply, err := at(t, model.Endpoint{BaseURL: srv.URL(), Model: "m"})
	if err != nil || reply.Text != "here" || reply.Tries != 2 {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestA3WhatCannotSucceedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   string
		class  model.Class
		down   bool
	}{
		"no money left":      {402, `{"error":{"message":"Insufficient Balance"}}`, model.Refused, true},
		"quota used up":      {429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`, model.Refused, true},
		"no such model":      {404, `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`, model.NotOffered, true},
		"service ended":      {410, `gone`, model.NotOffered, true},
		"bad key":            {401, `{"error":{"message":"bad key"}}`, model.Refused, false},
		"no such page":       {404, `404 page not found`, model.Refused, false},
		"prompt is too long": {400, `{"error":{"message":"maximum context length is 8192"}}`, model.Refused, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Status: tc.status, Body: tc.body} })
			_, err := at(t, model.Endpoint{BaseURL: srv.URL(), Model: "m"})
			if err == nil || err.Class != tc.class || err.Down != tc.down || err.Charged || len(srv.Calls()) != 1 {
				t.Errorf("%+v after %d calls", err, len(srv.Calls()))
			}
		})
	}
}

// canned answers every request with the same bytes.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzBody(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n")
	f.Add(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}],"usage":{"prompt_tokens":-1}}`)
	f.Add(": \r\ndata:{\"error\":null}\ndata: {\"error\":{}}\n")
	f.Fuzz(func(t *testing.T, body string) {
		c := model.New(model.Config{HTTP: &http.Client{Transport: canned(body)}, Log: quiet(), Backoff: noWait,
			Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {BaseURL: "http://m.example", Model: "m", PriceIn: 1, PriceOut: 1}}})
		reply, err := c.Ask(t.Context(), question)
		var failed *model.Error
		switch {
		case err != nil && !errors.As(err, &failed):
			t.Fatalf("%v is not a *model.Error", err)
		case err != nil && failed.Cost < 0, reply.Cost < 0, reply.CachedIn > reply.TokensIn:
			t.Fatalf("%+v %v", reply, err)
		case err == nil && (strings.TrimSpace(reply.Text) == "" || strings.ToValidUTF8(reply.Text, "") != reply.Text):
			t.Fatalf("%q was taken for an answer", reply.Text)
		}
	})
}

// A provider that says which key it refuses does not get it into what is
// stored of the attempt.
func TestI5ARefusalIsKeptWithoutTheKey(t *testing.T) {
	t.Parallel()
	const key = "a key of no known shape"
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"incorrect API key: `+r.Header.Get("Authorization")+`","type":"invalid_request_error"}}`)
	})
	_, err := at(t, model.Endpoint{BaseURL: url, Model: "m", APIKey: func() (string, error) { return key, nil }})
	if err == nil || err.Class != model.Refused || !strings.Contains(err.Error(), "incorrect API key: Bearer [redacted]") {
		t.Errorf("%v", err)
	}
}

func TestF09AModelThatThinksInSilenceHasTheTiersTime(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(5 * time.Second) // the model's thoughts, longer than it may pause between words
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"a plan"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	if reply, err := at(t, model.Endpoint{BaseURL: url, Model: "m", Timeout: time.Hour, Between: 2 * time.Second}); err != nil || reply.Text != "a plan" {
		t.Errorf("%+v %v", reply, err)
	}
}
