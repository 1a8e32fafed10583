package web

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Metrics counts what happens in this process (bot.Meter), and reads at each scrape what
// waits in the database and how the breakers stand. Every label has a fixed list of
// values: no repository, user, model or check is one.
type Metrics struct {
	registry *prometheus.Registry
	runs     *prometheus.CounterVec
	attempts *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	dollars  *prometheus.CounterVec
	calls    *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	checks   *prometheus.HistogramVec
	took     prometheus.Histogram
}

// NewMetrics makes the registry.
func NewMetrics() *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		runs:     counter("fettle_runs_ended_total", "Runs that ended, by outcome.", "outcome"),
		attempts: counter("fettle_attempts_total", "Attempts that were made, by tier and whether their checks were green.", "tier", "green"),
		tokens:   counter("fettle_tokens_total", "Tokens that models read (in) and wrote (out), by tier.", "tier", "direction"),
		dollars:  counter("fettle_cost_dollars_total", "What calls to models cost in US dollars, by tier.", "tier"),
		calls:    counter("fettle_model_calls_total", "Calls to models, by tier and result.", "tier", "result"),
		latency:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "fettle_model_call_seconds", Help: "How long models took to answer.", Buckets: []float64{.5, 1, 2, 5, 10, 20, 45, 90, 180}}, []string{"tier"}),
		checks:   prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "fettle_check_seconds", Help: "How long checks of a change took in the sandbox, by status.", Buckets: []float64{.1, .5, 1, 5, 15, 60, 300, 900}}, []string{"status"}),
		took:     prometheus.NewHistogram(prometheus.HistogramOpts{Name: "fettle_run_seconds", Help: "How long runs were worked on.", Buckets: []float64{1, 5, 15, 60, 180, 600, 1800, 3600}}),
	}
	m.registry.MustRegister(m.runs, m.attempts, m.tokens, m.dollars, m.calls, m.latency, m.checks, m.took,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, o := range outcomes {
		m.runs.WithLabelValues(string(o))
	}
	return m
}

// tierLabel is a tier of the ladder, or "other".
func tierLabel(t task.Tier) string {
	if t.Rank() >= 0 || t == task.TierNano || t == task.TierEmbeddings {
		return string(t)
	}
	return "other"
}

// Said implements bot.Meter.
func (m *Metrics) Said(msg task.Message) {
	if msg.Direction != "from" {
		return
	}
	tier, result := tierLabel(msg.Tier), "ok"
	var failed struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(msg.Data, &failed) == nil && failed.Error != "" {
		result = "failed"
	}
	m.calls.WithLabelValues(tier, result).Inc()
	m.tokens.WithLabelValues(tier, "in").Add(float64(msg.TokensIn))
	m.tokens.WithLabelValues(tier, "out").Add(float64(msg.TokensOut))
	m.dollars.WithLabelValues(tier).Add(max(0, msg.Cost.Float()))
	if result == "ok" {
		m.latency.WithLabelValues(tier).Observe(msg.Latency.Seconds())
	}
}

// Tried implements bot.Meter.
func (m *Metrics) Tried(a task.Attempt) {
	green := "no"
	if a.Green {
		green = "yes"
	}
	m.attempts.WithLabelValues(tierLabel(a.Tier), green).Inc()
	for _, c := range a.Checks {
		switch c.Status {
		case task.CheckPassed, task.CheckFailed, task.CheckKnown:
			m.checks.WithLabelValues(strings.ReplaceAll(string(c.Status), " ", "_")).Observe(c.Seconds)
		}
	}
}

// Ended implements bot.Meter.
func (m *Metrics) Ended(res task.Result) {
	m.runs.WithLabelValues(string(res.Outcome)).Inc()
	m.took.Observe(res.Elapsed.Seconds())
}

// Follow adds what is read at each scrape.
func (m *Metrics) Follow(db *store.Store, h *heal.Heal) {
	m.registry.MustRegister(&reading{db, h})
}

// reading is what a scrape reads.
type reading struct {
	db   *store.Store
	heal *heal.Heal
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	descDeliveries = desc("fettle_deliveries", "Deliveries that are stored, by state.", "state")
	descWaits      = desc("fettle_delivery_oldest_seconds", "Age of the oldest delivery that is not handled yet.")
	descQueue      = desc("fettle_runs", "Runs that have not ended, by state.", "state")
	descOldest     = desc("fettle_queue_oldest_seconds", "Age of the oldest run in the queue.")
	descStates     = desc("fettle_breaker_states", "Workflows by the state of their breaker.", "state")
	descPaused     = desc("fettle_paused", "1 while everything is paused.")
	descMoves      = desc("fettle_breaker_transitions", "Changes of breakers' states on record.", "from", "to")
	descLatency    = desc("fettle_heal_mean_seconds", "How long the breakers' own work takes in this process.", "call")
	descUp         = desc("fettle_database_up", "1 where the database answers.")
)

// Describe implements prometheus.Collector.
func (r *reading) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descDeliveries, descWaits, descQueue, descOldest, descStates, descPaused, descMoves, descLatency, descUp} {
		out <- d
	}
}

// scrapeWithin bounds what a scrape reads.
const scrapeWithin = 5 * time.Second

var breakerStates = []heal.State{heal.Healthy, heal.Degraded, heal.Quarantined, heal.Recovering}

// Collect implements prometheus.Collector.
func (r *reading) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	ctx, done := context.WithTimeout(context.Background(), scrapeWithin)
	defer done()
	d, err := r.db.Depth(ctx)
	if err == nil {
		err = r.db.Alive(ctx)
	}
	if err != nil {
		gauge(descUp, 0)
		return
	}
	gauge(descUp, 1)
	for _, s := range deliveryStates {
		gauge(descDeliveries, float64(d.Deliveries[s]), s)
	}
	gauge(descWaits, d.OldestWait.Seconds())
	for _, s := range []task.State{task.StateQueued, task.StateRunning, task.StateParked} {
		gauge(descQueue, float64(d.Runs[s]), string(s))
	}
	gauge(descQueue, float64(d.Waiting), string(store.StateWaiting))
	gauge(descOldest, d.OldestRun.Seconds())
	if r.heal == nil {
		return
	}
	st, err := r.heal.Status(ctx)
	if err != nil {
		return
	}
	count := map[heal.State]int{}
	for _, w := range st.Workflows {
		count[w.State]++
	}
	for _, s := range breakerStates {
		gauge(descStates, float64(count[s]), string(s))
	}
	paused := 0.0
	if st.Global.State == heal.Paused {
		paused = 1
	}
	gauge(descPaused, paused)
	moves := map[[2]string]int{}
	for move, n := range st.Transitions {
		from, to, _ := strings.Cut(move, ">")
		moves[[2]string{known(from), known(to)}] += n
	}
	for k, n := range moves {
		gauge(descMoves, float64(n), k[0], k[1])
	}
	for call, l := range st.Latency {
		gauge(descLatency, l.Mean/1000, call)
	}
}

// known is a state, or "version" for one of the learned data, of which there is no end.
func known(s string) string {
	if s == string(heal.Paused) || slices.Contains(breakerStates, heal.State(s)) {
		return s
	}
	return "version"
}
