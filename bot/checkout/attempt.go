package checkout

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// CommitRef records the tree on a private ref under refs/fettle/, as a child
// of parent ("": the base), and returns the commit's full hash. The content is
// the base's and Changes, like Commit's, whatever the parent holds; so the same
// tree, parent, message and time give the same hash. With no change against
// the base it returns ErrNoChange.
func (t *Tree) CommitRef(ref, parent, message string, who Signature) (hash string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("commit the tree on %s: %w", ref, err)
		}
	}()
	name, private := strings.CutPrefix(ref, "refs/")
	if !private || !strings.HasPrefix(name, "fettle/") || !ValidBranch(name) {
		return "", fmt.Errorf("%w: attempts are kept under refs/fettle/ only", ErrNoRef)
	}
	if parent == "" {
		parent = t.base
	}
	if !isHash(parent) {
		return "", fmt.Errorf("%w: the parent %q is not a full hash", ErrNoRef, parent)
	}
	changes, err := t.Changes()
	if err != nil {
		return "", err
	}
	if len(changes) == 0 {
		return "", ErrNoChange
	}
	if who.When.IsZero() {
		who.When = t.store.cfg.Now()
	}
	objects := filesystem.NewStorageWithOptions(osfs.New(t.gitDir), cache.NewObjectLRUDefault(), filesystem.Options{AlternatesFS: osfs.New("/")})
	made, err := commitChild(objects, plumbing.NewHash(t.base), plumbing.NewHash(parent), changes, message, who)
	if err == nil {
		err = objects.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(ref), made))
	}
	return made.String(), errors.Join(err, objects.Close())
}

// Ref gives the full hash that a private ref points to, or "" when it is not
// there.
func (t *Tree) Ref(ref string) (string, error) {
	objects := filesystem.NewStorageWithOptions(osfs.New(t.gitDir), cache.NewObjectLRUDefault(), filesystem.Options{AlternatesFS: osfs.New("/")})
	r, err := objects.Reference(plumbing.ReferenceName(ref))
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return "", objects.Close()
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("read %s: %w", ref, err), objects.Close())
	}
	return r.Hash().String(), objects.Close()
}
