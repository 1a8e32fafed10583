package redact

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	rendered "github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"
)

// closed is what closes an issue, told without this package's means; joined is
// what does where tags were taken out.
var closed = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?:[^\pL\pN]*#[0-9]|[^\pL\pN]+(?:[A-Za-z0-9][\w.-]*/[\w.-]+#[0-9]|gh-[0-9]|(?:https?://)?(?:[\w.-]+/){2,4}(?:issues|pull|discussions)/[0-9]))`)

var joined = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[^\pL\pN]*#[0-9]`)

var (
	page = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(rendered.WithUnsafe()))
	href = regexp.MustCompile(`(?s)<a href="([^"]*/(?:issues|pull|discussions)/[0-9][^"]*)"[^>]*>.*?</a>`)
	tag  = regexp.MustCompile(`(?s)<!--.*?-->|<[^<>]*>`)
)

// stillCloses says which closing keyword has a reference behind it, in the text
// or on the page that it makes.
func stillCloses(t failer, text string) string {
	var out strings.Builder
	if err := page.Convert([]byte(text), &out); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	shown := href.ReplaceAllString(out.String(), " $1 ")
	for _, way := range []string{text, html.UnescapeString(tag.ReplaceAllString(shown, " "))} {
		if found := closed.FindString(way); found != "" {
			return found
		}
	}
	return joined.FindString(html.UnescapeString(tag.ReplaceAllString(shown, "")))
}

// disguises are ways to close an issue that the words of strangers have.
var disguises = []string{
	"Clamp is wrong. Fixes                              octo/other#7", "Fixes\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n#7", "fix: #1 clamp",
	"F&#105;xes #7", "Fixes&Tab;octo/other#7", "Fixes&nbsp;#7", "Fixes &#35;7", "Fixes &num;7", "Fixes #&#55;", "F&#x69;xes&#58; #7", "Fi&ZeroWidthSpace;xes #7", "Fi&shy;xes #7",
	`Fixes \#7`, `Fixes \GH-1`, "fixes GH-1", "CLOSES gh-12", "Resolved: octo/other#7",
	"Fixes https://github.com/o/r/issues/7", "fixes <https://github.com/o/r/pull/7>", "Fixes [it](https://github.com/o/r/issues/7)", "Fixes [the thing][1]\n\n[1]: https://github.com/o/r/issues/7",
	"Fixes github.com/o/r/issues/7", "Fixes [#7](http://x)", "[Fixes](http://x) #7", "Fixes [](http://x) #7", "Fixes ![](x.png) #7",
	`[x](http://u "Fixes #7")`, `[x](http://u 'a \' Fixes #7')`, `[x](<http://u v> "Fixes #7")`,
	"Fi\u200bxes #7", "Fixes\u2060 #\u200b7", "Ｆｉｘｅｓ #7", "Fixes ＃7", "Fixes ＃７", "Fixes：#7", "ﬁxes #7", "Fixes\u3000#7",
	"**Fixes** #7", "_Fixes #7_", "Fi**x**es #7", "`Fixes` #7", "~~Fixes~~ #7", "pre**fixes** #7", "Fixes **#**7", "Fixes <b>#7</b>", "Fixes<!-- x --> #7", "Fi<!-- -->xes #<i></i>7",
	"Fixes\n1. #7", "Fixes\n- [x] #7", "> Fixes\n> #7", "| Fixes | #7 |", "Fixes :bug: #7", "Fixes\n```py\n#7\n```", "```\nfixes #7\n```", "Fixes (#7)", "fixes#7",
}

func TestX3NothingAStrangerWritesClosesAnIssue(t *testing.T) {
	t.Parallel()
	f := New()
	for _, text := range disguises {
		for name, clean := range map[string]func(string) string{"Markdown": f.Markdown, "Comment": f.Comment, "Message": f.Message} {
			if got := stillCloses(t, clean(text)); got != "" {
				t.Errorf("%s: %q became %q, in which %q closes", name, text, clean(text), got)
			}
		}
	}
	for in, want := range map[string]string{
		"fix: #1 clamp":                             "fix: issue #1 clamp",
		"Fixes     octo/other#7":                    "Fixes     issue octo/other#7",
		"Fixes [it](https://github.com/o/r/pull/7)": "Fixes issue [it](https://github.com/o/r/pull/7)",
		"**Fixes** #7":                              "**Fixes issue** #7",
		"fixes#7":                                   "fixes issue #7",
	} {
		if got := f.Message(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	for _, text := range []string{
		"prefixes #1", "see #7, which is fixed", "fix: clamp of #7", "closest/thing#7 is near", "fixture #3", "the fix is in a/b.go, line 7", "resolves to 10.0.0.1/issues", "Fixed in 1.2: see https://github.com/o/r",
	} {
		if got := f.Message(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// parts are what a hostile text on closing an issue is made of.
var parts = append([]string{"Fixes", "fix", "closed", "Resolve", "F", "xes", "&#105;", "&Tab;", "&nbsp;", "&#35;", "&shy;", "&", "#", "#7", "7", "o/r#7", "GH-1", "https://github.com/o/r/issues/7", "/issues/7",
	"\u200b", "Ｆ", "ｉｘ", "ﬁ", "：", "＃", "\u3000", ":", "**", "_", "~~", "|", "1. ", "- [x] ", ":bug:", "a", "issue", "[1]: ", "<b>", "</b>", "<!--x-->", "\n\n", "    "}, pieces...)

func TestX3PropertyNothingCloses(t *testing.T) {
	t.Parallel()
	f := New("the-secret-value")
	rapid.Check(t, func(r *rapid.T) {
		holds(r, f, strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(r, "parts"), ""))
	})
}
