package prepare

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/fettle-dev/fettle/bot/regular"
)

// DefaultBranch tells whether what a setup leaves of a local folder may be kept:
// the folder, or the working copy that holds it, stands on its default branch, or
// is no working copy at all. Where the remote does not say which branch that is,
// main and master are. Git itself is not asked, and a linked working tree counts
// as another branch.
func DefaultBranch(dir string) bool {
	for d := dir; ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		if info, err := os.Lstat(git); err == nil {
			if !info.IsDir() {
				return false
			}
			return onDefault(git)
		}
		if d == filepath.Dir(d) {
			return true
		}
	}
}

func onDefault(git string) bool {
	head := reference(filepath.Join(git, "HEAD"))
	branch, ok := strings.CutPrefix(head, "refs/heads/")
	if !ok {
		return false // no branch at all
	}
	if remote, ok := strings.CutPrefix(reference(filepath.Join(git, "refs/remotes/origin/HEAD")), "refs/remotes/origin/"); ok {
		return branch == remote
	}
	return branch == "main" || branch == "master"
}

// reference is what a symbolic reference points to.
func reference(path string) string {
	raw, err := regular.Read(path, 4096)
	if err != nil {
		return ""
	}
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(raw)), "ref: ")
	if !ok {
		return ""
	}
	return ref
}
