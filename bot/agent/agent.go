// Package agent holds the roles that ask models: a prompt goes in, a validated
// decision comes out. Today there is the developer, who writes the edits for
// an attempt. A role never applies anything: what it returns is only a wish,
// which bot/patch and bot/verify judge. All text from issues, repositories and
// test output is foreign and stands fenced in the prompt.
package agent

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"text/template"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// PromptClass names the developer's prompt and its version in every record.
const PromptClass = "developer/2"

// Ask sends a request to a model. The loop gives it: it reserves money before
// the call, settles after it and records both.
type Ask func(ctx context.Context, r model.Request) (model.Reply, error)

// Place is a region shown to the developer.
type Place struct {
	Path   string
	Region code.Region
	Code   string // the region's text
	Before string // some lines before it
	After  string // some lines after it
	Why    string // why it is suspicious
}

// Brief is all that the developer may know for an attempt.
type Brief struct {
	Task      task.Task
	Tier      task.Tier
	Places    []Place
	Failures  []task.Failure
	Attempts  []task.Attempt // the attempts so far, for tiers that see them
	NeedsTest bool           // no test fails: a reproduction test has to come with the change
	TestDirs  []string       // where the repository keeps its tests
	MaxBytes  int            // of the prompt's user part; 0: 48 KiB
}

// Answer is the developer's wish.
type Answer struct {
	Patch       task.Patch
	Explanation string
	NewTests    []string // paths of the test files that the patch creates
}

// Developer writes edits.
type Developer struct{ prompts *template.Template }

//go:embed prompts/developer.md
var developerPrompt string

// NewDeveloper reads the developer's prompt.
func NewDeveloper() (*Developer, error) {
	funnel := redact.New()
	t, err := template.New("developer").Funcs(template.FuncMap{
		"fence":   func(text, lang string) string { return funnel.Source(text, lang) },
		"visible": func(s string) string { out, _ := redact.Visible(s); return out },
		"line":    line,
		"lines":   lines,
		"failure": describe,
		"join":    strings.Join,
		"lang":    func(p Place) string { return string(code.LanguageOf(p.Path)) },
	}).Parse(developerPrompt)
	if err != nil {
		return nil, fmt.Errorf("reading the developer's prompt: %w", err)
	}
	return &Developer{prompts: t}, nil
}

// Develop asks the tier for edits. Tier 1 sees the task and the failures only,
// tier 2 also its own and the tier below's last attempts, tier 3 all of them.
// The error is a *Malformed when the answer cannot be read, else what Ask said.
func (d *Developer) Develop(ctx context.Context, ask Ask, b Brief) (Answer, error) {
	system, user, err := d.prompt(b)
	if err != nil {
		return Answer{}, err
	}
	reply, err := ask(ctx, model.Request{Tier: b.Tier, Agent: "developer", PromptClass: PromptClass, System: system, User: user})
	if err != nil {
		return Answer{}, err
	}
	if reply.Finish == "length" {
		return Answer{}, &Malformed{Class: "truncated", Reason: "the answer was cut at the token limit; half a region is never applied"}
	}
	return parse(reply.Text)
}

// shortestBody is what of a long issue is always shown, in bytes.
const shortestBody = 2000

// prompt renders the brief, leaving out the least suspicious regions, then the
// oldest attempts, then the end of the issue, until it fits the tier's window.
func (d *Developer) prompt(b Brief) (system, user string, err error) {
	limit := b.MaxBytes
	if limit <= 0 {
		limit = 48 << 10
	}
	b.Attempts = shown(b)
	for {
		var out strings.Builder
		if err := d.prompts.Execute(&out, b); err != nil {
			return "", "", fmt.Errorf("filling in the developer's prompt: %w", err)
		}
		system, user, ok := strings.Cut(out.String(), "\n====================\n")
		if !ok {
			return "", "", fmt.Errorf("the developer's prompt has no line of equal signs between its parts")
		}
		if len(user) <= limit {
			return system, user, nil
		}
		switch keep := max(len(b.Task.Body)-(len(user)-limit)-100, shortestBody); {
		case len(b.Places) > 1:
			b.Places = b.Places[:len(b.Places)-1]
		case len(b.Attempts) > 0:
			b.Attempts = b.Attempts[1:]
		case len(b.Task.Body) > keep+100:
			b.Task.Body = strings.ToValidUTF8(b.Task.Body[:keep], "") + "\n… (the rest was left out)"
		default:
			return system, user, nil
		}
	}
}

func shown(b Brief) []task.Attempt {
	var model []task.Attempt
	for _, a := range b.Attempts {
		if a.Tier != task.TierMechanical {
			model = append(model, a)
		}
	}
	keep := map[task.Tier]int{task.Tier1: 1, task.Tier2: 3, task.Tier3: len(model)}[b.Tier]
	if len(model) > keep {
		model = model[len(model)-keep:]
	}
	return model
}

// longestLine bounds foreign words that stand outside a fence, in characters.
const longestLine = 300

// line makes foreign words fit to stand outside a fence: one line, nothing
// hidden in it, and not a fence itself. A path that it changes cannot be named
// in an edit either.
func line(s string) string {
	s, _ = redact.Visible(s)
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "```", "` ` `")
	if r := []rune(s); len(r) > longestLine {
		s = string(r[:longestLine]) + "…"
	}
	return s
}

func lines(all []string) string {
	out := make([]string, 0, len(all))
	for _, s := range all {
		out = append(out, line(s))
	}
	return strings.Join(out, ", ")
}

// describe puts a failure in a few lines.
func describe(f task.Failure) string {
	var b strings.Builder
	if f.Test != "" {
		fmt.Fprintf(&b, "test: %s\n", f.Test)
	}
	fmt.Fprintf(&b, "kind: %s", f.Kind)
	if f.Exception != "" {
		fmt.Fprintf(&b, " (%s)", f.Exception)
	}
	if f.File != "" {
		fmt.Fprintf(&b, " at %s:%d", f.File, f.Line)
	}
	fmt.Fprintf(&b, "\nmessage: %s\n", f.Message)
	for i, fr := range f.Trace {
		if i == 12 {
			fmt.Fprintf(&b, "  … %d more frames\n", len(f.Trace)-i)
			break
		}
		fmt.Fprintf(&b, "  %s:%d %s\n", fr.File, fr.Line, fr.Function)
	}
	return b.String()
}

func newTests(p task.Patch) []string {
	var out []string
	for _, e := range p.Edits {
		if e.Kind == task.EditCreate && code.IsTest(path.Clean(e.Path)) {
			out = append(out, path.Clean(e.Path))
		}
	}
	return out
}
