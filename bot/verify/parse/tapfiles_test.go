package parse

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestC2TestsOfTapeAndNodeTapAreToldByFileAndHeading(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/javascript/out/tape5-tap16.txt")
	if err != nil {
		t.Fatal(err)
	}
	rep := Read(TAPFiles, data, Place{Root: "/work", Dir: "."})
	var got []string
	for _, x := range rep.Tests {
		line := x.Status + " " + x.ID
		if x.Failure != nil {
			line += fmt.Sprintf(" at %s:%d", x.Failure.File, x.Failure.Line)
		}
		got = append(got, line)
	}
	want := []string{"failed test/a.js > adds at test/a.js:2", "passed test/a.js > second", "failed test/b.js > adds at test/b.js:2", "passed test/b.js > second", "passed test/c.js > one"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if rep.Ended || len(rep.Broken) != 1 || rep.Broken[0].Test != "test/c.js" || rep.Broken[0].Exception != "TypeError" || rep.Broken[0].File != "x.js" {
		t.Errorf("a file that ended early: %+v", rep.Broken)
	}
}
