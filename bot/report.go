package bot

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// reporter composes every text that a human reads about a run. What others
// wrote reaches it only through the funnel.
type reporter struct{ funnel *redact.Funnel }

// branchName is fettle/issue-<n>-<slug>, with the generation behind it from
// the second run on an issue on.
func branchName(t task.Task) string {
	if t.Follow != nil {
		return t.Follow.Branch
	}
	name := fmt.Sprintf("fettle/issue-%d", t.Issue)
	if s := slug(t.Title); s != "" {
		name += "-" + s
	}
	if t.Generation > 1 {
		name += fmt.Sprintf("-%d", t.Generation)
	}
	return name
}

const maxSlug = 40

// slug keeps letters and digits of ASCII, at most maxSlug characters.
func slug(title string) string {
	var b strings.Builder
	dash := false
	for _, c := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(c)
			dash = false
		case unicode.Is(unicode.Mn, c):
		default:
			dash = true
		}
	}
	out := b.String()
	if len(out) > maxSlug {
		out = out[:maxSlug+1]
		if i := strings.LastIndexByte(out, '-'); i > 0 {
			out = out[:i] // whole words
		} else {
			out = out[:maxSlug]
		}
	}
	return out
}

var conventional = lazyregexp.New(`^(fix|feat|refactor|test|docs|chore|perf)(\([^)]*\))?!?: `)

// subject is a conventional commit's first line, made from the issue's title; of
// a change whose tests are not known to be the issue's, from what it does.
func (r reporter) subject(res task.Result) string {
	t, words := res.Task, res.Task.Title
	if res.Unsure && res.Best != nil && res.Best.Explanation != "" {
		words, _, _ = strings.Cut(strings.ReplaceAll(res.Best.Explanation, "`", ""), ". ")
	}
	title := strings.Join(strings.Fields(r.funnel.Markdown(words)), " ")
	title = strings.TrimRight(title, " .!?")
	if title == "" {
		title = fmt.Sprintf("issue %d", t.Issue)
	}
	if !conventional.MatchString(title) {
		title = kind(res) + ": " + lowerFirst(title)
	}
	return unskipped(cut(title, 72))
}

// skipCI in a message asks GitHub Actions, and most other CI, to run nothing.
const skipCI = "[skip ci]"

// skips are the words by which CI systems are told to skip.
var skips = lazyregexp.New(`(?i)\[\s*((?:skip|no)[\s-]*(?:ci|actions?|checks?)|(?:ci|actions?)[\s-]*skip)[^\]]*\]|\*\*\*NO_CI\*\*\*|\b(skip-checks?)\s*:`)

// unskipped takes them out of foreign words: nobody but fettle says in its
// messages what CI has to run.
func unskipped(s string) string {
	return skips.ReplaceAllStringFunc(s, func(m string) string {
		return "(" + strings.Trim(strings.ToLower(m), "[]*: ") + ")"
	})
}

// commitMessage has the trailers by which fettle knows its own commits.
func (r reporter) commitMessage(res task.Result) string {
	subject := r.subject(res)
	var b strings.Builder
	if res.Outcome != task.Success {
		subject = cut("WIP: "+strings.TrimPrefix(subject, kind(res)+": "), 72)
	}
	if res.SkipCI {
		subject = cut(subject, 72-len(skipCI)-1) + " " + skipCI
	}
	fmt.Fprintf(&b, "%s\n\n", subject)
	if res.Outcome != task.Success {
		fmt.Fprintf(&b, "Stopped: %s (%s). Cost %s, %s.\nThis is the best attempt; it is unverified.\n\n", res.Outcome, unskipped(strings.Join(strings.Fields(r.funnel.Markdown(res.Reason)), " ")), res.Cost, task.Count(len(res.Attempts), "attempt"))
	} else if res.Best != nil && res.Best.Explanation != "" {
		fmt.Fprintf(&b, "%s\n\n", wrap(unskipped(strings.Join(strings.Fields(r.funnel.Markdown(res.Best.Explanation)), " ")), 72))
	}
	fmt.Fprintf(&b, "Fettle-Run: %s\nFettle-Tier: %s\nFettle-Attempts: %d\nFettle-Cost: %s\n", res.RunID, res.Tier, len(res.Attempts), res.Cost)
	return b.String()
}

// pullRequest is title and body (SPEC S4). The keyword that closes the issue is
// no part of them: it is set behind what the funnel has passed.
func (r reporter) pullRequest(res task.Result) (title, body string) {
	var b strings.Builder
	r.cause(&b, res)
	r.evidence(&b, res)
	r.checklist(&b, res)
	if len(res.DraftReasons) > 0 {
		b.WriteString("## Open points\n\nThis is a draft, because\n")
		for _, d := range res.DraftReasons {
			fmt.Fprintf(&b, "- %s\n", r.funnel.Markdown(d))
		}
		for _, alt := range res.Best.Alternatives {
			fmt.Fprintf(&b, "- alternative: %s\n", r.funnel.Markdown(alt))
		}
		b.WriteString("\n")
	}
	for _, n := range res.Notes {
		fmt.Fprintf(&b, "Note: %s\n\n", r.funnel.Markdown(n))
	}
	fmt.Fprintf(&b, "## Reproduce locally\n\n```sh\ngit fetch origin %s && git switch --detach FETCH_HEAD\n%s\n```\n\n", branchName(res.Task), r.commands(res))
	fmt.Fprintf(&b, "<sub>Run `%s` · text of the issue as read: `sha256:%s`</sub>\n", res.RunID, res.Task.TextHash()[:16])
	return r.subject(res), b.String()
}

func (r reporter) cause(b *strings.Builder, res task.Result) {
	if len(res.Causes) > 0 {
		b.WriteString("## What was wrong\n\n")
		for _, why := range res.Causes {
			fmt.Fprintf(b, "%s\n\n", r.funnel.Markdown(why))
		}
	}
	b.WriteString("## What changed\n\n")
	if res.Best.Explanation != "" {
		fmt.Fprintf(b, "%s\n\n", r.funnel.Markdown(res.Best.Explanation))
	}
	for _, reg := range res.Best.Regions {
		where := fmt.Sprintf("%s:%d", reg.Path, reg.StartLine)
		fmt.Fprintf(b, "- `%s` in %s\n", codeSpan(reg.Name), r.link(res, reg, where))
	}
	b.WriteString("\n")
	b.WriteString(r.diff(res.Diff))
	if x := res.Best.Search; x != nil && x.Place != "" {
		fmt.Fprintf(b, "<details><summary>How it was found</summary>\n\nIt was looked for at %s. Mechanical repair tried %s, by the template `%s` this one; %d passed every test.\n\n", r.funnel.Markdown(x.Place), task.Count(x.Tried, "candidate"), codeSpan(x.Template), x.Plausible)
		for _, no := range x.Rejected {
			fmt.Fprintf(b, "- rejected: %s\n", r.funnel.Markdown(no))
		}
		b.WriteString("\n</details>\n\n")
	}
}

// diff is a change as people read it: source before tests, and without the lines
// that only Git needs.
func (r reporter) diff(text string) string {
	var parts []string
	for _, part := range strings.Split("\n"+text, "\ndiff --git ") {
		lines := slices.DeleteFunc(strings.Split(part, "\n"), func(l string) bool { return strings.HasPrefix(l, "index ") || strings.HasPrefix(l, "a/") })
		if shown := strings.Trim(strings.Join(lines, "\n"), "\n"); shown != "" {
			parts = append(parts, shown)
		}
	}
	slices.SortStableFunc(parts, func(x, y string) int { return isNew(x) - isNew(y) })
	for i := range parts {
		parts[i] = strings.TrimPrefix(parts[i], newFile+"100644\n")
	}
	return r.funnel.Fence(limitLines(strings.Join(parts, "\n"), 120), "diff") + "\n\n"
}

const newFile = "new file mode "

func isNew(part string) int {
	if strings.HasPrefix(part, newFile) {
		return 1
	}
	return 0
}

// testID is a test's name with its runner and folder before it.
var testID = lazyregexp.New(`\b[a-z][a-z-]*:([\w./-]+):([\w./@-]+::)`)

// shortIDs leaves runner and folder out of the names of tests in a text.
func shortIDs(s string) string {
	return testID.ReplaceAllStringFunc(s, func(id string) string {
		m := testID.FindStringSubmatch(id)
		return path.Join(m[1], strings.TrimSuffix(m[2], "::")) + "::"
	})
}

// shown are the first n names of tests, as people read them.
func shown(ids []string, n int) []string {
	out := slices.Clone(ids[:min(len(ids), n)])
	for i := range out {
		out[i] = shortIDs(out[i])
	}
	return out
}

func (r reporter) link(res task.Result, reg task.RegionRef, where string) string {
	if res.Task.Repo.HTMLURL == "" || res.Task.BaseCommit == "" {
		return "`" + codeSpan(where) + "`"
	}
	return fmt.Sprintf("[`%s`](%s/blob/%s/%s#L%d-L%d)", codeSpan(where), res.Task.Repo.HTMLURL, res.Task.BaseCommit, escapePath(reg.Path), reg.StartLine, reg.EndLine)
}

func (r reporter) evidence(b *strings.Builder, res task.Result) {
	b.WriteString("## Evidence\n\n| test | before | after |\n| --- | --- | --- |\n")
	for i, id := range res.Reproduction {
		if i == 10 {
			fmt.Fprintf(b, "| %d more | | |\n", len(res.Reproduction)-i)
			break
		}
		before := "❌ failed"
		if slices.Contains(res.NewTests, id) {
			before = "❌ failed (a new test)"
		}
		fmt.Fprintf(b, "| `%s` | %s | ✅ passed |\n", codeSpan(shortIDs(id)), before)
	}
	if res.Best != nil && len(res.Best.Behaviour) > 0 {
		b.WriteString("\nCalls that come to something else than before:\n\n| call | before | after |\n| --- | --- | --- |\n")
		for _, o := range res.Best.Behaviour {
			fmt.Fprintf(b, "| `%s` | `%s` | `%s` |\n", codeSpan(cut(o.Input, 160)), codeSpan(cut(o.Before, 100)), codeSpan(cut(o.After, 100)))
		}
	}
	b.WriteString("\nThe repository's tests and their configuration were taken from the base commit, byte for byte, before the change was judged.")
	if res.Best != nil && len(res.Best.NewTests) > 0 {
		b.WriteString(" New with the change are")
		for i, p := range res.Best.NewTests {
			whose := "the model of " + string(res.Tier)
			if res.Tier == task.TierMechanical { // the reproduction that a model wrote before it
				whose = "a model"
			}
			if slices.Contains(res.Best.OwnTests, p) {
				whose = "fettle"
			}
			fmt.Fprintf(b, "%s `%s` (written by %s)", map[bool]string{true: ",", false: ""}[i > 0], codeSpan(p), whose)
		}
		b.WriteString(".")
	}
	b.WriteString("\n\n")
}

func (r reporter) checklist(b *strings.Builder, res task.Result) {
	b.WriteString("## Checklist\n\n")
	for _, c := range res.Checks {
		mark := map[task.CheckStatus]string{task.CheckPassed: "x"}[c.Status]
		if mark == "" {
			mark = " "
		}
		took := ""
		if c.Seconds >= 0.05 {
			took = fmt.Sprintf(" in %.1f s", c.Seconds)
		}
		fmt.Fprintf(b, "- [%s] %s: %s%s%s\n", mark, r.funnel.Markdown(c.Name), c.Status, took, prefixed(": ", r.funnel.Markdown(shortIDs(c.Detail))))
	}
	fmt.Fprintf(b, "- [x] nothing that was green is red (%s)\n", task.Count(len(res.Best.Broken), "regression"))
	fmt.Fprintf(b, "- [x] in scope: %s in %s\n", task.Count(len(res.Best.Regions), "region"), task.Count(len(res.Best.Patch.Paths()), "file"))
	fmt.Fprintf(b, "- [x] risk %d of 100%s\n", res.Risk.Score, prefixed(": ", r.funnel.Markdown(strings.Join(res.Risk.Reasons, "; "))))
	if n := len(res.KnownRed); n > 0 {
		fmt.Fprintf(b, "- [ ] %s red before and still red, not held against this change\n", task.Count(n, "test"))
	}
	fmt.Fprintf(b, "- [x] cost %s in %s, mended at **%s**\n", res.Cost, task.Count(len(res.Attempts), "attempt"), res.Tier)
	for _, line := range perTier(res) {
		fmt.Fprintf(b, "  - %s\n", r.funnel.Markdown(line))
	}
	fmt.Fprintf(b, "- [x] sandbox: %s\n\n", r.funnel.Markdown(res.Sandbox))
}

// checkSummary is the text of the check run: evidence and checklist.
func (r reporter) checkSummary(res task.Result) string {
	var b strings.Builder
	r.evidence(&b, res)
	r.checklist(&b, res)
	return b.String()
}

// perTier says in a line what came of each tier that was tried. The lines hold
// foreign words.
func perTier(res task.Result) []string {
	var out []string
	for _, tier := range task.Ladder {
		n, why, model := 0, "", ""
		for _, a := range res.Attempts {
			if a.Tier != tier {
				continue
			}
			n, model = n+1, a.Model
			switch {
			case a.Green && res.Outcome == task.Success && res.Draft:
				why = "its tests are green, and there are open points"
			case a.Green && res.Outcome == task.Success:
				why = "proved"
			case a.Green && a.Why != "": // a step of several, or a role was against it
				why = "its tests are green; " + strings.TrimPrefix(a.Why, "green: ")
			case a.Green:
				why = "its tests are green, and it was not accepted"
			case a.Refused != "":
				why = a.Refused
			case len(a.Broken) > 0:
				why = fmt.Sprintf("broke %s", task.Count(len(a.Broken), "test"))
			case a.Diff == "":
				why = a.Explanation
			default:
				why = "the failing tests still failed"
			}
		}
		if model != "" {
			model = " (" + model + ")"
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%s%s: %s, %s; %s", tier, model, task.Count(n, "attempt"), res.CostByTier[tier], cut(why, 200)))
		}
	}
	return out
}

func (r reporter) commands(res task.Result) string {
	var out []string
	for _, c := range res.Checks {
		switch name, _, _ := strings.Cut(c.Name, " "); name {
		case "pytest":
			out = append(out, "python3 -m pytest")
		case "unittest":
			out = append(out, "python3 -m unittest")
		case "node":
			out = append(out, "node --test")
		case "go":
			out = append(out, "go test ./...")
		}
	}
	if len(out) == 0 {
		return "# run the repository's own tests"
	}
	return strings.Join(out, "\n")
}

// status is the one comment that is edited while a run goes on.
func (r reporter) status(p task.Progress, t task.Task, log string, now time.Time) string {
	var b strings.Builder
	head := map[string]string{"waiting": "✋ **fettle** waits for your answer to the question below.", "parked": "💤 **fettle** put this aside."}[p.Phase]
	if head == "" {
		head = "🔧 **fettle** is working on this."
	}
	fmt.Fprintf(&b, "%s\n\n| | |\n| --- | --- |\n", head)
	if p.Phase != "waiting" {
		fmt.Fprintf(&b, "| step | %s |\n", phaseWords(p))
	}
	if p.Tier != "" && p.Phase != "waiting" {
		fmt.Fprintf(&b, "| tier | %s, attempt %d |\n", p.Tier, p.Attempt)
	}
	if p.Care != "" {
		fmt.Fprintf(&b, "| mode | %s |\n", cell(r.funnel.Markdown(p.Care)))
	}
	if p.Note != "" && p.Phase == "parked" {
		fmt.Fprintf(&b, "| why | %s |\n", cell(r.funnel.Markdown(p.Note)))
	}
	if p.Phase == "waiting" {
		fmt.Fprintf(&b, "| answer | `/fettle approve` or `/fettle reject` with the reason |\n")
	}
	fmt.Fprintf(&b, "| cost | %s of %s |\n| elapsed | %s |\n| text as read | `sha256:%s` |\n%s\n`/fettle stop` ends the run. <sub>Run `%s`, %s</sub>\n", p.Cost, p.Budget, p.Elapsed.Round(time.Second), t.TextHash()[:16], logRow(log), p.RunID, now.UTC().Format("2006-01-02 15:04:05 UTC"))
	return b.String()
}

// question is what a waiting run says on its issue.
func (r reporter) question(g task.Gate, change *task.Attempt) string {
	what := map[task.GateKind]string{
		task.GatePlan: "Is this plan right?", task.GateStep: "Is this step right?",
		task.GateProtect: "May protected files be changed?", task.GateOutsider: "May this be published?",
	}[g.Kind]
	answers := "`/fettle approve` goes on; `/fettle reject` with the reason tries otherwise."
	if g.Kind == task.GateOutsider {
		answers = "`/fettle approve` lets it; `/fettle reject` with the reason ends the run. Where pull requests are squashed, take `" + skipCI + "` out of the message, or CI of the merge is skipped too."
	}
	diff := ""
	if change != nil && change.Diff != "" {
		diff = prefixed("", r.funnel.Markdown(change.Explanation)) + "\n\n" + r.diff(change.Diff)
	}
	return fmt.Sprintf("## fettle asks: %s\n\n%s\n\n%s%s Nothing is held while it waits.\n", what, upperFirst(r.funnel.Markdown(g.Words)), diff, answers)
}

// finished is the last text of the status comment.
// before is what earlier runs of the same pull request cost.
func (r reporter) finished(res task.Result, pub task.Publication, before task.USD) string {
	var b strings.Builder
	switch {
	case res.Outcome == task.Success && pub.PullRequest != nil && pub.PullRequest.Draft:
		fmt.Fprintf(&b, "📝 **fettle** has a draft: #%d.", pub.PullRequest.Number)
	case res.Outcome == task.Success && pub.PullRequest != nil:
		fmt.Fprintf(&b, "✅ **fettle** opened #%d.", pub.PullRequest.Number)
	case res.Outcome == task.Cancelled:
		b.WriteString("⏹️ **fettle** was stopped.")
	case res.Outcome == task.Quarantined:
		b.WriteString("🚫 **fettle** is quarantined here.")
	case res.Outcome == task.Rejected && len(res.Attempts) > 0:
		b.WriteString("🙋 **fettle** ended this.")
	case res.Outcome == task.Rejected:
		b.WriteString("🙋 **fettle** did not start on this.")
	default:
		b.WriteString("🚧 **fettle** could not finish this.")
	}
	fmt.Fprintf(&b, "\n\n| | |\n| --- | --- |\n| outcome | %s |\n", res.Outcome)
	if res.Reason != "" && pub.ReportURL == "" {
		fmt.Fprintf(&b, "| why | %s |\n", cell(r.funnel.Markdown(res.Reason)))
	}
	if res.Care != "" {
		fmt.Fprintf(&b, "| mode | %s |\n", cell(r.funnel.Markdown(res.Care)))
	}
	if f := res.Task.Follow; f != nil && res.Outcome == task.Success && pub.Commit != "" {
		fmt.Fprintf(&b, "| last | %s, answered by %s |\n", f.What(), pub.Commit)
	}
	if res.Tier != "" {
		fmt.Fprintf(&b, "| tier | %s, %s |\n", res.Tier, task.Count(len(res.Attempts), "attempt"))
	}
	next := res.NextAction
	if pub.ReportURL != "" && res.Outcome != task.Success {
		next = fmt.Sprintf("[Why, and what to look at first](%s).", pub.ReportURL)
	}
	cost := res.Cost.String()
	if before > 0 {
		cost = fmt.Sprintf("%s; %s with the runs before it", res.Cost, res.Cost+before)
	}
	fmt.Fprintf(&b, "| cost | %s |\n| elapsed | %s |\n\n%s <sub>Run `%s`</sub>\n", cost, res.Elapsed.Round(100*time.Millisecond), next, res.RunID)
	return b.String()
}

// exhausted is the final report of SPEC S5.
func (r reporter) exhausted(res task.Result, pub task.Publication) string {
	var b strings.Builder
	if res.Outcome == task.Rejected && len(res.Attempts) == 0 {
		fmt.Fprintf(&b, "## fettle did not start on this\n\n%s.\n\n%s\n", strings.TrimRight(upperFirst(r.funnel.Markdown(res.Reason)), "."), res.NextAction)
		return b.String()
	}
	fmt.Fprintf(&b, "## fettle stopped: %s\n\n%s\n\n", strings.ReplaceAll(string(res.Outcome), "_", " "), upperFirst(r.funnel.Markdown(shortIDs(res.Reason))))
	if lines := perTier(res); len(lines) > 0 {
		b.WriteString("What was tried, and why it failed:\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", r.funnel.Markdown(line))
		}
	} else {
		b.WriteString("Nothing was tried.\n")
	}
	fmt.Fprintf(&b, "\nCost %s, %s, %s.\n\n", res.Cost, task.Count(len(res.Attempts), "attempt"), res.Elapsed.Round(100*time.Millisecond))
	if pub.Branch != "" {
		fmt.Fprintf(&b, "The best attempt stands on `%s` as a WIP commit; it is unverified.\n\n", pub.Branch)
	}
	looks := firstLooks(res)
	if len(looks) > 0 {
		b.WriteString("Look at this first:\n\n")
	}
	for _, line := range looks {
		fmt.Fprintf(&b, "- %s\n", r.funnel.Markdown(line))
	}
	return b.String()
}

// firstLooks names the failing tests and the regions that were changed.
func firstLooks(res task.Result) []string {
	const most = 6
	var out []string
	seen, more := map[string]bool{}, 0
	add := func(s string) {
		if !seen[s] {
			if seen[s] = true; len(out) < most {
				out = append(out, s)
			} else {
				more++
			}
		}
	}
	for i := len(res.Attempts) - 1; i >= 0; i-- {
		for _, f := range res.Attempts[i].Failures {
			add(fmt.Sprintf("%s: %s%s", shortIDs(f.Test), prefixed("", f.Exception+" "), cut(strings.Join(strings.Fields(f.Message), " "), 160)))
		}
	}
	if n := len(res.Attempts); n > 0 {
		more += res.Attempts[n-1].Unkept
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("… and %d more like these", more))
	}
	for i := len(res.Attempts) - 1; i >= 0; i-- {
		for _, reg := range res.Attempts[i].Regions {
			add(fmt.Sprintf("%s in %s, line %d", reg.Name, reg.Path, reg.StartLine))
		}
	}
	if len(out) == 0 && res.NextAction != "" {
		out = append(out, res.NextAction)
	}
	return out
}

func phaseWords(p task.Progress) string {
	words := map[string]string{"queued": "waiting for a worker", "checkout": "cloning", "setup": "installing dependencies", "baseline": "running the tests as they are", "localise": "finding the code that matters", "repair": "writing a change", "verify": "proving the change", "publish": "publishing", "parked": "put aside for now"}
	w := words[p.Phase]
	if w == "" {
		w = p.Phase
	}
	return w
}

func prefixed(prefix, s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return prefix + s
}

func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) > 1 && unicode.IsUpper(r[0]) && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// cut shortens to n characters, whole runes.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

func wrap(s string, width int) string {
	var b strings.Builder
	col := 0
	for i, w := range strings.Fields(s) {
		if i > 0 && col+1+len(w) > width {
			b.WriteByte('\n')
			col = 0
		} else if i > 0 {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += len(w)
	}
	return b.String()
}

func limitLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = append(lines[:n], fmt.Sprintf("… %d more lines", len(lines)-n))
	}
	return strings.Join(lines, "\n")
}

// cell makes text safe for a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// codeSpan makes text safe between backticks and inside a table.
func codeSpan(s string) string {
	return strings.NewReplacer("`", "'", "|", "¦", "\n", " ", "\r", " ").Replace(s)
}

func escapePath(p string) string {
	var b strings.Builder
	for _, c := range []byte(path.Clean(p)) {
		if c == '/' || c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
