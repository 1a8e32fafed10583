package prepare

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// The cache's folders, and what an entry holds:
//
//	layers/KEY/  lock (shared by those who use it), layer.json, data/
//	tmp/NONCE/   the same, while it is made, for one run only, or on its way out
//	locks/KEY    held by the one who installs
const (
	layersDir = "layers"
	tmpDir    = "tmp"
	locksDir  = "locks"

	lockName  = "lock"
	layerName = "layer.json"
	dataName  = "data"
	ownerName = "owner.json"
)

// owner is whose layer an entry is: its key tells nobody.
type owner struct {
	Installation int64  `json:"installation"`
	Repo         string `json:"repo"`
}

// held is a layer with the lock that keeps it.
type held struct {
	dir   string
	layer *sandbox.Layer
	lock  *lock
	own   bool // of this run only: removed with it
}

// release gives the layer back.
func (h *held) release() error {
	if h == nil {
		return nil
	}
	var err error
	if h.own {
		err = sandbox.RemoveAll(h.dir)
	}
	h.lock.close()
	return err
}

// begin makes an empty entry that no other process removes.
func (p *Preparer) begin() (*held, error) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	h := &held{dir: filepath.Join(p.cfg.Dir, tmpDir, hex.EncodeToString(b[:])), own: true}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		return nil, fmt.Errorf("prepare: making room for what the setup leaves: %w", err)
	}
	var err error
	if h.lock, err = openLock(filepath.Join(h.dir, lockName)); err != nil {
		return nil, errors.Join(err, os.RemoveAll(h.dir))
	}
	if !h.lock.try(syscall.LOCK_SH) {
		return nil, errors.Join(errors.New("prepare: a new folder is locked already"), h.release())
	}
	if err := os.Mkdir(filepath.Join(h.dir, dataName), 0o755); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare: making room for what the setup leaves: %w", err), h.release())
	}
	return h, nil
}

// find gives the layer of a key if it is there and whole. One that is damaged
// is taken out of the way.
func (p *Preparer) find(key string) *held {
	dir := filepath.Join(p.cfg.Dir, layersDir, key)
	for range 3 { // it may be thrown out while we look
		if _, err := os.Lstat(dir); err != nil {
			return nil
		}
		l, err := openLock(filepath.Join(dir, lockName))
		if err != nil {
			continue
		}
		if !l.try(syscall.LOCK_SH) || !sameFile(l.f, filepath.Join(dir, lockName)) {
			l.close()
			continue
		}
		h := &held{dir: dir, lock: l}
		if h.layer, err = read(dir); err == nil {
			now := p.cfg.Now()
			_ = os.Chtimes(filepath.Join(dir, lockName), now, now)
			return h
		}
		l.close()
		p.cfg.Log.WithError(err).Warn("a damaged setup layer is thrown away and made again")
		if err := p.throwOut(dir); err != nil {
			p.cfg.Log.WithError(err).Warn("a damaged setup layer stays")
			return nil
		}
	}
	return nil
}

func sameFile(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// read loads and checks an entry.
func read(dir string) (*sandbox.Layer, error) {
	raw, err := os.ReadFile(filepath.Join(dir, layerName))
	if err != nil {
		return nil, err
	}
	l := &sandbox.Layer{}
	if err := json.Unmarshal(raw, l); err != nil {
		return nil, fmt.Errorf("%s: %w", layerName, err)
	}
	l.Dir = filepath.Join(dir, dataName)
	return l, l.Check()
}

// publish makes an entry the one of its key, whole and at once.
func (p *Preparer) publish(h *held, key string, whose owner) error {
	name, err := json.Marshal(whose)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(h.layer)
	if err != nil {
		return err
	}
	to := filepath.Join(p.cfg.Dir, layersDir, key)
	if _, err := os.Lstat(to); err == nil { // damaged: find would have given it
		if err := p.throwOut(to); err != nil {
			return err
		}
	}
	err = h.layer.Flush()
	if err == nil {
		err = writeDurably(filepath.Join(h.dir, ownerName), name)
	}
	if err == nil {
		err = writeDurably(filepath.Join(h.dir, layerName), raw)
	}
	if err == nil {
		err = os.Rename(h.dir, to)
	}
	if err != nil {
		return fmt.Errorf("prepare: keeping what the setup left: %w", err)
	}
	h.dir, h.own, h.layer.Dir = to, false, filepath.Join(to, dataName)
	now := p.cfg.Now()
	_ = os.Chtimes(filepath.Join(to, lockName), now, now)
	return nil
}

func writeDurably(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// throwOut moves an entry where nobody finds it, and removes it unless somebody
// uses it; then sweep does, later.
func (p *Preparer) throwOut(dir string) error {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	to := filepath.Join(p.cfg.Dir, tmpDir, hex.EncodeToString(b[:]))
	if err := os.Rename(dir, to); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil // somebody else did
		}
		return fmt.Errorf("prepare: throwing out a layer: %w", err)
	}
	removeUnused(to)
	return nil
}

// removeUnused removes an entry whose lock nobody holds, and tells whether it is
// gone.
func removeUnused(dir string) bool {
	l, err := openLock(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer l.close()
	return l.try(syscall.LOCK_EX) && sandbox.RemoveAll(dir) == nil
}

// Prune removes what setups left of repositories (owner/name) that known does not list
// under their installation, but for what is in use. known is asked after the disk.
func (p *Preparer) Prune(known func() (map[int64][]string, error)) error {
	dir := filepath.Join(p.cfg.Dir, layersDir)
	list, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(list) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("prepare: looking for what setups left: %w", err)
	}
	repos, err := known()
	if err != nil {
		return err
	}
	var problems []error
	for _, e := range list {
		var whose owner
		at := filepath.Join(dir, e.Name())
		raw, err := os.ReadFile(filepath.Join(at, ownerName))
		if err != nil || json.Unmarshal(raw, &whose) != nil || whose.Installation == 0 ||
			slices.ContainsFunc(repos[whose.Installation], func(slug string) bool { return strings.EqualFold(slug, whose.Repo) }) {
			continue
		}
		problems = append(problems, p.throwOut(at))
	}
	return errors.Join(problems...)
}

// sweep removes what dead processes left.
func (p *Preparer) sweep() {
	dir := filepath.Join(p.cfg.Dir, tmpDir)
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		info, err := e.Info()
		if err == nil && p.cfg.Now().Sub(info.ModTime()) > time.Minute { // not one that is being begun
			removeUnused(filepath.Join(dir, e.Name()))
		}
	}
}

// evict throws the least recently used layers out until the rest fits.
func (p *Preparer) evict() {
	dir := filepath.Join(p.cfg.Dir, layersDir)
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type entry struct {
		dir   string
		used  time.Time
		bytes int64
	}
	var all []entry
	total := int64(0)
	for _, e := range list {
		at := filepath.Join(dir, e.Name())
		info, err := os.Stat(filepath.Join(at, lockName))
		if err != nil {
			continue
		}
		var l sandbox.Layer
		if raw, err := os.ReadFile(filepath.Join(at, layerName)); err == nil {
			_ = json.Unmarshal(raw, &l) // one that cannot be read counts nothing; find throws it out
		}
		all = append(all, entry{at, info.ModTime(), l.Bytes})
		total += l.Bytes
	}
	sort.Slice(all, func(i, j int) bool { return all[i].used.Before(all[j].used) })
	for _, e := range all {
		if total <= p.cfg.MaxBytes {
			return
		}
		if p.evictOne(e.dir) {
			total -= e.bytes
		}
	}
}

// evictOne throws out a layer that nobody uses.
func (p *Preparer) evictOne(dir string) bool {
	l, err := openLock(filepath.Join(dir, lockName))
	if err != nil {
		return false
	}
	defer l.close()
	if !l.try(syscall.LOCK_EX) || !sameFile(l.f, filepath.Join(dir, lockName)) {
		return false
	}
	to := filepath.Join(p.cfg.Dir, tmpDir, "out-"+filepath.Base(dir))
	if err := os.Rename(dir, to); err != nil {
		return false
	}
	return sandbox.RemoveAll(to) == nil
}
