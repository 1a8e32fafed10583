package settings

import (
	"strings"
	"testing"
)

func TestRulesOfTheOperator(t *testing.T) {
	t.Parallel()
	s, err := Parse("/etc/fettle/fettle.yml", []byte("rules:\n  files: [mine.yml, /srv/more.yml]\n  trusted: [keep_sorted]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Rules.Files, " "); got != "/etc/fettle/mine.yml /srv/more.yml" || len(s.Rules.Trusted) != 1 || s.Rules.Trusted[0] != "keep_sorted" {
		t.Errorf("got %+v", s.Rules)
	}
	for _, bad := range []string{"rules: mine.yml\n", "rules:\n  files: {a: b}\n", "rules:\n  names: [a]\n"} {
		if _, err := Parse("fettle.yml", []byte(bad)); err == nil || !strings.Contains(err.Error(), "fettle.yml:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := LoadRepo([]byte("rules:\n  files: [mine.yml]\n")); err == nil {
		t.Error("a repository names rules")
	}
}
