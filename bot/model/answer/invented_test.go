package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// invented says what of a decision does not stand in the text that it was read
// from, or "". Where a text holds escapes its words are not compared.
func invented(v Actions, r Report, text string) string {
	folded := fold(text)
	escapes := strings.Contains(text, `\`)
	for _, a := range v.Actions {
		named := strings.Contains(folded, fold(a.Action))
		for other, kind := range spellings {
			named = named || kind == a.Action && strings.Contains(folded, fold(other))
		}
		if !named && !escapes && (r.Rung != "blocks" || a.Action != ReplaceRegion) {
			return fmt.Sprintf("%s is not in %q", a.Action, text)
		}
		for _, word := range []string{a.Path, a.Region, a.Query, a.Check} {
			if !escapes && !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), word) {
				return fmt.Sprintf("%q is not in %q", word, text)
			}
		}
		for line := range strings.Lines(a.Code) {
			if !escapes && !strings.Contains(text, strings.TrimSpace(line)) {
				return fmt.Sprintf("the line %q is not in %q", line, text)
			}
		}
	}
	return ""
}

// laid is a drawn answer in parts: its object, and its blocks in order.
func laid(t *rapid.T) (v Actions, object string, blocks []string) {
	v, text := drawn(t)
	parts := strings.Split(strings.TrimPrefix(text, "```json\n"), "\n```\n")
	object = parts[0]
	for _, a := range v.Actions {
		if a.Code != "" {
			blocks = append(blocks, a.Code)
		}
	}
	return v, object, blocks
}

// A block that nothing refers to spoils the answer, wherever it stands.
func TestE2ABlockThatNothingRefersToIsNeverUsed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, object, blocks := laid(t)
		lang := rapid.SampledFrom([]string{"py", "", "bash", "go", "diff", "js"}).Draw(t, "lang")
		at := rapid.IntRange(0, len(blocks)).Draw(t, "at")
		text := "```json\n" + object + "\n```\n"
		if rapid.Bool().Draw(t, "first") {
			at, text = len(blocks), "````"+lang+"\nextra = 1\n````\n"+text
		} else if at == len(blocks) {
			blocks = append(blocks, "extra = 1\n")
		}
		for i, b := range blocks {
			if i == at && at < len(blocks)-1 {
				text += "````" + lang + "\nextra = 1\n````\n"
			}
			text += "````py\n" + b + "````\n"
		}
		if !strings.Contains(text, "extra") {
			t.Skip("no block was added")
		}
		if got, _, err := Developer.Read(text, "stop"); err == nil {
			t.Fatalf("%+v\n%s", got, text)
		}
	})
}

// Whatever the order of the blocks, an action gets the one that it refers to.
func TestE2CodeFollowsItsNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, _, blocks := laid(t)
		order := rapid.Permutation(seq(len(blocks))).Draw(t, "order")
		placed := make([]string, len(blocks))
		n := 0
		for i := range v.Actions {
			if v.Actions[i].Code != "" {
				number := order[n] + 1
				placed[order[n]] = blocks[n]
				v.Actions[i].Block = &number
				n++
			}
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data) + "\n"
		for _, b := range placed {
			text += "````py\n" + b + "````\n"
		}
		got, _, err := Developer.Read(text, "stop")
		if err != nil || len(got.Actions) != len(v.Actions) {
			t.Fatalf("%v\n%s", err, text)
		}
		for i := range got.Actions {
			if got.Actions[i].Code != v.Actions[i].Code {
				t.Fatalf("action %d: %q\n%s", i+1, got.Actions[i].Code, text)
			}
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Of a drawn answer between other words, nothing is taken but what it says.
func TestF09NothingIsInvented(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, text := drawn(t)
		noise := rapid.SliceOfN(rapid.SampledFrom([]string{"\"", "'", "{", "}", "[", "]", ",", ":", "\n", "```", "```py\n", "or", "# ...", "\\", "<think>", "</think>", "actions", "finish", "delete_region", "“", "„", "：", "~~", "…"}), 1, 4).Draw(t, "noise")
		for _, n := range noise {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			text = text[:at] + n + text[at:]
		}
		got, r, err := Developer.Read(text, "stop")
		if err != nil {
			return
		}
		if says := invented(got, r, strings.ToValidUTF8(text, "\uFFFD")); says != "" {
			t.Fatal(says)
		}
		if slices.ContainsFunc(got.Actions, func(a Action) bool {
			return strings.Contains(a.Code, "```py") && strings.Contains(a.Code, "x = 1\n````")
		}) {
			t.Fatalf("a fence was taken for code: %+v", got)
		}
	})
}
