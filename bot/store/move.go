package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// MoveRepo gives what is stored of a repository (was, owner/name) the name, the
// addresses and, for runs that are not under way, the default branch that it has
// now. Where another run or pull request has the new place already, because it was
// asked for before the renaming was told, the older one stays under the old name.
// It counts the runs that were moved; done again, it changes nothing.
func (s *Store) MoveRepo(ctx context.Context, was string, now task.Repo) (moved int, err error) {
	from, to := slugKey(was), repoKey(now)
	err = s.tx(ctx, "move what is stored of "+was+" to "+now.Slug(), func(tx *sql.Tx) error {
		moved = 0
		if err := s.claimLock(ctx, tx); err != nil { // nobody claims one of its runs meanwhile
			return err
		}
		if from != to {
			if err := s.healLock(ctx, tx); err != nil {
				return err
			}
			for _, repo := range []string{min(from, to), max(from, to)} { // in an order, so that two moves do not wait for each other
				if err := s.teachLock(ctx, tx, now.Installation, repo); err != nil {
					return err
				}
			}
			for _, text := range moving {
				if _, err := tx.ExecContext(ctx, text, now.Installation, from, to); err != nil {
					return fmt.Errorf("%w (%.60s…)", err, text)
				}
			}
		}
		all, err := tasksOf(ctx, tx, now.Installation, to)
		if err != nil {
			return err
		}
		for _, r := range all {
			if !r.renamed(now) {
				continue
			}
			doc, err := json.Marshal(r.task)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE runs SET task = $2 WHERE id = $1", r.id, s.doc(doc)); err != nil {
				return err
			}
			moved++
		}
		return nil
	})
	return moved, err
}

// moving are the statements that give rows another repository: each takes the
// installation, the old name and the new one.
var moving = []string{
	`INSERT INTO repos (installation, repo, served, arrivals, born) SELECT installation, $3, served, arrivals, born FROM repos WHERE installation = $1 AND repo = $2
		ON CONFLICT (installation, repo) DO UPDATE SET arrivals = repos.arrivals + excluded.arrivals`,
	"DELETE FROM repos WHERE installation = $1 AND repo = $2 AND $3 <> ''",
	`UPDATE runs SET repo = $3 WHERE installation = $1 AND repo = $2
		AND issue NOT IN (SELECT issue FROM runs WHERE installation = $1 AND repo = $3 AND issue > 0)`,
	"UPDATE run_asks SET repo = $3 WHERE repo = $2 AND run IN (SELECT id FROM runs WHERE installation = $1 AND repo = $3)",
	`UPDATE pulls SET repo = $3 WHERE installation = $1 AND repo = $2
		AND number NOT IN (SELECT number FROM pulls WHERE installation = $1 AND repo = $3)`,
	"INSERT INTO commits (installation, repo, sha, run, made_at) SELECT installation, $3, sha, run, made_at FROM commits WHERE installation = $1 AND repo = $2 ON CONFLICT DO NOTHING",
	"DELETE FROM commits WHERE installation = $1 AND repo = $2 AND $3 <> ''",
	// What was learned, and a quarantine, go with the repository: whoever has the name
	// next begins with neither. What the new name came to before it was told gives way.
	"DELETE FROM lessons WHERE installation = $1 AND repo = $3 AND EXISTS (SELECT 1 FROM lessons WHERE installation = $1 AND repo = $2)",
	"UPDATE lessons SET repo = $3 WHERE installation = $1 AND repo = $2",
	"DELETE FROM lesson_versions WHERE installation = $1 AND repo = $3 AND EXISTS (SELECT 1 FROM lesson_versions WHERE installation = $1 AND repo = $2)",
	"UPDATE lesson_versions SET repo = $3 WHERE installation = $1 AND repo = $2",
	"DELETE FROM heal_scopes WHERE installation = $1 AND repo = $3 AND class IN (SELECT class FROM heal_scopes WHERE installation = $1 AND repo = $2)",
	"UPDATE heal_scopes SET repo = $3 WHERE installation = $1 AND repo = $2",
	"UPDATE heal_results SET repo = $3 WHERE installation = $1 AND repo = $2",
	"DELETE FROM results WHERE installation = $1 AND repo IN ($2, $3)", // they are made again
	"UPDATE heal_moves SET repo = $3 WHERE installation = $1 AND repo = $2",
}

// tasked is a run with the repository that its task names.
type tasked struct {
	id   string
	busy bool // it has begun and has not ended: its base stays
	task task.Task
}

// renamed puts what the repository is now into the task, and says whether that
// changed it.
func (r *tasked) renamed(now task.Repo) bool {
	if r.busy {
		now.DefaultBranch = r.task.Repo.DefaultBranch
	}
	was := r.task.Repo
	r.task.Repo = now
	return was != now
}

func tasksOf(ctx context.Context, tx *sql.Tx, installation int64, repo string) (out []tasked, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, state <> 'done' AND started_at > 0, task FROM runs WHERE installation = $1 AND repo = $2", installation, repo)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r tasked
		var text string
		if err := rows.Scan(&r.id, &r.busy, &text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), &r.task); err != nil {
			return nil, fmt.Errorf("the task of run %s: %w", r.id, err)
		}
		out = append(out, r)
	}
	return out, rows.Err()
}
