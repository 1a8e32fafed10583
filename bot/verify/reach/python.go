package reach

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var python = rules{
	bind:  bindPython,
	visit: visitPython,
	names: Union(
		all(whyFrames, "_getframe", "_current_frames", "_getframemodulename", "currentframe", "getouterframes", "getinnerframes", "walk_stack", "walk_tb",
			"f_back", "f_locals", "f_globals", "f_builtins", "f_code", "f_trace", "tb_frame", "gi_frame", "gi_code", "cr_frame", "ag_frame",
			"__code__", "__closure__", "__globals__", "cell_contents", "settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads"),
		all(whyObjects, "__subclasses__", "get_referrers", "get_referents", "get_objects", "__getattribute__", "__builtins__", "getmembers", "getattr_static", "getclosurevars"),
		all(whyLoad, "__import__", "__loader__", "meta_path", "path_hooks", "find_spec"),
		all(whyFiles, "read_text", "read_bytes", "__file__", "__cached__", "getsource", "getsourcelines", "getsourcefile", "findsource", "get_source", "get_data"),
		all(whyExit, "__del__", "excepthook", "unraisablehook", "addaudithook"),
		all(whyEqual, "__instancecheck__", "__subclasscheck__"),
	),
	modules: map[string]map[string]string{
		"ctypes": whole(whyNative), "_ctypes": whole(whyNative), "cffi": whole(whyNative), "mmap": whole(whyNative), "posix": whole(whyProcess),
		"gc": whole(whyObjects), "builtins": whole(whyForeign), "dis": whole(whyFrames), "bdb": whole(whyFrames), "pdb": whole(whyFrames), "trace": whole(whyFrames),
		"imp": whole(whyLoad), "runpy": whole(whyLoad), "code": whole(whyLoad), "codeop": whole(whyLoad), "zipimport": whole(whyLoad), "site": whole(whyLoad),
		"marshal": whole(whyLoad), "importlib": whole(whyLoad), "importlib.metadata": {}, "importlib.resources": {}, "pkgutil": all(whyLoad, "resolve_name", "find_loader", "get_loader", "ImpImporter"),
		"signal": whole(whyProcess), "atexit": whole(whyExit), "faulthandler": whole(whyProcess), "multiprocessing": whole(whyProcess), "subprocess": whole(whyProcess),
		"pty": whole(whyProcess), "resource": whole(whyProcess), "_posixsubprocess": whole(whyProcess), "_thread": whole(whyProcess), "weakref": all(whyExit, "finalize"),
		"unittest": whole(whyHarness), "pytest": whole(whyHarness), "_pytest": whole(whyHarness), "pluggy": whole(whyHarness), "doctest": whole(whyHarness),
		"nose": whole(whyHarness), "mock": whole(whyHarness), "hypothesis": whole(whyHarness), "xdist": whole(whyHarness), "coverage": whole(whyHarness),
		"decimal": all(whyAmbient, "getcontext", "setcontext", "DefaultContext"), "locale": all(whyAmbient, "setlocale"), "random": all(whyAmbient, "seed", "setstate"),
		"warnings": all(whyAmbient, "simplefilter", "filterwarnings", "showwarning"), "socket": all(whyAmbient, "setdefaulttimeout"), "logging": all(whyAmbient, "disable"),
		"time": all(whyAmbient, "tzset"), "numpy": all(whyAmbient, "seterr"), "numpy.random": all(whyAmbient, "seed", "set_state"),
		"linecache": whole(whyFiles), "fileinput": whole(whyFiles), "filecmp": whole(whyFiles), "tokenize": whole(whyFiles), "shutil": whole(whyFiles),
		"zipfile": whole(whyFiles), "tarfile": whole(whyFiles), "io": all(whyFiles, "open", "open_code", "FileIO"), "codecs": all(whyFiles, "open"),
		"inspect":  all(whyFrames, "currentframe", "stack", "trace", "getouterframes", "getinnerframes"),
		"pickle":   all(whyLoad, "loads", "load", "Unpickler", "_loads", "_Unpickler"),
		"types":    all(whyLoad, "FunctionType", "LambdaType", "CodeType", "FrameType", "TracebackType", "ModuleType", "CellType", "MethodType"),
		"operator": {}, "threading": all(whyFrames, "setprofile", "settrace", "excepthook", "_register_atexit"),
		"sys": Union(all(whyObjects, "modules"), all(whyLoad, "path", "path_importer_cache"), all(whyFrames, "monitoring", "call_tracing", "exc_info"),
			all(whyEnv, "argv", "orig_argv", "flags", "gettrace", "getprofile", "_xoptions"), all(whyWrites, "__stdout__", "__stderr__"), all(whyAmbient, "setrecursionlimit", "setswitchinterval", "set_int_max_str_digits")),
		"os": Union(all(whyProcess, "_exit", "abort", "kill", "killpg", "fork", "forkpty", "getppid", "system", "popen", "pidfd_open", "posix_spawn", "posix_spawnp", "setsid", "ptrace"), all(whyFiles, "open", "listdir", "scandir", "walk", "fwalk", "readlink"),
			all(whyProcess, "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "spawnl", "spawnle", "spawnv", "spawnve", "spawnlp", "spawnvp"),
			all(whyWrites, "write", "writev", "pwrite", "dup", "dup2", "fdopen", "close", "closerange", "sendfile", "set_inheritable"), all(whyExit, "register_at_fork"),
			all(whyAmbient, "chdir", "fchdir", "putenv", "unsetenv", "umask")),
	},
	equal: pythonEqual,
	words: []string{"pytest", "unittest", "conftest", "PYTEST_", "/proc/", "/dev/fd", "/dev/std"},
}

// pythonEqual are the methods by which a value says what it equals.
var pythonEqual = []string{"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}

func bindPython(l *look, n code.Node) {
	switch n.Kind() {
	case "import_statement":
		for _, c := range n.NamedChildren() {
			if c.Kind() == "aliased_import" {
				name := field(c, "name")
				alias := field(c, "alias")
				l.bound[spelled(alias)] = spelled(name)
			} else {
				top, _, _ := strings.Cut(spelled(c), ".")
				l.bound[top] = top
			}
		}
	case "import_from_statement":
		module, names := pythonFrom(n)
		for local, member := range names {
			l.bound[local] = module + "." + member
		}
	case "assignment", "named_expression":
		left := field(n, "left")
		if n.Kind() == "named_expression" {
			left = field(n, "name")
		}
		right, ok := n.ChildByField("right")
		if !ok {
			right, ok = n.ChildByField("value")
		}
		if ok && left.Kind() == "identifier" {
			if of := l.means(right); of != "" && !strings.Contains(of, "?") {
				l.bound[spelled(left)] = of
			}
		}
	}
}

// pythonFrom reads "from module import a, b as c": local name -> member.
func pythonFrom(n code.Node) (module string, names map[string]string) {
	names = map[string]string{}
	source := field(n, "module_name")
	for _, c := range n.NamedChildren() {
		switch {
		case c == source:
		case c.Kind() == "aliased_import":
			name := field(c, "name")
			alias := field(c, "alias")
			names[spelled(alias)] = spelled(name)
		case c.Kind() == "wildcard_import":
			names["*"] = "*"
		default:
			names[spelled(c)] = spelled(c)
		}
	}
	return spelled(source), names
}

func visitPython(l *look, n code.Node) bool {
	switch n.Kind() {
	case "import_statement":
		for _, c := range n.NamedChildren() {
			if c.Kind() == "aliased_import" {
				c = field(c, "name")
			}
			l.taken(n, spelled(c), "")
			l.testModule(n, spelled(c))
		}
		return false
	case "import_from_statement":
		l.pythonImported(n)
		return false
	case "expression_statement":
		if in := n.NamedChildren(); len(in) == 1 && (in[0].Kind() == "string" || in[0].Kind() == "concatenated_string") {
			return false // a docstring
		}
	case "identifier":
		l.pythonName(n)
	case "attribute":
		if kids := n.NamedChildren(); len(kids) == 2 {
			l.pythonMember(n, kids[0], spelled(kids[1]))
		}
	case "call":
		l.pythonCall(n)
	case "keyword_argument": // of a dataclass, its fields, attrs
		if name, value := field(n, "name"), field(n, "value"); slices.Contains([]string{"compare", "eq", "cmp"}, spelled(name)) && value.Text() != "True" {
			l.see(n, whyEqual)
		}
	case "assignment", "augmented_assignment":
		left := field(n, "left")
		l.pythonTarget(n, left)
	case "delete_statement", "for_statement", "as_pattern_target", "for_in_clause":
		for _, c := range n.NamedChildren() {
			l.pythonTarget(c, c)
		}
	}
	return !l.constants(n)
}

func (l *look) pythonImported(n code.Node) {
	module, names := pythonFrom(n)
	l.testModule(n, module)
	for _, member := range names {
		l.taken(n, module, member)
		if m, ok := l.rules.modules[module+"."+member]; ok && m[""] != "" {
			l.see(n, m[""])
		}
		if m, ok := l.rules.module(module); member == "*" && ok && m[""] == "" && len(m) > 0 {
			l.see(n, whyObjects)
		}
		if why := l.rules.names[member]; why != "" {
			l.see(n, why)
		}
	}
}

// testModule: what tests know is none of the code's business.
func (l *look) testModule(n code.Node, module string) {
	if code.IsTest(strings.ReplaceAll(strings.TrimLeft(module, "."), ".", "/") + ".py") {
		l.see(n, whyHarness)
	}
}

// pythonName judges a bare name.
func (l *look) pythonName(n code.Node) {
	name, member := spelled(n), n.Field() == "attribute"
	if slices.Contains(pythonEqual, name) {
		l.pythonEquals(n, name)
		return
	}
	shown := n
	if up, ok := n.Parent(); ok && member {
		shown = up
	}
	if why := l.rules.names[name]; why != "" {
		l.see(shown, why)
		return
	}
	if member || n.Field() == "name" || n.Field() == "object" {
		return
	}
	called := n.Field() == "function"
	switch name {
	case "open":
		l.see(callOf(n), whyFiles)
	case "eval", "exec", "compile", "breakpoint":
		l.see(callOf(n), whyLoad)
	case "globals", "vars":
		l.see(callOf(n), whyObjects)
	case "getattr", "setattr", "delattr":
		if !called {
			l.see(n, whyComputed)
		}
	}
	if m, ok := l.rules.modules[l.bound[name]]; ok && m[""] == "" && len(m) > 0 && n.Field() != "left" && n.Field() != "alias" {
		l.see(shown, whyObjects) // a module handed on: what is taken of it stands elsewhere
	}
}

// callOf is the call that a name is the function of, or the name.
func callOf(n code.Node) code.Node {
	if up, ok := n.Parent(); ok && n.Field() == "function" {
		return up
	}
	return n
}

// pythonMember judges object.member.
func (l *look) pythonMember(n, object code.Node, member string) {
	of := l.means(object)
	l.taken(n, of, member)
	if member == "open" && of == "" && n.Field() == "function" {
		l.see(n, whyFiles) // a path's own method
	}
	if member == "__dict__" && object.Text() != "self" && object.Text() != "cls" {
		l.see(n, whyObjects)
	}
	if l.means(n) == "os.environ" {
		l.pythonEnviron(n)
	}
}

// pythonEnviron: a variable by its own name is a setting; all of them, or one
// by a computed name, may be the runner's.
func (l *look) pythonEnviron(n code.Node) {
	up := above(n)
	if up.Kind() == "attribute" {
		up = above(up)
	}
	key := up.NamedChildren()
	switch up.Kind() {
	case "subscript":
		key = key[min(1, len(key)):]
	case "call":
		arguments := field(up, "arguments")
		key = arguments.NamedChildren()
	default:
		key = nil
	}
	if len(key) > 0 {
		if _, ok := constant(key[0]); ok {
			return
		}
	}
	l.see(n, whyEnv)
}

func (l *look) pythonCall(n code.Node) {
	function := field(n, "function")
	arguments := field(n, "arguments")
	args := arguments.NamedChildren()
	own := len(args) > 0 && (args[0].Text() == "self" || args[0].Text() == "cls")
	switch name := function.Text(); {
	case name == "getattr" || name == "setattr" || name == "delattr":
		if len(args) < 2 || args[0].Kind() == "list_splat" || args[1].Kind() == "list_splat" {
			l.see(n, whyComputed)
			return
		}
		member, ok := constant(args[1])
		if !ok && !own {
			l.see(n, whyComputed)
		}
		if of := l.means(args[0]); of != "" {
			l.taken(n, of, member)
			if name != "getattr" {
				l.see(n, whyForeign)
			}
		}
	case name == "type" && len(args) == 3:
		l.see(n, whyLoad)
	case name == "open" && len(args) > 0 && args[0].Kind() == "integer":
		l.see(n, whyWrites)
	}
	switch l.means(function) {
	case "operator.attrgetter", "operator.methodcaller":
		for _, a := range args {
			if _, ok := constant(a); !ok && a.Kind() != "keyword_argument" {
				l.see(n, whyComputed)
			}
		}
	case "os.getenv", "os.environ.get":
		if len(args) == 0 {
			return
		}
		if _, ok := constant(args[0]); !ok {
			l.see(n, whyEnv)
		}
	}
}

// pythonTarget judges what is assigned to: members and items of what was
// imported belong to somebody else.
func (l *look) pythonTarget(shown, target code.Node) {
	switch target.Kind() {
	case "pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list", "list_splat_pattern":
		for _, c := range target.NamedChildren() {
			l.pythonTarget(shown, c)
		}
	case "attribute":
		kids := target.NamedChildren()
		if l.means(target) != "" || len(kids) == 2 && kids[1].Text() == "__class__" {
			l.see(shown, whyForeign)
		}
	case "subscript":
		if l.means(target) != "" {
			l.see(shown, whyForeign)
		}
	}
}

// pythonEquals: a method that was there and still compares both of its
// parameters may change; any other comes with its text.
func (l *look) pythonEquals(n code.Node, name string) {
	def, ok := n.Parent()
	if !ok || def.Kind() != "function_definition" || n.Field() != "name" {
		l.see(callOf(n), whyEqual)
		return
	}
	if class, ok := def.Ancestor("class_definition"); ok && comparesBoth(def) {
		l.seeAs("def "+name+" of "+field(class, "name").Text(), def, whyEqual)
		return
	}
	l.see(def, whyEqual)
}

// comparesBoth tells whether some comparison in the method has a part of each
// parameter, and no line of its body returns True outright.
func comparesBoth(def code.Node) bool {
	parameters := field(def, "parameters")
	body := field(def, "body")
	names := parameters.NamedChildren()
	if len(names) != 2 {
		return false
	}
	for _, s := range body.NamedChildren() {
		if s.Kind() == "return_statement" && strings.TrimSpace(strings.TrimPrefix(s.Text(), "return")) == "True" {
			return false
		}
	}
	found := false
	body.Walk(func(c code.Node) bool {
		if c.Kind() == "comparison_operator" && mentions(c, names[0].Text()+".") && mentions(c, names[1].Text()+".") {
			found = true
		}
		return !found
	})
	return found
}

func mentions(n code.Node, start string) bool {
	return slices.ContainsFunc(n.NamedChildren(), func(c code.Node) bool { return strings.HasPrefix(c.Text(), start) })
}
