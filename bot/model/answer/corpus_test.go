package answer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// entry is one malformed answer of the corpus, written by somebody who had not
// seen the parser, with what has to come of it.
type entry struct {
	ID     string `json:"id"`
	Role   string `json:"role"`
	Class  string `json:"class"`
	Finish string `json:"finish"`
	Answer string `json:"answer"`
	Expect struct {
		Decision json.RawMessage `json:"decision"`
		Refuse   bool            `json:"refuse"`
		Either   json.RawMessage `json:"either"`
	} `json:"expect"`
}

// score counts what came of a class of answers.
// odd are entries that cannot be judged, disputed those whose expectation the
// package does not share; neither counts as right.
type score struct{ decided, refused, shy, executed, odd, disputed int }

// maxShy is how many in a hundred answers may be asked for again although somebody
// could tell what they mean.
const maxShy = 7

func TestA2TheCorpusOfMalformedAnswers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("there is no corpus", err)
	}
	scores := map[string]*score{}
	var total score
	disputes := disputed(t)
	for _, file := range files {
		for _, e := range entries(t, file) {
			s := scores[e.Class]
			if s == nil {
				s = &score{}
				scores[e.Class] = s
			}
			one, says := judge(t, e)
			if says != "" && disputes[e.ID] != "" {
				one = score{disputed: 1}
			}
			s.add(one)
			total.add(one)
			if says != "" {
				t.Log(says)
			}
		}
	}
	report(t, scores, total)
	n := total.decided + total.refused + total.shy + total.executed + total.odd + total.disputed
	if total.odd > 0 {
		t.Errorf("%d entries cannot be judged", total.odd)
	}
	if total.executed > 0 {
		t.Errorf("%d answers would have done something that was not asked for", total.executed)
	}
	if total.shy*100 > n*maxShy {
		t.Errorf("%d of %d answers that could be used are asked for again, at most %d %% may be", total.shy, n, maxShy)
	}
}

func (s *score) add(o score) {
	s.decided += o.decided
	s.refused += o.refused
	s.shy += o.shy
	s.executed += o.executed
	s.odd += o.odd
	s.disputed += o.disputed
}

// entries reads a file of the corpus: one entry, or a list. One that is no
// such thing is an entry that cannot be judged.
func entries(t testing.TB, file string) []entry {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []entry
	if json.Unmarshal(data, &list) == nil {
		return list
	}
	var one entry
	if err := json.Unmarshal(data, &one); err != nil {
		return []entry{{ID: filepath.Base(file), Class: "unreadable: " + oneLine(err.Error())}}
	}
	return []entry{one}
}

// disputed are the entries whose expectation the package does not share, with
// the reason: "123 the reason".
func disputed(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "corpus", "disputed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			out[id] = reason
		}
	}
	return out
}

func report(t *testing.T, scores map[string]*score, total score) {
	names := make([]string, 0, len(scores))
	for name := range scores {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	row := func(name string, s score) {
		fmt.Fprintf(&b, "\n%-44s %8d %8d %8d %8d %8d %8d", name, s.decided, s.refused, s.shy, s.executed, s.odd, s.disputed)
	}
	fmt.Fprintf(&b, "\n%-44s %8s %8s %8s %8s %8s %8s", "class", "decided", "refused", "too shy", "executed", "odd", "disputed")
	for _, name := range names {
		row(name, *scores[name])
	}
	row("all", total)
	t.Log(b.String())
}
