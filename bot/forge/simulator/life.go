package simulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// What happens to whole repositories, installations and branches, and what other
// Apps than this one do.

// SetCheck lets another App (GitHub Actions when app is "") end a check of a
// commit, or of the head of a branch, and its suite with it.
func (s *Server) SetCheck(owner, name, ref, check, conclusion, title, summary, app string) error {
	return s.with(owner, name, func(r *repository) error {
		if !slices.Contains(checkConclusions, conclusion) {
			return fmt.Errorf("%q is no conclusion; use one of %s", conclusion, strings.Join(checkConclusions, ", "))
		}
		if strings.TrimSpace(check) == "" {
			return errors.New("a check needs a name")
		}
		sha, err := s.resolve(context.Background(), r, ref)
		if err != nil {
			return err
		}
		if sha == "" {
			return fmt.Errorf("%s/%s has no commit or branch %s", owner, name, ref)
		}
		if app == "" {
			app = "github-actions"
		}
		now := s.now()
		k := &checkRun{ID: s.state.nextID(), App: app, Name: check, HeadSHA: sha, Status: "completed", Conclusion: conclusion,
			StartedAt: now, CompletedAt: now, Title: title, Summary: summary}
		r.Checks = append(r.Checks, k)
		s.changed()
		return s.checkEnded(context.Background(), r, k)
	})
}

// checkEnded tells of a check run that has ended and of its suite.
func (s *Server) checkEnded(ctx context.Context, r *repository, k *checkRun) error {
	sender := s.botLogin() // as on GitHub: whoever pushed the commit
	if k.App != "" {
		sender = k.App + "[bot]"
	}
	suite, err := s.suiteShape(ctx, r, k)
	if err != nil {
		return err
	}
	run := s.checkShape(r, k)
	run["check_suite"] = suite
	if run["details_url"] == nil {
		run["details_url"] = run["html_url"]
	}
	s.emit(r, "check_run", "completed", sender, obj{"action": "completed", "check_run": run})
	whole := obj{"latest_check_runs_count": 1, "check_runs_url": fmt.Sprintf("%s/check-suites/%d/check-runs", s.repoAPI(r), suite["id"])}
	for field, value := range suite {
		whole[field] = value
	}
	info, err := s.commit(ctx, r, k.HeadSHA)
	if err != nil {
		return err
	}
	whole["head_commit"] = s.pushedCommit(r, info)
	s.emit(r, "check_suite", "completed", sender, obj{"action": "completed", "check_suite": whole})
	return nil
}

// suiteShape is the suite of an App's checks on a commit.
func (s *Server) suiteShape(ctx context.Context, r *repository, k *checkRun) (obj, error) {
	id := userID(k.App + k.HeadSHA)
	branch, err := s.branchAt(ctx, r, k.HeadSHA)
	if err != nil {
		return nil, err
	}
	return obj{"id": id, "node_id": nodeID("CS", id), "head_branch": orNull(branch), "head_sha": k.HeadSHA, "status": "completed", "conclusion": k.Conclusion,
		"url": fmt.Sprintf("%s/check-suites/%d", s.repoAPI(r), id), "before": zeroSHA, "after": k.HeadSHA, "pull_requests": s.checkPulls(r, k),
		"app": s.checkApp(k), "created_at": stamp(k.StartedAt), "updated_at": stamp(k.CompletedAt)}, nil
}

// branchAt is a branch whose head is the commit, or "".
func (s *Server) branchAt(ctx context.Context, r *repository, sha string) (string, error) {
	shas, names, err := s.refs(ctx, r, "refs/heads/")
	if err != nil {
		return "", err
	}
	for _, ref := range names {
		if shas[ref] == sha {
			return strings.TrimPrefix(ref, "refs/heads/"), nil
		}
	}
	return "", nil
}

func (s *Server) pushedCommit(r *repository, info commitInfo) obj {
	who := func(p person) obj { return obj{"name": p.Name, "email": p.Email} }
	return obj{"id": info.SHA, "tree_id": info.Tree, "distinct": true, "message": info.Message, "timestamp": stamp(info.Committer.Date),
		"url": s.repoHTML(r) + "/commit/" + info.SHA, "author": who(info.Author), "committer": who(info.Committer),
		"added": []string{}, "removed": []string{}, "modified": []string{}}
}

func (s *Server) emitPush(ctx context.Context, r *repository, ref, before, after, actor string) error {
	payload := obj{"ref": ref, "before": before, "after": after, "created": before == "", "deleted": after == "", "forced": false, "base_ref": nil,
		"compare": s.repoHTML(r) + "/compare/" + short(before) + "..." + short(after), "commits": []obj{}, "head_commit": nil,
		"pusher": obj{"name": actor, "email": s.userEmail(actor)}}
	if before == "" {
		payload["before"] = zeroSHA
	}
	if after == "" {
		payload["after"] = zeroSHA
	} else {
		info, err := s.commit(ctx, r, after)
		if err != nil {
			return err
		}
		payload["head_commit"] = s.pushedCommit(r, info)
		payload["commits"] = []obj{s.pushedCommit(r, info)}
		if before != "" {
			forward, err := s.isAncestor(ctx, r, before, after)
			if err != nil {
				return err
			}
			payload["forced"] = !forward
		}
	}
	s.emit(r, "push", "", actor, payload)
	return nil
}

// OpenPull opens a pull request of a branch of the repository, as a person does.
func (s *Server) OpenPull(owner, name, title, body, head, base, actor string, draft bool) (int, error) {
	n := 0
	err := s.with(owner, name, func(r *repository) error {
		p := &pull{Head: head, Base: base, Draft: draft}
		if base == "" {
			p.Base = r.DefaultBranch
		}
		if err := s.checkPull(context.Background(), r, p); err != nil {
			return err
		}
		s.know(actor)
		i, err := s.openPull(context.Background(), r, title, body, actor, p)
		if err == nil {
			n = i.Number
		}
		return err
	})
	return n, err
}

// OpenForkPull opens a pull request of somebody's fork, with the given files on
// top of the default branch.
func (s *Server) OpenForkPull(owner, name, title, body, forker, branch string, files map[string]string) (int, error) {
	n := 0
	err := s.with(owner, name, func(r *repository) error {
		ctx := context.Background()
		p := &pull{Head: branch, Base: r.DefaultBranch, Fork: forker}
		var err error
		if p.BaseSHA, err = s.refSHA(ctx, r, "refs/heads/"+p.Base); err != nil {
			return err
		}
		if p.HeadSHA, err = s.commitOn(ctx, r, p.BaseSHA, files, title, forker); err != nil {
			return err
		}
		i, err := s.openPull(ctx, r, title, body, forker, p)
		if err == nil {
			n = i.Number
		}
		return err
	})
	return n, err
}

// commitOn makes a commit of files on top of another; no reference points to it.
func (s *Server) commitOn(ctx context.Context, r *repository, parent string, files map[string]string, message, actor string) (string, error) {
	tree := parent
	for path, content := range files {
		if !safePath(path) {
			return "", fmt.Errorf("%q is no path in a repository", path)
		}
		blob, err := s.git.run(ctx, s.dir(r), []byte(content), nil, "hash-object", "-t", "blob", "-w", "--stdin", "--no-filters")
		if err != nil {
			return "", err
		}
		if tree, err = s.writeTree(ctx, r, tree, fmt.Appendf(nil, "100644 %s\t%s\x00", strings.TrimSpace(string(blob)), path)); err != nil {
			return "", err
		}
	}
	s.know(actor)
	who := person{Name: actor, Email: s.userEmail(actor), Date: s.now()}
	return s.writeCommit(ctx, r, tree, []string{parent}, message, who, who)
}

// Ready makes a person's pull request ready for review, or a draft again.
func (s *Server) Ready(owner, name string, n int, draft bool, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		if i.Pull == nil {
			return errNoPull
		}
		return s.setDraft(context.Background(), r, i, draft, actor)
	})
}

// EditComment changes the text of a comment.
func (s *Server) EditComment(owner, name string, id int64, body, actor string) error {
	return s.with(owner, name, func(r *repository) error {
		i, m := r.comment(id)
		if m == nil {
			return fmt.Errorf("%s/%s has no comment %d", owner, name, id)
		}
		s.editedComment(r, i, m, body, actor)
		return nil
	})
}

// Lock locks the conversation of an issue, or unlocks it.
func (s *Server) Lock(owner, name string, n int, locked bool, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		i.Locked = locked
		action := "unlocked"
		if locked {
			action = "locked"
		}
		s.changed()
		if locked && i.Pull == nil {
			s.emitIssue(r, i, action, actor, nil)
		}
		return nil
	})
}

// DeleteIssue deletes an issue for good.
func (s *Server) DeleteIssue(owner, name string, n int, actor string) error {
	return s.on(owner, name, n, func(r *repository, i *issue) error {
		if i.Pull != nil {
			return errors.New("pull requests cannot be deleted")
		}
		r.Issues = slices.DeleteFunc(r.Issues, func(x *issue) bool { return x == i })
		s.changed()
		s.emitIssue(r, i, "deleted", actor, nil)
		return nil
	})
}

// TransferIssue moves an issue to another repository of the same owner and
// returns its number there.
func (s *Server) TransferIssue(owner, name string, n int, to, actor string) (int, error) {
	number := 0
	err := s.on(owner, name, n, func(r *repository, i *issue) error {
		there := s.state.repo(owner, to)
		if there == nil || there == r || i.Pull != nil {
			return fmt.Errorf("%s/%s is no other repository that an issue can be moved to", owner, to)
		}
		before := s.issueShape(r, i)
		moved := s.openIssue(there, i.Title, i.Body, i.Author, nil)
		moved.Comments, number = i.Comments, moved.Number
		r.Issues = slices.DeleteFunc(r.Issues, func(x *issue) bool { return x == i })
		s.changed()
		s.emit(r, "issues", "transferred", actor, obj{"action": "transferred", "issue": before,
			"changes": obj{"new_issue": s.issueShape(there, moved), "new_repository": s.repoShape(there)}})
		return nil
	})
	return number, err
}

// Rename gives a repository another name; its old one redirects.
func (s *Server) Rename(owner, name, to, actor string) error {
	return s.with(owner, name, func(r *repository) error {
		if !nameShape.MatchString(to) || s.state.repo(owner, to) != nil {
			return fmt.Errorf("%s/%s is not free, or not a repository's name", owner, to)
		}
		was := s.dir(r)
		delete(s.state.Repos, repoKey(owner, name))
		r.Name = to
		if err := os.Rename(was, s.dir(r)); err != nil {
			return err
		}
		s.state.Repos[repoKey(owner, to)] = r
		if s.state.Renamed == nil {
			s.state.Renamed = map[string]string{}
		}
		s.state.Renamed[repoKey(owner, name)] = owner + "/" + to
		s.changed()
		s.emit(r, "repository", "renamed", actor, obj{"action": "renamed", "changes": obj{"repository": obj{"name": obj{"from": name}}}})
		return nil
	})
}

// Archive makes a repository read-only.
func (s *Server) Archive(owner, name, actor string) error {
	return s.with(owner, name, func(r *repository) error {
		r.Archived = true
		s.changed()
		s.emit(r, "repository", "archived", actor, obj{"action": "archived"})
		return nil
	})
}

// RenameBranch renames a branch; pull requests for it follow.
func (s *Server) RenameBranch(owner, name, branch, to, actor string) error {
	return s.with(owner, name, func(r *repository) error {
		ctx := context.Background()
		sha, err := s.refSHA(ctx, r, "refs/heads/"+branch)
		if err != nil {
			return err
		}
		if sha == "" || !s.validRef(ctx, r, "refs/heads/"+to) {
			return fmt.Errorf("%s/%s has no branch %s, or %s is no name of one", owner, name, branch, to)
		}
		if err := s.moveRef(ctx, r, "refs/heads/"+to, sha, ""); err != nil {
			return err
		}
		if _, err := s.do(ctx, r, "update-ref", "-d", "refs/heads/"+branch, sha); err != nil {
			return err
		}
		r.Protected[to] = r.Protected[branch]
		if r.Ruled[branch] {
			r.Ruled[to] = true
		}
		if checks := r.Required[branch]; len(checks) > 0 {
			r.Required[to] = checks
			delete(r.Required, branch)
		}
		delete(r.Protected, branch)
		for _, i := range r.Issues {
			if i.Pull != nil && i.State == "open" {
				if i.Pull.Base == branch {
					i.Pull.Base = to
				}
				if i.Pull.Head == branch && i.Pull.Fork == "" {
					i.Pull.Head = to
				}
			}
		}
		s.changed()
		if r.DefaultBranch != branch {
			return nil
		}
		r.DefaultBranch = to
		if _, err := s.do(ctx, r, "symbolic-ref", "HEAD", "refs/heads/"+to); err != nil {
			return err
		}
		s.emit(r, "repository", "edited", actor, obj{"action": "edited", "changes": obj{"default_branch": obj{"from": branch}}})
		return nil
	})
}

// installationEvent tells the App what became of its installation.
func (s *Server) installationEvent(in *installation, action string) {
	shape := s.installationShape(in)
	if in.Suspended {
		shape["suspended_at"] = stamp(s.now().Truncate(time.Second))
	}
	s.emit(nil, "installation", action, in.Account, obj{"action": action, "installation": shape, "repositories": []obj{}})
}
