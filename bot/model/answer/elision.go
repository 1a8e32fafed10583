package answer

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Models leave code out and put words in its place. A comment, or words in brackets, stand
// for code when all of them are words for what is kept, for pieces of code, or bind such words:
// a comment that describes code says something else besides. What bot/code knows as an elision
// is one, too, and a line that the prompt shows never is.

var (
	strongly = set("same identical unchanged unmodified untouched unaltered existing original previous previously rest remaining remainder omitted elided snip intact prior changes etc brevity")
	weakly   = set("other others all keep kept leave left stay stays remain remains here above below before still continue continues as is more so everything else in")
	pieces   = set(`code method methods function functions logic implementation body line lines file class component module imports test tests cases field fields part statement statements definition definitions helper helpers return
		route routes handlers section block branch branches loop switch struct content props markup docstring checks commands`)
	binding = set("the a an are was were of this that these it they my your to from for on at with and or be will no not now exactly just there in as is goes go your next")

	comment = lazyregexp.New("^(?:[^\"'`]*(?:[{(\\[,:]|\\.\\.\\.|…|\\bpass)\\s*(?:#\\s|//|/\\*)|(?:#+(?:\\s+|[.…<\\[(]|$)|//+|/\\*+|\\*|--|<!--|;+|%+|\\{/\\*|\"\"\"))(.*)$")
	bracket = lazyregexp.New(`^(?:[<(\[{]+|(?:\.\.\.|…)\s+)([^;=:"]*\s[^;=:"]*)$`)
	dotted  = lazyregexp.New(`^\W*(?:\.\.\.|…)|(?:\.\.\.|…)\W*$`)
	lines   = lazyregexp.New(`\d+ ?(?:-|–|to) ?\d+`)
	noBody  = lazyregexp.New(`\{\s*(?:/\*\s*(?:\.\.\.|…)[^*]*\*/|\.\.\.|…)\s*\}`)
	// the same in other languages, and what a form has in the place of code
	wide = lazyregexp.New(`(?i)(?:其余|剩余|其他|現有|现有).{0,9}(?:不变|省略|代码|原样)|保持不变|省略|変更なし|そのまま|나머지|остальн\S* .*(?:код|метод|без)|без изменений|unverändert|bisher\b|(?:rest|übrig\S*|restlich\S*) .*(?:bleib|gleich)|inchang|identique|sin cambios|no cambia|siguen? igual|inalterad|invariat`)
	// what words alone do not tell from a comment about data
	usual = lazyregexp.New(`(?i)^\W*(?:rest of (?:the )?struct fields|(?:all )?other columns unchanged|and so on)\W*$`)
	asked = lazyregexp.New(`(?i)\btodo:? *(?:implement|fill in|write|finish|insert)\b.*\b(?:here|logic|body|rest)\b|\byour .{1,30} here\b|\b(?:code|logic|implementation|body) (?:goes |comes )?here\b`)
)

// leftOut is the first line that stands for code that was not written, or "".
// Lines that were shown stand for nothing.
func leftOut(text, kind string, shown map[string]bool) string {
	if slices.Contains([]string{".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".tex", ".po", ".csv", ".json", ".log"}, kind) {
		return ""
	}
	python, before := strings.HasPrefix(kind, ".py"), ":"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch bare := texts.ReplaceAllString(strings.ReplaceAll(line, "/*", "//*"), `""`); {
		case shown[line]:
		case elides(line), code.IsElision(line), !python && noBody.MatchString(line) && (noBody.MatchString(bare) || strings.Contains(line, "/*")):
			return line
		case (line == "..." || line == "…") && (!python || !opensBody.MatchString(before)): // three dots are a body in Python
			return line
		}
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "@") {
			before = line
		}
	}
	return ""
}

// opensBody is the end of a line of Python behind which an ellipsis may be the body.
var opensBody = lazyregexp.New(`(?::|"""|''')\s*(?:#.*)?$`)

// maxElision is how long a line is that still may only stand for code, in bytes.
const maxElision = 160

// elides tells whether a line's words only stand for code.
func elides(line string) bool {
	m := comment.FindStringSubmatch(line)
	bare := m == nil
	if bare {
		m = bracket.FindStringSubmatch(line)
	}
	if m == nil || len(line) > maxElision {
		return false
	}
	words, brackets := m[1], bare || strings.ContainsAny(m[1], "[<(") || strings.HasPrefix(line, "{/")
	if wide.MatchString(words) || asked.MatchString(words) || usual.MatchString(words) {
		return true
	}
	dots, span := dotted.MatchString(words), lines.MatchString(words)
	strong, weak, named := 0, 0, 0
	for _, w := range wordish.FindAllString(strings.ToLower(words), -1) {
		switch {
		case strongly[w]:
			strong++
		case weakly[w]:
			weak++
		case pieces[w]:
			named++
		case !binding[w] && strings.ContainsFunc(w, unicode.IsLetter):
			return false
		}
	}
	if code.Describes(words) && !brackets && !dots && !span {
		return false
	}
	return strong > 0 && strong+weak+named > 1 || strong+weak > 2 || weak > 1 && named > 0 || dots && strong+weak+named > 0 || strong > 0 && !bare
}

// complete refuses actions with lines that stand for code. A line that the prompt
// shows is the repository's own, and is only repeated.
func complete(v *Actions, prompt string) *Malformed {
	shown := map[string]bool{}
	for line := range strings.Lines(prompt) {
		shown[strings.TrimSpace(line)] = true
	}
	for i, a := range v.Actions {
		if a.Action == WholeFile || a.Action == SearchReplace { // these have marks of their own, for which the patch finds what they mean
			continue
		}
		if line := leftOut(a.Code, strings.ToLower(path.Ext(a.Path)), shown); line != "" {
			return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("action %d (%s) leaves code out (%q); give the whole new code, or use search_replace for a few lines of it", i+1, a.Action, oneLine(line))}
		}
	}
	return nil
}

var (
	diffHead = lazyregexp.New(`^\s*(?:diff --git |\*\*\* (?:Begin Patch|Update File|Add File)|--- [^\n]*\n\+\+\+ )`)
	marked   = lazyregexp.New(`(?m)^@@ .*@@|^@@ -\d+|^[+-](?: {2,}|\t+)\S`)
	signs    = lazyregexp.New(`^(?:[ \t]*\n| [^\n]*\n)*(?:[+-](?:[^+-][^\n]*)?\n)(?:[+-](?:[^+-][^\n]*)?\n| [^\n]*\n|[ \t]*\n)*$`)
	// quoted are texts inside code, which may hold a diff.
	quoted = lazyregexp.New("(?s)\"\"\".*?\"\"\"|'''.*?'''|`[^`]*`|/\\*.*?\\*/")
)

// sources are kinds of files in which no line begins with a sign and a space.
var sources = strings.Fields(".go .js .jsx .mjs .cjs .ts .tsx .java .kt .rs .c .h .cc .cpp .hpp .cs .php .rb .swift .scala .py .pyi .vue .svelte .lua .ex .exs .dart .sql")

// isPatch tells code whose lines begin with the signs of a diff.
func isPatch(text, kind string) bool {
	bare := quoted.ReplaceAllString(text, `""`)
	return diffHead.MatchString(text) || slices.Contains(sources, kind) && (marked.MatchString(bare) || signs.MatchString(strings.TrimRight(bare, "\n")+"\n"))
}

// foreign tells a block that cannot hold a file's code, by its name: commands,
// data or output for a source.
func foreign(lang, file string) bool {
	langs := strings.Fields("bash sh shell zsh console shell-session terminal powershell output log json yaml yml toml xml csv mermaid")
	return slices.Contains(sources, strings.ToLower(path.Ext(file))) && slices.Contains(langs, lang)
}
