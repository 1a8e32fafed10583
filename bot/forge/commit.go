package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/fettle-dev/fettle/bot/task"
)

// runTrailer stands in the message of every commit that fettle makes.
const runTrailer = "Fettle-Run:"

// Ledger remembers the commits that fettle made. A message and an author's
// name prove nothing: whoever amends a commit keeps both.
type Ledger interface {
	// Made writes a commit down, before any branch points to it.
	Made(ctx context.Context, sha string) error
	// IsOurs tells whether Made was called for the commit.
	IsOurs(ctx context.Context, sha string) (bool, error)
}

// maxAncestors bounds how far an older branch is followed back to the base.
const maxAncestors = 50

// CommitFiles makes one commit through the Git data API, so that GitHub signs
// it as the App, and points the branch at it.
//
// Base is the full hash of the commit that the files were changed from: the
// new tree is base's tree with the files. ExpectOld is the head that the branch
// must have, "" when it must not exist; the new commit goes on top of it, and
// when the branch does not contain base, base is its second parent. The branch
// only moves forward. The default branch, a protected branch, and a head that is
// not in the ledger are refused (a foreign head only when base is not that
// very head), *Conflict says that the branch stands elsewhere.
//
// Called again after a crash it finds the commit that it made and returns it,
// whether expectOld is the head from before or that commit itself.
func (c *Client) CommitFiles(ctx context.Context, repo task.Repo, branch, base, message string, files []task.FileChange, expectOld string, ledger Ledger) (string, error) {
	if err := checkCommit(branch, base, expectOld, files); err != nil {
		return "", err
	}
	w := &committer{repo: repo, branch: branch, base: base, expect: expectOld, ledger: ledger}
	return c.committing(ctx, w, message, "committing to "+branch+" of "+repo.Slug(), func(ctx context.Context) (string, error) {
		return w.commit(ctx, files)
	})
}

// committing has w's commit made, under the repository's lock and only where the
// branch may be written to. doing is what an error of the making says.
func (c *Client) committing(ctx context.Context, w *committer, message, doing string, commit func(context.Context) (string, error)) (string, error) {
	g, err := c.rest(w.repo)
	if err != nil {
		return "", err
	}
	unlock, err := c.locks.lock(ctx, w.repo)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := c.mayWrite(ctx, g, w.repo, w.branch); err != nil {
		return "", err
	}
	w.c, w.g, w.message = c, g, c.message(message)
	sha, err := commit(ctx)
	if err != nil {
		return "", c.explain(doing, err)
	}
	return sha, nil
}

func checkCommit(branch, base, expectOld string, files []task.FileChange) error {
	if err := CheckBranch(branch); err != nil {
		return err
	}
	if !hash.MatchString(base) || expectOld != "" && !hash.MatchString(expectOld) {
		return fmt.Errorf("forge: base %q and expected head %q have to be full commit hashes", base, expectOld)
	}
	if len(files) == 0 {
		return ErrNothingToCommit
	}
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return err
		}
		regular := f.Mode == "100644" || f.Mode == "100755" || f.Deleted && f.Mode == ""
		if !regular {
			return fmt.Errorf("forge: %q has mode %q; only regular files are committed", f.Path, f.Mode)
		}
	}
	return nil
}

func checkPath(p string) error {
	for _, part := range strings.Split(p, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return fmt.Errorf("forge: %q is not a path inside the repository", p)
		}
	}
	if strings.ContainsRune(p, 0) {
		return fmt.Errorf("forge: %q is not a path inside the repository", p)
	}
	return nil
}

// committer makes one commit.
type committer struct {
	c       *Client
	g       *github.Client
	repo    task.Repo
	branch  string
	base    string
	expect  string
	message string
	ledger  Ledger

	tree string // of the commit to be
}

func (w *committer) commit(ctx context.Context, files []task.FileChange) (string, error) {
	if err := w.makeTree(ctx, files); err != nil {
		return "", err
	}
	head, err := w.head(ctx)
	if err != nil {
		return "", err
	}
	if head != w.expect {
		return w.alreadyDone(ctx, head)
	}
	if head != "" {
		at, ours, err := w.inspect(ctx, head)
		if err != nil || w.sameCommit(at, ours) {
			return head, err
		}
	}
	return w.make(ctx)
}

// make makes the commit of the tree and points the branch at it.
func (w *committer) make(ctx context.Context) (string, error) {
	parents, err := w.parents(ctx)
	if err != nil {
		return "", err
	}
	made, _, err := w.g.Git.CreateCommit(ctx, w.repo.Owner, w.repo.Name, &github.Commit{
		Message: &w.message, Tree: &github.Tree{SHA: &w.tree}, Parents: parents,
	}, nil)
	if err != nil {
		return "", err
	}
	if err := w.ledger.Made(ctx, made.GetSHA()); err != nil {
		return "", err
	}
	return w.point(ctx, made.GetSHA())
}

// makeTree puts the files as blobs on top of base's tree.
func (w *committer) makeTree(ctx context.Context, files []task.FileChange) error {
	base, _, err := w.g.Git.GetCommit(ctx, w.repo.Owner, w.repo.Name, w.base)
	if err != nil {
		return err
	}
	var entries []*github.TreeEntry
	for _, f := range files {
		e := &github.TreeEntry{Path: github.String(f.Path), Mode: github.String(f.Mode), Type: github.String("blob")}
		if f.Deleted {
			e.Mode = github.String("100644") // without SHA and content go-github sends "sha": null, which deletes
		} else if e.SHA, err = w.blob(ctx, f); err != nil {
			return err
		}
		entries = append(entries, e)
	}
	tree, _, err := w.g.Git.CreateTree(ctx, w.repo.Owner, w.repo.Name, base.GetTree().GetSHA(), entries)
	if err != nil {
		return err
	}
	w.tree = tree.GetSHA()
	if w.tree == base.GetTree().GetSHA() {
		return ErrNothingToCommit
	}
	return nil
}

func (w *committer) blob(ctx context.Context, f task.FileChange) (*string, error) {
	b, _, err := w.g.Git.CreateBlob(ctx, w.repo.Owner, w.repo.Name, &github.Blob{
		Content: github.String(base64.StdEncoding.EncodeToString(f.Content)), Encoding: github.String("base64"),
	})
	if err != nil {
		return nil, fmt.Errorf("uploading %s: %w", f.Path, err)
	}
	return b.SHA, nil
}

func (w *committer) head(ctx context.Context) (string, error) {
	sha, _, err := w.c.BranchHead(ctx, w.repo, w.branch)
	return sha, err
}

// alreadyDone returns the head when it is the commit that was to be made, and
// a conflict otherwise.
func (w *committer) alreadyDone(ctx context.Context, head string) (string, error) {
	conflict := &Conflict{Branch: w.branch, Want: w.expect, Head: head}
	if head == "" {
		return "", conflict
	}
	at, ours, err := w.inspect(ctx, head)
	if err != nil {
		return "", err
	}
	conflict.Ours = ours
	on := w.expect
	if on == "" {
		on = w.base
	}
	if !w.sameCommit(at, ours) || len(at.Parents) == 0 || at.Parents[0].GetSHA() != on {
		return "", conflict
	}
	return head, nil
}

// sameCommit tells whether a commit is the one that is to be made: ours, of
// the same tree, and of the same run where the messages name it.
func (w *committer) sameCommit(at *github.Commit, ours bool) bool {
	if !ours || at.GetTree().GetSHA() != w.tree {
		return false
	}
	run := trailer(w.message)
	return run != "" && run == trailer(at.GetMessage()) || sameText(at.GetMessage(), w.message)
}

// trailer is the line of a commit message that names the run, or "".
func trailer(message string) string {
	for line := range strings.Lines(message) {
		if strings.HasPrefix(line, runTrailer) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// inspect reads a commit and says whether fettle made it: the ledger knows, or, where
// the server goes on with an older copy of its database, the commit names this run and
// GitHub signed it as the App's.
func (w *committer) inspect(ctx context.Context, sha string) (*github.Commit, bool, error) {
	at, _, err := w.g.Git.GetCommit(ctx, w.repo.Owner, w.repo.Name, sha)
	if err != nil {
		return nil, false, err
	}
	ours, err := w.ledger.IsOurs(ctx, sha)
	if err != nil || ours {
		return at, ours, err
	}
	if run := trailer(w.message); run == "" || run != trailer(at.GetMessage()) || !w.c.signedByGitHub(at) {
		return at, false, nil
	}
	login, err := w.c.identity(ctx, w.repo.Installation)
	return at, err == nil && at.GetAuthor().GetName() == login, err
}

// signedByGitHub: as GitHub signs what an App makes without naming author or committer.
// Whoever signs with a key of their own is the committer.
func (c *Client) signedByGitHub(at *github.Commit) bool {
	email := at.GetCommitter().GetEmail()
	return at.GetVerification().GetVerified() && (email == "noreply@github.com" || email == "noreply@"+c.base.Hostname())
}

// parents of the new commit: base for a new branch; else the expected head,
// and base too when that head does not contain it.
func (w *committer) parents(ctx context.Context) ([]*github.Commit, error) {
	if w.expect == "" {
		return []*github.Commit{{SHA: &w.base}}, nil
	}
	if w.expect == w.base {
		return []*github.Commit{{SHA: &w.base}}, nil
	}
	_, ours, err := w.inspect(ctx, w.expect)
	if err != nil {
		return nil, err
	}
	if !ours {
		return nil, &Conflict{Branch: w.branch, Want: w.expect, Head: w.expect}
	}
	contains, err := w.contains(ctx, w.expect)
	if err != nil {
		return nil, err
	}
	if contains {
		return []*github.Commit{{SHA: &w.expect}}, nil
	}
	return []*github.Commit{{SHA: &w.expect}, {SHA: &w.base}}, nil
}

// contains tells whether base is reached from sha through commits of fettle.
func (w *committer) contains(ctx context.Context, sha string) (bool, error) {
	for range maxAncestors {
		at, ours, err := w.inspect(ctx, sha)
		if err != nil || !ours || len(at.Parents) == 0 {
			return false, err
		}
		for _, p := range at.Parents {
			if p.GetSHA() == w.base {
				return true, nil
			}
		}
		sha = at.Parents[0].GetSHA()
	}
	return false, nil
}

// point makes the branch, or moves it forward; it never forces. When it
// already stands elsewhere, what stands there decides.
func (w *committer) point(ctx context.Context, sha string) (string, error) {
	ref := &github.Reference{Ref: github.String("refs/heads/" + w.branch), Object: &github.GitObject{SHA: &sha}}
	err := w.c.createOnce(ctx, func() (bool, error) {
		head, err := w.head(ctx)
		return head == sha, err
	}, func() (err error) {
		if w.expect == "" {
			_, _, err = w.g.Git.CreateRef(ctx, w.repo.Owner, w.repo.Name, ref)
		} else {
			_, _, err = w.g.Git.UpdateRef(ctx, w.repo.Owner, w.repo.Name, ref, false)
		}
		return err
	})
	if status(err) != http.StatusUnprocessableEntity && status(err) != http.StatusConflict {
		return sha, w.c.ruled(w.repo, w.branch, err)
	}
	head, lookErr := w.head(ctx)
	switch {
	case lookErr != nil:
		return "", lookErr
	case head == w.expect:
		return "", w.c.ruled(w.repo, w.branch, err) // it is where we thought; GitHub refused for another reason
	}
	return w.alreadyDone(ctx, head)
}
