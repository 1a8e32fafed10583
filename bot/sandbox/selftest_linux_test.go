package sandbox

import (
	"context"
	"os"
	"slices"
	"testing"
)

// The payload is led to a file of the self-test's content where it can read it:
// the judge has to hear of that, whatever else stands.
func TestS01TheSelfTestNoticesAFileOfTheHost(t *testing.T) {
	t.Parallel()
	if naked() {
		t.Skip("the payload would try to write to this machine's folders")
	}
	s := boxed(t, Config{})
	w, canary, err := s.trial(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	content, err := os.ReadFile(canary)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile("canary", content); err != nil {
		t.Fatal(err)
	}
	const fault = "it reached the host: file canary\n"
	for path, seen := range map[string]bool{canary: false, "/work/canary": true} {
		report := string(run(t, w, "/bin/sh", "-c", selfTestScript, "sh", path).Stdout)
		if faults := judgeSelfTest(report, true); slices.Contains(faults, fault) != seen {
			t.Errorf("%s: faults %q", path, faults)
		}
	}
}
