package code

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of Resolve and of the edits, to be told apart with errors.Is.
var (
	ErrNotFound  = errors.New("no such region")
	ErrAmbiguous = errors.New("more than one region fits")
	ErrNoChange  = errors.New("the new code is the region as it stands")
)

// Resolution says how a region was found.
type Resolution struct {
	By      string  `json:"by"`    // "id", "text" (same bytes under another name) or "name"
	Score   float64 `json:"score"` // 1 for an id, less the weaker the ground
	Changed bool    `json:"changed,omitempty"`
	// Changed: the id gave a hash and the region found has other bytes, so
	// it was changed since the id was made.
}

// Resolve finds the region that an id means: the id itself; else the one
// region with the same bytes (it was renamed or its parent was); else the one
// whose kind and name, or name alone, are those of the id. A name may be the
// end of a qualified one. An id without its hash, kind:name or a bare name, is
// taken as a name. Errors are ErrNotFound, with the nearest ids named, and
// ErrAmbiguous.
func Resolve(regions []Region, id string) (Region, Resolution, error) {
	id = strings.TrimSpace(id)
	for _, r := range regions {
		if r.ID == id {
			return r, Resolution{By: "id", Score: 1}, nil
		}
	}
	want := splitID(id)
	kind := func(got idParts) bool { return want.kind == got.kind }
	ends := func(got idParts) bool { return want.name != "" && strings.HasSuffix(got.name, "."+want.name) }
	steps := []struct {
		by    string
		score float64
		fits  func(got idParts) bool
	}{
		{"text", 0.95, func(got idParts) bool { return want.hash != "" && got.hash == want.hash && kind(got) }},
		{"name", 0.9, func(got idParts) bool { return kind(got) && want.name == got.name }},
		{"name", 0.85, func(got idParts) bool { return kind(got) && ends(got) }},
		{"name", 0.8, func(got idParts) bool { return want.name == got.name }},
		{"name", 0.7, ends},
	}
	for _, s := range steps {
		var found []Region
		for _, r := range regions {
			if s.fits(splitID(r.ID)) {
				found = append(found, r)
			}
		}
		if len(found) == 1 {
			changed := s.by == "name" && want.hash != ""
			return found[0], Resolution{By: s.by, Score: s.score, Changed: changed}, nil
		}
		if len(found) > 1 && s.by == "name" {
			return Region{}, Resolution{}, fmt.Errorf("region %q: %w: %s; give the whole id", id, ErrAmbiguous, idList(found))
		}
	}
	return Region{}, Resolution{}, fmt.Errorf("region %q: %w; the file has %s", id, ErrNotFound, idList(nearest(regions, want.name)))
}

// nearest orders regions by how much their names are like a name that none has.
func nearest(regions []Region, name string) []Region {
	name = strings.ToLower(name)
	last := func(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
	far := map[string]int{}
	for _, r := range regions {
		own := strings.ToLower(splitID(r.ID).name)
		d := min(Distance(own, name), Distance(last(own), last(name)))
		if strings.Contains(own, last(name)) || strings.Contains(name, last(own)) {
			d /= 2
		}
		far[r.ID] = d
	}
	out := slices.Clone(regions)
	slices.SortStableFunc(out, func(a, b Region) int { return far[a.ID] - far[b.ID] })
	return out
}

// Distance is the number of bytes to insert, remove or change that makes one
// short word of another; long words are far from all others.
func Distance(a, b string) int {
	const long = 40
	if len(a) > long || len(b) > long {
		return long
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

type idParts struct{ kind, name, hash string }

// splitID takes kind:name#n@hash apart; parts may be missing.
func splitID(id string) idParts {
	var p idParts
	if i := strings.LastIndexByte(id, '@'); i >= 0 {
		id, p.hash = id[:i], id[i+1:]
	}
	if i := strings.IndexByte(id, ':'); i >= 0 {
		p.kind, id = id[:i], id[i+1:]
	}
	p.name, _, _ = strings.Cut(id, "#")
	return p
}

func idList(regions []Region) string {
	var out []string
	for _, r := range regions {
		if len(out) == 12 {
			out = append(out, fmt.Sprintf("and %d more", len(regions)-12))
			break
		}
		out = append(out, r.ID)
	}
	if len(out) == 0 {
		return "no regions"
	}
	return strings.Join(out, ", ")
}
