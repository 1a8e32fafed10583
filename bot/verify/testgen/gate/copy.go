package gate

import (
	"context"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	copyGram  = 6   // tokens in a row that are compared
	copyLeast = 24  // tokens that a region must have to be compared
	copyShare = 0.6 // of the region's runs of tokens that make a copy
)

// copies tells whether the test repeats a changed region: identifiers aside,
// most of the region's runs of tokens are in one of the test file's functions.
func (s *sheet) copies(ctx context.Context, c Candidate) ([]Rejection, error) {
	var out []Rejection
	for _, ch := range c.Changes {
		lang := code.LanguageOf(ch.Path)
		if ch.After == nil || dialectOf(lang) != s.d {
			continue
		}
		regions, err := code.Touched(ctx, ch.Path, ch.Before, ch.After)
		if err != nil {
			return nil, err
		}
		t, err := code.Parse(ctx, lang, ch.After)
		if err != nil {
			return nil, err
		}
		for _, r := range regions {
			grams := runs(tokens(t.Root(), r.StartByte, r.EndByte))
			if len(grams) < copyLeast-copyGram {
				continue
			}
			if n, share := s.nearest(grams); share >= copyShare {
				out = append(out, Rejection{Kind: CopiesCode, Line: n.Line(), Reason: fmt.Sprintf(
					"it repeats the implementation of %s, and so would repeat its faults; write the expected values out by hand", r.Name)})
				break
			}
		}
	}
	return out, nil
}

// nearest is the function of the file that holds most of the runs.
func (s *sheet) nearest(grams map[string]int) (code.Node, float64) {
	var best code.Node
	share, total := 0.0, 0
	for _, n := range grams {
		total += n
	}
	s.t.Walk(func(n code.Node) bool {
		switch n.Kind() {
		case "function_definition", "function_declaration", "arrow_function", "function_expression", "func_literal", "method_definition", "method_declaration", "lambda":
		default:
			return true
		}
		have, both := runs(tokens(n, n.Start(), n.End())), 0
		for g, k := range grams {
			both += min(k, have[g])
		}
		if part := float64(both) / float64(total); part > share {
			best, share = n, part
		}
		return true
	})
	return best, share
}

// tokens are the leaves in a span, names as one and the same.
func tokens(root code.Node, start, end int) []string {
	var out []string
	root.Walk(func(n code.Node) bool {
		if n.End() <= start || n.Start() >= end || n.IsExtra() {
			return false
		}
		if k := n.Kind(); k == "string" || strings.HasSuffix(k, "string_literal") {
			out = append(out, wording(n))
			return false
		}
		if len(n.Children()) > 0 {
			return true
		}
		text := wording(n)
		if strings.HasSuffix(n.Kind(), "identifier") {
			text = "·"
		}
		if strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
		return true
	})
	return out
}

// runs counts the runs of copyGram tokens.
func runs(toks []string) map[string]int {
	out := map[string]int{}
	for i := 0; i+copyGram <= len(toks); i++ {
		out[strings.Join(toks[i:i+copyGram], " ")]++
	}
	return out
}
