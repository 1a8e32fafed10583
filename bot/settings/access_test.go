package settings

import (
	"strings"
	"testing"
)

func TestPRINCIPLE7BotsAndInstallationsAreAllowedByName(t *testing.T) {
	t.Parallel()
	s, err := Parse("c.yml", []byte("bots: {allow: [\"Renovate[bot]\", dependabot]}\ninstallations: {allow: [Acme, 42]}\ncommands_per_hour: 5\ndelete_branch: false\nlog: {url: \"https://logs.example.org/?q={run}\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for login, want := range map[string]bool{"renovate[bot]": true, "Dependabot[bot]": true, "other[bot]": false, "": false} {
		if got := s.Access.Bot(login); got != want {
			t.Errorf("bot %q: %v", login, got)
		}
	}
	for _, c := range []struct {
		id      int64
		account string
		want    bool
	}{{1, "ACME", true}, {42, "", true}, {42, "eve", true}, {1, "eve", false}, {1, "", false}} {
		if got := s.Access.Installation(c.id, c.account); got != c.want {
			t.Errorf("installation %d of %q: %v", c.id, c.account, got)
		}
	}
	if s.Access.CommandsPerHour != 5 || !s.KeepBranch || s.Log.Link("a&b") != "https://logs.example.org/?q=a%26b" {
		t.Errorf("%+v %+v", s.Access, s.Log)
	}
	none, err := Parse("c.yml", nil)
	if err != nil || none.Access.Bot("renovate[bot]") || !none.Access.Installation(1, "eve") || none.Access.CommandsPerHour != DefaultCommandsPerHour || none.KeepBranch || none.Log.Link("x") != "" {
		t.Errorf("without a file: %+v %v", none.Access, err)
	}
	if nobody, err := Parse("c.yml", []byte("installations: {allow: []}\n")); err != nil || nobody.Access.Installation(1, "eve") {
		t.Errorf("an empty list: %v", err)
	}
	for text, want := range map[string]string{
		"bots: [x]\n": "must be a mapping", "bots: {allow: [\"a b\"]}\n": "bots.allow[0]", "commands_per_hour: 0\n": "from 1",
		"log: {url: \"https://logs.example.org/\"}\n": "{run}", "log: {url: \"ftp://h/{run}\"}\n": "must be a URL", "delete_branch: 1\n": "true or false",
	} {
		if _, err := Parse("c.yml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
