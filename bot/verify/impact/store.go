package impact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Folder keeps the maps of one repository, each under the commit that it was
// recorded for.
type Folder struct {
	Dir  string // absolute; it is made when a map is saved
	Keep int    // maps of each command that stay; default 8
}

var commitName = lazyregexp.New(`^[0-9a-f]{7,64}$`)

// Save keeps a map under its commit, whole or not at all, and drops the oldest
// beyond Keep.
func (f Folder) Save(m *Map) error {
	if !commitName.MatchString(m.Commit) {
		return fmt.Errorf("saving a map of tests: %q is no commit", m.Commit)
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("saving a map of tests: %w", err)
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return fmt.Errorf("saving a map of tests: %w", err)
	}
	defer root.Close()
	tmp, err := os.CreateTemp(f.Dir, ".part-*")
	if err != nil {
		return fmt.Errorf("saving a map of tests: %w", err)
	}
	err = errors.Join(m.Write(tmp), tmp.Sync(), tmp.Close())
	if err == nil {
		err = root.Rename(path.Base(tmp.Name()), f.name(m.Tool, m.Dir, m.Commit))
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("saving a map of tests: %w", err)
	}
	f.drop(root, m)
	return nil
}

// Load gives the map of a command for the first of the commits that has one,
// newest first, as git log lists them; nil where none has. A map that cannot
// be read is taken away: it is made again by the next recorded run.
func (f Folder) Load(tool, dir string, commits []string) (*Map, error) {
	root, err := os.OpenRoot(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("loading a map of tests: %w", err)
	}
	defer root.Close()
	for _, c := range commits {
		if !commitName.MatchString(c) {
			continue
		}
		name := f.name(tool, dir, c)
		file, err := root.Open(name)
		if err != nil {
			continue
		}
		m, err := ReadMap(file)
		_ = file.Close()
		if err == nil && m.Tool == tool && m.Dir == dir && m.Commit == c {
			return m, nil
		}
		_ = root.Remove(name)
	}
	return nil, nil
}

// name: tools and folders are told apart by letters that names of files have.
func (f Folder) name(tool, dir, commit string) string {
	return commit + "-" + plain(tool) + "-" + plain(dir) + ".map"
}

func plain(s string) string {
	if len(s) > 40 {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:16])
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "_%02x", c)
	}
	return b.String()
}

func (f Folder) drop(root *os.Root, m *Map) {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return
	}
	end := f.name(m.Tool, m.Dir, "")
	var mine []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), end) && info.Mode().IsRegular() {
			mine = append(mine, info)
		}
	}
	sort.Slice(mine, func(i, j int) bool { return mine[i].ModTime().After(mine[j].ModTime()) })
	keep := f.Keep
	if keep <= 0 {
		keep = 8
	}
	for _, old := range mine[min(keep, len(mine)):] {
		_ = root.Remove(old.Name())
	}
}
