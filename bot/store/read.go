package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/task"
)

const runCols = `id, task, budget, budget_usd, state, outcome, reason, cost, attempts, tier, created_at, started_at, ended_at,
	not_before, cancel_asked, cancel_reason, saved, result, waiting`

func scanRun(scan func(...any) error) (task.Run, error) {
	var r task.Run
	var t, budget, saved, result, waiting string
	var created, started, ended, notBefore int64
	var cancel int
	err := scan(&r.ID, &t, &budget, &r.Budget.USD, &r.State, &r.Outcome, &r.Reason, &r.Cost, &r.Attempts, &r.Tier,
		&created, &started, &ended, &notBefore, &cancel, &r.CancelReason, &saved, &result, &waiting)
	if err != nil {
		return r, err
	}
	usd := r.Budget.USD // exact, where JSON's decimals may round
	for _, x := range []struct {
		text string
		into any
	}{{t, &r.Task}, {budget, &r.Budget}, {saved, &r.Saved}, {result, &r.Result}, {waiting, &r.Waiting}} {
		if x.text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(x.text), x.into); err != nil {
			return r, fmt.Errorf("run %s holds a value that cannot be read: %w", r.ID, err)
		}
	}
	r.Budget.USD = usd
	r.CreatedAt, r.StartedAt, r.EndedAt, r.NotBefore = fromMicro(created), fromMicro(started), fromMicro(ended), fromMicro(notBefore)
	if notBefore >= forever {
		r.NotBefore = time.Time{} // no time at all: a human decides
	}
	r.CancelAsked = cancel != 0
	return r, nil
}

// locked reads a run that nobody else changes until the transaction ends, or
// gives ErrNotFound.
func (s *Store) locked(ctx context.Context, tx *sql.Tx, id string) (task.Run, error) {
	r, err := scanRun(tx.QueryRowContext(ctx, "SELECT "+runCols+" FROM runs WHERE id = $1"+s.lockRow(), id).Scan)
	return r, noRows(err)
}

// Run returns a run with its saved state and result, or ErrNotFound.
func (s *Store) Run(ctx context.Context, id string) (task.Run, error) {
	r, err := scanRun(s.r.QueryRowContext(ctx, "SELECT "+runCols+" FROM runs WHERE id = $1", id).Scan)
	return r, s.explain("read run "+id, noRows(err))
}

// LiveRun returns the run of an issue that has not ended, or nil. repo is
// owner/name.
func (s *Store) LiveRun(ctx context.Context, installation int64, repo string, issue int) (*task.Run, error) {
	r, err := scanRun(s.r.QueryRowContext(ctx, "SELECT "+runCols+` FROM runs
		WHERE installation = $1 AND repo = $2 AND issue = $3 AND issue > 0 AND state <> 'done'`, installation, slugKey(repo), issue).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("read the live run of "+repo, err)
	}
	return &r, nil
}

// Filter chooses runs. Zero fields choose everything.
type Filter struct {
	Limit        int    // default 100
	Prefix       string // of the run's id
	Repo         string // owner/name, or the folder of a local repository
	Issue        int
	State        task.State
	Installation int64 // GitHub App installation
}

// Runs lists runs, newest first.
func (s *Store) Runs(ctx context.Context, f Filter) ([]task.Run, error) {
	where, args := []string{"1 = 1"}, []any{}
	add := func(cond string, v any) {
		args = append(args, v)
		where = append(where, fmt.Sprintf(cond, len(args)))
	}
	if f.Repo != "" {
		add("repo IN ($%d, "+fmt.Sprintf("$%d)", len(args)+2), clean(f.Repo))
		args = append(args, slugKey(f.Repo))
	}
	if f.Prefix != "" {
		add(fmt.Sprintf("substr(id, 1, %d) = $%%d", utf8.RuneCountInString(clean(f.Prefix))), clean(f.Prefix))
	}
	if f.Installation != 0 {
		add("installation = $%d", f.Installation)
	}
	if f.Issue != 0 {
		add("issue = $%d", f.Issue)
	}
	if f.State != "" {
		add("state = $%d", string(f.State))
	}
	if f.Limit <= 0 {
		f.Limit = 100
	}
	rows, err := s.r.QueryContext(ctx, "SELECT "+runCols+" FROM runs WHERE "+strings.Join(where, " AND ")+
		fmt.Sprintf(" ORDER BY created_at DESC, id DESC LIMIT %d", f.Limit), args...)
	if err != nil {
		return nil, s.explain("list runs", err)
	}
	defer rows.Close()
	out := []task.Run{}
	for rows.Next() {
		r, err := scanRun(rows.Scan)
		if err != nil {
			return nil, s.explain("list runs", err)
		}
		out = append(out, r)
	}
	return out, s.explain("list runs", rows.Err())
}

// slugKey is a repository as rows hold it, given as owner/name or as its folder:
// GitHub's names ignore case, and folders do not.
func slugKey(slug string) string {
	if slug = clean(slug); filepath.IsAbs(slug) {
		return slug
	}
	return strings.ToLower(slug)
}
