package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	wholeFile = 12 << 10 // up to so many bytes a changed file is shown as a whole
	headOf    = 3 << 10  // bytes of a test that is shown as an example
)

// writer gives what asks a model for a test, with what that has spent; nil where none is
// to be asked. What no model may see is not shown.
func (p *parts) writer(o opinion, l judgingOn) (func(context.Context, judge.Lack) (judge.Written, error), *task.USD, error) {
	spent := new(task.USD)
	if o.writer == "" {
		return nil, spent, nil
	}
	client := p.models()
	roles, err := p.roles(client.Tally().Add)
	if err != nil {
		return nil, nil, err
	}
	never, hide := l.own.NeverSend, p.hider(l)
	limit := task.Dollars(o.most)
	return func(ctx context.Context, in judge.Lack) (out judge.Written, err error) {
		if patch.Match(never, in.Path) {
			return judge.Written{Why: "it is under never_send of the repository's settings"}, nil
		}
		dear := errors.New("too dear")
		ask := func(ctx context.Context, r model.Request) (model.Reply, error) {
			if worst := client.Worst(r); *spent+worst > limit {
				return model.Reply{}, fmt.Errorf("%w: the call might cost %s, %s is spent, and --max-cost is %s", dear, worst, *spent, limit)
			}
			reply, err := client.Ask(ctx, r)
			out.By, *spent = reply.Model, *spent+reply.Cost
			return reply, err
		}
		heads, dirs := testHeads(l, in.Path, never)
		for i := range heads {
			heads[i].Text = hide(heads[i].Text)
		}
		test, words, err := roles.Reproducer.Write(ctx, ask, agent.ReproductionBrief{
			Task: task.Task{Title: hide("tests of " + strings.Join(in.Names, ", ") + " in " + in.Path), Body: hide(lackWords(in))},
			Tier: o.writer, Aim: agent.AimHold, Tests: heads, TestDirs: dirs, Shown: shownOf(in, hide), Last: in.Last, CameOf: hide(in.CameOf), // what failed may quote any file
		})
		var failed *model.Error
		switch {
		case ctx.Err() != nil:
			return out, context.Cause(ctx)
		case errors.Is(err, dear), errors.As(err, &failed): // the others stand without it
			out.Why = err.Error()
		case err != nil:
			return out, err
		case test == nil && words == "":
			out.Why = "the model gave no test"
		case test == nil:
			out.Why = words
		default:
			out.Path, out.Content = test.Path, test.Code
		}
		return out, nil
	}, spent, nil
}

// lackWords is the task of whoever writes a test.
func lackWords(in judge.Lack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A change touches %s in %s. Its tests hold on to none of these.\n", strings.Join(in.Names, ", "), in.Path)
	if len(in.Missed) > 0 {
		b.WriteString("\nFaults that were planted one at a time, and that no test noticed:\n")
		for _, words := range in.Missed {
			fmt.Fprintf(&b, "- %s\n", words)
		}
	}
	if in.Title != "" {
		fmt.Fprintf(&b, "\nThe change is for this issue: %s\n\n%s\n", in.Title, in.Body)
	}
	return b.String()
}

// shownOf is the changed file, or its head and the functions where it is long.
func shownOf(in judge.Lack, hide func(string) string) agent.Shown {
	rows := strings.Split(strings.TrimSuffix(string(in.Code), "\n"), "\n")
	cut := func(from, to int) agent.Text {
		from, to = max(1, from), min(to, len(rows))
		return agent.Text{Path: in.Path, Start: from, End: to, Code: hide(strings.Join(rows[from-1:to], "\n"))}
	}
	out := agent.Shown{Files: []string{in.Path}}
	if len(in.Code) <= wholeFile {
		out.Code = append(out.Code, cut(1, len(rows)))
		return out
	}
	for _, at := range in.Lines {
		out.Code = append(out.Code, cut(at[0], at[1]))
	}
	out.Code = append(out.Code, cut(1, 40))
	return out
}

// testHeads gives the beginning of a test of the same language, the one that names the file
// if there is one, and the folders where tests lie.
func testHeads(l judgingOn, of string, never []string) (heads []agent.Head, dirs []string) {
	stem := strings.TrimSuffix(path.Base(of), path.Ext(of))
	var best string
	for _, name := range l.in.Head.Files() {
		if !code.IsTest(name) || code.LanguageOf(name) != code.LanguageOf(of) || patch.Match(never, name) {
			continue
		}
		if d := path.Dir(name); !slices.Contains(dirs, d) && len(dirs) < 5 {
			dirs = append(dirs, d)
		}
		if best == "" || strings.Contains(path.Base(name), stem) && !strings.Contains(path.Base(best), stem) {
			best = name
		}
	}
	if text, err := fs.ReadFile(l.in.Head.BaseFS(), best); err == nil {
		heads = append(heads, agent.Head{Path: best, Text: strings.ToValidUTF8(string(text[:min(len(text), headOf)]), "")})
	}
	return heads, dirs
}
