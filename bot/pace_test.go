package bot_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

// GitHub counts what is sent for an installation, whichever process sends it: two that
// share a database keep its limits together, and both stop where it has told one to.
func TestL03ProcessesShareWhatAnInstallationMaySend(t *testing.T) {
	t.Parallel()
	sim, err := simulator.New(simulator.Config{Root: filepath.Join(t.TempDir(), "github")})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = sim.Serve(t.Context()) }()
	t.Cleanup(func() { _ = sim.Close() })
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# Shop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sim.AddRepo(acme, shopN, dir); err != nil {
		t.Fatal(err)
	}
	n, err := sim.OpenIssue(acme, shopN, "a title", "a body", eve)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	url := storetest.StartPostgres(t).New(t)
	var clients []*forge.Client
	for range 2 {
		db, err := store.Open(t.Context(), url, store.Config{Log: nobody()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		c, err := forge.New(forge.Config{AppID: sim.AppID(), PrivateKey: sim.PrivateKeyPEM(), BaseURL: sim.URL(), Funnel: redact.New(), Log: nobody(),
			Now: func() time.Time { return start }, MarkerKey: []byte("a key for hidden markers"), Pace: db.Pace()})
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	repo := task.Repo{Installation: sim.Snapshot(acme, shopN).Installation, Owner: acme, Name: shopN}
	var said, held atomic.Int64
	var all sync.WaitGroup
	for i, c := range clients {
		for w := range 3 {
			all.Go(func() {
				for j := range 20 {
					_, err := c.Comment(t.Context(), repo, n, fmt.Sprintf("%d %d %d", i, w, j), "a word")
					var limited *forge.RateLimited
					switch {
					case err == nil:
						said.Add(1)
					case errors.As(err, &limited):
						held.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if said.Load() != 80 || held.Load() != 40 {
		t.Errorf("in one minute %d comments were made by both, and %d held back", said.Load(), held.Load())
	}
}
