package sandboxtest

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/nodepack"
)

// Packages lays packages of a node_modules, installed, and what they depend on into
// that of dir.
func Packages(t testing.TB, installed, dir string, names ...string) {
	t.Helper()
	if err := nodepack.Lay(installed, dir, names...); err != nil {
		t.Fatal(err)
	}
}
