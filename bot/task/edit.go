package task

// EditKind is what an edit does.
type EditKind string

// The edits (SPEC E2, E3).
const (
	EditReplace EditKind = "replace_region"
	EditInsert  EditKind = "insert_after"
	EditDelete  EditKind = "delete_region"
	EditCreate  EditKind = "create_file"
)

// Edit is one change asked for. Code is the region's whole new text, or the
// whole new file. Region is a region id such as "function:add@3f2a91c0".
type Edit struct {
	Kind   EditKind `json:"kind"`
	Path   string   `json:"path"` // slash-separated, relative to the root of the checkout
	Region string   `json:"region,omitempty"`
	Code   string   `json:"code,omitempty"`
}

// Patch is the set of edits of an attempt; they apply together or not at all.
type Patch struct {
	Edits []Edit `json:"edits"`
}

// Paths lists the files that the patch touches, each once, in order.
func (p Patch) Paths() []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range p.Edits {
		if !seen[e.Path] {
			seen[e.Path] = true
			out = append(out, e.Path)
		}
	}
	return out
}

// FileChange is the content of a file after a patch, as it goes into a commit.
type FileChange struct {
	Path    string `json:"path"`
	Content []byte `json:"content,omitempty"` // nil when deleted
	Deleted bool   `json:"deleted,omitempty"`
	Mode    string `json:"mode"` // git mode: 100644 or 100755
}

// RegionRef names a region that a patch changed, for reports.
type RegionRef struct {
	Path      string `json:"path"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	// ResolvedBy says how the target was found: id, name, text, similarity.
	ResolvedBy string  `json:"resolved_by,omitempty"`
	Score      float64 `json:"score,omitempty"`
}
