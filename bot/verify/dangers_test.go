package verify

import (
	"strings"
	"testing"
)

const rates = "-- rates.py --\ndef price(n):\n    return n * 2\n-- conftest.py --\n-- rates.json --\n{\"price\": 2}\n-- test_rates.py --\nimport json\nfrom rates import price\n\n\ndef test_price():\n    assert price(2) == 6\n\n\ndef test_data():\n    assert json.load(open('rates.json'))['price'] == 3\n"

// A mended test says nothing of what else a change does.
func TestC6AGreenVerdictNamesTheLinesThatCanDoHarm(t *testing.T) {
	t.Parallel()
	r := from(t, rates)
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "import os\n\n\ndef price(n):\n    os.system('true')\n    return n * 3\n")
	r.write(t, "conftest.py", "import shutil\n\nshutil.rmtree('/x')\n") // put back for the judgement
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base, Issue: "price(2) should be 6"})
	var said []string
	for _, f := range out.Dangers {
		said = append(said, f.String())
	}
	all := strings.Join(said, "\n")
	if !out.Green || !strings.Contains(all, "rates.py:5 `os.system('true')`: it starts a process") {
		t.Errorf("green %v, dangers:\n%s", out.Green, all)
	}
	for _, d := range out.Doubts {
		if strings.Contains(d, "only scripts") {
			t.Errorf("code changed: %s", d)
		}
	}
}

func TestC6AChangeOfDataAloneIsADoubt(t *testing.T) {
	t.Parallel()
	r := from(t, rates)
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.json", "{\"price\": 3}\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || !strings.Contains(strings.Join(out.Doubts, "\n"), "only scripts, configuration or text change (rates.json)") {
		t.Errorf("green %v (%v), doubts %v", out.Green, out.Reasons, out.Doubts)
	}
}

// What was put back for the judgement stands in the tree that people get.
func TestC6ConfigurationThatIsPutBackIsLookedAt(t *testing.T) {
	t.Parallel()
	r := from(t, rates+"-- setup.cfg --\n[metadata]\nname = rates\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "def price(n):\n    return n * 3\n")
	r.write(t, "setup.cfg", "[metadata]\nname = rates\n[easy_install]\nindex-url = https://a.example.com/simple\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if len(out.Dangers) != 1 || out.Dangers[0].Path != "setup.cfg" || out.Dangers[0].Line != 4 {
		t.Errorf("dangers %v", out.Dangers)
	}
}

// The lines that are sabotaged are those that changed: a test that passes with
// them broken runs another path.
func TestC9AMendedTestRunsTheChangedLines(t *testing.T) {
	t.Parallel()
	r := from(t, "-- rates.py --\nimport sys\n\n\ndef price(n):\n    if n > 100:\n        return 0\n    return n * len(sys.argv)\n-- test_rates.py --\nimport inspect\n\nimport rates\n\n\ndef test_price():\n    assert rates.price(0) == 0\n    assert 'n * 3' in inspect.getsource(rates)\n")
	v := verifier(t)
	base := baseline(t, v, r)
	r.write(t, "rates.py", "import sys\n\n\ndef price(n):\n    if n > 100:\n        return n * 3\n    return n * len(sys.argv)\n")
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !strings.Contains(strings.Join(out.Doubts, "\n"), "pass although the changed lines were made to fail") {
		t.Errorf("green %v (%v), doubts %v", out.Green, out.Reasons, out.Doubts)
	}
}
