package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// O3: a start of fettle makes ready what the command needs and little else: its own packages
// allocate less than 8 MB before main. With every expression compiled it was 35 MB, which took
// longer than all the rest of `fettle --help`; bytes are counted because they do not depend on
// what else the machine does.
func TestO3StartPreparesLittle(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("fettle", "--help")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^init (\S*) @.* (\d+) bytes`).FindAllStringSubmatch(trace.String(), -1)
	sum, own := 0, 0
	for _, m := range lines {
		if !strings.HasPrefix(m[1], "github.com/fettle-dev/fettle/") || strings.Contains(m[1], "/cmd/fettle") {
			continue // cmd/fettle holds the tests' own here
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		sum, own = sum+n, own+1
	}
	if own == 0 || sum > 8<<20 {
		t.Errorf("%d packages allocate %d bytes before main:\n%s", own, sum, trace.String())
	}
}
