package reach

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var php = rules{
	bind:  bindPHP,
	visit: visitPHP,
	names: union( // functions and classes, in small letters
		all(whyFrames, "debug_backtrace", "debug_print_backtrace"),
		all(whyObjects, "get_declared_classes", "get_defined_functions", "spl_autoload_functions"),
		all(whyExit, "register_shutdown_function", "register_tick_function", "__halt_compiler"),
		all(whyLoad, "eval", "create_function", "unserialize"),
		all(whyProcess, "exit", "die", "posix_kill", "posix_getpid", "getmypid", "pcntl_fork", "pcntl_exec", "pcntl_signal", "pcntl_alarm", "shell_exec", "exec", "system", "passthru", "popen", "proc_open"),
		all(whyAlters, "file_put_contents", "rename", "unlink", "copy", "touch", "symlink", "link", "ftruncate"),
		all(whyForeign, "set_error_handler", "set_exception_handler", "spl_autoload_register", "class_alias", "stream_wrapper_register", "stream_wrapper_unregister", "stream_filter_register", "ini_set", "ini_alter", "override_function", "runkit7_method_redefine", "uopz_set_return", "bindto"),
		all(whyEnv, "putenv", "cli_get_process_title", "getopt"), all(whyNative, "ffi", "dl"),
		all(whyFiles, "file_get_contents", "fopen", "file", "readfile", "glob", "scandir", "opendir", "parse_ini_file", "highlight_file", "show_source", "php_strip_whitespace", "splfileobject", "directoryiterator", "recursivedirectoryiterator"),
		all(whyObjects, "reflectionclass", "reflectionobject", "reflectionmethod", "reflectionproperty", "reflectionfunction", "reflectionnamedtype", "reflectionenum"),
	),
	words: []string{"PHPUnit", "phpunit", "Test.php", "fettle", "/proc/", "/dev/fd", "/dev/std", "php://fd", "php://filter"},
}

// bindPHP notes variables that hold a text, or may: called, they call what it names.
func bindPHP(l *look, n code.Node) {
	if n.Kind() != "assignment_expression" {
		return
	}
	left, right := field(n, "left"), field(n, "right")
	if left.Kind() == "list_literal" || left.Kind() == "array_creation_expression" {
		for name := range strings.FieldsFuncSeq(left.Text(), func(r rune) bool { return strings.ContainsRune("[](), \t\r\n'\"=>", r) }) {
			l.bound[name] = "made"
		}
	}
	if left.Kind() == "variable_name" && slices.Contains([]string{"string", "encapsed_string", "binary_expression", "function_call_expression"}, right.Kind()) {
		l.bound[left.Text()] = "made"
	}
}

func visitPHP(l *look, n code.Node) bool {
	switch n.Kind() {
	case "namespace_definition", "namespace_use_declaration", "qualified_name":
		if text := strings.ToLower(n.Text()); strings.Contains(text, `phpunit\`) || strings.HasSuffix(text, ` phpunit;`) {
			l.see(n, whyHarness)
			return false
		}
	case "function_call_expression":
		l.phpCall(n)
	case "exit_statement":
		l.see(n, whyProcess)
	case "name":
		if up := n.Up(); up == "expression_statement" || up == "object_creation_expression" || n.Field() == "scope" || up == "qualified_name" && above(n).Up() != "function_call_expression" {
			l.phpName(n, n.Text())
		}
		if n.Field() == "name" && n.Up() == "method_declaration" && strings.EqualFold(n.Text(), "__destruct") {
			l.see(n, whyExit)
		}
	case "scoped_call_expression", "member_call_expression", "nullsafe_member_call_expression":
		name := field(n, "name")
		switch {
		case name.Kind() != "name":
			l.see(n, whyComputed)
		case strings.EqualFold(name.Text(), "bindTo"), strings.EqualFold(strings.TrimPrefix(field(n, "scope").Text(), `\`), "closure"):
			l.see(n, whyForeign)
		}
	case "variable_name":
		switch n.Text() {
		case "$GLOBALS":
			l.see(n, whyObjects)
		case "$argv", "$argc":
			l.see(n, whyEnv)
		case "$_SERVER":
			if strings.Contains(above(n).Text(), "arg") || n.Up() != "subscript_expression" {
				l.see(n, whyEnv)
			}
		}
	case "object_creation_expression":
		if kids := n.NamedChildren(); len(kids) > 0 && kids[0].Kind() == "variable_name" && l.bound[kids[0].Text()] != "" {
			l.see(n, whyComputed)
		}
	case "shell_command_expression":
		l.see(n, whyProcess)
	case "dynamic_variable_name":
		l.see(n, whyComputed)
	case "global_declaration", "function_static_declaration":
		l.see(n, whyState)
	case "include_expression", "include_once_expression", "require_expression", "require_once_expression":
		if strings.Contains(n.Text(), "$") {
			l.see(n, whyLoad)
		}
	case "string", "encapsed_string", "binary_expression":
		if text, ok := phpText(n); ok {
			if slices.ContainsFunc(l.rules.words, func(w string) bool { return strings.Contains(text, w) }) {
				l.see(n, whyHarness)
			} else if strings.Contains(text, "_") || strings.HasPrefix(strings.ToLower(text), "reflection") { // "file" may be any word
				l.phpName(n, text)
			}
			return false
		}
	}
	return true
}

// phpName judges the name of a function or class.
func (l *look) phpName(shown code.Node, name string) {
	if why := l.rules.names[strings.ToLower(name[strings.LastIndexByte(name, '\\')+1:])]; why != "" {
		l.see(shown, why)
	}
}

func (l *look) phpCall(n code.Node) {
	function := field(n, "function")
	name := strings.ToLower(function.Text()[strings.LastIndexByte(function.Text(), '\\')+1:])
	list := field(n, "arguments").NamedChildren()
	switch {
	case l.rules.names[name] != "":
		l.see(n, l.rules.names[name])
	case name == "getenv" && len(list) == 0:
		l.see(n, whyEnv)
	case function.Kind() == "variable_name" && l.bound[function.Text()] != "",
		slices.Contains([]string{"binary_expression", "string", "encapsed_string"}, function.Kind()):
		l.see(n, whyComputed)
	case phpMadeCallable(name, list):
		l.see(n, whyComputed)
	case (name == "call_user_func" || name == "call_user_func_array") && len(list) > 0 && strings.Contains(list[0].Text(), "$") && !strings.HasPrefix(list[0].Text(), "[$this,"):
		l.see(n, whyComputed)
	}
}

// phpCallables are functions that call what one of their arguments names.
var phpCallables = map[string]int{"call_user_func": 0, "call_user_func_array": 0, "array_map": 0, "forward_static_call": 0, "iterator_apply": 1, "usort": 1, "uasort": 1, "uksort": 1, "array_filter": 1, "array_walk": 1, "array_reduce": 1, "preg_replace_callback": 1}

// phpMadeCallable tells whether a function is given the name of another that is made up.
func phpMadeCallable(name string, args []code.Node) bool {
	at, ok := phpCallables[name]
	if !ok || at >= len(args) {
		return false
	}
	given := args[at]
	if kids := given.NamedChildren(); given.Kind() == "argument" && len(kids) > 0 {
		given = kids[len(kids)-1]
	}
	return slices.Contains([]string{"function_call_expression", "binary_expression", "encapsed_string"}, given.Kind())
}

// phpText is a text that is known before it runs.
func phpText(n code.Node) (string, bool) {
	switch n.Kind() {
	case "string", "encapsed_string":
		var out strings.Builder
		for _, c := range n.NamedChildren() {
			if c.Kind() != "string_content" && c.Kind() != "escape_sequence" {
				return "", false
			}
			out.WriteString(unescape(c.Text()))
		}
		return out.String(), true
	case "parenthesized_expression":
		if in := n.NamedChildren(); len(in) == 1 {
			return phpText(in[0])
		}
	case "binary_expression":
		kids := n.Children()
		if len(kids) != 3 || kids[1].Text() != "." {
			return "", false
		}
		a, first := phpText(kids[0])
		b, second := phpText(kids[2])
		return a + b, first && second
	}
	return "", false
}
