package simulator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What humans do in the browser. Nothing here asks for permission: whoever
// holds the simulator may act as anybody.

// with runs do on a repository under the lock and saves.
func (s *Server) with(owner, name string, do func(*repository) error) error {
	s.mu.Lock()
	r := s.state.repo(owner, name)
	err := fmt.Errorf("the simulator hosts no repository %s/%s; add it first", owner, name)
	if r != nil {
		err = do(r)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.save()
}

// on runs do on an issue or pull request.
func (s *Server) on(owner, name string, n int, do func(*repository, *issue) error) error {
	return s.with(owner, name, func(r *repository) error {
		i := r.issue(n)
		if i == nil {
			return fmt.Errorf("%s/%s has no issue %d", owner, name, n)
		}
		return do(r, i)
	})
}

// OpenIssue files an issue and returns its number.
func (s *Server) OpenIssue(owner, name, title, body, author string) (int, error) {
	return s.OpenIssueLabelled(owner, name, title, body, author, nil)
}

// OpenIssueLabelled files an issue that has labels from the beginning, as an
// issue template makes it.
func (s *Server) OpenIssueLabelled(owner, name, title, body, author string, labels []string) (int, error) {
	number := 0
	err := s.with(owner, name, func(r *repository) error {
		number = s.openIssue(r, title, body, author, labels).Number
		return nil
	})
	return number, err
}

// Label puts a label on an issue; a label that is new to the repository is made.
func (s *Server) Label(owner, name string, n int, label, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		s.label(r, i, label, actor)
		return nil
	})
}

// Unlabel takes a label off an issue.
func (s *Server) Unlabel(owner, name string, n int, label, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		s.unlabel(r, i, label, actor)
		return nil
	})
}

// CloseIssue closes an issue or pull request.
func (s *Server) CloseIssue(owner, name string, n int, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		s.setState(r, i, "closed", "", actor)
		return nil
	})
}

// ReopenIssue opens it again.
func (s *Server) ReopenIssue(owner, name string, n int, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		s.setState(r, i, "open", "", actor)
		return nil
	})
}

// EditIssue changes title and body.
func (s *Server) EditIssue(owner, name string, n int, title, body, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		s.editText(r, i, &title, &body, actor)
		return nil
	})
}

// Comment writes a comment and returns its id.
func (s *Server) Comment(owner, name string, n int, body, actor string) (int64, error) {
	var id int64
	err := s.on(owner, name, n, func(r *repository, i *issue) error {
		id = s.addComment(r, i, body, actor).ID
		return nil
	})
	return id, err
}

// MergePull merges a pull request that is ready.
func (s *Server) MergePull(owner, name string, n int, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		return s.mergePull(context.Background(), r, i, actor)
	})
}

// SetPermission makes somebody a collaborator: admin, maintain, write, triage,
// read or none.
func (s *Server) SetPermission(owner, name, login, permission string) error {
	if !slices.Contains([]string{"admin", "maintain", "write", "triage", "read", "none"}, permission) {
		return fmt.Errorf("%q is no permission; use admin, maintain, write, triage, read or none", permission)
	}
	return s.with(owner, name, func(r *repository) error {
		r.Permissions[strings.ToLower(login)] = permission
		s.know(login)
		s.changed()
		return nil
	})
}

// SetProtected protects a branch against every push and update, or frees it.
// The default branch is protected from the beginning.
func (s *Server) SetProtected(owner, name, branch string, protected bool) error {
	return s.with(owner, name, func(r *repository) error {
		r.Protected[branch] = protected
		s.changed()
		return nil
	})
}

// SetRuleset protects a branch by a ruleset, or no longer does: nobody pushes to it.
func (s *Server) SetRuleset(owner, name, branch string, protected bool) error {
	return s.with(owner, name, func(r *repository) error {
		if r.Ruled == nil {
			r.Ruled = map[string]bool{}
		}
		r.Ruled[branch] = protected
		s.changed()
		return nil
	})
}

// SetRequired has a branch take only pull requests whose head has these checks, each
// success, neutral or skipped; none takes all again.
func (s *Server) SetRequired(owner, name, branch string, checks ...string) error {
	return s.with(owner, name, func(r *repository) error {
		if r.Required == nil {
			r.Required = map[string][]string{}
		}
		if r.Required[branch] = checks; len(checks) == 0 {
			delete(r.Required, branch)
		}
		s.changed()
		return nil
	})
}

// CommitFile commits one file to a branch, as a human in the browser would, to a new
// one on top of the default branch; content nil deletes it. It returns the commit.
func (s *Server) CommitFile(owner, name, branch, path string, content []byte, message, actor string) (string, error) {
	var sha string
	err := s.with(owner, name, func(r *repository) error {
		made, err := s.commitFile(context.Background(), r, branch, path, content, message, actor)
		sha = made
		return err
	})
	return sha, err
}

func (s *Server) commitFile(ctx context.Context, r *repository, branch, path string, content []byte, message, actor string) (string, error) {
	if !safePath(path) {
		return "", fmt.Errorf("%q is no path in a repository", path)
	}
	ref := "refs/heads/" + branch
	before, err := s.refSHA(ctx, r, ref)
	if err != nil {
		return "", err
	}
	onto := before
	if onto == "" {
		if onto, err = s.refSHA(ctx, r, "refs/heads/"+r.DefaultBranch); err != nil {
			return "", err
		}
	}
	change := fmt.Sprintf("0 %s\t%s\x00", zeroSHA, path)
	if content != nil {
		blob, err := s.git.run(ctx, s.dir(r), content, nil, "hash-object", "-t", "blob", "-w", "--stdin", "--no-filters")
		if err != nil {
			return "", err
		}
		change = fmt.Sprintf("100644 %s\t%s\x00", strings.TrimSpace(string(blob)), path)
	}
	tree, err := s.writeTree(ctx, r, onto, []byte(change))
	if err != nil {
		return "", err
	}
	var parents []string
	if onto != "" {
		parents = []string{onto}
	}
	s.know(actor)
	who := person{Name: actor, Email: s.userEmail(actor), Date: s.now()}
	sha, err := s.writeCommit(ctx, r, tree, parents, message, who, who)
	if err != nil {
		return "", err
	}
	if err := s.moveRef(ctx, r, ref, sha, before); err != nil {
		return "", err
	}
	return sha, s.branchMoved(ctx, r, ref, before, sha, actor)
}

// DeleteBranch deletes a branch; its open pull requests close.
func (s *Server) DeleteBranch(owner, name, branch, actor string) error {
	return s.with(owner, name, func(r *repository) error {
		ctx, ref := context.Background(), "refs/heads/"+branch
		before, err := s.refSHA(ctx, r, ref)
		if err != nil {
			return err
		}
		if before == "" {
			return fmt.Errorf("%s/%s has no branch %s", owner, name, branch)
		}
		if _, err := s.do(ctx, r, "update-ref", "-d", ref, before); err != nil {
			return err
		}
		return s.branchMoved(ctx, r, ref, before, "", actor)
	})
}

// Suspend makes the App's installation on an account unusable (its tokens are
// refused), or usable again.
func (s *Server) Suspend(owner string, suspended bool) error {
	s.mu.Lock()
	in := s.state.installationOf(owner)
	if in != nil && in.Suspended != suspended {
		in.Suspended = suspended
		s.changed()
		s.installationEvent(in, map[bool]string{true: "suspend", false: "unsuspend"}[suspended])
	}
	s.mu.Unlock()
	if in == nil {
		return fmt.Errorf("the App is not installed on %s", owner)
	}
	return s.save()
}

// Uninstall removes the App from an account, with its tokens.
func (s *Server) Uninstall(owner string) error {
	s.mu.Lock()
	in := s.state.installationOf(owner)
	s.state.Installations = slices.DeleteFunc(s.state.Installations, func(x *installation) bool { return x == in })
	s.changed()
	if in != nil {
		s.installationEvent(in, "deleted")
	}
	s.mu.Unlock()
	if in == nil {
		return fmt.Errorf("the App is not installed on %s", owner)
	}
	return s.save()
}

// ExpireTokens lets every installation token made so far expire now.
func (s *Server) ExpireTokens() error {
	s.mu.Lock()
	for _, t := range s.state.Tokens {
		t.ExpiresAt = s.now().Add(-time.Second)
	}
	s.changed()
	s.mu.Unlock()
	return s.save()
}
