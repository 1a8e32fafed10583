package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

// rules reads and compiles the operator's own rules.
func (p *parts) rules() ([]rule.Rule, *mutate.Own, error) {
	var all []rule.Rule
	for _, file := range p.set.Rules.Files {
		rules, err := readRules(file)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, rules...)
	}
	own, err := mutate.NewOwn(all)
	if err != nil {
		return nil, nil, &exitError{exitUsage, err}
	}
	for _, name := range p.set.Rules.Trusted {
		if !own.Has(name) {
			return nil, nil, usage("%s: rules.trusted names %s, which no file of rules.files has", p.set.File, name)
		}
	}
	return all, own, nil
}

func (p *parts) trusted() map[string]bool {
	out := map[string]bool{}
	for _, name := range p.set.Rules.Trusted {
		out[name] = true
	}
	return out
}

func readRules(file string) ([]rule.Rule, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("reading rules: %w", err)
	}
	rules, err := rule.Parse(file, src)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return rules, nil
}

func newRules(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, test and explain the rules of mechanical repair",
		Long: `rules shows what mechanical repair knows: the rules that come with fettle, the
operators that are written in Go, and the operator's own rules, which the
settings name under rules.files. What a rule of your own mends is a draft until
rules.trusted names it. docs/rules.md describes the language.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesList(g), newRulesTest(g), newRulesExplain(g), newRulesDraft())
	return c
}

// listed is a rule as 'fettle rules list --json' prints it.
type listed struct {
	mutate.Operator
	From    string `json:"from"` // file:line, or "Go"
	Own     bool   `json:"own"`
	Trusted bool   `json:"trusted"`
}

// known are all operators and rules.
func (g *global) known(c *cobra.Command) ([]listed, error) {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	own, _, err := p.rules()
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, op := range mutate.Known() {
		from := "Go"
		if op.Rule != nil {
			from = fmt.Sprintf("%s:%d", op.Rule.File, op.Rule.Line)
		}
		out = append(out, listed{op, from, false, true})
	}
	trusted := p.trusted()
	for i := range own {
		r := &own[i]
		out = append(out, listed{mutate.Operator{Name: r.Name, Class: r.Class, Share: r.Share, Languages: r.Languages, Rule: r}, fmt.Sprintf("%s:%d", r.File, r.Line), true, trusted[r.Name]})
	}
	return out, nil
}

func newRulesList(g *global) *cobra.Command {
	var jsonOut bool
	var lang string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules and operators",
		Example: `  fettle rules list --language go
  fettle rules list --json | jq -r '.[] | select(.own) | .name'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := g.known(c)
			if err != nil {
				return err
			}
			out := slices.DeleteFunc(all, func(l listed) bool { return lang != "" && !slices.Contains(l.Languages, lang) })
			if jsonOut {
				return writeJSON(c.OutOrStdout(), out)
			}
			tw := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, l := range out {
				mark := ""
				if l.Own && !l.Trusted {
					mark = "draft"
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", clean(l.Name), clean(l.Class), clean(strings.Join(l.Languages, ",")), clean(l.From), mark)
			}
			return tw.Flush()
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print a JSON array")
	c.Flags().StringVar(&lang, "language", "", "only those for python, javascript or go")
	return c
}

// tried is an example as 'fettle rules test --json' prints it.
type tried struct {
	Rule    string `json:"rule"`
	From    string `json:"from"`
	Example int    `json:"example"` // 1-based; 0 for the rule as a whole
	Fails   string `json:"fails,omitempty"`
}

func newRulesTest(g *global) *cobra.Command {
	var jsonOut bool
	c := &cobra.Command{
		Use:   "test [FILE...]",
		Short: "Try the examples of rules",
		Long: `test reads files of rules and tries their examples; without files, the rules that
come with fettle and those of the settings.

Exit status: 0 all examples hold; 1 one does not, or a rule has none; 2 a file
that cannot be read as rules.`,
		Example: "  fettle rules test my-rules.yml",
		RunE: func(c *cobra.Command, args []string) error {
			rules, err := g.rulesOf(c, args)
			if err != nil {
				return err
			}
			out := []tried{}
			red := 0
			for i := range rules {
				for _, t := range tryRule(c.Context(), &rules[i]) {
					if out = append(out, t); t.Fails != "" {
						red++
					}
				}
			}
			if jsonOut {
				if err := writeJSON(c.OutOrStdout(), out); err != nil {
					return err
				}
			} else {
				for _, t := range out {
					if t.Fails != "" {
						fmt.Fprintf(c.OutOrStdout(), "%s: rule %s: %s\n", clean(t.From), clean(t.Rule), clean(t.Fails))
					}
				}
				fmt.Fprintf(c.OutOrStdout(), "%d rules, %d examples, %d failed\n", len(rules), len(out), red)
			}
			if red > 0 {
				return ending(exitRed)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print a JSON array")
	return c
}

// rulesOf are the rules of some files; of none, all that are known.
func (g *global) rulesOf(c *cobra.Command, files []string) ([]rule.Rule, error) {
	var out []rule.Rule
	if len(files) == 0 {
		p, err := g.load(c.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		own, _, err := p.rules()
		if err != nil {
			return nil, err
		}
		built, err := mutate.Rules()
		return append(built, own...), err
	}
	for _, file := range files {
		rules, err := readRules(file)
		if err != nil {
			return nil, err
		}
		out = append(out, rules...)
	}
	if err := mutate.Check(out); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return out, nil
}

func tryRule(ctx context.Context, r *rule.Rule) []tried {
	from := fmt.Sprintf("%s:%d", r.File, r.Line)
	if len(r.Examples) == 0 {
		return []tried{{r.Name, from, 0, "has no example: write one, with was: and now:"}}
	}
	var out []tried
	for i, e := range r.Examples {
		var failed error
		says := r.Try(ctx, e, func(t *code.Tree) []rule.Change {
			set, err := rule.Compile(t.Lang, []rule.Rule{*r})
			failed = errors.Join(failed, err)
			return mutate.RuleChanges(t, set)
		})
		if failed != nil {
			says = failed.Error()
		}
		out = append(out, tried{r.Name, from, i + 1, says})
	}
	return out
}

func newRulesExplain(g *global) *cobra.Command {
	var jsonOut bool
	c := &cobra.Command{
		Use:     "explain NAME",
		Short:   "Print a rule as it is written, with where it stands",
		Example: "  fettle rules explain comparison_boundary",
		Args:    takes(1, 1, "one NAME; see 'fettle rules list'"),
		RunE: func(c *cobra.Command, args []string) error {
			all, err := g.known(c)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(l listed) bool { return l.Name == args[0] })
			if i < 0 {
				return usage("there is no rule %s; see 'fettle rules list'", args[0])
			}
			l := all[i]
			text := []byte("It is written in Go, in bot/code/mutate.\n")
			if l.Rule != nil {
				if text, err = rule.Format([]rule.Rule{*l.Rule}); err != nil {
					return err
				}
			}
			if jsonOut {
				return writeJSON(c.OutOrStdout(), struct {
					listed
					Text string `json:"text"`
				}{l, string(text)})
			}
			note := ""
			if l.Own && !l.Trusted {
				note = "\nWhat it mends is a draft until rules.trusted names it."
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n%s\nshare %g of the one-place fixes%s\n\n%s", clean(l.Name), clean(l.Class), clean(l.From), l.Share, note, printable(string(text)))
			return nil
		},
	}
	c.Flags().BoolVar(&jsonOut, "json", false, "print a JSON object")
	return c
}

func newRulesDraft() *cobra.Command {
	return &cobra.Command{
		Use:   "draft BEFORE AFTER",
		Short: "Print a rule that makes the edit between two files",
		Long: `draft takes the smallest part in which two versions of a file differ, with its
variables as metavariables, and prints it as a rule: a beginning for one of your
own. Give it a name, a class, a sentence and examples.`,
		Example: "  fettle rules draft old/shop.py shop.py > my-rules.yml",
		Args:    takes(2, 2, "two versions of a file"),
		RunE: func(c *cobra.Command, args []string) error {
			before, err := readSource(args[0])
			if err != nil {
				return err
			}
			after, err := readSource(args[1])
			if err != nil {
				return err
			}
			r, err := rule.Abstract(c.Context(), code.LanguageIn(args[0], before), before, after)
			if err != nil {
				return err
			}
			text, err := rule.Format([]rule.Rule{r})
			if err != nil {
				return err
			}
			return printf(c.OutOrStdout(), "%s", printable(string(text)))
		},
	}
}

// printable is a text without what would move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}
