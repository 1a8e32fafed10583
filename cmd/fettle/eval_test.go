package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/eval"
)

// evaluated runs 'fettle eval' in a process of its own, as it starts others.
func evaluated(t *testing.T, args ...string) (r eval.Report, errs string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "fettle", append([]string{"eval", "--json"}, args...)...)
	var out, told bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &told // where it keeps a snapshot
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("no report: %v\n%s\n%s", err, out.String(), told.String())
	}
	return r, told.String()
}

// weaveCase is a case that the mechanical tier does not solve.
func weaveCase(t *testing.T) string {
	t.Helper()
	files := map[string]string{
		"weave/case.json":             `{"language": "python", "class": "bug_fix", "expected_files": ["weave.py"], "test_command": ["python3", "-m", "pytest", "-q"]}`,
		"weave/issue.md":              weaveTitle + "\n" + weaveBody + "\n",
		"weave/heldback/test_held.py": "from weave import interleave\n\n\ndef test_held():\n    assert interleave([1, 3, 5], [2]) == [1, 2, 3, 5]\n    assert interleave([], [1]) == [1]\n",
	}
	for name, text := range weaveFiles() {
		files["weave/repo/"+name] = text
	}
	return lay(t, files)
}

// K2: the figures of a full ladder are right to the cent, recorded and answered from the
// record. By hand, at $1 and $2 a million of tier 1 and twice that of tier 2: tier 1 is
// asked twice with 1,000 tokens in and 100 out, $0.0024; tier 2 once with 2,000 and 200,
// $0.0048, and for a review with 100 and 10, $0.00024. Together $0.00744.
func TestK2AScriptedLadderCostsWhatItDoesByHand(t *testing.T) {
	endToEnd(t)
	right, wrong := rightWeave(t), wrongWeave(t)
	double, tiers := models(t, func(c scripted.Call, n int) scripted.Answer {
		if c.Model == "model-tier1" {
			return scripted.Answer{Text: wrong(n), TokensIn: 1000, TokensOut: 100}
		}
		return scripted.Answer{Text: right, TokensIn: 2000, TokensOut: 200}
	}, task.Tier1, task.Tier2)
	cases, config, kept, out := weaveCase(t), operator(t, tiers), t.TempDir(), t.TempDir()
	hold := func(name string, r eval.Report, told string) {
		t.Helper()
		f := r.All
		if len(r.Results) != 1 || r.Results[0].Verdict != eval.Right || r.Results[0].Draft {
			t.Fatalf("%s: %+v\n%s", name, r.Results, told)
		}
		if f.Cost != task.Dollars(.00744) || f.PerCase != f.Cost || f.PerSuccess != f.Cost {
			t.Errorf("%s: cost %d, %d a case, %d a success", name, f.Cost, f.PerCase, f.PerSuccess)
		}
		if f.Calls != 4 || f.TokensIn != 4100 || f.TokensOut != 410 || f.Attempts != 4 || f.FirstTime.Of != 3 {
			t.Errorf("%s: %d calls, %d tokens in, %d out, %d attempts", name, f.Calls, f.TokensIn, f.TokensOut, f.Attempts)
		}
		if len(f.Ladder) != 3 || f.Ladder[1].Solved.N != 0 || f.Ladder[1].Cost != task.Dollars(.0024) || f.Ladder[2].Solved.N != 1 || f.Ladder[2].Cost != f.Cost {
			t.Errorf("%s: ladder %+v", name, f.Ladder)
		}
		if f.Seconds.Mean != r.Results[0].Seconds || f.Seconds.Median != f.Seconds.Mean || f.ReadyOK.N != 1 || f.Valid.N != 1 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	first, told := evaluated(t, "--tasks", cases, "--config", config, "--record", kept, "--out", filepath.Join(out, "1"))
	hold("recorded", first, told)
	if err := double.Close(); err != nil {
		t.Fatal(err)
	}
	second, told := evaluated(t, "--tasks", cases, "--config", config, "--answers", kept, "--out", filepath.Join(out, "2"))
	hold("answered from the record", second, told)
	// A prompt without an answer is an error that names it, and the case is not solved.
	third, _ := evaluated(t, "--tasks", cases, "--config", config, "--answers", t.TempDir(), "--out", filepath.Join(out, "3"))
	if r := third.Results[0]; r.Verdict == eval.Right || r.Cost != 0 || len(r.Unread) == 0 {
		t.Errorf("without answers: %+v", r)
	}
	if c := call(t, "eval", "score", filepath.Join(out, "2"), "--json"); c.code != 0 || !strings.Contains(c.out, `"cost_usd": 0.00744`) {
		t.Errorf("scored again: %d\n%s", c.code, c.out)
	}
	if c := call(t, "eval", "gate", filepath.Join(out, "1"), filepath.Join(out, "2")); c.code != 0 {
		t.Errorf("gate: %d\n%s%s", c.code, c.out, c.errors)
	}
}

// K1: whoever looks into the folder of a bridge answers a run, without a key, and the
// report says who it was. The tier's own endpoint and its substitute are never asked.
func TestK1ABridgeIsAnsweredFromItsFolder(t *testing.T) {
	endToEnd(t)
	right, dir := rightWeave(t), t.TempDir()
	config := operator(t, "tiers:\n  tier1: {base_url: \"http://127.0.0.1:9/v1\", model: m, api_key_env: FETTLE_TEST_NOT_SET, price_in_per_mtok: 1, price_out_per_mtok: 2, substitute: {base_url: \"http://127.0.0.1:9/v1\", model: s}}\n")
	ctx, stop := context.WithCancel(t.Context())
	var answering sync.WaitGroup
	defer answering.Wait()
	defer stop()
	answering.Go(func() {
		for ctx.Err() == nil {
			prompts, _ := filepath.Glob(filepath.Join(dir, "*.prompt.json"))
			for _, name := range prompts {
				var q eval.Question
				raw, err := os.ReadFile(name)
				if err == nil {
					err = json.Unmarshal(raw, &q)
				}
				text := right
				switch {
				case strings.Contains(string(raw), "You review a change"):
					text = `{"verdict": "ACCEPT", "reason": "it does what is asked"}`
				case strings.Contains(string(raw), "You answer a question"):
					text = "It takes the lesser of two first [weave.py:1-2]."
				}
				out, _ := json.Marshal(eval.Kept{Text: text, TokensIn: 1000, TokensOut: 100, By: "a test"})
				if err != nil || q.Tier != "tier1" || q.Case != "weave 0" && q.Case != "why 0" {
					t.Errorf("%s: %v\n%s", name, err, raw)
				}
				if err := os.WriteFile(strings.TrimSuffix(name, ".prompt.json")+".json", out, 0o600); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	cases := weaveCase(t)
	if err := os.Mkdir(filepath.Join(cases, "why"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"case.json": `{"kind": "ask", "language": "python", "facts": ["lesser"], "places": ["weave.py:1"]}`, "issue.md": "What does interleave take first?"} {
		if err := os.WriteFile(filepath.Join(cases, "why", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(cases, "why", "repo"), os.DirFS(filepath.Join(cases, "weave", "repo"))); err != nil {
		t.Fatal(err)
	}
	r, told := evaluated(t, "--tasks", cases, "--config", config, "--bridge", dir, "--out", filepath.Join(t.TempDir(), "out"))
	f := r.All
	if len(r.Results) != 2 || f.Success.N != 2 || r.Plan.MaxSeconds != 1800 {
		t.Fatalf("%+v\n%s", r, told)
	}
	if !slices.Equal(f.AnsweredBy, []string{"a test"}) || f.Waited.Max <= 0 || f.Waited.Max > f.Seconds.Max || f.CaseIn.Mean*2 != float64(f.TokensIn) || f.Calls < 2 {
		t.Errorf("%+v", f)
	}
	if !strings.Contains(told, "weave 0 asks tier1: "+dir) {
		t.Errorf("it says\n%s", told)
	}
}

// K1: what there is to choose from is listed without what it asks for.
func TestK1TheCasesOfASuiteAreListed(t *testing.T) {
	t.Parallel()
	cases := filepath.Join("..", "..", "eval", "cases")
	c := call(t, "eval", "list", "--cases", cases, "--suite", "mixed", "--json")
	var rows []map[string]string
	if err := json.Unmarshal([]byte(c.out), &rows); c.code != 0 || err != nil || len(rows) != 50 || rows[0]["kind"] != "ask" || rows[49]["language"] != "go" || rows[49]["case"] != "50-retries" {
		t.Errorf("%d: %v %v\n%s", c.code, rows, err, c.errors)
	}
	if c := call(t, "eval", "list", "--cases", cases, "--suite", "none"); c.code != exitUsage || !strings.Contains(c.errors, "there is no suite none") {
		t.Errorf("%d: %s", c.code, c.errors)
	}
}
