package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// acceptWithin bounds Accept by itself, below the 8 s that the webhook door has.
const acceptWithin = 7 * time.Second

// A batch is bounded in rows and bytes, so that one transaction stays short.
const (
	batchRows  = 256
	batchBytes = 32 << 20
)

// accept is one caller who waits for its batch: of Accept, or of together.
type accept struct {
	ctx   context.Context
	d     Delivery
	do    func(*sql.Tx) error // instead of storing d
	fresh bool
	err   error
	done  chan struct{}
}

// Accept stores a delivery, which Work then finds to be handled; it is on disk when
// Accept returns. fresh is false when the delivery was
// stored before; that changes nothing. After an error the delivery may or may
// not be stored: answer 503 and let it be sent again.
//
// Calls that come while a transaction is being written share the next one
// (group commit), so none waits longer than the writing of its predecessor.
func (s *Store) Accept(ctx context.Context, d Delivery) (fresh bool, err error) {
	if d.ID == "" {
		return false, errors.New("store: accept a delivery: it has no id")
	}
	ctx, cancel := context.WithTimeout(ctx, acceptWithin)
	defer cancel()
	d.ID, d.Event = clean(d.ID), clean(d.Event)
	if d.Payload = s.cfg.Funnel.Stored(d.Payload); d.Payload == nil {
		d.Payload = []byte{}
	}
	a := &accept{ctx: ctx, d: d, done: make(chan struct{})}
	select {
	case s.accepts <- a:
	case <-s.closing:
		return false, s.explain("accept delivery "+d.ID, ErrClosed)
	case <-ctx.Done():
		return false, s.explain("accept delivery "+d.ID, ctx.Err())
	}
	select {
	case <-a.done:
		return a.fresh, s.explain("accept delivery "+d.ID, a.err)
	case <-ctx.Done():
		return false, s.explain("accept delivery "+d.ID, ctx.Err())
	}
}

// together runs f in a transaction that others may share, so that many small writes
// cost one commit. What f sets is valid when there is no error; f may run again.
func (s *Store) together(ctx context.Context, what string, f func(*sql.Tx) error) error {
	if s.postgres { // its connections commit side by side
		return s.tx(ctx, what, f)
	}
	a := &accept{ctx: ctx, do: f, done: make(chan struct{})}
	select {
	case s.accepts <- a:
	case <-s.closing:
		return s.explain(what, ErrClosed)
	case <-ctx.Done():
		return s.explain(what, ctx.Err())
	}
	<-a.done // f is not left running behind the caller's back; write is bounded
	if busy(a.err) || errors.Is(a.err, context.DeadlineExceeded) && ctx.Err() == nil {
		return s.tx(ctx, what, f) // which outwaits a lock
	}
	return s.explain(what, a.err)
}

// acceptLoop writes one batch after the other until the store closes.
func (s *Store) acceptLoop() {
	defer s.batcher.Done()
	var next *accept
	for {
		first := next
		if first == nil {
			select {
			case first = <-s.accepts:
			case <-s.closing:
				return
			}
		}
		var batch []*accept
		batch, next = s.gather(first)
		s.write(batch)
	}
}

// gather takes everybody who waits now. The one who did not fit is next.
func (s *Store) gather(first *accept) (batch []*accept, next *accept) {
	batch = []*accept{first}
	size := len(first.d.Payload)
	for len(batch) < batchRows {
		select {
		case a := <-s.accepts:
			if size += len(a.d.Payload); size > batchBytes {
				return batch, a
			}
			batch = append(batch, a)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// write stores a batch and tells everybody. When the batch fails for a reason
// that may lie in one of its rows, each is tried on its own, so that nobody
// fails for another's fault.
func (s *Store) write(batch []*accept) {
	batch = slices.DeleteFunc(batch, func(a *accept) bool {
		if a.ctx.Err() == nil {
			return false
		}
		a.err = a.ctx.Err()
		close(a.done)
		return true
	})
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), acceptWithin)
	defer cancel()
	err := s.writeTx(ctx, batch)
	if err != nil && len(batch) > 1 && !everybodys(err) {
		for _, a := range batch {
			a.err = s.writeTx(ctx, []*accept{a})
			close(a.done)
		}
		return
	}
	for _, a := range batch {
		a.err = err
		close(a.done)
	}
}

// everybodys tells that an error has nothing to do with a single row: trying
// rows one by one would only take longer.
func everybodys(err error) bool {
	return busy(err) || errors.Is(err, ErrReplaced) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone)
}

func (s *Store) writeTx(ctx context.Context, batch []*accept) error {
	var rows, others []*accept
	for _, a := range batch {
		if a.fresh = false; a.do != nil {
			others = append(others, a)
		} else {
			rows = append(rows, a)
		}
	}
	// Always in the order of ids: two processes with the same ids cannot deadlock.
	slices.SortStableFunc(rows, func(a, b *accept) int { return strings.Compare(a.d.ID, b.d.ID) })
	err := s.txOnce(ctx, func(tx *sql.Tx) error {
		for _, a := range others {
			if err := a.do(tx); err != nil {
				return err
			}
		}
		if len(rows) == 0 {
			return nil
		}
		stored, err := s.insertDeliveries(ctx, tx, rows)
		for _, a := range rows {
			a.fresh = stored[a.d.ID]
			delete(stored, a.d.ID) // a second one in the same batch is a repeat
		}
		return err
	})
	if err == nil && len(rows) > 0 {
		s.look()
	}
	return err
}

// insertDeliveries inserts what is not there yet and returns its ids.
func (s *Store) insertDeliveries(ctx context.Context, tx *sql.Tx, batch []*accept) (map[string]bool, error) {
	var q strings.Builder
	q.WriteString("INSERT INTO deliveries (id, event, payload, installation, received_at, wake_at) VALUES ")
	args := make([]any, 0, 6*len(batch))
	now := s.now()
	for i, a := range batch {
		if i > 0 {
			q.WriteString(", ")
		}
		n := len(args)
		fmt.Fprintf(&q, "($%d, $%d, $%d, $%d, $%d, $%d)", n+1, n+2, n+3, n+4, n+5, n+6)
		at := micro(a.d.ReceivedAt)
		if at == 0 {
			at = now
		}
		args = append(args, a.d.ID, a.d.Event, a.d.Payload, a.d.Installation, at, now)
	}
	q.WriteString(" ON CONFLICT (id) DO NOTHING RETURNING id")
	rows, err := tx.QueryContext(ctx, q.String(), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stored := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		stored[id] = true
	}
	return stored, rows.Err()
}
