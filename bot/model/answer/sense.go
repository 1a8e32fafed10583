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
	entity  = lazyregexp.New(`&(?:lt|gt|amp|quot|apos|#[0-9]{1,6}|#x[0-9a-fA-F]{1,6});`)
	outward = lazyregexp.New(`^[/~\\]|^[A-Za-z]:|://|\\|(?:^|/)\.\.(?:/|$)|(?i:(?:^|/)\.git(?:/|$))|^(?:\$\{?[A-Z_]+\}?|%[A-Za-z_]+%)(?:/|$)|(?i:%2e|%2f|%5c)`)
	// several paths in one, a pattern, and what stands for a path
	noPath = lazyregexp.New("^-|[<>|;*?`]|, |\\.\\w{1,5}(?:\\s+(?:and|or|&|\\+)?\\s*|,)\\S*\\.\\w{1,5}$" +
		`|(?i:^(?:\{.*\}|\[[^\]/]*\]|null|none|nil|undefined|n/a|tbd|todo|unknown|string|file(?:name|_?path)?|path|all|everything|same(?: file| as above)?|(?:the )?(?:file )?above)$|^(?:/|\./)?path/to/|(?:^|/)\.\.\.(?:/|$)|^your[_-](?:file|path)|^see )`)
	position = lazyregexp.New(`(?::|#L|:L|@L?)[0-9]+(?:[:-]L?[0-9]+)?$`)
	mixed    = lazyregexp.New(`[A-Za-z]\p{Cyrillic}|\p{Cyrillic}[A-Za-z]`)
	// the ids of two regions, and what stands for an id
	noRegion  = lazyregexp.New(`@[0-9a-f]+\b.*@[0-9a-f]+\b|(?i:^(?:<.*>|null|none|nil|undefined|n/a|tbd|todo|unknown|string|region|region[_ ]?id|all|any|everything|(?:the )?(?:whole|entire|full|complete)(?: file)?|same(?: as above)?|(?:the )?above|(?:lines? ?|l)[0-9]+.*)$|@(?:[x?.…#]+|<.*>|hash|id)$)|\*$|^\PL*$`)
	checkName = lazyregexp.New(`^[\pL\pN .:_/@+=,()\[\]-]+$`)
)

// strange says what is wrong with a path, or "".
func strange(p string) string {
	says := unclear(p)
	switch {
	case says != "":
		return says
	case outward.MatchString(p):
		return `leads out of the repository's own files; a path is relative to the repository, and its folders are parted by "/"`
	case noPath.MatchString(p):
		return "is not the path of one file or folder"
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
		return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Zs, r) && r != ' '
	}):
		return "holds a character that cannot be seen"
	case broken(name), entity.MatchString(name):
		return "holds a character that was broken on its way"
	}
	return ""
}

// broken tells text that lost characters on its way, or holds some that stand in no source.
func broken(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\f", r) || r == 0x7f
	})
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
	} else if a.Region != "" && noRegion.MatchString(a.Region) {
		return refuse("names the region %q, which is not the id of one region", oneLine(a.Region))
	}
	if a.Check != "" && (!checkName.MatchString(a.Check) || unclear(a.Check) != "") {
		return refuse("names the check %q; a check has a plain name, no command", oneLine(a.Check))
	}
	if a.Query != "" && (strings.TrimSpace(a.Query) == "" || broken(a.Query)) {
		return refuse("searches for nothing but space, or for characters that were broken on their way; escape them as JSON wants it")
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

// nocode says why an action's code is not the code that was meant, or "".
func (a *Action) nocode(lang string) string {
	kind := strings.ToLower(path.Ext(a.Path))
	whole := strings.TrimSpace(a.Code)
	switch {
	case broken(whole):
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

// template is what a form has where code should be written.
var template = lazyregexp.New(`(?i)^(?:#|//)?\s*[<\[{(]+\s*(?:[a-z'-]+ )*(?:code|implementation|content|contents|function|body|here)(?: [a-z'-]+)*\s*[>\])}]+$`)

// encoded tells text in base64: a single word whose letters are those of readable text.
func encoded(text string) bool {
	const least = 16 // shorter words of code have its letters by chance
	text = strings.Join(strings.Fields(text), "")
	data, err := base64.StdEncoding.DecodeString(text + strings.Repeat("=", -len(text)&3))
	return len(text) >= least && err == nil && utf8.Valid(data) && !strings.ContainsFunc(string(data), func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) })
}

// texts are strings and comments, roughly: what holds characters in HTML's
// form in a source on purpose stands in one.
var texts = lazyregexp.New("(?s)\"\"\".*?\"\"\"|'''.*?'''|`[^`]*`|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|/\\*.*?\\*/|//[^\n]*|#[^\n]*")

// escaped tells a source of which special characters came in HTML's form.
func escaped(text, kind string) bool {
	rest := texts.ReplaceAllString(entity.ReplaceAllString(text, "&;"), "")
	return slices.Contains(sources, kind) && strings.Contains(rest, "&;") && !strings.Contains(rest, "</")
}
