package command

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Bounds on foreign text.
const (
	maxText     = 1 << 20 // bytes looked at
	maxCommands = 20      // of one comment; what comes after is not read
	maxHint     = 4000    // bytes of a hint
	maxName     = 64      // bytes of an unknown name that are kept
)

// Command is one line that begins with /fettle.
type Command struct {
	Name   string   // lower case, as typed: it may be unknown
	Args   []string // the words after the name
	Hint   string   // free text: the hint of fix, the feedback of reject
	Step   int      // of approve and reject; 0 for the whole plan
	From   int      // of resume: step to begin with; -1 when not given
	Base   string   // of fix and plan: the branch that the pull request is for; "" when not given
	Tier   string   // of retry: mechanical, tier1, tier2, tier3; "" when not given
	Commit bool     // of test: commit them to the branch of the pull request
	Line   int      // 1-based, in the comment

	Known   bool   // the grammar has it
	Problem string // what is wrong with its arguments; "" when nothing is
}

// OK tells whether the command can be carried out as it stands.
func (c Command) OK() bool { return c.Known && c.Problem == "" }

// Answer is the honest reply to a command that cannot be carried out, as
// Markdown, or "" for one that can. Nothing foreign stands in it but a name
// of plain letters.
func (c Command) Answer() string {
	spec, _ := lookup(c.Name)
	switch {
	case !c.Known:
		return unknown(c.Name)
	case c.Problem != "":
		return fmt.Sprintf("I did not understand that: %s. It is written `%s`. Nothing was done.\n", c.Problem, spec.Usage)
	}
	return ""
}

func unknown(name string) string {
	said := "I do not know that command."
	if plainName(name) {
		said = "I do not know the command `" + name + "`."
	}
	if near := Nearest(name); near != "" {
		said += " Did you mean `/fettle " + near + "`?"
	}
	return said + " Nothing was done; `/fettle help` lists what I know.\n"
}

// Parse finds the commands of a comment, in order.
func Parse(text string) []Command {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\uFEFF"))
	lines := strings.Split(text, "\n")
	s := newScanner(lines)
	var out []Command
	for i, line := range lines {
		shown, ok := s.text(line)
		if !ok {
			continue
		}
		rest, ok := after(shown)
		if !ok {
			continue
		}
		c := parse(rest)
		c.Line = i + 1
		if out = append(out, c); len(out) == maxCommands {
			break
		}
	}
	return out
}

// after returns what follows /fettle, when the line begins with that word.
func after(line string) (string, bool) {
	const word = "/fettle"
	if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
		return "", false
	}
	rest := line[len(word):]
	if rest == "" {
		return "", true
	}
	trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace)
	return strings.TrimRightFunc(trimmed, unicode.IsSpace), len(trimmed) < len(rest)
}

func parse(rest string) Command {
	words := strings.Fields(rest)
	c := Command{Name: "help", From: -1, Known: true}
	if len(words) == 0 {
		return c
	}
	c.Name, c.Args = strings.ToLower(words[0]), words[1:]
	if len(c.Name) > maxName {
		c.Name = strings.ToValidUTF8(c.Name[:maxName], "")
	}
	_, c.Known = lookup(c.Name)
	free := strings.TrimSpace(strings.TrimPrefix(rest, words[0]))
	if len(free) > maxHint {
		free = strings.ToValidUTF8(free[:maxHint], "")
	}
	if c.Known {
		c.arguments(free)
	}
	return c
}

// arguments reads what follows the name, by the grammar of each command.
func (c *Command) arguments(free string) {
	switch c.Name {
	case "approve":
		if rest := c.step(c.Args); len(rest) > 0 && c.Problem == "" {
			c.Problem = "it takes nothing but a step's number"
		}
	case "reject":
		if rest := c.step(c.Args); c.Problem != "" {
			c.Problem, c.Hint = "", free // "step" was a word of the feedback
		} else {
			c.Hint = strings.Join(rest, " ")
		}
		if c.Hint == "" {
			c.Problem = "it needs the reason, so that the next try can be better"
		}
	case "retry":
		if v, ok := c.flag("tier"); ok {
			c.tier(v)
		}
	case "resume":
		if v, ok := c.flag("from"); ok {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 || n > 1000 {
				c.Problem = "the step to go on from has to be a number"
				return
			}
			c.From = n
		}
	case "fix", "plan":
		c.Hint = c.base(free)
	case "test":
		if c.Commit = len(c.Args) == 1 && strings.EqualFold(strings.TrimPrefix(c.Args[0], "--"), "commit"); len(c.Args) > 0 && !c.Commit {
			c.Problem = "it takes nothing but the word commit"
		}
	default:
		c.Hint = free
	}
}

// base takes "--base NAME" or "--base=NAME" from the front of a hint.
func (c *Command) base(free string) (hint string) {
	rest, ok := strings.CutPrefix(free, "--base")
	if !ok || rest != "" && rest[0] != '=' && rest[0] != ' ' && rest[0] != '\t' {
		return free
	}
	words := strings.Fields(strings.TrimPrefix(rest, "="))
	if len(words) == 0 || !plainBranch.MatchString(words[0]) || strings.Contains(words[0], "..") {
		c.Problem = "--base needs the name of a branch"
		return ""
	}
	c.Base = words[0]
	return strings.TrimSpace(strings.Replace(strings.TrimPrefix(rest, "="), words[0], "", 1))
}

var plainBranch = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`)

// step reads "step N" and returns what follows it.
func (c *Command) step(words []string) []string {
	if len(words) == 0 || !strings.EqualFold(words[0], "step") {
		return words
	}
	if len(words) > 1 {
		if n, err := strconv.Atoi(words[1]); err == nil && n > 0 && n <= 1000 {
			c.Step = n
			return words[2:]
		}
	}
	c.Problem = "the word step needs a step's number"
	return words
}

// flag reads "--name value" or "--name=value" as the only arguments.
func (c *Command) flag(name string) (string, bool) {
	if len(c.Args) == 0 {
		return "", false
	}
	v, joined := strings.CutPrefix(c.Args[0], "--"+name+"=")
	switch {
	case joined && len(c.Args) == 1 && v != "":
		return v, true
	case len(c.Args) == 2 && c.Args[0] == "--"+name:
		return c.Args[1], true
	}
	c.Problem = "it takes nothing but --" + name
	return "", false
}

func (c *Command) tier(v string) {
	switch v = strings.ToLower(v); v {
	case "mechanical", "tier1", "tier2", "tier3":
		c.Tier = v
	case "1", "2", "3":
		c.Tier = "tier" + v
	case "0":
		c.Tier = "mechanical"
	default:
		c.Problem = "the tier has to be mechanical, tier1, tier2 or tier3"
	}
}

// plainName tells whether a name can be repeated in a reply as it is.
func plainName(name string) bool {
	if name == "" || len(name) > 32 {
		return false
	}
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return true
}
