package rule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Try tells what is wrong with an example of a rule, or "". changes gives the
// changes that the rule makes of a file.
func (r *Rule) Try(ctx context.Context, e Example, changes func(*code.Tree) []Change) string {
	word := e.In
	if word == "" {
		word = r.Languages[0]
	}
	lang, ok := families[word]
	if !ok || !slices.Contains(r.Languages, word) {
		return "in: " + word + " is not one of the rule's languages"
	}
	for _, c := range append([]string{"%s"}, contexts[lang]...) {
		src := strings.ReplaceAll(c, "%s", strings.TrimRight(e.Was, "\n"))
		tree, err := code.Parse(ctx, lang, []byte(src))
		if err != nil {
			return err.Error()
		}
		if len(tree.Errors()) > 0 {
			continue
		}
		var got []string
		want := strings.ReplaceAll(c, "%s", strings.TrimRight(e.Now, "\n"))
		for _, ch := range changes(tree) {
			text := src[:ch.Start] + ch.Text + src[ch.End:]
			if text == want {
				if errs, err := code.CheckLanguage(ctx, lang, []byte(text)); err != nil || len(errs) > 0 {
					return fmt.Sprintf("“%s” does not parse: %v %v", e.Now, errs, err)
				}
				return ""
			}
			got = append(got, fmt.Sprintf("“%s”", short(text[min(len(text), strings.Index(c, "%s")):])))
		}
		if e.Now == "" && len(got) == 0 {
			return ""
		}
		return fmt.Sprintf("“%s” becomes not “%s” but %s", short(e.Was), short(e.Now), strings.Join(append(got, "nothing else"), ", "))
	}
	return fmt.Sprintf("“%s” does not parse as %s", short(e.Was), word)
}
