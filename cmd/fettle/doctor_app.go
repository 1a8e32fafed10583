package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
)

// Clocks: GitHub refuses a token of the App that was made in its future, or that has
// ended. fettle back-dates by a minute and lets live for five.
const (
	clockFast = 45 * time.Second
	clockSlow = -4 * time.Minute
	clockNear = 10 * time.Second
)

const keepTime = "timedatectl set-ntp true, or whatever keeps this machine's clock"

// appFindings are the lines about the App: its files, what GitHub says of it, its
// webhook, and, where one is named, a repository.
func (p *parts) appFindings(ctx context.Context, repo, addr string) []finding {
	if p.set.GitHub.AppID == 0 {
		f := finding{"github app", "ok", "not configured; needed by 'fettle serve' only", ""}
		if repo != "" {
			f.Status, f.Fix = "error", "fettle init --github"
		}
		return []finding{f}
	}
	client, err := p.forge(make([]byte, 32), nil)
	if err == nil {
		_, err = p.webhookSecrets()
	}
	if err != nil {
		return []finding{{"github app", "error", err.Error(), "see 'fettle serve --help', or make an App with 'fettle init --github'"}}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out := append(p.secretFindings(), p.clockFinding(ctx, client))
	app, err := client.Inspect(ctx)
	if err != nil {
		return append(out, finding{"github app", "error", p.funnel.Log(err.Error()), "check github.app_id, github.private_key_file and the network; a new key is made on the page of the App's settings"}, p.listenFinding(ctx, addr))
	}
	out = append(out, finding{"github app", "ok", fmt.Sprintf("%s, app %d of %s; key and webhook secret readable", app.Slug, p.set.GitHub.AppID, app.Owner), ""})
	out = append(out, grantFindings(app)...)
	out = append(out, p.webhookFindings(ctx, client, app)...)
	out = append(out, p.listenFinding(ctx, addr))
	if repo != "" {
		out = append(out, p.repoFindings(ctx, client, app, repo)...)
	}
	return out
}

// secretFindings names secrets that others may read.
func (p *parts) secretFindings() []finding {
	var out []finding
	for _, name := range []string{p.set.GitHub.PrivateKeyFile, p.set.GitHub.WebhookSecretFile} {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
			out = append(out, finding{"github secrets", "warning", fmt.Sprintf("others may read %s (mode %04o)", name, info.Mode().Perm()), "chmod 600 " + name})
		}
	}
	return out
}

func (p *parts) clockFinding(ctx context.Context, client *forge.Client) finding {
	skew, err := client.Skew(ctx)
	if err != nil {
		return finding{"clock", "warning", p.funnel.Log(err.Error()), "check the network and github.base_url"}
	}
	whole := skew.Round(time.Second)
	f := finding{"clock", "ok", fmt.Sprintf("within %s of GitHub's", max(whole, -whole, time.Second)), ""}
	switch {
	case skew > clockFast:
		f = finding{"clock", "error", fmt.Sprintf("%s ahead of GitHub's: it takes the App's tokens for ones of the future", whole), keepTime}
	case skew < clockSlow:
		f = finding{"clock", "error", fmt.Sprintf("%s behind GitHub's: it takes the App's tokens for ended ones", -whole), keepTime}
	case skew > clockNear || skew < -clockNear:
		f = finding{"clock", "warning", fmt.Sprintf("%s away from GitHub's", max(whole, -whole)), keepTime}
	}
	return f
}

// grantFindings compares what GitHub grants with the table.
func grantFindings(app forge.Standing) []finding {
	var out []finding
	for _, n := range app.Lacks {
		out = append(out, finding{"app permission", "error", fmt.Sprintf("%s: %s is missing, to %s", n.Title, n.Level, n.Why), app.Settings + "/permissions"})
	}
	for _, n := range app.Deaf {
		out = append(out, finding{"app event", "error", n.Title + " is not subscribed to: " + n.Why, app.Settings + "/permissions"})
	}
	if len(app.Surplus) > 0 {
		out = append(out, finding{"app permission", "warning", "more than fettle uses: " + strings.Join(app.Surplus, ", "), "take it away at " + app.Settings + "/permissions"})
	}
	var accounts []string
	suspended := false
	for _, in := range app.Installed {
		if in.Suspended {
			suspended = true
			out = append(out, finding{"app installation", "warning", "suspended on " + in.Account, in.Grant})
			continue
		}
		accounts = append(accounts, in.Account)
		for _, n := range in.Lacks {
			if !slices.ContainsFunc(app.Lacks, func(o forge.Need) bool { return o.Name == n.Name }) { // what the App does not ask for, nobody can grant
				out = append(out, finding{"app installation", "error", fmt.Sprintf("%s has not granted %s: %s, to %s", in.Account, n.Title, n.Level, n.Why), "its owner accepts it at " + in.Grant})
			}
		}
	}
	if len(out) == 0 {
		out = append(out, finding{"app permission", "ok", fmt.Sprintf("all %d permissions and %d events", len(forge.Permissions()), len(forge.Events())), ""})
	}
	if len(accounts) == 0 && suspended {
		return out
	}
	if len(accounts) == 0 {
		return append(out, finding{"app installation", "warning", "installed nowhere: no issue can reach it", app.Install})
	}
	return append(out, finding{"app installation", "ok", "on " + strings.Join(accounts, ", "), ""})
}

// webhookFindings are GitHub's own view: where it delivers, and what came of it.
func (p *parts) webhookFindings(ctx context.Context, client *forge.Client, app forge.Standing) []finding {
	hook, err := client.Hook(ctx)
	if err != nil {
		return []finding{{"webhook", "error", p.funnel.Log(err.Error()), "look at " + app.Settings}}
	}
	if hook.URL == "" {
		return []finding{{"webhook", "error", "the App has no webhook: GitHub delivers nothing", "set its URL, https://HOST/webhook, and mark it active at " + app.Settings}}
	}
	out := []finding{{"webhook", "ok", hook.URL, ""}}
	switch {
	case !hook.Secret:
		out[0] = finding{"webhook", "error", hook.URL + " has no secret: fettle refuses what it cannot verify", "set the one of " + p.set.GitHub.WebhookSecretFile + " at " + app.Settings}
	case !hook.JSON:
		out[0] = finding{"webhook", "error", hook.URL + " is sent forms", "choose the content type application/json at " + app.Settings}
	case hook.Insecure:
		out[0] = finding{"webhook", "warning", hook.URL + ": GitHub does not verify its certificate", "enable SSL verification at " + app.Settings}
	}
	return append(out, p.deliveryFinding(ctx, client, app, hook))
}

// deliveryFinding tells what became of the last deliveries. GitHub keeps them for
// three days, and delivers nothing again by itself.
func (p *parts) deliveryFinding(ctx context.Context, client *forge.Client, app forge.Standing, hook forge.Hook) finding {
	const most = 50
	list, err := client.Deliveries(ctx, p.now().Add(-72*time.Hour), most)
	if err != nil {
		return finding{"deliveries", "warning", p.funnel.Log(err.Error()), "look at " + app.Settings + "/advanced"}
	}
	if len(list) == 0 {
		return finding{"deliveries", "warning", "GitHub has delivered nothing within three days: whether it reaches " + hook.URL + " is not known", "file an issue, or install the App, and run this again; " + app.Settings + "/advanced lists deliveries"}
	}
	bad, seen := 0, map[string]bool{}
	for _, d := range list { // newest first: an event that arrived when it was asked for again is not lost
		if !d.Delivered() && !seen[d.GUID] {
			bad++
		}
		seen[d.GUID] = true
	}
	last := list[0]
	f := finding{"deliveries", "ok", fmt.Sprintf("GitHub reaches it: all of the last %d events within three days arrived", len(seen)), ""}
	if bad > 0 {
		f = finding{"deliveries", "warning", fmt.Sprintf("the last one (%s) arrived; %d of the last %d did not", last.Event, bad, len(seen)), "'fettle serve' asks for them again; look at " + app.Settings + "/advanced"}
	}
	if !last.Delivered() {
		f.Status = "error"
		f.Detail = fmt.Sprintf("the last one (%s, %s) was answered %d; %d of the last %d failed", last.Event, last.At.UTC().Format(time.RFC3339), last.StatusCode, bad, len(seen))
		f.Fix = deliveryCure(last.StatusCode, hook.URL, app.Settings, p.set.GitHub.WebhookSecretFile)
	}
	return f
}

func deliveryCure(code int, hook, page, secret string) string {
	switch code {
	case http.StatusUnauthorized:
		return "the secret at " + page + " is not the one in " + secret + ": set it anew there"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "something else than fettle's /webhook answers at " + hook + ": check the path and the proxy"
	case 0, http.StatusBadGateway, http.StatusGatewayTimeout:
		return "start 'fettle serve', and let GitHub reach " + hook + ": DNS, firewall, the proxy's target, its certificate"
	case http.StatusServiceUnavailable:
		return "'fettle serve' cannot store what is delivered: its log says why"
	}
	return "look at the answer at " + page + "/advanced"
}

// listenFinding asks the server on this machine. A delivery without a signature
// has to be refused: by that fettle's own webhook is known.
func (p *parts) listenFinding(ctx context.Context, addr string) finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	address := (&url.URL{Scheme: "http", Host: addr, Path: "/webhook"}).String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		return finding{"listener", "error", err.Error(), "give the server's address with --addr"}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return finding{"listener", "warning", "nothing answers at " + addr, "fettle serve --addr " + addr + "; or name the server's address with --addr"}
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(string(said), "X-Hub-Signature-256") {
		return finding{"listener", "warning", fmt.Sprintf("something else than fettle's webhook answers at %s (%s)", address, resp.Status), "name the address of 'fettle serve' with --addr"}
	}
	return finding{"listener", "ok", "'fettle serve' answers at " + addr + " and refuses what is not signed", ""}
}

// repoFindings are about one repository.
func (p *parts) repoFindings(ctx context.Context, client *forge.Client, app forge.Standing, slug string) []finding {
	owner, name, ok := strings.Cut(slug, "/")
	if !ok {
		return []finding{{"repository", "error", slug + " is not OWNER/NAME", "--repo OWNER/NAME"}}
	}
	repo, err := client.Find(ctx, owner, name)
	if errors.Is(err, forge.ErrNotInstalled) {
		return []finding{{"repository", "error", "the App cannot see " + slug + ": it is not installed there, or there is no such repository", app.Install}}
	}
	if err != nil {
		return []finding{{"repository", "error", p.funnel.Log(err.Error()), "look at " + app.Install}}
	}
	out := []finding{{"repository", "ok", slug + ", default branch " + repo.DefaultBranch, ""}}
	if !p.set.Access.Installation(repo.Installation, owner) {
		out[0].Status, out[0].Detail, out[0].Fix = "error", slug+" is not among those that 'installations' allows", "add "+owner+" to installations: {allow: [...]} in "+p.set.File
	}
	safe, err := client.Protected(ctx, repo, repo.DefaultBranch)
	f := finding{"default branch", "ok", repo.DefaultBranch + " is protected", ""}
	switch {
	case err != nil:
		f = finding{"default branch", "warning", p.funnel.Log(err.Error()), "look at " + repo.HTMLURL + "/settings/rules"}
	case !safe:
		f = finding{"default branch", "warning", repo.DefaultBranch + " is not protected: a token of the App could push to it, though fettle does not", "add a rule at " + repo.HTMLURL + "/settings/rules"}
	}
	out = append(out, f)
	has, err := client.HasLabel(ctx, repo, p.set.Label)
	f = finding{"label", "ok", p.set.Label + " is there", ""}
	switch {
	case err != nil:
		f = finding{"label", "warning", p.funnel.Log(err.Error()), "look at " + repo.HTMLURL + "/labels"}
	case !has:
		f = finding{"label", "warning", "there is no label " + p.set.Label + " to ask for a fix with", "make it at " + repo.HTMLURL + "/labels"}
	}
	return append(out, f)
}
