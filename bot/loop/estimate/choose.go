package estimate

import (
	"fmt"
	"math"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Query asks for the next tier of a task.
type Query struct {
	Case    Case
	Tiers   []task.Tier            // configured and allowed, the cheapest first
	Tried   []Try                  // that failed already, in order
	Left    task.USD               // of the budget
	Worst   map[task.Tier]task.USD // the most that the next call to a tier can cost; missing: the mean of a whole attempt
	MayStop bool                   // whether giving up is a choice while a tier is left
	Settled bool                   // nothing is chosen to learn
	Draw    float64                // from 0 up to 1, from the run's own id: decides about exploring, the same in a replay
}

// Choice is the tier to try, with the reason.
type Choice struct {
	Tier     task.Tier `json:"tier,omitempty"` // empty: none is affordable, or worth it
	Why      string    `json:"why"`
	Explored bool      `json:"explored,omitempty"` // chosen to learn, not because it is the best
	Solve    float64   `json:"solve"`              // that this or a later tier solves the task, 0 to 1
	Cost     task.USD  `json:"cost_usd"`           // expected, of this and later tiers
}

// option is a tier to try next, with the best way to go on after it.
type option struct {
	tier  task.Tier
	guess guess
	value float64 // expected gain in billionths of a dollar
	solve float64
	cost  float64
	slope float64 // by how much the value grows with the tier's own probability
}

// Standard deviations: by so many an option has to be better for a cheaper
// tier to be passed over, and by so many a tier may be better than was seen
// before it is not looked at any more and giving up is right.
const (
	credit = 0.75
	hope   = 2
)

// cheap is the loss, as a share of the expected cost, up to which exploring is
// not held back.
const cheap = 0.02

// Next chooses. Only tiers above the last one tried come into question. Among
// those that the budget holds it takes the one from which the whole rest of
// the ladder promises most: the worth of a solved task times its probability,
// less the expected cost. A small and falling share of choices takes one that
// may turn out better instead, to learn, and only there.
func (h *History) Next(q Query) Choice {
	h.mu.RLock()
	defer h.mu.RUnlock()
	all := h.options(q, q.Tried, q.Left)
	if len(all) == 0 {
		return Choice{Why: h.none(q)}
	}
	best := all[0]
	for _, o := range all[1:] {
		if o.beats(best) {
			best = o
		}
	}
	if rare := unsure(all, best); !q.Settled && q.Draw < h.share(rare, best) {
		c := h.choice(q, rare, all)
		c.Explored = true
		c.Why = fmt.Sprintf("%s, to learn: it was seen %d times in this place and may be better than %s; %s", rare.tier, rare.guess.states, best.tier, dearer(rare, best))
		return c
	}
	if q.MayStop && best.hoped() < 0 {
		return Choice{Why: fmt.Sprintf("no further tier: %s would solve %s of the likes of this (%s; %d of %d seen) for %s each, and a solved task counts as %s",
			best.tier, percent(best.solve), q.Case, best.guess.solved, best.guess.seen, dollars(best.cost), h.cfg.Worth)}
	}
	return h.choice(q, best, all)
}

// doubt is the standard deviation of the value that comes from having seen few
// tries of the tier. What a deduced figure rests on is in the cheaper option too
// and speaks for neither; only how far the tiers overlap is its own doubt.
func (o option) doubt() float64 {
	if g := o.guess; g.deduced {
		return o.slope * g.would * math.Sqrt(defaultOverlap*(1-defaultOverlap)/float64(g.states+weight))
	}
	return o.slope * math.Sqrt(o.guess.solve*(1-o.guess.solve)/float64(o.guess.alike+weight))
}

// hoped is the value when the tier is better than was seen.
func (o option) hoped() float64 { return o.value + hope*o.doubt() }

// beats tells whether an option is better than a cheaper one for a clear
// reason: figures from few observations look better than they are.
func (o option) beats(cheaper option) bool {
	return o.value-cheaper.value > credit*math.Hypot(o.doubt(), cheaper.doubt())
}

// unsure is the tier that may turn out best, going by its hope.
func unsure(all []option, best option) option {
	rare := best
	for _, o := range all {
		if hope := o.hoped(); o.tier != best.tier && hope > best.value && (rare.tier == best.tier || hope > rare.hoped()) {
			rare = o
		}
	}
	return rare
}

// share of the choices that look at a tier that does not seem best: falling
// with what was seen of it, and with what looking is expected to lose. So all
// looking together loses a small part of what the tasks cost.
func (h *History) share(rare, best option) float64 {
	if rare.tier == best.tier {
		return 0
	}
	loss := max(best.value-rare.value, 0)
	return h.cfg.Explore / (1 + float64(rare.guess.states)/float64(h.cfg.Enough)) * min(1, cheap*best.cost/max(loss, 1))
}

// options lists the tiers that can follow, each with the best rest.
func (h *History) options(q Query, tried []Try, left task.USD) []option {
	var out []option
	for _, tier := range q.Tiers {
		if len(tried) > 0 && tier.Rank() <= tried[len(tried)-1].Tier.Rank() {
			continue
		}
		g := h.guess(q.Tiers, q.Case, tried, tier)
		worst, known := q.Worst[tier]
		if !known {
			worst = task.USD(g.cost)
		}
		if worst > left {
			continue
		}
		mean := task.USD(g.cost)
		o := option{tier: tier, guess: g, solve: g.solve, cost: g.cost, slope: float64(h.cfg.Worth)}
		after := append(append([]Try(nil), tried...), Try{tier, mean})
		if rest, ok := h.rest(q, after, left-mean); ok {
			o.solve += (1 - g.solve) * rest.solve
			o.cost += (1 - g.solve) * rest.cost
			o.slope = float64(h.cfg.Worth)*(1-rest.solve) + rest.cost
		}
		// Passing a tier over saves money at best: one try less never solves
		// more, whatever few observations seem to say.
		if len(out) > 0 {
			o.solve = min(o.solve, out[0].solve)
		}
		o.value = o.solve*float64(h.cfg.Worth) - o.cost
		out = append(out, o)
	}
	return out
}

// rest is the best way to go on after a failure, if there is one that is
// worth it or that has to be taken.
func (h *History) rest(q Query, tried []Try, left task.USD) (best option, ok bool) {
	for _, o := range h.options(q, tried, left) {
		if !ok || o.value > best.value {
			best, ok = o, true
		}
	}
	return best, ok && (best.value > 0 || !q.MayStop)
}

func (h *History) choice(q Query, o option, all []option) Choice {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: solves about %s of the likes of this (%s; %d of %d seen)", o.tier, percent(o.guess.solve), q.Case, o.guess.solved, o.guess.seen)
	if len(q.Tried) > 0 {
		fmt.Fprintf(&b, " after %s failed", q.Tried[len(q.Tried)-1].Tier)
	}
	fmt.Fprintf(&b, " for %s", dollars(o.guess.cost))
	for _, other := range all {
		if other.tier.Rank() < o.tier.Rank() {
			fmt.Fprintf(&b, "; %s is passed over: %s for %s does not pay", other.tier, percent(other.guess.solve), dollars(other.guess.cost))
		}
	}
	if o.solve > o.guess.solve {
		fmt.Fprintf(&b, "; with the tiers above it %s for %s", percent(o.solve), dollars(o.cost))
	}
	return Choice{Tier: o.tier, Why: b.String(), Solve: o.solve, Cost: task.USD(o.cost)}
}

func (h *History) none(q Query) string {
	if len(h.options(q, q.Tried, 1<<62)) > 0 {
		return fmt.Sprintf("no further tier: what is left of the budget, %s, does not hold the worst case of one", q.Left)
	}
	return "no further tier is configured and allowed"
}

// dearer says how much a tier costs beside another.
func dearer(rare, best option) string {
	words := fmt.Sprintf("it costs about %s where %s costs about %s", dollars(rare.guess.cost), best.tier, dollars(best.guess.cost))
	if best.guess.cost > 0 && rare.guess.cost >= 2*best.guess.cost {
		words = fmt.Sprintf("it is about %.0f times as dear (%s where %s costs %s)", rare.guess.cost/best.guess.cost, dollars(rare.guess.cost), best.tier, dollars(best.guess.cost))
	}
	return words
}

func dollars(nano float64) string { return task.USD(nano).String() }
