package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// naked tells whether the tests run with the backend none, to be seen failing.
func naked() bool { return os.Getenv(sandboxtest.Backend) == None }

// modest are arguments that make a payload stop soon after the limit that it is
// to be stopped at, where nothing stops it: a fork bomb, 8 GiB of memory and
// 10 GB on disk are for machines with walls.
func modest(args ...string) []string {
	if naked() {
		return args
	}
	return nil
}

func TestHostileSuitePassesAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if testing.Short() { // the walls are others than root's, what the host does in any case is the same
		sandboxtest.Pass(t, "^("+strings.Join(caught, "|")+")$|^TestC6")
		return
	}
	sandboxtest.Pass(t, `^TestS\d\d|^TestC6`)
}

// caught are the tests that have to fail where there are no walls. The others
// test what the host does in any case: it ends a command at its deadline, caps
// what it prints, looks at no planted .git, and refuses a missing bubblewrap.
var caught = []string{
	"TestS02ForkBombStopsAtTheProcessLimit",
	"TestS03EightGiBDieAloneAsOutOfMemory",
	"TestS04DiskQuota",
	"TestS05NoNetwork",
	"TestS06SecretsOfTheHostAreNotThere",
	"TestS07LinksLeadNowhere",
	"TestS09TheKernelIsClosed",
}

// Never as root: without walls S09 would mount over the host's /tmp.
func TestHostileSuiteFailsWithoutWalls(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	if naked() {
		t.Skip("SKIPPED: it is this run")
	}
	pattern := `^TestS\d\d`
	if testing.Short() { // what the host does in any case is no question here
		pattern = "^(" + strings.Join(caught, "|") + ")$"
	}
	out, err := sandboxtest.AsOrdinaryUser(t, pattern, sandboxtest.Backend+"="+None)
	_, failed, _ := sandboxtest.Verdicts(out)
	if err == nil {
		t.Errorf("the suite passes without a sandbox:\n%s", out)
	}
	for _, name := range caught {
		if !slices.Contains(failed, name) {
			t.Errorf("%s passes without a sandbox", name)
		}
	}
	if strings.Contains(out, "panic:") {
		t.Errorf("the suite did not come to its end:\n%s", out)
	}
	t.Logf("failed, as they must: %v", failed)
}
