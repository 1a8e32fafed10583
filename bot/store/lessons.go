package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Lesson is one thing that a repository taught, as whoever knows lessons writes it.
type Lesson struct {
	ID   string          `json:"id"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// LessonVersion is a state of all lessons of a repository that is kept.
type LessonVersion struct {
	Number  int       `json:"number"`
	MadeAt  time.Time `json:"made_at"`
	Why     string    `json:"why"`
	Lessons int       `json:"lessons"`
}

// KeptVersions is how many versions of a repository's lessons are kept (SPEC M7).
const KeptVersions = 10

// mostVersion bounds a version when it is read, in bytes.
const mostVersion = 256 << 20

// Lessons are those of one repository (owner/name, or the folder) of one
// installation, by id. No query crosses an installation.
func (s *Store) Lessons(ctx context.Context, installation int64, repo string) ([]Lesson, error) {
	out, err := lessons(ctx, s.r, installation, repo)
	return out, s.explain("read the lessons of "+repo, err)
}

type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func lessons(ctx context.Context, db asker, installation int64, repo string) (out []Lesson, err error) {
	rows, err := db.QueryContext(ctx, "SELECT id, kind, body FROM lessons WHERE installation = $1 AND repo = $2 ORDER BY id", installation, slugKey(repo))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var l Lesson
		var body string
		if err := rows.Scan(&l.ID, &l.Kind, &body); err != nil {
			return nil, err
		}
		l.Body = json.RawMessage(body)
		out = append(out, l)
	}
	return out, rows.Err()
}

// mostTeaching is how often a change of lessons begins anew because another process
// was faster.
const mostTeaching = 100

// Teach changes the lessons of a repository: change gets those that stand and gives
// those that shall. It may take its time and may be called again, since it is outside
// of the transaction, which only writes over what it was given. With a reason, the new
// state is kept as the next version, whose number comes back; without one it goes into
// the next that is.
func (s *Store) Teach(ctx context.Context, installation int64, repo, why string, change func([]Lesson) ([]Lesson, error)) (version int, err error) {
	unlock, err := s.teaching.lock(ctx, fmt.Sprintf("%d %s", installation, slugKey(repo)))
	if err != nil {
		return 0, s.explain("wait for another change of the lessons of "+repo, err)
	}
	defer unlock()
	for range mostTeaching {
		was, err := s.Lessons(ctx, installation, repo)
		if err != nil {
			return 0, err
		}
		now, err := change(slices.Clone(was))
		if err != nil {
			return 0, err
		}
		version, late, err := s.teach(ctx, installation, repo, why, was, now)
		if err != nil || !late {
			return version, err
		}
	}
	return 0, fmt.Errorf("store: write down what was learned in %s: others changed it %d times meanwhile; try again", repo, mostTeaching)
}

// teach writes lessons over others; late where other ones stand by now.
func (s *Store) teach(ctx context.Context, installation int64, repo, why string, was, now []Lesson) (version int, late bool, err error) {
	err = s.tx(ctx, "write down what was learned in "+repo, func(tx *sql.Tx) error {
		version = 0
		if err := s.teachLock(ctx, tx, installation, repo); err != nil {
			return err
		}
		stands, err := lessons(ctx, tx, installation, repo)
		if err != nil {
			return err
		}
		same := func(a, b Lesson) bool { return a.ID == b.ID && a.Kind == b.Kind && bytes.Equal(a.Body, b.Body) }
		if late = !slices.EqualFunc(was, stands, same); late {
			return nil
		}
		old := map[string]Lesson{}
		for _, l := range was {
			old[l.ID] = l
		}
		for i, l := range now {
			if !bytes.Equal(old[l.ID].Body, l.Body) { // what stands went through the funnel before
				now[i].Body = json.RawMessage(s.doc(l.Body))
			}
		}
		changed, err := s.putLessons(ctx, tx, installation, repo, old, now)
		if err != nil || !changed || why == "" {
			return err
		}
		version, err = s.keepVersion(ctx, tx, installation, repo, why, now)
		return err
	})
	return version, late, err
}

// teachLock lets one process at a time change the lessons of a repository. SQLite
// has one writer anyway.
func (s *Store) teachLock(ctx context.Context, tx *sql.Tx, installation int64, repo string) error {
	if !s.postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", fmt.Sprintf("lessons %d %s", installation, slugKey(repo)))
	return err
}

func (s *Store) putLessons(ctx context.Context, tx *sql.Tx, installation int64, repo string, old map[string]Lesson, now []Lesson) (changed bool, err error) {
	for _, l := range now {
		if o, ok := old[l.ID]; ok && o.Kind == l.Kind && bytes.Equal(o.Body, l.Body) {
			delete(old, l.ID)
			continue
		}
		delete(old, l.ID)
		changed = true
		if _, err := tx.ExecContext(ctx, `INSERT INTO lessons (installation, repo, id, kind, body) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (installation, repo, id) DO UPDATE SET kind = excluded.kind, body = excluded.body`, installation, slugKey(repo), clean(l.ID), clean(l.Kind), string(l.Body)); err != nil {
			return false, err
		}
	}
	for id := range old {
		changed = true
		if _, err := tx.ExecContext(ctx, "DELETE FROM lessons WHERE installation = $1 AND repo = $2 AND id = $3", installation, slugKey(repo), id); err != nil {
			return false, err
		}
	}
	return changed, nil
}

func (s *Store) keepVersion(ctx context.Context, tx *sql.Tx, installation int64, repo, why string, now []Lesson) (int, error) {
	slices.SortFunc(now, func(a, b Lesson) int { return strings.Compare(a.ID, b.ID) })
	raw, err := json.Marshal(now)
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(raw); err != nil {
		return 0, err
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	n := 0
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) + 1 FROM lesson_versions WHERE installation = $1 AND repo = $2", installation, slugKey(repo)).Scan(&n); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO lesson_versions (installation, repo, number, made_at, why, lessons, body) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		installation, slugKey(repo), n, s.now(), s.words(why), len(now), base64.StdEncoding.EncodeToString(packed.Bytes())); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM lesson_versions WHERE installation = $1 AND repo = $2 AND number <= $3", installation, slugKey(repo), n-KeptVersions)
	return n, err
}

// LessonVersions lists the versions of a repository's lessons that are kept, the
// newest first.
func (s *Store) LessonVersions(ctx context.Context, installation int64, repo string) (out []LessonVersion, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT number, made_at, why, lessons FROM lesson_versions WHERE installation = $1 AND repo = $2 ORDER BY number DESC", installation, slugKey(repo))
	if err != nil {
		return nil, s.explain("list the versions of the lessons", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var v LessonVersion
		var at int64
		if err := rows.Scan(&v.Number, &at, &v.Why, &v.Lessons); err != nil {
			return nil, s.explain("list the versions of the lessons", err)
		}
		v.MadeAt = fromMicro(at)
		out = append(out, v)
	}
	return out, s.explain("list the versions of the lessons", rows.Err())
}

// ErrNoVersion: a version of the lessons is not kept, or never was.
var ErrNoVersion = errors.New("no such version of the lessons is kept")

// LessonsAt are the lessons of a repository as a version holds them.
func (s *Store) LessonsAt(ctx context.Context, installation int64, repo string, number int) ([]Lesson, error) {
	var body string
	err := s.r.QueryRowContext(ctx, "SELECT body FROM lesson_versions WHERE installation = $1 AND repo = $2 AND number = $3", installation, slugKey(repo), number).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNoVersion
	}
	if err != nil {
		return nil, s.explain("read a version of the lessons", err)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(body)))
	if err != nil {
		return nil, fmt.Errorf("reading version %d of the lessons: %w", number, err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, mostVersion))
	if err != nil {
		return nil, fmt.Errorf("reading version %d of the lessons: %w", number, err)
	}
	var out []Lesson
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("reading version %d of the lessons: %w", number, err)
	}
	return out, nil
}

// LessonRepo is a repository that lessons are kept of.
type LessonRepo struct {
	Installation int64  `json:"installation"`
	Repo         string `json:"repo"`
	Lessons      int    `json:"lessons"`
}

// LessonRepos lists the repositories that lessons are kept of.
func (s *Store) LessonRepos(ctx context.Context) (out []LessonRepo, err error) {
	rows, err := s.r.QueryContext(ctx, "SELECT installation, repo, count(*) FROM lessons GROUP BY installation, repo ORDER BY installation, repo")
	if err != nil {
		return nil, s.explain("list the repositories with lessons", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r LessonRepo
		if err := rows.Scan(&r.Installation, &r.Repo, &r.Lessons); err != nil {
			return nil, s.explain("list the repositories with lessons", err)
		}
		out = append(out, r)
	}
	return out, s.explain("list the repositories with lessons", rows.Err())
}
