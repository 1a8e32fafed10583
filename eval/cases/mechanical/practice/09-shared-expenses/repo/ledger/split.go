package ledger

import "sort"

func equal(members []string) map[string]int {
	shares := make(map[string]int, len(members))
	for _, name := range members {
		shares[name] = 1
	}
	return shares
}

// Split divides cents by weight. What is left by rounding goes, a cent each,
// to the members with the largest remainders, by name among equals.
func Split(cents int64, shares map[string]int) map[string]int64 {
	var sum int64
	names := make([]string, 0, len(shares))
	for name, weight := range shares {
		names = append(names, name)
		sum += int64(weight)
	}
	remainder := func(name string) int64 { return cents * int64(shares[name]) % sum }
	sort.Slice(names, func(i, j int) bool {
		if a, b := remainder(names[i]), remainder(names[j]); a != b {
			return a > b
		}
		return names[i] < names[j]
	})

	parts := make(map[string]int64, len(shares))
	left := cents
	for _, name := range names {
		parts[name] = cents * int64(shares[name]) / sum
		left -= parts[name]
	}
	for _, name := range names[:left] {
		parts[name]++
	}
	return parts
}
