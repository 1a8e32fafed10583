package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/fettle-dev/fettle/bot/task"
)

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yml openapi.json

// recorder notes which operation of the description each request is.
type recorder struct {
	router routers.Router
	asked  map[string]bool
}

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	plain := req.Clone(req.Context())
	plain.URL.Scheme, plain.URL.Host, plain.Host = "", "", ""
	if route, _, err := r.router.FindRoute(plain); err == nil {
		r.asked[route.Operation.OperationID] = true
	}
	return http.DefaultClient.Do(req)
}

// TestAGeneratedClientCallsTheWholeAPI: a client that was generated from the description
// makes every call below both prefixes, and what it reads is all that the server said.
func TestAGeneratedClientCallsTheWholeAPI(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	made, err := GetSpec()
	if err != nil {
		t.Fatal(err)
	}
	for part, p := range map[string][2]any{"paths": {made.Paths, doc.Paths}, "components": {made.Components, doc.Components}} {
		if a, b := must(json.Marshal(p[0])), must(json.Marshal(p[1])); !bytes.EqualFold(a, b) { // the generator writes ids of operations with a capital
			t.Fatalf("the %s of openapi.json changed since the client was generated: run 'go generate ./bot/web'", part)
		}
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"/api/v1", "/api"} {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			rec := &recorder{router, map[string]bool{}}
			callAll(t, prefix, rec)
			for path, item := range doc.Paths.Map() {
				for method, op := range item.Operations() {
					if !rec.asked[op.OperationID] {
						t.Errorf("the client did not call %s %s", method, path)
					}
				}
			}
		})
	}
}

func callAll(t *testing.T, prefix string, rec *recorder) {
	s := filled(t)
	ctx := t.Context()
	s.must(s.db.Wait(ctx, s.begin("step", 7, "acme/shop", 30, "a step"), task.Gate{Kind: task.GateStep, Step: 2, Asked: time.Now().UTC(), Words: "?"}))
	s.begin("runs", 7, "acme/shop", 31, "a live one")
	s.must(s.db.Park(ctx, s.begin("parked", 7, "acme/shop", 32, "one put aside"), time.Now().Add(time.Hour), "rate limit"))
	token := s.token(true)
	c, err := NewClientWithResponses(s.url+prefix, WithHTTPClient(rec), WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	s.must(err)
	// whole fails where the answer is another one, or holds what the client does not know.
	whole := func(what string, code, want int, body []byte, read any, err error) {
		t.Helper()
		if err != nil || code != want {
			t.Errorf("%s: %d %v %s", what, code, err, body)
			return
		}
		kept, err := json.Marshal(read)
		s.must(err)
		var said, got any
		s.must(json.Unmarshal(body, &said))
		s.must(json.Unmarshal(kept, &got))
		if !reflect.DeepEqual(said, got) {
			t.Errorf("%s: the server said\n%s\nthe client read\n%s", what, body, kept)
		}
	}
	one, state, tier, no := 1, ListRunsParamsStateDone, ListRunsParamsTierTier1, "leave the parser alone"
	description, err := c.GetDescriptionWithResponse(ctx)
	whole("getDescription", description.StatusCode(), 200, description.Body, description.JSON200, err)
	runs, err := c.ListRunsWithResponse(ctx, &ListRunsParams{State: &state, Tier: &tier, Limit: &one})
	whole("listRuns", runs.StatusCode(), 200, runs.Body, runs.JSON200, err)
	runs, err = c.ListRunsWithResponse(ctx, &ListRunsParams{After: &runs.JSON200.Next})
	whole("listRuns", runs.StatusCode(), 200, runs.Body, runs.JSON200, err)
	for _, id := range []string{"well", "badly", "waits", "runs", "step", "parked"} {
		run, err := c.GetRunWithResponse(ctx, id)
		whole("getRun "+id, run.StatusCode(), 200, run.Body, run.JSON200, err)
		messages, err := c.ListConversationsWithResponse(ctx, id, &ListConversationsParams{Limit: &one})
		whole("listConversations "+id, messages.StatusCode(), 200, messages.Body, messages.JSON200, err)
		old, err := c.ListAgentConversationsWithResponse(ctx, id, &ListAgentConversationsParams{From: &one})
		whole("listAgentConversations "+id, old.StatusCode(), 200, old.Body, old.JSON200, err)
		decisions, err := c.ListDecisionsWithResponse(ctx, id)
		whole("listDecisions "+id, decisions.StatusCode(), 200, decisions.Body, decisions.JSON200, err)
		stands, err := c.GetContextWithResponse(ctx, id)
		whole("getContext "+id, stands.StatusCode(), 200, stands.Body, stands.JSON200, err)
	}
	plan, err := c.ValidatePlanWithResponse(ctx, "waits", &ValidatePlanParams{}, Verdict{Approved: false, Feedback: &no})
	whole("validatePlan", plan.StatusCode(), 202, plan.Body, plan.JSON202, err)
	step, err := c.ValidateStepWithResponse(ctx, "step", &ValidateStepParams{StepNumber: 2, IdempotencyKey: &no}, Verdict{Approved: true})
	whole("validateStep", step.StatusCode(), 202, step.Body, step.JSON202, err)
	stopped, err := c.InterruptWithResponse(ctx, "runs", &InterruptParams{})
	whole("interrupt", stopped.StatusCode(), 202, stopped.Body, stopped.JSON202, err)
	goes, err := c.ResumeWithResponse(ctx, "parked", &ResumeParams{})
	whole("resume", goes.StatusCode(), 202, goes.Body, goes.JSON202, err)
	again, err := c.RetryWithResponse(ctx, "badly", &RetryParams{}, RetryJSONRequestBody{Tier: RetryJSONBodyTierTier2})
	whole("retry", again.StatusCode(), 202, again.Body, again.JSON202, err)
	repos, err := c.ListRepositoriesWithResponse(ctx)
	whole("listRepositories", repos.StatusCode(), 200, repos.Body, repos.JSON200, err)
	deliveries, err := c.ListDeliveriesWithResponse(ctx, &ListDeliveriesParams{Limit: &one})
	whole("listDeliveries", deliveries.StatusCode(), 200, deliveries.Body, deliveries.JSON200, err)
	handled, err := c.RedeliverWithResponse(ctx, "d-acme", &RedeliverParams{})
	whole("redeliver", handled.StatusCode(), 202, handled.Body, handled.JSON202, err)
	health, err := c.GetHealthWithResponse(ctx)
	whole("getHealth", health.StatusCode(), 200, health.Body, health.JSON200, err)
	none, err := c.GetRunWithResponse(ctx, "none")
	whole("getRun none", none.StatusCode(), 404, none.Body, none.ApplicationproblemJSONDefault, err)

	seen := "of another process"
	stream, err := c.Listen(ctx, &ListenParams{LastEventID: &seen})
	s.must(err)
	defer stream.Body.Close()
	first := make([]byte, 200)
	for n, text := 0, ""; !strings.Contains(text, "event: reset"); text = string(first[:n]) {
		k, err := stream.Body.Read(first[n:])
		s.must(err)
		n += k
	}
}
