package detect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/settings"
)

// Propose writes a .fettle.yml for a plan: what was found, each with its
// reason, and the other keys as comments. The text is one that the loader
// takes.
func (p Plan) Propose() ([]byte, error) {
	var b strings.Builder
	b.WriteString(`# What fettle does in this repository. It is read from the default branch and can
# only narrow what the operator allows. Take out what does not fit.
`)
	if len(p.Setup) > 0 {
		b.WriteString("\n# Installs what the checks need.\nsetup:\n")
		for _, s := range p.Setup {
			fmt.Fprintf(&b, "  - %s\n", text(s))
		}
	}
	if len(p.Commands) > 0 {
		b.WriteString("\n# Where checks are named, these and no others are run. Those that are not required\n# are shown and hold nothing up.\nchecks:\n")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, "  - name: %s # %s: %s\n    run: %s\n    required: %v\n", text(name(c.Name)), c.Kind, comment(c.Why), text(inFolder(c.Dir, c.Typed)), c.Required)
		}
	}
	if len(p.Services) > 0 {
		fmt.Fprintf(&b, "\n# What the tests seem to talk to, started in the sandbox for each of their runs.\n# services: [%s]\n", strings.Join(p.Services, ", "))
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "\n# Note: %s\n", comment(n))
	}
	b.WriteString(`
# Paths that no patch may touch, and paths that no model may see.
# protected: [".github/**"]
# never_send: ["**/*.pem", ".env*"]

# What the tests need: variables, and services by the machine's own programs or a command.
# env: {APP_ENV: test}
# services: [postgres, redis, {name: mail, run: python3 tests/mail.py, port: 2525}]

# Only these paths may be changed.
# scope: ["src/**"]

# Lower limits for one task, and the highest tier.
# budget: {usd: 0.5, minutes: 20, attempts: 9}
# max_tier: tier2
`)
	out := []byte(b.String())
	if _, err := settings.LoadRepo(out); err != nil {
		return nil, fmt.Errorf("the proposed %s would not be valid: %w", settings.RepoFile, err)
	}
	return out, nil
}

// text is a YAML scalar: JSON's form of a string is one.
func text(s string) string {
	out, err := json.Marshal(strings.Join(strings.Fields(s), " "))
	if err != nil {
		return `""`
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(out))
}

func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, s)
}

// name makes a check's name one that the loader takes.
func name(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._:/-", r)) {
			return r
		}
		return '-'
	}, s)
	if s = strings.TrimLeft(s, " ._:/-"); len(s) > 50 {
		s = s[:50]
	}
	return strings.TrimSpace(s)
}
