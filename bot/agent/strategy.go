package agent

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// Class is a kind of failure as far as the strategy against it differs.
type Class string

// The classes of SPEC C8.
const (
	ClassHTTP500   Class = "http_500"
	ClassHTTP422   Class = "http_422"
	ClassHTTP404   Class = "http_404"
	ClassImport    Class = "import"
	ClassCall      Class = "call" // a type error at a call
	ClassAssertion Class = "assertion"
	ClassException Class = "exception"
	ClassRaised    Class = "raised" // an exception that a statement of the code raises
	ClassTimeout   Class = "timeout"
	ClassSyntax    Class = "syntax"
	ClassLint      Class = "lint"
	ClassTypes     Class = "types"
	ClassBuild     Class = "build" // also a suite that cannot be read
	ClassMissing   Class = "missing"
	ClassCrash     Class = "crash"
)

// Strategy is what to do about a class of failure.
type Strategy struct {
	Class Class
	Words string   // for the prompt
	Look  []string // kinds of regions to look at first: imports, signature, caller, function, route, schema, test
	// Replan tells whether a new plan can answer it. A failing lint is not
	// answered by a new plan (SPEC L3): the step stands, its code is wrong.
	Replan bool
}

// strategies is the table of SPEC C8, with what SPEC leaves open filled in.
var strategies = []Strategy{
	{ClassHTTP500, "The server failed inside: look at the service or the route's handler, follow the server's own stack trace to the innermost frame of this repository.", []string{"function", "route"}, true},
	{ClassHTTP422, "The request was refused by validation: compare the schema or model of the request with what the scenario sends.", []string{"schema", "route"}, true},
	{ClassHTTP404, "Nothing was found: check the route's path, method and prefix first, then whether the data it looks up is there.", []string{"route", "function"}, true},
	{ClassImport, "An import fails: mend the imports or the name that is imported, nothing else. Add no dependency.", []string{"imports", "test"}, false},
	{ClassCall, "A call does not fit its function: compare the signature with the arguments at the call, and change the side that the task says is wrong.", []string{"signature", "caller"}, true},
	{ClassAssertion, "The result is wrong: find where the logic departs from what the assertion expects. Do not fit the code to this one value.", []string{"function"}, true},
	{ClassException, "An exception is raised: mend its cause at the innermost frame of this repository, do not swallow it.", []string{"function", "caller"}, true},
	{ClassRaised, "An exception is raised on purpose, by the statement at the innermost frame of this repository: the cause is more likely in what calls it, or in the condition that leads there. Do not swallow it, and leave the check unless the task says that it is wrong.", []string{"caller", "function"}, true},
	{ClassTimeout, "It does not end in time: look at conditions that end loops and recursion, at waiting without a limit, and at quadratic work.", []string{"function"}, true},
	{ClassSyntax, "The code cannot be parsed: give the whole region again with balanced brackets and exact indentation, and change nothing else.", []string{"function"}, false},
	{ClassLint, "A rule of the linter is broken: mend exactly the line that it names and keep the behaviour.", []string{"function"}, false},
	{ClassTypes, "The type checker objects: make the types fit without a cast or an ignore comment.", []string{"signature", "function"}, false},
	{ClassBuild, "The code does not build or the tests cannot be read: mend the first error named, the others may follow from it.", []string{"imports", "function"}, false},
	{ClassMissing, "An expected test was not seen to run: something keeps it from being collected. Undo what hides it.", []string{"test", "imports"}, true},
	{ClassCrash, "The process died: look for endless recursion, unbounded memory and exits.", []string{"function"}, true},
}

// StrategyFor gives the strategy for a class. An unknown class is an
// exception: something went wrong at a place.
func StrategyFor(c Class) Strategy {
	for _, s := range strategies {
		if s.Class == c {
			return s
		}
	}
	return StrategyFor(ClassException)
}

var (
	status  = lazyregexp.New(`(?i)(?:\bhttp(?:/[\d.]+)?|\bstatus(?:[ _]?code)?|\bresponse)\b[^\n\d]{0,20}\b(500|422|404)\b|\b(500|422|404) (?:internal server error|unprocessable|not found)|\bassert (500|422|404) == [1-3]\d\d\b`)
	badCall = lazyregexp.New(`(?i)positional argument|required (?:keyword|positional|argument)|unexpected keyword|multiple values for|takes (?:no|\d+) |not enough arguments|too many arguments|expected \d+ arguments|wrong number of arg|is not a function|is not callable|no overload`)
)

// ClassOf tells a failure's class from its kind and its normalised message.
func ClassOf(f task.Failure) Class { return classFor(f, nil) }

// classFor tells it where some statuses are what the issue asks for: one that is
// wanted is no failure of the server.
func classFor(f task.Failure, wanted map[string]bool) Class {
	if got := answered(f.Message); got != "" && !wanted[got] && f.Kind != task.FailSyntax && f.Kind != task.FailLint && f.Kind != task.FailImport {
		return Class("http_" + got)
	}
	switch f.Kind {
	case task.FailAssertion, task.FailImport, task.FailSyntax, task.FailTimeout, task.FailLint, task.FailMissing, task.FailCrash:
		return Class(f.Kind)
	case task.FailCollection, task.FailBuild, task.FailType:
		return builds(f)
	}
	switch {
	case strings.HasSuffix(f.Exception, "ImportError"), strings.HasSuffix(f.Exception, "ModuleNotFoundError"):
		return ClassImport
	case strings.HasSuffix(f.Exception, "TypeError") && badCall.MatchString(f.Message):
		return ClassCall
	case f.Raised:
		return ClassRaised
	}
	return ClassException
}

// answered is the status that came, "" where the message tells of none, or of one
// only that should have come.
func answered(message string) string {
	got, want := "", map[string]bool{}
	for _, m := range status.FindAllStringSubmatchIndex(message, -1) {
		for n := 2; n < len(m); n += 2 {
			if m[n] < 0 {
				continue
			}
			code := message[m[n]:m[n+1]]
			if expectedThere(message, m[n]) {
				want[code] = true
			} else if got == "" {
				got = code
			}
		}
	}
	if want[got] { // both have it, and differ in something else
		return ""
	}
	return got
}

// expectedThere tells whether what stands at a place of a failure's message is what
// should have come: by the sign of a diff's line, or by the last word before it that
// tells the two apart.
func expectedThere(message string, at int) bool {
	begin := strings.LastIndexByte(message[:at], '\n') + 1
	if diffed.MatchString(message) && (message[begin] == '-' || message[begin] == ' ') {
		return true
	}
	words := sides.FindAllStringSubmatch(message[begin:at], -1)
	return len(words) > 0 && words[len(words)-1][1] != ""
}

var (
	diffed = lazyregexp.New(`(?s)(?:^|\n)\+ .*\n- |(?:^|\n)- .*\n\+ `)
	sides  = lazyregexp.New(`(?i)(\bexpected\b|\bwant(?:ed)?\b|\bshould (?:be|have)\b|\bto (?:be|equal|have)\b|[!=]==?)|\b(?:got|actual|received|was|but|observed|answered|returned)\b`)
)

// wantedStatus are the statuses that an issue asks for as the outcome, such as a 500
// for whatever a handler throws.
func wantedStatus(t task.Task) map[string]bool {
	out := map[string]bool{}
	text := strings.Join(strings.Fields(strings.ToLower(t.Title+". "+t.Body+" "+t.Hint)), " ")
	for _, m := range wishedStatus.FindAllStringSubmatch(text, -1) {
		if !complained.MatchString(m[1]) {
			out[m[2]] = true
		}
	}
	return out
}

var (
	wishedStatus = lazyregexp.New(`\b(?:should|must|ought to|ha(?:s|ve) to|needs? to|expect(?:ed|s)?|wants?|becomes?|mapp?(?:s|ed)?|translate[sd]?|convert(?:s|ed)?|catch(?:es)?)\b([^.]{0,120}?)\b(500|422|404)\b`)
	complained   = lazyregexp.New(`\b(?:instead of|rather than|no|not|never|without|but|got|gives?|gave|returns|is|was)\b[^,;:]{0,30}$`)
)

// builds tells the classes of what is found before anything runs.
func builds(f task.Failure) Class {
	switch {
	case badCall.MatchString(f.Message):
		return ClassCall
	case f.Kind == task.FailType:
		return ClassTypes
	}
	return ClassBuild
}

// StrategiesFor gives the strategies for the failures, each once, in the
// table's order of the most frequent class first.
func StrategiesFor(failures []task.Failure) []Strategy { return strategiesFor(failures, nil) }

func strategiesFor(failures []task.Failure, wanted map[string]bool) []Strategy {
	times := map[Class]int{}
	for _, f := range failures {
		times[classFor(f, wanted)]++
	}
	var out []Strategy
	for _, s := range strategies {
		if times[s.Class] > 0 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Strategy) int { return times[b.Class] - times[a.Class] })
	return out
}

// MayReplan tells whether a new plan can answer the failures: at least one of
// them is of a class that says so. No failure at all is no reason against it.
func MayReplan(failures []task.Failure) bool {
	for _, s := range StrategiesFor(failures) {
		if s.Replan {
			return true
		}
	}
	return len(failures) == 0
}
