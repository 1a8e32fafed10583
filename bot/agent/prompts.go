package agent

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var builtIn embed.FS

// parts are the definitions that the prompts share.
const parts = "parts.md"

// promptNames are the prompts, one file each.
var promptNames = []string{"developer-tier1", "developer-tier2", "developer-tier3", "developer-small", "developer-command", "planner", "critic", "tester", "reviewer", "triage", "ask", "reproducer-fail", "reproducer-pass", "reproducer-turn", "reproducer-hold", "reproducer-conform"}

// border is the line between a prompt's system text and its user text. It is
// looked for in the file, before any foreign text is filled in.
const border = "\n====================\n"

const maxPrompt = 256 << 10

// prompt is a file, parsed. The system text is the same for every run.
type prompt struct {
	class  string // its name and a hash of its text, such as planner/3f2a91c0
	system string
	user   *template.Template
}

type prompts map[string]prompt

// readPrompts reads all prompts, from the folder where it holds them. Each is
// tried out once, so that a mistake shows at the start and not in a run.
func readPrompts(folder string) (prompts, error) {
	if folder != "" {
		if err := onlyKnown(folder); err != nil {
			return nil, err
		}
	}
	shared, err := promptText(folder, parts)
	if err != nil {
		return nil, err
	}
	out := prompts{}
	for _, name := range promptNames {
		text, err := promptText(folder, name+".md")
		if err != nil {
			return nil, err
		}
		p, err := parsePrompt(name, text, shared)
		if err == nil {
			_, _, err = p.render(sample())
		}
		if err != nil {
			return nil, fmt.Errorf("the prompt %s.md (or the %s that it uses) cannot be used: %w; mend it, or take it out of %q to use the built-in one", name, parts, err, folder)
		}
		out[name] = p
	}
	return out, nil
}

// onlyKnown refuses a folder with files that would never be read: a misspelt
// name would silently change nothing.
func onlyKnown(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("reading the folder of prompts: %w; set prompts to a folder with files named like the built-in ones, or leave it empty", err)
	}
	for _, e := range entries {
		name, md := strings.CutSuffix(e.Name(), ".md")
		if md && e.Name() != parts && name != "README" && !slices.Contains(promptNames, name) {
			return fmt.Errorf("the folder of prompts holds %s, which no role uses; known are %s.md and %s", e.Name(), strings.Join(promptNames, ".md, "), parts)
		}
	}
	return nil
}

func promptText(folder, name string) (string, error) {
	if folder != "" {
		data, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // the operator names the folder
		switch {
		case err == nil && len(data) > maxPrompt:
			return "", fmt.Errorf("the prompt %s has %d bytes, at most %d are read", name, len(data), maxPrompt)
		case err == nil:
			return strings.ReplaceAll(string(data), "\r\n", "\n"), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("reading the prompt %s: %w", name, err)
		}
	}
	data, err := builtIn.ReadFile("prompts/" + name)
	if err != nil {
		return "", fmt.Errorf("reading the built-in prompt %s: %w", name, err)
	}
	return string(data), nil
}

func parsePrompt(name, text, shared string) (prompt, error) {
	first, second, ok := strings.Cut(text, border)
	if !ok {
		return prompt{}, errors.New("it has no line of twenty equal signs between its system and its user part")
	}
	system, err := filled(name, first, shared, forms)
	if err != nil {
		return prompt{}, err
	}
	user, err := template.New(name).Funcs(functions).Parse(shared)
	if err == nil {
		user, err = user.New("user").Parse(second)
	}
	if err != nil {
		return prompt{}, fmt.Errorf("reading it: %w", err)
	}
	sum := sha256.Sum256([]byte(text + "\x00" + shared))
	return prompt{class: name + "/" + hex.EncodeToString(sum[:4]), system: system, user: user}, nil
}

// filled executes a template once.
func filled(name, text, shared string, data any) (string, error) {
	t, err := template.New(name).Funcs(functions).Parse(shared)
	if err == nil {
		t, err = t.New("system").Parse(text)
	}
	if err != nil {
		return "", fmt.Errorf("reading it: %w", err)
	}
	var out strings.Builder
	if err := t.Execute(&out, data); err != nil {
		return "", fmt.Errorf("filling it in: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}

func (p prompt) render(data any) (system, user string, err error) {
	var out strings.Builder
	if err := p.user.Execute(&out, data); err != nil {
		return "", "", fmt.Errorf("filling in the prompt %s: %w", p.class, err)
	}
	return p.system, strings.TrimSpace(out.String()), nil
}
