package check

import (
	"cmp"
	"fmt"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/settings"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

var offline = []struct {
	re   *lazyregexp.Regexp
	what string
}{
	{lazyregexp.New(`GOPROXY=off|mkdir \S+/cache/download/\S+: read-only file system|no required module provides package|missing go\.sum entry|module lookup disabled`), "modules that it imports are not on this machine"},
	{lazyregexp.New(`go: go\.mod requires go >= (\S+)`), "it needs a newer Go"},
	{lazyregexp.New(`(?i)in offline mode|has not been downloaded from it before|No cached version .* available for offline mode`), "packages that it needs are not on this machine"},
	{lazyregexp.New(`no matching package named|you may have requested .*--offline|attempting to make an HTTP request, but --offline`), "crates that it needs are not on this machine"},
	{lazyregexp.New(`Could not find .{1,80} in (?:locally installed gems|any of the sources)|Bundler::GemNotFound|Your Ruby version is [\d.]+, but your Gemfile specified`), "gems that it needs are not on this machine"},
	{lazyregexp.New(`(?:Failed opening required|[Ff]ailed to open stream|Cannot open bootstrap script|Cannot open file) .{0,80}vendor/autoload\.php['"]?`), "packages that it needs are not on this machine"},
	{lazyregexp.New(`unrecognized arguments: --(?:cov|numprocesses|n\b|asyncio|django|timeout|benchmark)`), "a plugin of pytest that its configuration names is not installed"},
	{lazyregexp.New(`Missing required plugins: (.+)`), "a plugin of pytest that its configuration names is not installed"},
	{lazyregexp.New(`requires pytest-[\d.]+, actual pytest-`), "it needs another version of pytest"},
	{lazyregexp.New(`pyenv: version .+ is not installed`), "the Python that its .python-version names is not on this machine"},
	{lazyregexp.New(`(?m)^error: rustup could not choose a version`), "no Rust toolchain is chosen"},
	{lazyregexp.New(`Couldn't find a (?:package\.json|tsconfig)`), "its configuration is missing"},
}

// lacks tells whether a command failed because something is not installed.
func (w *run) lacks(c detect.Command, res sandbox.Result) (why, do string) {
	text := string(res.Stdout) + string(res.Stderr)
	setup := strings.Join(w.opt.Plan.Setup, "; ")
	for _, o := range offline {
		m := o.re.FindString(text)
		if m == "" {
			continue
		}
		switch {
		case strings.HasPrefix(m, "go: go.mod requires"):
			do = cmp.Or(w.outdated(c), "install that Go, or lower the go line of go.mod")
		case strings.HasPrefix(m, "pyenv:"):
			do = "install it with 'pyenv install', or change .python-version"
		default:
			do = cmp.Or(setup, "install its dependencies, then check again")
		}
		return o.what + " (" + m[:min(len(m), 120)] + ")", do
	}
	if m := unknownCommand.FindStringSubmatch(text); m != nil && res.ExitCode == notFound {
		return m[1] + " is not there", cmp.Or(setup, "install it, or change the command that calls it")
	}
	return "", ""
}

// notFound is a shell's exit status for a command that does not exist (POSIX,
// Shell Command Language, 2.8.2).
const notFound = 127

var unknownCommand = lazyregexp.New(`(?m)^(?:/bin/)?(?:sh|bash|dash): (?:line )?\d+: (?:exec: )?([\w./+-]{1,80}): (?:command )?not found`)

// advice is what to do first about red tests.
func (w *run) advice(c detect.Command, fails []task.Failure) string {
	if old := w.outdated(c); old != "" {
		return old
	}
	for _, f := range fails {
		if what := offline[0]; what.re.MatchString(f.Message) {
			return what.what + ": " + cmp.Or(strings.Join(w.opt.Plan.Setup, "; "), "install them") + "; or let fettle do it: 'setup' in its own configuration"
		}
	}
	for _, f := range fails {
		if f.Kind == task.FailImport && len(w.opt.Plan.Setup) > 0 && !strings.Contains(f.Message, "'.") {
			return "if the module is a dependency: " + strings.Join(w.opt.Plan.Setup, "; ")
		}
	}
	for _, f := range fails {
		if unreachable.MatchString(f.Exception + " " + f.Message) {
			name := ""
			if len(w.opt.Plan.Services) > 0 {
				name = fmt.Sprintf(" (services: [%s])", strings.Join(w.opt.Plan.Services, ", "))
			}
			return "some tests look for a service or the network, and the sandbox has no network: name a service under services in " + settings.RepoFile + name + ", let the tests start what they need, or skip them where it is missing"
		}
	}
	for _, f := range fails {
		if regional.MatchString(f.Exception + " " + f.Message + "\n" + w.around(f)) {
			return fmt.Sprintf("some red tests look at the time zone or the locale, and here TZ is %s and LANG is %s, with no other locale to be had: let a test that needs another set it, or put it before the command under checks in .fettle.yml",
				cmp.Or(c.Env["TZ"], "UTC"), cmp.Or(c.Env["LANG"], "C.UTF-8"))
		}
	}
	return ""
}

// unreachable is how a test fails that looks for a service or the network.
var unreachable = lazyregexp.New(`ConnectionRefusedError|ECONNREFUSED|[Cc]onnection refused|gaierror|ENOTFOUND|EAI_AGAIN|[Nn]etwork is unreachable|no such host|[Nn]ame or service not known|[Tt]emporary failure in name resolution`)

// regional is what tests say and call whose outcome depends on where they are
// run: an assertion on a local time names nothing but two numbers.
var regional = lazyregexp.New(`locale\.Error|unsupported locale|setlocale|\bLC_[A-Z]+\b|\bLANG\b|\bTZ\b|tzset|tzlocal|ZoneInfo|[Tt]ime ?zone|fromtimestamp\(|localtime\(|astimezone\(\)|time\.Local\b|\.Local\(\)|LoadLocation|toLocale\w*String|localeCompare|DateTimeFormat|NumberFormat|\.getHours\(`)

// The lines around a failure that are taken for its test's.
const linesBefore, linesAfter = 12, 2

// around is the source around the place of a failure.
func (w *run) around(f task.Failure) string {
	if f.File == "" || f.Line < 1 || !w.tree.Has(f.File) {
		return ""
	}
	lines := strings.Split(w.tree.Read(f.File), "\n")
	from, to := max(f.Line-1-linesBefore, 0), min(f.Line+linesAfter, len(lines))
	if from >= to {
		return ""
	}
	return strings.Join(lines[from:to], "\n")
}
