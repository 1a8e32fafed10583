package main

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionIsWhatGoWroteIntoTheProgram(t *testing.T) {
	t.Parallel()
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3": {Main: debug.Module{Version: "v1.2.3"}, Settings: vcs},
		"commit 0123456789ab of 2026-01-02, changed": {Main: debug.Module{Version: "(devel)"}, Settings: vcs},
		"unknown, built without its repository":      {Main: debug.Module{Version: "(devel)"}},
	} {
		if got := versionOf(&info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
