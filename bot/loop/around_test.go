package loop_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// till is a project whose fault lies in a method, in a file that is too long to be
// shown whole.
func till() map[string]string {
	long := "\n\ndef unused_%(n)s(first, second):\n    \"\"\"Does nothing of use to anybody, but takes its room.\"\"\"\n    return first, second, %(n)s\n"
	var rest strings.Builder
	for _, n := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		rest.WriteString(strings.ReplaceAll(long, "%(n)s", "'"+n+"'"))
	}
	return map[string]string{
		"till/__init__.py":  "",
		"till/cart.py":      "\"\"\"What is bought.\"\"\"\nfrom decimal import Decimal\n\nCENT = Decimal('0.01')\n\n\nclass Cart:\n    def __init__(self):\n        self.rows = []\n\n    def total(self):\n        \"\"\"The sum, in whole cents.\"\"\"\n        return Decimal(sum(self.rows))\n" + strings.NewReplacer("unused_'", "unused_", "'(", "(").Replace(rest.String()),
		"till/receipt.py":   "def receipt(cart):\n    return 'total %s' % cart.total()\n" + strings.NewReplacer("unused_'", "other_", "'(", "(").Replace(rest.String()),
		"conftest.py":       "",
		"tests/test_a.py":   "from decimal import Decimal\nfrom till.cart import Cart\n\n\ndef test_total():\n    cart = Cart()\n    cart.rows = [Decimal('1.005')]\n    assert str(cart.total()) == '1.00'\n",
		"tests/__init__.py": "",
	}
}

func TestM9ARegionIsShownAsItStandsWithItsFilesHeadAndItsUsers(t *testing.T) {
	t.Parallel()
	var users []string
	b := newBench(t, till(), func(c scripted.Call, _ int) scripted.Answer {
		users = append(users, c.User)
		return scripted.Answer{Text: "```json\n" + `{"actions": [{"action": "replace_region", "path": "till/cart.py", "region": "Cart.total", "code": 1}], "explanation": "rounds"}` + "\n```\n```python\n    def total(self):\n        return sum(self.rows).quantize(CENT)\n```\n", TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	b.task = task.Task{Title: "Cart.total is not rounded", Body: "The total of a cart with 1.005 should be 1.00.", Origin: task.OriginEval}
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || !strings.Contains(res.Diff, "\n+        return sum(self.rows).quantize(CENT)\n") {
		t.Fatalf("%s (%s):\n%s", res.Outcome, res.Reason, res.Diff)
	}
	for _, want := range []string{
		"```python\n    def total(self):\n        \"\"\"The sum", // indented as it stands
		"till/cart.py, lines 1–7, how it begins\n```python\n\"\"\"What is bought.\"\"\"\nfrom decimal import Decimal\n\nCENT",
	} {
		if !strings.Contains(users[0], want) {
			t.Errorf("lacks %q:\n%s", want, users[0])
		}
	}
	if !regexp.MustCompile(`Cart\.total@\w+ .*; used by till/receipt\.py:2\n`).MatchString(users[0]) {
		t.Errorf("who uses the method is not said:\n%s", users[0])
	}
}

// TestM9WhatTheLikeliestCodeCallsIsShown: whoever changes a function has to know what it
// calls, though no word of the issue stands there.
func TestM9WhatTheLikeliestCodeCallsIsShown(t *testing.T) {
	t.Parallel()
	var users []string
	files := till()
	files["till/cart.py"] = strings.Replace(strings.Replace(files["till/cart.py"], "import Decimal\n", "import Decimal\nimport shutil\nfrom .money import vacant\n", 1), "return Decimal(sum(self.rows))", "return Decimal(sum(self.rows)) if self.rows else vacant() or shutil.which('x')", 1)
	files["till/money.py"] = strings.Replace(files["till/receipt.py"], "def receipt(cart):\n    return 'total %s' % cart.total()\n", "def vacant():\n    return 0\n\n\ndef which(name):\n    return name\n", 1)
	b := newBench(t, files, func(c scripted.Call, _ int) scripted.Answer {
		users = append(users, c.User)
		return scripted.Answer{Text: `{"actions": [{"action": "finish"}], "explanation": "no"}`, TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	b.task = task.Task{Title: "Cart.total is not rounded", Body: "The total of a cart with 1.005 should be 1.00.", Origin: task.OriginEval}
	if b.run(t, task.Budget{}); len(users) == 0 || !regexp.MustCompile("vacant@\\w+ .*\\n```python\ndef vacant\\(").MatchString(users[0]) {
		t.Errorf("what Cart.total calls is not shown:\n%s", users)
	} else if strings.Contains(users[0], "```python\ndef which(") {
		t.Errorf("a function is shown for one of the same name that is not the project's:\n%s", users[0])
	}
}

func TestM9WhatThePlannerReadIsShownToTheDeveloper(t *testing.T) {
	t.Parallel()
	files := till()
	for name, text := range shopFiles {
		files[name] = text
	}
	c := &cast{plans: []string{`{"summary": "", "steps": [], "look": [{"action": "read_region", "path": "till/receipt.py", "region": "other_q"}]}`, plan("first, give total a discount", "shop.py::total")}}
	c.develops = map[string]func(scripted.Call, int) string{"first": func(scripted.Call, int) string {
		return replacing(idIn(t, shop, "total"), cheaper, "test_discount.py", cheaperTest)
	}}
	b := newBench(t, files, c.answer, task.Tier1).withRoles(t)
	if res := b.run(t, task.Budget{}); res.Outcome != task.Success || len(c.planned) != 2 {
		t.Fatalf("%s (%s), planned %d times", res.Outcome, res.Reason, len(c.planned))
	}
	if asked := c.developed["first"][0].User; !strings.Contains(asked, "(it was read or changed before)") || !strings.Contains(asked, "def other_q(") {
		t.Errorf("the developer would have to read it again:\n%s", asked)
	}
	b.replays(t)
}

func TestM9WhatAFailedAttemptReadIsShownToTheNext(t *testing.T) {
	t.Parallel()
	files := till()
	asked := []string{}
	change := func(code string) scripted.Answer {
		return scripted.Answer{Text: "```json\n" + `{"actions": [{"action": "replace_region", "path": "till/cart.py", "region": "Cart.total", "code": 1}], "explanation": "rounds"}` + "\n```\n```python\n    def total(self):\n        " + code + "\n```\n", TokensIn: 1000, TokensOut: 100}
	}
	b := newBench(t, files, func(c scripted.Call, n int) scripted.Answer {
		asked = append(asked, c.User)
		switch len(asked) {
		case 1:
			return scripted.Answer{Text: "```json\n" + `{"actions": [{"action": "read_region", "path": "till/receipt.py", "region": "other_q"}, {"action": "read_region", "path": "till/nothing.py"}], "explanation": "who prints it?"}` + "\n```\n", TokensIn: 1000, TokensOut: 100}
		case 2:
			return change("return sum(self.rows) * 2")
		}
		return change("return sum(self.rows).quantize(CENT)")
	}, task.Tier1)
	b.task = task.Task{Title: "Cart.total is not rounded", Body: "The total of a cart with 1.005 should be 1.00.", Origin: task.OriginEval}
	if res := b.run(t, task.Budget{}); res.Outcome != task.Success || len(asked) != 3 {
		t.Fatalf("%s (%s) after %d calls", res.Outcome, res.Reason, len(asked))
	}
	if strings.Contains(asked[0], "def other_q(") || !strings.Contains(asked[2], "(it was read or changed before)") || !strings.Contains(asked[2], "def other_q(") {
		t.Errorf("it would have to be read again:\n%s", asked[2])
	}
	b.replays(t)
}

// A short README may say what the issue changes, and whoever changes it would ask for it.
func TestM9TheNearestSectionOfTheReadmeIsShownToTheDeveloper(t *testing.T) {
	t.Parallel()
	files := till()
	files["README.md"] = "# till\n\nThe total of a cart is the sum of its rows, rounded to cents.\n\n# Licence\n\nMIT\n"
	var users []string
	b := newBench(t, files, func(c scripted.Call, _ int) scripted.Answer {
		users = append(users, c.User)
		return scripted.Answer{Text: `{"actions": [{"action": "finish"}], "explanation": "no"}`, TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	b.task = task.Task{Title: "Cart.total is not rounded", Body: "The total of a cart with 1.005 should be 1.00.", Origin: task.OriginEval}
	if b.run(t, task.Budget{}); len(users) == 0 || !strings.Contains(users[0], "(it has words of the task)\n```text\n# till\n") || strings.Contains(users[0], "# Licence") {
		t.Errorf("the README is not shown, or all of it:\n%s", users)
	}
}

// Who uses a function is told by the imports, where names alone would take another one
// for it.
func TestM9WhatAForeignPackageHasByTheSameNameIsNoUse(t *testing.T) {
	t.Parallel()
	var users []string
	files := till()
	files["till/cart.py"] = strings.Replace(files["till/cart.py"], "\n    def total(self):", "\n    def dumps(self):\n        return str(self.total())\n\n    def total(self):", 1)
	files["till/aside.py"] = "import json\nfrom statistics import total\n\n\ndef show(cart, cart_rows):\n    return json.dumps(cart_rows), total(cart_rows)\n"
	b := newBench(t, files, func(c scripted.Call, _ int) scripted.Answer {
		users = append(users, c.User)
		return scripted.Answer{Text: `{"actions": [{"action": "finish"}], "explanation": "no"}`, TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	b.task = task.Task{Title: "Cart.total is not rounded", Body: "The total of a cart with 1.005 should be 1.00.", Origin: task.OriginEval}
	b.run(t, task.Budget{})
	if len(users) == 0 || !regexp.MustCompile(`Cart\.total@\w+ .*; used by till/receipt\.py:2\n`).MatchString(users[0]) {
		t.Errorf("who uses the method is not said, or somebody who does not:\n%s", users)
	}
}
