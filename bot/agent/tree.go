package agent

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

// treeLines is how many lines of the file tree the planner sees (SPEC L2).
const treeLines = 50

// Tree shows files, given as slash-separated paths, in at most lines lines:
// all of them where they fit, else as many levels of folders as fit, each with
// the number of files below it, then the files at the top. left is how many
// files stand in no line, not even in a folder's number.
func Tree(files []string, lines int) (shown []string, left int) {
	if len(files) <= lines {
		shown = slices.Clone(files)
		slices.Sort(shown)
		return shown, 0
	}
	for depth := 8; depth > 0; depth-- {
		if shown = folded(files, depth); len(shown) <= lines {
			return shown, 0
		}
	}
	// Even the top level is too wide: its largest folders first.
	counts := below(files, 1)
	slices.SortFunc(shown, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, s := range shown[lines:] {
		left += counts[s]
	}
	return shown[:lines], left
}

// folded lists files whose folder is not deeper than depth, and for the others
// the folder at that depth.
func folded(files []string, depth int) []string {
	counts := below(files, depth)
	out := make([]string, 0, len(counts))
	for name := range counts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// below counts the files behind each line of folded.
func below(files []string, depth int) map[string]int {
	folders := map[string]int{}
	out := map[string]int{}
	for _, f := range files {
		if dir := cutAt(f, depth); dir != f {
			folders[dir]++
		} else {
			out[f] = 1
		}
	}
	for dir, n := range folders {
		out[fmt.Sprintf("%s/ (%d files)", dir, n)] = n
	}
	return out
}

// cutAt gives the first depth folders of a path, or the path when it has no
// more than that.
func cutAt(file string, depth int) string {
	at := 0
	for i := range len(file) {
		if file[i] != '/' {
			continue
		}
		if at++; at == depth {
			return path.Clean(file[:i])
		}
	}
	return file
}
