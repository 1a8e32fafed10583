package sandbox

import (
	"context"
	"strings"
	"testing"
)

// TestS12bWhatIsWrittenToABuildCacheReachesNoOtherJudgement: the compiled library
// that a later test is linked with lies there.
func TestS12bWhatIsWrittenToABuildCacheReachesNoOtherJudgement(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{}).Session()
	t.Cleanup(func() { _ = s.Close() })
	if b, ok := s.back.(layeredCache); ok {
		if c, err := b.layeredCache(&Workspace{box: s}); c == nil || err != nil {
			t.Skip("this user cannot mount overlayfs: workspaces of a run share one cache")
		} else if err := c.drop(); err != nil {
			t.Fatal(err)
		}
	}
	write := func(keep bool, text string) {
		t.Helper()
		w, err := s.Workspace(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if keep {
			w.Keep()
		}
		if r := run(t, w, "sh", "-c", "mkdir -p /cache/d; if [ -f /cache/d/base ]; then echo forged > /cache/d/base; fi; echo "+text+" > /cache/d/"+text); !r.OK() {
			t.Fatalf("%s", r.Stderr)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	seen := func() string {
		t.Helper()
		w := workspace(t, s, nil)
		return strings.TrimSpace(string(run(t, w, "sh", "-c", "cat /cache/d/* 2>/dev/null; true").Stdout))
	}
	write(false, "before")
	if got := seen(); got != "" {
		t.Errorf("a workspace sees what another wrote: %q", got)
	}
	write(true, "base")
	write(true, "second")
	write(false, "judged")
	if got := seen(); got != "base" {
		t.Errorf("%q is seen, not what the run of the base kept", got)
	}
	if other := workspace(t, s.Session(), nil); run(t, other, "test", "-e", "/cache/d").OK() {
		t.Error("another run sees it")
	}
}
