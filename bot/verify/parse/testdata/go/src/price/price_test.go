package price

import (
	"fmt"
	"testing"
)

func TestMean(t *testing.T) {
	if Mean([]int{1, 3}) != 2 {
		t.Fatal("wrong")
	}
}

func TestWrong(t *testing.T) {
	fmt.Println("FAIL TestMean")
	if got := Mean([]int{1, 2}); got != 2 {
		t.Errorf("got %d,\nwant 2", got) // at: wrong
	}
	t.Error("and more") // at: more
}

func TestTable(t *testing.T) {
	for _, n := range []int{1, 2} {
		t.Run(fmt.Sprintf("n is %d", n), func(t *testing.T) {
			if n != 1 {
				t.Fatalf("%d is not 1", n) // at: table
			}
		})
	}
}

func TestSkipped(t *testing.T) { t.Skip("not on Mondays") }

func helper(t *testing.T, ok bool) {
	t.Helper()
	if !ok {
		t.Fatal("helped")
	}
}

func TestHelped(t *testing.T) {
	helper(t, false) // at: helped
}

func ExampleMean() {
	fmt.Println(Mean([]int{4}))
	// Output: 5
}
