package agent

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestC8AFailuresKindChoosesTheStrategy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		f    task.Failure
		want Class
		look string
		plan bool
	}{
		{task.Failure{Kind: task.FailAssertion, Message: "POST /items: HTTP 500, expected 201"}, ClassHTTP500, "route", true},
		{task.Failure{Kind: task.FailAssertion, Message: "status_code: 422 Unprocessable Entity"}, ClassHTTP422, "schema", true},
		{task.Failure{Kind: task.FailAssertion, Message: "assert 404 == 200\n +  where 404 = <Response [404 Not Found]>.status_code"}, ClassHTTP404, "route", true},
		{task.Failure{Kind: task.FailAssertion, Message: "expected 500 items, got 404"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "assert 500 == 499"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "expected status 500, got 404"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "expected 200, but the response was 500"}, ClassHTTP500, "route", true},
		{task.Failure{Kind: task.FailAssertion, Message: "got status 500; want status 200"}, ClassHTTP500, "route", true},
		{task.Failure{Kind: task.FailAssertion, Message: "assert {'status': 200} == {'status': 500}"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "assert {'status': 500} == {'status': 200}"}, ClassHTTP500, "route", true},
		{task.Failure{Kind: task.FailAssertion, Message: "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   status: 200\n-   status: 500\n  }"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   body: 'secret',\n-   body: 'internal error',\n    status: 500\n  }"}, ClassAssertion, "function", true},
		{task.Failure{Kind: task.FailAssertion, Message: "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   status: 500\n-   status: 200\n  }"}, ClassHTTP500, "route", true},
		{task.Failure{Kind: task.FailImport, Message: "cannot import name 'x' from 'http500'"}, ClassImport, "imports", false},
		{task.Failure{Kind: task.FailException, Exception: "ModuleNotFoundError", Message: "No module named 'y'"}, ClassImport, "imports", false},
		{task.Failure{Kind: task.FailException, Exception: "TypeError", Message: "f() missing 1 required positional argument: 'b'"}, ClassCall, "signature", true},
		{task.Failure{Kind: task.FailException, Exception: "TypeError", Message: "x.map is not a function"}, ClassCall, "signature", true},
		{task.Failure{Kind: task.FailException, Exception: "TypeError", Message: "unsupported operand type(s) for +: 'int' and 'str'"}, ClassException, "function", true},
		{task.Failure{Kind: task.FailBuild, Message: "not enough arguments in call to total\n\thave (number)"}, ClassCall, "signature", true},
		{task.Failure{Kind: task.FailBuild, Message: "undefined: total"}, ClassBuild, "imports", false},
		{task.Failure{Kind: task.FailCollection, Message: "found no collectors"}, ClassBuild, "imports", false},
		{task.Failure{Kind: task.FailType, Message: "Incompatible return value type"}, ClassTypes, "signature", false},
		{task.Failure{Kind: task.FailTimeout}, ClassTimeout, "function", true},
		{task.Failure{Kind: task.FailSyntax, Message: "status 500"}, ClassSyntax, "function", false},
		{task.Failure{Kind: task.FailLint}, ClassLint, "function", false},
		{task.Failure{Kind: task.FailMissing}, ClassMissing, "test", true},
		{task.Failure{Kind: task.FailCrash}, ClassCrash, "function", true},
		{task.Failure{Kind: task.FailException, Exception: "ValueError", Message: "negative", Raised: true}, ClassRaised, "caller", true},
		{task.Failure{Kind: task.FailException, Exception: "TypeError", Message: "x.map is not a function", Raised: true}, ClassCall, "signature", true},
		{task.Failure{Kind: "something new"}, ClassException, "function", true},
	} {
		s := StrategyFor(ClassOf(tc.f))
		if s.Class != tc.want || s.Look[0] != tc.look && s.Look[1] != tc.look || s.Replan != tc.plan || MayReplan([]task.Failure{tc.f}) != tc.plan {
			t.Errorf("%+v: %+v, want %s", tc.f, s, tc.want)
		}
	}
}

// A status that the issue asks for is no failure of the server, though a test that
// fails tells of it.
func TestC8AStatusThatTheIssueWantsIsNoFailureOfTheServer(t *testing.T) {
	t.Parallel()
	for body, wanted := range map[string]bool{
		"Please catch what handlers throw: an error with a `status` becomes `{ status, body }`, every\nother one `{ status: 500, body: \"internal error\" }`.": true,
		"A missing rate table should be answered with 500 and a short text.":                                                                                   true,
		"Errors of the store must be mapped to 500.":                                                                                                           true,
		"`GET /items` gives 500, it should be 200.":                                                                                                            false,
		"Expected 201 but got a 500.":                                                                                                                          false,
		"An unknown name should not end with a 500.":                                                                                                           false,
		"It must answer 404 instead of 500.":                                                                                                                   false,
		"Since the last release the list fails. The log has nothing but 500 for each call.":                                                                    false,
	} {
		b := brief()
		b.Task.Title, b.Task.Body = "Errors of handlers", body
		b.Failures = []task.Failure{{Kind: task.FailAssertion, Message: "status 500: body is secret"}}
		_, user := prompted(t, b)
		if strings.Contains(user, "The server failed inside") == wanted {
			t.Errorf("%s: wanted %v, and the prompt says\n%s", body, wanted, user)
		}
	}
}

func TestC8TheMostFrequentClassComesFirstAndEachOnce(t *testing.T) {
	t.Parallel()
	got := StrategiesFor([]task.Failure{{Kind: task.FailImport}, {Kind: task.FailTimeout}, {Kind: task.FailTimeout}})
	if len(got) != 2 || got[0].Class != ClassTimeout || got[1].Class != ClassImport {
		t.Errorf("%+v", got)
	}
	seen := map[Class]bool{}
	for _, s := range strategies {
		if seen[s.Class] || !strings.HasSuffix(s.Words, ".") || len(s.Look) == 0 {
			t.Errorf("row %+v", s)
		}
		seen[s.Class] = true
	}
}

func TestC8APlateauAsksForWholeFunctions(t *testing.T) {
	t.Parallel()
	b := brief()
	_, before := prompted(t, b)
	b.Regenerate = true
	_, user := prompted(t, b)
	if strings.Contains(before, "Write the failing functions anew") || !strings.Contains(user, "Write the failing functions anew") {
		t.Error(user)
	}
}

func TestC8TheStrategySaysWhichRegionsComeFirst(t *testing.T) {
	t.Parallel()
	place := func(name, kind, text string) Place {
		return Place{Path: "a.py", Region: code.Region{Name: name, Kind: kind}, Code: text}
	}
	places := []Place{
		place("total", "function", "def total(x):\n    return x\n"),
		place("imports", code.KindBlock, "import os\n"),
		place("Item", "class", "class Item(BaseModel):\n    n: int\n"),
		place("show", "function", "@app.get('/items')\ndef show():\n    return total()\n"),
		place("area", "function", "def area(a, b):\n    return a * b\n"),
	}
	for name, tc := range map[string]struct {
		f    task.Failure
		want string
	}{
		"an import":    {task.Failure{Kind: task.FailImport, Message: "cannot import name x"}, "imports total Item show area"},
		"422":          {task.Failure{Kind: task.FailAssertion, Message: "HTTP 422"}, "Item show total imports area"},
		"404":          {task.Failure{Kind: task.FailAssertion, Message: "HTTP 404"}, "show total imports Item area"},
		"a call":       {task.Failure{Kind: task.FailException, Exception: "TypeError", Message: "area() takes 2 positional arguments but 3 were given"}, "area total imports Item show"},
		"an assertion": {task.Failure{Kind: task.FailAssertion, Message: "1 != 2"}, "total imports Item show area"},
	} {
		var got []string
		for _, p := range Look(places, []task.Failure{tc.f}) {
			got = append(got, p.Region.Name)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v, want %s", name, got, tc.want)
		}
	}
}
