package catalog

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func or(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// TestA1TheDocumentTellsTheTables: with what each row comes from and what of it could
// not be checked.
func TestA1TheDocumentTellsTheTables(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| preset | default model, substitute | read | source | not checked |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range presets {
		models := or(p.Model)
		if p.Substitute != "" {
			models += ", " + p.Substitute
		}
		source := p.Source
		if p.Retired != "" {
			source = p.Retired + "; " + source
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s |\n", p.Name, models, p.Read, source, or(p.Doubt))
	}
	want.WriteString("\n| model | in | cached | out | ends | then | read | source | not checked, notes |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, p := range prices {
		cached := "–"
		if p.Cached > 0 {
			cached = fmt.Sprint(p.Cached)
		}
		in, out := fmt.Sprint(p.In), fmt.Sprint(p.Out)
		notes := []string{}
		for _, s := range []string{p.Doubt, p.Note} {
			if s != "" {
				notes = append(notes, s)
			}
		}
		if p.Above > 0 {
			notes = append(notes, fmt.Sprintf("prompts over %d tokens: %g, %g, %g", p.Above, p.AboveIn, p.AboveCached, p.AboveOut))
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", p.Model, in, cached, out, or(p.Ends), p.Next, p.Read, p.Source, or(strings.Join(notes, "; ")))
	}
	got, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(got), want.String()) || !strings.Contains(string(got), AsOf) {
		t.Errorf("docs/models.md does not end with the tables of %s, which are:\n%s", AsOf, want.String())
	}
}
