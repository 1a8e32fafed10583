package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// funcs are what templates call.
func (s *Server) funcs() template.FuncMap {
	return template.FuncMap{
		"at": func(t time.Time) string {
			if t.IsZero() {
				return "–"
			}
			return t.UTC().Format("2006-01-02 15:04:05")
		},
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"age":   func(t time.Time) string { return age(s.cfg.Now().Sub(t)) },
		"took":  func(d time.Duration) string { return age(d) },
		"secs":  func(f float64) string { return age(time.Duration(f * float64(time.Second))) },
		"words": func(v any) string { return words(fmt.Sprint(v)) },
		"count": task.Count,
		"short": func(s string) string {
			if r := []rune(s); len(r) > 12 {
				return string(r[:12])
			}
			return s
		},
		"look":  look,
		"share": share,
		"left": func(cost, budget task.USD) float64 {
			if budget <= 0 {
				return 0
			}
			return min(1, cost.Float()/budget.Float())
		},
		"cut": func(s string, n int) string {
			if p := cutPart("", s, n); p.More > 0 {
				return p.Text + "…"
			}
			return s
		},
		"args":  func(v ...string) []string { return v },
		"title": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
		"minus": func(a, b int) int { return a - b },
		"state": func(r task.Run) string {
			return look(store.Card{State: r.State, Waiting: r.Waiting != nil, Outcome: r.Outcome})
		},
		"ask": func(r task.Run, key, csrf string, mayAct bool) any {
			return struct {
				Run       task.Run
				Key, CSRF string
				MayAct    bool
			}{r, key, csrf, mayAct && r.Task.Repo.Dir == ""}
		},
	}
}

// look is the state of a run in one word, for its badge.
func look(c store.Card) string {
	switch {
	case c.Waiting:
		return "waiting"
	case c.State == task.StateDone:
		return string(c.Outcome)
	}
	return string(c.State)
}

// age is a span as people say it.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
