package parse

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// Caps of what a failure keeps.
const (
	maxExcerpt = 4 << 10
	maxMessage = 2 << 10
	maxFrames  = 40
)

// frame is a line of a trace; own says that it lies in the tree and not in an
// installed dependency.
type frame struct {
	task.Frame
	own bool
}

var foreignParts = []string{"/node_modules/", "/site-packages/", "/dist-packages/", "/.venv/", "/.cargo/registry/", "/vendor/", "/.tox/", "/.nox/"}

// Rel is a path from the root of the tree, and whether it lies in it. What lies
// outside comes back absolute.
func (at Place) Rel(p string) (string, bool) {
	p = strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "file://")
	switch {
	case p == "" || strings.HasPrefix(p, "<") || strings.HasPrefix(p, "node:"):
		return p, false
	case windowsDrive.MatchString(p):
	case !path.IsAbs(p):
		p = path.Join(at.root(), at.Dir, p)
	}
	p = path.Clean(p)
	rest, in := strings.CutPrefix(p, strings.TrimSuffix(at.root(), "/")+"/")
	if !in {
		return p, false
	}
	for _, f := range foreignParts {
		if strings.Contains("/"+rest, f) {
			return rest, false
		}
	}
	return rest, true
}

var windowsDrive = lazyregexp.New(`^[A-Za-z]:/`)

func (at Place) root() string {
	if at.Root == "" {
		return "/work"
	}
	return path.Clean(at.Root)
}

// dir is the folder of the command from the root, "" for the root itself.
func (at Place) dir() string {
	if at.Dir == "." {
		return ""
	}
	return at.Dir
}

func (at Place) frame(file, line, function string) frame {
	p, own := at.Rel(file)
	return frame{task.Frame{File: p, Line: number(line), Function: strings.TrimSpace(function)}, own}
}

func number(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1<<24 {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// seen is a file as it looks from the folder of the command.
func seen(at Place, file string) string {
	if d := at.dir(); d != "" {
		return strings.TrimPrefix(file, d+"/")
	}
	return file
}

// under is the id of a test of a file, by the names of its suites and its own; without
// the file where that is not known.
func under(at Place, file string, names ...string) string {
	if file != "" {
		names = append([]string{seen(at, file)}, names...)
	}
	return strings.Join(names, " > ")
}

// file is the one that an output names, or where it names none that of a trace.
func (at Place) file(named string, frames []frame) string {
	if named == "" {
		return outermost(frames)
	}
	file, _ := at.Rel(named)
	return file
}

// framesOf are the frames of a failure that was read before.
func (at Place) framesOf(f task.Failure) (frames []frame) {
	for _, fr := range f.Trace {
		_, own := at.Rel(fr.File)
		frames = append(frames, frame{fr, own})
	}
	return frames
}

// uncollected makes a failure that of a file which could not be loaded.
func uncollected(f *task.Failure) {
	if f.Kind != task.FailSyntax && f.Kind != task.FailImport {
		f.Kind = task.FailCollection
	}
}

// put sets a failure's trace, innermost frame last, and its place: the
// innermost frame of the tree's own.
func put(f *task.Failure, frames []frame) {
	f.Trace = nil
	for _, fr := range frames {
		f.Trace = append(f.Trace, fr.Frame)
		if fr.own {
			f.File, f.Line = fr.File, fr.Line
		}
	}
}

// outermost is the first file of the tree's own in a trace.
func outermost(frames []frame) string {
	for _, fr := range frames {
		if fr.own {
			return fr.File
		}
	}
	return ""
}

func reversed(frames []frame) []frame {
	slices.Reverse(frames)
	return frames
}

// Clip keeps head and tail of a text, and makes it valid UTF-8.
func Clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	const gap = "\n[...]\n"
	half := (limit - len(gap)) / 2
	return strings.ToValidUTF8(text[:half], "") + gap + strings.ToValidUTF8(text[len(text)-half:], "")
}

// finish is Finish of a failure of the place's suite.
func (at Place) finish(f task.Failure) task.Failure {
	if f.Suite == "" {
		f.Suite = at.Suite
	}
	return Finish(f)
}

// Finish caps a failure's texts, fills in what follows from the rest and computes its
// fingerprint.
func Finish(f task.Failure) task.Failure {
	f.Message = Clip(strings.TrimSpace(f.Message), maxMessage)
	f.Excerpt = Clip(strings.Trim(f.Excerpt, "\n"), maxExcerpt)
	if f.Message == "" {
		f.Message = firstLine(f.Excerpt)
	}
	if len(f.Trace) > maxFrames {
		f.Trace = append(slices.Clone(f.Trace[:10]), f.Trace[len(f.Trace)-maxFrames+10:]...)
	}
	if f.Kind == "" {
		f.Kind = Kind(f.Exception)
	}
	f.Fingerprint = Fingerprint(f)
	return f
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

var kinds = []struct {
	re   *lazyregexp.Regexp
	kind task.FailureKind
}{
	{lazyregexp.New(`(?:^|\.)(?:AssertionError|AssertionFailedError|AssertionError \[ERR_ASSERTION\]|ComparisonFailure|MultipleFailuresError|JestAssertionError|Failed|expect|Assertion|(?:Multiple)?Expectations?NotMetError|MockExpectationError|PendingExampleFixedError|ExpectationFailedException)$`), task.FailAssertion},
	{lazyregexp.New(`^(?:ImportError|ModuleNotFoundError|MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND|NoClassDefFoundError|ClassNotFoundException)$`), task.FailImport},
	{lazyregexp.New(`^(?:SyntaxError|IndentationError|TabError)$`), task.FailSyntax},
	{lazyregexp.New(`(?i)^(?:\w*Timeout(?:Error|Exception|Expired)?|TestTimeout|Timeout::Error)$`), task.FailTimeout},
}

// Kind is the class of a failure by the name of its exception (SPEC C8).
func Kind(exception string) task.FailureKind {
	if exception == "" {
		return task.FailAssertion
	}
	for _, k := range kinds {
		if k.re.MatchString(exception) {
			return k.kind
		}
	}
	return task.FailException
}

// short is the class of an exception without its package.
func short(class string) string {
	class = strings.TrimSpace(class)
	if at := strings.LastIndexAny(class, `.$\`); at >= 0 && at < len(class)-1 {
		class = class[at+1:]
	}
	return class
}
