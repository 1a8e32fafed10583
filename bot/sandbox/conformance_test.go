package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

// subject is a backend under test.
type subject struct {
	cfg   Config
	walls bool
	image map[string]string // what an engine's image puts into the environment
	box   *Sandbox          // shared by the promises that need no own one
	left  func(t *testing.T, s *Sandbox) []string
}

// open starts a sandbox of the backend under test, with limits of its own.
func (b subject) open(t *testing.T, lim Limits) *Sandbox {
	cfg := b.cfg
	cfg.Limits = lim
	return newBoxed(t, cfg)
}

// promise is what commands can rely on, whatever the backend is.
type promise struct {
	name  string
	walls bool // not made by a backend without walls
	keep  func(t *testing.T, b subject)
}

var promises = []promise{
	{"exit codes and signals are told", false, keepsExitCodes},
	{"standard input reaches the command and its output comes back byte for byte", false, keepsStreams},
	{"a long-lived process talks through pipes", false, keepsPipes},
	{"a command starts in its working directory", false, keepsDirectory},
	{"the environment is clean", false, keepsEnvironment},
	{"what is written stays in the copy and /out is collected", false, keepsTheTree},
	{"the deadline kills the whole tree", false, keepsDeadline},
	{"output keeps head and tail", false, keepsOutput},
	{"a cancelled context kills at once and says why", false, keepsCancel},
	{"commands run side by side", false, keepsConcurrency},
	{"close leaves nothing", false, keepsNothing},
	{"there is no network", true, keepsNetworkOut},
	{"the system is read-only and the host is not there", true, keepsSystem},
	{"the payload has no rights", true, keepsRights},
	{"memory is limited and reported", true, keepsMemory},
	{"processes are limited", true, keepsProcesses},
	{"disk is limited and reported", true, keepsDisk},
	{"processor time and the size of a file are limited", true, keepsSmallLimits},
	{"files are shown read-only where asked", true, keepsShown},
	{"a sealed process cannot be looked into", true, keepsSealed},
	{"what a killed process left is removed at the next start", true, keepsAfterKill},
}

// TestC1Conformance holds every backend that stands on this machine to the same
// promises. One that does not stand is skipped, with the reason.
func TestC1Conformance(t *testing.T) {
	t.Run(Bubblewrap, func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS != "linux" {
			t.Skip("bubblewrap confines commands on Linux only")
		}
		conform(t, subject{walls: true, left: boxesLeft})
	})
	t.Run(None, func(t *testing.T) {
		t.Parallel()
		conform(t, subject{cfg: Config{Backend: None}, left: boxesLeft})
	})
	for _, host := range testEngines() {
		t.Run(Engine+" at "+strings.TrimPrefix(host, "unix://"), func(t *testing.T) {
			t.Parallel()
			api, err := dialEngine(context.Background(), host)
			if err != nil {
				t.Skipf("no engine to test: %v", err)
			}
			t.Cleanup(func() { _ = api.Close() })
			b := subject{walls: true, cfg: Config{Backend: Engine, EngineHost: host, EngineImage: engineImage(t, api)}}
			if found, err := api.ImageInspect(context.Background(), b.cfg.EngineImage); err == nil && found.Config != nil {
				b.image = map[string]string{}
				for _, kv := range found.Config.Env {
					k, v, _ := strings.Cut(kv, "=")
					b.image[k] = v
				}
			}
			b.left = func(t *testing.T, s *Sandbox) []string { return append(boxesLeft(t, s), containersLeft(t, api, s)...) }
			conform(t, b)
		})
	}
}

// testEngines are those named for the tests, separated by commas, else the
// places where engines listen.
func testEngines() []string {
	if named := os.Getenv("FETTLE_TEST_ENGINE_HOST"); named != "" {
		return strings.Split(named, ",")
	}
	return engineHosts()
}

func conform(t *testing.T, b subject) {
	b.box = b.open(t, Limits{})
	t.Logf("walls: %s", b.box.Walls())
	if b.walls && !b.box.Walls().SelfTest {
		t.Error("the walls were not tried")
	}
	t.Run("promises", func(t *testing.T) { // so that the shared sandbox is closed after all of them
		for _, p := range promises {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				if p.walls && !b.walls {
					t.Skip("a backend without walls does not promise this")
				}
				p.keep(t, b)
			})
		}
	})
	if err := b.box.Close(); err != nil {
		t.Error(err)
	}
	if left := b.left(t, b.box); len(left) > 0 {
		t.Errorf("left after all: %v", left)
	}
}

// boxesLeft lists the copies that are still on disk.
func boxesLeft(_ *testing.T, s *Sandbox) (left []string) {
	list, _ := os.ReadDir(filepath.Join(s.state, boxesDir))
	for _, e := range list {
		left = append(left, e.Name())
	}
	return left
}

// containersLeft lists the containers of a state folder, running or not.
func containersLeft(t *testing.T, api *client.Client, s *Sandbox) (left []string) {
	id, err := stateID(context.Background(), s.state)
	if err != nil {
		t.Fatal(err)
	}
	list, err := api.ContainerList(context.Background(), client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", labelState+"="+id)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Items {
		left = append(left, strings.Join(c.Names, " ")+" "+string(c.State))
	}
	return left
}
