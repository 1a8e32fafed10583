package mutate

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// goRepairs are faults of Go alone, with the operator that mends each. A body
// is what stands in a function; what begins with "package" is a whole file.
var goRepairs = []struct{ operator, marked string }{
	{"range_value", "package p\n\nfunc f(xs []int) (n int) {\n\tfor «x|_, x» := range xs {\n\t\tn += x\n\t}\n\treturn n\n}\n"},
	{"range_value", "package p\n\nfunc f(xs []int) int {\n\tbest := xs[0]\n\tfor _, x := range xs«|[1:]» {\n\t\tbest -= x\n\t}\n\treturn best\n}\n"},
	{"after_removal", "package p\n\nfunc f(xs []int) []int {\n\tfor i := 0; i < len(xs); i++ {\n\t\tif xs[i] == 0 {\n\t\t\txs = append(xs[:i], xs[i+1:]...)«|\n\t\t\ti--»\n\t\t}\n\t}\n\treturn xs\n}\n"},
	{"copy_before_sort", "package p\n\nimport \"sort\"\n\nfunc f(xs []int) []int {\n\t«|xs = append(xs[:0:0], xs...)\n\t»sort.Ints(xs)\n\treturn xs\n}\n"},
	{"copy_before_sort", "package p\n\nimport \"sort\"\n\nfunc (s *S) f() []int {\n\tout := «s.list|append(s.list[:0:0], s.list...)»\n\tsort.Ints(out)\n\treturn out\n}\n"},
	{"second_key", "package p\n\ntype J struct {\n\tat time.Time\n\tid int\n}\n\nfunc less(a, b J) bool {\n\treturn a.at.Before(b.at)«| || a.at.Equal(b.at) && a.id < b.id»\n}\n"},
	{"second_key", "package p\n\nimport \"cmp\"\n\ntype J struct {\n\trank int\n\tid int\n}\n\nfunc less(a, b J) int {\n\treturn «cmp.Compare(a.rank, b.rank)|cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))»\n}\n"},
	{"trim_form", "package p\n\nfunc f(s string) string { return «strings.Trim(s, \" \")|strings.TrimSpace(s)» }\n"},
	{"trim_form", "package p\n\nfunc f(s string) string { return «strings.TrimSpace(s)|strings.TrimRight(s, \" \\t\")» }\n"},
	{"prefix_edge", "package p\n\nfunc f(p, root string) bool { return «strings.HasPrefix(p, root)|p == root || strings.HasPrefix(p, root+\"/\")» }\n"},
	{"prefix_edge", "package p\n\nfunc f(a, b string) bool { return «strings.Contains(a, b)|a == b» }\n"},
	{"text_equality", "package p\n\nimport \"strings\"\n\nfunc f(a, b string) bool { return «a == b|strings.HasPrefix(a, b)» && strings.ToLower(a) != \"\" }\n"},
	{"digit_value", "package p\n\nfunc f(s string) (n int) {\n\tfor _, r := range s {\n\t\tn += int(«r|r - '0'»)\n\t}\n\treturn n\n}\n"},
	{"text_length", "package p\n\nimport \"unicode/utf8\"\n\nfunc f(s string) bool { return utf8.ValidString(s) && «len|utf8.RuneCountInString»(s) < 4 }\n"},
	{"time_edge", "package p\n\nfunc f(t, end time.Time) bool { return «t.Before(end)|!t.After(end)» }\n"},
	{"time_edge", "package p\n\nfunc f(t, end time.Time) bool { return «!t.Before(end)|t.After(end)» }\n"},
	{"time_equal", "package p\n\nfunc f(t, end time.Time) bool { return «t == end|t.Equal(end)» }\n"},
	{"calendar_day", "package p\n\nfunc f(t time.Time, n int) time.Time { return «t.Add(time.Duration(n) * 24 * time.Hour)|t.AddDate(0, 0, n)» }\n"},
	{"calendar_day", "package p\n\nfunc f(t time.Time) int { return «int(t.Weekday())|(int(t.Weekday())+6)%7» }\n"},
	{"time_place", "package p\n\nfunc f(t time.Time) time.Time { return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, «time.UTC|t.Location()») }\n"},
	{"wrap_around", "package p\n\nfunc f(i, n int) int { return «i % n|(i%n + n) % n» }\n"},
	{"wrap_around", "package p\n\nfunc f(a, b int) int { return «a / b|(a + b/2) / b» }\n"},
	{"floor_value", "package p\n\nfunc f(a, b int) int { return «a - b|max(0, a - b)» }\n"},
	{"signed_difference", "package p\n\nfunc f(a, b uint) bool { return «a - b|int(a) - int(b)» < 0 }\n"},
	{"round_half", "package p\n\nfunc f(x float64) int { return int(«x * 100|x * 100 + 0.5») }\n"},
	{"nil_or_empty", "package p\n\nfunc f(xs []int) bool { return «xs == nil|len(xs) == 0» }\n"},
	{"error_as", "package p\n\nimport \"errors\"\n\nfunc f(err error) bool {\n\t«if e, ok := err.(*E); ok|var e *E\n\tif errors.As(err, &e)» {\n\t\treturn e.n > 0\n\t}\n\treturn errors.Is(err, nil)\n}\n"},
	{"defer_arguments", "package p\n\nfunc f() (n int) {\n\tdefer «log(n)|func() { log(n) }()»\n\tn = 3\n\treturn n\n}\n"},
}

// markedSides takes a text apart whose marks may come more than once and may
// stand beside the sign that parts the sides.
func markedSides(marked string) (faulty, right string) {
	var a, b strings.Builder
	for {
		before, rest, found := strings.Cut(marked, "«")
		a.WriteString(before)
		b.WriteString(before)
		if !found {
			return a.String(), b.String()
		}
		middle, after, _ := strings.Cut(rest, "»")
		i := strings.IndexByte(middle, '|')
		a.WriteString(middle[:i])
		b.WriteString(middle[i+1:])
		marked = after
	}
}

func TestR1OperatorsOfGoMendTheirFaults(t *testing.T) {
	t.Parallel()
	mended := map[string]bool{}
	for _, tc := range goRepairs {
		faulty, right := markedSides(tc.marked)
		tree := parse(t, code.Go, []byte(faulty))
		found := false
		for _, m := range Mutations(tree, 0, len(faulty)) {
			if m.Operator == tc.operator && plain(string(Apply([]byte(faulty), m))) == plain(right) {
				found = true
			}
		}
		if !found {
			t.Errorf("%s does not mend\n%s\ninto\n%s", tc.operator, faulty, right)
		}
		mended[tc.operator] = true
		for _, src := range []string{faulty, right} {
			checkMutations(t, code.Go, []byte(src), 0, len(src), 3)
		}
	}
}
