package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// Reserve sets the worst case of a call aside before the call is made, and
// returns the reservation as it stands:
//
//   - Settled: the call was made and answered before; use Reply (nil when it
//     ended without one) and do not call. It is never bought again under this id.
//   - not Settled, Bought 1: new; make the call, then Settle.
//   - not Settled, Bought 2: the first call was in flight at a crash. It stays
//     charged at its worst case; make the call once more, then Settle.
//
// ErrBought: it was in flight at two crashes. ErrBudget: the worst case does
// not fit into the run's budget, or into want.Limit where that is narrower. A
// *CapError: it does not fit into what several runs may spend (Config.Caps).
func (s *Store) Reserve(ctx context.Context, l *Lease, want task.Reservation) (task.Reservation, error) {
	var got task.Reservation
	if want.ID == "" || want.Worst < 0 {
		return got, fmt.Errorf("store: reserve money for run %s: a reservation needs an id and a worst case that is not negative", l.RunID)
	}
	err := s.fenced(ctx, l, "reserve "+want.Worst.String()+" for call "+want.ID, func(tx *sql.Tx) error {
		var err error
		got, err = scanReservation(tx.QueryRowContext(ctx, "SELECT "+reservationCols+" FROM reservations WHERE run = $1 AND id = $2", l.RunID, want.ID).Scan)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			got = task.Reservation{ID: want.ID, Run: l.RunID, Tier: want.Tier, Worst: want.Worst, Bought: 1}
		case err != nil || got.Settled:
			return err
		case got.Bought >= 2:
			return ErrBought
		default:
			got.Bought, got.Worst = got.Bought+1, want.Worst
		}
		if err := s.affordable(ctx, tx, l.RunID, want); err != nil {
			return err
		}
		if err := s.within(ctx, tx, l.RunID, want.Worst); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO reservations (run, id, tier, worst, bought, made_at) VALUES ($1, $2, $3, $4, 1, $6)
			ON CONFLICT (run, id) DO UPDATE SET bought = reservations.bought + 1, lost = reservations.lost + reservations.worst, worst = $5, made_at = $6`,
			l.RunID, want.ID, string(want.Tier), int64(want.Worst), int64(got.Worst), s.now())
		return err
	})
	if err != nil {
		return task.Reservation{}, err
	}
	return got, nil
}

const reservationCols = "id, run, tier, worst, actual, settled, reply, bought"

func scanReservation(scan func(...any) error) (task.Reservation, error) {
	var r task.Reservation
	var settled int
	var reply string
	err := scan(&r.ID, &r.Run, &r.Tier, &r.Worst, &r.Actual, &settled, &reply, &r.Bought)
	r.Settled = settled != 0
	if reply != "" {
		r.Reply = json.RawMessage(reply)
	}
	return r, err
}

// affordable refuses what would take the run above its budget.
func (s *Store) affordable(ctx context.Context, tx *sql.Tx, run string, want task.Reservation) error {
	var budget, spent int64
	err := tx.QueryRowContext(ctx, `SELECT r.budget_usd, coalesce((SELECT sum(`+charged+`) FROM reservations WHERE run = r.id), 0)
		FROM runs r WHERE r.id = $1`, run).Scan(&budget, &spent)
	if limit := int64(want.Limit); limit > 0 && (budget <= 0 || limit < budget) {
		budget = limit
	}
	if err == nil && budget > 0 && spent+int64(want.Worst) > budget {
		return fmt.Errorf("%w: spent %s of %s", ErrBudget, task.USD(spent), task.USD(budget))
	}
	return err
}

// charged is what a reservation costs: calls lost at crashes at their worst
// case, and the last call at what it cost or, while it is open, its worst case.
const charged = "lost + CASE WHEN settled = 1 THEN actual ELSE worst END"

// Settle closes a reservation with what the call cost and its reply (nil when
// it ended without one). The same again changes nothing; other figures for a
// settled reservation are an error.
func (s *Store) Settle(ctx context.Context, l *Lease, id string, actual task.USD, reply json.RawMessage) error {
	text := s.doc(reply)
	return s.fenced(ctx, l, "settle call "+id, func(tx *sql.Tx) error {
		r, err := scanReservation(tx.QueryRowContext(ctx, "SELECT "+reservationCols+" FROM reservations WHERE run = $1 AND id = $2", l.RunID, id).Scan)
		if err != nil {
			return noRows(err)
		}
		if r.Settled {
			if r.Actual == actual && bytes.Equal(r.Reply, []byte(text)) {
				return nil
			}
			return fmt.Errorf("it was settled before with %s and %d bytes of reply; a stored reply is never replaced", r.Actual, len(r.Reply))
		}
		_, err = tx.ExecContext(ctx, "UPDATE reservations SET settled = 1, actual = $3, reply = $4 WHERE run = $1 AND id = $2", l.RunID, id, int64(actual), text)
		return err
	})
}

// Spent is what a run is charged so far, in all and by tier: settled calls at
// what they cost, open and lost ones at their worst case.
func (s *Store) Spent(ctx context.Context, runID string) (task.USD, map[task.Tier]task.USD, error) {
	all, by, err := s.spent(ctx, s.r, runID)
	if by == nil {
		by = map[task.Tier]task.USD{}
	}
	return all, by, s.explain("sum the cost of run "+runID, err)
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// spent sums the reservations of a run; by is nil when it has none.
func (s *Store) spent(ctx context.Context, q querier, runID string) (all task.USD, by map[task.Tier]task.USD, err error) {
	rows, err := q.QueryContext(ctx, "SELECT tier, sum("+charged+") FROM reservations WHERE run = $1 GROUP BY tier", runID)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var tier task.Tier
		var sum int64
		if err := rows.Scan(&tier, &sum); err != nil {
			return 0, nil, err
		}
		if by == nil {
			by = map[task.Tier]task.USD{}
		}
		by[tier] += task.USD(sum)
		all += task.USD(sum)
	}
	return all, by, rows.Err()
}
