package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bench/mend/reach"
	"github.com/fettle-dev/fettle/bot/code"
)

// Reach asks the operators for the fixes of one place of a repository's history,
// without running a test, those that speak of a fix and the newest first; at most
// so many.
func (s Sources) Reach(ctx context.Context, name, lang string, most int, each func(reach.Reached)) error {
	repo, err := s.Repo(ctx, name)
	if err != nil {
		return err
	}
	cands, err := Candidates(ctx, repo, name, lang)
	if err != nil {
		return err
	}
	trees := projectTrees{repo: repo, lang: lang, parsed: map[string]*code.Tree{}}
	for _, c := range cands {
		if most == 0 || ctx.Err() != nil {
			break
		}
		shape, why, err := look(ctx, repo, c)
		if errors.Is(err, errUnfit) || why != "" || shape.Places > 1 {
			continue
		}
		if err != nil {
			return err
		}
		correct, err := blob(ctx, repo, c.Commit, c.Path)
		if err != nil {
			return err
		}
		files, err := trees.at(ctx, c.Commit+"^1")
		if err != nil {
			continue // objects are missing
		}
		fix := reach.Fix{ID: c.Repo + "@" + c.Commit[:12], Path: c.Path, Language: lang, Class: shape.Class, Function: shape.Function, Line: shape.Line}
		if r, ok := reach.Ask(ctx, fix, files, correct); ok {
			most--
			each(r)
		}
	}
	return ctx.Err()
}

// projectTrees parses the files of commits, each text once.
type projectTrees struct {
	repo, lang string
	parsed     map[string]*code.Tree // by the blob's name
}

const (
	mostFiles = 400     // of one commit, as the search takes
	mostBytes = 4 << 20 //
	mostKept  = 5_000   // parsed texts
)

func (p *projectTrees) at(ctx context.Context, commit string) (map[string]*code.Tree, error) {
	list, err := git(ctx, p.repo, nil, "ls-tree", "-r", "-z", "--format=%(objectname) %(objectsize) %(path)", commit)
	if err != nil {
		return nil, err
	}
	if len(p.parsed) > mostKept {
		p.parsed = map[string]*code.Tree{}
	}
	out, size := map[string]*code.Tree{}, 0
	for rec := range strings.SplitSeq(string(list), "\x00") {
		var name string
		var n int
		if _, err := fmt.Sscan(rec, &name, &n); err != nil {
			continue // a submodule, or the end
		}
		path := strings.SplitN(rec, " ", 3)[2]
		if lang, _ := language(path); lang != p.lang || code.IsTest(path) || inTests.MatchString(path) || len(out) >= mostFiles || size > mostBytes {
			continue
		}
		size += n
		t := p.parsed[name]
		if t == nil {
			src, err := git(ctx, p.repo, nil, "cat-file", "blob", name)
			if err != nil {
				return nil, err
			}
			if t, err = code.Parse(ctx, code.LanguageOf(path), src); err != nil {
				continue // a file that cannot be read lends nothing
			}
			p.parsed[name] = t
		}
		out[path] = t
	}
	return out, nil
}
