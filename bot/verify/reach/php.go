package reach

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var php = rules{
	bind:  bindPHP,
	visit: visitPHP,
	names: Union( // functions and classes, in small letters
		all(whyFrames, "debug_backtrace", "debug_print_backtrace"),
		all(whyObjects, "get_declared_classes", "get_defined_functions", "spl_autoload_functions"),
		all(whyExit, "register_shutdown_function", "register_tick_function", "__halt_compiler"),
		all(whyLoad, "eval", "create_function", "unserialize"),
		all(whyProcess, "exit", "die", "posix_kill", "posix_getpid", "getmypid", "pcntl_fork", "pcntl_exec", "pcntl_signal", "pcntl_alarm"),
		all(whyForeign, "set_error_handler", "set_exception_handler", "spl_autoload_register", "class_alias", "stream_wrapper_register", "stream_wrapper_unregister", "stream_filter_register", "ini_set", "ini_alter", "override_function", "runkit7_method_redefine", "uopz_set_return", "bindto"),
		all(whyEnv, "putenv", "cli_get_process_title", "getopt"), all(whyNative, "ffi", "dl"),
		all(whyFiles, "file_get_contents", "fopen", "file", "readfile", "glob", "scandir", "opendir", "parse_ini_file", "highlight_file", "show_source", "php_strip_whitespace", "splfileobject", "directoryiterator", "recursivedirectoryiterator"),
		all(whyObjects, "reflectionclass", "reflectionobject", "reflectionmethod", "reflectionproperty", "reflectionfunction", "reflectionnamedtype", "reflectionenum"),
	),
	words: []string{"PHPUnit", "phpunit", "Test.php", "fettle", "/proc/", "/dev/fd", "/dev/std", "php://fd", "php://filter"},
}

var (
	// phpFunctions are no classes: a class may have any of these names.
	phpFunctions = Union(
		all(whyProcess, "shell_exec", "exec", "system", "passthru", "popen", "proc_open"),
		all(whyDisk, "file_put_contents", "rename", "unlink", "copy", "touch", "symlink", "link"),
		all(whyFiles, "md5_file", "sha1_file", "hash_file", "simplexml_load_file", "filesize", "filemtime", "stat", "gzopen", "gzfile", "readgzfile"),
		all(whyObjects, "get_included_files", "get_required_files"),
	)
	// phpCallables says which argument of a function is called, -1 the last.
	phpCallables = map[string]int{"call_user_func": 0, "call_user_func_array": 0, "forward_static_call": 0, "forward_static_call_array": 0, "array_map": 0, "array_filter": 1, "array_walk": 1,
		"array_walk_recursive": 1, "array_reduce": 1, "array_find": 1, "array_find_key": 1, "array_any": 1, "array_all": 1, "usort": 1, "uasort": 1, "uksort": 1, "preg_replace_callback": 1,
		"iterator_apply": 1, "ob_start": 0, "header_register_callback": 0, "array_udiff": -1, "array_udiff_assoc": -1, "array_diff_ukey": -1, "array_diff_uassoc": -1, "array_uintersect": -1,
		"array_uintersect_assoc": -1, "array_intersect_ukey": -1, "array_intersect_uassoc": -1}
	// phpDecodes make another text of one: of a constant, only to hide it.
	phpDecodes = []string{"strrev", "str_rot13", "hex2bin", "base64_decode", "convert_uudecode"}
)

// bindPHP notes variables that hold a text, or may: called, they call what it names.
func bindPHP(l *look, n code.Node) {
	left, right := field(n, "left"), field(n, "right")
	switch n.Kind() {
	case "assignment_expression", "augmented_assignment_expression":
	case "foreach_statement":
		if kids := n.NamedChildren(); len(kids) > 1 {
			left, right = kids[1], kids[0]
		}
		if right.Kind() != "array_creation_expression" {
			return // what a program calls in turn
		}
	default:
		return
	}
	made := l.phpMade(right)
	switch array := right.Kind() == "array_creation_expression"; {
	case left.Kind() == "list_literal" && !array:
		made = true
	case left.Kind() == "list_literal" || left.Kind() == "variable_name" && n.Kind() == "foreach_statement":
		made = slices.ContainsFunc(right.NamedChildren(), func(item code.Node) bool { return slices.ContainsFunc(item.NamedChildren(), l.phpMade) })
	case left.Kind() != "variable_name":
		return
	}
	if !made {
		return
	}
	left.Walk(func(v code.Node) bool {
		if v.Kind() == "variable_name" {
			l.bound[v.Text()] = "made"
		}
		return true
	})
}

// phpMade tells that a value is, or may be, a text.
func (l *look) phpMade(n code.Node) bool {
	switch n.Kind() {
	case "string", "encapsed_string", "heredoc", "nowdoc", "binary_expression", "cast_expression":
		return true
	case "function_call_expression": // f(...) is a closure
		list := field(n, "arguments").NamedChildren()
		return len(list) != 1 || list[0].Kind() != "variadic_placeholder"
	case "variable_name":
		return l.bound[n.Text()] != ""
	case "conditional_expression", "parenthesized_expression":
		return slices.ContainsFunc(n.NamedChildren(), l.phpMade)
	case "assignment_expression":
		return l.phpMade(field(n, "right"))
	case "subscript_expression":
		kids := n.NamedChildren()
		return len(kids) > 0 && kids[0].Kind() == "array_creation_expression"
	}
	return false
}

func visitPHP(l *look, n code.Node) bool {
	switch n.Kind() {
	case "namespace_definition", "namespace_use_declaration", "qualified_name":
		if words := strings.FieldsFunc(n.Text(), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;{}\\", r) }); len(words) > 1 && strings.EqualFold(words[1], "function") {
			for _, w := range words[2:] {
				l.phpFunction(n, w)
			}
		}
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
		case name.Kind() != "name", l.bound[field(n, "scope").Text()] != "":
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
		}
		if n.Text() == "$_SERVER" {
			l.phpServer(n)
		}
	case "shell_command_expression":
		l.see(n, whyProcess)
	case "object_creation_expression":
		if kids := n.NamedChildren(); len(kids) > 0 && !slices.Contains([]string{"name", "qualified_name", "relative_name", "anonymous_class", "attribute_list", "arguments"}, kids[0].Kind()) && kids[0].Text() != "static" {
			l.see(n, whyComputed)
		}
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
				l.phpFunction(n, text)
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

// phpFunction is phpName for a name that may be a function's.
func (l *look) phpFunction(shown code.Node, name string) {
	l.phpName(shown, name)
	name = strings.ToLower(name[strings.LastIndexByte(name, '\\')+1:])
	if why := phpFunctions[name]; why != "" {
		l.see(shown, why)
	} else if strings.HasPrefix(name, "pcntl_") && l.rules.names[name] == "" {
		l.see(shown, whyProcess)
	}
}

// phpServer: the command line is among what the server says, or may be.
func (l *look) phpServer(n code.Node) {
	up := above(n)
	kids := up.NamedChildren()
	if up.Kind() != "subscript_expression" || len(kids) < 2 || kids[0] != n {
		l.see(n, whyEnv)
		return
	}
	key, ok := phpText(kids[1])
	if kids[1].Kind() == "name" {
		key, ok = kids[1].Text(), true // "$_SERVER[argv]"
	}
	if ok && (key == "argv" || key == "argc") || !ok && !strings.HasPrefix(strings.Trim(kids[1].Text(), `'"`), "HTTP_") {
		l.see(up, whyEnv)
	}
}

// phpOpened: a file is opened to read it, as far as its mode says so.
func phpOpened(list []code.Node) string {
	if len(list) < 2 || len(list[1].NamedChildren()) == 0 {
		return whyFiles
	}
	kids := list[1].NamedChildren()
	if mode, ok := phpText(kids[len(kids)-1]); ok && !strings.ContainsAny(mode, "waxc+") {
		return whyFiles
	}
	return whyDisk
}

// phpCalled judges what a function is given to call.
func (l *look) phpCalled(n code.Node, name string, list []code.Node) {
	at, ok := phpCallables[name]
	if at < 0 {
		at += len(list)
	}
	for i, a := range list {
		if field(a, "name").Text() == "callback" {
			at = i
		}
	}
	if !ok || at < 0 || at >= len(list) {
		return
	}
	kids := list[at].NamedChildren()
	if len(kids) == 0 {
		return
	}
	value := kids[len(kids)-1]
	if text, ok := phpText(value); ok {
		if !strings.Contains(text, "_") { // or it is seen as a text
			l.phpFunction(n, text)
		}
	} else if l.phpMade(value) || list[at].Kind() == "variadic_unpacking" || value.Kind() == "variadic_unpacking" {
		l.see(n, whyComputed)
	} else if strings.HasPrefix(name, "call_user_func") && strings.Contains(value.Text(), "$") && !strings.HasPrefix(value.Text(), "[$this,") &&
		value.Kind() != "arrow_function" && !strings.HasPrefix(value.Kind(), "anonymous_function") {
		l.see(n, whyComputed)
	}
}

func (l *look) phpCall(n code.Node) {
	function := field(n, "function")
	name := strings.ToLower(function.Text()[strings.LastIndexByte(function.Text(), '\\')+1:])
	list := field(n, "arguments").NamedChildren()
	constant := func(a code.Node) bool {
		kids := a.NamedChildren()
		if len(kids) == 0 {
			return false
		}
		_, ok := phpText(kids[len(kids)-1])
		return ok
	}
	named := function.Kind() == "name" || function.Kind() == "qualified_name" || function.Kind() == "relative_name"
	switch {
	case named && name == "fopen":
		l.see(n, phpOpened(list))
	case named && (l.rules.names[name] != "" || phpFunctions[name] != "" || strings.HasPrefix(name, "pcntl_")):
		l.phpFunction(n, name)
	case name == "getenv" && len(list) == 0:
		l.see(n, whyEnv)
	case name == "error_log" && len(list) > 2:
		l.see(n, whyDisk)
	case !named && l.phpMade(function), slices.Contains(phpDecodes, name) && len(list) > 0 && constant(list[0]):
		l.see(n, whyComputed)
	default:
		l.phpCalled(n, name, list)
	}
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
