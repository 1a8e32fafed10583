package contract_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator/contract"
)

func through(t *testing.T, method, path, body string, status int, answer string) *contract.Validator {
	t.Helper()
	v, err := contract.New()
	if err != nil {
		t.Fatal(err)
	}
	h := v.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != body {
			t.Errorf("the handler got %q, %v", got, err)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(rec, req)
	if rec.Code != status || rec.Body.String() != answer {
		t.Errorf("the answer changed: %d %s", rec.Code, rec.Body)
	}
	return v
}

const label = `{"id":1,"node_id":"x","url":"http://h/x","name":"bug","description":null,"color":"ff0000","default":false}`

func TestTrafficAsDescribedIsNoViolation(t *testing.T) {
	t.Parallel()
	for _, v := range []*contract.Validator{
		through(t, "POST", "/api/v3/repos/o/r/labels", `{"name":"bug"}`, 201, label),
		through(t, "GET", "/api/v3/repos/o/r/labels/a%2Fb", "", 200, label),
		through(t, "GET", "/api/v3/repos/o/r/labels", "", 200, "["+label+"]"),
		through(t, "GET", "/api/v3/repos/o/r", "", 401, `{"message":"Bad credentials"}`),
		through(t, "POST", "/api/v3/repos/o/r/issues/1/labels", `["bug"]`, 200, "["+label+"]"),
		through(t, "GET", "/o/r/issues", "", 200, "a page"),
	} {
		if got := v.Violations(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	}
}

func TestEveryDepartureIsAViolation(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]*contract.Validator{
		"unknown operation":   through(t, "GET", "/api/v3/repos/o/r/nothing", "", 200, `{}`),
		"missing field sent":  through(t, "POST", "/api/v3/repos/o/r/labels", `{"color":"ff0000"}`, 201, label),
		"wrong type sent":     through(t, "POST", "/api/v3/repos/o/r/labels", `{"name":7}`, 201, label),
		"missing field":       through(t, "GET", "/api/v3/repos/o/r/labels/bug", "", 200, strings.Replace(label, `"id":1,`, "", 1)),
		"wrong type":          through(t, "GET", "/api/v3/repos/o/r/labels/bug", "", 200, strings.Replace(label, `"id":1`, `"id":"1"`, 1)),
		"undescribed status":  through(t, "GET", "/api/v3/repos/o/r/labels/bug", "", 203, label),
		"an error of no form": through(t, "GET", "/api/v3/repos/o/r/labels/bug", "", 403, `{"message":7}`),
		"not JSON":            through(t, "GET", "/api/v3/repos/o/r/labels/bug", "", 200, `hello`),
	} {
		if got := v.Violations(); len(got) == 0 {
			t.Errorf("%s was not noticed", name)
		}
	}
}

func TestWebhooksAreCompared(t *testing.T) {
	t.Parallel()
	v, err := contract.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Webhook("ping", []byte(`{"zen":"x","hook_id":1}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{`{"action":"opened"}`, `{"action":"exploded"}`, `{`} {
		if err := v.Webhook("issues", []byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if len(v.Operations()) < 50 || contract.Source == "" {
		t.Errorf("%d operations", len(v.Operations()))
	}
	for _, e := range contract.Exceptions {
		if e.Operation == "" || e.Contains == "" || len(e.Why) < 10 {
			t.Errorf("an exception without its reason: %+v", e)
		}
	}
}
