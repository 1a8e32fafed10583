package main

import (
	"fmt"
	"strings"
)

// house is what each repository has of its own: habits that no rule of fettle's knows.
const house = `"""Habits of this house."""
import contextlib


class Missing(Exception):
    """There is no such thing."""


def clean(label):
    """How labels are written here."""
    return label.strip().casefold().replace(" ", "-")


def euro(cents):
    """Amounts are kept in cents."""
    return cents / 100


def rounded(amount):
    """Money goes to the next five cents."""
    return round(amount * 20) / 20


def order(row):
    """The latest first, and by name within a day."""
    return (-row[0], row[1])


def hidden(row):
    """Names with an underscore are nobody's business."""
    return row[1].startswith("_")


def check(user):
    """Whoever is not active does nothing."""
    if not user.get("active"):
        raise PermissionError(user["name"])


log = []


@contextlib.contextmanager
def locked(thing):
    """Nobody else changes it meanwhile."""
    log.append("lock")
    try:
        yield thing
    finally:
        log.append("unlock")
`

// kind is a fault that comes back: a function as it should be, the same with the fault, and
// tests. In each, F, A, B and C stand for names that differ from one task to the next.
type kind struct {
	name         string
	right, wrong string
	tests        string // of the repository: those named test_shows_ are red with the fault
	held         string // held back
	says         string // the issue
}

var kinds = []kind{
	{
		name:  "what is missing",
		right: "def F(A, B):\n    C = A.get(clean(B))\n    if C is None:\n        raise Missing(B)\n    return C * 2\n",
		wrong: "def F(A, B):\n    C = A.get(B)\n    return C * 2\n",
		tests: "    def test_known(self):\n        self.assertEqual(F({\"a\": 2}, \"a\"), 4)\n\n    def test_shows_unknown(self):\n        self.assertEqual(F({\"sea-view\": 3}, \" Sea View\"), 6)\n        with self.assertRaises(Missing):\n            F({}, \"a\")\n",
		held:  "assert F({\"x-y\": 3}, \"X y\") == 6\ntry:\n    F({\"x\": 1}, \"y\")\nexcept Missing:\n    pass",
		says:  "F({\"sea-view\": 3}, \" Sea View\") ends with a TypeError and should give 6; F({}, \"a\") should raise Missing.",
	},
	{
		name:  "cents",
		right: "def F(A, B):\n    C = euro(A) * B / 7\n    return rounded(C)\n",
		wrong: "def F(A, B):\n    C = A * B / 7\n    return C\n",
		tests: "    def test_nothing(self):\n        self.assertEqual(F(0, 3), 0)\n\n    def test_shows_cents(self):\n        for a, b, want in [(1000, 3, 4.3), (1100, 2, 3.15), (500, 5, 3.55), (900, 1, 1.3)]:\n            self.assertEqual(F(a, b), want)\n",
		held:  "assert [F(n * 100, 13) for n in range(1, 9)] == [round(n * 13 / 7 * 20) / 20 for n in range(1, 9)]",
		says:  "F(1000, 3) gives 428.57142857142856 and should give 4.3.",
	},
	{
		name:  "a lock",
		right: "def F(A, B):\n    with locked(A):\n        C = A[\"n\"] - B\n        A[\"n\"] = C\n    return C\n",
		wrong: "def F(A, B):\n    C = A[\"n\"] - B\n    A[\"n\"] = C\n    return C\n",
		tests: "    def test_takes(self):\n        self.assertEqual(F({\"n\": 4}, 1), 3)\n\n    def test_shows_locked(self):\n        log.clear()\n        self.assertEqual(F({\"n\": 9}, 2), 7)\n        self.assertEqual(log, [\"lock\", \"unlock\"])\n",
		held:  "log.clear()\nthing = {\"n\": 5}\nassert F(thing, 5) == 0 and thing == {\"n\": 0} and log == [\"lock\", \"unlock\"]",
		says:  "F({\"n\": 9}, 2) should lock what it changes, so that log holds lock and unlock afterwards; it is empty.",
	},
	{
		name:  "what is hidden",
		right: "def F(A, B):\n    C = [row for row in sorted(A, key=order) if not hidden(row)]\n    return C[:B]\n",
		wrong: "def F(A, B):\n    C = sorted(A)\n    return C[:B]\n",
		tests: "    def test_one(self):\n        self.assertEqual(F([(1, \"a\")], 1), [(1, \"a\")])\n\n    def test_shows_latest(self):\n        self.assertEqual(F([(1, \"c\"), (3, \"b\"), (3, \"_x\"), (3, \"a\"), (2, \"d\")], 3), [(3, \"a\"), (3, \"b\"), (2, \"d\")])\n",
		held:  "assert F([(5, \"q\"), (9, \"z\"), (7, \"_k\"), (9, \"b\"), (1, \"a\")], 9) == [(9, \"b\"), (9, \"z\"), (5, \"q\"), (1, \"a\")]",
		says:  "F([(1, \"c\"), (3, \"b\"), (3, \"_x\"), (3, \"a\"), (2, \"d\")], 3) gives the oldest first and should give [(3, \"a\"), (3, \"b\"), (2, \"d\")].",
	},
	{
		name:  "a guard",
		right: "def F(A, B):\n    check(A)\n    C = A[\"name\"].title()\n    return C + clean(B)\n",
		wrong: "def F(A, B):\n    C = A[\"name\"].title()\n    return C + B\n",
		tests: "    def test_active(self):\n        self.assertEqual(F({\"name\": \"a\", \"active\": True}, \"!\"), \"A!\")\n\n    def test_shows_inactive(self):\n        self.assertEqual(F({\"name\": \"a\", \"active\": True}, \"B c\"), \"Ab-c\")\n        with self.assertRaises(PermissionError):\n            F({\"name\": \"a\", \"active\": False}, \"!\")\n",
		held:  "try:\n    F({\"name\": \"b\"}, \"?\")\nexcept PermissionError:\n    pass\nelse:\n    raise SystemExit(1)\nassert F({\"name\": \"b\", \"active\": 1}, \"Q Q\") == \"Bq-q\"",
		says:  "F({\"name\": \"a\", \"active\": False}, \"!\") gives \"A!\" and should raise a PermissionError; F({\"name\": \"a\", \"active\": True}, \"B c\") should give \"Ab-c\".",
	},
}

// Names of the house's things, so that no two tasks have a line in common by chance.
var (
	nouns  = strings.Fields("price weight stay parcel ticket season guest breakfast garden bicycle linen deposit voucher laundry minibar transfer locker sauna terrace cradle firewood kayak lantern hammock bonfire orchard ferry stable balcony cellar")
	first  = strings.Fields("table bag chart store basket ledger rack folder shelf sheet crate drawer book board tray panel grid bundle stack roll")
	second = strings.Fields("label item entry key mark field tag part token slot name piece unit note cell line word sign card code")
	third  = strings.Fields("found got worth share result value amount rest figure sum outcome answer total number count base lot whole rate size")
)

// task is one fault in one module of a repository.
type errand struct {
	repo, half   int
	kind         kind
	module       string
	right, wrong string // the file
	tests, held  string
	title, body  string
}

// errands are n for each of the repositories, in the order in which they come: each kind
// comes once before any comes again.
func errands(repos, n int) (out []errand) {
	for i := range n {
		for r := range repos {
			k, at := kinds[i%len(kinds)], i*repos+r
			noun := nouns[at%len(nouns)]
			names := strings.NewReplacer("F", "of_"+noun, "A", first[at%len(first)], "B", second[(at*7+r)%len(second)], "C", third[(at*3+i)%len(third)])
			// What is in quotes, and names of classes, are no names of ours.
			put := func(text string) string {
				var b strings.Builder
				for j, word := range splitWords(text) {
					if j%2 == 1 && len(word) == 1 {
						word = names.Replace(word)
					}
					b.WriteString(word)
				}
				return b.String()
			}
			head := fmt.Sprintf("\"\"\"Of each %s.\"\"\"\nfrom house import Missing, check, clean, euro, hidden, locked, order, rounded  # noqa: F401\n\n\n", noun)
			e := errand{repo: r, half: min(1, i*2/n), kind: k, module: noun, right: head + put(k.right), wrong: head + put(k.wrong), held: "from house import Missing, log  # noqa: F401\nfrom " + noun + " import of_" + noun + "\n" + put(k.held) + "\n"}
			e.tests = fmt.Sprintf("import unittest\n\nfrom house import Missing, log  # noqa: F401\nfrom %s import of_%s\n\n\nclass %s(unittest.TestCase):\n%s", noun, noun, strings.ToUpper(noun[:1])+noun[1:], put(k.tests))
			e.title, e.body = fmt.Sprintf("of_%s does not keep to the house: %s", noun, k.name), put(k.says)+" The red test is in test_"+noun+".py."
			out = append(out, e)
		}
	}
	return out
}

// splitWords cuts a text into what is between words, a word, what is between, and so on.
func splitWords(text string) (out []string) {
	at, in := 0, false
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			quoted = !quoted
		}
		word := !quoted && (c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
		if word != in {
			out = append(out, text[at:i])
			at, in = i, word
		}
	}
	return append(out, text[at:])
}
