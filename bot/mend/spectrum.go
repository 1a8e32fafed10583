package mend

import "strings"

const (
	starShare   = 0.1  // of the second formula against Ochiai
	depthShare  = 0.01 // for each level of nesting, of at most maxNesting
	maxNesting  = 4
	branchShare = 0.1 // for a condition whose branch no failing test takes
)

// dstar scores lines by the square of the failing tests that run them over the
// passing ones that do and the failing ones that do not (D*, Wong et al., IEEE
// Trans. Reliability 2014), as a part of the best line's. It tells lines that all
// failing tests run from those that most do more sharply than Ochiai.
func dstar(bad, good map[line]int, failed int) map[line]float64 {
	out, most := map[line]float64{}, 0.0
	for at, b := range bad {
		out[at] = float64(b*b) / (float64(good[at]+failed-b) + 0.5)
		most = max(most, out[at])
	}
	for at := range out {
		out[at] /= most
	}
	return out
}

// structure breaks ties of lines that the same tests run: the inner of two blocks
// says more of what was decided; and a condition whose branch is taken by passing
// tests only is where a case is missing.
func (l *localiser) structure(note func(line, float64, string)) {
	for _, path := range l.failingPaths() {
		text := strings.Split(string(l.sources.read(path)), "\n")
		levels := depths(text)
		for i := range text {
			at := line{path, i + 1}
			if l.failing[at] == 0 {
				continue
			}
			if d := min(levels[i], maxNesting); d > 0 {
				note(at, depthShare*float64(d), "")
			}
			if below := firstBelow(text, levels, i); below > 0 && opensBranch(text[i]) && l.failing[line{path, below}] == 0 && l.passing[line{path, below}] > 0 {
				note(at, branchShare, "its branch is taken by passing tests only")
			}
		}
	}
}

// opensBranch tells a line that decides between ways.
func opensBranch(text string) bool {
	text = strings.TrimLeft(text, " \t}")
	for _, lead := range []string{"if ", "if(", "elif ", "else if", "for ", "for(", "while ", "while(", "case ", "except", "catch"} {
		if strings.HasPrefix(text, lead) {
			return true
		}
	}
	return false
}

// depths are the levels of nesting by indentation: 0 for the outermost, -1 for
// an empty line.
func depths(text []string) []int {
	out := make([]int, len(text))
	var open []int
	for i, line := range text {
		trimmed := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(trimmed) == "" {
			out[i] = -1
			continue
		}
		width := len(line) - len(trimmed)
		for len(open) > 0 && open[len(open)-1] >= width {
			open = open[:len(open)-1]
		}
		out[i] = len(open)
		open = append(open, width)
	}
	return out
}

// firstBelow is the number of the first line inside what line i opens; 0 for none.
func firstBelow(text []string, levels []int, i int) int {
	for k := i + 1; k < len(text); k++ {
		switch {
		case levels[k] < 0:
		case levels[k] > levels[i]:
			return k + 1
		default:
			return 0
		}
	}
	return 0
}
