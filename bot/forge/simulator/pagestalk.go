package simulator

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"
)

// issuePage is an issue or a pull request on its page or in a list.
type issuePage struct {
	Number              int
	Title, Author, Link string
	Word, Mark          string // state and its colour
	Labels              []*label
	CreatedAt           time.Time
	Comments            []*comment
	Story               []chapter
	Head, Into, Tab     string
	Checks              []*checkRun
	Files               []filePage
	Pull, Draft, Open   bool
	Locked              bool
	HeadSHA             string
	Paths               []string // of files that a remark can stand on
}

// chapter is a comment, or an event when it has no Body.
type chapter struct {
	ID, Author, Text string
	At               time.Time
	Body             template.HTML
	Edited           bool
	Reactions        []reaction
	Threads          []threadPage // of a review
	Verdict          string       // of a review
}

// threadPage is a thread below the review that opened it.
type threadPage struct {
	*thread
	Number int
	Where  string
	Lines  []diffLine
	Said   []chapter
}

type filePage struct {
	fileChange
	Anchor string
	Lines  []diffLine
}

type diffLine struct{ Kind, Old, New, Text string }

func (p *pager) page(repo *repository, i *issue) issuePage {
	base := "/" + repo.Owner + "/" + repo.Name
	out := issuePage{Number: i.Number, Title: i.Title, Author: i.Author, Labels: repo.labelsOf(i), CreatedAt: i.CreatedAt,
		Open: i.State == "open", Locked: i.Locked,
		Comments: i.Comments, Link: fmt.Sprintf("%s/issues/%d", base, i.Number), Word: "Open"}
	if i.State == "closed" {
		out.Word, out.Mark = "Closed", "issue-closed"
	}
	if i.Pull == nil {
		return out
	}
	out.Link, out.Head, out.Into = fmt.Sprintf("%s/pull/%d", base, i.Number), i.Pull.Head, i.Pull.Base
	out.Pull, out.Draft, out.HeadSHA = true, i.Pull.Draft, i.Pull.HeadSHA
	if i.Pull.Fork != "" {
		out.Head = i.Pull.Fork + ":" + out.Head
	}
	switch {
	case !i.Pull.MergedAt.IsZero():
		out.Word, out.Mark = "Merged", "merged"
	case i.State == "closed":
		out.Mark = "closed"
	case i.Pull.Draft:
		out.Word, out.Mark = "Draft", "draft"
	}
	for _, k := range repo.Checks {
		if k.HeadSHA == i.Pull.HeadSHA {
			out.Checks = append(out.Checks, k)
		}
	}
	return out
}

func (p *pager) list(repo *repository, pulls bool) []issuePage {
	var out []issuePage
	for at := len(repo.Issues) - 1; at >= 0; at-- {
		if i := repo.Issues[at]; (i.Pull != nil) == pulls {
			out = append(out, p.page(repo, i))
		}
	}
	return out
}

func (p *pager) issues(_ context.Context, _ *http.Request, repo *repository, v *view) (string, error) {
	v.Tab, v.Data = "issues", p.list(repo, false)
	return "list", nil
}

func (p *pager) pulls(_ context.Context, _ *http.Request, repo *repository, v *view) (string, error) {
	v.Tab, v.Data = "pulls", p.list(repo, true)
	return "list", nil
}

// open finds the issue of the path and, for a pull request, its files.
func (p *pager) open(ctx context.Context, r *http.Request, repo *repository, v *view, tab string) (*issue, *issuePage, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		return nil, nil, errNoPage
	}
	i := repo.issue(n)
	if i == nil || (tab != "talk" && i.Pull == nil) {
		return nil, nil, errNoPage
	}
	out := p.page(repo, i)
	out.Tab, v.Tab, v.Title = tab, "issues", fmt.Sprintf("%s #%d", i.Title, i.Number)
	if i.Pull != nil {
		v.Tab = "pulls"
		files, err := p.s.changes(ctx, repo, i.Pull.BaseSHA, i.Pull.HeadSHA)
		if err != nil {
			return nil, nil, err
		}
		out.Files = filePages(files)
		for _, f := range files {
			if f.Status != "removed" {
				out.Paths = append(out.Paths, f.Path)
			}
		}
	}
	v.Data = &out
	return i, &out, nil
}

var eventWords = map[string]string{"labeled": "added the label %s", "unlabeled": "removed the label %s", "closed": "closed this %s",
	"reopened": "reopened this%.0s", "edited": "edited this%s", "merged": "merged this as %s", "head_moved": "pushed: %s",
	"opened": "opened this at %s", "ready_for_review": "marked this as ready for review%s", "converted_to_draft": "made this a draft%s"}

func (p *pager) issue(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	i, out, err := p.open(ctx, r, repo, v, "talk")
	if err != nil {
		return "", err
	}
	body := i.Body
	if strings.TrimSpace(body) == "" {
		body = "*No description provided.*"
	}
	for _, e := range i.Timeline {
		words, known := eventWords[e.Kind]
		if !known {
			words = e.Kind + " %s"
		}
		out.Story = append(out.Story, chapter{Author: e.Actor, At: e.At, Text: strings.TrimSpace(fmt.Sprintf(words, e.Detail))})
	}
	for _, c := range i.Comments {
		out.Story = append(out.Story, chapter{ID: fmt.Sprintf("issuecomment-%d", c.ID), Author: c.Author, At: c.CreatedAt,
			Body: markdown(c.Body), Edited: c.Edits > 0, Reactions: c.Reactions})
	}
	out.Story = append(out.Story, reviewChapters(i)...)
	sort.SliceStable(out.Story, func(a, b int) bool { return out.Story[a].At.Before(out.Story[b].At) })
	first := chapter{Author: i.Author, At: i.CreatedAt, Body: markdown(body), Reactions: i.Reactions}
	out.Story = append([]chapter{first}, out.Story...)
	return "issue", nil
}

// reviewChapters are the reviews that say something, each with the threads that it
// opened and what was answered in them.
func reviewChapters(i *issue) []chapter {
	if i.Pull == nil {
		return nil
	}
	var out []chapter
	for _, v := range i.Pull.Reviews {
		c := chapter{ID: fmt.Sprintf("pullrequestreview-%d", v.ID), Author: v.Author, At: v.At, Verdict: v.State, Body: markdown(v.Body)}
		for _, t := range i.Pull.Threads {
			if t.Comments[0].Review != v.ID {
				continue
			}
			shown := threadPage{thread: t, Number: i.Number, Where: fmt.Sprintf("%s line %d", t.Path, t.Line), Lines: lastLines(diffLines(t.Hunk), 6)}
			if t.StartLine > 0 {
				shown.Where = fmt.Sprintf("%s lines %d to %d", t.Path, t.StartLine, t.Line)
			}
			for _, m := range t.Comments {
				shown.Said = append(shown.Said, chapter{ID: fmt.Sprintf("discussion_r%d", m.ID), Author: m.Author, At: m.CreatedAt, Body: markdown(m.Body), Reactions: m.Reactions})
			}
			c.Threads = append(c.Threads, shown)
		}
		if len(c.Threads) > 0 || strings.TrimSpace(v.Body) != "" || v.State != "commented" {
			out = append(out, c)
		}
	}
	return out
}

func lastLines(all []diffLine, n int) []diffLine { return all[max(0, len(all)-n):] }

// settings is who may do what, and what can become of the repository.
func (p *pager) settings(_ context.Context, _ *http.Request, repo *repository, v *view) (string, error) {
	v.Tab = "settings"
	data := map[string]any{"Permissions": repo.Permissions, "Branch": repo.DefaultBranch, "Installed": false, "Suspended": false}
	if in := p.s.state.installationOf(repo.Owner); in != nil {
		data["Installed"], data["Suspended"] = true, in.Suspended
	}
	v.Data = data
	return "settings", nil
}

func (p *pager) files(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	_, _, err := p.open(ctx, r, repo, v, "files")
	return "files", err
}

func (p *pager) checks(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	_, _, err := p.open(ctx, r, repo, v, "checks")
	return "checks", err
}

func (p *pager) commit(ctx context.Context, r *http.Request, repo *repository, v *view) (string, error) {
	sha := r.PathValue("sha")
	if kind, err := p.s.kind(ctx, repo, sha); err != nil || kind != "commit" {
		return "", errNoPage
	}
	info, err := p.s.commit(ctx, repo, sha)
	if err != nil {
		return "", err
	}
	files, err := p.s.filesOf(ctx, repo, sha)
	if err != nil {
		return "", err
	}
	subject, rest, _ := strings.Cut(info.Message, "\n")
	_, signed := repo.Signed[sha]
	v.Data = map[string]any{"Subject": subject, "Message": strings.TrimSpace(rest), "SHA": sha, "Author": info.Author.Name,
		"Signed": signed, "Files": filePages(files)}
	return "commit", nil
}

func filePages(files []fileChange) []filePage {
	var out []filePage
	for _, f := range files {
		out = append(out, filePage{fileChange: f, Anchor: diffAnchor(f.Path), Lines: diffLines(f.Patch)})
	}
	return out
}

// diffLines numbers the lines of a patch on both sides.
func diffLines(patch string) []diffLine {
	var out []diffLine
	before, after := 0, 0
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		l := diffLine{Text: strings.ToValidUTF8(line, "�")}
		switch {
		case strings.HasPrefix(line, "@@ "):
			_, _ = fmt.Sscanf(hunkStarts(line), "%d %d", &before, &after)
			l.Kind = "hunk"
		case strings.HasPrefix(line, "+"):
			l.Kind, l.New = "add", strconv.Itoa(after)
			after++
		case strings.HasPrefix(line, "-"):
			l.Kind, l.Old = "del", strconv.Itoa(before)
			before++
		case strings.HasPrefix(line, "\\"):
			l.Kind = "hunk"
		default:
			l.Old, l.New = strconv.Itoa(before), strconv.Itoa(after)
			before, after = before+1, after+1
		}
		out = append(out, l)
	}
	return out
}

// hunkStarts is "old new" of "@@ -old,n +new,n @@".
func hunkStarts(line string) string {
	words := strings.Fields(line)
	if len(words) < 3 {
		return ""
	}
	first := func(word string) string {
		start, _, _ := strings.Cut(strings.TrimLeft(word, "+-"), ",")
		return start
	}
	return first(words[1]) + " " + first(words[2])
}
