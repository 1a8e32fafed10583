package checkout

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// The trees that Commit writes are those that Git itself would write.
func TestT3CommitWritesTheTreeThatGitWould(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := fixture(t)
	write(t, work, "lone/only.txt", "the folder's last file\n", 0o644)
	write(t, work, "was-file", "becomes a folder\n", 0o644)
	write(t, work, "a/b/c/deep.py", "x = 1\n", 0o644)
	write(t, work, "a.py", "sorts before a/\n", 0o644)
	write(t, work, "a-b/z", "sorts between\n", 0o644)
	git(t, work, "add", "-A")
	git(t, work, "commit", "-q", "-m", "more")
	tree := open(t, newStore(t), bare(t, work))
	for _, dir := range []string{work, tree.Dir()} {
		for _, gone := range []string{"lone/only.txt", "was-file", "a/b/c/deep.py"} {
			if err := os.Remove(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, "was-file/inside", "now a folder\n", 0o644)
		write(t, dir, "a/b/new.sh", "#!/bin/sh\n", 0o755)
		write(t, dir, "brand/new/folder/f", "f\n", 0o644)
	}
	hash, err := tree.Commit(ctx, "m", Signature{Name: "f", Email: "f@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	git(t, work, "add", "-A")
	if got, want := git(t, tree.gitDir, "rev-parse", hash+"^{tree}"), git(t, work, "write-tree"); got != want {
		t.Fatalf("the tree is\n%s\nGit writes\n%s", git(t, tree.gitDir, "ls-tree", "-r", got), git(t, work, "ls-tree", "-r", want))
	}
}
