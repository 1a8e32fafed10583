package code

import (
	"errors"
	"fmt"
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
// region with the same kind and qualified name; else the one with that name.
// An id without its hash, or a bare name, is taken as a name. Errors are
// ErrNotFound and ErrAmbiguous, with the nearest ids named.
func Resolve(regions []Region, id string) (Region, Resolution, error) {
	id = strings.TrimSpace(id)
	for _, r := range regions {
		if r.ID == id {
			return r, Resolution{By: "id", Score: 1}, nil
		}
	}
	want := splitID(id)
	steps := []struct {
		by    string
		score float64
		fits  func(r Region, got idParts) bool
	}{
		{"text", 0.95, func(_ Region, got idParts) bool {
			return want.hash != "" && got.hash == want.hash && got.kind == want.kind
		}},
		{"name", 0.9, func(_ Region, got idParts) bool { return want.kind == got.kind && want.name == got.name }},
		{"name", 0.8, func(_ Region, got idParts) bool { return want.name == got.name }},
		{"name", 0.7, func(r Region, _ idParts) bool { return want.name == r.Name }},
	}
	for _, s := range steps {
		var found []Region
		for _, r := range regions {
			if s.fits(r, splitID(r.ID)) {
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
	return Region{}, Resolution{}, fmt.Errorf("region %q: %w; the file has %s", id, ErrNotFound, idList(regions))
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
