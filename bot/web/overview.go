package web

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

type approvalView struct {
	Run task.Run
	Key string
}

// approvals are the runs that wait for a human, the newest first, with the question.
func (s *Server) approvals(q *request) error {
	cards, next, err := s.cards(q.Context(), store.CardFilter{Scope: q.v.Scope, State: store.StateWaiting, After: q.URL.Query().Get("after"), Limit: pageSize})
	if err != nil {
		return err
	}
	var all []approvalView
	for _, c := range cards {
		r, err := s.cfg.Store.Run(q.Context(), c.ID)
		if err != nil {
			return err
		}
		if r.Waiting == nil { // somebody answered meanwhile
			continue
		}
		asks := task.Run{ID: r.ID, Task: task.Task{Title: r.Task.Title, Repo: r.Task.Repo, Issue: r.Task.Issue}, Cost: r.Cost, Waiting: r.Waiting}
		if asks, err = shown(s.cfg.Funnel, asks); err != nil {
			return err
		}
		all = append(all, approvalView{asks, s.cfg.NewID()})
	}
	return q.render("approvals", view{Title: "Approvals", Nav: "approvals", Live: true, Data: struct {
		Waiting []approvalView
		Next    string
		MayAct  bool
	}{all, next, q.v.Operator}})
}

// repoRow is what is known of a repository.
type repoRow struct {
	Installation int64            `json:"installation"`
	Repo         string           `json:"repository"`
	Runs         int              `json:"runs"`
	Ended        int              `json:"ended"`
	Success      int              `json:"success"`
	Cost         task.USD         `json:"cost_usd"`
	Today        task.USD         `json:"cost_today_usd"`
	Open         int              `json:"pulls_open"`
	Merged       int              `json:"pulls_merged"`  // as they were
	Changed      int              `json:"pulls_changed"` // merged with commits of others
	Closed       int              `json:"pulls_closed"`
	Reverted     int              `json:"pulls_reverted"`
	Health       []heal.Standing  `json:"health"`
	Settings     *repositoryWords `json:"-"`
}

// Ready is the share of decided pull requests that were merged as they were.
func (r repoRow) Ready() string {
	return share(r.Merged, r.Merged+r.Changed+r.Closed+r.Reverted)
}

// repositoryWords is what the last run read of the repository's own file.
type repositoryWords struct {
	Run    string
	Branch string
	Budget task.Budget
	Gates  task.Gates
	Wishes task.Wishes
	Notes  []string
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d %%", (100*n+of/2)/of)
}

func (s *Server) repoRows(q *request) ([]*repoRow, error) {
	tallies, err := s.cfg.Store.Tallies(q.Context(), q.v.Scope, time.Time{})
	if err != nil {
		return nil, err
	}
	fates, err := s.cfg.Store.Fates(q.Context(), q.v.Scope)
	if err != nil {
		return nil, err
	}
	type key struct {
		installation int64
		repo         string
	}
	rows := map[key]*repoRow{}
	row := func(installation int64, repo string) *repoRow {
		k := key{installation, repo}
		if rows[k] == nil {
			rows[k] = &repoRow{Installation: installation, Repo: s.cfg.Funnel.Log(repo), Health: []heal.Standing{}}
		}
		return rows[k]
	}
	today := s.cfg.Now().UTC().Truncate(24 * time.Hour)
	for _, t := range tallies {
		r := row(t.Installation, t.Repo)
		r.Runs += t.Runs
		r.Cost += t.Cost
		if !t.Day.Before(today) {
			r.Today += t.Cost
		}
		if t.Outcome != "" {
			r.Ended += t.Runs
		}
		if t.Outcome == task.Success {
			r.Success += t.Runs
		}
	}
	for _, f := range fates {
		r := row(f.Installation, f.Repo)
		*map[task.Fate]*int{"": &r.Open, task.FateMerged: &r.Merged, task.FateChanged: &r.Changed, task.FateClosed: &r.Closed, task.FateReverted: &r.Reverted}[f.Fate] += f.Pulls
	}
	status, err := s.status(q)
	for _, w := range status.Workflows {
		if r := rows[key{w.Installation, w.Repo}]; r != nil {
			r.Health = append(r.Health, w)
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b *repoRow) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Repo, b.Repo)) }), err
}

func (s *Server) repositories(q *request) error {
	rows, err := s.repoRows(q)
	if err != nil {
		return err
	}
	perInstallation := map[int64]task.USD{}
	for _, r := range rows {
		perInstallation[r.Installation] += r.Today
	}
	for _, r := range rows[:min(len(rows), 20)] { // what the last run read; a page of thousands reads no runs
		last, err := s.cfg.Store.Runs(q.Context(), store.Filter{Installation: r.Installation, Repo: r.Repo, Limit: 1})
		if err != nil {
			return err
		}
		if len(last) == 0 || last[0].Task.Repo.Dir != "" {
			continue
		}
		w := repositoryWords{Run: last[0].ID, Branch: cmp.Or(last[0].Task.BaseBranch, last[0].Task.Repo.DefaultBranch), Budget: last[0].Budget, Gates: last[0].Saved.Gates, Wishes: last[0].Task.Wishes}
		if last[0].Result != nil {
			w.Notes = last[0].Result.Notes
		}
		if w, err = shown(s.cfg.Funnel, w); err != nil {
			return err
		}
		r.Settings = &w
	}
	return q.render("repositories", view{Title: "Repositories", Nav: "repositories", Data: struct {
		Repos []*repoRow
		Today map[int64]task.USD
		Cap   task.USD
	}{rows, perInstallation, s.cfg.Caps.InstallationDay}})
}

// days is how far back the charts go.
const days = 30

// mostObservations bounds what the table of tiers and classes is made from.
const mostObservations = 2000

// stats are the tables of the page of tiers, and its charts.
type stats struct {
	Since    time.Time
	Days     []dayRow
	Outcomes []outcomeRow
	Tiers    []tierRow
	Flow     []flowRow
	Total    dayRow
	Month    task.USD // spent on runs of this month
	Cap      task.USD
	Chart    svg // runs per day
	Money    svg // cost per day
	Ends     svg
}

type dayRow struct {
	Day     time.Time
	Runs    int
	Success int
	Cost    task.USD
}

// Per is what a success cost.
func (d dayRow) Per() string { return per(d.Cost, d.Success) }

func per(cost task.USD, n int) string {
	if n == 0 {
		return "–"
	}
	return (cost / task.USD(n)).String()
}

type outcomeRow struct {
	Outcome task.Outcome
	Runs    int
	Cost    task.USD
}

// tierRow is what a tier came to on a class of tasks.
type tierRow struct {
	Tier   task.Tier
	Class  string
	Tried  int
	Solved int
	Cost   task.USD
}

// Share is how many it solved of those that it tried.
func (r tierRow) Share() string { return share(r.Solved, r.Tried) }

// Per is what a solved task cost.
func (r tierRow) Per() string { return per(r.Cost, r.Solved) }

// flowRow is how many runs went from a tier to another, or to their end.
type flowRow struct {
	From, To string
	Runs     int
}

func (s *Server) stats(q *request) (st stats, err error) {
	st.Since = s.cfg.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	month := time.Date(st.Since.AddDate(0, 0, days-1).Year(), st.Since.AddDate(0, 0, days-1).Month(), 1, 0, 0, 0, 0, time.UTC)
	from := st.Since
	if month.Before(from) {
		from = month
	}
	tallies, err := s.cfg.Store.Tallies(q.Context(), q.v.Scope, from)
	if err != nil {
		return st, err
	}
	st.Days, st.Cap = make([]dayRow, days), s.cfg.Caps.ServerMonth
	for i := range st.Days {
		st.Days[i].Day = st.Since.AddDate(0, 0, i)
	}
	ends := map[task.Outcome]*outcomeRow{}
	for _, t := range tallies {
		if !t.Day.Before(month) {
			st.Month += t.Cost
		}
		i := int(t.Day.Sub(st.Since) / (24 * time.Hour))
		if t.Day.Before(st.Since) || i >= days {
			continue
		}
		for _, d := range []*dayRow{&st.Days[i], &st.Total} {
			d.Runs, d.Cost = d.Runs+t.Runs, d.Cost+t.Cost
			if t.Outcome == task.Success {
				d.Success += t.Runs
			}
		}
		if ends[t.Outcome] == nil {
			ends[t.Outcome] = &outcomeRow{Outcome: t.Outcome}
		}
		ends[t.Outcome].Runs += t.Runs
		ends[t.Outcome].Cost += t.Cost
	}
	for _, o := range append([]task.Outcome{""}, outcomes...) {
		if r := ends[o]; r != nil {
			if o == "" {
				r.Outcome = "not ended"
			}
			st.Outcomes = append(st.Outcomes, *r)
		}
	}
	slices.SortStableFunc(st.Outcomes, func(a, b outcomeRow) int { return b.Runs - a.Runs })
	if st.Tiers, st.Flow, err = s.observed(q); err != nil {
		return st, err
	}
	st.Chart, st.Money, st.Ends = runsChart(st.Days), moneyChart(st.Days), outcomeChart(st.Outcomes)
	return st, nil
}

// observed counts what the tiers came to in the newest runs.
func (s *Server) observed(q *request) (tiers []tierRow, flow []flowRow, err error) {
	raw, err := s.cfg.Store.Observed(q.Context(), q.v.Scope, mostObservations)
	if err != nil {
		return nil, nil, err
	}
	type key struct {
		tier  task.Tier
		class string
	}
	byClass, moves, named := map[key]*tierRow{}, map[[2]string]int{}, map[string]string{}
	for _, line := range raw {
		var o estimate.Observation
		if err := json.Unmarshal(line, &o); err != nil {
			return nil, nil, fmt.Errorf("reading the history of the tiers: %w", err)
		}
		class, ok := named[o.Case.Class]
		if !ok { // the funnel is slow, and the classes are few
			class = s.cfg.Funnel.Log(cmp.Or(o.Case.Class, "not known"))
			named[o.Case.Class] = class
		}
		for _, k := range []key{{o.Tier, "all"}, {o.Tier, class}} {
			if byClass[k] == nil {
				byClass[k] = &tierRow{Tier: k.tier, Class: k.class}
			}
			byClass[k].Tried++
			byClass[k].Cost += o.Cost
			if o.Solved {
				byClass[k].Solved++
			}
		}
		before := "start"
		if n := len(o.Before); n > 0 {
			before = string(o.Before[n-1].Tier)
		}
		moves[[2]string{before, string(o.Tier)}]++
		if o.Solved {
			moves[[2]string{string(o.Tier), "solved"}]++
		}
	}
	tiers = []tierRow{}
	for _, r := range byClass {
		tiers = append(tiers, *r)
	}
	slices.SortFunc(tiers, func(a, b tierRow) int {
		return cmp.Or(a.Tier.Rank()-b.Tier.Rank(), b.Tried-a.Tried, cmp.Compare(a.Class, b.Class))
	})
	flow = []flowRow{}
	for k, n := range moves {
		flow = append(flow, flowRow{k[0], k[1], n})
	}
	slices.SortFunc(flow, func(a, b flowRow) int {
		return cmp.Or(task.Tier(a.From).Rank()-task.Tier(b.From).Rank(), task.Tier(a.To).Rank()-task.Tier(b.To).Rank(), cmp.Compare(a.To, b.To))
	})
	return tiers, flow, nil
}

func (s *Server) tiers(q *request) error {
	st, err := s.stats(q)
	if err != nil {
		return err
	}
	return q.render("tiers", view{Title: "Tiers and cost", Nav: "tiers", Data: st})
}

// tiersCSV is a table of the page for a spreadsheet.
func (s *Server) tiersCSV(q *request) error {
	st, err := s.stats(q)
	if err != nil {
		return err
	}
	dollars := func(u task.USD) string { return strconv.FormatFloat(u.Float(), 'f', -1, 64) }
	var rows [][]string
	switch q.PathValue("table") {
	case "days.csv":
		rows = append(rows, []string{"day", "runs", "success", "cost_usd"})
		for _, d := range st.Days {
			rows = append(rows, []string{d.Day.Format(time.DateOnly), strconv.Itoa(d.Runs), strconv.Itoa(d.Success), dollars(d.Cost)})
		}
	case "outcomes.csv":
		rows = append(rows, []string{"outcome", "runs", "cost_usd"})
		for _, o := range st.Outcomes {
			rows = append(rows, []string{string(o.Outcome), strconv.Itoa(o.Runs), dollars(o.Cost)})
		}
	case "tiers.csv":
		rows = append(rows, []string{"tier", "class", "tried", "solved", "cost_usd"})
		for _, r := range st.Tiers {
			rows = append(rows, []string{string(r.Tier), r.Class, strconv.Itoa(r.Tried), strconv.Itoa(r.Solved), dollars(r.Cost)})
		}
	case "escalation.csv":
		rows = append(rows, []string{"from", "to", "runs"})
		for _, f := range st.Flow {
			rows = append(rows, []string{f.From, f.To, strconv.Itoa(f.Runs)})
		}
	default:
		return errNotFound
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		for i, cell := range row { // a spreadsheet takes these for formulas
			if cell != "" && bytes.ContainsRune([]byte("=+-@\t\r"), rune(cell[0])) {
				row[i] = "'" + cell
			}
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return q.text("text/csv", q.PathValue("table"), b.String())
}

type deliveriesView struct {
	State      string
	States     []string
	Deliveries []store.Delivery
	Next       string
	MayAct     bool
}

var deliveryStates = []string{"queued", "working", "done", "failed"}

func (s *Server) deliveryList(q *request, limit int) (list []store.Delivery, next string, err error) {
	f := store.DeliveryFilter{Scope: q.v.Scope, State: q.URL.Query().Get("state"), After: q.URL.Query().Get("after"), Limit: limit + 1}
	if f.State != "" && !slices.Contains(deliveryStates, f.State) {
		return nil, "", invalid("state is one of %v", deliveryStates)
	}
	if list, err = s.cfg.Store.DeliveryList(q.Context(), f); err != nil {
		return nil, "", err
	}
	if len(list) > limit {
		list = list[:limit]
		next = list[limit-1].Cursor()
	}
	list, err = shown(s.cfg.Funnel, list)
	return list, next, err
}

func (s *Server) deliveries(q *request) error {
	list, next, err := s.deliveryList(q, pageSize)
	if err != nil {
		return err
	}
	v := deliveriesView{State: q.URL.Query().Get("state"), States: deliveryStates, Deliveries: list, MayAct: q.v.Operator}
	if next != "" {
		v.Next = "/deliveries?" + query("state", v.State, "after", next)
	}
	return q.render("deliveries", view{Title: "Deliveries", Nav: "deliveries", Data: v})
}

// again handles a delivery that was given up once more.
func (q *request) again() (bool, error) {
	id := q.PathValue("id")
	d, err := q.s.cfg.Store.Delivery(q.Context(), id)
	if err == nil && !q.v.Scope.Sees(d.Installation, "") {
		err = store.ErrNotFound
	}
	if err != nil {
		return false, err
	}
	return q.s.cfg.App.Redeliver(q.Context(), id)
}

func (s *Server) redeliver(q *request) error {
	if _, err := q.again(); err != nil {
		return err
	}
	return q.see("/deliveries")
}

// status is how the breakers stand, of what the visitor sees.
func (s *Server) status(q *request) (heal.Status, error) {
	if s.cfg.Heal == nil {
		return heal.Status{Workflows: []heal.Standing{}, Learned: []heal.Learnt{}, Moves: []heal.Move{}}, nil
	}
	st, err := s.cfg.Heal.Status(q.Context())
	if err != nil {
		return st, err
	}
	if !q.v.Scope.All {
		st.PolicyFile, st.Policy.Alerts, st.Transitions = "", settings.Alerts{}, nil // of everybody
	}
	st.Workflows = slices.DeleteFunc(st.Workflows, func(x heal.Standing) bool { return !q.v.Scope.Sees(x.Installation, x.Repo) })
	st.Learned = slices.DeleteFunc(st.Learned, func(x heal.Learnt) bool { return !q.v.Scope.Sees(x.Installation, x.Repo) })
	st.Moves = slices.DeleteFunc(st.Moves, func(m heal.Move) bool { return !q.v.Scope.Sees(m.Installation, m.Repo) })
	return shown(s.cfg.Funnel, st)
}

func (s *Server) health(q *request) error {
	st, err := s.status(q)
	if err != nil {
		return err
	}
	depth, err := s.cfg.Store.Depth(q.Context())
	if err != nil {
		return err
	}
	if !q.v.Scope.All {
		depth = store.Depth{}
	}
	return q.render("health", view{Title: "Health", Nav: "health", Data: struct {
		heal.Status
		Depth  store.Depth
		All    bool
		MayAct bool
	}{st, depth, q.v.Scope.All, q.v.Operator}})
}

// release lifts a quarantine, or the pause of everything.
func (s *Server) release(q *request) error {
	repo := q.PostFormValue("repository")
	installation, err := strconv.ParseInt(cmp.Or(q.PostFormValue("installation"), "0"), 10, 64)
	if err != nil {
		return invalid("installation is a number")
	}
	switch {
	case repo == "" && !q.v.Scope.All:
		return &problem{Status: http.StatusForbidden, Title: "Not yours to lift", Detail: "A pause of everything is lifted by who sees everything."}
	case repo != "" && !q.v.Scope.Sees(installation, repo):
		return errNotFound
	}
	if _, err := s.cfg.App.Lift(q.Context(), installation, repo, q.v.Name); err != nil {
		return err
	}
	return q.see("/health")
}
