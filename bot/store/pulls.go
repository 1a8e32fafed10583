package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Pull is a pull request that fettle opened.
type Pull struct {
	Installation int64     `json:"installation"`
	Repo         string    `json:"repo"` // owner/name, in lower case
	Number       int       `json:"number"`
	Issue        int       `json:"issue"`
	Generation   int       `json:"generation"` // of the run that opened it
	Run          string    `json:"run"`
	URL          string    `json:"url"`
	Branch       string    `json:"branch"`
	Base         string    `json:"base"` // branch
	Head         string    `json:"head"` // the last commit that fettle put on the branch
	Fate         task.Fate `json:"fate,omitempty"`
	MergeCommit  string    `json:"merge_commit,omitempty"`
	MadeAt       time.Time `json:"made_at"`
	FateAt       time.Time `json:"fate_at,omitzero"`
}

const pullCols = "installation, repo, number, issue, generation, run, url, branch, base, head, fate, merge_commit, made_at, fate_at"

// KeepPull writes down a pull request of the lease's run, or the new head and base
// of one that is there.
func (s *Store) KeepPull(ctx context.Context, l *Lease, p Pull) error {
	return s.fenced(ctx, l, fmt.Sprintf("write down pull request #%d", p.Number), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO pulls (installation, repo, number, issue, generation, run, url, branch, base, head, made_at)
			SELECT installation, repo, $2, issue, generation, id, $3, $4, $5, $6, $7 FROM runs WHERE id = $1
			ON CONFLICT (installation, repo, number) DO UPDATE SET head = excluded.head, base = excluded.base`,
			l.RunID, p.Number, clean(p.URL), clean(p.Branch), clean(p.Base), p.Head, s.now())
		return err
	})
}

// PullFilter chooses pull requests. Zero fields choose everything.
type PullFilter struct {
	Number int
	Issue  int
	Branch string
	Base   string
	Open   bool // has no fate yet
}

// Pulls lists the pull requests of fettle in a repository (owner/name), the
// newest first.
func (s *Store) Pulls(ctx context.Context, installation int64, repo string, f PullFilter) ([]Pull, error) {
	where, args := []string{"installation = $1", "repo = $2"}, []any{installation, slugKey(repo)}
	add := func(col string, v any) {
		args = append(args, v)
		where = append(where, fmt.Sprintf("%s = $%d", col, len(args)))
	}
	if f.Number != 0 {
		add("number", f.Number)
	}
	if f.Issue != 0 {
		add("issue", f.Issue)
	}
	if f.Branch != "" {
		add("branch", f.Branch)
	}
	if f.Base != "" {
		add("base", f.Base)
	}
	if f.Open {
		add("fate", "")
	}
	rows, err := s.r.QueryContext(ctx, "SELECT "+pullCols+" FROM pulls WHERE "+strings.Join(where, " AND ")+" ORDER BY number DESC LIMIT 1000", args...)
	if err != nil {
		return nil, s.explain("list pull requests", err)
	}
	defer rows.Close()
	var out []Pull
	for rows.Next() {
		var p Pull
		var made, fated int64
		if err := rows.Scan(&p.Installation, &p.Repo, &p.Number, &p.Issue, &p.Generation, &p.Run, &p.URL, &p.Branch, &p.Base, &p.Head, &p.Fate, &p.MergeCommit, &made, &fated); err != nil {
			return nil, s.explain("list pull requests", err)
		}
		p.MadeAt, p.FateAt = fromMicro(made), fromMicro(fated)
		out = append(out, p)
	}
	return out, s.explain("list pull requests", rows.Err())
}

// SetFate writes down what became of a pull request; "" opens it again.
func (s *Store) SetFate(ctx context.Context, p Pull, fate task.Fate, mergeCommit string) error {
	return s.tx(ctx, fmt.Sprintf("write down the fate of pull request #%d", p.Number), func(tx *sql.Tx) error {
		at := s.now()
		if fate == "" {
			at = 0
		}
		_, err := tx.ExecContext(ctx, "UPDATE pulls SET fate = $4, merge_commit = $5, fate_at = $6 WHERE installation = $1 AND repo = $2 AND number = $3 AND fate <> $4",
			p.Installation, p.Repo, p.Number, string(fate), mergeCommit, at)
		return err
	})
}

// Rebase writes down that a pull request is for another branch now.
func (s *Store) Rebase(ctx context.Context, p Pull, base string) error {
	return s.tx(ctx, fmt.Sprintf("write down the base of pull request #%d", p.Number), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE pulls SET base = $4 WHERE installation = $1 AND repo = $2 AND number = $3", p.Installation, p.Repo, p.Number, clean(base))
		return err
	})
}
