package mend

import (
	"bytes"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Code is repetitive, and what is written as it never is elsewhere in a project
// is more often wrong (Hindle et al., On the naturalness of software, ICSE 2012;
// Ray et al., On the naturalness of buggy code, ICSE 2016). So a change is the
// likelier, the better its lines fit a model of the project's own tokens.
const (
	maxLearnt    = 400 << 10 // bytes of source that a model is made of: some tens of milliseconds
	ownWeight    = 3         // of the changed file's lines against those of far files
	besideWeight = 2         // of the files in its folder
	maxTokens    = 120       // of a change that are looked at
	// naturalPower is how much a nat per token counts, and the bounds what it may
	// count at most: it decides between places and templates that are about alike.
	naturalPower              = 0.4
	leastNatural, mostNatural = 0.5, 1.6
	discount                  = 0.75 // of each count, for what was never seen
)

type gram [3]int32 // token ids, the last one is what follows; 0 is the line's beginning

// ngrams is a model of token sequences of up to three: interpolated absolute
// discounting, whose lowest order counts in how many contexts a token stands
// (Kneser and Ney, ICASSP 1995).
type ngrams struct {
	ids            map[string]int32
	three, context map[gram]float64 // counts of (a, b, c) and of (a, b)
	follow         map[gram]float64 // kinds of token after (a, b)
	two, single    map[gram]float64 // counts of (b, c) and of (b)
	followTwo      map[gram]float64
	before         map[int32]float64  // kinds of token before c
	kinds          float64            // pairs
	weights        map[string]float64 // of the files that were learnt
}

// newNgrams makes the model of a project's files of one family of languages. Those
// near to a file, the most suspicious one, count more.
func newNgrams(s *sources, of, family string, files []string) *ngrams {
	g := &ngrams{ids: map[string]int32{}, three: map[gram]float64{}, context: map[gram]float64{}, follow: map[gram]float64{},
		two: map[gram]float64{}, single: map[gram]float64{}, followTwo: map[gram]float64{}, before: map[int32]float64{}, weights: map[string]float64{}}
	near := slices.Clone(files)
	weight := func(f string) float64 {
		switch {
		case f == of:
			return ownWeight
		case path.Dir(f) == path.Dir(of):
			return besideWeight
		}
		return 1
	}
	slices.SortStableFunc(near, func(a, b string) int { return int(weight(b) - weight(a)) })
	left := maxLearnt
	for _, f := range near {
		if languageFamily(f) != family || code.IsTest(f) || left <= 0 {
			continue
		}
		src := s.read(f)
		src = src[:min(len(src), left)]
		left -= len(src)
		g.weights[f] = weight(f)
		for line := range bytes.Lines(src) {
			g.learn(g.tokens(string(line), true), weight(f))
		}
	}
	return g
}

var lexeme = lazyregexp.New("[A-Za-z_$][\\w$]*|\\d[\\w.]*|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`[^`]*`|[-+*/%<>=!&|^:.]{1,3}|\\S")

// tokens are the ids of a line's tokens after two that say where it begins.
// Texts count as one token. A token that the model never saw is -1.
func (g *ngrams) tokens(line string, learning bool) []int32 {
	out := []int32{0, 0}
	text := strings.TrimSpace(line)
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*") {
		return nil
	}
	for _, t := range lexeme.FindAllString(text, maxTokens) {
		if strings.ContainsAny(t[:1], "\"'`") {
			t = "\""
		}
		id, known := g.ids[t]
		switch {
		case known:
		case learning:
			id = int32(len(g.ids) + 1)
			g.ids[t] = id
		default:
			id = -1
		}
		out = append(out, id)
	}
	return out
}

func (g *ngrams) learn(ts []int32, weight float64) {
	for i := 2; i < len(ts); i++ {
		a, b, c := ts[i-2], ts[i-1], ts[i]
		if g.three[gram{a, b, c}] == 0 {
			g.follow[gram{a, b}]++
		}
		if g.two[gram{b, c}] == 0 {
			g.followTwo[gram{b}]++
			g.before[c]++
			g.kinds++
		}
		g.three[gram{a, b, c}] += weight
		g.context[gram{a, b}] += weight
		g.two[gram{b, c}] += weight
		g.single[gram{b}] += weight
	}
}

// probability is that of the last token of a sequence. without are sequences that
// are not counted: a line does not speak for itself.
func (g *ngrams) probability(a, b, c int32, without map[gram]float64) float64 {
	low := (g.before[c] + 0.5) / (g.kinds + 0.5*float64(len(g.ids)+1))
	seen := func(n float64) float64 { return max(n, 0) }
	two := low
	if all := seen(g.single[gram{b}] - without[gram{-2, -2, b}]); all > 0 {
		n := seen(g.two[gram{b, c}] - without[gram{-2, b, c}])
		two = (seen(n-discount) + discount*min(g.followTwo[gram{b}], all)*low) / all
	}
	all := seen(g.context[gram{a, b}] - without[gram{a, b, -2}])
	if all == 0 {
		return two
	}
	n := seen(g.three[gram{a, b, c}] - without[gram{a, b, c}])
	return (seen(n-discount) + discount*min(g.follow[gram{a, b}], all)*two) / all
}

// entropy is how badly lines fit, in nats per token.
func (g *ngrams) entropy(lines []string, without map[gram]float64) float64 {
	sum, n := 0.0, 0
	for _, line := range lines {
		ts := g.tokens(line, false)
		for i := 2; i < len(ts); i++ {
			sum -= math.Log(max(g.probability(ts[i-2], ts[i-1], ts[i], without), 1e-6))
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// own are the sequences of the lines that are changed, as they were learnt from
// their file.
func (g *ngrams) own(path string, lines []string) map[gram]float64 {
	w := g.weights[path]
	out := map[gram]float64{}
	for _, line := range lines {
		ts := g.tokens(line, false)
		for i := 2; i < len(ts); i++ {
			a, b, c := ts[i-2], ts[i-1], ts[i]
			out[gram{a, b, c}] += w
			out[gram{a, b, -2}] += w
			out[gram{-2, b, c}] += w
			out[gram{-2, -2, b}] += w
		}
	}
	return out
}

// natural is how much likelier a change is for the way its lines read than one
// that reads as what it replaces: above 1 where they fit the project better.
func (g *ngrams) natural(c candidate) float64 {
	from, to := lineStart(c.original, c.start), lineEnd(c.original, c.end)
	was := textLines(string(c.original[from:to]))
	is := textLines(string(c.original[from:c.start]) + c.mutation.Replacement + string(c.original[c.end:to]))
	if len(was) == 0 || len(is) == 0 {
		return 1
	}
	without := g.own(c.path, was)
	gain := g.entropy(was, without) - g.entropy(is, without)
	return min(max(math.Exp(naturalPower*gain), leastNatural), mostNatural)
}

// textLines are the first lines of a text, without empty ones.
func textLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" && len(out) < 20 {
			out = append(out, line)
		}
	}
	return out
}

// naturalise weighs a change by how natural its lines are in the project.
func (s *search) naturalise(c *candidate) {
	if s.lacks(Naturalness) {
		return
	}
	if s.model == nil {
		of := c.path
		if len(s.suspects) > 0 {
			of = s.suspects[0].Path
		}
		s.model = newNgrams(s.sources, of, s.target.suite.Kind, s.req.Files)
	}
	f := s.model.natural(*c)
	c.score *= f
	c.rank *= f
}
