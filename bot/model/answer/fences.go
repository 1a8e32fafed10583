package answer

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// block is a fenced block of code.
type block struct {
	start, end int    // bytes of the text, fences included
	mark       string // the opening fence
	info       string // behind the opening fence
	lang       string // first word of info, lower case
	body       string
	before     string // the last line of words before it
}

const thinking = `(?:[a-z]+:)?(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|antthinking|inner_monologue)`

var (
	channel = lazyregexp.New(`<\|channel\|>\s*([a-z]+)[^<]*(?:<\|[a-z]+\|>[^<{]*)?<\|message\|>`)
	thinks  = lazyregexp.New("(?i)^[^{`~<]*(?:[<◁\\[]" + thinking + `[>▷\]]|<\|begin_of_thought\|>)`)
	thought = lazyregexp.New(`(?i)(?:</|◁/|\[/)` + thinking + `[>▷\]]|<\|end_of_thought\|>`)
)

// withoutThoughts cuts the reasoning that some models write before their
// answer: drafts in it are not the answer.
func withoutThoughts(text string) (string, *Malformed) {
	if all := channel.FindAllStringSubmatchIndex(text, -1); all != nil { // reasoning and answer part by channels
		last := all[len(all)-1]
		if text[last[2]:last[3]] != "final" {
			return "", malformed(Truncated, "it ends before the channel of the answer; answer without reasoning")
		}
		text = text[last[1]:]
	}
	if all := thought.FindAllStringIndex(text, -1); all != nil { // the opening tag is part of some prompts' template
		text = text[all[len(all)-1][1]:]
	}
	if thinks.MatchString(text) {
		return "", malformed(Truncated, "it ends in the middle of the reasoning; answer without it")
	}
	return text, nil
}

// Spoken is an answer in prose without the reasoning before it; nothing, where it
// ends in the middle of that.
func Spoken(text string) string {
	text, _ = withoutThoughts(text)
	return text
}

// fences finds the fenced blocks of CommonMark: three or more backticks or
// tildes, closed by at least as many of the same. A last block that is not
// closed has end 0.
func fences(text string) ([]block, *Malformed) {
	var out []block
	var open *block
	var body strings.Builder
	before, offset, indent := "", 0, 0
	for line := range strings.Lines(text) {
		m, info := marker(strings.TrimRight(line, "\n"))
		switch {
		case open == nil && m != "":
			lang, _, _ := strings.Cut(strings.ToLower(info), " ")
			open = &block{start: offset, mark: m, info: info, lang: lang, before: before}
			before, indent = "", strings.Index(line, m)
			body.Reset()
		case open != nil && m != "" && info == "" && strings.HasPrefix(m, open.mark):
			open.body, open.end = body.String(), offset+len(line)
			out = append(out, *open)
			open = nil
		case open != nil:
			shift := 0 // an indented fence indents its code as much
			for shift < min(indent, len(line)) && line[shift] == ' ' {
				shift++
			}
			body.WriteString(line[shift:])
		case strings.TrimSpace(line) != "":
			before = strings.TrimSpace(line)
		}
		offset += len(line)
		if len(out) > maxBlocks {
			return nil, malformed(SchemaInvalid, "it holds more than %d fenced blocks", maxBlocks)
		}
	}
	if open != nil {
		open.body = body.String()
		out = append(out, *open)
	}
	return out, nil
}

func marker(line string) (mark, info string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || len(s) < 3 || (s[0] != '`' && s[0] != '~') {
		return "", ""
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	info = strings.TrimSpace(s[n:])
	if n < 3 || (s[0] == '`' && strings.Contains(info, "`")) {
		return "", ""
	}
	return s[:n], info
}

// outside is the text with its blocks blanked, as long as before.
func outside(text string, all []block) string {
	b := []byte(text)
	for _, x := range all {
		end := x.end
		if end == 0 {
			end = len(b)
		}
		for i := x.start; i < end; i++ {
			b[i] = '\n'
		}
	}
	return string(b)
}
