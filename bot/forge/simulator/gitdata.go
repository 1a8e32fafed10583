package simulator

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"
)

func (s *Server) createBlob(c *call) (answer, error) {
	var ask struct {
		Content  *string `json:"content"`
		Encoding string  `json:"encoding"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Content == nil {
		return answer{}, missing("content")
	}
	data := []byte(*ask.Content)
	switch ask.Encoding {
	case "", "utf-8":
	case "base64":
		decoded, err := base64.StdEncoding.DecodeString(strings.Map(dropSpace, *ask.Content))
		if err != nil {
			return answer{}, unprocessable("content is not valid Base64")
		}
		data = decoded
	default:
		return answer{}, unprocessable("encoding must be one of utf-8, base64")
	}
	sha, err := s.writeBlob(c, data)
	if err != nil {
		return answer{}, err
	}
	return created(obj{"sha": sha, "url": s.repoAPI(c.repo) + "/git/blobs/" + sha})
}

func dropSpace(r rune) rune {
	if r == '\n' || r == '\r' || r == ' ' {
		return -1
	}
	return r
}

func (s *Server) writeBlob(c *call, data []byte) (string, error) {
	out, err := s.git.run(c.r.Context(), s.dir(c.repo), data, nil, "hash-object", "-t", "blob", "-w", "--stdin", "--no-filters")
	return strings.TrimSpace(string(out)), err
}

func (s *Server) getBlob(c *call) (answer, error) {
	sha := c.vars["file_sha"]
	kind, err := s.kind(c.r.Context(), c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	if kind != "blob" {
		return answer{}, notFound()
	}
	data, err := s.blob(c.r.Context(), c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	if wantsRaw(c.r) {
		return answer{status: http.StatusOK, raw: data, header: http.Header{"Content-Type": {"application/vnd.github.raw; charset=utf-8"}}}, nil
	}
	return ok(obj{"sha": sha, "node_id": nodeID("B", c.repo.ID) + sha, "size": len(data), "encoding": "base64",
		"url": s.repoAPI(c.repo) + "/git/blobs/" + sha, "content": wrap64(data)})
}

// wrap64 is base64 in lines of 60, as GitHub sends it.
func wrap64(data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}

type treeChange struct {
	Path    string  `json:"path"`
	Mode    string  `json:"mode"`
	Type    string  `json:"type"`
	SHA     *string `json:"sha"`
	Content *string `json:"content"`
}

// createTree builds a tree from base_tree and changes; an entry whose sha is
// null (and that has no content) deletes its path.
func (s *Server) createTree(c *call) (answer, error) {
	var ask struct {
		Base string        `json:"base_tree"`
		Tree *[]treeChange `json:"tree"`
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Tree == nil {
		return answer{}, missing("tree")
	}
	present := map[string]bool{}
	if ask.Base != "" {
		kind, err := s.kind(c.r.Context(), c.repo, ask.Base)
		if err != nil {
			return answer{}, err
		}
		if kind != "tree" && kind != "commit" {
			return answer{}, unprocessable("base_tree is not a valid tree oid")
		}
		entries, err := s.tree(c.r.Context(), c.repo, ask.Base, true)
		if err != nil {
			return answer{}, err
		}
		for _, e := range entries {
			present[e.Path] = true
		}
	}
	var index bytes.Buffer
	for _, e := range *ask.Tree {
		if err := s.stage(c, &index, e, present); err != nil {
			return answer{}, err
		}
	}
	sha, err := s.writeTree(c.r.Context(), c.repo, ask.Base, index.Bytes())
	if err != nil {
		return answer{}, err
	}
	return s.treeAnswer(c, sha, false, http.StatusCreated)
}

// stage checks one entry and adds it for `git update-index --index-info`.
func (s *Server) stage(c *call, index *bytes.Buffer, e treeChange, present map[string]bool) error {
	if !safePath(e.Path) {
		return unprocessable("tree.path contains a malformed path component")
	}
	kinds := map[string]string{"100644": "blob", "100755": "blob", "120000": "blob", "040000": "tree", "160000": "commit"}
	kind, known := kinds[e.Mode]
	if e.SHA == nil && e.Content == nil {
		if !present[e.Path] {
			return unprocessable("GitRPC::BadObjectState")
		}
		fmt.Fprintf(index, "0 %s\t%s\x00", zeroSHA, e.Path)
		return nil
	}
	if !known {
		return unprocessable("tree.mode must be one of 100644, 100755, 040000, 160000, 120000")
	}
	if kind == "tree" {
		return unprocessable("The simulator takes files, not whole trees: list the files")
	}
	var sha string
	if e.SHA != nil {
		sha = *e.SHA
		have, err := s.kind(c.r.Context(), c.repo, sha)
		if err != nil {
			return err
		}
		if have != kind {
			return unprocessable(fmt.Sprintf("tree.sha %s is not a valid %s", sha, kind))
		}
	} else {
		written, err := s.writeBlob(c, []byte(*e.Content))
		if err != nil {
			return err
		}
		sha = written
	}
	fmt.Fprintf(index, "%s %s\t%s\x00", e.Mode, sha, e.Path)
	return nil
}

// safePath refuses what GitHub refuses in a tree.
func safePath(path string) bool {
	if path == "" || strings.ContainsRune(path, 0) {
		return false
	}
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

func (s *Server) getTree(c *call) (answer, error) {
	name := c.vars["tree_sha"]
	kind, err := s.kind(c.r.Context(), c.repo, name)
	if err != nil {
		return answer{}, err
	}
	if kind != "tree" {
		if name, err = s.resolve(c.r.Context(), c.repo, name); err != nil {
			return answer{}, err
		}
		if name == "" {
			return answer{}, notFound()
		}
		info, err := s.commit(c.r.Context(), c.repo, name)
		if err != nil {
			return answer{}, err
		}
		name = info.Tree
	}
	return s.treeAnswer(c, name, c.r.URL.Query().Has("recursive"), http.StatusOK)
}

func (s *Server) treeAnswer(c *call, sha string, recursive bool, status int) (answer, error) {
	entries, err := s.tree(c.r.Context(), c.repo, sha, recursive)
	if err != nil {
		return answer{}, err
	}
	list := []obj{}
	for _, e := range entries {
		one := obj{"path": e.Path, "mode": e.Mode, "type": e.Type, "sha": e.SHA, "url": s.repoAPI(c.repo) + "/git/" + e.Type + "s/" + e.SHA}
		if e.Type == "blob" {
			one["size"] = e.Size
		}
		list = append(list, one)
	}
	return answer{status: status, body: obj{"sha": sha, "url": s.repoAPI(c.repo) + "/git/trees/" + sha, "tree": list, "truncated": false}}, nil
}

type askedPerson struct {
	Name, Email string
	Date        *time.Time
}

func (a *askedPerson) or(p person) person {
	if a == nil {
		return p
	}
	out := person{Name: a.Name, Email: a.Email, Date: p.Date}
	if a.Date != nil {
		out.Date = a.Date.UTC()
	}
	return out
}

// createCommit makes a commit. One that an App makes without naming author or
// committer is signed by GitHub and shows as verified.
func (s *Server) createCommit(c *call) (answer, error) {
	var ask struct {
		Message, Tree     *string
		Parents           []string
		Author, Committer *askedPerson
	}
	if err := c.decode(&ask); err != nil {
		return answer{}, err
	}
	if ask.Message == nil {
		return answer{}, missing("message")
	}
	if ask.Tree == nil {
		return answer{}, missing("tree")
	}
	if kind, err := s.kind(c.r.Context(), c.repo, *ask.Tree); err != nil {
		return answer{}, err
	} else if kind != "tree" {
		return answer{}, unprocessable("Tree SHA does not exist")
	}
	for _, p := range ask.Parents {
		if kind, err := s.kind(c.r.Context(), c.repo, p); err != nil {
			return answer{}, err
		} else if kind != "commit" {
			return answer{}, unprocessable("Parent SHA does not exist or is not a commit object")
		}
	}
	now := s.now().Truncate(time.Second)
	author := ask.Author.or(person{Name: s.botLogin(), Email: s.userEmail(s.botLogin()), Date: now})
	committer := author
	signed := ask.Author == nil && ask.Committer == nil
	if signed {
		committer = person{Name: "GitHub", Email: "noreply@github.com", Date: now}
	} else if ask.Committer != nil {
		committer = ask.Committer.or(author)
	}
	sha, err := s.writeCommit(c.r.Context(), c.repo, *ask.Tree, ask.Parents, *ask.Message, author, committer)
	if err != nil {
		return answer{}, err
	}
	if signed {
		c.repo.Signed[sha] = now
		s.changed()
	}
	info, err := s.commit(c.r.Context(), c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	return created(s.gitCommitShape(c.repo, info))
}

func (s *Server) getGitCommit(c *call) (answer, error) {
	sha := c.vars["commit_sha"]
	if kind, err := s.kind(c.r.Context(), c.repo, sha); err != nil {
		return answer{}, err
	} else if kind != "commit" {
		return answer{}, notFound()
	}
	info, err := s.commit(c.r.Context(), c.repo, sha)
	if err != nil {
		return answer{}, err
	}
	return ok(s.gitCommitShape(c.repo, info))
}

func (s *Server) verification(r *repository, info commitInfo) obj {
	if at, ok := r.Signed[info.SHA]; ok {
		return obj{"verified": true, "reason": "valid", "payload": info.Raw, "verified_at": stamp(at),
			"signature": "-----BEGIN PGP SIGNATURE-----\n\nc2ltdWxhdG9y\n-----END PGP SIGNATURE-----\n"}
	}
	return obj{"verified": false, "reason": "unsigned", "payload": nil, "signature": nil, "verified_at": nil}
}

func (p person) shape() obj { return obj{"name": p.Name, "email": p.Email, "date": stamp(p.Date)} }

func (s *Server) gitCommitShape(r *repository, info commitInfo) obj {
	api := s.repoAPI(r) + "/git/commits/"
	html := s.repoHTML(r) + "/commit/"
	parents := []obj{}
	for _, p := range info.Parents {
		parents = append(parents, obj{"sha": p, "url": api + p, "html_url": html + p})
	}
	return obj{"sha": info.SHA, "node_id": nodeID("C", r.ID) + info.SHA, "url": api + info.SHA, "html_url": html + info.SHA,
		"author": info.Author.shape(), "committer": info.Committer.shape(), "message": info.Message,
		"tree": obj{"sha": info.Tree, "url": s.repoAPI(r) + "/git/trees/" + info.Tree}, "parents": parents,
		"verification": s.verification(r, info)}
}
