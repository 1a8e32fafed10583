package verify

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// TestHostileVerdictsAsAnOrdinaryUser: whoever runs fettle, forged results are
// rejected.
func TestHostileVerdictsAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	verifier(t)          // compiles Go's own packages once, for that user too
	if testing.Short() { // one forgery of each kind of runner is enough to see that the user makes no difference
		sandboxtest.Pass(t, `^TestS12bNobodySpeaksInTheDriversPlace$`)
		return
	}
	sandboxtest.Pass(t, `^TestS12b`)
}
