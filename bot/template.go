package bot

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// mostTemplate bounds what of a template is taken over.
const mostTemplate = 20_000

// section is a heading of Markdown with what stands below it; the first of a text
// may have none.
type section struct {
	mark, title string // "## ", "Evidence"
	text        string
}

var (
	heading     = lazyregexp.New(`^ {0,3}(#{1,6}[ \t]+)(.*?)[ \t#]*$`)
	htmlComment = lazyregexp.New(`(?s)<!--.*?(-->|$)`)
	fenceLine   = lazyregexp.New("^ {0,3}(```+|~~~+)")
)

// sections splits Markdown at its headings; one inside a code fence is none.
func sections(text string) []section {
	out, fence := []section{{}}, ""
	for line := range strings.Lines(text) {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m != nil && fence == "":
			fence = m[1]
		case m != nil && strings.HasPrefix(m[1], fence):
			fence = ""
		case fence == "":
			if h := heading.FindStringSubmatch(strings.TrimRight(line, "\r\n")); h != nil {
				out = append(out, section{mark: h[1], title: h[2]})
				continue
			}
		}
		out[len(out)-1].text += line
	}
	return out
}

// answers say which of our sections stands where a template asks for it; of several
// the first that is there.
var answers = []struct {
	asks *lazyregexp.Regexp
	ours []string
}{
	{lazyregexp.New(`(?i)\b(why|motivation|context|background|problem|root cause|reason)`), []string{"What was wrong"}},
	{lazyregexp.New(`(?i)\b(test|verif|evidence|qa\b|how has this been)`), []string{"Evidence"}},
	{lazyregexp.New(`(?i)\b(what|summary|description|change|overview|proposed|solution)`), []string{"What changed"}},
	{lazyregexp.New(`(?i)\b(reproduc|how to (run|try))`), []string{"Reproduce locally"}},
}

// InTemplate puts the sections of a pull request's text where the repository's
// template asks for them. Its other headings stay with their words: boxes in them
// are for people to tick. Its HTML comments are for whoever writes by hand and go.
// What it does not ask for comes behind it.
func InTemplate(body, template string) string {
	template = htmlComment.ReplaceAllString(strings.ReplaceAll(template[:min(len(template), mostTemplate)], "\r\n", "\n"), "")
	if strings.TrimSpace(template) == "" {
		return body
	}
	ours := sections(body)
	asked := sections(template)
	if len(asked) == 1 { // no headings: it is appended after the checklist
		return strings.TrimRight(body, "\n") + "\n\n" + strings.TrimSpace(template) + "\n"
	}
	used := map[string]bool{}
	var b strings.Builder
	for _, s := range asked {
		fill := answerTo(s.title, ours, used)
		text := strings.TrimSpace(s.text)
		switch {
		case s.title == "" && text == "":
			continue
		case s.title != "":
			b.WriteString(s.mark + s.title + "\n\n")
		}
		if fill != "" {
			b.WriteString(strings.TrimSpace(fill) + "\n\n")
			text = boxes(text)
		}
		if text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	for _, s := range ours {
		if used[s.title] {
			continue
		}
		if s.title != "" {
			b.WriteString(s.mark + s.title + "\n")
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// answerTo is the text of our section that a template's heading asks for, once.
func answerTo(title string, ours []section, used map[string]bool) string {
	for _, a := range answers {
		if title == "" || !a.asks.MatchString(title) || strings.Contains(strings.ToLower(title), "checklist") {
			continue
		}
		for _, want := range a.ours {
			for _, s := range ours {
				if s.title == want && !used[want] {
					used[want] = true
					return s.text
				}
			}
		}
	}
	return ""
}

// boxes keeps the boxes to tick of a text: the rest was there to be replaced.
func boxes(text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if box.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

var box = lazyregexp.New(`^\s*[-*+] \[[ xX]\] `)
