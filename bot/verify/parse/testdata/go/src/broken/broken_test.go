package broken

import "testing"

func TestNever(t *testing.T) {
	if Three() != 3 { // at: build
		t.Fatal()
	}
}
