package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Scope is what somebody may see: everything, or installations and repositories
// (owner/name). The zero value sees nothing.
type Scope struct {
	All           bool     `json:"all,omitempty"`
	Installations []int64  `json:"installations,omitempty"`
	Repos         []string `json:"repositories,omitempty"`
}

// Sees tells whether what belongs to the repository (owner/name; "" for the
// installation as a whole) is in the scope.
func (c Scope) Sees(installation int64, repo string) bool {
	if c.All {
		return true
	}
	for _, i := range c.Installations {
		if i == installation && i != 0 {
			return true
		}
	}
	for _, r := range c.Repos {
		if repo != "" && slugKey(r) == slugKey(repo) && installation != 0 {
			return true
		}
	}
	return false
}

// conditions collects the conditions of a query with their arguments.
type conditions struct {
	where []string
	args  []any
}

// add adds a condition in which each ? is the next argument.
func (c *conditions) add(cond string, args ...any) {
	for _, a := range args {
		c.args = append(c.args, a)
		cond = strings.Replace(cond, "?", "$"+strconv.Itoa(len(c.args)), 1)
	}
	c.where = append(c.where, cond)
}

func (c *conditions) String() string { return strings.Join(append(c.where, "1 = 1"), " AND ") }

// scope limits a query to what may be seen; repo is false where rows have no
// repository.
func (c *conditions) scope(of Scope, repo bool) {
	if of.All {
		return
	}
	var any1 []string
	var args []any
	for _, i := range of.Installations {
		any1, args = append(any1, "?"), append(args, i)
	}
	in := "1 = 0"
	if len(any1) > 0 {
		in = "installation IN (" + strings.Join(any1, ", ") + ")"
	}
	if repo && len(of.Repos) > 0 {
		in += " OR repo IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(of.Repos)), ", ") + ")"
		for _, r := range of.Repos {
			args = append(args, slugKey(r))
		}
	}
	c.add("installation <> 0 AND ("+in+")", args...)
}

// Card is a run as a list shows it.
type Card struct {
	ID           string       `json:"id"`
	Installation int64        `json:"installation"`
	Repo         string       `json:"repository"` // owner/name in lower case, or a folder
	Issue        int          `json:"issue"`
	Title        string       `json:"title"`
	Actor        string       `json:"actor"`
	State        task.State   `json:"state"`
	Waiting      bool         `json:"waiting"` // for a human
	Outcome      task.Outcome `json:"outcome"`
	Tier         task.Tier    `json:"tier"`
	Cost         task.USD     `json:"cost_usd"`
	Budget       task.USD     `json:"budget_usd"`
	Attempts     int          `json:"attempts"`
	CreatedAt    time.Time    `json:"created_at"`
	StartedAt    time.Time    `json:"started_at,omitzero"`
	EndedAt      time.Time    `json:"ended_at,omitzero"`
	Local        bool         `json:"local,omitempty"` // worked on by the command line that asked for it
}

// Cursor is the place in a list behind this run.
func (c Card) Cursor() string { return cursor(c.CreatedAt, c.ID) }

func cursor(at time.Time, id string) string { return strconv.FormatInt(micro(at), 10) + "." + id }

// ErrCursor: what was given is no cursor of a list.
var ErrCursor = errors.New("the cursor is none of a list's; leave it out to begin with the newest")

// after limits a list, newest first, to what is behind a cursor.
func (c *conditions) after(cursor, at string) error {
	if cursor == "" {
		return nil
	}
	num, id, ok := strings.Cut(cursor, ".")
	us, err := strconv.ParseUint(num, 10, 63)
	if !ok || err != nil || len(num) > 18 {
		return ErrCursor
	}
	c.add(at+" <= ? AND ("+at+" < ? OR id < ?)", int64(us), int64(us), clean(id))
	return nil
}

// StateWaiting stands for the runs that wait for a human.
const StateWaiting task.State = "waiting"

// CardFilter chooses runs for a list. Zero fields choose everything in the scope.
type CardFilter struct {
	Scope   Scope
	State   task.State // or StateWaiting
	Live    bool       // has not ended
	IDs     []string
	Repo    string
	Outcome task.Outcome
	Tier    task.Tier
	Text    string // in the title, the actor or the id, whatever the case of ASCII letters
	After   string // Card.Cursor of the last one seen
	Limit   int    // default 50
}

const cardCols = "id, installation, repo, issue, title, actor, state, not_before, outcome, tier, cost, budget_usd, attempts, created_at, started_at, ended_at, private"

// Cards lists runs, newest first. It reads nothing but an index.
func (s *Store) Cards(ctx context.Context, f CardFilter) ([]Card, error) {
	var c conditions
	c.scope(f.Scope, true)
	if err := c.after(f.After, "created_at"); err != nil {
		return nil, err
	}
	switch {
	case f.State == StateWaiting:
		c.add("state = 'parked' AND not_before >= ?", int64(forever))
	case f.State != "":
		c.add("state = ?", string(f.State))
	case f.Live:
		c.add("state <> 'done'")
	}
	if f.IDs != nil {
		in, args := []string{"''"}, []any{}
		for _, id := range f.IDs {
			in, args = append(in, "?"), append(args, id)
		}
		c.add("id IN ("+strings.Join(in, ", ")+")", args...)
	}
	if f.Repo != "" {
		c.add("repo IN (?, ?)", clean(f.Repo), slugKey(f.Repo))
	}
	if f.Outcome != "" {
		c.add("outcome = ?", string(f.Outcome))
	}
	if f.Tier != "" {
		c.add("tier = ?", string(f.Tier))
	}
	if f.Text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(clean(f.Text))) + "%"
		c.add(`(lower(title) LIKE ? ESCAPE '\' OR lower(actor) LIKE ? ESCAPE '\' OR id LIKE ? ESCAPE '\')`, like, like, like)
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	return scanAll(ctx, s, "list runs", "SELECT "+cardCols+" FROM runs WHERE "+c.String()+fmt.Sprintf(" ORDER BY created_at DESC, id DESC LIMIT %d", f.Limit), c.args, scanCard)
}

func scanCard(scan func(...any) error) (Card, error) {
	var c Card
	var created, started, ended, notBefore int64
	var private int
	err := scan(&c.ID, &c.Installation, &c.Repo, &c.Issue, &c.Title, &c.Actor, &c.State, &notBefore, &c.Outcome, &c.Tier, &c.Cost, &c.Budget, &c.Attempts, &created, &started, &ended, &private)
	c.CreatedAt, c.StartedAt, c.EndedAt = fromMicro(created), fromMicro(started), fromMicro(ended)
	c.Waiting, c.Local = c.State == task.StateParked && notBefore >= forever, private != 0
	return c, err
}

// scanAll reads all rows of a query.
func scanAll[T any](ctx context.Context, s *Store, what, query string, args []any, scan func(func(...any) error) (T, error)) ([]T, error) {
	rows, err := s.r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.explain(what, err)
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, s.explain(what, err)
		}
		out = append(out, v)
	}
	return out, s.explain(what, rows.Err())
}

// Tally counts the runs that share a repository, a day, a last tier and an end.
type Tally struct {
	Installation int64        `json:"installation"`
	Repo         string       `json:"repository"`
	Day          time.Time    `json:"day"` // on which they were asked for, UTC
	Tier         task.Tier    `json:"tier"`
	Outcome      task.Outcome `json:"outcome"` // "": not ended
	Runs         int          `json:"runs"`
	Attempts     int          `json:"attempts"`
	Cost         task.USD     `json:"cost_usd"`
}

const dayMicros = int64(24 * time.Hour / time.Microsecond)

// Tallies counts the runs asked for since a time.
func (s *Store) Tallies(ctx context.Context, of Scope, since time.Time) ([]Tally, error) {
	var c conditions
	c.add("created_at >= ?", micro(since))
	c.scope(of, true)
	day := fmt.Sprintf("created_at / %d", dayMicros)
	return scanAll(ctx, s, "count runs", "SELECT installation, repo, "+day+", tier, outcome, count(*), sum(attempts), sum(cost) FROM runs WHERE "+c.String()+
		" GROUP BY installation, repo, "+day+", tier, outcome ORDER BY 3, 1, 2, 4, 5", c.args, func(scan func(...any) error) (t Tally, err error) {
		var day int64
		err = scan(&t.Installation, &t.Repo, &day, &t.Tier, &t.Outcome, &t.Runs, &t.Attempts, &t.Cost)
		t.Day = fromMicro(day * dayMicros)
		return t, err
	})
}

// FateCount counts a repository's pull requests that met the same fate.
type FateCount struct {
	Installation int64
	Repo         string
	Fate         task.Fate
	Pulls        int
}

// Fates counts what became of fettle's pull requests.
func (s *Store) Fates(ctx context.Context, of Scope) ([]FateCount, error) {
	var c conditions
	c.scope(of, true)
	return scanAll(ctx, s, "count pull requests", "SELECT installation, repo, fate, count(*) FROM pulls WHERE "+c.String()+" GROUP BY installation, repo, fate ORDER BY 1, 2, 3", c.args,
		func(scan func(...any) error) (f FateCount, err error) {
			return f, scan(&f.Installation, &f.Repo, &f.Fate, &f.Pulls)
		})
}

// Observed returns what the tiers came to in the newest runs of a scope, the newest first.
func (s *Store) Observed(ctx context.Context, of Scope, limit int) ([][]byte, error) {
	var c conditions
	from := "observations"
	if !of.All {
		from = "(SELECT o.made_at, o.seq, o.body, o.run, r.installation, r.repo FROM observations o JOIN runs r ON r.id = o.run) seen"
		c.scope(of, true)
	}
	return scanAll(ctx, s, "read the history of the tiers", "SELECT body FROM "+from+" WHERE "+c.String()+fmt.Sprintf(" ORDER BY made_at DESC, run DESC, seq DESC LIMIT %d", limit), c.args,
		func(scan func(...any) error) (b []byte, err error) { return b, scan(&b) })
}

// DeliveryFilter chooses deliveries for a list.
type DeliveryFilter struct {
	Scope Scope
	State string
	After string // Delivery.Cursor of the last one seen
	Limit int    // default 50
}

// Cursor is the place in a list behind this delivery.
func (d Delivery) Cursor() string { return cursor(d.ReceivedAt, d.ID) }

// DeliveryList lists deliveries without their payloads, newest first.
func (s *Store) DeliveryList(ctx context.Context, f DeliveryFilter) ([]Delivery, error) {
	var c conditions
	c.scope(f.Scope, false)
	if err := c.after(f.After, "received_at"); err != nil {
		return nil, err
	}
	if f.State != "" {
		c.add("state = ?", f.State)
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	return scanAll(ctx, s, "list deliveries", `SELECT l.id, l.event, l.installation, l.received_at, l.state, d.note, l.tries, l.finished_at FROM
		(SELECT id, event, installation, received_at, state, tries, finished_at FROM deliveries WHERE `+c.String()+fmt.Sprintf(" ORDER BY received_at DESC, id DESC LIMIT %d) l", f.Limit)+
		" JOIN deliveries d ON d.id = l.id ORDER BY l.received_at DESC, l.id DESC", c.args, func(scan func(...any) error) (d Delivery, err error) {
		var received, finished int64
		err = scan(&d.ID, &d.Event, &d.Installation, &received, &d.State, &d.Note, &d.Tries, &finished)
		d.ReceivedAt, d.FinishedAt = fromMicro(received), fromMicro(finished)
		return d, err
	})
}

// Redeliver lets a delivery that was given up be handled again, with all its tries. Of
// one that was not given up it changes nothing, and again is false.
func (s *Store) Redeliver(ctx context.Context, id string) (again bool, err error) {
	err = s.tx(ctx, "handle delivery "+id+" again", func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, "UPDATE deliveries SET state = 'queued', tries = 0, wake_at = $2, finished_at = 0 WHERE id = $1 AND state = 'failed'", id, s.now()))
		again = n == 1
		return err
	})
	if again {
		s.look()
	}
	return again, err
}

// Depth is how much waits, and how long the oldest of it has.
type Depth struct {
	Deliveries map[string]int // by state
	OldestWait time.Duration  // of a delivery that is not handled
	Runs       map[task.State]int
	Waiting    int           // runs that wait for a human
	OldestRun  time.Duration // in the queue
}

// Depth counts what waits.
func (s *Store) Depth(ctx context.Context) (d Depth, err error) {
	type row struct {
		state string
		n     int
		first int64
	}
	read := func(query string) (out []row) {
		if err == nil {
			out, err = scanAll(ctx, s, "count what waits", query, nil, func(scan func(...any) error) (r row, err error) { return r, scan(&r.state, &r.n, &r.first) })
		}
		return out
	}
	age := func(us int64) time.Duration { return max(0, time.Duration(s.now()-us)*time.Microsecond) }
	d = Depth{Deliveries: map[string]int{}, Runs: map[task.State]int{}}
	for _, r := range read("SELECT state, count(*), min(received_at) FROM deliveries GROUP BY state") {
		if d.Deliveries[r.state] = r.n; r.state == "queued" || r.state == "working" {
			d.OldestWait = max(d.OldestWait, age(r.first))
		}
	}
	for _, r := range read(fmt.Sprintf("SELECT CASE WHEN state = 'parked' AND not_before >= %d THEN 'waiting' ELSE state END, count(*), min(created_at) FROM runs WHERE state <> 'done' GROUP BY 1", int64(forever))) {
		switch task.State(r.state) {
		case StateWaiting:
			d.Waiting = r.n
		case task.StateQueued:
			d.OldestRun = age(r.first)
			fallthrough
		default:
			d.Runs[task.State(r.state)] = r.n
		}
	}
	return d, err
}
