package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Lease is the right to write a run and to act for it outside. It is good
// until the run is released, parked, finished or swept; every use compares
// Token with the run's newest.
type Lease struct {
	RunID   string
	Token   int64  // fencing token: one more with each claim of the run
	Owner   string // Config.WorkerName of the holder
	Crashes int    // how often the run was taken from a holder whose heartbeat stopped

	cancelling bool // the holder knew of the cancel when it claimed the run
}

// Claim gives out the next queued run and a lease on it, or nil when there is
// none. The repository that was served longest ago goes first, and inside it
// the run that came first.
//
// Workers of one process that claim at once share a transaction: whoever claims holds a
// lock of all processes until the disk has the claim, and fifty workers one after the
// other would wait for fifty writes.
func (s *Store) Claim(ctx context.Context) (*Lease, task.Run, error) {
	c := &claim{ctx: ctx, ended: make(chan struct{})}
	s.mu.Lock()
	s.claims = append(s.claims, c)
	first := !s.claiming
	s.claiming = true
	s.mu.Unlock()
	if first {
		go s.claimAll()
	}
	<-c.ended // also when ctx is over: what was given out must not be lost
	if c.lease != nil {
		s.poke() // there may be more: let the next idle worker look
	}
	return c.lease, c.run, c.err
}

// claim is one call of Claim, and what came of it.
type claim struct {
	ctx   context.Context
	ended chan struct{}
	lease *Lease
	run   task.Run
	err   error
}

// claimsAtOnce bounds the claims of one transaction.
const claimsAtOnce = 16

// claimAll answers calls of Claim until none waits.
func (s *Store) claimAll() {
	for {
		s.mu.Lock()
		now := s.claims[:min(len(s.claims), claimsAtOnce)]
		s.claims = slices.Clone(s.claims[len(now):])
		s.claiming = len(now) > 0
		s.mu.Unlock()
		if len(now) == 0 {
			return
		}
		there := slices.DeleteFunc(slices.Clone(now), func(c *claim) bool {
			c.err = s.explain("claim a run", c.ctx.Err())
			return c.err != nil
		})
		err := s.claimThese(there)
		for _, c := range now {
			if err != nil && c.err == nil {
				c.lease, c.run, c.err = nil, task.Run{}, err
			}
			close(c.ended)
		}
	}
}

// claimThese gives each of these calls a run, as long as there are any, in one
// transaction, which ends when no caller is left.
func (s *Store) claimThese(these []*claim) error {
	if len(these) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(these[0].ctx))
	defer cancel(nil)
	var left atomic.Int64
	left.Store(int64(len(these)))
	for _, c := range these {
		defer context.AfterFunc(c.ctx, func() {
			if left.Add(-1) == 0 {
				cancel(context.Cause(c.ctx))
			}
		})()
	}
	return s.tx(ctx, "claim a run", func(tx *sql.Tx) error {
		if err := s.claimLock(ctx, tx); err != nil {
			return err
		}
		for _, c := range these {
			c.lease, c.run = nil, task.Run{} // of a try before
		}
		return s.takeNext(ctx, tx, these)
	})
}

// takeNext gives the next run to each of these calls, as long as there are any.
func (s *Store) takeNext(ctx context.Context, tx *sql.Tx, these []*claim) error {
	if s.postgres {
		return s.takeTogether(ctx, tx, these)
	}
	for _, c := range these { // on the one connection nobody cancels between choice and taking
		id, err := s.nextRun(ctx, tx)
		if err != nil || id == "" {
			return err
		}
		if c.lease, c.run, err = s.take(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// takeTogether is nextRun and take, n times, in one statement: each way to the database and
// back keeps all other claims waiting. Repositories are locked first, as by lockRepo; a run
// that is cancelled between choice and update is not taken, and the next look finds another.
func (s *Store) takeTogether(ctx context.Context, tx *sql.Tx, these []*claim) error {
	rows, err := tx.QueryContext(ctx, `WITH whose AS (`+nextRepos+` FOR UPDATE OF p),
		next AS (SELECT r.id, row_number() OVER (ORDER BY r.turn, p.served, p.born, p.repo) AS place FROM whose p CROSS JOIN LATERAL (
			SELECT id, row_number() OVER (ORDER BY position) AS turn FROM runs
			WHERE state = 'queued' AND private = 0 AND installation = p.installation AND repo = p.repo ORDER BY position LIMIT $4) r
			ORDER BY place LIMIT $4),
		taken AS (UPDATE runs SET `+taking+` FROM next WHERE runs.id = next.id AND `+from(task.StateRunning, task.StateQueued)+` RETURNING runs.*, next.place),
		turn AS (UPDATE repos SET served = (SELECT max(served) FROM repos) + t.place
			FROM (SELECT installation, repo, max(place) AS place FROM taken GROUP BY installation, repo) t
			WHERE repos.installation = t.installation AND repos.repo = t.repo)
		SELECT token, crashes, `+runCols+` FROM taken ORDER BY place`, s.cfg.WorkerName, flag(s.isWorking()), s.now(), len(these))
	if err != nil {
		return err
	}
	defer rows.Close()
	for _, c := range these {
		if !rows.Next() {
			break
		}
		c.lease = &Lease{Owner: s.cfg.WorkerName}
		if c.run, err = scanRun(func(into ...any) error {
			return rows.Scan(append([]any{&c.lease.Token, &c.lease.Crashes}, into...)...)
		}); err != nil {
			return err
		}
		c.lease.RunID, c.lease.cancelling = c.run.ID, c.run.CancelAsked
	}
	return rows.Err()
}

// nextRepos are the repositories whose turn it is, $4 of them, and taking what changes in a run that is
// taken: by $1, who works for a server ($2) or not, at $3.
const (
	nextRepos = `SELECT p.installation, p.repo, p.served, p.born FROM repos p
			WHERE EXISTS (SELECT 1 FROM runs q WHERE q.state = 'queued' AND q.private = 0
				AND q.installation = p.installation AND q.repo = p.repo)
			ORDER BY p.served, p.born, p.repo LIMIT $4`
	taking = `state = 'running', token = token + 1, owner = $1, served = $2, beat_at = $3, not_before = 0, waiting = '',
			started_at = CASE WHEN started_at = 0 THEN $3 ELSE started_at END`
)

func (s *Store) nextRun(ctx context.Context, tx *sql.Tx) (id string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT r.id FROM runs r JOIN (`+strings.ReplaceAll(nextRepos, "$4", "1")+`) p
		ON r.installation = p.installation AND r.repo = p.repo
		WHERE r.state = 'queued' AND r.private = 0 ORDER BY r.position LIMIT 1`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// take moves a queued run to running under a new token; nil when it is not
// queued any more.
func (s *Store) take(ctx context.Context, tx *sql.Tx, id string) (*Lease, task.Run, error) {
	l := &Lease{RunID: id, Owner: s.cfg.WorkerName}
	if err := s.lockRepo(ctx, tx, id); err != nil {
		return nil, task.Run{}, err
	}
	err := tx.QueryRowContext(ctx, `UPDATE runs SET `+taking+`
		WHERE id = $4 AND `+from(task.StateRunning, task.StateQueued)+` RETURNING token, crashes`,
		l.Owner, flag(s.isWorking()), s.now(), id).Scan(&l.Token, &l.Crashes)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, task.Run{}, nil
	}
	if err != nil {
		return nil, task.Run{}, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE repos SET served = (SELECT max(served) + 1 FROM repos)
		WHERE (installation, repo) = (SELECT installation, repo FROM runs WHERE id = $1)`, id)
	if err != nil {
		return nil, task.Run{}, err
	}
	run, err := scanRun(tx.QueryRowContext(ctx, "SELECT "+runCols+" FROM runs WHERE id = $1", id).Scan)
	l.cancelling = run.CancelAsked
	return l, run, err
}

// ClaimRun takes this run, also one that is private or parked. ErrHeld when
// somebody with a fresh heartbeat has it, ErrDone when it has ended.
func (s *Store) ClaimRun(ctx context.Context, id string) (lease *Lease, run task.Run, err error) {
	err = s.tx(ctx, "claim run "+id, func(tx *sql.Tx) error {
		if err := s.lockRepo(ctx, tx, id); err != nil {
			return err
		}
		if err := s.requeue(ctx, tx, id); err != nil {
			return err
		}
		var e error
		if lease, run, e = s.take(ctx, tx, id); e != nil || lease != nil {
			return e
		}
		held, err := scanRun(tx.QueryRowContext(ctx, "SELECT "+runCols+" FROM runs WHERE id = $1", id).Scan)
		if err != nil {
			return noRows(err)
		}
		if held.State == task.StateDone {
			return ErrDone
		}
		return ErrHeld
	})
	if err != nil {
		return nil, task.Run{}, err
	}
	return lease, run, nil
}

// lockRepo locks the row of a run's repository. Whoever locks both takes the
// repository first, so that no two transactions wait for each other.
func (s *Store) lockRepo(ctx context.Context, tx *sql.Tx, run string) error {
	if !s.postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, `SELECT 1 FROM repos WHERE (installation, repo) =
		(SELECT installation, repo FROM runs WHERE id = $1) FOR UPDATE`, run)
	return err
}

// claimLock lets one transaction at a time hand out or take back runs: strict
// order, no repository passed over because its row is locked for a moment.
func (s *Store) claimLock(ctx context.Context, tx *sql.Tx) error {
	if !s.postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockClaim))
	return err
}

// requeue brings a parked run, or one whose holder is gone, back to the queue.
func (s *Store) requeue(ctx context.Context, tx *sql.Tx, id string) error {
	now, stale := s.now(), s.cfg.Stale.Microseconds()
	if _, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', not_before = 0 WHERE id = $1 AND "+
		from(task.StateQueued, task.StateParked), id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'queued', token = token + 1, crashes = crashes + 1 WHERE id = $1 AND "+
		from(task.StateQueued, task.StateRunning)+" AND (beat_at < $2 OR beat_at > $3)", id, now-stale, now+stale)
	return err
}

// Heartbeat says that the holder lives; call it every few seconds. cancel is
// the reason when somebody asked for the run to stop, else empty.
func (s *Store) Heartbeat(ctx context.Context, l *Lease) (cancel string, err error) {
	var asked int
	err = s.tx(ctx, "heartbeat of run "+l.RunID, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `UPDATE runs SET beat_at = $3 WHERE id = $1 AND token = $2 AND state = 'running'
			RETURNING cancel_asked, cancel_reason`, l.RunID, l.Token, s.now()).Scan(&asked, &cancel)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrFenced
		}
		return err
	})
	if asked == 0 {
		cancel = ""
	}
	return cancel, err
}

// Check is called right before an outward call: ErrFenced when the lease is
// not the run's newest any more.
func (s *Store) Check(ctx context.Context, l *Lease) error {
	var one int
	err := s.r.QueryRowContext(ctx, "SELECT 1 FROM runs WHERE id = $1 AND token = $2 AND state = 'running'", l.RunID, l.Token).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrFenced
	}
	return s.explain("check the lease on run "+l.RunID, err)
}

// fenced runs f in a transaction in which the lease is the run's newest and
// stays so until the commit.
func (s *Store) fenced(ctx context.Context, l *Lease, what string, f func(*sql.Tx) error) error {
	return s.tx(ctx, fmt.Sprintf("%s: run %s", what, l.RunID), func(tx *sql.Tx) error {
		if err := s.lockRepo(ctx, tx, l.RunID); err != nil {
			return err
		}
		var one int
		err := tx.QueryRowContext(ctx, "SELECT 1 FROM runs WHERE id = $1 AND token = $2 AND state = 'running'"+s.lockRow(), l.RunID, l.Token).Scan(&one)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrFenced
		}
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// Sweep re-queues runs and deliveries whose heartbeat is older than stale by
// our clock (or lies as far in its future: then the clock was set back), and
// parked runs whose time has come. requeued counts them.
func (s *Store) Sweep(ctx context.Context, stale time.Duration) (requeued int, err error) {
	now, old := s.now(), stale.Microseconds()
	err = s.tx(ctx, "sweep", func(tx *sql.Tx) error {
		requeued = 0
		if err := s.claimLock(ctx, tx); err != nil {
			return err
		}
		for _, q := range []struct {
			text string
			args []any
		}{
			{"UPDATE runs SET state = 'queued', token = token + 1, crashes = crashes + 1, owner = '' WHERE " +
				from(task.StateQueued, task.StateRunning) + " AND (beat_at < $1 OR beat_at > $2)", []any{now - old, now + old}},
			{"UPDATE runs SET state = 'queued', not_before = 0 WHERE " +
				from(task.StateQueued, task.StateParked) + " AND not_before <= $1", []any{now}},
		} {
			n, err := affected(tx.ExecContext(ctx, q.text, q.args...))
			if err != nil {
				return err
			}
			requeued += n
		}
		n, err := s.sweepDeliveries(ctx, tx, now, old)
		requeued += n
		return err
	})
	if err == nil && requeued > 0 {
		s.poke()
	}
	return requeued, err
}

func affected(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}
