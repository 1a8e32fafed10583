package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Snapshot is what a run measured, kept so that later runs are held against it.
type Snapshot struct {
	Suite   string    `json:"suite"`
	Tier    string    `json:"max_tier"` // "": as configured
	Fettle  string    `json:"fettle"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Worse   []string  `json:"worse,omitempty"` // than the one before, by more than noise: later ones are not held against it
	All     Figures   `json:"all"`
	Results []kept    `json:"results"`
}

// kept is what a comparison needs of a result.
type kept struct {
	Case    string   `json:"case"`
	Repeat  int      `json:"repeat"`
	Verdict Verdict  `json:"verdict"`
	Cost    task.USD `json:"cost_usd"`
	Seconds float64  `json:"seconds"`
}

// snapshots is the file that holds them, the oldest first.
type snapshots struct {
	Version   int        `json:"version"`
	Snapshots []Snapshot `json:"snapshots"`
}

// snapshotVersion changes when snapshots of before cannot be read any more, and
// mostSnapshots is how many a file holds.
const snapshotVersion, mostSnapshots = 1, 200

// Snapshots reads the file of snapshots; one that is not there has none.
func Snapshots(name string) ([]Snapshot, error) {
	raw, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s snapshots
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("%s holds no snapshots: %w; move it away to begin anew", name, err)
	}
	if s.Version != snapshotVersion {
		return nil, fmt.Errorf("%s is of version %d, and this fettle reads %d; move it away to begin anew", name, s.Version, snapshotVersion)
	}
	return s.Snapshots, nil
}

// Snap is the snapshot of a report.
func Snap(r Report) Snapshot {
	s := Snapshot{Suite: r.Plan.Suite, Tier: r.Plan.Tier, Fettle: r.Plan.Made, Started: r.Started, Ended: r.Ended, All: r.All}
	for _, o := range r.Results {
		s.Results = append(s.Results, kept{o.Case, o.Repeat, o.Verdict, o.Cost, o.Seconds})
	}
	return s
}

// alike tells whether two snapshots measure the same thing.
func (s Snapshot) alike(o Snapshot) bool { return s.Suite == o.Suite && s.Tier == o.Tier }

// against compares a snapshot with one before it.
func (s Snapshot) against(before Snapshot) Comparison { return Compare(before.report(), s.report()) }

func (s Snapshot) report() (r Report) {
	for _, k := range s.Results {
		r.Results = append(r.Results, Result{Case: k.Case, Repeat: k.Repeat, Verdict: k.Verdict, Cost: k.Cost, Seconds: k.Seconds})
	}
	return r
}

// Keep adds a report to the file of snapshots and says what is worse, by more than
// noise, than in the last snapshot of the same suite and tier that was not. Accepted,
// it is what later ones are held against all the same.
func Keep(name string, r Report, accept bool) (worse []string, err error) {
	root, dir, file, err := inProject(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := root.OpenFile(filepath.Join(dir, file+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	all, err := Snapshots(name)
	if err != nil {
		return nil, err
	}
	now := Snap(r)
	all = slices.DeleteFunc(all, func(s Snapshot) bool { return s.alike(now) && s.Started.Equal(now.Started) }) // the same run, gone on with
	for _, s := range slices.Backward(all) {
		if s.alike(now) && len(s.Worse) == 0 && now.against(s).Pairs > 0 {
			worse = now.against(s).Regressions()
			break
		}
	}
	if !accept {
		now.Worse = worse
	}
	all = append(all, now)
	raw, err := json.MarshalIndent(snapshots{snapshotVersion, all[max(len(all)-mostSnapshots, 0):]}, "", " ")
	if err != nil {
		return nil, err
	}
	if err := replace(root, filepath.Join(dir, file), append(raw, '\n')); err != nil {
		return nil, fmt.Errorf("keeping the snapshot: %w", err)
	}
	return worse, nil
}

// Step is a measurement beside the one of the same suite and tier before it.
type Step struct {
	Snapshot
	Since *Comparison `json:"since,omitempty"` // nil for the first
}

// Progress puts snapshots and reports in order: by suite and tier, the oldest first,
// each once.
func Progress(all []Snapshot) (out []Step) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Snapshot) int {
		if c := strings.Compare(a.Suite+"\x00"+a.Tier, b.Suite+"\x00"+b.Tier); c != 0 {
			return c
		}
		return a.Started.Compare(b.Started)
	})
	all = slices.CompactFunc(all, func(a, b Snapshot) bool { return a.alike(b) && a.Started.Equal(b.Started) })
	for i, s := range all {
		step := Step{Snapshot: s}
		if i > 0 && s.alike(all[i-1]) {
			if c := s.against(all[i-1]); c.Pairs > 0 {
				step.Since = &c
			}
		}
		step.Results = nil
		out = append(out, step)
	}
	return out
}

// Words says what changed since the step before: "" for the first.
func (s Step) Words() string {
	if s.Since == nil {
		return ""
	}
	c := *s.Since
	words := fmt.Sprintf("+%d -%d of %d, p = %.3f", len(c.Rose), len(c.Fell), c.Pairs, min(c.P, chance(len(c.Rose), len(c.Fell))))
	if len(c.Regressions()) > 0 {
		words += ", worse"
	}
	return words
}

// Line draws rates from 0 to 1 as a row of blocks.
func Line(rates []float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, r := range rates {
		b.WriteRune(blocks[min(max(int(r*float64(len(blocks))), 0), len(blocks)-1)])
	}
	return b.String()
}
