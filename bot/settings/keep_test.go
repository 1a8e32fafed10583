package settings

import (
	"strings"
	"testing"
	"time"
)

func TestO5WhatIsKeptIsBoundedAndSaid(t *testing.T) {
	t.Parallel()
	s, err := Parse("config.yml", []byte("keep: {deliveries_days: 4, conversations_days: 0, runs_days: 40, mirrors_gb: 0.5}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Keep{Deliveries: 4 * 24 * time.Hour, Runs: 40 * 24 * time.Hour, Mirrors: 30 * 24 * time.Hour, MirrorBytes: 1 << 29}); s.Keep != want {
		t.Errorf("%+v, want %+v", s.Keep, want)
	}
	for text, want := range map[string]string{
		"keep: {runs_days: 7}":       "at least 32 days",
		"keep: {deliveries_days: 1}": "at least 4 days",
		"keep: {runs: 7}":            "runs_days",
		"keep: {mirrors_days: -1}":   "mirrors_days",
		"keep: {mirrors_gb: 0}":      "mirrors_gb",
	} {
		if _, err := Parse("config.yml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
