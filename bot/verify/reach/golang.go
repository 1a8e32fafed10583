package reach

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var golang = rules{
	bind:  bindGo,
	visit: visitGo,
	names: Union(all(whyHarness, "SkipNow", "Skipf", "FailNow"), all(whyNative, "UnsafePointer", "UnsafeAddr")),
	modules: map[string]map[string]string{
		"unsafe": whole(whyNative), "syscall": whole(whyNative), "golang.org/x/sys": whole(whyNative), "C": whole(whyNative), "plugin": whole(whyNative),
		"runtime/debug": whole(whyFrames), "runtime/pprof": whole(whyFrames), "runtime/trace": whole(whyFrames), "debug/elf": whole(whyNative), "debug/gosym": whole(whyNative), "debug/dwarf": whole(whyNative),
		"os/signal": whole(whyProcess), "os/exec": whole(whyProcess),
		"testing": whole(whyHarness), "internal": whole(whyHarness),
		"runtime": Union(all(whyFrames, "Callers", "Caller", "CallersFrames", "FuncForPC", "Stack", "GoroutineProfile"), all(whyProcess, "Goexit"), all(whyExit, "SetFinalizer", "AddCleanup"), all(whyNative, "KeepAlive", "Pinner"), all(whyAmbient, "GOMAXPROCS")),
		"reflect": all(whyObjects, "ValueOf", "NewAt", "MakeFunc", "Indirect"),
		"flag":    all(whyEnv, "Lookup", "CommandLine", "VisitAll", "Visit"),
		"os": Union(all(whyProcess, "Exit", "Getppid", "FindProcess", "StartProcess", "Process"), all(whyWrites, "NewFile", "Stdout", "Stderr", "Pipe"),
			all(whyEnv, "Args", "Environ", "Executable"), all(whyAmbient, "Setenv", "Unsetenv", "Clearenv", "Chdir"), all(whyFiles, "ReadFile", "Open", "OpenFile", "OpenRoot", "OpenInRoot", "DirFS", "ReadDir")),
		"io/ioutil": all(whyFiles, "ReadFile", "ReadDir"), "go/parser": all(whyFiles, "ParseFile", "ParseDir"),
		"log":       Union(all(whyProcess, "Fatal", "Fatalf", "Fatalln"), all(whyAmbient, "SetOutput", "SetFlags", "SetPrefix")),
		"math/rand": all(whyAmbient, "Seed"),
	},
	words: []string{"--- PASS", "--- FAIL", "=== RUN", "test.run", "test.v", "test.timeout", "/proc/", "/dev/fd", "/dev/std", "\x16"},
}

// goDirectives are the compiler's comments that reach nothing.
var goDirectives = []string{"build", "generate", "noinline", "fix", "debug"}

// goEqual are the methods by which a value says what it equals or is.
var goEqual = []string{"Equal", "Is", "As", "Compare", "Cmp"}

func bindGo(l *look, n code.Node) {
	if n.Kind() != "import_spec" {
		return
	}
	from := field(n, "path")
	module, _ := constant(from)
	local := path.Base(module)
	if name, ok := n.ChildByField("name"); ok {
		local = name.Text()
	}
	l.bound[local] = module
}

func visitGo(l *look, n code.Node) bool {
	switch n.Kind() {
	case "import_spec":
		l.goImport(n)
		return false
	case "comment":
		if strings.HasPrefix(n.Text(), "//go:embed ") {
			l.see(n, whyFiles)
		} else if rest, ok := strings.CutPrefix(n.Text(), "//go:"); ok && !slices.Contains(goDirectives, word(rest)) || strings.HasPrefix(n.Text(), "//export ") {
			l.see(n, whyNative)
		}
	case "identifier", "field_identifier", "type_identifier":
		if why := l.rules.names[spelled(n)]; why != "" {
			l.see(n, why)
		}
	case "selector_expression":
		l.goMember(n)
	case "method_declaration":
		l.goEquals(n)
	case "assignment_statement":
		l.goAssigned(n)
	}
	return !l.constants(n)
}

func word(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz"))]
}

func (l *look) goImport(n code.Node) {
	from := field(n, "path")
	module, _ := constant(from)
	if name, ok := n.ChildByField("name"); ok && name.Text() == "." {
		if _, known := l.rules.modules[module]; known {
			l.see(n, whyObjects)
			return
		}
	}
	for m := module; m != "." && m != "/"; m = path.Dir(m) {
		if rule, ok := l.rules.modules[m]; ok && (rule[""] != "" || m == module) {
			if rule[""] != "" {
				l.see(n, rule[""])
			}
			return
		}
	}
}

func (l *look) goMember(n code.Node) {
	kids := n.NamedChildren()
	if len(kids) != 2 || kids[0].Kind() != "identifier" {
		return
	}
	module, member := l.bound[kids[0].Text()], spelled(kids[1])
	why := l.rules.modules[module][member]
	if why == "" {
		return
	}
	if (module == "os" && (member == "Exit" || member == "Args" || member == "Stdout" || member == "Stderr") || module == "log") && l.goMain() {
		return // a program's own business
	}
	if module == "os" && (member == "Stdout" || member == "Stderr") && n.Up() != "expression_list" {
		return // writing to them is; setting them is not
	}
	l.see(n, why)
}

// goMain tells whether the file belongs to a program.
func (l *look) goMain() bool {
	for _, c := range l.tree.Root().NamedChildren() {
		if c.Kind() == "package_clause" {
			return strings.TrimSpace(strings.TrimPrefix(c.Text(), "package")) == "main"
		}
	}
	return false
}

// goAssigned: variables of other packages belong to them.
func (l *look) goAssigned(n code.Node) {
	left := field(n, "left")
	for _, c := range left.NamedChildren() {
		if c.Kind() == "selector_expression" && l.means(c) != "" {
			l.see(n, whyForeign)
		}
	}
}

// goEquals: a method that was there may change as long as it does not say yes
// outright.
func (l *look) goEquals(n code.Node) {
	name := field(n, "name")
	if !slices.Contains(goEqual, name.Text()) {
		return
	}
	receiver := field(n, "receiver")
	yes := false
	if body, ok := n.ChildByField("body"); ok {
		body.Walk(func(c code.Node) bool {
			yes = yes || c.Kind() == "return_statement" && c.Text() == "return true" && c.Up() == "statement_list" && grand(c) == body
			return true
		})
	}
	if yes {
		l.see(n, whyEqual)
		return
	}
	l.seeAs("func "+receiver.Text()+" "+name.Text(), n, whyEqual)
}

func grand(n code.Node) code.Node { return above(above(n)) }
