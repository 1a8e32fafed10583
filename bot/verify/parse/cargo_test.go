package parse

import (
	"slices"
	"testing"
)

func TestC2ATestThatEndsItsProcessInTheMiddleOfALineHidesNoTargetOfCargo(t *testing.T) {
	t.Parallel()
	rep := Read(Cargo, []byte("     Running unittests src/lib.rs (target/debug/deps/price-0123456789abcdef)\n\nrunning 2 tests\n"+
		"test tests::one ... ok\ntest tests::two ...      Running tests/bill.rs (target/debug/deps/bill-0123456789abcdef)\n\nrunning 1 test\n"+
		"test sums ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"+
		"test tests::half   Doc-tests price\n\nrunning 1 test\ntest src/lib.rs - total (line 3) ... ok\n"), Place{})
	var ids []string
	for _, test := range rep.Tests {
		ids = append(ids, test.ID)
	}
	if want := []string{"bill::sums", "price::doc::src/lib.rs - total (line 3)", "price::tests::one"}; !slices.Equal(ids, want) {
		t.Errorf("read %q, not %q", ids, want)
	}
}
