package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// HealKey names what heal keeps a document of: a class of tasks of a repository
// (owner/name). The zero key is everything.
type HealKey struct {
	Installation int64
	Repo, Class  string
}

func (k HealKey) row() (int64, string, string) {
	if k == (HealKey{}) {
		return 0, "", "global"
	}
	return k.Installation, slugKey(k.Repo), clean(k.Class)
}

// HealResult is a result that is taken in once.
type HealResult struct {
	ID    string    `json:"id"`
	Key   HealKey   `json:"-"`
	Run   string    `json:"run"`
	Step  string    `json:"step"`
	Cause string    `json:"cause,omitempty"`
	Words string    `json:"words,omitempty"`
	At    time.Time `json:"at"`
}

// HealMove is a change of a state; Body is heal's own.
type HealMove struct {
	ID   string
	Key  HealKey
	At   time.Time
	Body json.RawMessage
}

// HealChange is what a result, or a person's word, makes of documents.
type HealChange struct {
	Bodies map[HealKey]json.RawMessage // to be kept
	Moves  []HealMove
}

// KeptMoves is how many changes of states are kept.
const KeptMoves = 5000

// resultsFor is how long a result is known again.
const resultsFor = 30 * 24 * time.Hour

// HealDocs reads documents; a key without one is not in the answer.
func (s *Store) HealDocs(ctx context.Context, keys ...HealKey) (map[HealKey]json.RawMessage, error) {
	out, err := healDocs(ctx, s.r, keys)
	return out, s.explain("read the state of heal", err)
}

func healDocs(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, keys []HealKey) (map[HealKey]json.RawMessage, error) {
	out := map[HealKey]json.RawMessage{}
	for _, k := range keys {
		installation, repo, class := k.row()
		var body string
		err := q.QueryRowContext(ctx, "SELECT body FROM heal_scopes WHERE installation = $1 AND repo = $2 AND class = $3", installation, repo, class).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[k] = json.RawMessage(body)
	}
	return out, nil
}

// Heal changes documents in one transaction, together with the result that changes
// them; fresh is false, and nothing happens, where the result was taken in before (one
// without an id never was). Nobody else changes one of the keys meanwhile. change may
// be called again, and gets the documents that there are.
func (s *Store) Heal(ctx context.Context, r HealResult, keys []HealKey, change func(docs map[HealKey]json.RawMessage, now time.Time) (HealChange, error)) (fresh bool, moves []HealMove, err error) {
	err = s.tx(ctx, "keep what heal was told", func(tx *sql.Tx) error {
		fresh, moves = true, nil
		now := s.cfg.Now()
		if err := s.healLock(ctx, tx); err != nil {
			return err
		}
		if r.ID != "" {
			installation, repo, _ := r.Key.row()
			n, err := affected(tx.ExecContext(ctx, `INSERT INTO heal_results (id, installation, repo, run, step, cause, words, at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`, clean(r.ID), installation, repo, clean(r.Run), clean(r.Step), r.Cause, s.words(r.Words), micro(now)))
			if err != nil {
				return err
			}
			if n == 0 {
				fresh = false
				return nil
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM heal_results WHERE at < $1", micro(now.Add(-resultsFor))); err != nil {
				return err
			}
		}
		docs, err := healDocs(ctx, tx, keys)
		if err != nil {
			return err
		}
		c, err := change(docs, now)
		if err != nil {
			return err
		}
		for k, body := range c.Bodies {
			installation, repo, class := k.row()
			if _, err := tx.ExecContext(ctx, `INSERT INTO heal_scopes (installation, repo, class, body) VALUES ($1, $2, $3, $4)
				ON CONFLICT (installation, repo, class) DO UPDATE SET body = excluded.body`, installation, repo, class, string(body)); err != nil {
				return err
			}
		}
		for _, m := range c.Moves {
			installation, repo, class := m.Key.row()
			if _, err := tx.ExecContext(ctx, `INSERT INTO heal_moves (id, installation, repo, class, seq, at, body)
				VALUES ($1, $2, $3, $4, (SELECT coalesce(max(seq), 0) + 1 FROM heal_moves), $5, $6)`, m.ID, installation, repo, class, micro(m.At), s.log(m.Body)); err != nil {
				return err
			}
		}
		moves = c.Moves
		if len(moves) > 0 {
			_, err = tx.ExecContext(ctx, "DELETE FROM heal_moves WHERE seq <= (SELECT max(seq) FROM heal_moves) - $1", KeptMoves)
		}
		return err
	})
	return fresh, moves, err
}

// Others tells whether runs of other installations than this one are kept.
func (s *Store) Others(ctx context.Context, installation int64) (others bool, err error) {
	err = s.r.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM repos WHERE installation < $1 OR installation > $1)", installation).Scan(&others)
	return others, s.explain("ask whether several installations are served", err)
}

// healLock lets one process at a time change what heal keeps: a row that is not there
// yet cannot be locked.
func (s *Store) healLock(ctx context.Context, tx *sql.Tx) error {
	if !s.postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockHeal))
	return err
}

// HealKeys lists the keys that have a document.
func (s *Store) HealKeys(ctx context.Context) (out []HealKey, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT installation, repo, class FROM heal_scopes ORDER BY installation, repo, class")
	if err != nil {
		return nil, s.explain("list what heal keeps", err)
	}
	defer rows.Close()
	for rows.Next() {
		var k HealKey
		if err := rows.Scan(&k.Installation, &k.Repo, &k.Class); err != nil {
			return nil, s.explain("list what heal keeps", err)
		}
		if k.Repo == "" {
			k = HealKey{}
		}
		out = append(out, k)
	}
	return out, s.explain("list what heal keeps", rows.Err())
}

// HealMoves lists changes of states, the newest first: all, those whose id begins with
// prefix, or those of which whoever waits was not told.
func (s *Store) HealMoves(ctx context.Context, prefix string, untold bool, limit int) (out []HealMove, err error) {
	rows, err := s.r.QueryContext(ctx, `SELECT id, installation, repo, class, at, body FROM heal_moves
		WHERE substr(id, 1, length($1)) = $1 AND (told = 0 OR $2 = 0) ORDER BY seq DESC LIMIT $3`, prefix, flag(untold), limit)
	if err != nil {
		return nil, s.explain("list what heal did", err)
	}
	defer rows.Close()
	for rows.Next() {
		var m HealMove
		var at int64
		var body string
		if err := rows.Scan(&m.ID, &m.Key.Installation, &m.Key.Repo, &m.Key.Class, &at, &body); err != nil {
			return nil, s.explain("list what heal did", err)
		}
		if m.Key.Repo == "" {
			m.Key = HealKey{}
		}
		m.At, m.Body = fromMicro(at), json.RawMessage(body)
		out = append(out, m)
	}
	return out, s.explain("list what heal did", rows.Err())
}

// HealTold writes down that whoever waits was told of a move.
func (s *Store) HealTold(ctx context.Context, id string) error {
	return s.tx(ctx, "write down that heal's move "+id+" was told", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE heal_moves SET told = 1 WHERE id = $1", id)
		return err
	})
}

// HealResults lists the failures that heal was told of since a time, of a repository or,
// for the zero key, of all; the newest so many, the oldest first.
func (s *Store) HealResults(ctx context.Context, k HealKey, since time.Time, limit int) (out []HealResult, err error) {
	installation, repo, _ := k.row()
	rows, err := s.r.QueryContext(ctx, `SELECT id, run, step, cause, words, at FROM heal_results
		WHERE ($2 = '' OR installation = $1 AND repo = $2) AND cause <> '' AND at > $3 ORDER BY at DESC, id LIMIT $4`, installation, repo, micro(since), limit)
	if err != nil {
		return nil, s.explain("list what heal was told", err)
	}
	defer rows.Close()
	for rows.Next() {
		r := HealResult{Key: k}
		var at int64
		if err := rows.Scan(&r.ID, &r.Run, &r.Step, &r.Cause, &r.Words, &at); err != nil {
			return nil, s.explain("list what heal was told", err)
		}
		r.At = fromMicro(at)
		out = append([]HealResult{r}, out...)
	}
	return out, s.explain("list what heal was told", rows.Err())
}

// Alive tells whether the database answers a read now.
func (s *Store) Alive(ctx context.Context) error {
	var one int
	if err := s.r.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("store: the database does not answer: %w", err)
	}
	return s.Ready()
}
