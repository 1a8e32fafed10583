package settings

import (
	_ "embed"
	"path/filepath"
	"time"
)

// HealFile is the name of the policy beside the operator's file.
const HealFile = "heal.yml"

// HealTemplate is a heal.yml that says what holds without one.
//
//go:embed heal.yml
var HealTemplate []byte

// MostFailures bounds the thresholds of a heal.yml.
const MostFailures = 1000

// Heal is the operator's policy of degradation and quarantine (SPEC H6).
type Heal struct {
	Step struct {
		InARow int `json:"in_a_row"`
	} `json:"step"`
	Workflow   Window  `json:"workflow"`
	Global     Window  `json:"global"`
	Confidence float64 `json:"confidence"` // of the target of an edit
	Degraded   struct {
		Confidence float64 `json:"confidence"`
		Successes  int     `json:"successes"`
	} `json:"degraded"`
	Recovering struct {
		Successes int `json:"successes"`
	} `json:"recovering"`
	Rollback struct {
		Points       int     `json:"points"`
		Significance float64 `json:"significance"`
	} `json:"rollback"`
	Alerts Alerts `json:"alerts,omitzero"`
}

// Alerts is who hears of what an operator has to know at once.
type Alerts struct {
	WebhookFile string `json:"webhook_file,omitempty"` // holds the URL; "": nobody hears
	SecretFile  string `json:"secret_file,omitempty"`  // holds the key of the signature; "": there is none
}

// Window is so many failures within a time.
type Window struct {
	Failures int           `json:"failures"`
	Window   time.Duration `json:"window"`
	// Installation is how many of them may be of one installation, where several are
	// served. It is of the global window alone, and a third where nothing is said.
	Installation int `json:"installation,omitempty"`
}

// DefaultHeal is SPEC H1 to H4.
func DefaultHeal() Heal {
	h := Heal{Workflow: Window{10, 10 * time.Minute, 0}, Global: Window{30, 10 * time.Minute, 10}, Confidence: 0.70}
	h.Step.InARow = 3
	h.Degraded.Confidence, h.Degraded.Successes = 0.85, 5
	h.Recovering.Successes = 3
	h.Rollback.Points, h.Rollback.Significance = 10, 0.05
	return h
}

// HealPath is where the policy is looked for: beside the operator's file.
func (s *Settings) HealPath() (string, error) {
	if s.File != "" {
		return filepath.Join(filepath.Dir(s.File), HealFile), nil
	}
	dir, err := xdg("XDG_CONFIG_HOME", ".config")
	return filepath.Join(dir, "fettle", HealFile), err
}

// ParseHeal reads a heal.yml from bytes; file stands in errors, with the line.
func ParseHeal(file string, data []byte) (Heal, error) {
	h := DefaultHeal()
	root, err := read(file, data)
	if err != nil {
		return h, err
	}
	share := func(v value) (float64, error) { return v.number(0, 1) }
	count := whole(1, MostFailures)
	window := func(v value, w Window, more ...string) (Window, error) {
		err := first(
			v.only(nil, append(more, "failures", "window")...),
			set(v, "failures", &w.Failures, count),
			set(v, "window", &w.Window, func(v value) (time.Duration, error) { return v.duration(time.Second, 24*time.Hour) }),
		)
		return w, err
	}
	part := func(key string, keys []string, fields func(v value) error) error {
		v, ok := root.has(key)
		if !ok {
			return nil
		}
		return first(v.only(nil, keys...), fields(v))
	}
	err = first(
		root.only(nil, "step", "workflow", "global", "confidence", "degraded", "recovering", "rollback", "alerts"),
		part("step", []string{"in_a_row"}, func(v value) error { return set(v, "in_a_row", &h.Step.InARow, count) }),
		set(root, "workflow", &h.Workflow, func(v value) (Window, error) { return window(v, h.Workflow) }),
		set(root, "global", &h.Global, func(v value) (Window, error) {
			w, err := window(v, h.Global, "installation")
			w.Installation = (w.Failures + 2) / 3
			err = first(err, set(v, "installation", &w.Installation, count))
			return w, err
		}),
		set(root, "confidence", &h.Confidence, share),
		part("degraded", []string{"confidence", "successes"}, func(v value) error {
			return first(set(v, "confidence", &h.Degraded.Confidence, share), set(v, "successes", &h.Degraded.Successes, count))
		}),
		part("recovering", []string{"successes"}, func(v value) error {
			return set(v, "successes", &h.Recovering.Successes, count)
		}),
		part("rollback", []string{"points", "significance"}, func(v value) error {
			return first(
				set(v, "points", &h.Rollback.Points, whole(0, 100)),
				set(v, "significance", &h.Rollback.Significance, func(v value) (float64, error) { return v.number(0.0001, 0.5) }),
			)
		}),
		part("alerts", []string{"webhook_file", "secret_file"}, func(v value) error {
			beside := func(v value) (string, error) { return hostPath(v, filepath.Dir(file)) }
			return first(set(v, "webhook_file", &h.Alerts.WebhookFile, beside), set(v, "secret_file", &h.Alerts.SecretFile, beside))
		}),
	)
	if err != nil {
		return h, err
	}
	if h.Degraded.Confidence < h.Confidence {
		at := root
		if d, ok := root.has("degraded"); ok {
			at = d
			if c, ok := d.has("confidence"); ok {
				at = c
			}
		}
		return h, at.errorf("degraded mode asks for %g, less than the %g of confidence: it has to be stricter", h.Degraded.Confidence, h.Confidence)
	}
	return h, nil
}
