package simulator

import (
	"net/http"
	"path"
	"strings"
)

func wantsRaw(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/vnd.github.raw") || strings.Contains(accept, "application/vnd.github.v3.raw")
}

const maxInline = 1 << 20 // GitHub sends no content inline above 1 MB

// getContents answers a file, a directory, a symlink or a submodule.
func (s *Server) getContents(c *call) (answer, error) {
	ref := c.r.URL.Query().Get("ref")
	if ref == "" {
		ref = c.repo.DefaultBranch
	}
	sha, err := s.resolve(c.r.Context(), c.repo, ref)
	if err != nil {
		return answer{}, err
	}
	if sha == "" {
		if c.r.URL.Query().Get("ref") == "" {
			return answer{}, problem(http.StatusNotFound, "This repository is empty.")
		}
		return answer{}, problem(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	name := strings.Trim(c.vars["path"], "/")
	if name == "" {
		return s.directory(c, sha, ref, "")
	}
	if !safePath(name) {
		return answer{}, notFound()
	}
	entries, err := s.tree(c.r.Context(), c.repo, sha, false, name)
	if err != nil {
		return answer{}, err
	}
	if len(entries) == 0 {
		return answer{}, notFound()
	}
	if entries[0].Type == "tree" {
		return s.directory(c, sha, ref, name+"/")
	}
	return s.file(c, entries[0], ref)
}

func (s *Server) entryShape(c *call, e treeEntry, ref string) obj {
	query := "?ref=" + escapePath(ref)
	self := s.repoAPI(c.repo) + "/contents/" + escapePath(e.Path) + query
	html := s.repoHTML(c.repo) + "/blob/" + escapePath(ref) + "/" + escapePath(e.Path)
	git := s.repoAPI(c.repo) + "/git/" + e.Type + "s/" + e.SHA
	kind, size := "file", max(0, e.Size)
	var download any = s.repoHTML(c.repo) + "/raw/" + escapePath(ref) + "/" + escapePath(e.Path)
	switch {
	case e.Type == "tree":
		kind, download = "dir", nil
	case e.Mode == "120000":
		kind = "symlink"
	case e.Type == "commit":
		kind, download = "submodule", nil
	}
	return obj{"name": path.Base(e.Path), "path": e.Path, "sha": e.SHA, "size": size, "type": kind, "url": self, "git_url": git,
		"html_url": html, "download_url": download, "_links": obj{"self": self, "git": git, "html": html}}
}

func (s *Server) directory(c *call, sha, ref, prefix string) (answer, error) {
	var paths []string
	if prefix != "" {
		paths = []string{prefix}
	}
	entries, err := s.tree(c.r.Context(), c.repo, sha, false, paths...)
	if err != nil {
		return answer{}, err
	}
	out := []obj{}
	for _, e := range entries {
		out = append(out, s.entryShape(c, e, ref))
	}
	return ok(out)
}

func (s *Server) file(c *call, e treeEntry, ref string) (answer, error) {
	out := s.entryShape(c, e, ref)
	if e.Type == "commit" {
		out["submodule_git_url"] = nil
		return ok(out)
	}
	data, err := s.blob(c.r.Context(), c.repo, e.SHA)
	if err != nil {
		return answer{}, err
	}
	if wantsRaw(c.r) {
		return answer{status: http.StatusOK, raw: data, header: http.Header{"Content-Type": {"application/vnd.github.raw; charset=utf-8"}}}, nil
	}
	switch {
	case out["type"] == "symlink":
		out["target"] = string(data)
	case len(data) > maxInline:
		out["content"], out["encoding"] = "", "none"
	default:
		out["content"], out["encoding"] = wrap64(data), "base64"
	}
	return ok(out)
}
