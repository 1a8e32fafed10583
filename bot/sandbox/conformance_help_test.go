package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary play a host process that will be killed.
func TestMain(m *testing.M) {
	if state := os.Getenv("FETTLE_SANDBOX_VICTIM"); state != "" {
		victim(state, os.Getenv("FETTLE_SANDBOX_TOKEN"))
	}
	os.Exit(m.Run())
}

// victimConfig is the sandbox of the process that will be killed.
func victimConfig(state string) Config {
	return Config{StateDir: state, Backend: os.Getenv("FETTLE_SANDBOX_BACKEND"),
		EngineHost: os.Getenv("FETTLE_SANDBOX_ENGINE"), EngineImage: os.Getenv("FETTLE_SANDBOX_IMAGE")}
}

// victim starts payloads, says so, and waits to be killed.
func victim(state, token string) {
	ctx := context.Background()
	s, err := New(ctx, victimConfig(state))
	if err == nil {
		var w *Workspace
		if w, err = s.Workspace(ctx, ""); err == nil {
			for range 3 {
				var p *Process
				if p, err = w.Start(ctx, Command{Argv: []string{"sh", "-c", "echo up; setsid sleep 1000 & sleep 1000", token}}); err != nil {
					break
				}
				_, err = p.Stdout.Read(make([]byte, 3))
			}
		}
	}
	fmt.Println("ready", err)
	select {}
}

// attack runs a payload of testdata in the workspace.
func attack(t testing.TB, w *Workspace, lim Limits, payload string, args ...string) Result {
	t.Helper()
	r, err := w.Run(context.Background(), payloadCommand(t, w.box, lim, payload, args...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func payloadCommand(t testing.TB, s *Sandbox, lim Limits, payload string, args ...string) Command {
	t.Helper()
	host, err := filepath.Abs(filepath.Join("testdata", payload))
	if err != nil {
		t.Fatal(err)
	}
	interpreter := "/bin/sh"
	if strings.HasSuffix(payload, ".py") {
		var ok bool
		if interpreter, ok = s.Tool("python3"); !ok {
			t.Fatal("no python3 on this machine")
		}
	}
	inside, mounts := "/driver/"+payload, []Mount{{Host: host, Inside: "/driver/" + payload}}
	if s.Walls().Backend == None {
		inside, mounts = host, nil
	}
	return Command{Argv: append([]string{interpreter, inside}, args...), Limits: lim, ReadOnly: mounts}
}

// withToken lists host processes that have the token in their arguments.
func withToken(token string) (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		data, _ := os.ReadFile(d + "/cmdline")
		if strings.Contains(string(data), token) && d != fmt.Sprintf("/proc/%d", os.Getpid()) {
			found = append(found, filepath.Base(d)+" "+strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return found
}

// eventually waits for what the kernel does by itself after a kill.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(30 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("still %s", what)
		}
	}
}
