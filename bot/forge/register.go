package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// Place is a GitHub on which an App is created: github.com, or a server of one's
// own.
type Place struct {
	Server string // address; "" is github.com
	Org    string // the organisation that will own the App; "" is whoever creates it
	CA     []byte // as in Config
}

// Made is an App as GitHub hands it out once: with its secrets.
type Made struct {
	ID            int64
	Slug          string
	Owner         string
	PrivateKey    []byte // PEM
	WebhookSecret string
	Settings      string // page of the App's settings
	Install       string // page on which it is installed
}

// Web is the address of the pages, without a slash at its end.
func (p Place) Web() (*url.URL, error) {
	base, err := apiURL(p.Server)
	if err != nil {
		return nil, err
	}
	return webURL(base, ""), nil
}

// webURL is a page of the GitHub whose API is at base.
func webURL(base *url.URL, path string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: strings.TrimPrefix(base.Host, "api."), Path: path}
}

// NewAppURL is where a manifest is posted to.
func (p Place) NewAppURL(state string) (string, error) {
	if p.Org != "" && !ownerName.MatchString(p.Org) {
		return "", fmt.Errorf("forge: %q is not the name of an organisation", p.Org)
	}
	web, err := p.Web()
	if err != nil {
		return "", err
	}
	web.Path = "/settings/apps/new"
	if p.Org != "" {
		web.Path = "/organizations/" + p.Org + web.Path
	}
	web.RawQuery = url.Values{"state": {state}}.Encode()
	return web.String(), nil
}

// settingsURL is the page of an App's settings.
func settingsURL(base *url.URL, slug, owner string, organisation bool) string {
	path := "/settings/apps/" + slug
	if organisation {
		path = "/organizations/" + owner + path
	}
	return webURL(base, path).String()
}

// ErrCode says that GitHub does not take a code: it is wrong, was used, or is
// older than an hour.
var ErrCode = errors.New("GitHub does not take this code: it is wrong, was used before, or is older than an hour")

// Convert exchanges the code with which GitHub sent the browser back for the App.
// GitHub does it once; nothing is retried.
func (p Place) Convert(ctx context.Context, code string) (Made, error) {
	if !codeShape(code) {
		return Made{}, ErrCode
	}
	base, err := apiURL(p.Server)
	if err != nil {
		return Made{}, err
	}
	wire := http.DefaultTransport
	if len(p.CA) > 0 {
		if wire, err = trusting(wire, p.CA); err != nil {
			return Made{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	g := github.NewClient(&http.Client{Transport: bounded{wire}, CheckRedirect: checkRedirect})
	g.BaseURL, g.UserAgent = base, "fettle"
	a, _, err := g.Apps.CompleteAppManifest(ctx, code)
	var refused *github.ErrorResponse
	switch {
	case errors.As(err, &refused) && (status(err) == http.StatusNotFound || status(err) == http.StatusUnprocessableEntity):
		return Made{}, ErrCode
	case err != nil:
		return Made{}, fmt.Errorf("exchanging the code for the App at %s: %w", base.Host, err)
	case a.GetID() <= 0 || a.GetSlug() == "" || a.GetPEM() == "" || a.GetWebhookSecret() == "":
		return Made{}, fmt.Errorf("%s answered without the App's id, key or webhook secret", base.Host)
	}
	m := Made{ID: a.GetID(), Slug: a.GetSlug(), Owner: a.GetOwner().GetLogin(), PrivateKey: []byte(a.GetPEM()), WebhookSecret: a.GetWebhookSecret()}
	m.Settings = settingsURL(base, m.Slug, m.Owner, a.GetOwner().GetType() == "Organization" || p.Org != "")
	m.Install = webURL(base, "/apps/"+m.Slug+"/installations/new").String()
	if page, err := url.Parse(a.GetHTMLURL()); err == nil && page.Host == webURL(base, "").Host { // an Enterprise Server has another path
		m.Install = page.JoinPath("installations/new").String()
	}
	return m, nil
}

// codeShape keeps what came in a browser's address from changing a path.
func codeShape(code string) bool {
	for _, c := range code {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(code) > 0 && len(code) <= 200
}

// bounded bounds the body of an answer.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, 1<<20)
	}
	return resp, err
}
