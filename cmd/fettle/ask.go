package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	askRoom   = 24 << 10 // bytes of code that a model is shown: about 6,000 tokens
	askOthers = 20       // places that it is only told of
	askMost   = 0.05     // dollars
)

// askJSON is what 'fettle ask --json' prints.
type askJSON struct {
	Question string        `json:"question"`
	Repo     string        `json:"repo"`
	Model    string        `json:"model,omitempty"`  // that answered
	Answer   string        `json:"answer,omitempty"` // without a model there is none
	Cited    []agent.Cited `json:"cited"`            // places of the answer that exist
	Unknown  []string      `json:"unknown_places"`   // and those that do not
	Why      string        `json:"no_answer,omitempty"`
	Cost     task.USD      `json:"cost_usd"`
	In       int           `json:"tokens_in"`
	Out      int           `json:"tokens_out"`
	Hits     []memory.Hit  `json:"hits"`
}

// asking is one question with its flags.
type asking struct {
	repo    string
	json    bool
	noModel bool
	most    int
	maxCost float64
}

func newAsk(g *global) *cobra.Command {
	a := asking{}
	c := &cobra.Command{
		Use:   `ask "QUESTION"`,
		Short: "Answer a question about the code, with the places that show it",
		Long: `ask finds the regions of a working copy that a question is about, as 'fettle
search' does, and prints them with their signatures, best first.

Where the configuration has a model, the cheapest tier (nano, else tier1 and up) is
asked once with the best regions, at most about 6,000 tokens, and answers in prose
that cites its places as [path:line]. Each place is looked up: one that does not
exist is marked in the answer. Paths under never_send of .fettle.yml are shown to no
model. The price of the call is bounded before it by --max-cost, and told after it.

Exit status: 0 answered, or without a model, regions were found; 1 nothing was
found, the model failed, or nothing that its answer cites exists; 2 usage, no such
folder, no files; 3 the call might cost more than --max-cost (the regions are
printed all the same).`,
		Example: `  fettle ask "where is the discount for a full week computed?"
  fettle ask --no-model "who calls Shop.total"
  fettle ask --json --max-cost 0.01 "why are names quoted twice?" | jq -r .answer`,
		RunE: func(c *cobra.Command, args []string) error {
			question := strings.TrimSpace(strings.Join(args, " "))
			switch {
			case question == "":
				return usage("no question is given; ask one, such as: %s \"where is the discount computed?\"", c.CommandPath())
			case a.most < 1:
				return usage("-n %d: give how many places to print, 1 or more", a.most)
			case a.maxCost < 0:
				return usage("--max-cost takes a figure that is not negative")
			}
			return g.ask(c, a, question)
		},
	}
	pathVar(c, &a.repo, "repo", ".", "a `DIR` in the working copy")
	c.Flags().BoolVar(&a.json, "json", false, "print one JSON document")
	c.Flags().BoolVar(&a.noModel, "no-model", false, "ask no model: print the regions")
	c.Flags().IntVarP(&a.most, "number", "n", 8, "print at most `N` places")
	c.Flags().Float64Var(&a.maxCost, "max-cost", askMost, "spend at most `USD`")
	return c
}

func (g *global) ask(c *cobra.Command, a asking, question string) (err error) {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	out, end, err := p.asked(c, a, question, g.quiet)
	if err != nil {
		return err
	}
	err = printed(c.OutOrStdout(), a.json, out, func(w io.Writer) error { return p.printAsked(w, out) })
	if out.Why != "" {
		fmt.Fprintln(c.ErrOrStderr(), p.funnel.Log(out.Why))
	}
	return errors.Join(err, end)
}

// asked answers a question. end is how the command ends.
func (p *parts) asked(c *cobra.Command, a asking, question string, quiet bool) (out askJSON, end, err error) {
	err = p.indexed(c, a.repo, quiet, func(survey *checkout.Survey, v *memory.View, rep memory.Report) error {
		hits, err := v.Search(c.Context(), memory.Query{Title: question})
		if err != nil {
			return err
		}
		out = askJSON{Question: question, Repo: survey.Dir, Cited: []agent.Cited{}, Unknown: []string{}, Hits: nonNil(hits[:min(len(hits), a.most)])}
		if len(hits) == 0 {
			out.Why, end = fmt.Sprintf("nothing in %s has these words; name a function, a file or a message, or see what is known with 'fettle index'", task.Count(rep.Files, "file")), ending(exitRed)
		} else if !a.noModel {
			end, err = p.answer(c, a, survey, hits, &out)
		}
		return err
	})
	return out, end, err
}

// answer asks the cheapest model, where there is one. end is how the command ends.
func (p *parts) answer(c *cobra.Command, a asking, survey *checkout.Survey, hits []memory.Hit, out *askJSON) (end, err error) {
	client := p.models()
	tiers := []task.Tier{task.TierNano, task.Tier1, task.Tier2, task.Tier3}
	at := slices.IndexFunc(tiers, client.Has)
	if at < 0 {
		return nil, nil
	}
	never, err := neverSent(survey)
	if err != nil {
		return nil, err
	}
	roles, err := p.roles(client.Tally().Add)
	if err != nil {
		return nil, err
	}
	q := question(survey, out.Question, slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool { return patch.Match(never, h.Path) }), client.ContextTokens(tiers[at]))
	q.Tier = tiers[at]
	q.Lines = func(path string) int {
		if patch.Match(never, path) || !slices.ContainsFunc(survey.Blobs, func(b checkout.Blob) bool { return b.Path == path }) {
			return 0
		}
		text, err := survey.Read(path)
		if err != nil {
			return 0
		}
		return strings.Count(strings.TrimSuffix(string(text), "\n"), "\n") + 1
	}
	if len(q.Places) == 0 {
		out.Why = "no model was asked: all places that were found are under never_send of " + settings.RepoFile
		return nil, nil
	}
	req, err := roles.Asker.Request(q)
	if err != nil {
		return nil, err
	}
	if worst, limit := client.Worst(req), task.Dollars(a.maxCost); worst > limit {
		out.Why = fmt.Sprintf("no model was asked: the call might cost %s, and --max-cost is %s; raise it, or go by the places above", worst, limit)
		return ending(task.BudgetExhausted.ExitCode()), nil
	}
	got, err := roles.Asker.Ask(c.Context(), client.Ask, q)
	out.Cost, out.In, out.Out = got.Reply.Cost, got.Reply.TokensIn, got.Reply.TokensOut
	var failed *model.Error
	switch {
	case c.Context().Err() != nil:
		return nil, c.Context().Err()
	case errors.As(err, &failed):
		out.Why = fmt.Sprintf("the model did not answer: %v; the places above are what the question is about", err)
		return ending(exitRed), nil
	case err != nil:
		return nil, err
	}
	out.Model, out.Answer, out.Cited, out.Unknown = got.Reply.Model, got.Text, nonNil(got.Cited), nonNil(got.Unknown)
	if len(got.Cited) == 0 {
		out.Why = "the answer cites no place that exists: do not rely on it, and look at the places below it"
		return ending(exitRed), nil
	}
	return nil, nil
}

// remark is a line of comment.
var remark = regexp.MustCompile(`^\s*(?://|#[ !]|/\*|\*|--[ ])`)

// question puts the best regions whole before the model, and names the next.
func question(survey *checkout.Survey, text string, hits []memory.Hit, window int) agent.Question {
	room := askRoom
	if window > 0 {
		room = min(room, window*4/2) // half of the window, at four bytes a token
	}
	shown, left := memory.Pack(hits[:min(len(hits), 200)], room*3/4) // the rest is for line numbers and paths
	q := agent.Question{Text: text, MaxBytes: room}
	for _, h := range shown {
		if slices.ContainsFunc(shown, func(o memory.Hit) bool {
			return o.Path == h.Path && o.Start <= h.Start && h.End <= o.End && o.End-o.Start > h.End-h.Start
		}) {
			continue // a later region holds it
		}
		raw, err := survey.Read(h.Path)
		if err != nil {
			continue // it went away since it was indexed
		}
		lines := strings.SplitAfter(string(raw), "\n")
		if h.End > len(lines) {
			continue
		}
		start := h.Start
		for start > 1 && remark.MatchString(lines[start-2]) { // what stands above a region tells what it is for
			start--
		}
		q.Places = append(q.Places, agent.Place{Path: h.Path, Region: code.Region{ID: h.Region, StartLine: start, EndLine: h.End}, Code: strings.Join(lines[start-1:h.End], "")})
	}
	for _, h := range left[:min(len(left), askOthers)] {
		q.Others = append(q.Others, fmt.Sprintf("%s:%d-%d %s", h.Path, h.Start, h.End, signed(h)))
	}
	return q
}

// neverSent are the patterns of paths that no model may see (SPEC X6).
func neverSent(survey *checkout.Survey) ([]string, error) {
	if !slices.ContainsFunc(survey.Blobs, func(b checkout.Blob) bool { return b.Path == settings.RepoFile && b.Size <= settings.MaxRepoFile }) {
		return nil, nil
	}
	raw, err := survey.Read(settings.RepoFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, usage("reading %s: %w", settings.RepoFile, err)
	}
	own, err := settings.LoadRepo(raw)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return own.NeverSend, nil
}

func signed(h memory.Hit) string {
	if h.Signature != "" {
		return h.Signature
	}
	return h.Kind + " " + h.Name
}

func (p *parts) printAsked(w io.Writer, out askJSON) error {
	if out.Answer != "" {
		fmt.Fprintf(w, "%s\n\n(%s, %s; %d tokens in, %d out)\n\n", strings.TrimSpace(p.funnel.Log(out.Answer)), clean(out.Model), out.Cost, out.In, out.Out)
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, h := range out.Hits {
		fmt.Fprintf(tw, "%s:%d-%d\t%.2f\t%s\n", clean(h.Path), h.Start, h.End, h.Score, clean(signed(h)))
	}
	return tw.Flush()
}
