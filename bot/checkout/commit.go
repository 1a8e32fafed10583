package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/fettle-dev/fettle/bot/task"
)

// Signature says who made a commit, and when; a zero When is now.
type Signature struct {
	Name, Email string
	When        time.Time
}

// ErrNoChange says that the tree equals its base.
var ErrNoChange = errors.New("nothing was changed")

// Commit records the tree as a child of the base on refs/fettle/attempt-N, N
// counted from 1, and returns the commit's full hash. It is made by go-git
// from the base's objects and Changes alone: host Git does not look at the
// tree. With no change it returns ErrNoChange.
func (t *Tree) Commit(_ context.Context, message string, who Signature) (string, error) {
	changes, err := t.Changes()
	if err != nil {
		return "", fmt.Errorf("commit the attempt: %w", err)
	}
	if len(changes) == 0 {
		return "", fmt.Errorf("commit the attempt: %w", ErrNoChange)
	}
	if who.When.IsZero() {
		who.When = t.store.cfg.Now()
	}
	objects := filesystem.NewStorageWithOptions(osfs.New(t.gitDir), cache.NewObjectLRUDefault(), filesystem.Options{AlternatesFS: osfs.New("/")})
	hash, err := commitOn(objects, plumbing.NewHash(t.base), changes, message, who)
	if err == nil {
		ref := plumbing.ReferenceName(fmt.Sprintf("refs/fettle/attempt-%d", t.attempts+1))
		err = objects.SetReference(plumbing.NewHashReference(ref, hash))
	}
	if err = errors.Join(err, objects.Close()); err != nil {
		return "", fmt.Errorf("commit the attempt: %w", err)
	}
	t.attempts++
	return hash.String(), nil
}

// commitOn writes blobs, trees and a commit whose parent is base.
func commitOn(objects storer.EncodedObjectStorer, base plumbing.Hash, changes []task.FileChange, message string, who Signature) (plumbing.Hash, error) {
	return commitChild(objects, base, base, changes, message, who)
}

// commitChild is commitOn with another parent than the commit whose tree the
// changes are made in.
func commitChild(objects storer.EncodedObjectStorer, base, parent plumbing.Hash, changes []task.FileChange, message string, who Signature) (plumbing.Hash, error) {
	from, err := object.GetCommit(objects, base)
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("read the base commit %s: %w", base, err)
	}
	root, err := writeTree(objects, from.TreeHash, changes)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	by := object.Signature{Name: cleanName(who.Name), Email: cleanName(who.Email), When: who.When.UTC()}
	return encode(objects, &object.Commit{Author: by, Committer: by, Message: message, TreeHash: root, ParentHashes: []plumbing.Hash{parent}})
}

// writeTree writes the tree at hash (zero for a new one) with the changes made
// in it, whose paths are relative to it, and returns the zero hash when
// nothing is left in it: Git knows no empty folders.
func writeTree(objects storer.EncodedObjectStorer, hash plumbing.Hash, changes []task.FileChange) (plumbing.Hash, error) {
	tree := &object.Tree{}
	if !hash.IsZero() {
		old, err := object.GetTree(objects, hash)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("read the tree %s: %w", hash, err)
		}
		tree.Entries = slices.Clone(old.Entries)
	}
	below := map[string][]task.FileChange{}
	for _, c := range changes {
		name, rest, isDir := strings.Cut(c.Path, "/")
		if isDir {
			c.Path = rest
			below[name] = append(below[name], c)
			continue
		}
		entry, err := writeBlob(objects, c)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		setEntry(tree, name, entry)
	}
	for name, inside := range below {
		var old plumbing.Hash
		if i := entryAt(tree, name); i >= 0 && tree.Entries[i].Mode == filemode.Dir {
			old = tree.Entries[i].Hash
		}
		sub, err := writeTree(objects, old, inside)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		setEntry(tree, name, object.TreeEntry{Mode: filemode.Dir, Hash: sub})
	}
	if len(tree.Entries) == 0 && !hash.IsZero() {
		return plumbing.ZeroHash, nil
	}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	return encode(objects, tree)
}

// writeBlob writes a file's blob; a deleted file has the zero hash.
func writeBlob(objects storer.EncodedObjectStorer, c task.FileChange) (object.TreeEntry, error) {
	if c.Deleted {
		return object.TreeEntry{}, nil
	}
	mode, err := filemode.New(c.Mode)
	if err != nil {
		return object.TreeEntry{}, fmt.Errorf("the mode %q of %s is not one of Git's: %w", c.Mode, c.Path, err)
	}
	blob := objects.NewEncodedObject()
	blob.SetType(plumbing.BlobObject)
	w, err := blob.Writer()
	if err != nil {
		return object.TreeEntry{}, err
	}
	_, err = io.Copy(w, bytes.NewReader(c.Content))
	if err = errors.Join(err, w.Close()); err != nil {
		return object.TreeEntry{}, fmt.Errorf("write the blob of %s: %w", c.Path, err)
	}
	hash, err := objects.SetEncodedObject(blob)
	return object.TreeEntry{Mode: mode, Hash: hash}, err
}

// setEntry puts an entry into the tree under a name; one with the zero hash
// takes it out.
func setEntry(tree *object.Tree, name string, e object.TreeEntry) {
	e.Name = name
	i := entryAt(tree, name)
	switch {
	case e.Hash.IsZero() && i >= 0:
		tree.Entries = slices.Delete(tree.Entries, i, i+1)
	case e.Hash.IsZero():
	case i >= 0:
		tree.Entries[i] = e
	default:
		tree.Entries = append(tree.Entries, e)
	}
}

func entryAt(tree *object.Tree, name string) int {
	return slices.IndexFunc(tree.Entries, func(e object.TreeEntry) bool { return e.Name == name })
}

// encode stores a tree or commit.
func encode(objects storer.EncodedObjectStorer, o interface {
	Encode(plumbing.EncodedObject) error
}) (plumbing.Hash, error) {
	raw := objects.NewEncodedObject()
	if err := o.Encode(raw); err != nil {
		return plumbing.ZeroHash, err
	}
	return objects.SetEncodedObject(raw)
}

// cleanName drops what would end a name or e-mail address in a commit.
func cleanName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r < ' ' {
			return -1
		}
		return r
	}, s)
}
