package answer

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Models leave code out and put words in its place, in every wording. A line
// counts as such words when it is a comment, or in brackets, and says nothing
// else: a comment that describes code stays one.

var (
	// comment is a line's comment, in any language's mark; a trailing one
	// counts behind a body that is left out, too.
	comment  = lazyregexp.New(`^(?:#+(?:\s+|[.…<\[(]|$)|//+|/\*+|\*|--|<!--|;+|%+|\{/\*|"""|REM\b)\s*(.*?)\s*(?:\*/\}?|-->|""")?$`)
	trailing = lazyregexp.New(`^[^#/"']*?(?:\.\.\.|…|\bpass;?|[{(\[]|^[\])};,]+)\s*(?:#+|//+|/\*+|--)\s*(.*?)\s*(?:\*/\s*[})\];,]*)?$`)
	bare     = lazyregexp.New(`^(?:[<(\[{]+|(?:\.\.\.+|…|-{2,}|={2,}|\*+|>+)\s+)\s*(\S+\s.*?)\s*(?:[>)\]}]+|\.\.\.+|…|-{2,}|={2,}|\*+|<+)?$`)
	dots     = lazyregexp.New(`^(?:\.\.\.|…)|(?:\.\.\.|…)$`)
	noBody   = lazyregexp.New(`\{\s*(?:/\*\s*(?:\.\.\.|…)[^*]*\*/|\.\.\.|…)\s*\}`)
)

const (
	things  = `(?:code|structs?|types?|interfaces?|functions?|methods?|logic|implementations?|body|bodies|lines|files?|class(?:es)?|components?|modules?|scripts?|content|imports?|tests?|cases?|fields?|columns|attributes|properties|props|props?|parts?|stuff|statements?|definitions?|declarations?|helpers?|routes?|handlers?|sections?|blocks?|variables?|styles?|rules|markup|everything|markers?|steps|checks|endpoints?|constants|members|exports)`
	source  = `(?:source |unchanged |relevant |necessary |original |existing |previous |old |current |other |same |remaining |helper |class |test |import |function |method )*`
	kept    = `(?:(?:,|and|that)?\s*(?:here|goes|go|comes|remains?|stays?|is|are|was|were|follows?|above|below|continues?|omitted|elided|skipped|left|kept|out|not shown|shown|unchanged|untouched|unmodified|intact|as|as-is|before|it|they|the same|same|identical|etc|for brevity|exactly|all|in place|like|in the original|of the (?:file|function|class|code)|from before|from above|would be|should|be|unaltered|no changes?|from here on(?:wards?)?|onwards?|to the end|up to here|until here|at the (?:end|top|bottom))\b\s*)`
	subject = `(?:the |all |any |your |my |this |these |those |of )*`
)

// standsFor are what such words say, from end to end.
var standsFor = []*lazyregexp.Regexp{
	whole(subject + `(?:rest|remainder) of ` + subject + source + things + `?(?: ` + things + `)?(?: (?:in|of|inside) ` + subject + source + things + `)?\s*` + kept + `*`),
	whole(subject + `(?:rest|remainder|remaining)(?: ` + source + things + `)?\s*` + kept + `+`),
	whole(subject + `(?:existing|previous|original|old|current|same|unchanged|prior)(?: (?:existing|original|previous))* (?:code|implementation|logic|function body|method body|body|lines|content)(?: (?:of|in|from|for) ` + subject + source + things + `)?\s*` + kept + `*`),
	whole(subject + source + things + `(?: and ` + source + things + `)?\s+(?:(?:remains?|stays?|is|are|goes|go|comes?|left|kept|were|was)\s+)*` +
		`(?:the same|same|unchanged|untouched|unmodified|intact|identical|as before|as is|as-is|omitted|elided|not shown|here|above|below|continues?)\b\s*` + kept + `*`),
	whole(`(?:please )?(?:keep|leave|retain|preserve|include|copy|insert|paste|use|put|add|place|write|implement|repeat|same)(?: in)? ` + subject + `(?:rest|remaining|remainder|existing|original|previous|old|current|same|unchanged|new|actual|other|updated|real|everything|your|own)? ?` + subject + source +
		`(?:code|implementation|logic|function body|method body|body|everything else|rest|lines|else)(?: (?:of|in|from) ` + subject + source + things + `)?\s*` + kept + `*`),
	whole(`(?:keep|leave|retain|preserve|repeat) ` + subject + `(?:existing|original|previous|remaining|old|other|same) .{1,30} here`),
	whole(`(?:everything|anything|all|nothing) else\s*(?:here\b\s*|in (?:the|this) (?:file|function|class|method)\b\s*)?(?:(?:changes|changed)\s*|` + kept + `+)`),
	whole(`(?:unchanged|no changes?(?: (?:here|needed|necessary|required|below|above))?|(?:the )?same as (?:before|above|the original|original|previously|in the original)|as (?:before|above|is)|unmodified|omitted|elided|snip(?:ped)?|truncated|abbreviated|etc|and so on)\s*` + kept + `*`),
	lazyregexp.New(`(?i)\b(?:omitted|elided|abbreviated|truncated|skipped|shortened|removed|cut|collapsed)(?: here)? for (?:brevity|clarity|space|readability)\b|^for brevity$`),
	whole(`(?:todo:?\s*)?(?:(?:insert|put|add|place|write|implement|your|the|my|new|updated|actual|rest of)\b.{0,30}\b)?(?:code|logic|implementation|content|body)\s+(?:(?:goes|go|comes|belongs)\s+)?here|(?:insert |put |add |write )?your .{1,30} here`),
	whole(`.{0,20}(?:其余|剩余|其他|现有|原有|以下|后续).{0,12}(?:不变|省略|代码|相同)|.{0,6}(?:代码|保持)不变|.{0,8}省略`),
	whole(`.{0,20}(?:остальн).{0,30}|(?:существующий код).{0,20}|.{0,20}без изменений`),
	whole(`.{0,8}(?:rest|übrige[rs]?|restliche[rs]?)\b.{0,30}(?:unverändert|gleich|wie (?:zuvor|bisher|vorher|oben)|bleibt)|(?:bestehender|vorhandener|restlicher) code.{0,20}|(?:bleibt )?unverändert|wie (?:zuvor|bisher)`),
	whole(`(?:el )?rest[oe]? (?:del?|du|do|da) .{0,40}|(?:el |le |o )?rest[oe].{0,20}(?:sin cambios|igual|inchang\S*|identique|inalterad\S*)|sin cambios|sem alterações|inchangé|código (?:existente|restante).{0,20}|(?:le )?code exist[a]nt.{0,20}|(?:il )?resto.{0,20}invariato`),
	whole(`.{0,8}(?:残り|以下|既存の|変更なし|中略|以下略).{0,20}|.{0,8}(?:나머지|기존 코드).{0,20}`),
}

// bracketed says, as all that stands in brackets, that what is there is kept.
var bracketed = lazyregexp.New(`(?i)^[<\[({]+\s*(?:(?:the |all |your )*|(?:keep|leave|retain|preserve)(?: the| all| any| your)* other |(?:keep|leave|retain|preserve) (?:the |all |your )*)(?:existing|previous|original|unchanged|unmodified|remaining|omitted|rest of|(?:other )?[a-z]+ as (?:they are|it is|is))(?: [a-z' ]+)?\s*[>\])}]+$`)

// operator is a word that joins two values in code.
var operator = lazyregexp.New(`\b(?:or|and|if|in|not|for|is|else|as)\b`)

func inner(words string) string { return strings.Trim(words, " .…:;,()[]{}<>*-=!_`~") }

// more says, behind dots, that there is more of the same.
var more = lazyregexp.New(`(?i)^(?:and )?(?:the )?(?:more|other|others|additional|further|similar|etc|and so on|rest|remaining|remainder|existing|previous|original|unchanged|same|omitted|code|implementation|logic|keep|your|continue[sd]?|everything|all)\b|[^\x00-\x{24f}]`)

func whole(pattern string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)^(?:note:?\s*|here:?\s*|\(|\[)?(?:` + pattern + `)$`)
}

// prose are kinds of files whose lines are words.
var prose = []string{".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".tex", ".po", ".csv", ".json", ".log"}

// leftOut is the first line that stands for code that was not written, or "".
// Lines that were shown stand for nothing.
func leftOut(text, kind string, shown map[string]bool) string {
	before, commented := "", false // the last line of code; whether the last line was a comment
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case shown[line], spread.MatchString(line) && slices.Contains(braces, kind):
		case code.IsElision(line):
			return line
		case line == "…", line == "..." && (kind == ".py" || kind == ".pyi") && !opensBody(before):
			return line
		case line == "..." && slices.Contains(braces, kind):
			return line
		case !slices.Contains(prose, kind) && elides(line, commented):
			return line
		case slices.Contains(braces, kind) && noBody.MatchString(strs.ReplaceAllString(line, `""`)):
			return line
		}
		commented = comment.MatchString(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "@") {
			before = line
		}
	}
	return ""
}

// spread is the syntax that takes a list or an object apart.
var spread = lazyregexp.New(`^\.\.\.(?:\w+[,;)\]}\s]*$|[\w([{]\S*[\[({.?]|\()`)

// strs are strings of one line, roughly.
var strs = lazyregexp.New("`[^`]*`|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'")

// maxElision is how long a line is that still may only stand for code, in bytes.
const maxElision = 160

// elides tells whether a line's words only stand for code. Behind another line
// of a comment, dots at its start go on with the sentence.
func elides(line string, commented bool) bool {
	if line == "" || len(line) > maxElision {
		return false
	}
	words := ""
	for _, p := range []*lazyregexp.Regexp{comment, trailing, bare} {
		if m := p.FindStringSubmatch(line); m != nil {
			words = strings.ReplaceAll(m[1], "’", "'")
			break
		}
	}
	if words != line && bracketed.MatchString(words) || bracketed.MatchString(line) && strings.Contains(inner(line), " ") && !operator.MatchString(line) {
		return true
	}
	dotted := dots.MatchString(words) || dots.MatchString(strings.TrimLeft(line, "#/*-;% ["))
	said := inner(words)
	switch {
	case said == "":
		return false
	case dotted && more.MatchString(said) && (!commented || len(strings.Fields(said)) < 4):
		return true
	case commented && !dotted && strings.HasSuffix(words, "."): // the end of a sentence
		return false
	}
	if keeps(said) && plainWords(line, words) {
		return true
	}
	words = said
	return slices.ContainsFunc(standsFor, func(p *lazyregexp.Regexp) bool { return p.MatchString(words) })
}

var (
	hunk   = lazyregexp.New(`(?m)^@@ .*@@|^@@ -\d+`)
	marked = lazyregexp.New(`(?m)^[+-](?: {2,}|\t+)\S`)
)

// sources are kinds of files in which no line begins with a sign and a space.
var sources = append(slices.Clone(braces), ".py", ".pyi", ".vue", ".svelte", ".lua", ".sh", ".ex", ".exs", ".dart", ".sql")

// isPatch tells code whose lines begin with the signs of a diff.
func isPatch(text, kind string) bool {
	if isDiff(strings.TrimSpace(text)) {
		return true
	}
	if !slices.Contains(sources, kind) {
		return false
	}
	text = quoted.ReplaceAllString(text, `""`)
	if hunk.MatchString(text) || marked.MatchString(text) {
		return true
	}
	signs := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "", line[0] == ' ':
		case (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "++"):
			signs++
		default:
			return false
		}
	}
	return signs > 0
}

// quoted are texts inside code, which may hold a diff.
var quoted = lazyregexp.New("(?s)\"\"\".*?\"\"\"|'''.*?'''|`[^`]*`|/\\*.*?\\*/")

// foreign tells a block that cannot hold a file's code, by its name: commands,
// data or output for a source.
func foreign(lang, file string) bool {
	kind := strings.ToLower(path.Ext(file))
	if !slices.Contains(sources, kind) || kind == ".sh" {
		return false
	}
	return slices.Contains([]string{"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "powershell", "output", "log", "json", "yaml", "yml", "toml", "xml", "csv", "mermaid"}, lang)
}
