package mend

import (
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestALeftOutPartMakesNoCandidates(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"stock.py": {Data: []byte(`def pick(lines):
    out = []
    for line in lines:
        if line.count > 0:
            out.append(line.sku)
    return out


def held(lines):
    if not lines:
        return []
    return [line.sku for line in lines if line.held]
`)}}
	made := func(without ...string) map[string]int {
		req := Request{Base: base, Files: []string{"stock.py"}, Task: task.Task{Title: "held lines are picked", Mending: task.Mending{Without: without}}}
		s := &search{mender: New(Config{}), req: req, target: target{suite: verify.Suite{Kind: "python"}}, sources: newSources(base)}
		cs, err := s.candidates(t.Context(), []Suspect{{Path: "stock.py", Line: 4, Score: 1}, {Path: "stock.py", Line: 2, Score: 0.5}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, c := range cs {
			out[c.mutation.Operator]++
		}
		return out
	}
	whole := made()
	for part, operators := range map[string][]string{Donors: {"statement_donor"}} {
		less := made(part)
		for _, op := range operators {
			if whole[op] == 0 || less[op] != 0 {
				t.Errorf("%s makes %d candidates, and %d without %s", op, whole[op], less[op], part)
			}
		}
		if less["comparison_boundary"] != whole["comparison_boundary"] {
			t.Errorf("without %s there are %d changed boundaries instead of %d", part, less["comparison_boundary"], whole["comparison_boundary"])
		}
	}
}

func TestWithoutTheSpectrumTheLinesOfExecutedFilesAreAlike(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"a.py": {Data: []byte("def f(x):\n    return x\n\n\ndef g(x):\n    return x\n")}, "b.py": {Data: []byte("def h():\n    pass\n")}}
	l := &localiser{req: Request{Base: base, Files: []string{"a.py", "b.py"}}, sources: newSources(base), blind: true,
		traces: []trace{{lines: map[string]map[int]int{"a.py": {2: 1}}}, {passed: true, lines: map[string]map[int]int{"a.py": {6: 1}, "b.py": {2: 1}}}}}
	got, err := l.rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got {
		if s.Path != "a.py" || s.Score != 1 || s.Failing+s.Passing != 0 {
			t.Errorf("%s line %d has %.2f, %d failing and %d passing tests; the spectrum was left out", s.Path, s.Line, s.Score, s.Failing, s.Passing)
		}
	}
	if len(got) != 4 {
		t.Errorf("%d suspicious lines, want the four of a.py", len(got))
	}
}
