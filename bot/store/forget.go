package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Removal is data that has to be deleted: an installation's, or one of its
// repositories'.
type Removal struct {
	Installation int64
	Repo         string // owner/name in lower case; "" for the whole installation
	AskedAt      time.Time
}

// AskRemoval writes down that data has to be deleted (SPEC X6). It stays
// written until Forget has deleted it.
func (s *Store) AskRemoval(ctx context.Context, installation int64, repo string) error {
	return s.tx(ctx, "write down that data has to be deleted", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO removals (installation, repo, asked_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", installation, slugKey(repo), s.now())
		return err
	})
}

// Removals lists what has to be deleted, the oldest first.
func (s *Store) Removals(ctx context.Context) (out []Removal, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT installation, repo, asked_at FROM removals ORDER BY asked_at, installation, repo")
	if err != nil {
		return nil, s.explain("list what has to be deleted", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r Removal
		var at int64
		if err := rows.Scan(&r.Installation, &r.Repo, &at); err != nil {
			return nil, s.explain("list what has to be deleted", err)
		}
		r.AskedAt = fromMicro(at)
		out = append(out, r)
	}
	return out, s.explain("list what has to be deleted", rows.Err())
}

// Installations lists every installation that anything is stored for.
func (s *Store) Installations(ctx context.Context) (out []int64, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT installation FROM (SELECT installation FROM runs UNION SELECT installation FROM deliveries UNION SELECT installation FROM repos UNION SELECT installation FROM lessons) all_of_them WHERE installation <> 0 ORDER BY installation")
	if err != nil {
		return nil, s.explain("list installations", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, s.explain("list installations", err)
		}
		out = append(out, id)
	}
	return out, s.explain("list installations", rows.Err())
}

// Known lists the repositories (owner/name in lower case) that anything is stored for, by
// installation.
func (s *Store) Known(ctx context.Context) (map[int64][]string, error) {
	rows, err := s.r.QueryContext(ctx, "SELECT installation, repo FROM repos")
	if err != nil {
		return nil, s.explain("list repositories", err)
	}
	defer rows.Close()
	out := map[int64][]string{}
	for rows.Next() {
		var id int64
		var repo string
		if err := rows.Scan(&id, &repo); err != nil {
			return nil, s.explain("list repositories", err)
		}
		out[id] = append(out[id], repo)
	}
	return out, s.explain("list repositories", rows.Err())
}

const liveQuery = `SELECT (SELECT count(*) FROM runs WHERE state <> 'done' AND installation = $1 AND ($2 = '' OR repo = $2)) +
	(SELECT count(*) FROM deliveries WHERE state = 'working' AND installation = $1)`

// Forget deletes the rows of what was removed, and the removal itself. done is
// false while one of its runs is live or a delivery is being handled: ask again later. What
// the runs cost stays, without a name, so that the caps hold.
func (s *Store) Forget(ctx context.Context, r Removal) (done bool, err error) {
	err = s.tx(ctx, fmt.Sprintf("delete the data of installation %d %s", r.Installation, r.Repo), func(tx *sql.Tx) error {
		done = false
		if err := s.claimLock(ctx, tx); err != nil { // nobody claims one of its runs meanwhile
			return err
		}
		var live int
		if err := tx.QueryRowContext(ctx, liveQuery, r.Installation, r.Repo).Scan(&live); err != nil || live > 0 {
			return err
		}
		for _, text := range s.forgetting(r.Repo != "") {
			if _, err := tx.ExecContext(ctx, text, r.Installation, r.Repo); err != nil {
				return fmt.Errorf("%w (%.60s…)", err, text)
			}
		}
		done = true
		return nil
	})
	if err == nil && done {
		err = s.scrub(ctx)
	}
	return done, err
}

// forgetting are the statements that delete rows, those that others refer to
// last. Each takes the installation and the repository.
func (s *Store) forgetting(oneRepo bool) []string {
	const all = " WHERE installation = $1 AND ($2 = '' OR repo = $2)"
	const runs = "(SELECT id FROM runs" + all + ")"
	const named = `'"full_name":"' || $2 || '"'` // as a payload names a repository
	arg, told, whose := func(name string) string { return "json_extract(args, '$." + name + "')" }, "instr(lower(CAST(payload AS TEXT)), "+named+") > 0", "0"
	if s.postgres {
		arg, told = func(name string) string { return "args ->> '" + name + "'" }, "position("+named+" in lower(encode(payload, 'escape'))) > 0"
	}
	if oneRepo {
		whose = "r.installation"
	}
	deliveries := "(SELECT id FROM deliveries WHERE installation = $1 AND ($2 = '' OR " + told + "))"
	out := []string{
		"INSERT INTO spent (installation, made_at, cost) SELECT " + whose + ", v.made_at, " + charged + " FROM reservations v JOIN runs r ON r.id = v.run WHERE v.run IN " + runs,
		"DELETE FROM river_job WHERE " + arg("run") + " IN " + runs,
		"DELETE FROM deliveries WHERE id IN " + deliveries,
	}
	out = append(out, ofRuns("IN "+runs)...)
	return append(out,
		"DELETE FROM heal_scopes"+all, "DELETE FROM heal_results"+all, "DELETE FROM heal_moves"+all,
		"DELETE FROM runs"+all, "DELETE FROM repos"+all, "DELETE FROM removals"+all, "DELETE FROM lessons"+all, "DELETE FROM lesson_versions"+all, "DELETE FROM results"+all,
		"DELETE FROM commands WHERE installation = $1 AND $2 = ''",
		"DELETE FROM paces WHERE installation = $1 AND $2 = ''",
		"UPDATE spent SET installation = 0 WHERE installation = $1 AND $2 = ''",
	)
}

// scrub takes what was deleted out of the files too. SQLite overwrites deleted
// rows as it goes (secure_delete); its log is emptied here. Postgres keeps dead
// rows until they are vacuumed.
func (s *Store) scrub(ctx context.Context) error {
	if s.postgres {
		_, err := s.w.ExecContext(ctx, "VACUUM deliveries, runs, repos, run_asks, messages, decisions, reservations, actions, commits, effects, answers, observations, pulls, commands, removals, lessons, lesson_versions, heal_scopes, heal_results, heal_moves, results, river_job")
		return s.explain("free the space of deleted rows", err)
	}
	var busy, log, moved int
	err := s.w.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved)
	if err == nil && busy != 0 {
		s.cfg.Log.Warn("somebody reads the database, so its log still holds deleted rows until the next checkpoint")
	}
	return s.explain("empty the database's log", err)
}
