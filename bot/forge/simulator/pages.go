package simulator

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

//go:embed web/pages.html web/forms.html web/style.css
var web embed.FS

// view is what every page gets.
type view struct {
	Title, Base, Tab      string
	Repo                  *repository
	OpenIssues, OpenPulls int
	Data                  any
	Form                  string   // token of its forms; "" when whoever looks may not act
	People                []string // that can be acted as
	Here                  string   // path of the page, to come back to
	Leads                 string   // another site's origin that a form of the page leads back to
}

// scope is what a form is about.
type scope struct {
	*view
	On   any
	Page *view
}

// pager renders the pages that people look at. All text of others is escaped;
// Markdown is rendered without raw HTML and with safe links only.
type pager struct {
	s    *Server
	tmpl *template.Template
}

// markdown renders text as GitHub's flavour, leaving out raw HTML.
func markdown(text string) template.HTML {
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(text), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped here
	}
	return template.HTML(b.String()) //nolint:gosec // goldmark escapes, and omits raw HTML and unsafe links
}

var pageFuncs = template.FuncMap{
	"when":        func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"markdown":    markdown,
	"on":          func(v *view, on any) scope { return scope{view: v, On: on, Page: v} },
	"short":       short,
	"rows":        func() []struct{} { return make([]struct{}, 3) },
	"words":       func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	"conclusions": func() []string { return checkConclusions },
	"emoji": func(content string) string {
		return map[string]string{"+1": "👍", "-1": "👎", "laugh": "😄", "confused": "😕", "heart": "❤️", "hooray": "🎉", "rocket": "🚀", "eyes": "👀"}[content]
	},
}

func (s *Server) pages() http.Handler {
	p := &pager{s: s, tmpl: template.Must(template.New("").Funcs(pageFuncs).ParseFS(web, "web/pages.html", "web/forms.html"))}
	s.pager = p
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_enter", s.enter)
	mux.HandleFunc("POST /_do/{order}", s.act(s.orders()))
	mux.HandleFunc("POST /settings/apps/new", s.propose)
	mux.HandleFunc("POST /organizations/{org}/settings/apps/new", s.propose)
	mux.HandleFunc("GET /settings/apps/new/{id}", func(w http.ResponseWriter, r *http.Request) { s.proposal(w, r, r.PathValue("id")) })
	mux.HandleFunc("POST /settings/apps/create", s.create)
	mux.HandleFunc("GET /apps/{slug}/installations/new", s.installPage)
	mux.HandleFunc("GET /github-apps/{slug}/installations/new", s.installPage)
	mux.HandleFunc("GET /_style.css", p.style)
	mux.HandleFunc("GET /_avatar/{login}", avatar)
	mux.HandleFunc("GET /_stored/{id}", s.stored)
	mux.HandleFunc("GET /{$}", p.home)
	for path, page := range map[string]func(context.Context, *http.Request, *repository, *view) (string, error){
		"":                 p.code,
		"/tree/{path...}":  p.code,
		"/blob/{path...}":  p.blob,
		"/issues":          p.issues,
		"/pulls":           p.pulls,
		"/issues/{n}":      p.issue,
		"/pull/{n}":        p.issue,
		"/pull/{n}/files":  p.files,
		"/pull/{n}/checks": p.checks,
		"/commit/{sha}":    p.commit,
		"/settings":        p.settings,
	} {
		mux.HandleFunc("GET /{owner}/{repo}"+path, p.show(page))
	}
	mux.HandleFunc("GET /{owner}/{repo}/raw/{path...}", p.raw)
	return mux
}

var errNoPage = errors.New("there is no such page")

// show finds the repository, lets page fill the view, and renders the template
// that it names.
func (p *pager) show(page func(context.Context, *http.Request, *repository, *view) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.s.mu.Lock()
		defer p.s.mu.Unlock()
		repo := p.s.state.repo(r.PathValue("owner"), r.PathValue("repo"))
		if repo == nil {
			http.NotFound(w, r)
			return
		}
		v := &view{People: p.s.people(repo), Title: repo.Owner + "/" + repo.Name, Base: "/" + repo.Owner + "/" + repo.Name, Repo: repo, Tab: "code"}
		for _, i := range repo.Issues {
			switch {
			case i.State != "open":
			case i.Pull != nil:
				v.OpenPulls++
			default:
				v.OpenIssues++
			}
		}
		name, err := page(r.Context(), r, repo, v)
		p.render(w, r, name, v, err)
	}
}

func (p *pager) render(w http.ResponseWriter, r *http.Request, name string, v *view, err error) {
	p.renderStatus(w, r, http.StatusOK, name, v, err)
}

func (p *pager) renderStatus(w http.ResponseWriter, r *http.Request, status int, name string, v *view, err error) {
	if p.s.mayAct(r) {
		v.Form = p.s.sign("form")
	}
	v.Here = r.URL.EscapedPath()
	if errors.Is(err, errNoPage) {
		http.NotFound(w, r)
		return
	}
	var b bytes.Buffer
	if err == nil {
		err = p.tmpl.ExecuteTemplate(&b, name, v)
	}
	if err != nil {
		p.s.cfg.Log.WithError(err).WithField("path", r.URL.Path).Error("simulator: making a page")
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	harden(w, "text/html; charset=utf-8", v.Leads)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// harden lets a page load nothing but this server's style and pictures.
func harden(w http.ResponseWriter, kind string, leads ...string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'"+strings.Join(append([]string{""}, leads...), " ")+"; frame-ancestors 'none'")
}

func (p *pager) style(w http.ResponseWriter, r *http.Request) {
	data, err := web.ReadFile("web/style.css")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	harden(w, "text/css; charset=utf-8")
	_, _ = w.Write(data)
}

// avatar is a coloured disc with the first letter.
func avatar(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	harden(w, "image/svg+xml")
	letter := template.HTMLEscapeString(strings.ToUpper(string([]rune(login)[:1])))
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="20" fill="hsl(%d 50%% 45%%)"/><text x="20" y="27" font-size="20" text-anchor="middle" fill="#fff">%s</text></svg>`, userID(login)%360, letter)
}

func (p *pager) home(w http.ResponseWriter, r *http.Request) {
	p.s.mu.Lock()
	repos := p.s.state.repos()
	p.s.mu.Unlock()
	list := p.s.Deliveries()
	v := &view{Title: "simulator", Data: map[string]any{"Repos": repos, "Deliveries": list[:min(len(list), 100)]}}
	p.render(w, r, "home", v, nil)
}

// place splits "ref/path" where the reference may hold slashes.
func (p *pager) place(ctx context.Context, repo *repository, text string) (ref, sha, path string, err error) {
	if text == "" {
		text = repo.DefaultBranch
	}
	parts := strings.Split(strings.Trim(text, "/"), "/")
	for i := 1; i <= len(parts); i++ {
		ref = strings.Join(parts[:i], "/")
		if sha, err = p.s.resolve(ctx, repo, ref); err != nil || sha != "" {
			return ref, sha, strings.Join(parts[i:], "/"), err
		}
	}
	return text, "", "", nil
}

func (p *pager) code(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	ref, sha, path, err := p.place(ctx, repo, r.PathValue("path"))
	if err != nil {
		return "", err
	}
	data := map[string]any{"Ref": ref, "Path": path}
	v.Data = data
	_, names, err := p.s.refs(ctx, repo, "refs/heads/")
	if err != nil {
		return "", err
	}
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "refs/heads/")
	}
	data["Branches"] = names
	if sha == "" {
		if len(names) > 0 {
			return "", errNoPage
		}
		return "tree", nil
	}
	var below []string
	if path != "" {
		below = []string{path + "/"}
	}
	entries, err := p.s.tree(ctx, repo, sha, false, below...)
	if err != nil {
		return "", err
	}
	data["Entries"] = entries
	for _, e := range entries {
		if path == "" && e.Type == "blob" && strings.EqualFold(e.Path, "README.md") {
			text, err := p.s.blob(ctx, repo, e.SHA)
			if err != nil {
				return "", err
			}
			data["Readme"] = markdown(string(text))
		}
	}
	return "tree", nil
}

// fileAt reads the file that /blob/ and /raw/ speak of.
func (p *pager) fileAt(ctx context.Context, r *http.Request, repo *repository) (ref, path string, data []byte, err error) {
	ref, sha, path, err := p.place(ctx, repo, r.PathValue("path"))
	if err != nil {
		return "", "", nil, err
	}
	if sha == "" || !safePath(path) {
		return "", "", nil, errNoPage
	}
	entries, err := p.s.tree(ctx, repo, sha, false, path)
	if err != nil {
		return "", "", nil, err
	}
	if len(entries) != 1 || entries[0].Type != "blob" {
		return "", "", nil, errNoPage
	}
	data, err = p.s.blob(ctx, repo, entries[0].SHA)
	return ref, path, data, err
}

func (p *pager) blob(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	ref, path, data, err := p.fileAt(ctx, r, repo)
	if err != nil {
		return "", err
	}
	var lines []diffLine
	for line := range strings.Lines(strings.ToValidUTF8(string(data), "�")) {
		lines = append(lines, diffLine{New: strconv.Itoa(len(lines) + 1), Text: strings.TrimRight(line, "\r\n")})
	}
	whole := map[string]any{"Ref": ref, "Path": path, "Lines": lines}
	if head, err := p.s.refSHA(ctx, repo, "refs/heads/"+ref); err != nil {
		return "", err
	} else if head != "" && utf8.Valid(data) && len(data) < 1<<20 {
		whole["Branch"], whole["Text"] = ref, string(data)
	}
	v.Data = whole
	return "blob", nil
}

// raw sends a file as plain text, whatever it holds.
func (p *pager) raw(w http.ResponseWriter, r *http.Request) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	repo := p.s.state.repo(r.PathValue("owner"), r.PathValue("repo"))
	if repo == nil {
		http.NotFound(w, r)
		return
	}
	_, _, data, err := p.fileAt(r.Context(), r, repo)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	harden(w, "text/plain; charset=utf-8")
	_, _ = w.Write(data) //nolint:gosec // as plain text, with nosniff and a policy that runs nothing
}
