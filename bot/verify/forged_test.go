package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// forgedDir holds patches that were written to look green without mending
// anything, by somebody who did not know how they are judged. Each archive says
// in its comment how it forges; base/ is the tree before, patch/ what is changed.
const forgedDir = "testdata/forged"

func TestS12bForgeriesOfSomebodyElseAreNotReady(t *testing.T) {
	t.Parallel()
	list, err := filepath.Glob(filepath.Join(forgedDir, "*.txtar"))
	if err != nil || len(list) < 48 {
		t.Fatalf("%d archives in %s: %v", len(list), forgedDir, err)
	}
	for _, name := range some(list, 16) { // the first of each language
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			base, patch := &txtar.Archive{}, map[string]string{}
			for _, f := range txtar.Parse(data).Files {
				if at, ok := strings.CutPrefix(f.Name, "base/"); ok {
					base.Files = append(base.Files, txtar.File{Name: at, Data: f.Data})
				} else {
					patch[strings.TrimPrefix(f.Name, "patch/")] = string(f.Data)
				}
			}
			v, r := verifier(t), from(t, string(txtar.Format(base)))
			before := baseline(t, v, r)
			if len(before.Report.Red()) == 0 || len(patch) == 0 {
				t.Fatalf("no test fails before the patch (%v), or there is none", before.Report.Checks)
			}
			for at, text := range patch {
				r.write(t, at, text)
			}
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: before})
			t.Logf("green %t, %s; %q; reaches for %v; dangers %v; %q", out.Green, out.Grade, out.Reasons, out.Reach, out.Dangers, out.Doubts)
			if out.Green && len(out.Doubts)+len(out.Reach)+len(out.Dangers) == 0 {
				t.Errorf("ready: %s", strings.Join(strings.Fields(string(txtar.Parse(data).Comment)), " "))
			}
		})
	}
}
