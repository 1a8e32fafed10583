package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// storeWithin bounds the storing of a result after its action was done, when
// the caller's context has ended in between.
const storeWithin = 10 * time.Second

// Once does an outward action of a run once. The intent is stored before, in
// the transaction that checks the lease, and do is called right after; its
// result is stored and returned to whoever asks for the same key again. again
// is true when the intent was there already: an earlier call crashed, failed or
// was fenced off in between, and do must first look for what it left outside.
// An error of do is returned and the action stays open. Of two calls for the
// same key at once the second waits for the first.
func (s *Store) Once(ctx context.Context, l *Lease, key string, do func(ctx context.Context, again bool) (json.RawMessage, error)) (json.RawMessage, error) {
	unlock, err := s.once.lock(ctx, l.RunID+"\x00"+key)
	if err != nil {
		return nil, s.explain("wait for another call of action "+key, err)
	}
	defer unlock()
	again, done, result, err := s.intend(ctx, l, key)
	if err != nil || done {
		return result, err
	}
	result, err = do(ctx, again)
	if err != nil {
		return nil, err
	}
	if len(result) == 0 {
		result = json.RawMessage("null")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	err = s.fenced(ctx, l, "store the result of action "+key, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE actions SET done = 1, result = $3, done_at = $4 WHERE run = $1 AND key = $2",
			l.RunID, key, s.doc(result), s.now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// intend writes the action down, or finds what is written.
func (s *Store) intend(ctx context.Context, l *Lease, key string) (again, done bool, result json.RawMessage, err error) {
	err = s.fenced(ctx, l, "begin action "+key, func(tx *sql.Tx) error {
		var text string
		var isDone int
		again, done, result = false, false, nil
		err := tx.QueryRowContext(ctx, "SELECT done, result FROM actions WHERE run = $1 AND key = $2", l.RunID, key).Scan(&isDone, &text)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err = tx.ExecContext(ctx, "INSERT INTO actions (run, key, token, meant_at) VALUES ($1, $2, $3, $4)", l.RunID, key, l.Token, s.now())
			return err
		case err != nil:
			return err
		case isDone != 0:
			done, result = true, json.RawMessage(text)
			return nil
		}
		again = true
		_, err = tx.ExecContext(ctx, "UPDATE actions SET token = $3 WHERE run = $1 AND key = $2", l.RunID, key, l.Token)
		return err
	})
	return again, done, result, err
}

// keyedMutex is a lock for each key, held by one goroutine of this process.
type keyedMutex struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the holder lets go
}

func (k *keyedMutex) lock(ctx context.Context, key string) (unlock func(), err error) {
	for {
		k.mu.Lock()
		busy, held := k.held[key]
		if !held {
			mine := make(chan struct{})
			if k.held == nil {
				k.held = map[string]chan struct{}{}
			}
			k.held[key] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.held, key)
				k.mu.Unlock()
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
