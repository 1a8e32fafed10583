package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/hooks/prepush"
)

// issueFlag is a file that holds an issue, standard input, or an issue on GitHub.
type issueFlag string

func (f *issueFlag) String() string { return string(*f) }
func (f *issueFlag) Type() string   { return "string" }
func (f *issueFlag) Set(s string) error {
	if onGitHub(s) {
		*f = issueFlag(s)
		return nil
	}
	return (*pathFlag)(f).Set(s)
}

func issueVar(c *cobra.Command, into *string, usage string) {
	c.Flags().Var((*issueFlag)(into), "issue", usage)
}

var (
	issueNumber = regexp.MustCompile(`^#([1-9][0-9]{0,9})$`)
	issueURL    = regexp.MustCompile(`^(https?://[^/]+)/([^/]+)/([^/]+)/issues/([1-9][0-9]{0,9})/?(?:[?#].*)?$`)
	scpAddress  = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):(.+)$`) // as git@github.com:owner/name.git
)

func onGitHub(ref string) bool { return strings.HasPrefix(ref, "#") || strings.Contains(ref, "://") }

// words are what is asked, as others wrote it.
type words struct {
	title, body string
	url         string // of the issue; "" where it is on no forge
}

// issue reads what is asked: a file, standard input, or an issue on GitHub with what was
// said under it. A number is one of the repository that origin of dir is.
func (p *parts) issue(ctx context.Context, ref, dir string, in io.Reader) (words, error) {
	if !onGitHub(ref) {
		title, body, err := readIssue(ref, in)
		return words{title: title, body: body}, err
	}
	address := ref
	if n := issueNumber.FindStringSubmatch(ref); n != nil {
		home, err := originOf(ctx, dir)
		if err != nil {
			return words{}, err
		}
		address = home + "/issues/" + n[1]
	}
	m := issueURL.FindStringSubmatch(address)
	if m == nil {
		return words{}, usage("%q is no issue; give a FILE, -, #NUMBER, or https://HOST/OWNER/NAME/issues/NUMBER", ref)
	}
	n, _ := strconv.Atoi(m[4]) // digits
	client, repo, err := p.person(ctx, m[1], m[2], m[3])
	if err != nil {
		return words{}, err
	}
	is, err := client.Issue(ctx, repo, n)
	if err != nil {
		return words{}, p.unreadable(err, repo, n)
	}
	if is.IsPullRequest {
		return words{}, usage("%s#%d is a pull request; give an issue, or see 'fettle judge --help'", repo.Slug(), n)
	}
	said, err := client.Thread(ctx, repo, n)
	if err != nil {
		return words{}, p.unreadable(err, repo, n)
	}
	out := words{title: is.Title, body: is.Body, url: is.URL}
	for _, s := range said {
		out.body += fmt.Sprintf("\n\nComment by %s:\n%s", s.Author, s.Body)
	}
	return out, nil
}

func (p *parts) unreadable(err error, repo task.Repo, n int) error {
	if forge.IsGone(err) {
		return usage("there is no issue %s#%d that the token may read; look at the number, and whether the token may see the repository", repo.Slug(), n)
	}
	return err
}

// originOf is the page of the repository that origin of a folder is.
func originOf(ctx context.Context, dir string) (string, error) {
	repo, err := prepush.Find(ctx, dir)
	if err != nil {
		return "", usage("%s is in no Git repository, so that an issue's number says nothing; give its whole address", dir)
	}
	address := repo.Remote(ctx, "origin")
	if m := scpAddress.FindStringSubmatch(address); m != nil && !strings.Contains(address, "://") {
		address = "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(address)
	slug := ""
	if err == nil {
		slug = strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	}
	if strings.Count(slug, "/") != 1 || u.Host == "" {
		return "", usage("the remote origin is no repository on GitHub (%q); give the issue's whole address", clean(address))
	}
	if u.Scheme != "http" { // ssh and git
		u.Scheme = "https"
	}
	host := u.Host
	if u.Scheme == "https" {
		host = u.Hostname()
		if p := u.Port(); p != "" && p != "22" {
			host = u.Host
		}
	}
	return u.Scheme + "://" + path.Join(host, slug), nil
}

// person is GitHub as the person at the keyboard may use it. A token of the environment
// goes to github.com and to the host of the operator's file only.
func (p *parts) person(ctx context.Context, home, owner, name string) (*forge.Client, task.Repo, error) {
	u, err := url.Parse(home)
	if err != nil {
		return nil, task.Repo{}, usage("%s is no address: %w", home, err)
	}
	repo := task.Repo{Installation: 1, Owner: owner, Name: name, CloneURL: home + "/" + owner + "/" + name + ".git"}
	known, _ := url.Parse(p.set.GitHub.BaseURL)
	base, ours := home, u.Host == "github.com"
	switch {
	case ours:
		base = ""
	case known != nil && known.Host == u.Host && known.Host != "":
		base, ours = p.set.GitHub.BaseURL, true
	}
	token := ""
	if ours {
		token = os.Getenv("GITHUB_TOKEN")
		if token == "" {
			token = os.Getenv("GH_TOKEN")
		}
	}
	if token == "" {
		out, _ := exec.CommandContext(ctx, "gh", "auth", "token", "--hostname", u.Hostname()).Output() //nolint:gosec // an argument, of a URL that was parsed; gh may not be there
		token = strings.TrimSpace(string(out))
	}
	if token == "" && !ours {
		return nil, repo, usage("there is no token for %s: GITHUB_TOKEN goes to github.com and to github.base_url of the operator's file only; log in with 'gh auth login --hostname %s'", u.Host, u.Hostname())
	}
	if token == "" {
		return nil, repo, usage("there is no token for %s; set GITHUB_TOKEN, or log in with 'gh auth login'", u.Host)
	}
	p.funnel.AddSecret(token)
	client, err := p.clientAt(base, forge.Config{Token: token, TokenFor: repo, MarkerKey: []byte("of no mark is made here")})
	return client, repo, err
}

// readIssue reads the task: first line the title, the rest the body.
func readIssue(name string, in io.Reader) (title, body string, err error) {
	switch name {
	case "":
		return "", "", usage("no issue given: --issue FILE, or --issue - to read it from standard input")
	case "-":
	default:
		f, err := os.Open(name) // may be a pipe, as <(gh issue view 7) is
		if errors.Is(err, fs.ErrNotExist) {
			return "", "", usage("there is no issue file %s; give one whose first line is the title, the rest the body", name)
		}
		if err != nil {
			return "", "", usage("reading the issue: %w", err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil {
		return "", "", usage("reading the issue: %w", err)
	}
	text := strings.ToValidUTF8(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\uFFFD")
	title, body, _ = strings.Cut(strings.TrimLeft(strings.TrimPrefix(text, "\uFEFF"), "\n"), "\n")
	title = strings.TrimSpace(strings.TrimLeft(title, "# "))
	if title == "" {
		return "", "", usage("the issue %s is empty; write a title into its first line, the rest below", name)
	}
	return title, strings.TrimSpace(body), nil
}
