package mutate

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestR1AMarkOnlyMovesOneWay(t *testing.T) {
	t.Parallel()
	for lang, cases := range map[code.Language][][2]string{
		code.Python:     {{"def f(xs):\n    end = 0\n    for x in xs:\n        end = x.to\n    return end\n", "end = max(end, x.to)"}},
		code.JavaScript: {{"function f(xs) {\n  let end = 0;\n  for (const x of xs) {\n    end = x.to;\n  }\n  return end;\n}\n", "end = Math.max(end, x.to);"}},
		code.Go: {
			{"package p\n\nfunc f(xs []X) int {\n\tend := 0\n\tfor _, x := range xs {\n\t\tend = x.to\n\t}\n\treturn end\n}\n", "if x.to > end {\n\t\t\tend = x.to\n\t\t}"},
			{"package p\n\nfunc f(xs []time.Time, first time.Time) time.Time {\n\tfor _, x := range xs {\n\t\tfirst = x\n\t}\n\treturn first\n}\n", "if x.Before(first) {\n\t\t\tfirst = x\n\t\t}"},
		},
	} {
		for _, c := range cases {
			found := false
			for _, m := range Mutations(parse(t, lang, []byte(c[0])), 0, len(c[0])) {
				found = found || m.Operator == "keep_extreme" && strings.Contains(string(Apply([]byte(c[0]), m)), c[1])
			}
			if !found {
				t.Errorf("%s: nothing makes %q of\n%s", lang, c[1], c[0])
			}
			checkMutations(t, lang, []byte(c[0]), 0, len(c[0]), 1)
		}
	}
}
