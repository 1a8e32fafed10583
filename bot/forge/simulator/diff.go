package simulator

import (
	"context"
	"strings"
)

// fileChange is a file that differs between two commits.
type fileChange struct {
	Path, Before   string // Before: former path of a renamed file
	Status         string // added, removed, modified, renamed, changed
	SHA            string // blob after, or before for a removed file
	Patch          string // hunks; "" for binary files
	Binary         bool
	Added, Removed int
}

var statusWords = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "changed"}

// changes lists what head did since it left base, as a pull request shows it.
func (s *Server) changes(ctx context.Context, r *repository, base, head string) ([]fileChange, error) {
	from, err := s.do(ctx, r, "merge-base", base, head)
	if err != nil {
		if !refused(err) {
			return nil, err
		}
		from = base // no common history
	}
	return s.diff(ctx, r, from, head)
}

// diff compares two trees.
func (s *Server) diff(ctx context.Context, r *repository, from, to string) ([]fileChange, error) {
	raw, err := s.git.run(ctx, s.dir(r), nil, nil, "diff-tree", "-r", "-z", "-M", "--raw", "--full-index", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	files := parseRaw(string(raw))
	text, err := s.git.run(ctx, s.dir(r), nil, nil, "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", from, to)
	if err != nil {
		return nil, err
	}
	for at, part := range cutPatches(string(text)) {
		if at < len(files) {
			files[at].read(part)
		}
	}
	return files, nil
}

// parseRaw reads `:mode mode sha sha status NUL path NUL [path NUL]`.
func parseRaw(raw string) []fileChange {
	fields := strings.Split(raw, "\x00")
	var out []fileChange
	for i := 0; i+1 < len(fields); {
		words := strings.Fields(fields[i])
		if len(words) != 5 || words[4] == "" {
			break
		}
		f := fileChange{Status: statusWords[words[4][0]], SHA: words[3], Path: fields[i+1]}
		i += 2
		if (f.Status == "renamed" || f.Status == "copied") && i < len(fields) {
			f.Before, f.Path = f.Path, fields[i]
			i++
		}
		if f.Status == "removed" {
			f.SHA = words[2]
		}
		out = append(out, f)
	}
	return out
}

// cutPatches cuts a git diff into its files, in order. A mode change to or
// from a symlink is shown by git as two patches, which stay together.
func cutPatches(text string) []string {
	var out []string
	last := ""
	for _, part := range strings.Split("\n"+text, "\ndiff --git ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, _, _ := strings.Cut(part, "\n")
		if name == last {
			out[len(out)-1] += "\n" + part
			continue
		}
		last = name
		out = append(out, part)
	}
	return out
}

// read takes the hunks out of one file's patch.
func (f *fileChange) read(part string) {
	at := strings.Index(part, "\n@@ ")
	if at < 0 {
		f.Binary = strings.Contains(part, "\nBinary files ")
		return
	}
	f.Patch = strings.TrimSuffix(part[at+1:], "\n")
	for line := range strings.Lines(f.Patch) {
		switch line[0] {
		case '+':
			f.Added++
		case '-':
			f.Removed++
		}
	}
}

func (s *Server) fileShape(r *repository, ref string, f fileChange) obj {
	out := obj{"sha": f.SHA, "filename": f.Path, "status": f.Status, "additions": f.Added, "deletions": f.Removed,
		"changes":      f.Added + f.Removed,
		"blob_url":     s.repoHTML(r) + "/blob/" + ref + "/" + escapePath(f.Path),
		"raw_url":      s.repoHTML(r) + "/raw/" + ref + "/" + escapePath(f.Path),
		"contents_url": s.repoAPI(r) + "/contents/" + escapePath(f.Path) + "?ref=" + ref}
	if f.Patch != "" {
		out["patch"] = f.Patch
	}
	if f.Before != "" {
		out["previous_filename"] = f.Before
	}
	return out
}
