package belong

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What else an issue tells of a test that was written by somebody who read it:
// there its name and its file say nothing, and what it expects says all.

// Names tells whether the issue writes an identifier as code.
func (i *Issue) Names(name string) bool { return i.code[name] }

// TellsOf tells whether the issue names an exception's class.
func (i *Issue) TellsOf(class string) bool { return i.hasError(class) }

// Speaks tells whether the issue's words, in lower case and without the marks of
// code, match.
func (i *Issue) Speaks(re *lazyregexp.Regexp) bool { return re.MatchString(i.flat) }

// States tells whether a value that a test expects stands in the issue, or in
// further text such as a README: a text by what it holds, a list or an object by
// what they hold. How a value that has no characters of its own is put into words
// (nothing, none, yes) is no statement of it.
func (i *Issue) States(value, further string) bool {
	value = strings.TrimSpace(value)
	if v := squeezeValue(value); i.says(v) || i.grouped(v) {
		return true
	}
	if inner := literal.FindAllString(strings.Trim(value, "[]{}()"), -1); len(inner) > 0 && strings.ContainsAny(value[:1], "[{(") {
		for _, v := range inner {
			if !i.States(v, further) {
				return false
			}
		}
		return true
	}
	bare := strings.TrimSpace(strings.Trim(value, "\"'`"))
	if bare == "" {
		return false
	}
	return holds(i.text, bare) || holds(further, bare) || holds(i.flat, strings.ToLower(bare)) || i.below(bare) || i.joined(bare)
}

// joined tells whether a text is put together of names and values that stand in the issue,
// as a list of them is; of words of prose it is none.
func (i *Issue) joined(text string) bool {
	all := slices.DeleteFunc(between.Split(text, -1), func(part string) bool { return part == "" })
	return len(all) > 1 && len(all) <= mostJoined && !slices.ContainsFunc(all, func(part string) bool {
		return len(part) < 3 || !proper.MatchString(part) || !holds(i.text, part)
	})
}

const mostJoined = 20 // parts

var (
	between = lazyregexp.New(`(?:\s|\\n|[,;/|])+`)
	// proper is what prose does not write in the middle of a sentence.
	proper = lazyregexp.New(`[\p{Lu}\d_:.@#-]`)
)

// below tells whether the lines of a text stand one below the other in the issue, each in
// a line of its own, such as of a comment, with remarks before and behind. For a tab of the
// text people write several blanks.
func (i *Issue) below(text string) bool {
	lines := strings.Split(strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'").Replace(text), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return false
	}
	said := strings.Split(i.text, "\n")
	for at := 0; at+len(lines) <= len(said); at++ {
		n := 0
		for n < len(lines) && line(said[at+n], strings.TrimSpace(lines[n])) {
			n++
		}
		if n == len(lines) {
			return true
		}
	}
	return false
}

// line tells whether a line of the issue holds one of a text; an empty one is but a mark.
func line(said, text string) bool {
	if text == "" {
		return strings.Trim(said, " \t/#*") == ""
	}
	if !strings.Contains(text, "\t") {
		return holds(said, text)
	}
	found := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(strings.ToValidUTF8(text, "")), "\t", `[ \t]+`)).FindString(said)
	return found != "" && holds(said, found)
}

// Writes tells whether a test gives the code a text that the issue writes out and that
// prose does not come upon by chance, such as the formula =10-3-2 or the template
// {{ title | upper }}.
func (i *Issue) Writes(source string) bool {
	text := strings.Join(strings.Fields(i.text), " ")
	return slices.ContainsFunc(quoted.FindAllString(source, -1), func(v string) bool {
		inner := strings.Join(strings.Fields(strings.Trim(v, "\"'")), " ")
		return len(inner) >= 4 && marked.MatchString(inner) && alone(text, inner)
	})
}

// Called are the names that the issue's examples call.
func (i *Issue) Called() (names []string) {
	for _, x := range i.examples {
		names = append(names, lastName(strings.SplitN(x.Call, "(", 2)[0]))
	}
	return names
}

// quoted is a text in source code, also within a list.
var quoted = lazyregexp.New(`"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){1,200}'`)

// alone tells whether a part of a text stands between blanks, quotes or the like.
func alone(text, part string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(part)
		if (from == 0 || strings.IndexByte(" `\"'(", text[from-1]) >= 0) && (to == len(text) || strings.IndexByte(" `\"').,;:!?", text[to]) >= 0) {
			return true
		}
		at = from + 1
	}
}

// marked is a text with signs of its own.
var marked = lazyregexp.New(`[=+*/<>|{}#$%^~\\@:;]`)

// grouped tells whether the issue writes an amount of cents with signs between
// thousands and before the cents, as 1,234.50 or 1.234,50.
func (i *Issue) grouped(v string) bool {
	for _, m := range amounts.FindAllString(i.text, -1) {
		if strings.NewReplacer(",", "", ".", "").Replace(m) == strings.TrimPrefix(v, "-") {
			return true
		}
	}
	return false
}

var amounts = lazyregexp.New(`\b\d{1,3}(?:,\d{3})+\.\d\d\b|\b\d{1,3}(?:\.\d{3})+,\d\d\b`)
