package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

const full = `
tiers:
  tier1: {base_url: "https://api.example.com/v1", model: deepseek-chat, api_key_env: FETTLE_TEST_KEY, timeout: 90s}
  tier2:
    base_url: http://127.0.0.1:11434/v1
    model: qwen2.5-coder:7b
    context_tokens: 8192
budget: {usd: 0.5, minutes: 10, attempts_per_tier: 2, attempts: 7}
github: {app_id: 7, private_key_file: app.pem, webhook_secret_file: /etc/secret, base_url: "http://127.0.0.1:9090", ca_file: ca.pem}
label: fix-me
state_dir: /var/lib/fettle
`

func TestL5TheOperatorsFileIsRead(t *testing.T) {
	t.Parallel()
	s, err := Parse("/etc/fettle/config.yml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := task.Budget{USD: task.Dollars(0.5), Duration: 10 * time.Minute, AttemptsPerTier: 2, Attempts: 7, MaxTier: task.Tier3}
	if s.Budget != want {
		t.Errorf("budget %+v, want %+v", s.Budget, want)
	}
	if got := s.Tiers[task.Tier1]; got.PriceIn != 0.28 || got.PriceOut != 0.42 || got.Timeout != 90*time.Second {
		t.Errorf("tier1 %+v: its price comes from the dated table", got)
	}
	if got := s.Tiers[task.Tier2]; got.PriceIn != 0 || got.ContextTokens != 8192 {
		t.Errorf("tier2 %+v: a model on this machine costs nothing", got)
	}
	if s.GitHub.PrivateKeyFile != "/etc/fettle/app.pem" || s.Database != "/var/lib/fettle/fettle.db" || s.Label != "fix-me" || s.Sandbox != "bubblewrap" {
		t.Errorf("got %+v", s)
	}
}

func TestC1TheOperatorNamesEngineAndImage(t *testing.T) {
	t.Parallel()
	s, err := Parse("c.yml", []byte("sandbox: docker\nengine: {host: \"unix:///run/podman/podman.sock\", image: fettle-tools}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Sandbox != "docker" || s.Engine != (Engine{Host: "unix:///run/podman/podman.sock", Image: "fettle-tools"}) {
		t.Errorf("got %+v", s)
	}
}

func TestC2BadSettingsNameFileLineAndWay(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"unknown key":         {"label: x\nlabels: y\n", "labels"},
		"unknown tier":        {"label: x\ntiers:\n  tier9: {base_url: \"http://127.0.0.1/v1\", model: m}\n", "c.yml:3: tiers.tier9"},
		"key in the file":     {"tiers:\n  tier1:\n    base_url: https://a.example/v1\n    model: gpt-5\n    api_key_env: sk-abc-def\n", "c.yml:5: tiers.tier1.api_key_env"},
		"no price":            {"tiers:\n  tier1:\n    base_url: https://a.example/v1\n    model: own\n", "price_in_per_mtok"},
		"bad duration":        {"tiers:\n  tier1: {base_url: \"http://127.0.0.1/v1\", model: m, timeout: soon}\n", "timeout"},
		"bad sandbox":         {"sandbox: chroot\n", "c.yml:1: sandbox"},
		"engine far away":     {"sandbox: docker\nengine: {host: \"tcp://10.0.0.1:2375\"}\n", "c.yml:2: engine.host: must be the engine's Unix socket"},
		"engine's typing":     {"engine:\n  images: x\n", "c.yml:2: engine.images: unknown key; allowed here: host, image"},
		"negative budget":     {"budget:\n  usd: -1\n", "c.yml:2: budget.usd"},
		"wrong type":          {"budget:\n  attempts: many\n", "attempts"},
		"credentials in URL":  {"github:\n  base_url: https://user:pw@ghe.example\n", "c.yml:2: github.base_url"},
		"not YAML":            {"tiers: [\n", "c.yml"},
		"twice":               {"label: x\nlabel: y\n", "c.yml:2"},
		"advice for a key":    {"tiers:\n  tier1:\n    api_key: sk-abcdef\n", "c.yml:3: tiers.tier1.api_key: a key never stands in this file"},
		"allowed keys":        {"budget:\n  dollars: 1\n", "c.yml:2: budget.dollars: unknown key; allowed here: attempts"},
		"alias":               {"label: &a x\nsandbox: *a\n", "c.yml:1: label"},
		"two documents":       {"label: x\n---\nlabel: y\n", "more than one document"},
		"keys in the clear":   {"tiers:\n  tier1: {base_url: \"http://api.example.com/v1\", model: gpt-5}\n", "c.yml:2: tiers.tier1.base_url"},
		"one price":           {"tiers:\n  tier1: {base_url: \"https://a.example/v1\", model: m, price_in_per_mtok: 1}\n", "give both"},
		"mechanical":          {"tiers:\n  mechanical: {model: x}\n", "needs no model"},
		"odd database":        {"database: mysql://x\n", "c.yml:1: database"},
		"number for text":     {"label: [x]\n", "c.yml:1: label"},
		"nothing may be free": {"budget:\n  minutes: 0\n", "budget.minutes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("c.yml", []byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want it to hold %q", err, tc.want)
			}
		})
	}
}

func TestC2NothingConfiguredMeansTheDefaults(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "/state")
	s, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	if s.Budget != task.DefaultBudget() || s.Database != "/state/fettle/fettle.db" || s.Label != "agent:fix" {
		t.Fatalf("got %+v", s)
	}
	if _, err := Load("/nowhere/config.yml"); err == nil {
		t.Fatal("a file that was named and is missing must be an error")
	}
}

func TestA1KeysComeFromWhereTheFileSays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte("k1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := (Tier{keyFile: name}).Key(); err != nil || k != "k1" {
		t.Fatalf("got %q, %v", k, err)
	}
	t.Setenv("FETTLE_TEST_KEY", "")
	if _, err := (Tier{keyEnv: "FETTLE_TEST_KEY"}).Key(); err == nil || !strings.Contains(err.Error(), "FETTLE_TEST_KEY") {
		t.Fatalf("got %v", err)
	}
}

func TestX6TwoWebhookSecretsMayBeValidAtOnce(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(name, []byte("one\r\n\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Secrets(name)
	if err != nil || len(got) != 2 || string(got[1]) != "two" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestL9ExploringIsSwitchedOffByTheOperatorOrTheRepository(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"budget: {explore: false}": true, "budget: {explore: true}": false, "budget: {usd: 1}": false} {
		s, err := Parse("c.yml", []byte(text))
		if err != nil || s.Budget.NoExplore != want {
			t.Errorf("%s: %+v %v", text, s, err)
		}
	}
	for _, asked := range []bool{false, true} {
		if b, _ := Narrow(task.Budget{NoExplore: true}, &Repo{Budget: &task.Budget{NoExplore: asked}}); !b.NoExplore {
			t.Error("a repository switched it on")
		}
		if b, _ := Narrow(task.Budget{}, &Repo{Budget: &task.Budget{NoExplore: asked}}); b.NoExplore != asked {
			t.Errorf("asked for %v", asked)
		}
	}
}

func TestT11ARepositoryOnlyNarrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gen := func(name string) task.Budget {
			return task.Budget{
				USD:             task.USD(rapid.Int64Range(0, 5e9).Draw(t, name+"usd")),
				Duration:        time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, name+"time")),
				AttemptsPerTier: rapid.IntRange(0, 9).Draw(t, name+"per"),
				Attempts:        rapid.IntRange(0, 30).Draw(t, name+"all"),
				MaxTier:         rapid.SampledFrom(append([]task.Tier{""}, task.Ladder...)).Draw(t, name+"tier"),
			}
		}
		op, want := gen("operator "), gen("repository ")
		if op.MaxTier == "" {
			op.MaxTier = task.Tier3
		}
		got, _ := Narrow(op, &Repo{Budget: &want})
		if got.USD > op.USD || got.Duration > op.Duration || got.AttemptsPerTier > op.AttemptsPerTier || got.Attempts > op.Attempts || got.MaxTier.Rank() > op.MaxTier.Rank() {
			t.Fatalf("%+v narrowed by %+v is %+v", op, want, got)
		}
	})
}

func TestSecretsAreNeverRepeatedInErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"tiers:\n  tier1:\n    api_key_env: sk-verysecret\n", "tiers:\n  tier1:\n    api_key: verysecret\n",
		"tiers:\n  tier1:\n    base_url: https://u:verysecret@h/v1\n", "database: postgres://u:verysecret@[::1\n", "github: {webhook_secret: verysecret}\n",
	} {
		if _, err := Parse("c.yml", []byte(text)); err == nil || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheRepositorysFileIsRead(t *testing.T) {
	t.Parallel()
	r, err := LoadRepo([]byte("setup: [pip install -e .]\nchecks:\n  - {name: lint, run: ruff check}\n  - {name: slow, run: make slow, required: false}\n" +
		"base: develop\nprotected: [db/**]\nnever_send: secrets/**\nscope: [src/**]\nbudget: {usd: 0}\nmax_tier: tier2\ngates: [migrations]\nlabels: [bot]\nsign_off: true\ndelete_branch: false\n"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := task.DefaultBudget()
	budget, notes := Narrow(allowed, r)
	if budget.USD > 1 || budget.MaxTier != task.TierMechanical || budget.Attempts != 15 || len(notes) != 0 {
		t.Errorf("%+v %q", budget, notes)
	}
	if r.Base != "develop" || len(r.Checks) != 2 || r.Checks[1].Required || r.NeverSend[0] != "secrets/**" {
		t.Errorf("%+v", r)
	}
	if !r.SignOff || !r.Keep || !slices.Equal(r.Labels, []string{"bot"}) || !slices.Equal(r.Gates, []string{"migrations"}) {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]string{
		"sandbox: none\n":                            ".fettle.yml:1: sandbox: belongs to the operator",
		"bots: {allow: [x]}\n":                       ".fettle.yml:1: bots: belongs to the operator",
		"engine: {image: x}\n":                       ".fettle.yml:1: engine: belongs to the operator",
		"base: x\ntiers: {}\n":                       ".fettle.yml:2: tiers: belongs to the operator",
		"scope: [/etc]\n":                            ".fettle.yml:1: scope[0]",
		"scope: [a/../../b]\n":                       ".fettle.yml:1: scope[0]",
		"base: -x\n":                                 ".fettle.yml:1: base",
		"checks: [{name: x}]\n":                      "needs name and run",
		"scope: []\n":                                "would allow nothing",
		"budget: {usd: 1, base_url: \"http://x\"}\n": "unknown key",
	} {
		if _, err := LoadRepo([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if b, notes := Narrow(allowed, &Repo{Budget: &task.Budget{USD: 5 * task.Dollar, MaxTier: task.Tier3}}); b != allowed || len(notes) != 1 {
		t.Errorf("a wider wish: %+v %q", b, notes)
	}
	if b, notes := Narrow(allowed, nil); b != allowed || notes != nil {
		t.Errorf("no file: %+v", b)
	}
}

func TestHostileFilesAreRefusedInBoundedTime(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("[", 1<<20), strings.Repeat("a: ", 20000), strings.Repeat("*a ", 20000), strings.Repeat("&a ", 20000), strings.Repeat("!a ", 20000),
		strings.Repeat("*a *a *a *a\n", 5000), strings.Repeat("a: a: a:\n", 6000), strings.Repeat("- [\n", 900), strings.Repeat("---\n", 16000),
		"a: \"" + strings.Repeat("x\n", 30000), strings.Repeat("\"a\" \"b\"\n", 6000), strings.Repeat("? ", 30000), strings.Repeat("!a &b\n", 9000),
	} {
		began := time.Now()
		if _, err := LoadRepo([]byte(text)); err == nil && text[0] != '-' {
			t.Errorf("%.20q was accepted", text)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d bytes of %.20q took %v", len(text), text, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("budget: {usd: 1}\n---\nx: 1\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if s, err := Parse("c.yml", raw); err == nil && s.Budget.USD < 0 {
			t.Fatal("a negative budget was taken")
		}
	})
}

func FuzzRepo(f *testing.F) {
	f.Add([]byte("base: main\nprotected: [db/**]\nbudget: {usd: 0.1}\nmax_tier: tier1\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		began := time.Now()
		r, err := LoadRepo(raw)
		if took := time.Since(began); took > 20*time.Second {
			t.Fatalf("%d bytes took %v", len(raw), took)
		}
		if b, _ := Narrow(task.DefaultBudget(), r); err == nil && b.USD > task.DefaultBudget().USD {
			t.Fatal("a repository raised the budget")
		}
	})
}

func TestC2PathsOfTheFileAreBesideItOrFromHome(t *testing.T) {
	t.Setenv("HOME", "/home/some body")
	for said, want := range map[string]string{"a b/c": "/etc/fet tle/a b/c", "./c": "/etc/fet tle/c", "../c": "/etc/c", "~/c d": "/home/some body/c d", "~": "/home/some body", "/c/../d": "/d", "~x": "/etc/fet tle/~x"} {
		s, err := Parse("/etc/fet tle/config.yml", fmt.Appendf(nil, "state_dir: %q\nprompts: %q\ndatabase: %q\ngithub: {private_key_file: %q, webhook_secret_file: %q}\ntiers: {tier1: {base_url: http://127.0.0.1:1/v1, model: m, api_key_file: %q}}\n", said, said, "sqlite:"+said, said, said, said))
		if err != nil {
			t.Errorf("%s: %v", said, err)
			continue
		}
		for key, got := range map[string]string{"state_dir": s.StateDir, "prompts": s.Prompts, "database": s.Database, "private_key_file": s.GitHub.PrivateKeyFile, "webhook_secret_file": s.GitHub.WebhookSecretFile, "api_key_file": s.Tiers[task.Tier1].keyFile} {
			if got != want {
				t.Errorf("%s: %s is %s, want %s", key, said, got, want)
			}
		}
	}
}
