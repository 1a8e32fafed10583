package mend

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code/mutate"
)

func TestR1EachExpressionComesToTheWantedValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "expressions")
		var exprs []madeExpr
		for i := range n {
			exprs = append(exprs, madeExpr{fmt.Sprint("e", i), "", rapid.Float64Range(0, 5).Draw(t, "cost")})
		}
		value := rapid.SampledFrom([]string{"1", "2", "!E"})
		var records []siteRecord
		for range rapid.IntRange(0, 6).Draw(t, "executions") {
			r := siteRecord{Red: rapid.Bool().Draw(t, "red"), Old: value.Draw(t, "old"), Table: []string{"1", "2", "!E"}}
			for range exprs {
				r.Values = append(r.Values, rapid.IntRange(-1, 3).Draw(t, "value"))
			}
			records = append(records, r)
		}
		told := map[string]bool{}
		for _, w := range wishesOf(exprs, records) {
			if w.Want == w.Was {
				t.Fatalf("a wish for what is there already: %+v", w)
			}
			for _, e := range w.Exprs {
				if told[e.Text] {
					t.Fatalf("%s is told twice", e.Text)
				}
				told[e.Text] = true
				agrees(t, w, e, exprs, records)
			}
		}
	})
}

// agrees holds an expression of a wish against the records.
func agrees(t *rapid.T, w wish, e wishExpr, exprs []madeExpr, records []siteRecord) {
	index := func(text string) int {
		for i := range exprs {
			if exprs[i].text == text {
				return i
			}
		}
		return -1
	}
	wanted, broken := false, 0
	for _, r := range records {
		v := r.value(index(e.Text))
		switch {
		case r.Red && v != r.value(index(w.Exprs[0].Text)):
			t.Fatalf("%s comes to %s where %s comes to something else", e.Text, v, w.Exprs[0].Text)
		case r.Red && v == w.Want && r.Old == w.Was:
			wanted = true
		case !r.Red && v != r.Old:
			broken++
		}
	}
	if !wanted || broken != e.Broken {
		t.Fatalf("%s: comes to %s somewhere: %v, breaks %d of the passing executions, said %d", e.Text, w.Want, wanted, broken, e.Broken)
	}
}

func TestR1WhatIsMadeIsMergedByItsLeastCost(t *testing.T) {
	t.Parallel()
	got := mergeMade([]madeExpr{{"b", "b", 2}, {"a", "a", 1}}, []madeExpr{{"b", "b", 0.5}, {"c", "c", 1}})
	var texts []string
	for _, e := range got {
		texts = append(texts, e.text)
	}
	if s := strings.Join(texts, " "); s != "b a c" {
		t.Errorf("merged to %q", s)
	}
}

// sitesOfAll are expressions that hold together in all the ways there are.
var sitesOfAll = map[string][]string{
	"python":     {"a", "a + b", "a * b", "a - b if flag else b", "not flag", "flag and a > b", "flag or a", "a > b", "-a", "text.strip()", "items[0]", "a or b"},
	"javascript": {"a", "a + b", "a * b", "flag ? a : b", "!flag", "flag && a > b", "flag || a", "a > b", "-a", "text.trim()", "items[0]", "a ?? b"},
}

// TestR1WhatIsMadeIsWhatItSays works the text of what is made out at its place, and
// compares it with what was worked out for it: no operator pulls it apart.
func TestR1WhatIsMadeIsWhatItSays(t *testing.T) {
	t.Parallel()
	asks := map[string][]any{}
	for _, kind := range []string{mutate.SiteValue, mutate.SiteCondition} {
		needs := []int{0, 7}
		if !testing.Short() {
			needs = append(needs, 5, 10)
		}
		for _, need := range needs {
			for _, own := range sitesOfAll["python"] {
				asks["python"] = append(asks["python"], pythonSite{Kind: kind, Text: own, Need: need, Near: []string{"a", "text"}, Chains: []string{}, Parts: []string{},
					Literals: []string{"2", `"x"`}, Functions: []string{}})
			}
			for _, own := range sitesOfAll["javascript"] {
				ask := newNodeAsk(&mutate.Site{Kind: kind, Text: own, Need: need, Near: []string{"a", "text"}, Literals: []string{"2", `"x"`}})
				ask.Names = []string{"a", "b", "flag", "text", "items"}
				asks["javascript"] = append(asks["javascript"], ask)
			}
		}
	}
	for lang, argv := range map[string][]string{"python": {"python3", "-", pythonMade}, "javascript": {"node", "-", nodeMade}} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(asks[lang])
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(argv[0], argv[1])
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(argv[2], "ASKS", string(raw)))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "right") {
				t.Errorf("%v\n%s", err, out[max(0, len(out)-3000):])
			}
		})
	}
}

// pythonMade prints "right" when all that is made is what it says.
var pythonMade = strings.TrimSuffix(pythonDriver, "\nmain()\n") + `
scope = {"a": 3, "b": 5, "flag": True, "text": " Ab ", "items": [4, 7]}
around = {0: "%s", 3: "%s and 7", 5: "%s > 4", 7: "9 - %s", 10: "%s[0:1]"}

def outcome(text, scope, own=None):
    try:
        return show(eval(text, dict(scope), own))
    except Exception as e:
        return "!" + type(e).__name__

wrong = 0
for ask in json.loads(r'''ASKS'''):
    own = Own(eval("lambda: (" + ask["text"] + ")", dict(scope)))
    made = Maker(ask, scope, own).make(dict(scope))
    wrong += not made
    for text, code, cost in made[::7]:
        value = outcome(code, scope, own)
        want = value if value[:1] == "!" else outcome(around[ask["need"]] % "_v", {"_v": eval(code, dict(scope), own)})
        got = outcome(around[ask["need"]] % text, scope)
        if got != want:
            wrong += 1
            print(ask["need"], text, "|", code, got, want)
print("wrong" if wrong else "right")
`

var nodeMade = `
const _told = [];
const _fs = { appendFileSync: (file, text) => _told.push(JSON.parse(text)) };
process.getBuiltinModule = () => _fs;
const a = 3, b = 5, flag = true, text = ' Ab ', items = [4, 7];
const _around = { 0: (x) => x, 3: (x) => x + ' && 7', 5: (x) => x + ' > 4', 7: (x) => '9 - ' + x, 10: (x) => x + '[0]' };
const _outcome = (f) => { try { return JSON.stringify([f()], (k, v) => (typeof v === 'number' && !Number.isFinite(v) ? String(v) : v)); } catch (e) { return '!' + e.name; } };
let _wrong = 0, _number = 0;
for (const _ask of ASKS) {
  _told.length = 0;
  _ask.number = ++_number;
  const fettleAsk = _ask;
  ` + nodeAngel + `
  globalThis.__fettle_site(() => eval(_ask.text), (__s) => eval(__s));
  const _made = _told.find((x) => x.made)?.made ?? [], _mine = eval(_ask.text);
  globalThis.__fettle_own = () => _mine;
  if (!_made.length) _wrong++;
  for (const _m of _made.filter((_, i) => i % 7 === 0)) {
    const want = _outcome(() => { const _v = eval('(' + _m[1] + ')'); return eval(_around[_ask.need]('_v')); });
    const got = _outcome(() => eval('(' + _around[_ask.need](_m[0]) + ')'));
    if (got !== want) { _wrong++; console.log(_ask.need, _m[0], '|', _m[1], got, want); }
  }
}
console.log(_wrong ? 'wrong' : 'right');
`
