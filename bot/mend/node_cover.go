package mend

import (
	"bytes"
	"strings"
)

// v8Report is what the inspector's Profiler.takePreciseCoverage answers.
type v8Report struct {
	Result []v8Script `json:"result"`
}

type v8Script struct {
	URL       string   `json:"url"`
	Lines     [][2]int `json:"lines"` // line and how often it ran, where a source map tells
	Functions []struct {
		Ranges []struct {
			Start int `json:"startOffset"` // UTF-16 units
			End   int `json:"endOffset"`
			Count int `json:"count"`
		} `json:"ranges"`
	} `json:"functions"`
}

// lines tells which lines ran: a function that ran begins in them, or the innermost range around a line's first
// character that is not blank was counted at least once.
func (s v8Script) lines(src []byte) map[int]int {
	if s.Lines != nil {
		out := map[int]int{}
		for _, l := range s.Lines {
			out[l[0]] = l[1]
		}
		return out
	}
	units := len(string(src))
	count := make([]int, units+1)
	width := make([]int, units+1)
	for i := range count {
		count[i], width[i] = -1, 1<<30
	}
	for _, f := range s.Functions {
		for _, r := range f.Ranges {
			for i := max(r.Start, 0); i < min(r.End, units); i++ {
				if w := r.End - r.Start; w <= width[i] {
					count[i], width[i] = r.Count, w
				}
			}
		}
	}
	begins := map[int]int{} // where a function begins that ran → how often
	for _, f := range s.Functions {
		if len(f.Ranges) > 0 && f.Ranges[0].Count > 0 {
			begins[f.Ranges[0].Start] = max(begins[f.Ranges[0].Start], f.Ranges[0].Count)
		}
	}
	out := map[int]int{}
	offset := 0
	for n, line := range bytes.SplitAfter(src, []byte("\n")) {
		text := string(line)
		if lead := len(text) - len(strings.TrimLeft(text, " \t")); strings.TrimSpace(text) != "" && count[min(offset+lead, units)] > 0 {
			out[n+1] = count[min(offset+lead, units)]
		}
		next := offset + utf16Len(text)
		for at, times := range begins { // a function of one line behind what stands before it
			if at > offset && at < next {
				out[n+1] = max(out[n+1], times)
			}
		}
		offset = next
	}
	return out
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
