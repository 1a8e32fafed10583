package agent

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// treeLines is how many lines of the file tree a role sees (SPEC L2).
const treeLines = 50

// Tree names files, given as slash-separated paths, a folder with its files on one
// line, in at most lines lines and, but for one, room bytes. Where not all can be named,
// the folders of those that are near come first, of a folder that is too wide those
// files, and the other folders with the number of files below them. left is how
// many files stand in no line, not even in a number.
func Tree(files, near []string, lines, room int) (shown []string, left int) {
	in := map[string][]string{}
	for _, f := range files {
		in[path.Dir(f)] = append(in[path.Dir(f)], path.Base(f))
	}
	var rest []string
	order := folders(in, near)
	kept := max(1, lines*4/5) // the others are told in the lines that are left
	if len(order) <= lines {
		kept = lines
	}
	for n, dir := range order {
		slices.Sort(in[dir])
		line := dir + "/: " + strings.Join(in[dir], " ")
		if len(line) > room {
			line = narrowed(dir, in[dir], near)
		}
		if len(shown) > 0 && len(line) > room || n >= kept {
			for _, name := range in[dir] {
				rest = append(rest, path.Join(dir, name))
			}
			continue
		}
		shown, room = append(shown, line), room-len(line)
	}
	slices.Sort(shown)
	folds, left := folded(rest, lines-len(shown))
	return append(shown, folds...), left
}

// folders are in order: those of files that are near, then the others from the top down.
func folders(in map[string][]string, near []string) []string {
	rank := map[string]int{}
	for n, f := range near {
		if _, known := rank[path.Dir(f)]; !known {
			rank[path.Dir(f)] = n - len(near)
		}
	}
	out := make([]string, 0, len(in))
	for dir := range in {
		out = append(out, dir)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	return out
}

const mostNarrow = 12 // files of a folder that cannot be told whole

// narrowed names of a folder the files that are near, else its first ones.
func narrowed(dir string, names, near []string) string {
	var told []string
	for _, f := range near {
		if path.Dir(f) == dir && slices.Contains(names, path.Base(f)) && !slices.Contains(told, path.Base(f)) && len(told) < mostNarrow {
			told = append(told, path.Base(f))
		}
	}
	if len(told) == 0 {
		told = names[:min(len(names), 3)]
	}
	line := dir + "/: " + strings.Join(told, " ")
	if n := len(names) - len(told); n > 0 {
		line += fmt.Sprintf(" (and %d more)", n)
	}
	return line
}

// folded tells folders with the number of files below them, in at most lines lines:
// as deep as fits, else the largest.
func folded(files []string, lines int) (shown []string, left int) {
	if len(files) == 0 {
		return nil, 0
	}
	var counts map[string]int
	for depth := 8; depth > 0; depth-- {
		counts = map[string]int{}
		for _, f := range files {
			counts[cutAt(path.Dir(f), depth)]++
		}
		if len(counts) <= lines {
			break
		}
	}
	for dir := range counts {
		shown = append(shown, dir)
	}
	slices.SortFunc(shown, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for _, dir := range shown[min(len(shown), max(0, lines)):] {
		left += counts[dir]
	}
	shown = shown[:min(len(shown), max(0, lines))]
	slices.Sort(shown)
	for i, dir := range shown {
		shown[i] = fmt.Sprintf("%s/ (%d files)", dir, counts[dir])
	}
	return shown, left
}

// cutAt gives the first depth folders of a path, or the path when it has no
// more than that.
func cutAt(dir string, depth int) string {
	parts := strings.SplitN(dir, "/", depth+1)
	return strings.Join(parts[:min(len(parts), depth)], "/")
}
