// Package reach says what a change newly reaches for beyond its own work:
// frames and closures of its callers, objects and prototypes of others, native
// code, its own process, the environment of the test runner. Whoever writes a
// patch to deceive the judge needs one of these; an honest fix seldom does, and
// then a person looks at the line.
//
// In flow a file before and after; out flow findings with their lines. The
// rules look at the syntax tree, so that a name counts however it is spelled:
// escaped, in full-width letters, or joined of constants. A name that is only
// known when the code runs counts as well, where it could name anything.
//
// A finding proves nothing, and finding nothing proves no innocence: package
// verify cross-examines the tests (SPEC C9). The package is pure: it never
// opens a file and never runs anything.
package reach

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Finding is one thing that a change newly reaches for.
type Finding struct {
	Path string `json:"path"`
	Line int    `json:"line"` // 1-based, in the file after the change
	Code string `json:"code"` // the expression, on one line, at most 80 bytes
	Why  string `json:"why"`  // such as "reads the frames of its callers"
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d `%s` %s", f.Path, f.Line, f.Code, f.Why)
}

// natives are the endings of files that hold or load machine code.
var natives = map[string]bool{".so": true, ".dll": true, ".dylib": true, ".node": true, ".pyd": true, ".pyc": true, ".pyo": true, ".pth": true,
	".wasm": true, ".s": true, ".syso": true, ".a": true, ".o": true, ".class": true, ".jar": true}

// New lists what a file reaches for after a change and did not before, in the
// order of its lines. before is nil for a new file, after for one that is gone.
// Languages without rules have no findings; an error is of the context.
func New(ctx context.Context, file string, before, after []byte) ([]Finding, error) {
	if after == nil {
		return nil, nil
	}
	if natives[strings.ToLower(path.Ext(file))] {
		return []Finding{{Path: file, Line: 1, Code: path.Base(file), Why: "holds or loads machine code"}}, nil
	}
	was, err := gather(ctx, file, before, true)
	if err != nil {
		return nil, err
	}
	now, err := gather(ctx, file, after, false)
	if err != nil {
		return nil, err
	}
	had := map[use]int{}
	for _, s := range was {
		had[s.use]++
	}
	var out []Finding
	for _, s := range now {
		if had[s.use]--; had[s.use] >= 0 {
			continue
		}
		if name, _, _ := strings.Cut(s.text, " "); s.why == whyHanded && had[use{name, whyThere}] == 0 {
			continue // a new function
		}
		f := Finding{Path: file, Line: s.line, Code: OneLine(s.shown), Why: s.why}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Line - b.Line })
	return out, nil
}

// OneLine is code as a reader is shown it: on one line, short, without backticks.
func OneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:77], "") + "..."
	}
	return strings.ReplaceAll(text, "`", "'")
}

// use is what makes two sightings the same: moved to another line, an
// expression is not new.
type use struct{ text, why string }

// sighting is one place where the rules found something.
type sighting struct {
	use
	line  int
	shown string // its code
}

// look gathers the sightings of one text.
type look struct {
	tree  *code.Tree
	rules rules
	// bound says what a local name stands for: a module ("os"), a member of one
	// ("os.path"), or a name of the language's own.
	bound map[string]string
	found []sighting
}

func gather(ctx context.Context, file string, src []byte, before bool) ([]sighting, error) {
	r, ok := languages[code.LanguageOf(file)]
	if src == nil || !ok {
		return nil, nil
	}
	tree, err := code.Parse(ctx, code.LanguageOf(file), src)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		if errors.Is(err, code.ErrNoGrammar) {
			return nil, nil
		}
		why := "cannot be read by the rules: " + err.Error()
		return []sighting{{use: use{string(src), why}, line: 1, shown: file}}, nil
	}
	l := &look{tree: tree, rules: r, bound: map[string]string{}}
	tree.Walk(func(n code.Node) bool { r.bind(l, n); return true })
	tree.Walk(func(n code.Node) bool { return r.visit(l, n) })
	l.keeps(keepings[code.LanguageOf(file)], before)
	l.handed(keepings[code.LanguageOf(file)], before)
	return l.found, nil
}

// see notes what a node does. Of reading and of changing files only the number
// counts: the same file in another encoding is nothing new.
func (l *look) see(n code.Node, why string) {
	text := n.Text()
	if why == whyFiles || why == whyDisk {
		text = ""
	}
	l.seeAs(text, n, why)
}

// seeAs is see for what stays the same thing while text does.
func (l *look) seeAs(text string, n code.Node, why string) {
	l.found = append(l.found, sighting{use{text, why}, n.Line(), n.Text()})
}

// rules are those of one language.
type rules struct {
	bind  func(*look, code.Node)      // notes what local names stand for
	visit func(*look, code.Node) bool // judges a node; false leaves out what is below
	names map[string]string           // name -> why, wherever it stands
	// modules says what of a module is reached for: "" all of it.
	modules map[string]map[string]string
	equal   []string // names of methods by which a value says what it equals
	words   []string // in a text: somebody speaks to, or asks for, the runner
}

var languages = map[code.Language]rules{
	code.Python: python, code.JavaScript: script, code.TypeScript: script, code.TSX: script, code.Go: golang,
	code.Ruby: ruby, code.PHP: php,
}

// Reasons that several rules share.
const (
	whyFrames   = "reaches into frames and closures of its callers"
	whyForeign  = "changes what does not belong to it"
	whyComputed = "takes a name that is known only when it runs"
	whyNative   = "reaches native code or memory"
	whyProcess  = "controls processes"
	whyHarness  = "speaks to the test runner or its libraries"
	whyLoad     = "loads or makes code when it runs"
	whyObjects  = "reaches objects that nobody gave to it"
	whyEnv      = "asks what the runner started it with"
	whyEqual    = "decides what it is equal to"
	whyWrites   = "writes to open descriptors"
	whyFiles    = "reads files when it runs, those of the tests too"
	whyDisk     = "writes, moves or deletes files when it runs"
	whyExit     = "runs when the process ends"
	whyState    = "keeps something from one call to the next"
	whyAmbient  = "changes what holds for the whole process"
	whyHanded   = "changes what its caller handed in"
	whyFrozen   = "forbids its caller to change what it handed in"
	whyHidden   = "hides a property from what compares values"
	// whyThere is seen of the text before the change alone, and never told.
	whyThere = "is a function that was there"
)

// all makes a set of names with one reason.
func all(why string, names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out[n] = why
	}
	return out
}

// Union is a map of what any of the sets has; what two have is that of the later.
func Union[V any](sets ...map[string]V) map[string]V {
	out := map[string]V{}
	for _, s := range sets {
		maps.Copy(out, s)
	}
	return out
}

// whole is a module that is reached for whatever is taken of it.
func whole(why string) map[string]string { return map[string]string{"": why} }

// module is what the rules say of a module; of "a.b" what they say of "a",
// where they do not know "a.b".
func (r rules) module(name string) (members map[string]string, known bool) {
	for {
		if m, ok := r.modules[name]; ok {
			return m, true
		}
		at := strings.LastIndexByte(name, '.')
		if at < 0 {
			return nil, false
		}
		name = name[:at]
	}
}

// taken judges that member was taken of what a name stands for; shown is the
// expression that is told.
func (l *look) taken(shown code.Node, of, member string) {
	m, ok := l.rules.module(of)
	if !ok {
		return
	}
	if why := m[""]; why != "" {
		l.see(shown, why)
	} else if why := m[member]; why != "" {
		l.see(shown, why)
	}
}

// spoken judges a constant text.
func (l *look) spoken(shown code.Node, text string) {
	for part := range strings.SplitSeq(text, ".") { // attrgetter("a.b")
		if why := l.rules.names[part]; why != "" {
			l.see(shown, why)
		} else if slices.Contains(l.rules.equal, part) {
			l.see(shown, whyEqual)
		}
	}
	for _, w := range l.rules.words {
		if strings.Contains(text, w) {
			l.see(shown, whyHarness)
			return
		}
	}
}
