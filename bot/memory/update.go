package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
)

// Source is a tree that is to be known.
type Source struct {
	Files []checkout.Blob
	// Read gives the content of a file; it is called by several goroutines.
	Read func(path string) ([]byte, error)
	// Head is the commit that the history leads to; "" for none.
	Head string
	// History lists the last n commits without merges, newest first, those that
	// are known by their hash alone; nil: there is none.
	History func(ctx context.Context, n int, known func(hash string) bool) ([]checkout.Earlier, error)
	// Progress is told how many files of how many have been read; nil: nobody is.
	Progress func(done, all int)
	Now      time.Time
}

// Report is what an update did.
type Report struct {
	Files    int               `json:"files"`             // of the tree that can be found
	Pieces   int               `json:"pieces"`            // in them
	Read     int               `json:"read"`              // files that were new
	Bytes    int64             `json:"bytes"`             // of them
	Commits  int               `json:"commits"`           // of the history
	Skipped  map[string]int    `json:"skipped,omitempty"` // why, and how many files
	Anew     string            `json:"made_anew,omitempty"`
	NoPast   string            `json:"no_history,omitempty"` // why there is no history
	Seconds  float64           `json:"seconds"`
	Examples map[string]string `json:"examples,omitempty"` // a file for each reason
}

const (
	mostChanges    = 2000
	batch          = 200     // files written at once, or
	maxAhead       = 8 << 20 // half of these bytes; the other half is read meanwhile
	keptDays       = 2       // contents that no tree had for longer may go
	longestMessage = 1000
	mostOfChange   = 30 // files of a commit that says something of each
)

// Update reads what is new in a tree and gives the view on it.
func (x *Index) Update(ctx context.Context, src Source) (*View, Report, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, rep, err := x.update(ctx, src)
	if err != nil && damaged(err) && ctx.Err() == nil {
		if err = x.anew(ctx, "it was damaged: "+err.Error()); err == nil {
			v, rep, err = x.update(ctx, src)
		}
	}
	rep.Anew, x.made = x.made, ""
	if err != nil {
		return nil, rep, fmt.Errorf("bringing the index up to date: %w", err)
	}
	return v, rep, nil
}

func (x *Index) update(ctx context.Context, src Source) (*View, Report, error) {
	begun := time.Now()
	rep := Report{Skipped: map[string]int{}, Examples: map[string]string{}}
	want := chosen(src.Files, &rep)
	key := stateOf(want, src.Head)
	if x.last != nil && x.last.key == key {
		rep.Files, rep.Pieces, rep.Commits = len(x.last.files), len(x.last.at), len(x.last.changes)
		return x.last, rep, nil
	}
	known, err := x.load(ctx)
	if err != nil {
		return nil, rep, err
	}
	var missing []checkout.Blob
	for _, b := range want {
		if known[b.Path+"\x00"+b.Hash] == nil {
			missing = append(missing, b)
		}
	}
	today := src.Now.Unix() / 86400
	if err := x.add(ctx, src, missing, today, known, &rep); err != nil {
		return nil, rep, err
	}
	v := &View{index: x, key: key}
	live := map[int64]bool{}
	var old []int64
	for _, b := range want {
		f := known[b.Path+"\x00"+b.Hash]
		if f == nil {
			continue // it could not be read
		}
		live[f.id] = true
		if f.used < today {
			old = append(old, f.id)
			f.used = today
		}
		if f.skipped != "" {
			rep.Skip(f.skipped, f.path)
			continue
		}
		v.files = append(v.files, f)
	}
	if err := x.keep(ctx, live, old, today); err != nil {
		return nil, rep, err
	}
	if src.History != nil && src.Head != "" {
		if v.changes, err = x.history(ctx, src); err != nil {
			if ctx.Err() != nil || damaged(err) {
				return nil, rep, err
			}
			rep.NoPast = err.Error()
		}
	}
	v.build()
	x.last = v
	rep.Files, rep.Pieces, rep.Commits, rep.Seconds = len(v.files), len(v.at), len(v.changes), time.Since(begun).Seconds()
	return v, rep, nil
}

// Skip notes a file that is left out.
func (r *Report) Skip(why, file string) {
	r.Skipped[why]++
	if r.Examples[why] == "" {
		r.Examples[why] = file
	}
}

// stateOf names a tree with its history.
func stateOf(files []checkout.Blob, head string) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s\x00%s\x00", f.Path, f.Hash)
	}
	fmt.Fprint(h, head)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// chosen are the files that are looked at: those that a person wrote, sources
// first where there are too many.
func chosen(files []checkout.Blob, rep *Report) []checkout.Blob {
	var out []checkout.Blob
	size := int64(0)
	for _, f := range files {
		if why := leftOut(f.Path, f.Size); why != "" {
			rep.Skip(why, f.Path)
			continue
		}
		out = append(out, f)
		size += f.Size
	}
	if len(out) > maxFiles || size > maxBytes {
		rank := func(b checkout.Blob) int {
			n := strings.Count(b.Path, "/")
			if code.LanguageOf(b.Path) == code.Unknown {
				n += 200
			} else if ClassOf(b.Path) != ClassSource {
				n += 100
			}
			return n
		}
		slices.SortStableFunc(out, func(a, b checkout.Blob) int { return cmp.Compare(rank(a), rank(b)) })
		size = 0
		for i, f := range out {
			if size += f.Size; i >= maxFiles || size > maxBytes {
				for _, g := range out[i:] {
					rep.Skip(fmt.Sprintf("more than %d files or %d MiB; sources and shallow folders come first", maxFiles, maxBytes>>20), g.Path)
				}
				out = out[:i]
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b checkout.Blob) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// load gives all files of the index, read where they are not at hand.
func (x *Index) load(ctx context.Context) (map[string]*file, error) {
	out := make(map[string]*file, len(x.files))
	have, missing := map[int64]*file{}, 0
	err := x.rows(ctx, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if have[id] = x.files[id]; have[id] == nil {
			missing++
		}
		return err
	}, `SELECT id FROM file`)
	if err == nil && missing > 0 {
		err = x.loadRows(ctx, have)
	}
	if err != nil {
		return nil, err
	}
	x.files = have
	for _, f := range have {
		out[f.path+"\x00"+f.blob] = f
	}
	return out, nil
}

func (x *Index) loadRows(ctx context.Context, have map[int64]*file) error {
	return x.rows(ctx, func(scan func(...any) error) error {
		f := &file{}
		var pieces, imports string
		if err := scan(&f.id, &f.path, &f.blob, &f.skipped, &pieces, &imports, &f.used); err != nil || have[f.id] != nil {
			return err
		}
		have[f.id] = f
		return f.restore(pieces, imports)
	}, `SELECT id, path, blob, skipped, pieces, imports, used FROM file`)
}

// entry is a file that was read, ready to be written.
type entry struct {
	blob    checkout.Blob
	skipped string
	pieces  string // as file.go writes them
	imports string
	terms   [][3]string
	err     error
}

// add reads files with a few goroutines and writes them with one, which is a
// batch behind at most.
func (x *Index) add(ctx context.Context, src Source, files []checkout.Blob, today int64, known map[string]*file, rep *Report) error {
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	room := semaphore.NewWeighted(maxAhead)
	work, done := make(chan checkout.Blob), make(chan entry, batch)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		readers.Go(func() {
			var ix indexer
			for b := range work {
				select {
				case done <- ix.read(ctx, src, b):
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(done)
		for _, b := range files {
			if room.Acquire(ctx, min(b.Size, maxAhead/2)) != nil {
				break
			}
			select {
			case work <- b:
			case <-ctx.Done():
			}
		}
		close(work)
		readers.Wait()
	}()
	var pending []entry
	n, size := 0, int64(0)
	flush := func() error {
		err := x.write(ctx, pending, today, known)
		room.Release(size)
		pending, size = pending[:0], 0
		return err
	}
	for e := range done {
		n++
		size += min(e.blob.Size, maxAhead/2)
		switch {
		case e.err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case e.err != nil:
			rep.Skip("could not be read", e.blob.Path)
			continue
		case e.skipped == "":
			rep.Read++
			rep.Bytes += e.blob.Size
		}
		if pending = append(pending, e); len(pending) == batch || size >= maxAhead/2 {
			if err := flush(); err != nil {
				return err
			}
			if src.Progress != nil {
				src.Progress(n, len(files))
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return flush()
}

func (x *indexer) read(ctx context.Context, src Source, b checkout.Blob) entry {
	e := entry{blob: b}
	text, err := src.Read(b.Path)
	if err != nil {
		e.err = err
		return e
	}
	if e.skipped = leftOut(b.Path, int64(len(text))); e.skipped == "" { // it may have grown
		e.skipped = unread(text)
	}
	if e.skipped != "" {
		return e
	}
	chunks, err := chunksOf(ctx, b.Path, text)
	if err != nil {
		e.err = err
		return e
	}
	e.imports = strings.Join(importsOf(text), " ")
	lines := make([]string, 0, len(chunks)+1)
	if generated(text) {
		lines = append(lines, generatedMark)
	}
	stem := strings.TrimSuffix(b.Path, path.Ext(b.Path))
	for _, c := range chunks {
		lines = append(lines, c.note())
		e.terms = append(e.terms, [3]string{x.terms(c.Name), x.terms(stem, c.Parent, c.Signature, c.Doc), x.terms(c.own)})
	}
	e.pieces = strings.Join(lines, "\n")
	return e
}

// write puts files into the tables, in one transaction. One that another process
// has written by now is taken as it wrote it.
func (x *Index) write(ctx context.Context, entries []entry, today int64, known map[string]*file) error {
	if len(entries) == 0 {
		return nil
	}
	added := make([]*file, len(entries))
	if err := transact(ctx, x.db, func(tx *sql.Tx) error { return enter(ctx, tx, entries, today, added) }); err != nil {
		return err
	}
	for _, f := range added {
		known[f.path+"\x00"+f.blob], x.files[f.id] = f, f
	}
	return nil
}

func enter(ctx context.Context, tx *sql.Tx, entries []entry, today int64, added []*file) error {
	into, err := tx.PrepareContext(ctx, `INSERT INTO file(path, blob, skipped, pieces, imports, used) VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`)
	if err != nil {
		return err
	}
	defer into.Close()
	words, err := tx.PrepareContext(ctx, `INSERT INTO words(rowid, name, head, body) VALUES(?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer words.Close()
	// The files come before all words: at each INSERT that returns something,
	// SQLite sets a savepoint, and FTS5 writes what it has gathered.
	for i, e := range entries {
		f := &file{path: e.blob.Path, blob: e.blob.Hash, skipped: e.skipped, used: today}
		err := into.QueryRowContext(ctx, f.path, f.blob, f.skipped, e.pieces, e.imports, today).Scan(&f.id)
		if errors.Is(err, sql.ErrNoRows) {
			err = tx.QueryRowContext(ctx, `SELECT id, skipped, pieces, imports FROM file WHERE path = ? AND blob = ?`, f.path, f.blob).Scan(&f.id, &f.skipped, &e.pieces, &e.imports)
			entries[i].terms = nil
		}
		if err != nil {
			return err
		}
		if err := f.restore(e.pieces, e.imports); err != nil {
			return err
		}
		added[i] = f
	}
	for i, e := range entries {
		for n, t := range e.terms {
			if _, err := words.ExecContext(ctx, row(added[i].id, n), t[0], t[1], t[2]); err != nil {
				return err
			}
		}
	}
	return wrote(ctx, tx)
}

// keep notes which files are in use, and forgets contents that no tree had for a
// while, once they are the larger part.
func (x *Index) keep(ctx context.Context, live map[int64]bool, old []int64, today int64) error {
	var gone []*file
	for id, f := range x.files {
		if !live[id] && f.used < today-keptDays {
			gone = append(gone, f)
		}
	}
	if len(gone) <= len(live) {
		gone = nil
	}
	if len(old)+len(gone) == 0 {
		return nil
	}
	err := transact(ctx, x.db, func(tx *sql.Tx) error {
		for _, id := range old {
			if _, err := tx.ExecContext(ctx, `UPDATE file SET used = ? WHERE id = ?`, today, id); err != nil {
				return err
			}
		}
		for _, f := range gone {
			if _, err := tx.ExecContext(ctx, `DELETE FROM words WHERE rowid BETWEEN ? AND ?`, row(f.id, 0), row(f.id, perFile-1)); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM file WHERE id = ?`, f.id); err != nil {
				return err
			}
		}
		if len(gone) == 0 {
			return nil
		}
		return wrote(ctx, tx)
	})
	for _, f := range gone {
		if err == nil {
			delete(x.files, f.id)
		}
	}
	return err
}

// past is a commit of the view's history.
type past struct {
	id    int64
	files []string
}

// history reads the commits that are not known and gives those that lead to the
// tree, newest first.
func (x *Index) history(ctx context.Context, src Source) ([]past, error) {
	have := map[string]past{}
	err := x.rows(ctx, func(scan func(...any) error) error {
		var p past
		var hash, files string
		if err := scan(&p.id, &hash, &files); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(files), &p.files); err != nil {
			return fmt.Errorf("%w: the files of a commit: %w", errVersion, err)
		}
		have[hash] = p
		return nil
	}, `SELECT id, hash, files FROM change`)
	if err != nil {
		return nil, err
	}
	list, err := src.History(ctx, mostChanges, func(hash string) bool { _, ok := have[hash]; return ok })
	if err != nil {
		return nil, err
	}
	out := make([]past, 0, len(list))
	err = transact(ctx, x.db, func(tx *sql.Tx) (err error) {
		var ix indexer
		added := false
		for _, c := range list {
			p, ok := have[c.Commit]
			if !ok {
				added = true
				if p, err = addChange(ctx, tx, c, &ix); err != nil {
					return err
				}
			}
			out = append(out, p)
		}
		if !added {
			return nil
		}
		return wrote(ctx, tx)
	})
	return out, err
}

func addChange(ctx context.Context, tx *sql.Tx, c checkout.Earlier, ix *indexer) (past, error) {
	p := past{files: c.Files}
	if len(p.files) > mostOfChange {
		p.files = nil // it says little of each
	}
	files, err := json.Marshal(p.files)
	if err != nil {
		return p, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO change(hash, files) VALUES(?, ?) ON CONFLICT DO NOTHING RETURNING id`, c.Commit, string(files)).Scan(&p.id)
	if errors.Is(err, sql.ErrNoRows) {
		return p, tx.QueryRowContext(ctx, `SELECT id FROM change WHERE hash = ?`, c.Commit).Scan(&p.id)
	}
	if err != nil {
		return p, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO messages(rowid, text) VALUES(?, ?)`, p.id, ix.terms(c.Message[:min(len(c.Message), longestMessage)]))
	return p, err
}
