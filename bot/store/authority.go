package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Command counts a command of a user and says whether it is within limit in
// the window before now. The same delivery again counts once and gets the same
// answer while the window lasts. within is false from the command after the
// last that is allowed; first is true for that one alone, so that it is said once.
func (s *Store) Command(ctx context.Context, installation int64, login, delivery string, limit int, window time.Duration) (within, first bool, err error) {
	login = strings.ToLower(clean(login))
	err = s.tx(ctx, "count a command of "+login, func(tx *sql.Tx) error {
		now := s.now()
		if _, err := tx.ExecContext(ctx, "DELETE FROM commands WHERE made_at < $1 OR made_at > $2", now-window.Microseconds(), now+window.Microseconds()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO commands (installation, login, delivery, made_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, installation, login, clean(delivery), now); err != nil {
			return err
		}
		var place int // of this command among those of the window, from 1
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM commands c, commands me WHERE me.installation = $1 AND me.login = $2 AND me.delivery = $3
			AND c.installation = me.installation AND c.login = me.login AND (c.made_at < me.made_at OR c.made_at = me.made_at AND c.delivery <= me.delivery)`,
			installation, login, clean(delivery)).Scan(&place)
		within, first = place <= limit, place == limit+1
		return err
	})
	return within, first, err
}

// turnsFor is how long a turn is known, and longer than any time between two.
const turnsFor = 30 * 24 * time.Hour

// Turn says whether it is this process's turn to do what is done once in every
// such time, over all processes on the database.
func (s *Store) Turn(ctx context.Context, name string, every time.Duration) (mine bool, err error) {
	err = s.tx(ctx, "take the turn of "+name, func(tx *sql.Tx) error {
		now := s.now()
		n, err := affected(tx.ExecContext(ctx, `INSERT INTO turns (name, at) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET at = $2 WHERE turns.at <= $3 OR turns.at > $2`, name, now, now-every.Microseconds()))
		if mine = n > 0; mine && err == nil { // nobody asks again for what was done once
			_, err = tx.ExecContext(ctx, "DELETE FROM turns WHERE at < $1 AND name <> $2", now-max(every, turnsFor).Microseconds(), name)
		}
		return err
	})
	return mine, err
}

// Unknown are those of the ids for which no delivery is stored, in their order.
func (s *Store) Unknown(ctx context.Context, ids []string) ([]string, error) {
	var out []string
	for _, id := range ids {
		var one int
		err := s.r.QueryRowContext(ctx, "SELECT count(*) FROM deliveries WHERE id = $1", id).Scan(&one)
		if err != nil {
			return nil, s.explain("look for delivery "+id, err)
		}
		if one == 0 {
			out = append(out, id)
		}
	}
	return out, nil
}

// Place is how many runs are claimed before a queued one, as it stands now, or
// -1 when it is not queued. Repositories are served in turn, so it is the place
// in the run's own repository plus one for each other repository that waits.
func (s *Store) Place(ctx context.Context, runID string) (int, error) {
	var place int
	err := s.r.QueryRowContext(ctx, `SELECT coalesce((SELECT
			(SELECT count(*) FROM runs q WHERE q.state = 'queued' AND q.private = 0 AND q.installation = r.installation AND q.repo = r.repo AND q.position < r.position) +
			(SELECT count(*) FROM (SELECT DISTINCT installation, repo FROM runs q WHERE q.state = 'queued' AND q.private = 0 AND NOT (q.installation = r.installation AND q.repo = r.repo)) others) +
			(SELECT count(*) FROM runs q WHERE q.state = 'running' AND q.private = 0)
		FROM runs r WHERE r.id = $1 AND r.state = 'queued'), -1)`, runID).Scan(&place)
	return place, s.explain("look for the place of run "+runID, err)
}

// toldKey is the action that says where it was asked for how a run ended.
func toldKey(run string, outcome task.Outcome) string { return run + ":told:" + string(outcome) }

// ToldKey is the name of that action after the run's id.
func ToldKey(outcome task.Outcome) string { return "told:" + string(outcome) }

// Untold lists the runs on issues that ended after since, and of which nobody
// said where they were asked for how they ended; at most limit, the oldest first.
func (s *Store) Untold(ctx context.Context, since time.Time, limit int) (out []task.Run, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT "+runCols+` FROM runs WHERE state = 'done' AND private = 0 AND issue > 0 AND started_at > 0 AND ended_at > $1
		AND NOT EXISTS (SELECT 1 FROM actions a WHERE a.run = runs.id AND a.done = 1 AND a.key = runs.id || ':told:' || runs.outcome)
		ORDER BY ended_at LIMIT $2`, micro(since), limit)
	if err != nil {
		return nil, s.explain("look for runs whose end was not said", err)
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanRun(rows.Scan)
		if err != nil {
			return nil, s.explain("look for runs whose end was not said", err)
		}
		out = append(out, r)
	}
	return out, s.explain("look for runs whose end was not said", rows.Err())
}

// Told writes down that the end of a run was said, or that nobody is left to
// be told.
func (s *Store) Told(ctx context.Context, r task.Run) error {
	return s.tx(ctx, "write down that the end of run "+r.ID+" was said", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO actions (run, key, token, done, result, meant_at, done_at) SELECT id, $2, token, 1, 'null', $3, $3 FROM runs
			WHERE id = $1 AND state = 'done' ON CONFLICT (run, key) DO UPDATE SET done = 1, done_at = $3`, r.ID, toldKey(r.ID, r.Outcome), s.now())
		return err
	})
}

// Repos lists the repositories that runs were asked for on, as GitHub writes
// their names, with their installation; those served last come first.
func (s *Store) Repos(ctx context.Context) (out []task.Repo, err error) {
	rows, err := s.r.QueryContext(ctx, `SELECT DISTINCT r.installation, r.repo, p.served FROM runs r JOIN repos p ON p.installation = r.installation AND p.repo = r.repo
		WHERE r.installation <> 0 AND r.issue > 0 ORDER BY p.served DESC, r.installation, r.repo`)
	if err != nil {
		return nil, s.explain("list repositories", err)
	}
	defer rows.Close()
	for rows.Next() {
		var repo task.Repo
		var slug string
		var served int64
		if err := rows.Scan(&repo.Installation, &slug, &served); err != nil {
			return nil, s.explain("list repositories", err)
		}
		repo.Owner, repo.Name, _ = strings.Cut(slug, "/")
		out = append(out, repo)
	}
	return out, s.explain("list repositories", rows.Err())
}
