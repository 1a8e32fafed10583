package ladder

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestL9TheSyntheticTableIsWhatItsGeneratorMakes(t *testing.T) {
	t.Parallel()
	var made bytes.Buffer
	table := Synthetic(SyntheticSeed, SyntheticTasks)
	if err := table.WriteCSV(&made); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("synthetic.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, made.Bytes()) {
		t.Error("synthetic.csv is not what Synthetic makes; write it with go run ./bench/ladder/compare -write bench/ladder/synthetic.csv")
	}
	read, err := ReadCSV(table.Name, bytes.NewReader(kept))
	if err != nil || len(read.Tasks) < 500 || !reflect.DeepEqual(read, table) {
		t.Errorf("read back: %v", err)
	}
}

func TestL9MistakesInATableNameTheirLine(t *testing.T) {
	t.Parallel()
	head := "task,tier,solved,cost,seconds\n"
	for text, want := range map[string]string{
		"":                            "heading",
		"task,tier,solved\n":          `"cost"`,
		head:                          "empty",
		head + "a,tier1,x,1,1\n":      "t:2: solved",
		head + "a,tier9,true,1,1\n":   "t:2: tier",
		head + "a,tier1,true,-1,1\n":  "t:2: cost",
		head + "a,tier1,true,NaN,1\n": "t:2: cost",
		head + "a,tier1,true,1,1\na,tier1,true,1,1\n": "t:3: tier1 stands there twice",
		head + "a,tier1,true,1,1\nb,tier2,true,1,1\n": "no line for tier2",
		head + ",tier1,true,1,1\n":                    "no name",
		head + "a,tier1,true\n":                       "t:2",
	} {
		if _, err := ReadCSV("t", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestL9TheSWEBenchFormIsRead(t *testing.T) {
	t.Parallel()
	file := `{"small": {"own__proj-1": {"resolved": true, "cost": 0.01, "api_calls": 3}}, "big": {"own__proj-1": {"resolved": false, "cost": 1, "api_calls": 9}}}`
	tb, err := ReadSWEBench("f", strings.NewReader(file), "small", "big")
	if err != nil || len(tb.Tasks) != 1 || tb.Tasks[0].Case.Class != "own" || !tb.Tasks[0].By[task.Tier1].Solved || tb.Tasks[0].By[task.Tier2].Cost != task.Dollar {
		t.Errorf("%+v %v", tb, err)
	}
	if _, err := ReadSWEBench("f", strings.NewReader(file), "middle"); err == nil {
		t.Error("a model that is not there was read")
	}
}

// small is a table whose figures can be worked out by hand.
func small() *Table {
	tb := &Table{Name: "small", Tiers: []task.Tier{task.Tier1, task.Tier2, task.Tier3}}
	for i, solves := range []int{1, 2, 3, 9} { // the first tier that solves each task
		x := Task{ID: string(rune('a' + i)), By: map[task.Tier]Did{}}
		for k, tier := range tb.Tiers {
			x.By[tier] = Did{Solved: k+1 >= solves, Cost: task.Dollar * []task.USD{1, 10, 100}[k]}
		}
		tb.Tasks = append(tb.Tasks, x)
	}
	return tb
}

func TestL9FixedPoliciesAreCountedRight(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		solved float64
		total  task.USD
	}{"always tier 1 → 3": {0.75, 1 + 11 + 111 + 111}, "always the strongest": {0.75, 400}, "oracle": {0.75, 111}}
	for _, r := range Compare(small(), Settings{Seed: 1}) {
		if w, ok := want[r.Policy]; ok && (r.Solved != w.solved || r.Cost*4 != w.total*task.Dollar || r.Wrong != 0) {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
}

func TestL9ChecksThatErrAreCounted(t *testing.T) {
	t.Parallel()
	for _, r := range Compare(small(), Settings{Seed: 1, FalseGreen: 1}) {
		if r.Policy == "always tier 1 → 3" && (r.Solved != 0.25 || r.Wrong != 0.75) {
			t.Errorf("all wrong patches pass: %+v", r)
		}
	}
	for _, r := range Compare(small(), Settings{Seed: 1, FalseRed: 1}) {
		if r.Solved != 0 || r.Wrong != 0 {
			t.Errorf("all right patches are refused: %+v", r)
		}
	}
}

func TestL5NoPolicyEverPassesTheBudget(t *testing.T) {
	t.Parallel()
	tb := Synthetic(3, 150)
	for _, budget := range []task.USD{1, task.Dollar / 100, task.Dollar / 4, task.Dollar} {
		for _, r := range Compare(tb, Settings{Seed: 2, Budget: budget, FalseGreen: 0.1, FalseRed: 0.1, Rounds: 2}) {
			if r.most > budget {
				t.Errorf("%s spent %s of %s on a task", r.Policy, r.most, budget)
			}
		}
	}
}

func TestL9TheSameSeedGivesTheSameFigures(t *testing.T) {
	t.Parallel()
	tb := Synthetic(4, 120)
	s := Settings{Seed: 5, FalseGreen: 0.05, FalseRed: 0.05, Rounds: 2}
	if a, b := Compare(tb, s), Compare(tb, s); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
}

func TestL9HistoryStaysCloseToAlwaysAndTheOracleIsTheBound(t *testing.T) {
	t.Parallel()
	by := map[string]Result{}
	for _, r := range Compare(Synthetic(SyntheticSeed, SyntheticTasks), Settings{Seed: 1, Rounds: 3}) {
		by[r.Policy] = r
	}
	always, oracle := by["always tier 1 → 3"], by["oracle"]
	for _, name := range []string{"first tier by history", "each tier by history"} {
		if r := by[name]; r.Solved < always.Solved-0.02 || r.Solved > oracle.Solved || r.Cost < oracle.Cost {
			t.Errorf("%+v\nalways %+v\noracle %+v", r, always, oracle)
		}
	}
}

func TestL9TheAimIsSaidAsItIs(t *testing.T) {
	t.Parallel()
	base := Result{Policy: "always tier 1 → 3", Solved: 0.90, Cost: task.Dollar}
	for want, r := range map[string]Result{
		"met by":     {Policy: "first tier by history", Solved: 0.885, Cost: task.Dollar * 9 / 10},
		"not met;":   {Policy: "first tier by history", Solved: 0.90, Cost: task.Dollar * 11 / 10},
		"nearest is": {Policy: "first tier by history", Solved: 0.90, Cost: task.Dollar * 999 / 1000},
	} {
		if got := Aim([]Result{base, r}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", want, got)
		}
	}
	if got := Aim([]Result{base, {Policy: "first tier by history", Solved: 0.80, Cost: 1}}); !strings.Contains(got, "not met") {
		t.Errorf("ten points less is no success: %s", got)
	}
}

func TestL9MadeUpTablesOfEveryShapeHoldTheAim(t *testing.T) {
	t.Parallel()
	s := Settings{FalseGreen: 0.02, FalseRed: 0.03}
	by := map[string]Against{}
	for _, r := range Suite(s, []uint64{201, 202, 203, 204, 205}, 600) {
		by[r.Shape+"/"+r.Policy] = r
	}
	for _, shape := range Shapes() {
		for _, policy := range []string{"first tier by history", "each tier by history"} {
			r, ok := by[shape.Name+"/"+policy]
			if !ok || r.Points < -100*near || r.Cost > 0.005 {
				t.Errorf("%+v", r)
			}
			if shape.Name == "nothing to learn" && (r.Points < -0.3 || r.Points > 0.3 || r.Cost < -0.005) {
				t.Errorf("something was learnt from nothing: %+v", r)
			}
			if shape.Name == "a class is hopeless on tier 1" && r.Cost > -0.01 {
				t.Errorf("the hopeless class was not learnt: %+v", r)
			}
		}
	}
}

func TestL9TheTablesOfAShapeDifferBySeedAndShapesBySomething(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, shape := range Shapes() {
		for _, seed := range []uint64{1, 2} {
			var made bytes.Buffer
			if err := shape.Table(seed, 50).WriteCSV(&made); err != nil {
				t.Fatal(err)
			}
			if other, twice := seen[made.String()]; twice {
				t.Errorf("%s, seed %d, is the same as %s", shape.Name, seed, other)
			}
			seen[made.String()] = shape.Name
		}
	}
}
