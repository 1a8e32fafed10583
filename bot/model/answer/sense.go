package answer

import (
	"encoding/base64"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What can be read may still not be meant: a path that leads out of the
// repository, text that was broken or encoded on its way, words that stand for
// code. Such an action is refused before anything looks at it.

var (
	entity   = lazyregexp.New(`&(?:lt|gt|amp|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,6});`)
	drive    = lazyregexp.New(`^[A-Za-z]:`)
	variable = lazyregexp.New(`^(?:\$\{?[A-Z_]+\}?|%[A-Za-z_]+%)(?:/|$)`)
	position = lazyregexp.New(`(?::|#L|:L|@L?)[0-9]+(?:[:-]L?[0-9]+)?$`)
	percent  = lazyregexp.New(`%2[eEfF]|%5[cC]`)
	// two paths in one, and what stands for a path
	severalPaths = lazyregexp.New(`\.\w{1,5}\s+(?:and|or|&|\+|,)?\s*\S*[\w/]\.\w{1,5}$|\.\w{1,5},\S+\.\w{1,5}$|\.\w{1,5}\s*(?:->|=>|→)`)
	standIn      = lazyregexp.New(`(?i)^(?:\{.*\}|\[[^\]/]*\]|null|none|nil|undefined|n/a|tbd|todo|unknown|string|file(?:name|_?path)?|path|all|everything|same(?: file| as above)?|(?:the )?(?:file )?above)$|^(?:/|\./)?path/to/|(?:^|/)\.\.\.(?:/|$)|^your[_-](?:file|path)|^see `)
	mixed        = lazyregexp.New(`[A-Za-z]\p{Cyrillic}|\p{Cyrillic}[A-Za-z]`)
	// the ids of two regions, and a line of words
	twoRegions = lazyregexp.New(`@[0-9a-f]+\b.*@[0-9a-f]+\b`)
	noRegion   = lazyregexp.New(`(?i)^(?:<.*>|null|none|nil|undefined|n/a|tbd|todo|unknown|string|region|region[_ ]?id|all|any|everything|(?:the )?(?:whole|entire|full|complete)(?: file)?|same(?: as above)?|(?:the )?above|(?:lines? ?|l)[0-9]+.*)$|@(?:[x?.…#]+|<.*>|hash|id)$|\*$`)
	checkName  = lazyregexp.New(`^[\pL\pN .:_/@+=,()\[\]-]+$`)
)

// strange says what is wrong with a path, or "".
func strange(p string) string {
	if says := unclear(p); says != "" {
		return says
	}
	switch {
	case strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), drive.MatchString(p), strings.Contains(p, "://"), variable.MatchString(p):
		return "is not relative to the repository"
	case strings.Contains(p, `\`):
		return `holds a backslash; folders are parted by "/"`
	case slices.Contains(strings.Split(p, "/"), ".."):
		return `holds ".."`
	case slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return strings.EqualFold(s, ".git") }):
		return "leads into Git's own folder"
	case strings.HasPrefix(p, "-"), strings.ContainsAny(p, "<>|"), strings.Contains(p, ", "), strings.Contains(p, ";"):
		return "is not the path of one file or folder"
	case strings.ContainsAny(p, "*?`"), severalPaths.MatchString(p), standIn.MatchString(p):
		return "is not the path of one file or folder"
	case percent.MatchString(p):
		return "is encoded as in an address"
	case position.MatchString(p):
		return "ends with the number of a line"
	case mixed.MatchString(p):
		return "mixes two alphabets in a word"
	}
	return ""
}

// unclear says why a name may not be the one that was meant, or "".
func unclear(name string) string {
	switch {
	case name != strings.TrimSpace(name):
		return "begins or ends with a space"
	case strings.ContainsFunc(name, func(r rune) bool {
		return unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || unicode.Is(unicode.Zs, r) && r != ' '
	}):
		return "holds a character that cannot be seen"
	case broken(name):
		return "holds a character that was broken on its way"
	case entity.MatchString(name):
		return "holds a character in HTML's form"
	}
	return ""
}

// broken tells text that lost characters on its way.
func broken(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError)
}

// sensible refuses an action whose fields cannot be what was meant. lang is
// the first word of the info string of the block that the code stood in.
func (a *Action) sensible(n int, lang string) *Malformed {
	refuse := func(format string, args ...any) *Malformed {
		return &Malformed{Class: SchemaInvalid, Action: a.Action, Reason: fmt.Sprintf("action %d (%s) ", n, a.Action) + fmt.Sprintf(format, args...)}
	}
	if says := strange(a.Path); says != "" {
		return refuse("names the path %q, which %s", oneLine(a.Path), says)
	}
	if says := unclear(a.Region); says != "" && !LineRange.MatchString(a.Region) {
		return refuse("names the region %q, which %s", oneLine(a.Region), says)
	}
	if a.Action == ReadRegion && LineRange.MatchString(a.Region) {
		a.Region = LineRange.FindStringSubmatch(a.Region)[1]
	} else if a.Region != "" && (!strings.ContainsFunc(a.Region, unicode.IsLetter) || twoRegions.MatchString(a.Region) || noRegion.MatchString(a.Region)) {
		return refuse("names the region %q, which is not the id of one region", oneLine(a.Region))
	}
	if a.Check != "" && (!checkName.MatchString(a.Check) || unclear(a.Check) != "") {
		return refuse("names the check %q; a check has a plain name, no command", oneLine(a.Check))
	}
	if a.Query != "" && strings.TrimSpace(a.Query) == "" {
		return refuse("searches for nothing but space")
	}
	if a.Query != "" && (broken(a.Query) || strings.ContainsFunc(a.Query, unprintable)) {
		return refuse("searches for characters that were broken on their way; escape them as JSON wants it")
	}
	if slices.Contains([]string{ReplaceRegion, InsertAfter, AddImport, SearchReplace, WholeFile}, a.Action) && strings.TrimSpace(a.Code) == "" {
		return refuse("gives no code; to take a region away, use delete_region")
	}
	if a.Code != "" {
		if says := a.nocode(lang); says != "" {
			return refuse("%s", says)
		}
	}
	return nil
}

// LineRange is what read_region takes for a region besides one: lines.
var LineRange = lazyregexp.New(`^(?:lines? ?)?([0-9]{1,7}(?:-[0-9]{1,7})?)$`)

// unprintable tells control characters that stand in no source.
func unprintable(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f", r) || r == 0x7f }

// nocode says why an action's code is not the code that was meant, or "".
func (a *Action) nocode(lang string) string {
	kind := strings.ToLower(path.Ext(a.Path))
	whole := strings.TrimSpace(a.Code)
	switch {
	case broken(whole) || strings.ContainsFunc(whole, unprintable):
		return "holds characters that were broken on their way; give the code in a fenced block, and unusual characters as escapes"
	case (lang == "diff" || lang == "patch" || isPatch(a.Code, kind)) && kind != ".diff" && kind != ".patch":
		return "gives a diff for code; give the whole new code of the region"
	case foreign(lang, a.Path):
		return fmt.Sprintf("gives a block of %s for code; refer to the block that holds the code", oneLine(lang))
	case lang == "base64" || lang == "b64" || lang == "hex" || encoded(whole):
		return "gives encoded text for code; give the code as it is"
	case escaped(whole, kind):
		return "gives code with characters in HTML's form, such as &lt;; give the code as it is"
	case template.MatchString(whole) || strings.Trim(whole, ".… \t\n") == "" && whole != "":
		return "gives words that stand for code; give the code itself"
	case a.Action == WholeFile || a.Action == SearchReplace:
		return "" // these have marks of their own, for which the patch finds what they mean
	case strings.Contains("\n"+a.Code, "\n<<<<<<< ") && strings.Contains(a.Code, "\n>>>>>>> "):
		return "gives two versions of the code between conflict marks; give the final code"
	}
	return ""
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

// template is what a form has where code should be written.
var template = lazyregexp.New(`(?i)^(?:#|//)?\s*[<\[{(]+\s*(?:[a-z'-]+ )*(?:code|implementation|content|contents|function|body|here)(?: [a-z'-]+)*\s*[>\])}]+$`)

// braces are kinds of files in which a line of three dots is no code.
var braces = []string{".go", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".java", ".kt", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".php", ".rb", ".swift", ".scala"}

// opensBody tells a line of Python behind which an ellipsis may be the body.
func opensBody(line string) bool {
	line, _, _ = strings.Cut(line, "  #")
	line = strings.TrimSpace(line)
	return line == "" || strings.HasSuffix(line, ":") || strings.HasSuffix(line, `"""`) || strings.HasSuffix(line, `'''`)
}

var diffHead = lazyregexp.New(`^(?:diff --git |\*\*\* (?:Begin Patch|Update File|Add File)|--- [^\n]*\n\+\+\+ |@@ -[0-9]+(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@)`)

func isDiff(text string) bool { return diffHead.MatchString(text) }

// minEncoded is from how many characters on a word may be text in base64.
const minEncoded = 16

// encoded tells text in base64: a single word whose letters are those of
// readable text.
func encoded(text string) bool {
	text = strings.TrimPrefix(text, "base64:")
	if i := strings.Index(text, ";base64,"); i >= 0 && strings.HasPrefix(text, "data:") {
		return true
	}
	text = strings.Join(strings.Fields(text), "")
	if len(text) < minEncoded {
		return false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(text)
	}
	return err == nil && utf8.Valid(data) && !strings.ContainsFunc(string(data), unprintable)
}

// markup are kinds of files that hold characters in HTML's form.
var markup = []string{".html", ".htm", ".xhtml", ".xml", ".svg", ".vue", ".svelte", ".astro", ".jsx", ".tsx", ".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc",
	".php", ".erb", ".ejs", ".hbs", ".j2", ".jinja", ".jinja2", ".tmpl", ".gohtml", ".twig", ".liquid", ".plist", ".csproj", ".xaml", ".properties", ".po", ".css", ".ipynb"}

// texts are strings and comments, roughly: what holds characters in HTML's
// form in a source on purpose stands in one.
var texts = lazyregexp.New("(?s)\"\"\".*?\"\"\"|'''.*?'''|`[^`]*`|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|/\\*.*?\\*/|//[^\n]*|#[^\n]*")

// escaped tells code of which every special character came in HTML's form.
func escaped(text, kind string) bool {
	if slices.Contains(markup, kind) || !entity.MatchString(text) {
		return false
	}
	rest := texts.ReplaceAllString(entity.ReplaceAllString(text, "&;"), "")
	return strings.Contains(rest, "&;") && !strings.Contains(rest, "</")
}

// placeholder tells words that say nothing: a form's place for them, or no letter.
func placeholder(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	return standsForWords.MatchString(text) || strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") && !strings.ContainsAny(text[1:len(text)-1], "<>") ||
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// standsForWords is what stands where words should.
var standsForWords = lazyregexp.New(`(?i)^\W*(?:tbd|todo|n/a|null|string|undefined|lorem ipsum.*|(?:your|the) (?:reason|goal|explanation|summary)(?: here)?|reason|goal|placeholder)\W*$`)
