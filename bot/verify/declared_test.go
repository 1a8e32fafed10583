package verify

import (
	"strings"
	"testing"
)

const calculator = `-- .fettle.yml --
checks:
  - name: unit
    run: sh test.sh
    format: FORMAT
-- add.sh --
echo $(($1 - $2))
-- test.sh --
BODY
`

func TestC9ACommandOfAnyRunnerShowsAFixAndIsNeverMoreThanTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, red, format string }{
		"tap":        {`echo 1..2; echo ok 1 - zero; if [ "$(sh add.sh 1 2)" = 3 ]; then echo ok 2 - adds; else echo not ok 2 - adds; exit 1; fi`, "unit:.:adds", "tap"},
		"json lines": {`echo '{"test": "zero", "status": "passed"}'; if [ "$(sh add.sh 1 2)" = 3 ]; then echo '{"test": "adds", "file": "test.sh", "status": "passed"}'; else echo '{"test": "adds", "file": "test.sh", "status": "failed", "message": "1 + 2 is not 3"}'; exit 1; fi`, "unit:.:test.sh > adds", "json-lines"},
		"exit":       {`[ "$(sh add.sh 1 2)" = 3 ]`, "unit:.:sh test.sh", "exit"},
		"junit":      {`if [ "$(sh add.sh 1 2)" = 3 ]; then f=; else f='<failure message="1 + 2"/>'; fi; mkdir -p out; echo "<testsuite><testcase name='adds'>$f</testcase></testsuite>" > out/r.xml; [ -z "$f" ]`, "unit:.:adds", "junit\n    report: out/*.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, r := verifier(t), from(t, strings.NewReplacer("FORMAT", c.format, "BODY", c.body).Replace(calculator))
			before := baseline(t, v, r)
			if got := strings.Join(before.Red(), " "); got != c.red {
				t.Fatalf("red before: %q, %+v", got, before.Report.Broken)
			}
			r.write(t, "add.sh", "echo $(($1 + $2))\n")
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before})
			if !out.Green || out.Grade != Told || len(out.Doubts) == 0 {
				t.Errorf("green %t, %s, %q, doubts %q", out.Green, out.Grade, out.Reasons, out.Doubts)
			}
			r.write(t, "add.sh", "echo 4\n")
			if out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before}); out.Green {
				t.Error("a change that mends nothing is green")
			}
		})
	}
}
