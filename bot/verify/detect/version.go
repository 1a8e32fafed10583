package detect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	versionTerm  = lazyregexp.New(`^(\^|~=|~>|~|===|==|=|!=|>=|<=|>|<|)\s*v?([0-9]+(?:\.[0-9]+)*)((?:\.[xX*])*)([-+]?[A-Za-z][-+.\w]*|[-+]\w[-+.\w]*|)`)
	versionSpan  = lazyregexp.New(`^v?(\d+(?:\.\d+)*)\s+-\s+v?(\d+(?:\.\d+)*)$`)
	versionStart = lazyregexp.New(`\d+(?:\.\d+)+|\d+`)
)

// Allows tells whether a range of versions has version in it. It reads the
// forms of requires-python (PEP 440), of engines (npm's semver) and of Poetry;
// where they differ, the wider meaning counts, and suffixes such as rc1 are not
// looked at. known is false where the range or version cannot be read.
func Allows(rng, version string) (ok, known bool) {
	have := numbers(versionStart.FindString(version))
	if have == nil || len(rng) > 200 {
		return false, false
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(rng, "||", "|"), "|") {
		in, known := allowsAll(strings.TrimSpace(part), have)
		if !known {
			return false, false
		}
		ok = ok || in
	}
	return ok, true
}

// allowsAll judges terms that have to hold together.
func allowsAll(part string, have []int) (ok, known bool) {
	if m := versionSpan.FindStringSubmatch(part); m != nil {
		last := numbers(m[2])
		return order(have, numbers(m[1])) >= 0 && (order(have, last) <= 0 || starts(have, last)), true
	}
	ok = true
	for part != "" {
		if part[0] == '*' || part[0] == 'x' || part[0] == 'X' {
			part = strings.TrimLeft(part[1:], ", \t")
			continue
		}
		m := versionTerm.FindStringSubmatch(part)
		if m == nil {
			return false, false
		}
		rest := part[len(m[0]):]
		part = strings.TrimLeft(rest, ", \t")
		if rest != "" && rest == part && !strings.ContainsRune("<>=!~^", rune(rest[0])) {
			return false, false
		}
		term := numbers(m[2])
		if term == nil {
			return false, false
		}
		ok = ok && holds(m[1], term, m[3] != "", have)
	}
	return ok, true
}

// holds judges one comparison; open says that the version ends in a wildcard.
func holds(op string, want []int, open bool, have []int) bool {
	switch op {
	case ">=":
		return order(have, want) >= 0
	case ">":
		return order(have, want) > 0
	case "<=":
		return order(have, want) <= 0 || starts(have, want)
	case "<":
		return order(have, want) < 0
	case "!=":
		return order(have, want) != 0 && (!open || !starts(have, want))
	case "~=":
		return order(have, want) >= 0 && starts(have, want[:max(len(want)-1, 1)])
	case "~", "~>":
		return order(have, want) >= 0 && starts(have, want[:min(len(want), 2)])
	case "^":
		first := slices.IndexFunc(want, func(n int) bool { return n != 0 })
		if first < 0 {
			first = len(want) - 1
		}
		return order(have, want) >= 0 && starts(have, want[:first+1])
	}
	return starts(have, want)
}

// numbers reads "3.11.7", nil for what has no place in an int.
func numbers(s string) []int {
	var out []int
	for part := range strings.SplitSeq(s, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// order compares versions; numbers that are not written are 0.
func order(a, b []int) int {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}

// starts tells whether a version begins with all written numbers of another.
func starts(have, want []int) bool {
	for i, n := range want {
		if i < len(have) && have[i] != n || i >= len(have) && n != 0 {
			return false
		}
	}
	return true
}
