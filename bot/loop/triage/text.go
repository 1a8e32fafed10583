package triage

import (
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// issue is a text as triage sees it.
type issue struct {
	sentences []sentence
	requests  []request
	items     []sentence // of lists that are not steps
	hidden    string     // HTML comments: a reader of the page does not see them
	block     bool       // it has code, a log or a traceback
	pictures  int
	foreign   string // ISO code of the language that is not English, or ""
	whole     string // all prose, lower case
	notices   bool   // it quotes or names the notices of a licence
}

// sentence is one sentence of prose.
type sentence struct {
	words  []string // lower case; a word inside `code` has a leading backtick
	text   string   // words, joined
	raw    string
	title  bool
	steps  bool // it says how to see the fault
	asks   bool // it ends with a question mark
	before string
}

var (
	comment     = lazyregexp.New(`(?s)<!--.*?(-->|$)`)
	picture     = lazyregexp.New(`(?i)!\[[^\]]*\]\([^)]*\)|<img[^>]*>|<video[^>]*>|https?://\S+\.(png|jpe?g|gif|webp|mp4|mov)\b|https?://(user-images\.githubusercontent\.com|github\.com/user-attachments)/\S+`)
	link        = lazyregexp.New(`\[([^\]]*)\]\(([^)]*)\)`)
	htmlTag     = lazyregexp.New(`</?(details|summary|br|p|div|sub|sup|kbd|b|i|em|strong|code|pre|ul|ol|li|h\d|a)\b[^>]*>`)
	heading     = lazyregexp.New(`^(#{1,6}\s+|\*\*|__)(.+?)(\*\*|__)?:?\s*$`)
	label       = lazyregexp.New(`(?i)^(steps( to reproduce)?|to reproduce|how to reproduce|reproduc(tion|e)( steps)?|repro|expected( behaviou?r| result)?|actual( behaviou?r| result)?|current behaviou?r|description|environment|version|versions|logs?|screenshots?|additional context|notes?|summary|motivation|design|workaround|erwartet|schritte|pasos|étapes|шаги)\s*:?\s*$`)
	stepsHead   = lazyregexp.New(`(?i)(reproduc|^\W*(steps|repro)\b|schritte|^\W*pasos|étapes|шаги|重现|复现|再現)`)
	item        = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+(\[[ xX]\]\s+)?`)
	template    = lazyregexp.New(`(?i)^\W*(a clear and concise description|if applicable, add|add any other context|steps to reproduce the behavio|go to '\.\.\.|click on '\.+|scroll down to '|see error|_?no response_?|please (complete|fill)|describe the bug|i have (searched|read|checked)|desktop \(please|smartphone \(please)`)
	environment = lazyregexp.New(`(?i)^\W*(os|platform|browser|device|hardware|cpu|arch\w*|environment|env|desktop|smartphone|phone|((app|package|library|lib|tool|server|client|python|node|java|go|ruby|php|compiler|kernel|docker) )?version|python|node(\.?js)?|java|php)\b[*_ ]*:`)
	// logLine is a line that a program printed or that a shell was given: by
	// what it says, not by its indentation, which anybody may add.
	logLine = lazyregexp.New(`^\s*(\$ |>>> |\+ |% |# \w+ -|Traceback \(|File "|at [\w.$<>]+\(|\d{4}-\d\d-\d\d[T ]\d\d:|\[?(INFO|DEBUG|WARN|WARNING|ERROR|FATAL|TRACE)\b[\]: ]|goroutine \d+|E\s{3,}|[\w.]*(Error|Exception): |panic: |diff --git|@@ )`)
	spaces  = lazyregexp.New(`\s+`)
)

func read(title, body string) issue {
	var is issue
	body = strings.ReplaceAll(body, "\r", "\n")
	body = comment.ReplaceAllStringFunc(body, func(c string) string { is.hidden += strings.ToLower(c) + "\n"; return " " })
	is.pictures = len(picture.FindAllString(body, -1)) + len(picture.FindAllString(title, -1))
	body = picture.ReplaceAllString(body, " ")
	var all []sentence
	add := func(text string, asTitle, steps bool) []sentence {
		got := sentences(text, asTitle, steps)
		all = append(all, got...)
		return got
	}
	add(tidy(component.ReplaceAllString(title, "$2")), true, false)
	prose, code := unfenced(body)
	is.block = len(code) > 0
	words := 0
	is.paragraphs(prose, func(text string, steps, listed bool) {
		got := add(text, false, steps)
		for _, s := range got {
			words += len(s.words)
		}
		if listed && !steps && len(got) > 0 {
			is.items = append(is.items, got[0])
		}
	})
	if words < 4 { // all that is said may stand in the block
		for _, line := range code {
			if !logLine.MatchString(line) {
				add(tidy(line), false, false)
			}
		}
	}
	for i := range all {
		for j := max(0, i-3); j < i; j++ {
			all[i].before += cut(all[j].text, 300) + " . "
		}
		if i > 3 {
			all[i].before = cut(all[0].text, 300) + " . " + all[i].before
		}
		is.whole += all[i].text + " . "
		is.notices = is.notices || notices.MatchString(all[i].raw)
	}
	is.sentences = all
	is.foreign = language(is.whole)
	if is.foreign == "" {
		for _, s := range all {
			is.requests = append(is.requests, requests(s)...)
		}
	}
	return is
}

// component is what stands before a title's colon: "migrate: crash on an empty
// file" asks for no migration. A scope of a conventional commit goes with it.
var component = lazyregexp.New(`^(\s*[A-Za-z][\w./-]{1,24}(?:\([^)]*\))?:\s+)(\S.*\s.*)$`)

func (is issue) empty() bool {
	return strings.TrimSpace(is.whole) == "" && !is.block && is.pictures == 0
}

// unfenced takes fenced blocks out of a text. A fence that is not closed hides
// nothing: what stands behind it is read as prose.
func unfenced(body string) (prose, code []string) {
	lines := strings.Split(body, "\n")
	listing, blank := false, true // inside a list an indented line goes on with its item
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		indented := strings.HasPrefix(lines[i], "    ") || strings.HasPrefix(lines[i], "\t")
		if line != "" && indented && blank && !listing { // a block of code
			code, prose = append(code, lines[i]), append(prose, "")
			continue
		}
		listing = line != "" && (item.MatchString(line) || listing && indented) || line == "" && listing
		blank = line == ""
		open := fence(lines[i])
		if open == "" {
			prose = append(prose, lines[i])
			continue
		}
		end := -1
		for j := i + 1; j < len(lines) && end < 0; j++ {
			if t := strings.TrimSpace(lines[j]); strings.HasPrefix(t, open) && strings.Trim(t, open[:1]) == "" {
				end = j
			}
		}
		if end < 0 {
			continue
		}
		for _, l := range lines[i+1 : end] {
			if strings.TrimSpace(l) != "" {
				code = append(code, l)
			}
		}
		prose = append(prose, "")
		i = end
	}
	return prose, code
}

func fence(line string) string {
	t := strings.TrimSpace(line)
	for _, c := range []string{"`", "~"} {
		if n := len(t) - len(strings.TrimLeft(t, c)); n >= 3 && !strings.Contains(t[n:], c) {
			return strings.Repeat(c, n)
		}
	}
	return ""
}

// paragraphs gives each paragraph and each item of a list to use, without
// headings, the text of templates, quotes and logs.
func (is *issue) paragraphs(lines []string, use func(text string, steps, listed bool)) {
	steps, listed := false, false
	var held []string
	flush := func() {
		if len(held) > 0 {
			use(strings.Join(held, " "), steps, listed)
		}
		held, listed = nil, false
	}
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		switch h := heading.FindStringSubmatch(line); {
		case line == "":
			// A blank line ends a paragraph, unless the sentence goes on behind it.
			if n := len(held); n > 0 && !goesOn(held[n-1]) {
				flush()
			}
			continue
		case template.MatchString(line), environment.MatchString(line) && len(strings.Fields(line)) < 10:
			flush()
			continue
		case strings.HasPrefix(line, ">"):
			flush()
			continue
		case logLine.MatchString(line):
			flush()
			is.block = true
			continue
		case h != nil && len(strings.Fields(line)) <= 8 || label.MatchString(line):
			flush()
			steps = stepsHead.MatchString(line)
			if h != nil && !label.MatchString(tidy(h[2])) && !stepsHead.MatchString(line) {
				use(tidy(h[2]), false, false) // a heading of the author's own
			}
			continue
		}
		if m := item.FindString(line); m != "" {
			flush()
			listed = true
			line = line[len(m):]
		} else if stepsHead.MatchString(line) && strings.HasSuffix(line, ":") && len(strings.Fields(line)) < 8 {
			flush()
			steps = true
			continue
		}
		held = append(held, tidy(line))
	}
	flush()
}

// goesOn tells a line that ends in mid sentence: on a word that needs another.
func goesOn(line string) bool {
	w := strings.Fields(strings.ToLower(line))
	return len(w) > 0 && dangling[w[len(w)-1]]
}

func tidy(s string) string {
	s = link.ReplaceAllString(s, "$1 $2")
	s = htmlTag.ReplaceAllString(s, " ")
	if parts := strings.Split(s, "`"); len(parts)%2 == 1 { // inside code these are no marks
		for i := 0; i < len(parts); i += 2 {
			parts[i] = strings.NewReplacer("**", "", "__", "").Replace(parts[i])
		}
		s = strings.Join(parts, "`")
	} else {
		s = strings.NewReplacer("**", "", "__", "").Replace(s)
	}
	s = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ", "\u200b", "", "\u00ad", "").Replace(s)
	return strings.TrimSpace(spaces.ReplaceAllString(s, " "))
}

// sentences splits prose at full stops, question marks and the like; inside
// `code` nothing ends a sentence.
func sentences(text string, title, steps bool) []sentence {
	var out []sentence
	var b strings.Builder
	inCode := false
	runes := []rune(text)
	words := 0
	inline := strings.Count(text, "`")%2 == 0
	end := func(asks bool) {
		if s := newSentence(b.String()); len(s.words) > 0 {
			s.title, s.steps, s.asks = title, steps, asks
			out = append(out, s)
		}
		b.Reset()
	}
	for i, c := range runes {
		if c == '`' && inline {
			inCode = !inCode
		}
		last := i+1 == len(runes) || unicode.IsSpace(runes[i+1]) || strings.ContainsRune(`)"'`, runes[i+1])
		switch {
		case inCode:
		case strings.ContainsRune("。！；", c):
			end(false)
			continue
		case c == '？', c == '?' && last:
			end(true)
			continue
		case strings.ContainsRune(".!;", c) && last && !abbreviation(b.String()):
			end(false)
			continue
		}
		b.WriteRune(c)
		if unicode.IsSpace(c) {
			words++
		}
		if words == longestSentence {
			end(false)
			words = 0
		}
	}
	end(false)
	return out
}

// longestSentence is in words; a longer one is read in parts.
const longestSentence = 100

func abbreviation(s string) bool {
	f := strings.Fields(strings.ToLower(s))
	if len(f) == 0 {
		return false
	}
	switch strings.TrimLeft(f[len(f)-1], "([") {
	case "incl", "excl", "ca", "max", "min", "ex", "e.g", "i.e", "etc", "vs", "approx", "no", "resp", "z.b", "bzw":
		return true
	}
	return false
}

// httpMethod are words that ask for nothing where a path stands behind them.
var httpMethod = map[string]bool{"GET": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "HEAD": true}

var word = lazyregexp.New("`[^`]*`|[^\\s`]+")

func newSentence(raw string) sentence {
	s := sentence{raw: strings.TrimSpace(raw)}
	found := word.FindAllString(raw, -1)
	for i, w := range found {
		if httpMethod[w] && i+1 < len(found) && strings.HasPrefix(strings.Trim(found[i+1], "`"), "/") {
			w = "`" + w
		}
		if w[0] == '`' {
			for _, c := range strings.Fields(strings.ToLower(strings.Trim(w, "`"))) {
				s.words = append(s.words, "`"+c)
			}
			continue
		}
		w = strings.ToLower(w)
		lead, rest := "", w
		if t := strings.TrimLeft(w, `("'[«`); t != w {
			lead, rest = "(", t
		}
		core := strings.TrimRight(rest, `,:)"'].!?…»—`)
		if strings.HasPrefix(rest[len(core):], ")") && strings.HasSuffix(core, "(") { // a call
			core += ")"
		}
		tail := rest[len(core):]
		if lead != "" && strings.ContainsAny(w[:1], "([") {
			s.words = append(s.words, ",")
		}
		if core == "" || core == "-" || core == "–" || core == "—" {
			s.words = append(s.words, ",")
			continue
		}
		s.words = append(s.words, core)
		if strings.ContainsAny(tail, ",:)]—…") {
			s.words = append(s.words, ",")
		}
	}
	s.text = strings.Join(s.words, " ")
	return s
}

// language guesses which language other than English a text is in, by its
// script or by small words.
func language(text string) string {
	count := map[string]int{}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			count["ja"] += 3
		case unicode.Is(unicode.Han, r):
			count["zh"]++
		case unicode.Is(unicode.Cyrillic, r):
			count["ru"]++
		case unicode.Is(unicode.Hangul, r):
			count["ko"]++
		}
	}
	for _, lang := range []string{"ja", "ko", "zh", "ru"} {
		if count[lang] >= 2 && count[lang]*6 > len([]rune(text)) || count[lang] >= 8 {
			return lang
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	small := map[string]int{}
	for _, w := range words {
		for lang, has := range smallWords {
			if has[w] {
				small[lang]++
			}
		}
	}
	best := ""
	for _, lang := range []string{"de", "es", "fr", "pt", "it"} {
		if small[lang] > small["en"] && small[lang] > small[best] {
			best = lang
		}
	}
	return best
}
