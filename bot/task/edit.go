package task

// EditKind is what an edit does.
type EditKind string

// The edits (SPEC E2, E3).
const (
	EditReplace EditKind = "replace_region"
	EditInsert  EditKind = "insert_after"
	EditDelete  EditKind = "delete_region"
	EditCreate  EditKind = "create_file"
	EditImport  EditKind = "add_import"     // import statements, merged into the file's
	EditFile    EditKind = "whole_file"     // merged back symbol by symbol
	EditSearch  EditKind = "search_replace" // blocks of lines as they are and as they shall be
)

// NeedsRegion tells whether an edit of the kind names a region.
func (k EditKind) NeedsRegion() bool {
	return k == EditReplace || k == EditInsert || k == EditDelete
}

// Edit is one change asked for. Code is the region's whole new text, the
// whole file, import statements or search/replace blocks. Region is a region
// id such as "function:add@3f2a91c0".
type Edit struct {
	Kind   EditKind `json:"kind"`
	Path   string   `json:"path"` // slash-separated, relative to the root of the checkout
	Region string   `json:"region,omitempty"`
	Code   string   `json:"code,omitempty"`
	// Signature says that the name or the parameters change on purpose.
	Signature bool `json:"signature,omitempty"`
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
	// Edit is what was done to it; Verified that the checks passed with it.
	Edit     EditKind `json:"edit,omitempty"`
	Verified bool     `json:"verified,omitempty"`
}

// CallSite is a place that uses what a patch renamed, deleted or gave another
// signature (SPEC E7).
type CallSite struct {
	Name    string `json:"name"` // what it uses, by its qualified name before the patch
	Path    string `json:"path"`
	Line    int    `json:"line"` // 1-based, before the patch
	Region  string `json:"region,omitempty"`
	Text    string `json:"text"` // the line
	Test    bool   `json:"test,omitempty"`
	Adapted bool   `json:"adapted"` // the patch changes the region around it
}
