package mutate

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// pythonRepairs are pieces with one fault between « and », the right text after
// the |, by the operator that mends it.
var pythonRepairs = []struct{ operator, piece string }{
	{"yield_from", "def walk(n):\n    yield n\n    for c in n.kids:\n        «|yield from »walk(c)\n"},
	{"result_dropped", "def f(s):\n    «|s = »s.strip()\n    return s\n"},
	{"result_dropped", "def f(xs):\n    «sorted(xs, key=len)|xs.sort(key=len)»\n    return xs\n"},
	{"result_dropped", "def f(xs):\n    ys = «xs.sort(key=len)|sorted(xs, key=len)»\n    return ys\n"},
	{"method_form", "def f(s, p):\n    return s.«lstrip|removeprefix»(p)\n"},
	{"method_form", "def f(s):\n    return «s.split(\"=\")|s.split(\"=\", 1)»\n"},
	{"method_form", "def f(s):\n    return «s.split(\" \")|s.split()»\n"},
	{"method_form", "def f(q):\n    return «q.pop()|q.pop(0)»\n"},
	{"method_form", "def f(d, k):\n    return «d.get(k, [])|d.get(k) or []»\n"},
	{"time_part", "def f(a, b):\n    return «(a - b).seconds|(a - b).total_seconds()» / 60\n"},
	{"time_part", "def f(d):\n    return «d.weekday()|d.isoweekday()»\n"},
	{"rounding", "def f(a, b):\n    return «int(a / b)|round(a / b)»\n"},
	{"rounding", "from decimal import Decimal\ndef f(a):\n    return a.quantize(CENT«|, rounding=\"ROUND_HALF_UP\"»)\n"},
	{"key_store", "def f(d, k, v):\n    «d[k] = [v]|d.setdefault(k, []).append(v)»\n"},
	{"key_store", "def f(d, k, n):\n    «d[k] = n|d[k] = d.get(k, 0) + n»\n"},
	{"key_store", "def f(d):\n    return {«k: v|v: k» for k, v in d.items()}\n"},
	{"receiver_swap", "def f(need, have):\n    return «have.issubset(need)|need.issubset(have)»\n"},
	{"element_swap", "def f(base, mine):\n    return {«**mine, **base|**base, **mine»}\n"},
	{"element_swap", "def f(h, item, p):\n    push(h, («item, p|p, item»))\n"},
	{"sort_form", "def f(xs):\n    return sorted(xs, key=lambda x: «x.name|x.name.casefold()»)\n"},
	{"sort_form", "def f(xs):\n    return sorted(xs, key=lambda x: «x.due|(x.due is None, x.due)»)\n"},
	{"mixed_key", "class V:\n    def key(self):\n        return (self.num, «self.pre|tuple((isinstance(part, str), part) for part in self.pre)»)\n"},
	{"condition_term_drop", "def f(v):\n    if «v and v is not MISSING|v is not MISSING»:\n        return v\n    return None\n"},
	{"slice_form", "def f(xs, n):\n    return xs[«-n:|len(xs) - n:»]\n"},
	{"slice_form", "def f(xs, at, size):\n    return xs[«at:size|at:at + size»]\n"},
	{"format_spec", "def f(h, m):\n    return f\"{h}:{m«|:02d»}\"\n"},
	{"format_spec", "def f(h):\n    return f\"{h:«<|>»8}\"\n"},
	{"reset_field", "class T:\n    def __init__(self):\n        self._sum = None\n        self.xs = []\n    def add(self, x):\n        self.xs.append(x)«|\n        self._sum = None»\n"},
	{"note_seen", "def f(xs):\n    seen = set()\n    for x in xs:\n        if x in seen:\n            continue«|\n        seen.add(x)»\n        print(x)\n"},
	{"at_once", "def gcd(a, b):\n    while b:\n        «a = b\n        b = a % b|a, b = b, a % b»\n    return a\n"},
	{"clean_value", "def f(line):\n    «|line = line.strip()\n    »return line.split(\",\")\n"},
	{"exception_type", "def f(s):\n    try:\n        return int(s)\n    except (TypeError, ValueError«|, OverflowError»):\n        return 0\n"},
	{"exception_type", "def f(s):\n    try:\n        return int(s)\n    except «ValueError|(ValueError, TypeError)»:\n        return 0\n"},
	{"repeat", "def f(s):\n    «if|while» s.startswith(\"/\"):\n        s = s[1:]\n    return s\n"},
	{"logic_group", "def f(a, b, c):\n    return «a or b and c|(a or b) and c»\n"},
	{"logic_group", "def f(a, b):\n    return «not a and b|not (a and b)»\n"},
	{"into_branch", "def f(a, out):\n    if a:\n        b = 1\n«    out.append(a)|        out.append(a)»\n"},
}

func TestR1PythonOperatorsMendWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	for _, r := range pythonRepairs {
		faulty, right := sides(t, r.piece)
		tree, err := code.Parse(t.Context(), code.Python, []byte(faulty))
		if err != nil {
			t.Fatal(err)
		}
		by, n := "", 0
		for _, m := range Mutations(tree, 0, len(faulty)) {
			if strings.TrimRight(string(Apply([]byte(faulty), m)), "\n") == strings.TrimRight(right, "\n") {
				by = m.Operator
				if m.Description == "" {
					t.Errorf("%s: no sentence for people", by)
				}
			}
			n++
		}
		if by == "" {
			t.Errorf("%s: none of %d mutations mends\n%s\ninto\n%s", r.operator, n, faulty, right)
		}
	}
}

// TestR1PythonOperatorsKeepTheTextParsing holds each operator to texts that
// parse, on pieces that are not its own.
func TestR1PythonOperatorsKeepTheTextParsing(t *testing.T) {
	t.Parallel()
	for _, r := range pythonRepairs {
		faulty, _ := sides(t, r.piece)
		tree, err := code.Parse(t.Context(), code.Python, []byte(faulty))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range Mutations(tree, 0, len(faulty)) {
			after, err := code.Parse(t.Context(), code.Python, Apply([]byte(faulty), m))
			if err != nil {
				t.Fatal(err)
			}
			if after.Root().HasError() {
				t.Errorf("%s makes of\n%s\nwhat does not parse:\n%s", m.Operator, faulty, Apply([]byte(faulty), m))
			}
		}
	}
}
