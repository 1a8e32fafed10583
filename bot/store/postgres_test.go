package store_test

import (
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	storetest.Run(t, server.New)
	t.Run("O2FourProcessesOnAnEmptyDatabase", func(t *testing.T) {
		t.Parallel()
		url := server.Empty(t)
		opened := make(chan error)
		for range 4 {
			go func() {
				s, err := store.Open(t.Context(), url, store.Config{})
				if err == nil {
					err = s.Close()
				}
				opened <- err
			}()
		}
		for range 4 {
			if err := <-opened; err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("L7OneLiveRunIsTheDatabasesRule", func(t *testing.T) {
		t.Parallel()
		oneLiveRun(t, open(t, server.New(t)))
	})
}

// TestF13AProcessThatStopsInAClaimHoldsNobodyUp: whoever stands still inside a transaction,
// with the lock that every claim needs, loses it, and the others go on.
func TestF13AProcessThatStopsInAClaimHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	url, ctx := storetest.StartPostgres(t).New(t), t.Context()
	stuck, other := open(t, url), open(t, url)
	if _, _, err := other.CreateRun(ctx, store.NewRun{ID: "r", Task: task.Task{Title: "it is broken", Issue: 1, Repo: task.Repo{Installation: 1, Owner: "acme", Name: "tool"}}}); err != nil {
		t.Fatal(err)
	}
	tx, err := stuck.DB().BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if err := stuck.ClaimLock(ctx, tx); err != nil {
		t.Fatal(err)
	}
	lease, _, err := other.Claim(ctx) // waits until Postgres ends the other's transaction
	if err != nil || lease == nil {
		t.Fatalf("claimed %v: %v", lease, err)
	}
	if err := tx.Commit(); err == nil {
		t.Error("what stood still was committed")
	}
	if err := stuck.Ready(); err != nil {
		t.Errorf("once it goes on: %v", err)
	}
	if _, err := stuck.Heartbeat(ctx, lease); err != nil {
		t.Errorf("once it goes on: %v", err)
	}
}

// TestO2ACopyOutwaitsTheOtherDatabase: while one writes for longer than a transaction may
// otherwise stand still, the other's is asked nothing.
func TestO2ACopyOutwaitsTheOtherDatabase(t *testing.T) {
	t.Parallel()
	server, ctx := storetest.StartPostgres(t), t.Context()
	from, to := open(t, server.New(t)), open(t, server.New(t))
	if _, _, err := from.CreateRun(ctx, store.NewRun{ID: "r", Task: task.Task{Title: "it is broken", Issue: 1, Repo: task.Repo{Installation: 1, Owner: "acme", Name: "tool"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := to.DB().ExecContext(ctx, `CREATE FUNCTION slow() RETURNS trigger AS $$ BEGIN PERFORM pg_sleep(12); RETURN NEW; END $$ LANGUAGE plpgsql;
		CREATE TRIGGER slow BEFORE INSERT ON repos FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Copy(ctx, to); err != nil {
		t.Error(err)
	}
}

// TestF11PostgresRestarts: killed connections and a server that is away are
// errors within 8 s, and everything accepted is there afterwards.
func TestF11PostgresRestarts(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	s, ctx := open(t, server.New(t)), t.Context()
	var stored []string
	accept := func(id string) error {
		begin := time.Now()
		fresh, err := s.Accept(ctx, store.Delivery{ID: id, Payload: []byte("{}")})
		if d := time.Since(begin); d > store.AcceptWithin+20*time.Second { // the bound itself is below 8 s
			t.Errorf("%s took %v", id, d)
		}
		if fresh {
			stored = append(stored, id)
		}
		return err
	}
	if err := accept("before"); err != nil {
		t.Fatal(err)
	}
	server.KillConnections(t)
	for i, err := 0, error(nil); i == 0 || err != nil; i++ { // the first may hit the dead connection
		if err = accept("killed"); i > 20 {
			t.Fatalf("does not get over killed connections: %v", err)
		}
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := accept("away"); err == nil {
		t.Error("accepted without a server")
	}
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
	for i, err := 0, error(nil); i == 0 || err != nil; i++ {
		if err = accept("back"); i > 20 {
			t.Fatalf("does not get over a restart: %v", err)
		}
	}
	ids, err := s.Deliveries(ctx, time.Time{})
	if err != nil || len(ids) != len(stored) || len(ids) < 2 {
		t.Errorf("stored %v, answered %v, %v", ids, stored, err)
	}
	if err := s.Integrity(ctx); err != nil {
		t.Error(err)
	}
}
