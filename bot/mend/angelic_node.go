package mend

import (
	"bytes"
	"context"
	_ "embed" // what stands at a place
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed driver/angel.js
var nodeAngel string

// nodeAsk is what driver/angel.js is asked. All executions of one run of tests are
// of failing ones or all of passing ones.
type nodeAsk struct {
	Number    int        `json:"number"`
	Out       string     `json:"out"`
	Kind      string     `json:"kind"`
	Text      string     `json:"text"`
	Need      int        `json:"need"`
	Names     []string   `json:"names"`
	Near      []string   `json:"near"`
	Chains    []string   `json:"chains"`
	Parts     []string   `json:"parts"`
	Literals  []string   `json:"literals"`
	Functions []string   `json:"functions"`
	Red       bool       `json:"red"`
	Exprs     []madeExpr `json:"exprs,omitempty"` // to be judged; none where they are still to be made
}

func newNodeAsk(x *mutate.Site) nodeAsk {
	list := func(l []string) []string { return append([]string{}, l...) }
	ask := nodeAsk{Kind: x.Kind, Text: x.Text, Need: x.Need, Names: []string{}, Near: list(x.Near), Chains: list(x.Chains), Parts: list(x.Parts),
		Literals: list(x.Literals), Functions: list(x.Functions), Red: true}
	for _, n := range x.Names {
		ask.Names = append(ask.Names, n.Name)
	}
	return ask
}

func (b *nodeBench) wishes(ctx context.Context, at []candidate, red, green []verify.TestResult) ([][]wish, error) {
	if err := b.learn(ctx, append(append([]verify.TestResult{}, red...), green...)); err != nil {
		return nil, err
	}
	near := b.beside(red, green)
	first := b.stood + 1
	b.stood += len(at)
	return eachStood(ctx, len(b.spaces), len(at), func(worker, i int) ([]wish, error) { return b.stand(ctx, worker, 2*(first+i), at[i], red, near) })
}

// stand looks into one place: the first execution in a failing test makes
// expressions, and this one and those after it show what each comes to. number
// and the one after it are its own.
func (b *nodeBench) stand(ctx context.Context, worker, number int, at candidate, red, green []verify.TestResult) ([]wish, error) {
	ask := newNodeAsk(at.site)
	var lists [][]madeExpr
	var records []siteRecord
	note := func(raw []byte) {
		for line := range bytes.Lines(raw) {
			var said struct {
				Made   []madeExpr
				Record *siteRecord
			}
			if json.Unmarshal(line, &said) != nil {
				continue // the last one may have been cut off
			}
			if said.Record != nil {
				records = append(records, *said.Record)
			}
			lists = append(lists, said.Made)
		}
	}
	ask.Number = number
	raw, err := b.overhear(ctx, worker, at, ask, red)
	if note(raw); err != nil || len(lists) == 0 {
		return nil, err
	}
	ask.Exprs, ask.Red, ask.Number = slices.Concat(lists...), false, number+1
	if raw, err = b.overhear(ctx, worker, at, ask, green); err != nil {
		return nil, err
	}
	note(raw)
	return wishesOf(ask.Exprs, records), nil
}

// overhear runs tests with somebody standing at a place, and gives what was said.
func (b *nodeBench) overhear(ctx context.Context, worker int, at candidate, ask nodeAsk, tests []verify.TestResult) ([]byte, error) {
	space := b.spaces[worker]
	out := fmt.Sprintf("angel-%d-%d.txt", worker, ask.Number)
	ask.Out = "/out/" + out
	said, err := json.Marshal(ask)
	if err != nil {
		return nil, fmt.Errorf("asking what could stand at line %d of %s: %w", at.site.Line, at.path, err)
	}
	c := at
	c.whole = standing(at, string(said))
	var raw []byte
	_, err = withFile(space, c, func() (map[string]bool, error) {
		files, groups := byFile(tests, b.suite)
		for _, f := range files {
			req := nodeRequest{Files: []nodeFile{{f, b.names(groups[f])}}, CPU: 1000 * siteTime, Wall: 1000 * siteWall, Usual: 1000 * siteTime}
			if b.warm[f] == nil {
				continue // it is not seen what goes on there
			}
			if _, err := b.workers[worker].run(ctx, req); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err == nil {
		raw, _ = space.ReadOut(out, maxAnswer) // nobody came by: it said nothing
	}
	return raw, err
}

// maxBeside is how many passing tests of the failing ones' files are looked into:
// each other file would have to be loaded for itself.
const maxBeside = 20

func (b *nodeBench) beside(red, green []verify.TestResult) []verify.TestResult {
	files, _ := byFile(red, b.suite)
	var out []verify.TestResult
	for _, t := range green {
		file, _, _ := strings.Cut(native(t, b.suite), " > ")
		if slices.Contains(files, file) && len(out) < maxBeside {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return green[:min(len(green), maxBeside/4)]
	}
	return out
}

var (
	directives = lazyregexp.New(`^(?:#![^\n]*\n)?(?:\s*(?:'use strict'|"use strict");?)?`)
	scriptSite = "(globalThis.__fettle_site ? globalThis.__fettle_site(() => (%s), (__s) => eval(__s)) : (%s))"
)

// standing is the text with somebody at the place, who is made at the file's head.
func standing(at candidate, ask string) []byte {
	head := directives.FindIndex(at.original)[1]
	site := fmt.Sprintf(scriptSite, at.site.Text, at.site.Text)
	return []byte(string(at.original[:head]) + ";(() => { const fettleAsk = " + ask + ";\n" + nodeAngel + "})();\n" + string(at.original[head:at.start]) + site + string(at.original[at.end:]))
}

var _ angelic = (*nodeBench)(nil)
