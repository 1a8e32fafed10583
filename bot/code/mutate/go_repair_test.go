package mutate

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// goRepairs are faults of Go alone, with the operator that mends each. A body
// is what stands in a function; what begins with "package" is a whole file.
var goRepairs = []struct{ operator, marked string }{
	{"exit_kind", "package p\n\nfunc f(xs []string) ([]int, error) {\n\tvar out []int\n\tfor _, x := range xs {\n\t\tswitch x {\n\t\tcase \"end\":\n\t\t\t«break|return out, nil»\n\t\t}\n\t}\n\treturn out, nil\n}\n"},
	{"exit_kind", "package p\n\nfunc f(xs []string) {\n«|outer:\n»\tfor _, x := range xs {\n\t\tswitch x {\n\t\tcase \"end\":\n\t\t\tbreak«| outer»\n\t\t}\n\t}\n}\n"},
	{"exit_kind", "package p\n\nfunc f(xs [][]int) {\n«|outer:\n»\tfor _, x := range xs {\n\t\tfor _, y := range x {\n\t\t\tif y < 0 {\n\t\t\t\tcontinue«| outer»\n\t\t\t}\n\t\t}\n\t}\n}\n"},
	{"exit_kind", "package p\n\nfunc f(xs [][]int) {\nnext:\n\tfor _, x := range xs {\n\t\tfor _, y := range x {\n\t\t\tif y < 0 {\n\t\t\t\t«break|continue» next\n\t\t\t}\n\t\t}\n\t}\n}\n"},
	{"case_fall", "package p\n\nfunc f(k string) int {\n\tswitch k {\n\tcase \"a\":«|\n\t\tfallthrough»\n\tcase \"b\":\n\t\treturn 1\n\t}\n\treturn 0\n}\n"},
	{"case_value", "package p\n\ntype K int\n\nconst (\n\tA K = iota\n\tB\n\tC\n)\n\nfunc f(k K) bool {\n\tswitch k {\n\tcase A«|, C»:\n\t\treturn true\n\tcase B:\n\t\treturn false\n\t}\n\treturn false\n}\n"},
	{"range_value", "package p\n\nfunc f(xs []int) (n int) {\n\tfor «x|_, x» := range xs {\n\t\tn += x\n\t}\n\treturn n\n}\n"},
	{"range_value", "package p\n\nfunc f(xs []int) int {\n\tbest := xs[0]\n\tfor _, x := range xs«|[1:]» {\n\t\tbest -= x\n\t}\n\treturn best\n}\n"},
	{"reset_in_loop", "package p\n\nfunc f(rows [][]int) (out []int) {\n\tsum := 0\n\tfor _, row := range rows {\n\t\t«|sum = 0\n\t\t»for _, x := range row {\n\t\t\tsum += x\n\t\t}\n\t\tout = append(out, sum)\n\t}\n\treturn out\n}\n"},
	{"reset_in_loop", "package p\n\nfunc f(rows [][]int) (out [][]int) {\n\tvar line []int\n\tg()\n\tfor _, row := range rows {\n\t\t«|line = nil\n\t\t»for _, x := range row {\n\t\t\tline = append(line, x)\n\t\t}\n\t\tout = append(out, line)\n\t}\n\treturn out\n}\n"},
	{"begin_empty", "package p\n\nfunc f(xs []int, limit int) int {\n\tsum := «limit|0»\n\tfor _, x := range xs {\n\t\tsum += x\n\t}\n\treturn sum\n}\n"},
	{"after_removal", "package p\n\nfunc f(xs []int) []int {\n\tfor i := 0; i < len(xs); i++ {\n\t\tif xs[i] == 0 {\n\t\t\txs = append(xs[:i], xs[i+1:]...)«|\n\t\t\ti--»\n\t\t}\n\t}\n\treturn xs\n}\n"},
	{"write_back", "package p\n\nfunc f(m map[string]T, k string) {\n\tt := m[k]\n\tt.n++«|\n\tm[k] = t»\n}\n"},
	{"write_back", "package p\n\nfunc f(s *S, i int) {\n\tt := «|&»s.rows[i]\n\tt.n = 3\n\tg(t)\n}\n"},
	{"copy_before_sort", "package p\n\nimport \"sort\"\n\nfunc f(xs []int) []int {\n\t«|xs = append(xs[:0:0], xs...)\n\t»sort.Ints(xs)\n\treturn xs\n}\n"},
	{"copy_before_sort", "package p\n\nimport \"sort\"\n\nfunc (s *S) f() []int {\n\tout := «s.list|append(s.list[:0:0], s.list...)»\n\tsort.Ints(out)\n\treturn out\n}\n"},
	{"sort_missing", "package p\n\nimport \"sort\"\n\nfunc f(m map[string]int) []string {\n\tvar out []string\n\tfor k := range m {\n\t\tout = append(out, k)\n\t}«|\n\tsort.Strings(out)»\n\treturn out\n}\n\nfunc g(xs []int) { sort.Ints(xs) }\n"},
	{"second_key", "package p\n\ntype J struct {\n\tat time.Time\n\tid int\n}\n\nfunc less(a, b J) bool {\n\treturn a.at.Before(b.at)«| || a.at.Equal(b.at) && a.id < b.id»\n}\n"},
	{"second_key", "package p\n\nimport \"cmp\"\n\ntype J struct {\n\trank int\n\tid int\n}\n\nfunc less(a, b J) int {\n\treturn «cmp.Compare(a.rank, b.rank)|cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))»\n}\n"},
	{"format_verb", "package p\n\nfunc f(h, m int) string { return fmt.Sprintf(\"%d:«%d|%02d»\", h, m) }\n"},
	{"format_verb", "package p\n\nfunc f(s string) string { return fmt.Sprintf(\"«%s|%q»\", s) }\n"},
	{"format_verb", "package p\n\nfunc f(s string) string { return fmt.Sprintf(\"«%8s|%-8s»|\", s) }\n"},
	{"time_layout", "package p\n\nfunc f(t time.Time) string { return t.Format(\"2006-«02-01|01-02»\") }\n"},
	{"time_layout", "package p\n\nfunc f(t time.Time) string { return t.Format(\"«03|15»:04\") }\n"},
	{"number_base", "package p\n\nfunc f(s string) (int64, error) { return strconv.ParseInt(s, «0|10», 64) }\n"},
	{"rune_constant", "package p\n\nfunc f(r rune) bool { return r >= 'a' && r <= «'Z'|'z'» }\n"},
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
	{"comma_ok", "package p\n\nfunc f(m map[string]int, k string) bool {\n\tif «m[k] != 0|_, ok := m[k]; ok» {\n\t\treturn true\n\t}\n\treturn false\n}\n"},
	{"comma_ok", "package p\n\nfunc f(m map[string]int, k string) int {\n\t«v := m[k]\n\tif v == 0|v, ok := m[k]\n\tif !ok» {\n\t\treturn 7\n\t}\n\treturn v\n}\n"},
	{"comma_ok", "package p\n\nfunc f(m map[string]int, k string) int {\n\tif «v := m[k]; v != 0|v, ok := m[k]; ok» {\n\t\treturn v\n\t}\n\treturn 7\n}\n"},
	{"nil_or_empty", "package p\n\nfunc f(xs []int) bool { return «xs == nil|len(xs) == 0» }\n"},
	{"literal_field", "package p\n\ntype T struct{ a, b int }\n\nfunc f(o T) T { return T{a: o.a«|, b: o.b»} }\n"},
	{"literal_field", "package p\n\ntype T struct{ a, b int }\n\nfunc f(a, b int) T { return T{a: a«|, b: b»} }\n"},
	{"clone_field", "package p\n\ntype T struct{ xs []int }\n\nfunc (t *T) clone() *T {\n\tc := *t«|\n\tc.xs = append([]int(nil), t.xs...)»\n\treturn &c\n}\n"},
	{"error_as", "package p\n\nimport \"errors\"\n\nfunc f(err error) bool {\n\t«if e, ok := err.(*E); ok|var e *E\n\tif errors.As(err, &e)» {\n\t\treturn e.n > 0\n\t}\n\treturn errors.Is(err, nil)\n}\n"},
	{"sentinel_error", "package p\n\nvar ErrNone = errors.New(\"none\")\n\nfunc f(k string) error {\n\treturn fmt.Errorf(\"«get %s\"|%w: get %s\", ErrNone», k)\n}\n"},
	{"unlock_late", "package p\n\nfunc (s *S) f() int {\n\ts.mu.Lock()\n\t«n := s.n\n\ts.mu.Unlock()\n|defer s.mu.Unlock()\n\tn := s.n\n»\treturn n\n}\n"},
	{"defer_arguments", "package p\n\nfunc f() (n int) {\n\tdefer «log(n)|func() { log(n) }()»\n\tn = 3\n\treturn n\n}\n"},
	{"balance", "package p\n\nfunc (s *S) all(e *E) {\n" + strings.Repeat("\ts.note(e)\n", 9) + "}\n\nfunc (s *S) put(e *E, weight int) {\n\tif e.old {\n\t\t«|s.used -= e.weight\n\t\t»e.weight = weight\n\t}\n\ts.used += weight\n}\n\nfunc (s *S) drop(e *E) {\n\ts.used -= e.weight\n}\n"},
	{"keep_remainder", "package p\n\nfunc (b *B) fill(now int64) {\n\tgained := (now - b.last) / b.step\n\tb.tokens += int(gained)\n\tb.last «= now|+= gained * b.step»\n}\n"},
	{"close_channel", "package p\n\nfunc f(ch chan int, xs []int) {\n\tgo func() {\n\t\t«|defer close(ch)\n\t\t»for _, x := range xs {\n\t\t\tch <- x\n\t\t}\n\t}()\n}\n"},
	{"count_first", "package p\n\nfunc f(wg *sync.WaitGroup) {\n\t«go func() {\n\t\twg.Add(1)\n|wg.Add(1)\n\tgo func() {\n»\t\tdefer wg.Done()\n\t\tg()\n\t}()\n}\n"},
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
	for _, op := range golangOperators()[18:] {
		if !mended[op.name] {
			t.Errorf("no case for %s", op.name)
		}
	}
}
