package impact

// hunk says that lines [From, To) of the text as it was recorded have become
// lines [Now, NowTo) of the text as it is, counted from 0.
type hunk struct{ From, To, Now, NowTo int }

// maxCells bounds the table of a comparison; beyond it the whole middle of a
// file counts as changed.
const maxCells = 1 << 22

// drift compares the lines of a file then and now.
func drift(old, now []uint32) []hunk {
	a, b := 0, 0
	for a < len(old) && a < len(now) && old[a] == now[a] {
		a++
	}
	for b < len(old)-a && b < len(now)-a && old[len(old)-1-b] == now[len(now)-1-b] {
		b++
	}
	o, n := old[a:len(old)-b], now[a:len(now)-b]
	switch {
	case len(o) == 0 && len(n) == 0:
		return nil
	case len(o) == 0 || len(n) == 0 || (len(o)+1)*(len(n)+1) > maxCells:
		return []hunk{{a, len(old) - b, a, len(now) - b}}
	}
	return subsequence(o, n, a)
}

// subsequence keeps the longest common subsequence; the rest are hunks.
func subsequence(o, n []uint32, at int) []hunk {
	w := len(n) + 1
	best := make([]int32, (len(o)+1)*w)
	for i := len(o) - 1; i >= 0; i-- {
		for j := len(n) - 1; j >= 0; j-- {
			if o[i] == n[j] {
				best[i*w+j] = best[(i+1)*w+j+1] + 1
			} else {
				best[i*w+j] = max(best[(i+1)*w+j], best[i*w+j+1])
			}
		}
	}
	var out []hunk
	i, j := 0, 0
	for i < len(o) || j < len(n) {
		from, now := i, j
		for i < len(o) && j < len(n) && o[i] != n[j] || i == len(o) && j < len(n) || j == len(n) && i < len(o) {
			if j == len(n) || i < len(o) && best[(i+1)*w+j] >= best[i*w+j+1] {
				i++
			} else {
				j++
			}
		}
		if i > from || j > now {
			out = append(out, hunk{at + from, at + i, at + now, at + j})
		}
		for i < len(o) && j < len(n) && o[i] == n[j] {
			i, j = i+1, j+1
		}
	}
	return out
}

// then is where a line of the text as it is (from 1) stood when it was
// recorded; a new line stands where the lines before it end.
func then(hunks []hunk, line int) int {
	shift := 0
	for _, h := range hunks {
		switch {
		case line-1 < h.Now:
			return line + shift
		case line-1 < h.NowTo:
			return min(h.From+(line-1-h.Now)+1, max(h.To, h.From+1))
		}
		shift = h.To - h.NowTo
	}
	return line + shift
}
