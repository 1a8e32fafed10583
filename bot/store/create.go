package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// NewRun asks for a run.
type NewRun struct {
	ID       string      `json:"id"`
	Task     task.Task   `json:"task"` // Generation is counted here
	Budget   task.Budget `json:"budget"`
	Delivery string      `json:"delivery,omitempty"` // which delivery asks; asking twice for it gives the same answer
	// Saved is where the run begins, when it goes on from another's end.
	Saved *task.RunState `json:"saved,omitempty"`
}

// repoKey is a repository as rows hold it.
func repoKey(r task.Repo) string {
	if r.Owner == "" {
		return clean(r.Slug())
	}
	return slugKey(r.Slug())
}

// private tells whether the run is worked by the process that asked for it
// (ClaimRun), so that Claim never hands it to a server on the same database.
func private(t task.Task) bool {
	return t.Origin == task.OriginCLI || t.Origin == task.OriginHook || t.Origin == task.OriginEval
}

// CreateRun queues a run and wakes a worker. While the issue (number > 0) has
// a live run, the ask joins it: joined is true and the live run is returned. If
// that run is being cancelled, the ask is kept and becomes the next run when
// the cancelled one has ended, so that a label taken off and put on again ends
// in a run whatever the order of the deliveries. Otherwise the task's
// Generation is one more than the issue's last. Runs of the doors cli, hook and
// eval are not handed out by Claim but taken by their makers with ClaimRun.
func (s *Store) CreateRun(ctx context.Context, nr NewRun) (run task.Run, joined bool, err error) {
	if nr.ID == "" {
		return task.Run{}, false, errors.New("store: create a run: it has no id")
	}
	err = s.tx(ctx, "create run "+nr.ID, func(tx *sql.Tx) error {
		id, j, err := s.ask(ctx, tx, nr)
		if err != nil {
			return err
		}
		joined = j
		run, err = scanRun(tx.QueryRowContext(ctx, "SELECT "+runCols+" FROM runs WHERE id = $1", id).Scan)
		return err
	})
	if err == nil && !joined {
		s.poke()
	}
	return run, joined, err
}

// ask finds or makes the run that nr means.
func (s *Store) ask(ctx context.Context, tx *sql.Tx, nr NewRun) (id string, joined bool, err error) {
	key, t := repoKey(nr.Task.Repo), nr.Task
	position, err := s.arrive(ctx, tx, t.Repo.Installation, key) // from here on alone with this repository
	if err != nil {
		return "", false, err
	}
	if id, joined, err = s.askedBefore(ctx, tx, nr, key); err != nil || id != "" {
		return id, joined, err
	}
	generation := 1
	if t.Issue > 0 {
		var cancelled int
		err = tx.QueryRowContext(ctx, `SELECT id, cancel_asked FROM runs
			WHERE installation = $1 AND repo = $2 AND issue = $3 AND state <> 'done'`+s.lockRow(), t.Repo.Installation, key, t.Issue).Scan(&id, &cancelled)
		if err == nil {
			return id, true, s.join(ctx, tx, nr, id, cancelled != 0)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return "", false, err
		}
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(generation), 0) + 1 FROM runs WHERE installation = $1 AND repo = $2 AND issue = $3",
			t.Repo.Installation, key, t.Issue).Scan(&generation); err != nil {
			return "", false, err
		}
	}
	nr.Task.Generation = generation
	if err := s.insertRun(ctx, tx, nr, key, position); err != nil {
		return "", false, err
	}
	return nr.ID, false, s.noteAsk(ctx, tx, nr, nr.ID, false)
}

// arrive counts an arrival at a repository and locks it until the end of the
// transaction.
func (s *Store) arrive(ctx context.Context, tx *sql.Tx, installation int64, key string) (position int64, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO repos (installation, repo, arrivals, born)
		VALUES ($1, $2, 1, (SELECT coalesce(max(born), 0) + 1 FROM repos))
		ON CONFLICT (installation, repo) DO UPDATE SET arrivals = repos.arrivals + 1 RETURNING arrivals`,
		installation, key).Scan(&position)
	return position, err
}

// askedBefore gives the answer that this delivery or this id got before.
func (s *Store) askedBefore(ctx context.Context, tx *sql.Tx, nr NewRun, key string) (id string, joined bool, err error) {
	if nr.Delivery != "" {
		var j int
		err = tx.QueryRowContext(ctx, "SELECT run, joined FROM run_asks WHERE delivery = $1 AND repo = $2 AND issue = $3",
			nr.Delivery, key, nr.Task.Issue).Scan(&id, &j)
		if err == nil || !errors.Is(err, sql.ErrNoRows) {
			return id, j != 0, err
		}
	}
	var installation int64
	var repo string
	var issue int
	err = tx.QueryRowContext(ctx, "SELECT id, installation, repo, issue FROM runs WHERE id = $1", nr.ID).Scan(&id, &installation, &repo, &issue)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err == nil && (installation != nr.Task.Repo.Installation || repo != key || issue != nr.Task.Issue) {
		err = fmt.Errorf("the id is taken by a run on %s#%d; ids must be unique", repo, issue)
	}
	return id, false, err
}

// join notes that nr was answered with the live run, and keeps nr for later
// when that run is on its way out.
func (s *Store) join(ctx context.Context, tx *sql.Tx, nr NewRun, live string, cancelled bool) error {
	if cancelled {
		b, err := json.Marshal(nr)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE runs SET follow = $2 WHERE id = $1", live, s.doc(b)); err != nil {
			return err
		}
	}
	return s.noteAsk(ctx, tx, nr, live, true)
}

func (s *Store) noteAsk(ctx context.Context, tx *sql.Tx, nr NewRun, run string, joined bool) error {
	if nr.Delivery == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO run_asks (delivery, repo, issue, run, joined) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (delivery, repo, issue) DO NOTHING`, nr.Delivery, repoKey(nr.Task.Repo), nr.Task.Issue, run, flag(joined))
	return err
}

func (s *Store) insertRun(ctx context.Context, tx *sql.Tx, nr NewRun, key string, position int64) error {
	t, err := json.Marshal(nr.Task)
	if err != nil {
		return err
	}
	b, err := json.Marshal(nr.Budget)
	if err != nil {
		return err
	}
	saved := ""
	if nr.Saved != nil {
		raw, err := json.Marshal(nr.Saved)
		if err != nil {
			return err
		}
		saved = s.doc(raw)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO runs
		(id, installation, repo, issue, generation, private, position, task, budget, budget_usd, state, created_at, saved, title, actor)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued', $11, $12, $13, $14)`,
		nr.ID, nr.Task.Repo.Installation, key, nr.Task.Issue, nr.Task.Generation, flag(private(nr.Task)), position,
		s.doc(t), s.doc(b), int64(nr.Budget.USD), s.now(), saved, s.title(nr.Task.Title), s.title(nr.Task.Actor))
	if err != nil || private(nr.Task) {
		return err
	}
	_, err = s.jobs.InsertTx(ctx, tx, wakeJob{Run: nr.ID}, s.wakeOpts())
	return err
}

// titleRunes bounds what stands in the index of the lists, which Postgres limits.
const titleRunes = 300

func (s *Store) title(text string) string {
	text = s.words(text)
	if r := []rune(text); len(r) > titleRunes {
		text = string(r[:titleRunes])
	}
	return text
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
