package answer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// finishActions gives each action its code, and checks that it has what it
// needs and nothing that belongs to another kind.
func finishActions(v *Actions, doc document, _ *Report) *Malformed {
	if says := notToDo.FindString(v.Explanation); says != "" {
		return doubted("list of actions", says)
	}
	used := make([]bool, len(doc.code))
	by := make([]string, len(doc.code)) // the kind of action that refers to it
	for i := range v.Actions {
		a := &v.Actions[i]
		if bad := a.checked(i + 1); bad != nil {
			return bad.ofForm()
		}
		if says := notToDo.FindString(a.Reason); says != "" {
			return doubted("list of actions", says)
		}
		lang := ""
		switch {
		case a.Block != nil && (*a.Block < 1 || *a.Block > len(doc.code)):
			return malformed(SchemaInvalid, "action %d refers to code block %d, and there are %d", i+1, *a.Block, len(doc.code)).ofForm()
		case a.Block != nil:
			b := doc.code[*a.Block-1]
			if b.end == 0 {
				return malformed(Truncated, "the last code block is not closed, and half of a region is never used")
			}
			if before := by[*a.Block-1]; before != "" && (before != a.Action || !slices.Contains(shareable, a.Action)) {
				return malformed(SchemaInvalid, "two actions refer to code block %d: only several %s may share one", *a.Block, strings.Join(shareable, ", or several ")).ofForm()
			}
			if says := b.against(*a.Block, *a, v.Actions); says != "" {
				return malformed(SchemaInvalid, "code block %d is called %s by its own words, and action %d refers to it for %s %s; count the blocks of code from 1, in their order", *a.Block, says, i+1, oneLine(a.Path), oneLine(a.Region))
			}
			used[*a.Block-1], by[*a.Block-1] = true, a.Action
			a.Code, lang = b.body, b.lang
		}
		if bad := a.sensible(i+1, lang); bad != nil {
			return bad
		}
		a.Block = nil
	}
	if bad := v.contradicts(); bad != nil {
		return bad
	}
	return unused(doc.code, used)
}

// shareable are the actions of which several may add the same code, in several places.
// The same code in place of two regions is a wrong number.
var shareable = []string{AddImport, InsertAfter}

// contradicts refuses actions that cannot all be meant: an old and a new
// version of a region, its new code and its end, or more behind the finish.
func (v *Actions) contradicts() *Malformed {
	seen := map[[2]string]int{}
	for i, a := range v.Actions {
		if a.Action == Finish && i < len(v.Actions)-1 {
			return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("action %d is finish, and more actions stand behind it", i+1)}
		}
		switch a.Action {
		case ReplaceRegion, DeleteRegion, CreateFile, WholeFile:
			at := [2]string{path.Clean(a.Path), a.Region}
			if first := seen[at]; first > 0 {
				return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("actions %d and %d give two versions of %s %s", first, i+1, oneLine(a.Path), oneLine(a.Region))}
			}
			seen[at] = i + 1
		}
	}
	return nil
}

// checked compares an action's fields with what its kind needs and may have.
func (a *Action) checked(n int) *Malformed {
	has := map[string]bool{"path": a.Path != "", "region": a.Region != "", "query": a.Query != "", "check": a.Check != "", "reason": a.Reason != "",
		"code": a.Block != nil || a.Code != "", "signature": a.Signature}
	kind := kinds[a.Action]
	for _, f := range kind.needs {
		if !has[f] {
			return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("action %d (%s) has no %q", n, a.Action, f)}
		}
	}
	for _, f := range []string{"path", "region", "query", "check", "code", "signature"} {
		if has[f] && !slices.Contains(kind.needs, f) && !slices.Contains(kind.may, f) {
			return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("action %d (%s) cannot have %q", n, a.Action, f)}
		}
	}
	return nil
}

var (
	attribute  = lazyregexp.New(`\b(?:path|file|filename|region)[ \t]*[=:][ \t]*`)
	filePath   = lazyregexp.New(`^(?:[\w@+.-]+/)*[\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,7}$|^(?:[\w@+.-]+/)+[\w@+.-]+$`)
	regionID   = lazyregexp.New(`^[a-z][a-z_-]*:[^\s:]\S*@[0-9a-f]+$`)
	blockLabel = lazyregexp.New(`(?i)\b(?:block|snippet|fence)\s*(?:no\.?|number|#)?\s*([0-9]{1,2})\b`)
)

// against gives the words that contradict that a block is the one with the number that an
// action refers to: another number or the target of another action in the line before it or
// at its head, or any other target in its info string.
func (b block) against(number int, a Action, all []Action) string {
	head, _, _ := strings.Cut(strings.TrimSpace(b.body), "\n")
	if !comment.MatchString(head) {
		head = ""
	}
	for i, words := range []string{b.info, b.before, head} {
		if m := blockLabel.FindAllStringSubmatch(words, -1); len(m) == 1 && m[0][1] != strconv.Itoa(number) && len(strings.Fields(words)) <= maxLabel {
			return oneLine(m[0][0])
		}
		other := ""
		for _, w := range strings.Fields(attribute.ReplaceAllString(words, " ")) {
			w = strings.Trim(w, "*`\"'(){}[],;:.")
			switch {
			case w == "" || w == b.lang:
			case path.Clean(w) == path.Clean(a.Path), a.Region != "" && strings.Contains(a.Region, w) && w != a.Path:
				if i > 0 {
					return ""
				}
			case i == 0 && (filePath.MatchString(w) || regionID.MatchString(w)), slices.ContainsFunc(all, func(x Action) bool { return (x.Code != "" || x.Block != nil) && (w == x.Path || w == x.Region) }):
				other = w
			}
		}
		if other != "" {
			return oneLine(other)
		}
	}
	return ""
}

// maxLabel is how many words a label has at most: a sentence may speak of
// another block.
const maxLabel = 8

// shown are languages of blocks that hold no code: they only show something.
var shown = []string{"text", "txt", "output", "plaintext", "log", "mermaid"}

// unused refuses code that nothing refers to: either the numbers are wrong, or
// a block ended early at a fence inside the code.
func unused(code []block, used []bool) *Malformed {
	last := -1
	for i, u := range used {
		if u {
			last = i
		}
	}
	for i, b := range code {
		if !used[i] && (i < last || !slices.Contains(shown, b.lang)) {
			return malformed(SchemaInvalid, "code block %d is not referred to; refer to each by its number, and use a longer fence (````) around code that holds a fence", i+1).ofForm()
		}
	}
	return nil
}
