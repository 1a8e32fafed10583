package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// TestTestsByAModelAreKeptByTheSameMeasure: a function that no test calls gets a test of a
// model's, where that notices a planted fault; one that does not is sent back, and is
// not kept. Nothing of never_send is shown.
func TestTestsByAModelAreKeptByTheSameMeasure(t *testing.T) {
	t.Parallel()
	const shop = "def ship(weight):\n    return weight\n"
	repo := lay(t, map[string]string{
		"docs/shop.md": "A shop.\n",
		"shop.py":      shop, "hidden.py": "def mute(x):\n    return x\n\n\nWORD = 'the hush of the house'\n", "vault.py": "RATE = 'a hush that was moved'\n", ".fettle.yml": "never_send: [hidden.py, vault.py]\n",
		"test_shop.py": "import unittest\n\nfrom shop import ship\n\n\nclass Ship(unittest.TestCase):\n    def test_ship(self):\n        self.assertEqual(ship(3), 3)\n",
	})
	if err := os.Symlink("docs", filepath.Join(repo, "linked")); err != nil {
		t.Fatal(err)
	}
	inGit(t, repo, "init", "-q", "-b", "main", ".")
	inGit(t, repo, "add", ".")
	inGit(t, repo, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "one")
	for name, text := range map[string]string{
		"shop.py":   shop + "\n\nRATE = 'a hush that was moved'\n\n\ndef duty(price, country):\n    if country == 'EU':\n        return 0\n    return price * 2\n",
		"hidden.py": "def mute(x):\n    return x + 2\n\n\nWORD = 'the hush of the house'\n",
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(repo, "vault.py")); err != nil { // what it held is in shop.py now
		t.Fatal(err)
	}
	test := func(path, assertion string) string {
		return "```json\n{\"actions\":[{\"action\":\"create_file\",\"path\":\"" + path + "\",\"code\":1},{\"action\":\"finish\"}],\"explanation\":\"holds duty\"}\n```\n```python\nimport unittest\n\nfrom shop import duty\n\n\nclass Duty(unittest.TestCase):\n    def test_duty(self):\n        " + assertion + "\n```\n"
	}
	const good = "self.assertEqual((duty(5, 'EU'), duty(5, 'US')), (0, 10))"
	for name, tc := range map[string]struct {
		answers []string
		kept    string
		says    string
	}{
		"kept":                      {[]string{test("test_duty.py", good)}, "+++ b/test_duty.py", "written by model-tier1 for shop.py"},
		"kept after a remark":       {[]string{test("test_duty.py", "self.assertEqual(duty(5, 'EU'), 7)"), test("test_duty.py", good)}, "+++ b/test_duty.py", "written by model-tier1"},
		"says what may not be seen": {[]string{test("test_duty.py", "self.assertEqual(duty(5, 'EU'), open('hidden.py').read())"), test("test_duty.py", good)}, "+++ b/test_duty.py", "written by model-tier1"},
		"through a link":            {[]string{test("linked/test_duty.py", good), test("linked/test_duty.py", good)}, "", "may not be written to"},
		"asserts nothing":           {[]string{test("test_duty.py", "duty(5, 'EU')"), test("test_duty.py", "duty(5, 'EU')")}, "", "no test that was written is kept"},
		"over the author's":         {[]string{test("test_shop.py", good), test("test_shop.py", good)}, "", "is there already"},
		"no test":                   {[]string{test("shop2.py", good), test("shop2.py", good)}, "", "no place for a test"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "kept" { // as the one that is kept after a remark is
				sandboxtest.Whole(t)
			}
			t.Parallel()
			srv, tiers := models(t, func(_ scripted.Call, n int) scripted.Answer {
				return scripted.Answer{Text: tc.answers[min(n, len(tc.answers)-1)], TokensIn: 1000, TokensOut: 100}
			}, task.Tier1)
			into := filepath.Join(t.TempDir(), "lacking.patch")
			c := call(t, "judge", "--repo", repo, "--config", operator(t, tiers), "--tests", into, "--tests-by", "tier1", "--quiet")
			patch, err := os.ReadFile(into)
			if err != nil || !strings.Contains(string(patch), tc.kept) || (tc.kept == "") != (len(patch) == 0) {
				t.Errorf("%v, the patch: %s", err, patch)
			}
			if tc.kept != "" && !strings.Contains(string(patch), "+# "+characterise.Note) {
				t.Errorf("the patch does not say that it pins what is: %s", patch)
			}
			if !strings.Contains(c.out, tc.says) || !strings.Contains(c.out, "never_send") {
				t.Errorf("%q is missing", tc.says)
			}
			if len(srv.Calls()) != len(tc.answers) {
				t.Errorf("%d calls, want %d", len(srv.Calls()), len(tc.answers))
			}
			for _, asked := range srv.Calls() {
				if strings.Contains(asked.User, "hush") || strings.Contains(asked.System, "hush") || !strings.Contains(asked.User, "def duty") {
					t.Errorf("X6: it is shown\n%s", asked.User)
				}
			}
			if t.Failed() {
				t.Logf("status %d\n%s%s", c.code, c.out, c.errors)
			}
		})
	}
	t.Run("what might cost too much is not asked", func(t *testing.T) {
		t.Parallel()
		srv, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "x"} }, task.Tier1)
		c := call(t, "judge", "--repo", repo, "--config", operator(t, tiers), "--tests", filepath.Join(t.TempDir(), "p"), "--tests-by", "tier1", "--max-cost", "0.0001", "--quiet")
		if len(srv.Calls()) != 0 || !strings.Contains(c.out, "--max-cost is $0.0001") {
			t.Errorf("%d calls\n%s%s", len(srv.Calls()), c.out, c.errors)
		}
	})
	t.Run("it needs a place", func(t *testing.T) {
		t.Parallel()
		if c := call(t, "judge", "--repo", repo, "--tests-by", "tier1"); c.code != 2 || !strings.Contains(c.errors, "say with --tests") {
			t.Errorf("status %d\n%s", c.code, c.errors)
		}
	})
}
