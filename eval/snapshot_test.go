package eval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func on(day int, r Report) Report {
	r.Plan = Plan{Version: planVersion, Suite: "s", Tier: "mechanical"}
	r.Started = time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
	return r
}

// K4: a regression fails once and is no measure for what follows, unless it is accepted.
func TestK4ARunThatIsWorseIsNotWhatLaterOnesAreHeldAgainst(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "sub", "kpi_snapshot.json")
	for i, c := range []struct {
		r      Report
		accept bool
		worse  int
	}{
		{outcomes(42, NoChange, 1, 2, 3), false, 0},
		{outcomes(42, NoChange, 4, 5, 6, 7), false, 0}, // noise
		{outcomes(42, NoChange, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16), false, 1},
		{outcomes(42, NoChange, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16), true, 1}, // no better than before the fall
		{outcomes(42, NoChange, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16), false, 0},
	} {
		worse, err := Keep(name, on(i+1, c.r), c.accept)
		if err != nil || len(worse) != c.worse {
			t.Errorf("run %d: %v %v", i+1, worse, err)
		}
	}
	other := on(9, outcomes(42, NoChange, 1))
	other.Plan.Tier = "tier1"
	for range 2 { // the same run, gone on with, is kept once
		if _, err := Keep(name, other, false); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Snapshots(name)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d snapshots, %v", len(all), err)
	}
	steps := Progress(append(all, all...))
	var words []string
	for _, s := range steps {
		words = append(words, s.Words())
	}
	if got := strings.Join(words, "; "); got != "; +3 -4 of 42, p = 0.500; +4 -12 of 42, p = 0.038, worse; +0 -0 of 42, p = 1.000; +0 -0 of 42, p = 1.000; " {
		t.Error(got)
	}
	if line := Line([]float64{0, .5, 1}); line != "▁▅█" {
		t.Error(line)
	}
}

func TestK4ASnapshotOfAnotherVersionIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "kpi_snapshot.json")
	if all, err := Snapshots(name); err != nil || len(all) > 0 {
		t.Errorf("none: %v", err)
	}
	for text, want := range map[string]string{
		`{"version": 0, "snapshots": []}`: "is of version 0, and this fettle reads 1; move it away",
		`{"version": 2}`:                  "is of version 2",
		`{"success_rate": 0.9}`:           "is of version 0",
		`[`:                               "holds no snapshots",
		``:                                "holds no snapshots",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Keep(name, on(1, outcomes(3, NoChange)), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if raw, _ := os.ReadFile(name); string(raw) != text {
			t.Errorf("%s: was written over", text)
		}
	}
}

// X4: what a repository brings in .fettle does not choose which file is written.
func TestX4ASnapshotIsNotWrittenThroughALink(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "precious")
	for _, linked := range []string{".fettle", ".fettle/kpi_snapshot.json.new", ".fettle/kpi_snapshot.json.lock", ".fettle/kpi_snapshot.json"} {
		dir := t.TempDir()
		to := outside
		if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if linked == ".fettle" {
			to = filepath.Dir(outside)
		} else if err := os.Mkdir(filepath.Join(dir, ".fettle"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, linked)); err != nil {
			t.Fatal(err)
		}
		_, err := Keep(filepath.Join(dir, ".fettle", "kpi_snapshot.json"), on(1, outcomes(3, NoChange, 1)), false)
		left, _ := os.ReadDir(filepath.Dir(outside))
		if text, _ := os.ReadFile(outside); string(text) != "precious" || len(left) != 1 {
			t.Errorf("%s: %v; outside there are %v, %q", linked, err, left, text)
		}
	}
}

// X4: nor where the report of the last run, a run, or a case is written.
func TestX4NothingOfAnEvalIsWrittenThroughALink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	precious := filepath.Join(outside, "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, linked := range []string{".fettle", ".fettle/eval", ".fettle/cases", ".fettle/cases/set", ".fettle/eval/last_report.json", ".fettle/eval/last_report.json.new", "eval", "eval/last_report.json", "eval/last_report.json.new"} {
		dir, to := t.TempDir(), outside
		if filepath.Ext(linked) != "" && linked != ".fettle" {
			to = precious
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, linked)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, linked)); err != nil {
			t.Fatal(err)
		}
		last := KeepLast(dir, on(1, outcomes(3, NoChange, 1)))
		_, run := Fresh(dir, ".fettle/eval/s-1")
		made, cases := Folder(dir, ".fettle/cases")
		var set error
		if cases == nil {
			_, set = Folder(made, "set")
		}
		left, _ := os.ReadDir(outside)
		if text, _ := os.ReadFile(precious); string(text) != "precious" || len(left) != 1 {
			t.Errorf("%s: %v, %v, %v, %v; outside there are %v, %q", linked, last, run, cases, set, left, text)
		}
		refused := map[string]error{".fettle/eval": run, ".fettle/cases": cases, ".fettle/cases/set": set, ".fettle": errors.Join(run, cases)}
		if err, ok := refused[linked]; ok && err == nil {
			t.Errorf("%s is not refused", linked)
		}
		if last == nil {
			if r, err := Read(Last(dir)); err != nil || len(r.Results) != 3 {
				t.Errorf("%s: the report of the last run: %v, %v", linked, r, err)
			}
		}
	}
}

// K2: the report of the last run stands in eval where there is that folder, and in a
// project of others it makes none.
func TestK2TheReportOfTheLastRunIsKept(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"eval", ".fettle/eval"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		for day := 1; day < 3; day++ {
			if err := KeepLast(dir, on(day, outcomes(3, NoChange, day))); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := Read(filepath.Join(dir, folder, "last_report.json")); err != nil || r.Started.Day() != 2 {
			t.Errorf("%s: %v, %v", folder, r.Started, err)
		}
		one, err := Fresh(dir, ".fettle/eval/s-1")
		two, err2 := Fresh(dir, ".fettle/eval/s-1")
		if err != nil || err2 != nil || one == two {
			t.Errorf("two runs at once: %s, %s, %v, %v", one, two, err, err2)
		}
	}
}
