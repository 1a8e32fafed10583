package redact

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	// GitHub's runner obeys "::command::" at the start of a line and the older
	// "##[command]" anywhere.
	workflowStart = lazyregexp.New(`(?m)^([\s\pZ]*):(:+)`)
	workflowOld   = lazyregexp.New(`#(#+)\[`)
)

// Log makes text fit for a log or a terminal: no secrets, escapes, control or
// invisible characters, and no line that a workflow runner obeys.
func (f *Funnel) Log(text string) string {
	text = f.Secrets(plain(text))
	if strings.Contains(text, "::") {
		text = workflowStart.ReplaceAllStringFunc(text, func(m string) string {
			return strings.TrimRight(m, ":") + spaced(':', strings.Count(m, ":"))
		})
	}
	if strings.Contains(text, "##[") {
		text = workflowOld.ReplaceAllString(text, "#$1 [")
	}
	return text
}

// spaced writes n times c with blanks between.
func spaced(c byte, n int) string { return strings.TrimRight(strings.Repeat(string(c)+" ", n), " ") }

var (
	tagStart   = lazyregexp.New(`<([A-Za-z/!?])`)
	entityAt   = lazyregexp.New(`(?i)&(?:#0*64|#x0*40|commat);`)
	entityHash = lazyregexp.New(`(?i)&(?:#0*35|#x0*23|num);`)
	mention    = lazyregexp.New(`(^|[^A-Za-z0-9])@([A-Za-z0-9&_\\-])`)
	image      = lazyregexp.New(`!+\[`)
	linkTitle  = lazyregexp.New(`\]\(\s*([^\s()]*)\s+(?:"[^"]*"|'[^']*'|\([^)]*\))\s*\)`)
	definition = lazyregexp.New(`(?m)^([ >\t]*)\[([^\]\n]+\]:)`)
	slash      = lazyregexp.New(`(?m)^([\s\pZ>*+\-]*(?:\d+[.)]\s+)?)/([A-Za-z])`)
	ownSlash   = lazyregexp.New(`(?mi)^([\s\pZ>*+\-]*(?:\d+[.)]\s+)?)/(fettle)`)
)

// Markdown makes text of others fit to stand inside a comment: what Log does,
// and no mention, closing keyword, image, HTML, hidden link title, link
// definition or slash command works; an open code fence is closed. A mention
// becomes "@ name": GitHub looks for mentions in the rendered text, so that an
// HTML entity for the at sign would still notify.
func (f *Funnel) Markdown(foreign string) string { return settled(foreign, f.markdown) }

func (f *Funnel) markdown(foreign string) string {
	text := f.Log(foreign)
	text = tagStart.ReplaceAllString(text, "&lt;$1")
	text = entityAt.ReplaceAllString(text, "@ ")
	text = entityHash.ReplaceAllString(text, "# ")
	text = inertMentions(text)
	text = image.ReplaceAllString(text, "[")
	text = linkTitle.ReplaceAllString(text, "]($1)")
	text = definition.ReplaceAllString(text, `$1\[$2`)
	text = inertClosing(text)
	text = slash.ReplaceAllString(text, `$1\/$2`)
	return closeFence(text)
}

// settled repeats a rule until nothing changes, because the output of one part
// of it can be another's input; each only takes power away, so this ends.
func settled(text string, rule func(string) string) string {
	for {
		next := rule(text)
		if next == text {
			return text
		}
		text = next
	}
}

func inertMentions(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	for {
		next := mention.ReplaceAllString(text, "$1@ $2")
		if next == text {
			return text
		}
		text = next // neighbours such as @a@b share a character
	}
}

// Comment is the last net over a whole comment that fettle composed from its
// own words and from parts that went through Markdown and Fence: no secrets,
// no escapes, no mention or link definition outside code blocks, no closing
// keyword, no line that is a command to fettle. HTML and links that were written on purpose stay.
// What fettle itself means to close is added behind it, by whoever sends.
func (f *Funnel) Comment(whole string) string { return settled(whole, f.comment) }

// Message is Comment for text that is no Markdown, such as a title or the
// message of a commit: it has no code blocks that a mention is dead in.
func (f *Funnel) Message(whole string) string {
	return settled(whole, func(text string) string { return inertMentions(f.comment(text)) })
}

func (f *Funnel) comment(whole string) string {
	text := ownSlash.ReplaceAllString(f.Secrets(plain(whole)), `$1\/$2`)
	text = inertClosing(text)
	lines := strings.SplitAfter(text, "\n")
	var open fence
	for i, line := range lines {
		if was := open; open.next(line) || was.mark != 0 {
			continue
		}
		lines[i] = inertMentions(definition.ReplaceAllString(entityAt.ReplaceAllString(line, "@ "), `$1\[$2`))
	}
	return strings.Join(lines, "")
}

// Fence puts foreign text in a code fence that nothing inside can close, for a
// comment: inside it is what Log makes of it. The language is dropped when it
// is not a simple word.
func (f *Funnel) Fence(foreign, lang string) string {
	return fenced(ownSlash.ReplaceAllString(f.Log(foreign), `$1\/$2`), lang)
}

// Source puts source code, or what a program printed, in such a fence for a
// prompt: byte for byte, because whoever writes code from it must see what
// stands there. Only secrets are taken out, hidden characters and controls are
// written as [U+202E], and line ends become LF.
func (f *Funnel) Source(foreign, lang string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(f.Secrets(foreign), "\uFFFD"), "\r\n", "\n")
	if !isPlain(text) {
		text, _ = spelled(text)
	}
	return fenced(text, lang)
}

func fenced(text, lang string) string {
	text = strings.TrimRight(text, "\n")
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		if run++; run > longest {
			longest = run
		}
	}
	for _, r := range lang {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_", r) {
			lang = ""
			break
		}
	}
	bar := strings.Repeat("`", longest+1)
	return bar + lang + "\n" + text + "\n" + bar
}

// fence follows CommonMark's fenced code blocks (section 4.5) at the top
// level of a document.
type fence struct {
	mark byte // '`' or '~' inside a block, else 0
	size int
}

// next reads one line and tells whether it opens or closes a block.
func (o *fence) next(line string) bool {
	body := strings.TrimRight(line, " \t\n")
	trimmed := strings.TrimLeft(body, " ")
	if len(body)-len(trimmed) > 3 || trimmed == "" || (trimmed[0] != '`' && trimmed[0] != '~') {
		return false
	}
	c := trimmed[0]
	rest := strings.TrimLeft(trimmed, string(c))
	size := len(trimmed) - len(rest)
	switch {
	case o.mark == 0 && size >= 3 && (c == '~' || !strings.Contains(rest, "`")):
		o.mark, o.size = c, size
		return true
	case o.mark == c && size >= o.size && rest == "":
		*o = fence{}
		return true
	}
	return false
}

// closeFence closes a block that the text leaves open, so that it cannot
// swallow what follows it in a comment.
func closeFence(text string) string {
	var open fence
	for line := range strings.SplitAfterSeq(text, "\n") {
		open.next(line)
	}
	if open.mark == 0 {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n" + strings.Repeat(string(open.mark), open.size)
}
