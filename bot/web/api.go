package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// The API of openapi.json, with the authority of the pages: a reader's token may ask, an
// operator's may act, and a session's cookie may do either with its CSRF token.

// api adds the API, with its version in the path and without (SPEC S12).
func (s *Server) api(mux *http.ServeMux) {
	on := func(method, path string, f func(*request) (any, error)) {
		h := s.page(func(q *request) error {
			err := q.strict()
			if err != nil {
				return err
			}
			v, err := f(q)
			if err != nil {
				return err
			}
			raw, err := json.Marshal(v)
			if err != nil {
				return err
			}
			q.w.Header().Set("Content-Type", "application/json")
			code := http.StatusOK
			if method == http.MethodPost {
				code = http.StatusAccepted
			}
			send(q.w, q.Request, code, append(raw, '\n'))
			return nil
		})
		for _, prefix := range []string{"/api/v1", "/api"} {
			mux.HandleFunc(method+" "+prefix+path, h)
			mux.HandleFunc(prefix+path, s.page(func(q *request) error { return q.otherMethod(method) }))
		}
	}
	get, post := http.MethodGet, http.MethodPost
	on(get, "/openapi.json", func(*request) (any, error) {
		raw, err := files.ReadFile("openapi.json")
		return json.RawMessage(raw), err
	})
	on(get, "/runs", s.apiRuns)
	on(get, "/runs/{id}", ofRun(s.apiRun))
	on(get, "/runs/{id}/conversations", ofRun(s.apiConversations))
	on(get, "/runs/{id}/agent-conversations", ofRun(s.apiConversations))
	on(get, "/runs/{id}/decisions", ofRun(s.apiDecisions))
	on(get, "/runs/{id}/execution-context", ofRun(s.apiContext))
	on(post, "/runs/{id}/validate-plan", s.apiPlan)
	on(post, "/runs/{id}/validate-step", s.apiStep)
	on(post, "/runs/{id}/interrupt", func(q *request) (any, error) { return q.done(deed{Action: "stop"}) })
	on(post, "/runs/{id}/resume", s.apiResume)
	on(post, "/runs/{id}/retry", s.apiRetry)
	on(get, "/repositories", func(q *request) (any, error) {
		rows, err := s.repoRows(q)
		return map[string]any{"repositories": append([]*repoRow{}, rows...)}, err
	})
	on(get, "/deliveries", func(q *request) (any, error) {
		limit, err := q.limit()
		if err != nil {
			return nil, err
		}
		list, next, err := s.deliveryList(q, limit)
		return struct {
			Deliveries []store.Delivery `json:"deliveries"`
			Next       string           `json:"next"`
		}{append([]store.Delivery{}, list...), next}, err
	})
	on(post, "/deliveries/{id}/redeliver", func(q *request) (any, error) {
		again, err := q.again()
		return map[string]bool{"again": again}, err
	})
	on(get, "/health", func(q *request) (any, error) { return s.status(q) })
	for _, prefix := range []string{"/api/v1", "/api"} {
		mux.HandleFunc("GET "+prefix+"/events", s.page(s.events))
		mux.HandleFunc(prefix+"/events", s.page(func(q *request) error { return q.otherMethod(get) }))
	}
}

// ofRun is an answer about the run of the address, as it may be shown.
func ofRun(f func(*request, task.Run) (any, error)) func(*request) (any, error) {
	return func(q *request) (any, error) {
		r, err := q.aRun()
		if err != nil {
			return nil, err
		}
		return f(q, r)
	}
}

// strict refuses what the description does not allow and a reading of numbers and words
// would let pass: a parameter without its value, and a key that is too long.
func (q *request) strict() error {
	for name, values := range q.URL.Query() {
		if name != "after" && name != "q" && name != "repo" && slices.Contains(values, "") {
			return invalid("the parameter %s is empty; leave it out", name)
		}
	}
	if len(q.Header.Get("Idempotency-Key")) > 200 {
		return invalid("an Idempotency-Key has at most 200 characters")
	}
	return nil
}

// otherMethod says which method an address takes.
func (q *request) otherMethod(method string) error {
	if method == http.MethodGet {
		method += ", " + http.MethodHead
	}
	q.w.Header().Set("Allow", method)
	return &problem{Status: http.StatusMethodNotAllowed, Title: "Not with this method", Detail: "The address takes " + method + "."}
}

// limit is how many rows a list gives.
func (q *request) limit() (int, error) {
	n, err := strconv.Atoi(cmp.Or(q.URL.Query().Get("limit"), strconv.Itoa(pageSize)))
	if err != nil || n < 1 || n > 200 {
		return 0, invalid("limit is a number from 1 to 200")
	}
	return n, nil
}

func (s *Server) apiRuns(q *request) (any, error) {
	f, err := q.filter()
	if err != nil {
		return nil, err
	}
	if f.Limit, err = q.limit(); err != nil {
		return nil, err
	}
	cards, next, err := s.cards(q.Context(), f)
	return struct {
		Runs []store.Card `json:"runs"`
		Next string       `json:"next"` // the value of after for the next page; "": there is none
	}{cards, next}, err
}

func (s *Server) apiRun(q *request, r task.Run) (any, error) {
	lines, err := s.decisions(q.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	story := bot.Story(r, lines)
	attempts := append([]task.Attempt{}, bot.AttemptsOf(r)...)
	if r.Result != nil { // once is enough
		res := *r.Result
		res.Attempts = []task.Attempt{}
		r.Result = &res
	}
	plan := bot.OutlineOf(r).Plan
	plan.Steps = append([]agent.Step{}, plan.Steps...) // no null
	return struct {
		Run      task.Run       `json:"run"`
		Attempts []task.Attempt `json:"attempts"`
		Plan     agent.Plan     `json:"plan"`
		Story    string         `json:"story"`
	}{r, attempts, plan, story}, nil
}

func (s *Server) apiConversations(q *request, r task.Run) (any, error) {
	limit, err := q.limit()
	if err != nil {
		return nil, err
	}
	from, err := strconv.Atoi(cmp.Or(q.URL.Query().Get("from"), "0"))
	if err != nil || from < 0 || from > 1_000_000 {
		return nil, invalid("from is the number of messages to leave out, at most a million")
	}
	all, err := s.cfg.Store.Messages(q.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	from = min(from, len(all))
	page := all[from:min(from+limit, len(all))]
	page, err = shown(s.cfg.Funnel, page)
	return struct {
		Messages []task.Message `json:"messages"`
		Total    int            `json:"total"`
	}{page, len(all)}, err
}

func (s *Server) apiDecisions(q *request, r task.Run) (any, error) {
	lines, err := s.decisions(q.Context(), r.ID)
	out := []json.RawMessage{}
	for _, l := range lines {
		out = append(out, json.RawMessage(l))
	}
	return map[string]any{"decisions": out}, err
}

// apiContext is SPEC S12's execution context.
func (s *Server) apiContext(q *request, r task.Run) (any, error) {
	allowed := r.Budget.Replans
	if allowed == 0 {
		allowed = task.DefaultReplans
	}
	out := struct {
		RunID     string     `json:"run_id"`
		FromStep  int        `json:"from_step"` // from 1
		Started   string     `json:"started,omitempty"`
		Timeout   float64    `json:"timeout_seconds"`
		Human     bool       `json:"requires_human_validation"`
		Waiting   *task.Gate `json:"waiting"`
		Revisions int        `json:"plan_revisions"`
		Allowed   int        `json:"plan_revisions_allowed"`
	}{RunID: r.ID, FromStep: loop.StepDone(r.Saved) + 1, Timeout: r.Budget.Duration.Seconds(), Human: r.Waiting != nil, Waiting: r.Waiting, Revisions: r.Saved.Revisions, Allowed: max(allowed, 0)}
	if !r.StartedAt.IsZero() {
		out.Started = r.StartedAt.Format("2006-01-02T15:04:05.999999Z07:00")
	}
	return out, nil
}

// read takes the body of a request; nothing stands in it that is not known.
func (q *request) read(into any) error {
	if kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{Status: http.StatusUnsupportedMediaType, Title: "JSON is wanted", Detail: "Send the header Content-Type: application/json."}
	}
	dec := json.NewDecoder(q.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something stands behind the JSON")
		}
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return &problem{Status: http.StatusRequestEntityTooLarge, Title: "The request is too long", Detail: "At most a megabyte is read."}
	case err != nil:
		return invalid("the body: %v", err)
	}
	return nil
}

// done does what is asked, and says which run goes on.
func (q *request) done(d deed) (any, error) {
	r, err := q.aRun()
	if err != nil {
		return nil, err
	}
	d.Key = q.Header.Get("Idempotency-Key")
	id, err := q.do(r, d)
	return map[string]string{"run_id": id}, err
}

// verdict is what a human says to a plan or a step.
type verdict struct {
	Approved *bool  `json:"approved"`
	Feedback string `json:"feedback"`
}

func (q *request) verdict(d deed) (any, error) {
	var v verdict
	if err := q.read(&v); err != nil {
		return nil, err
	}
	if v.Approved == nil {
		return nil, invalid("the body: approved is missing")
	}
	if d.Action, d.Feedback = "reject", v.Feedback; *v.Approved {
		d.Action = "approve"
	}
	return q.done(d)
}

func (s *Server) apiPlan(q *request) (any, error) { return q.verdict(deed{Gate: task.GatePlan}) }

// apiStep answers every gate but the plan's.
func (s *Server) apiStep(q *request) (any, error) {
	n, err := strconv.Atoi(q.URL.Query().Get("step_number"))
	if err != nil || n < 0 || n > 1000 {
		return nil, invalid("step_number is the number of the step, from 1; 0 is the change as a whole")
	}
	r, err := q.aRun()
	if err != nil {
		return nil, err
	}
	d := deed{Step: n}
	if r.Waiting != nil {
		if d.Gate = r.Waiting.Kind; d.Gate == task.GatePlan {
			return nil, store.ErrNotWaiting
		}
	}
	return q.verdict(d)
}

func (s *Server) apiResume(q *request) (any, error) {
	n, err := strconv.Atoi(cmp.Or(q.URL.Query().Get("from_step"), "-1"))
	if err != nil || n < -1 || n > 1000 {
		return nil, invalid("from_step is the number of a step; 0 is the start")
	}
	return q.done(deed{Action: "resume", Step: n})
}

func (s *Server) apiRetry(q *request) (any, error) {
	var body struct {
		Tier task.Tier `json:"tier"`
	}
	if err := q.read(&body); err != nil {
		return nil, err
	}
	return q.done(deed{Action: "retry", Tier: body.Tier})
}
