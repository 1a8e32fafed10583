package reach

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var script = rules{
	bind:  bindScript,
	visit: visitScript,
	names: Union(
		all(whyForeign, "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "setPrototypeOf", "getPrototypeOf"),
		all(whyFrames, "prepareStackTrace", "callee", "caller", "captureStackTrace"),
		all(whyObjects, "getOwnPropertySymbols", "mainModule", "getBuiltinModule"),
		all(whyNative, "_linkedBinding", "dlopen", "reallyExit"),
		all(whyEqual, "toPrimitive", "hasInstance"),
		all(whyFiles, "__filename", "__dirname"),
		all(whyHarness, "NODE_TEST_CONTEXT"),
	),
	modules: map[string]map[string]string{
		"test": whole(whyHarness), "assert": whole(whyHarness), "mocha": whole(whyHarness), "chai": whole(whyHarness), "jest": whole(whyHarness),
		"vitest": whole(whyHarness), "expect": whole(whyHarness), "sinon": whole(whyHarness), "should": whole(whyHarness), "tap": whole(whyHarness), "ava": whole(whyHarness),
		"v8": whole(whyNative), "vm": whole(whyLoad), "module": whole(whyLoad), "inspector": whole(whyFrames), "child_process": whole(whyProcess),
		"worker_threads": whole(whyProcess), "cluster": whole(whyProcess), "repl": whole(whyLoad), "async_hooks": whole(whyFrames), "diagnostics_channel": whole(whyFrames),
		"trace_events": whole(whyFrames), "bindings": whole(whyNative), "ffi-napi": whole(whyNative), "koffi": whole(whyNative), "node-gyp-build": whole(whyNative),
		"fs": Union(all(whyWrites, "writeSync", "write", "writev", "writevSync", "fsyncSync", "closeSync"),
			all(whyFiles, "readFileSync", "readFile", "openSync", "open", "openAsBlob", "createReadStream", "readSync", "read", "readv", "readvSync", "promises", "readdir", "readdirSync", "opendir", "opendirSync", "cpSync", "cp", "copyFile", "copyFileSync")),
		"process": Union(all(whyProcess, "exit", "kill", "abort", "reallyExit", "binding", "_linkedBinding", "dlopen", "ppid", "execve", "disconnect", "send", "channel"),
			all(whyExit, "on", "once", "addListener", "prependListener", "prependOnceListener", "emit", "removeAllListeners", "listeners", "rawListeners",
				"setUncaughtExceptionCaptureCallback", "addUncaughtExceptionCaptureCallback", "exitCode"),
			all(whyWrites, "stdout", "stderr"), all(whyEnv, "argv", "argv0", "execArgv", "mainModule"), all(whyObjects, "getBuiltinModule", "_getActiveHandles", "_getActiveRequests", "report")),
		"require":    all(whyObjects, "cache", "main", "extensions", "resolve"),
		"module()":   all(whyObjects, "children", "parent", "constructor", "paths", "require", "loaded"),
		"globalThis": {"process": whyProcess, "require": whyLoad, "eval": whyLoad, "Function": whyLoad, "?": whyComputed},
	},
	words: []string{"node:test", "NODE_TEST", "mocha", "jest", "vitest", "/proc/", "/dev/fd", "/dev/std", "\n# pass ", "# fail 0"},
}

// scriptGlobals belong to everybody who runs in the process, the tests too.
var scriptGlobals = []string{"console", "Math", "JSON", "Object", "Array", "String", "Number", "Boolean", "BigInt", "Symbol", "Promise", "Error", "TypeError", "RangeError", "Map", "Set",
	"WeakMap", "WeakSet", "Date", "RegExp", "Reflect", "Function", "Proxy", "Intl", "Buffer", "Atomics", "ArrayBuffer", "Uint8Array", "Iterator", "URL", "performance",
	"setTimeout", "setInterval", "setImmediate", "queueMicrotask", "structuredClone", "process", "require", "globalThis", "global", "describe", "it", "expect", "jest", "vi"}

func bindScript(l *look, n code.Node) {
	if len(l.bound) == 0 {
		for _, g := range scriptGlobals {
			l.bound[g] = g
		}
		l.bound["global"], l.bound["module"] = "globalThis", "module()"
	}
	switch n.Kind() {
	case "import_statement":
		l.scriptImport(n)
	case "variable_declarator", "assignment_expression":
		left := field(n, "name")
		right, ok := n.ChildByField("value")
		if n.Kind() == "assignment_expression" {
			left = field(n, "left")
			right, ok = n.ChildByField("right")
		}
		if ok {
			l.scriptBind(left, l.scriptMeans(right))
		}
	case "function_declaration", "class_declaration":
		if name, ok := n.ChildByField("name"); ok && !slices.Contains([]string{"require", "process"}, name.Text()) {
			delete(l.bound, spelled(name)) // its own, whatever it is called
		}
	}
}

func (l *look) scriptImport(n code.Node) {
	source := field(n, "source")
	text, _ := constant(source)
	module := scriptModule(text)
	n.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "import_specifier":
			name := field(c, "name")
			local := name
			if alias, ok := c.ChildByField("alias"); ok {
				local = alias
			}
			l.bound[spelled(local)] = module + "." + spelled(name)
			return false
		case "identifier":
			l.bound[spelled(c)] = module // a default, or all of it
		}
		return true
	})
}

// scriptModule is the name of a module as the rules know it.
func scriptModule(source string) string {
	source = strings.TrimPrefix(source, "node:")
	name, _, _ := strings.Cut(source, "/")
	if strings.HasPrefix(source, "@jest") || strings.HasPrefix(source, "@vitest") {
		return "jest"
	}
	if source == "" || source[0] == '.' || source[0] == '@' {
		return source
	}
	return name
}

// scriptBind gives the names of a pattern what a value means.
func (l *look) scriptBind(pattern code.Node, of string) {
	if of == "" {
		if pattern.Kind() == "identifier" && pattern.Up() == "variable_declarator" && !slices.Contains([]string{"require", "process", "globalThis", "global"}, spelled(pattern)) {
			delete(l.bound, spelled(pattern))
		}
		return
	}
	switch pattern.Kind() {
	case "identifier":
		l.bound[spelled(pattern)] = of
	case "object_pattern":
		for _, c := range pattern.NamedChildren() {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				l.bound[spelled(c)] = of + "." + spelled(c)
			case "pair_pattern":
				key := field(c, "key")
				value := field(c, "value")
				l.scriptBind(value, of+"."+spelled(key))
			}
		}
	}
}

// scriptMeans is look.means for an expression that may also be require("x").
func (l *look) scriptMeans(n code.Node) string {
	switch n.Kind() {
	case "await_expression", "parenthesized_expression", "as_expression", "non_null_expression", "satisfies_expression":
		if kids := n.NamedChildren(); len(kids) > 0 {
			return l.scriptMeans(kids[0])
		}
	case "call_expression":
		function := field(n, "function")
		arguments := field(n, "arguments")
		args := arguments.NamedChildren()
		if (function.Text() == "require" || function.Kind() == "import") && len(args) > 0 {
			if text, ok := constant(args[0]); ok {
				return scriptModule(text)
			}
		}
		return ""
	case "member_expression":
		object := field(n, "object")
		property := field(n, "property")
		if of := l.scriptMeans(object); of != "" {
			return of + "." + spelled(property)
		}
		return ""
	}
	return l.means(n)
}

func visitScript(l *look, n code.Node) bool {
	switch n.Kind() {
	case "import_statement", "export_statement":
		if source, ok := n.ChildByField("source"); ok {
			text, _ := constant(source)
			l.scriptTaken(n, text)
			l.scriptTakes(n, scriptModule(text))
			return false
		}
	case "identifier", "property_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern":
		l.scriptName(n)
	case "member_expression":
		object := field(n, "object")
		property := field(n, "property")
		l.scriptMember(n, object, spelled(property))
	case "subscript_expression":
		object := field(n, "object")
		index := field(n, "index")
		member, ok := constant(index)
		if !ok {
			member = "?"
		}
		l.scriptMember(n, object, member)
	case "call_expression", "new_expression":
		l.scriptCall(n)
	case "assignment_expression", "augmented_assignment_expression":
		left := field(n, "left")
		l.scriptTarget(n, left)
	case "update_expression":
		for _, c := range n.NamedChildren() {
			l.scriptTarget(n, c)
		}
	case "unary_expression":
		if kids := n.NamedChildren(); len(kids) == 1 && strings.HasPrefix(n.Text(), "delete") {
			l.scriptTarget(n, kids[0])
		}
	case "method_definition", "pair":
		l.scriptEquals(n)
	case "variable_declarator":
		l.scriptDestructured(n)
	case "with_statement":
		l.see(n, whyForeign)
	}
	return !l.constants(n)
}

// scriptTaken judges that a module is loaded.
func (l *look) scriptTaken(shown code.Node, source string) {
	if m := l.rules.modules[scriptModule(source)]; m[""] != "" {
		l.see(shown, m[""])
	}
	if code.IsTest(strings.TrimLeft(source, "./")) {
		l.see(shown, whyHarness) // what tests know is none of the code's business
	}
}

// scriptTakes judges the names that are imported from a module.
func (l *look) scriptTakes(n code.Node, module string) {
	m := l.rules.modules[module]
	n.Walk(func(c code.Node) bool {
		if c.Kind() == "import_specifier" || c.Kind() == "export_specifier" {
			if why := m[spelled(field(c, "name"))]; why != "" && m[""] == "" {
				l.see(c, why)
			}
		}
		return true
	})
}

// scriptName judges a bare name.
func (l *look) scriptName(n code.Node) {
	name := spelled(n)
	if why := l.rules.names[name]; why != "" {
		shown := n
		if up, ok := n.Parent(); ok && up.Kind() == "member_expression" {
			shown = up
		}
		if name == "getPrototypeOf" && l.compared(callOf(shown)) {
			return
		}
		l.see(shown, why)
		return
	}
	if n.Kind() != "identifier" && n.Kind() != "shorthand_property_identifier" {
		return
	}
	switch {
	case name == "eval" || name == "Function":
		if n.Up() != "binary_expression" { // instanceof Function
			l.see(callOf(n), whyLoad)
		}
	case name == "Proxy":
		l.see(callOf(n), whyEqual)
	case n.Field() == "object" || n.Field() == "function" || n.Field() == "left" || n.Field() == "name" || n.Field() == "constructor":
	case n.Up() == "import_clause" || n.Up() == "namespace_import" || n.Up() == "import_specifier" || n.Up() == "formal_parameters" || n.Up() == "unary_expression":
	case len(l.rules.modules[l.bound[name]]) > 0:
		l.see(n, whyObjects) // handed on: what is done with it stands elsewhere
	}
}

func (l *look) scriptMember(n, object code.Node, member string) {
	if object.Text() == "import.meta" && member != "env" {
		l.see(n, whyFiles)
	}
	of := l.scriptMeans(object)
	if of == "process.env" && member == "?" {
		l.see(n, whyEnv)
	}
	if m, ok := l.rules.modules[of]; ok && m[""] == "" {
		if why := m[member]; why != "" {
			l.see(n, why)
		} else if member == "?" && len(m) > 0 {
			l.see(n, whyComputed)
		}
	}
	if of == "process" && member == "env" && n.Up() != "member_expression" && n.Up() != "subscript_expression" && n.Up() != "variable_declarator" {
		l.see(n, whyEnv)
	}
	if member == "prototype" && slices.Contains(scriptGlobals, of) && n.Up() != "member_expression" && n.Up() != "binary_expression" {
		l.see(n, whyForeign) // a built-in's prototype as a value
	}
}

// compared tells that a value is only compared: it, or a name of which no member
// is taken, stands beside an operator.
func (l *look) compared(n code.Node) bool {
	up, ok := n.Parent()
	if !ok || up.Kind() != "variable_declarator" {
		return ok && up.Kind() == "binary_expression"
	}
	name := regexp.QuoteMeta(field(up, "name").Text())
	return name != "" && !regexp.MustCompile(`\b`+name+`\s*(?:\?\.|[.(\[,)\]}])|(?:export const|return|=>|[:=])\s*`+name+`\s*(?:[;\n}]|$)`).Match(l.tree.Src)
}

func (l *look) scriptCall(n code.Node) {
	function, ok := n.ChildByField("function")
	if !ok {
		return
	}
	arguments := field(n, "arguments")
	args := arguments.NamedChildren()
	if function.Text() == "require" || function.Kind() == "import" {
		if len(args) == 0 {
			return
		}
		if text, ok := constant(args[0]); ok {
			l.scriptTaken(n, text)
		} else {
			l.see(n, whyLoad)
		}
		return
	}
	if kids := function.NamedChildren(); len(kids) > 1 && strings.Trim(kids[len(kids)-1].Text(), "\"'`") == "constructor" {
		l.see(n, whyLoad) // (() => {}).constructor("code")
	}
	if name := l.means(function); (name == "Object.defineProperty" || name == "Object.defineProperties") && len(args) > 0 && !strings.Contains(n.Text(), "enumerable: true") {
		l.see(n, whyHidden)
	}
	switch l.means(function) {
	case "Object.assign", "Object.defineProperty", "Object.defineProperties", "Reflect.set", "Reflect.defineProperty", "Reflect.deleteProperty", "Object.freeze", "Object.seal":
		if len(args) > 0 && l.foreign(args[0]) {
			l.see(n, whyForeign)
		}
	case "Reflect.get", "Reflect.apply", "Reflect.construct":
		l.see(n, whyComputed)
	}
}

// foreign tells whether an expression is, or may be, somebody else's object.
func (l *look) foreign(n code.Node) bool {
	of := l.scriptMeans(n)
	if strings.HasPrefix(of, "module().exports") {
		return false
	}
	return of != ""
}

// scriptTarget judges what is assigned to.
func (l *look) scriptTarget(shown, target code.Node) {
	switch target.Kind() {
	case "array_pattern", "object_pattern", "pair_pattern", "assignment_pattern", "array", "object", "rest_pattern":
		for _, c := range target.NamedChildren() {
			l.scriptTarget(shown, c)
		}
	case "member_expression", "subscript_expression", "parenthesized_expression", "as_expression", "non_null_expression":
		if l.foreign(target) {
			l.see(shown, whyForeign)
		}
	case "identifier":
		if slices.Contains(scriptGlobals, l.bound[spelled(target)]) && slices.Contains(scriptGlobals, spelled(target)) {
			l.see(shown, whyForeign)
		}
	}
}

// scriptEquals: valueOf decides what == sees.
func (l *look) scriptEquals(n code.Node) {
	name, ok := n.ChildByField("name")
	if !ok {
		name, ok = n.ChildByField("key")
	}
	if ok && (spelled(name) == "valueOf" || strings.Trim(name.Text(), `"'`) == "valueOf") {
		l.see(n, whyEqual)
	}
}

// scriptDestructured: `const { exit } = process` takes exit as process.exit does.
func (l *look) scriptDestructured(n code.Node) {
	name := field(n, "name")
	value, ok := n.ChildByField("value")
	if !ok || name.Kind() != "object_pattern" {
		return
	}
	m := l.rules.modules[l.scriptMeans(value)]
	if m == nil || m[""] != "" {
		return
	}
	for _, c := range name.NamedChildren() {
		key := c
		if k, ok := c.ChildByField("key"); ok {
			key = k
		}
		if key.Kind() == "computed_property_name" {
			l.see(n, whyComputed)
		} else if why := m[spelled(key)]; why != "" {
			l.see(n, why)
		}
	}
}
