package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/task"
)

// chatCommand is what can be typed after a slash.
type chatCommand struct {
	name, takes, about string
	do                 func(*chat, string) error
}

// chatCommands is a function, since /help lists them all.
func chatCommands() []chatCommand {
	return []chatCommand{
		{"fix", "[WORDS|#N]", "mend what the words say, an issue on GitHub, or what is red", (*chat).fixSaid},
		{"ask", "WORDS", "answer a question about the code", (*chat).ask},
		{"plan", "[on|off|WORDS]", "show the plan; whether you see it first; make one for WORDS", (*chat).plan},
		{"approve", "", "yes: to the plan, or write the change into the folder", (*chat).approve},
		{"undo", "", "no: drop the plan or the last change; or take back what was written", (*chat).undo},
		{"diff", "", "show the change that is not written", (*chat).diff},
		{"tests", "[on|off]", "run the tests; whether tasks write tests, too", (*chat).tests},
		{"run", "[CHECK…]", "run the project's own checks: all, or those named", (*chat).check},
		{"add", "PATH…", "change only what is under these paths", (*chat).add},
		{"drop", "[PATH…]", "take paths out again; alone: change anything", (*chat).drop},
		{"model", "[TIER|MODEL]", "show who mends; climb no higher than this one", (*chat).model},
		{"cost", "", "what the turns have cost", (*chat).cost},
		{"history", "", "what was typed in this folder", (*chat).history},
		{"new", "", "another matter: forget what was said, drop what is not written", (*chat).forget},
		{"help", "", "this list", (*chat).help},
		{"quit", "", "end; all is kept for the next chat", func(*chat, string) error { return errLeave }},
	}
}

// asks matches what is a question and no task: "can you mend …?" is one.
var (
	questionWord = regexp.MustCompile(`(?i)^(where|why|who|what|which|how)('s| )`)
	pleads       = regexp.MustCompile(`(?i)^(can|could|would|will) (you|we)\b|^please\b|\bplease\?$`)
)

func asksOf(text string) bool {
	if pleads.MatchString(text) {
		return false
	}
	return strings.HasSuffix(text, "?") || questionWord.MatchString(text) && !strings.Contains(text, "\n")
}

func yesOrNo(line string) bool {
	return isYes(line) || strings.EqualFold(line, "n") || strings.EqualFold(line, "no")
}

// answer does what was typed.
func (t *chat) answer(text string) error {
	if !strings.HasPrefix(text, "/") {
		switch {
		case t.kept.Waiting != "":
			return t.said(text)
		case isYes(text) && t.kept.Whole != nil:
			return t.approve("")
		case yesOrNo(text):
			return usage("nothing was asked; say what is wrong, or see /help")
		case asksOf(text):
			return t.ask(text)
		}
		return t.fix(text)
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	name = strings.ToLower(name)
	if name == "exit" || name == "q" {
		name = "quit"
	}
	var names []string
	for _, cmd := range chatCommands() {
		if cmd.name != name {
			names = append(names, cmd.name)
			continue
		}
		if rest = strings.TrimSpace(rest); rest != "" && cmd.takes == "" {
			return usage("/%s takes nothing, and got %q; see /help", name, rest)
		}
		return cmd.do(t, rest)
	}
	if near := command.NearestOf(name, names); near != "" {
		return usage("there is no command /%s, did you mean /%s?; /help lists them", clean(name), near)
	}
	return usage("there is no command /%s; /help lists them", clean(name))
}

func (t *chat) help(string) error {
	out := &strings.Builder{}
	out.WriteString("Words are a task, a question is answered. Besides:\n\n")
	wide := widthOf(t.c.OutOrStdout())
	for _, cmd := range chatCommands() {
		fmt.Fprintf(out, "  %-21s %s\n", "/"+strings.TrimSpace(cmd.name+" "+cmd.takes), hang(cmd.about, wide, 24))
	}
	return coloured(t.c.OutOrStdout(), out.String())
}

// tiers are the models that can mend, cheapest first.
func (t *chat) tiers() (out []string) {
	for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} {
		if set, ok := t.p.set.Tiers[tier]; ok {
			out = append(out, fmt.Sprintf("%s (%s)", tier, set.Model))
		}
	}
	return out
}

// plans tells whether plans are shown first: by what was said, else where a model makes them.
func (t *chat) plans() bool {
	if t.kept.Plan != nil {
		return *t.kept.Plan
	}
	return len(t.tiers()) > 0
}

func (t *chat) model(name string) error {
	out := t.c.OutOrStdout()
	if name == "" {
		fmt.Fprintln(out, "mechanical  repair without a model, free")
		for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} {
			if set, ok := t.p.set.Tiers[tier]; ok {
				fmt.Fprintf(out, "%-11s %s, $%g in and $%g out per million tokens\n", tier, clean(set.Model), set.PriceIn, set.PriceOut)
			}
		}
		if len(t.tiers()) == 0 {
			fmt.Fprintln(out, "no model is configured; 'fettle init' proposes those that are on this machine, docs/models.md has the presets")
		}
		if t.kept.MaxTier != "" {
			fmt.Fprintf(out, "tasks climb no higher than %s; '/model all' lifts that\n", t.kept.MaxTier)
		}
		return nil
	}
	names := []string{"all", string(task.TierMechanical)}
	for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} {
		if set, ok := t.p.set.Tiers[tier]; ok {
			names = append(names, string(tier))
			if set.Model == name {
				name = string(tier)
			}
		}
	}
	if !slices.Contains(names, name) {
		return usage("/model takes %s, or the name of a model of theirs, and got %q; name them in the operator's file", strings.Join(names, ", "), name)
	}
	if t.kept.MaxTier = name; name == "all" {
		t.kept.MaxTier = ""
		return printLine(out, "tasks climb as high as is configured")
	}
	return printf(out, "tasks climb no higher than %s\n", name)
}

func (t *chat) add(rest string) error {
	paths := strings.Fields(rest)
	if len(paths) == 0 {
		return usage("/add takes paths, such as /add src")
	}
	if _, err := scopeIn(t.dir, paths); err != nil {
		return err
	}
	for _, p := range paths {
		if !slices.Contains(t.kept.Scope, p) {
			t.kept.Scope = append(t.kept.Scope, p)
		}
	}
	return t.scope()
}

func (t *chat) drop(rest string) error {
	paths := strings.Fields(rest)
	for _, p := range paths {
		if !slices.Contains(t.kept.Scope, p) {
			return usage("%s was not added; added are: %s", clean(p), orNoneOf(t.kept.Scope))
		}
	}
	t.kept.Scope = slices.DeleteFunc(t.kept.Scope, func(p string) bool { return len(paths) == 0 || slices.Contains(paths, p) })
	return t.scope()
}

func orNoneOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return clean(strings.Join(names, ", "))
}

func (t *chat) scope() error {
	words := "tasks may change anything but protected files"
	if len(t.kept.Scope) > 0 {
		words = "tasks change only " + clean(strings.Join(t.kept.Scope, ", "))
	}
	return printLine(t.c.OutOrStdout(), words)
}

// onOff reads what a switch is set to.
func onOff(text string) (on, said bool) {
	return strings.EqualFold(text, "on"), strings.EqualFold(text, "on") || strings.EqualFold(text, "off")
}

func (t *chat) cost(string) error {
	var all task.USD
	tw := tabwriter.NewWriter(t.c.OutOrStdout(), 0, 4, 2, ' ', 0)
	for _, one := range t.kept.Turns {
		if all += one.Cost; one.Cost > 0 {
			fmt.Fprintf(tw, "%s\t%s\t%s\n", one.At.Local().Format("2 Jan 15:04"), one.Cost, clean(short(one.Typed)))
		}
	}
	fmt.Fprintf(tw, "in all\t%s\t%s\n", all, task.Count(len(t.kept.Turns), "turn"))
	return tw.Flush()
}

func (t *chat) history(string) error {
	if len(t.kept.Turns) == 0 {
		return printLine(t.c.OutOrStdout(), "nothing was said yet")
	}
	tw := tabwriter.NewWriter(t.c.OutOrStdout(), 0, 4, 2, ' ', 0)
	for _, one := range t.kept.Turns {
		came := strings.ReplaceAll(string(one.Outcome), "_", " ")
		if came == "" {
			came = one.Kind
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", one.At.Local().Format("2 Jan 15:04"), came, clean(short(one.Typed)))
	}
	return tw.Flush()
}

func (t *chat) forget(string) error {
	if t.kept.Waiting != "" {
		if err := t.undo(""); err != nil {
			return err
		}
	}
	dropped := t.kept.Whole
	t.kept.Turns, t.kept.Matter, t.kept.Over, t.kept.Whole = nil, nil, nil, nil
	words := "begun anew"
	if dropped != nil {
		words += "; the change of " + clean(strings.Join(dropped.FilesChanged, ", ")) + " was dropped, and 'fettle runs' still has it"
	}
	return printLine(t.c.OutOrStdout(), words)
}

// ask answers a question; without a model with places in the code.
func (t *chat) ask(question string) error {
	if question == "" {
		return usage("/ask takes a question, such as: /ask where is the discount computed")
	}
	t.now.Kind = "ask"
	out, end, err := t.p.asked(t.c, asking{repo: t.dir, most: 8, maxCost: askMost}, question, true)
	if err != nil {
		return err
	}
	t.now.Cost, t.result = out.Cost, out
	if err := t.p.printAsked(t.c.OutOrStdout(), out); err != nil {
		return err
	}
	if out.Why != "" {
		t.tell(t.p.funnel.Log(out.Why))
	} else if out.Answer == "" {
		t.tell("no model is configured that could answer in words; these places have the words of the question")
	}
	return end
}

func (t *chat) tests(rest string) error {
	on, said := onOff(rest)
	switch {
	case rest == "":
		return t.check("test")
	case !said:
		return usage("/tests takes on or off, or alone runs the tests, and got %q", rest)
	}
	words := "tasks write no tests of their own"
	if t.kept.Tests = on; on {
		words = "tasks also write nominal and edge cases of the functions that they change"
	}
	return printLine(t.c.OutOrStdout(), words)
}

// check runs checks of the project, and nothing else, with the change that is not written.
func (t *chat) check(rest string) error {
	t.now.Kind = "run"
	if t.kept.Whole != nil {
		t.tell("with the change that is not written:")
	}
	r, err := t.p.checkSeen(t.c.Context(), t.dir, t.kept.Over, strings.Fields(rest), t.c.ErrOrStderr())
	if err != nil {
		return err
	}
	if t.result = r; t.flags.json {
		return checkEnding(r)
	}
	if err := printChecks(t.c.OutOrStdout(), r); err != nil {
		return err
	}
	return checkEnding(r)
}
