package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// serverToken is the variable with the token for a server: as a flag it would be in
// the list of processes.
const serverToken = "FETTLE_SERVER_TOKEN" //nolint:gosec // a name

// runsServer are the runs of a server, over its API.
type runsServer struct {
	base, token string
	funnel      *redact.Funnel
}

// serverOf gives the server that --server or FETTLE_SERVER names; nil: the runs are
// those of the database.
func serverOf(c *cobra.Command) (*runsServer, error) {
	flag := c.Flag("server")
	if flag == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	at := cmp.Or(flag.Value.String(), os.Getenv("FETTLE_SERVER"))
	if at == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return nil, usage("--server %q is no address of a server, such as https://fettle.example.com", at)
	}
	if u.Scheme == "http" && !onThisMachine(at) {
		return nil, usage("--server %s would send your token in clear; use https", at)
	}
	token := strings.TrimSpace(os.Getenv(serverToken))
	if token == "" {
		return nil, usage("there is no token for %s: set %s to one that 'fettle serve --new-token' made there", at, serverToken)
	}
	return &runsServer{strings.TrimRight(at, "/"), token, redact.New(token)}, nil
}

// onServer does something with the server that is named; done is false where none is.
func onServer(c *cobra.Command, do func(*runsServer) error) (done bool, err error) {
	s, err := serverOf(c)
	if s == nil || err != nil {
		return err != nil, err
	}
	return true, do(s)
}

// runOnServer is onServer with the run whose id begins with the argument.
func runOnServer(c *cobra.Command, prefix string, do func(*runsServer, servedRun) error) (done bool, err error) {
	return onServer(c, func(s *runsServer) error {
		got, err := s.run(c.Context(), prefix)
		if err != nil {
			return err
		}
		return do(s, got)
	})
}

// ask sends a request to the API, and reads the answer into out.
func (s *runsServer) ask(ctx context.Context, method, path string, body, out any) error {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+"/api/v1"+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", newID())
	}
	client := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	var op *net.OpError
	if errors.As(err, &op) {
		return fmt.Errorf("no server answers at %s: %w; is it running, and is this the address of its pages (--ui-addr)?", s.base, op)
	}
	if err != nil {
		return fmt.Errorf("asking %s: %w", s.base, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("reading the answer of %s: %w", s.base, err)
	}
	if resp.StatusCode < 300 {
		if err := json.Unmarshal(raw, out); err != nil {
			return fmt.Errorf("%s answers with something else than fettle does: %w", s.base, err)
		}
		return nil
	}
	var problem struct{ Title, Detail string }
	_ = json.Unmarshal(raw, &problem) // another server's words are none
	words := s.funnel.Log(strings.TrimSuffix(problem.Title, ".") + ": " + problem.Detail)
	switch {
	case problem.Title == "":
		return fmt.Errorf("%s answers %s, and not as fettle does; is this the address of its pages?", s.base, resp.Status)
	case resp.StatusCode == http.StatusUnauthorized:
		return usage("%s does not know the token of %s: %s", s.base, serverToken, words)
	case resp.StatusCode == http.StatusNotFound:
		return errNoRun
	case resp.StatusCode < 500:
		return usage("%s", words)
	}
	return fmt.Errorf("%s: %s", s.base, words)
}

var errNoRun = errors.New("no such run")

// servedRun is a run as the API gives it.
type servedRun struct {
	Run      task.Run       `json:"run"`
	Attempts []task.Attempt `json:"attempts"`
	Story    string         `json:"story"`
}

// run finds the run whose id is, or among the latest begins with, the argument.
func (s *runsServer) run(ctx context.Context, prefix string) (got servedRun, err error) {
	if prefix == "" {
		return got, usage("the id of the run is empty; 'fettle runs list --server' shows them")
	}
	err = s.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(prefix), nil, &got)
	if !errors.Is(err, errNoRun) {
		return got, err
	}
	cards, err := s.cards(ctx, 200)
	if err != nil {
		return got, err
	}
	var ids []string
	for _, c := range cards {
		if strings.HasPrefix(c.ID, prefix) {
			ids = append(ids, c.ID)
		}
	}
	switch len(ids) {
	case 0:
		return got, usage("there is no run %s at %s that you may see; 'fettle runs list --server' shows them", prefix, s.base)
	case 1:
		return got, s.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(ids[0]), nil, &got)
	}
	return got, usage("several runs begin with %q; give more of the id", prefix)
}

func (s *runsServer) cards(ctx context.Context, limit int) ([]store.Card, error) {
	var all []store.Card
	for after := ""; len(all) < limit; {
		var got struct {
			Runs []store.Card
			Next string
		}
		q := url.Values{"limit": {strconv.Itoa(min(limit-len(all), 200))}, "after": {after}}
		if err := s.ask(ctx, http.MethodGet, "/runs?"+q.Encode(), nil, &got); err != nil {
			return nil, err
		}
		all = append(all, got.Runs...)
		if after = got.Next; after == "" {
			break
		}
	}
	return all, nil
}

func (s *runsServer) list(c *cobra.Command, limit int, asJSON bool) error {
	cards, err := s.cards(c.Context(), limit)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), nonNil(cards))
	}
	return printCards(c.OutOrStdout(), cards, s.funnel)
}

func (s *runsServer) show(c *cobra.Command, got servedRun, asJSON bool) error {
	r := got.Run
	if asJSON && r.Result == nil {
		return writeJSON(c.OutOrStdout(), r)
	}
	if !asJSON {
		if err := printf(c.OutOrStdout(), "%s  %s\n", s.funnel.Log(r.ID), s.funnel.Log(got.Story)); err != nil || r.Result == nil {
			return err
		}
	}
	r.Result.Attempts = got.Attempts
	return printSummary(c.OutOrStdout(), bot.Summarise(*r.Result, r.Result.Published), asJSON)
}

func (s *runsServer) diff(c *cobra.Command, got servedRun, attempt int) error {
	diff, err := changeOf(got.Run, got.Attempts, attempt)
	if err != nil {
		return err
	}
	return printf(c.OutOrStdout(), "%s", diff)
}

// log prints the audit log, or the conversations.
func (s *runsServer) log(c *cobra.Command, prefix string, messages bool) error {
	got, err := s.run(c.Context(), prefix)
	if err != nil {
		return err
	}
	out := &lines{w: c.OutOrStdout(), funnel: s.funnel}
	at := "/runs/" + url.PathEscape(got.Run.ID)
	if !messages {
		var all struct{ Decisions []json.RawMessage }
		err := s.ask(c.Context(), http.MethodGet, at+"/decisions", nil, &all)
		return written(out, all.Decisions, err)
	}
	for from, total := 0, 1; from < total; {
		var page struct {
			Messages []task.Message
			Total    int
		}
		if err := s.ask(c.Context(), http.MethodGet, fmt.Sprintf("%s/conversations?limit=200&from=%d", at, from), nil, &page); err != nil {
			return err
		}
		if err := written(out, page.Messages, nil); err != nil {
			return err
		}
		if total = page.Total; len(page.Messages) == 0 {
			break
		}
		from += len(page.Messages)
	}
	return nil
}

// answer says yes or no to what a run waits with.
func (s *runsServer) answer(c *cobra.Command, got servedRun, a task.Answer) error {
	r := got.Run
	if r.Waiting == nil || a.Step != 0 && a.Step != r.Waiting.Step {
		return usage("%w", store.ErrNotWaiting)
	}
	path := "/validate-plan"
	if r.Waiting.Kind != task.GatePlan {
		path = fmt.Sprintf("/validate-step?step_number=%d", cmp.Or(a.Step, r.Waiting.Step))
	}
	word := map[bool]string{true: "approved", false: "rejected"}[a.Approved]
	return s.act(c, r.ID, path, map[string]any{"approved": a.Approved, "feedback": a.Feedback}, fmt.Sprintf("the %s of %s was %s", r.Waiting.Kind, r.ID, word))
}

func (s *runsServer) resume(c *cobra.Command, got servedRun, from int) error {
	path := "/resume"
	if from >= 0 {
		path += fmt.Sprintf("?from_step=%d", from)
	}
	return s.act(c, got.Run.ID, path, map[string]any{}, fmt.Sprintf("run %s goes on", got.Run.ID))
}

func (s *runsServer) stop(c *cobra.Command, got servedRun) error {
	if got.Run.State == task.StateDone {
		return usage("run %s has ended already: %s", got.Run.ID, got.Run.Outcome)
	}
	return s.act(c, got.Run.ID, "/interrupt", map[string]any{}, fmt.Sprintf("run %s was asked to stop", got.Run.ID))
}

// act has something done with a run, and says so.
func (s *runsServer) act(c *cobra.Command, id, path string, body any, said string) error {
	var done struct {
		Run string `json:"run_id"`
	}
	if err := s.ask(c.Context(), http.MethodPost, "/runs/"+url.PathEscape(id)+path, body, &done); err != nil {
		return err
	}
	if done.Run != id && done.Run != "" {
		said += ", as run " + done.Run
	}
	fmt.Fprintf(c.ErrOrStderr(), "fettle: %s\n", s.funnel.Log(said))
	return nil
}
