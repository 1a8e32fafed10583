package prepush

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Update is a line that Git hands to the hook: which ref of the remote becomes what.
type Update struct {
	Local, Tip  string // what is pushed, as typed, and its object; zeros for a deletion
	Remote, Old string // the remote's ref, and what it holds; zeros where it is not there
}

// Updates reads Git's lines. What is pushed may be typed with blanks in it
// ("HEAD^{/a word}"): the other three fields hold none.
func Updates(in io.Reader) ([]Update, error) {
	var out []Update
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), " ")
		n := len(f)
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if n < 4 || !isHash(f[n-3]) || !isHash(f[n-1]) {
			return nil, fmt.Errorf("a line of git was expected, such as 'refs/heads/main HASH refs/heads/main HASH', and %q was read", lines.Text())
		}
		out = append(out, Update{strings.Join(f[:n-3], " "), f[n-3], f[n-2], f[n-1]})
	}
	return out, lines.Err()
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func zero(hash string) bool { return strings.Trim(hash, "0") == "" }

// Push is a commit that the remote gets, and what it rests on.
type Push struct {
	Updates []Update // the refs by which it is pushed
	Tip     string   // full hash of the commit
	Base    string   // the newest commit below it that the remote has; "" where it has none
	Commits int      // that are new to the remote, as far as is known here
	Forced  bool     // some commits of the remote are dropped
}

// Skipped is an update that brings no commit to check.
type Skipped struct {
	Update
	Why string
}

// Pushes finds what is new to the remote in each update. Refs that name one
// commit are one push.
func (r *Repo) Pushes(ctx context.Context, remote string, all []Update) ([]Push, []Skipped, error) {
	var out []Push
	var skipped []Skipped
	for _, u := range all {
		p, why, err := r.push(ctx, remote, u)
		if err != nil {
			return nil, nil, fmt.Errorf("finding what %s brings to %s: %w", u.Local, u.Remote, err)
		}
		if why != "" {
			skipped = append(skipped, Skipped{u, why})
			continue
		}
		if out, err = r.join(ctx, out, p); err != nil {
			return nil, nil, err
		}
	}
	return out, skipped, nil
}

// join adds a push to those of the same commit: what any of the refs lacks is new.
func (r *Repo) join(ctx context.Context, all []Push, p Push) ([]Push, error) {
	for i := range all {
		q := &all[i]
		if q.Tip != p.Tip {
			continue
		}
		q.Updates, q.Forced, q.Commits = append(q.Updates, p.Updates...), q.Forced || p.Forced, max(q.Commits, p.Commits)
		switch {
		case q.Base == p.Base || q.Base == "":
		case p.Base == "":
			q.Base = ""
		default:
			base, err := r.mergeBase(ctx, q.Base, p.Base)
			if err != nil {
				return nil, err
			}
			q.Base = base
		}
		return all, nil
	}
	return append(all, p), nil
}

func (r *Repo) push(ctx context.Context, remote string, u Update) (p Push, why string, err error) {
	if zero(u.Tip) {
		return p, "deleted, nothing to check", nil
	}
	if p.Tip, err = r.commit(ctx, u.Tip); err != nil {
		return p, "", err
	}
	if p.Tip == "" {
		return p, "no commit, nothing to check", nil
	}
	p.Updates = []Update{u}
	if !zero(u.Old) {
		old, err := r.commit(ctx, u.Old)
		if err != nil {
			return p, "", err
		}
		if old != "" {
			return r.since(ctx, p, old)
		}
		p.Forced = true // it has what was never fetched here
	}
	return r.unknown(ctx, p, remote)
}

// since is a push to a ref whose commit is known here.
func (r *Repo) since(ctx context.Context, p Push, old string) (_ Push, why string, err error) {
	if p.Base, err = r.mergeBase(ctx, old, p.Tip); err != nil {
		return p, "", err
	}
	p.Forced = p.Base != old
	switch {
	case p.Base == p.Tip && p.Forced:
		return p, "set back to an earlier commit, nothing new", nil
	case p.Base == p.Tip:
		return p, "the same commit, nothing new", nil
	}
	span := p.Tip
	if p.Base != "" {
		span = p.Base + ".." + p.Tip
	}
	n, err := r.git(ctx, "rev-list", "--count", span)
	if err == nil {
		_, err = fmt.Sscan(n, &p.Commits)
	}
	return p, "", err
}

// unknown is a push to a ref that the remote does not have, or whose commit is
// not known here: new is what none of its branches had when they were last seen.
func (r *Repo) unknown(ctx context.Context, p Push, remote string) (_ Push, why string, err error) {
	args := []string{"rev-list", "--boundary", p.Tip}
	if r.named(ctx, remote) {
		args = append(args, "--not", "--remotes="+remote)
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return p, "", err
	}
	var edges []string
	for line := range strings.FieldsSeq(out) {
		if edge, ok := strings.CutPrefix(line, "-"); ok {
			edges = append(edges, edge)
		} else {
			p.Commits++
		}
	}
	if p.Commits == 0 {
		return p, "the remote has its commits, nothing new", nil
	}
	if len(edges) > 1 { // after a merge: what lies below another one says nothing
		out, err := r.git(ctx, append([]string{"merge-base", "--independent"}, edges[:min(len(edges), 50)]...)...)
		if err != nil {
			return p, "", err
		}
		edges = strings.Fields(out)
	}
	if len(edges) > 0 {
		p.Base = edges[0]
	}
	return p, "", nil
}

// named tells whether a remote is one of git config, and not an address.
func (r *Repo) named(ctx context.Context, remote string) bool {
	url, err := r.config(ctx, "--get", "remote."+remote+".url")
	return err == nil && url != "" && !strings.ContainsAny(remote, "*?[")
}

// commit is the commit that an object is or, as a tag, names; "" for none.
func (r *Repo) commit(ctx context.Context, object string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "--verify", "--quiet", object+"^{commit}")
	return out, unless1(err)
}

func (r *Repo) mergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.git(ctx, "merge-base", a, b)
	return out, unless1(err)
}

// unless1 takes the exit status by which git says "there is none" for no error.
func unless1(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 128) {
		return nil
	}
	return err
}

// Current is what pushing the current branch to its remote would bring, for those
// who run the hook by hand.
func (r *Repo) Current(ctx context.Context) (remote string, u Update, err error) {
	tip, err := r.commit(ctx, "HEAD")
	if err != nil || tip == "" {
		return "", u, errors.Join(errors.New("there is no commit yet"), err)
	}
	branch, err := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
	if unless1(err) != nil {
		return "", u, err
	}
	none := strings.Repeat("0", len(tip))
	u = Update{Local: "HEAD", Tip: tip, Remote: branch, Old: none}
	if branch == "" {
		u.Remote = "HEAD"
	}
	if remote, err = r.config(ctx, "--get", "branch."+strings.TrimPrefix(branch, "refs/heads/")+".remote"); err != nil {
		return "", u, err
	}
	if remote == "" {
		remote = "origin"
	}
	old, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "refs/remotes/"+remote+"/"+strings.TrimPrefix(branch, "refs/heads/"))
	if err == nil && branch != "" {
		u.Old = old
	}
	return remote, u, unless1(err)
}
