package verify

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// TestHostileVerdictsAsAnOrdinaryUser: whoever runs fettle, forged results are
// rejected.
func TestHostileVerdictsAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	sandboxtest.Pass(t, `^TestS12b`)
}
