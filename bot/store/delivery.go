package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Delivery is a webhook as it came. The fields after ReceivedAt are read only.
type Delivery struct {
	ID           string    `json:"id"` // X-GitHub-Delivery
	Event        string    `json:"event"`
	Payload      []byte    `json:"-"`
	Installation int64     `json:"installation,omitempty"`
	ReceivedAt   time.Time `json:"received_at"`

	State      string    `json:"state,omitempty"` // queued, working, done or failed
	Note       string    `json:"note,omitempty"`  // what came of it, or why the last try failed
	Tries      int       `json:"tries,omitempty"`
	FinishedAt time.Time `json:"finished_at,omitzero"`
}

const deliveryCols = "id, event, payload, installation, received_at, state, note, tries, finished_at"

func scanDelivery(scan func(...any) error) (Delivery, error) {
	var d Delivery
	var received, finished int64
	err := scan(&d.ID, &d.Event, &d.Payload, &d.Installation, &received, &d.State, &d.Note, &d.Tries, &finished)
	d.ReceivedAt, d.FinishedAt = fromMicro(received), fromMicro(finished)
	return d, err
}

// Delivery returns one delivery, or ErrNotFound.
func (s *Store) Delivery(ctx context.Context, id string) (Delivery, error) {
	d, err := scanDelivery(s.r.QueryRowContext(ctx, "SELECT "+deliveryCols+" FROM deliveries WHERE id = $1", id).Scan)
	return d, s.explain("read delivery "+id, noRows(err))
}

// Deliveries lists the ids of the deliveries received at or after since, in
// the order of their coming, whatever became of them.
func (s *Store) Deliveries(ctx context.Context, since time.Time) ([]string, error) {
	rows, err := s.r.QueryContext(ctx, "SELECT id FROM deliveries WHERE received_at >= $1 ORDER BY received_at, id", micro(since))
	if err != nil {
		return nil, s.explain("list deliveries", err)
	}
	defer rows.Close()
	ids := []string{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, s.explain("list deliveries", err)
		}
		ids = append(ids, id)
	}
	return ids, s.explain("list deliveries", rows.Err())
}

// FailedDeliveries lists the deliveries received at or after since that were
// given up, with the last error as their note.
func (s *Store) FailedDeliveries(ctx context.Context, since time.Time) ([]Delivery, error) {
	rows, err := s.r.QueryContext(ctx, "SELECT "+deliveryCols+
		" FROM deliveries WHERE state = 'failed' AND received_at >= $1 ORDER BY received_at, id", micro(since))
	if err != nil {
		return nil, s.explain("list failed deliveries", err)
	}
	defer rows.Close()
	var out []Delivery
	for rows.Next() {
		d, err := scanDelivery(rows.Scan)
		if err != nil {
			return nil, s.explain("list failed deliveries", err)
		}
		out = append(out, d)
	}
	return out, s.explain("list failed deliveries", rows.Err())
}

// FinishDelivery says what came of a delivery and that nothing is left to do.
// A delivery that has ended stays as it is.
func (s *Store) FinishDelivery(ctx context.Context, id, note string) error {
	return s.together(ctx, "finish delivery "+id, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = 'done', note = $2, finished_at = $3
			WHERE id = $1 AND state IN ('queued', 'working')`, id, s.words(note), s.now())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		var state string
		return noRows(tx.QueryRowContext(ctx, "SELECT state FROM deliveries WHERE id = $1", id).Scan(&state))
	})
}

func noRows(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// try is one handling of a delivery. The token fences a handler that was stopped
// and continued.
type try struct {
	id    string
	token int64
	tries int
}

// dueDeliveries are those that wait for nothing but a hand, about in the order of
// their coming. The first condition is that of their index.
const dueDeliveries = "SELECT id FROM deliveries WHERE state IN ('queued', 'working') AND state = 'queued' AND wake_at <= $1"

// beginDeliveries takes at most n deliveries for one try each.
func (s *Store) beginDeliveries(ctx context.Context, n int) (begun []try, err error) {
	now := s.now()
	var one string
	err = s.r.QueryRowContext(ctx, dueDeliveries+" LIMIT 1", now).Scan(&one) // most looks find nothing, and write nothing
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("look for deliveries", err)
	}
	take := dueDeliveries + " LIMIT $2"
	if s.postgres {
		take = dueDeliveries + " ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED"
	}
	err = s.together(ctx, "take deliveries", func(tx *sql.Tx) error {
		begun = nil
		rows, err := tx.QueryContext(ctx, "UPDATE deliveries SET state = 'working', token = token + 1, tries = tries + 1, beat_at = $1 WHERE id IN ("+take+") RETURNING id, token, tries", now, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var t try
			if err := rows.Scan(&t.id, &t.token, &t.tries); err != nil {
				return err
			}
			begun = append(begun, t)
		}
		return rows.Err()
	})
	return begun, err
}

// beatDelivery keeps a delivery that is being handled from being swept.
func (s *Store) beatDelivery(ctx context.Context, id string, token int64) error {
	_, err := s.w.ExecContext(ctx, "UPDATE deliveries SET beat_at = $3 WHERE id = $1 AND token = $2 AND state = 'working'", id, token, s.now())
	return err
}

// endDelivery stores what came of a try: state queued (to be tried again at
// wake), done or failed. uncounted takes the try back.
func (s *Store) endDelivery(ctx context.Context, t try, state, note string, wake time.Time, uncounted bool) error {
	var finished, less int64
	if state != "queued" {
		finished = s.now()
	}
	if uncounted {
		less = 1
	}
	return s.together(ctx, "end a try of delivery "+t.id, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = $3, note = $4, wake_at = $5, finished_at = $6, tries = tries - $7
			WHERE id = $1 AND token = $2 AND state = 'working'`, t.id, t.token, state, s.words(note), micro(wake), finished, less)
		return err
	})
}
