package settings

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestA5AgentsThatNobodyTriedSaySo: the table of the docs has the rows of the code, each
// with the version that was tried or the word untried, and an untried agent is refused
// with that word.
func TestA5AgentsThatNobodyTriedSaySo(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/configure.md")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := os.ReadFile("../../.ci/setup-agents.sh")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(` (\d+\.\d+\.\d+)$`)
	for _, name := range []string{"claude-code", "codex", "copilot", "gemini", "aider", "mini-swe-agent", "opencode"} { // of the issue
		k, ok := agents[name]
		if !ok {
			t.Errorf("no row for %s", name)
		}
		if row := fmt.Sprintf("| `%s` | %s |\n", name, k.tried); !strings.Contains(string(docs), row) {
			t.Errorf("docs/configure.md lacks the row %q", row)
		}
		_, err := Parse("c.yml", []byte("tiers: {tier1: {preset: openai, agent: "+name+"}}\n"))
		if k.tried == untried {
			if err == nil || !strings.Contains(err.Error(), name+" is untried") || len(k.command) != 0 {
				t.Errorf("%s is untried, and: %v, command %q", name, err, k.command)
			}
			continue
		}
		v := version.FindStringSubmatch(k.tried)
		if err != nil || len(k.command) == 0 || v == nil || !strings.Contains(string(setup), v[1]) {
			t.Errorf("%s was tried as %q, and the setup of its test installs another: %v", name, k.tried, err)
		}
	}
	if rows := strings.Count(string(docs), "| untried |"); rows != len(agents)-2 {
		t.Errorf("%d rows of the docs are untried", rows)
	}
}
