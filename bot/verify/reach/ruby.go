package reach

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var ruby = rules{
	bind:  bindRuby,
	visit: visitRuby,
	names: Union( // constants, and methods of Kernel's
		all(whyHarness, "RSpec", "Minitest", "MiniTest"),
		all(whyFrames, "TracePoint", "Binding", "RubyVM", "binding", "caller", "caller_locations", "set_trace_func"),
		all(whyObjects, "ObjectSpace"), all(whyNative, "Fiddle", "FFI", "syscall"), all(whyEnv, "ARGV", "ARGF"),
		all(whyProcess, "exit!", "fork", "exec", "trap", "system", "spawn", "Open3", "PTY"), all(whyDisk, "FileUtils"), all(whyExit, "at_exit", "define_finalizer"), all(whyLoad, "eval", "load"),
	),
	modules: map[string]map[string]string{
		"Process": all(whyProcess, "kill", "exit", "abort", "daemon", "detach", "spawn", "setproctitle"), "Signal": all(whyProcess, "trap"),
		"Thread": all(whyObjects, "list", "main"), "Marshal": all(whyLoad, "load"),
		"File": Union(rubyReads, rubyWrites, all(whyFiles, "new", "stat", "lstat", "size", "mtime")), "Dir": Union(rubyReads, all(whyDisk, "delete", "unlink", "rmdir")),
		"IO":     Union(rubyReads, rubyWrites, all(whyWrites, "for_fd", "new", "sysopen"), all(whyProcess, "popen"), all(whyFiles, "copy_stream")),
		"Kernel": all(whyFiles, "open"), "CSV": rubyReads,
	},
	equal: []string{"==", "===", "!=", "!", "=~", "eql?", "equal?", "<=>", "coerce", "nil?", "is_a?", "kind_of?", "instance_of?", "method_missing"},
	words: []string{"rspec", "RSpec", "minitest", "Minitest", "test/unit", "Test::Unit", "_spec.rb", "_test.rb", "fettle", "/proc/", "/dev/fd", "/dev/std"},
}

var (
	rubyReads  = all(whyFiles, "read", "binread", "readlines", "foreach", "open", "glob", "children", "entries", "each_child", "[]")
	rubyWrites = all(whyDisk, "write", "binwrite", "rename", "delete", "unlink", "truncate", "link", "symlink")
	// rubyAsks hand nothing on of the constants that they are given, or that are before them.
	rubyAsks = []string{"is_a?", "kind_of?", "instance_of?", "==", "!=", "===", "<", "<=", "instance_double", "instance_spy"}
	// rubyHands hand on what they are sent to.
	rubyHands = []string{"then", "yield_self", "tap", "itself", "dup", "clone"}
	// rubyOwn are methods by which an object is changed from outside.
	rubyOwn = []string{"instance_variable_set", "instance_variable_get", "class_variable_set", "class_variable_get", "instance_eval", "instance_exec", "class_eval", "class_exec", "module_eval", "module_exec",
		"define_singleton_method", "singleton_class", "remove_method", "undef_method", "remove_const", "remove_instance_variable", "prepend", "bind_call", "define_method", "alias_method"}
	// rubyMixed are changes where a constant is what they are sent to.
	rubyMixed = []string{"include", "extend", "const_set", "attr_accessor", "attr_writer", "attr_reader", "public_send"}
	// rubyFinds name classes and places that nobody handed over.
	rubyFinds = []string{"subclasses", "descendants", "ancestors", "constants", "const_source_location"}
	// rubyNamed take the name of what they reach for.
	rubyNamed = []string{"send", "__send__", "public_send", "method", "instance_method", "public_method", "singleton_method", "const_get", "instance_variable_get", "define_method", "alias_method"}
	// rubyCore are the language's own classes: whoever opens one again changes it for all.
	rubyCore = strings.Fields(`Object BasicObject Kernel Module Class Integer Float Numeric Rational Complex String Symbol Array Hash Range Struct Set NilClass TrueClass FalseClass
		Proc Method UnboundMethod Exception StandardError RuntimeError SystemExit IO File Dir Process Thread Time Comparable Enumerable Enumerator Regexp MatchData Marshal GC Random Math Signal Gem Bundler JSON BigDecimal`)
)

// bindRuby notes the names of the file's own methods and variables.
func bindRuby(l *look, n code.Node) {
	if n.Kind() != "identifier" {
		return
	}
	switch f, up := n.Field(), n.Up(); {
	case f == "name" && (up == "method" || up == "singleton_method"):
		l.bound[n.Text()] = "method"
	case l.bound[n.Text()] != "":
	case f == "left" || f == "name" && up != "call" || strings.HasSuffix(up, "parameters") || up == "left_assignment_list":
		l.bound[n.Text()] = "variable"
	}
}

func visitRuby(l *look, n code.Node) bool {
	switch n.Kind() {
	case "constant":
		if n.Field() == "name" && (n.Up() == "scope_resolution" && scoped(above(n)) || n.Up() == "class" || n.Up() == "module") {
			return true // of another module, or one of its own: see rubyOpens
		}
		if n.Text() == "ENV" && n.Up() == "element_reference" || n.Text() == "ENV" && n.Up() == "call" && strings.HasPrefix(above(n).Text(), "ENV.fetch(") {
			return true
		}
		if why := l.rules.names[n.Text()]; why != "" {
			l.see(n, why)
		} else if n.Text() == "ENV" {
			l.see(n, whyEnv)
		} else if len(l.rules.modules[n.Text()]) > 0 {
			l.rubyHandedOn(n)
		}
	case "scope_resolution":
		if strings.TrimPrefix(n.Text(), "::") == "Test::Unit" {
			l.see(n, whyHarness)
		}
	case "identifier":
		if why := l.rules.names[n.Text()]; why != "" && n.Field() != "method" && n.Field() != "name" && l.bound[n.Text()] == "" && n.Text() != "system" && n.Text() != "spawn" { // those need arguments
			l.see(n, why)
		}
	case "simple_symbol":
		if why := l.rules.names[strings.TrimPrefix(n.Text(), ":")]; strings.HasSuffix(n.Text(), "!") && why != "" {
			l.see(n, why)
		} else if n.Up() == "block_argument" && slices.Contains(rubyFinds, strings.TrimPrefix(n.Text(), ":")) {
			l.see(n, whyObjects)
		}
	case "subshell":
		l.see(n, whyProcess)
	case "super":
		if in, ok := n.Ancestor("method", "singleton_method"); ok {
			if why := l.rules.names[field(in, "name").Text()]; why != "" {
				l.see(n, why) // def system(x) = super
			}
		}
	case "global_variable":
		l.rubyGlobal(n)
	case "call":
		l.rubyCall(n)
	case "element_reference":
		if kids := n.NamedChildren(); len(kids) > 0 && kids[0].Text() == "Dir" {
			l.see(n, whyFiles)
		}
	case "method", "singleton_method":
		l.rubyMethod(n)
	case "alias":
		kids := n.NamedChildren()
		if len(kids) > 0 && slices.Contains(l.rules.equal, strings.TrimPrefix(kids[0].Text(), ":")) {
			l.see(n, whyEqual)
		}
		if len(kids) > 1 && l.rules.names[strings.TrimPrefix(kids[1].Text(), ":")] != "" {
			l.see(n, l.rules.names[strings.TrimPrefix(kids[1].Text(), ":")])
		}
	case "class", "module":
		l.rubyOpens(n)
	case "singleton_class":
		if field(n, "value").Text() != "self" {
			l.seeAs("class << "+field(n, "value").Text(), n, whyForeign)
		}
	case "end_block":
		l.see(n, whyExit)
	case "string", "chained_string", "binary":
		if text, ok := rubyText(n); ok {
			if slices.ContainsFunc(l.rules.words, func(w string) bool { return strings.Contains(text, w) }) {
				l.see(n, whyHarness)
			}
			return false
		}
	}
	return true
}

// rubyText is a text that is known before it runs.
func rubyText(n code.Node) (string, bool) {
	kids := n.NamedChildren()
	switch n.Kind() {
	case "string":
		return literal(n)
	case "parenthesized_statements":
		if len(kids) == 1 {
			return rubyText(kids[0])
		}
	case "binary", "chained_string":
		if op, ok := n.ChildByField("operator"); n.Kind() == "binary" && (!ok || op.Text() != "+" && op.Text() != "<<") {
			return "", false
		}
		var out strings.Builder
		for _, k := range kids {
			text, ok := rubyText(k)
			if !ok {
				return "", false
			}
			out.WriteString(text)
		}
		return out.String(), len(kids) > 0
	}
	return "", false
}

func scoped(n code.Node) bool { _, ok := n.ChildByField("scope"); return ok }

// rubyGlobal: a variable of the whole process is set, or tells how it was started.
func (l *look) rubyGlobal(n code.Node) {
	switch n.Text() {
	case "$0", "$PROGRAM_NAME", "$*", "$\"", "$LOADED_FEATURES":
		l.see(n, whyEnv)
	case "$:", "$LOAD_PATH":
		l.see(above(n), whyLoad)
	default:
		if strings.HasSuffix(n.Up(), "assignment") && n.Field() == "left" || n.Up() == "left_assignment_list" {
			l.see(n, whyState)
		}
	}
}

func (l *look) rubyCall(n code.Node) {
	method := field(n, "method")
	name := method.Text()
	receiver, on := n.ChildByField("receiver")
	var args []code.Node
	if list, ok := n.ChildByField("arguments"); ok {
		args = list.NamedChildren()
	}
	of := ""
	if on {
		of = strings.TrimPrefix(strings.TrimPrefix(receiver.Text(), "::"), "Object::")
	}
	self := !on || of == "self"
	literal := len(args) > 0 && (args[0].Kind() == "simple_symbol" || args[0].Kind() == "string" && !strings.Contains(args[0].Text(), "#{"))
	switch {
	case on && (name == "open" || name == "new") && l.rules.modules[of][name] == whyFiles, self && name == "open" && l.bound[name] != "method":
		l.see(n, rubyOpened(args))
	case on && l.rules.modules[of][name] != "":
		l.see(n, l.rules.modules[of][name])
	case (!on || of == "self" && l.bound[name] != "method" || of == "Kernel" || of == "Process" || of == "ObjectSpace") && l.rules.names[name] != "" && (on || l.bound[name] != "method"):
		l.see(n, l.rules.names[name])
	case strings.HasPrefix(of, "Pathname") && name != "new" && l.rules.modules["File"][name] != "":
		l.see(n, l.rules.modules["File"][name])
	case on && name == "reopen":
		l.see(n, whyWrites)
	case on && slices.Contains(rubyHands, name) && len(l.rules.modules[of]) > 0:
		l.see(n, whyObjects)
	case self && (name == "require" || name == "require_relative"):
		if !literal {
			l.see(n, whyLoad)
		}
	case slices.Contains(rubyFinds, name) && (name != "ancestors" || field(above(n), "method").Text() != "include?"):
		l.see(n, whyObjects)
	case !self && of != "self.class" && (name == "send" || name == "__send__"), !self && slices.Contains(rubyOwn, name):
		l.see(n, whyForeign)
	case slices.Contains(rubyNamed, name) && len(args) > 0 && !literal:
		l.see(n, whyComputed)
	case on && slices.Contains(rubyMixed, name) && (receiver.Kind() == "constant" || receiver.Kind() == "scope_resolution"):
		l.see(n, whyForeign)
	}
	if literal && slices.Contains(rubyNamed, name) {
		l.rubyNames(n, args[0])
		if why := l.rules.modules[of][strings.Trim(args[0].Text(), `:'"`)]; why != "" {
			l.see(n, why) // File.method(:read)
		}
	}
	if name == "alias_method" && len(args) > 1 {
		l.rubyNames(n, args[1])
	}
}

// rubyOpened: a file is opened to read it, as far as its mode says so.
func rubyOpened(args []code.Node) string {
	for i, a := range args {
		if a.Kind() == "pair" {
			if key := field(a, "key").Text(); key != "mode" && key != "flags" {
				continue
			}
			a = field(a, "value")
		} else if i != 1 {
			continue
		}
		text, ok := rubyText(a)
		if mode, _, _ := strings.Cut(text, ":"); ok && !strings.ContainsAny(mode, "wa+") || a.Text() == "File::RDONLY" || a.Text() == "IO::RDONLY" {
			continue
		}
		return whyDisk
	}
	return whyFiles
}

// rubyHandedOn: what is done with a class of the language by another name stands
// elsewhere.
func (l *look) rubyHandedOn(n code.Node) {
	if n.Up() == "scope_resolution" && n.Field() == "name" {
		n = above(n)
	}
	up := above(n)
	switch up.Kind() {
	case "scope_resolution", "superclass", "pattern", "exceptions", "class", "module", "in_clause", "alternative_pattern":
		return
	case "call":
		if n.Field() == "receiver" {
			return
		}
	case "argument_list":
		if slices.Contains(rubyAsks, field(above(up), "method").Text()) {
			return
		}
	case "binary":
		if slices.Contains(rubyAsks, field(up, "operator").Text()) {
			return
		}
	case "element_reference":
		if kids := up.NamedChildren(); len(kids) > 0 && kids[0] == n {
			return // Dir["*"]
		}
	}
	l.see(n, whyObjects)
}

// rubyNames judges a name that is handed over as a symbol or text.
func (l *look) rubyNames(shown, arg code.Node) {
	name := strings.Trim(arg.Text(), `:'"`)
	if slices.Contains(l.rules.equal, name) {
		l.see(shown, whyEqual)
	} else if why := l.rules.names[name]; why != "" {
		l.see(shown, why)
	} else if slices.Contains(rubyOwn, name) {
		l.see(shown, whyForeign)
	} else if slices.Contains(rubyFinds, name) {
		l.see(shown, whyObjects)
	}
}

// rubyMethod: one that was there may change, as long as it still looks at what it is
// compared with.
func (l *look) rubyMethod(n code.Node) {
	if object, ok := n.ChildByField("object"); ok && object.Text() != "self" {
		l.see(n, whyForeign)
		return
	}
	name := field(n, "name").Text()
	if !slices.Contains(l.rules.equal, name) {
		return
	}
	body := field(n, "body").Text()
	if list, ok := n.ChildByField("parameters"); ok && len(list.NamedChildren()) == 1 && strings.Contains(body, list.NamedChildren()[0].Text()+".") && name == "==" {
		l.seeAs("def ==", n, whyEqual)
		return
	}
	l.see(n, whyEqual)
}

// rubyOpens: a class of the language's own, or of the runner's.
func (l *look) rubyOpens(n code.Node) {
	name := strings.TrimPrefix(field(n, "name").Text(), "::")
	first, _, _ := strings.Cut(name, "::")
	_, inner := n.Ancestor("class", "module")
	switch {
	case inner:
	case first == "RSpec" || first == "Minitest" || first == "MiniTest" || strings.HasPrefix(name+"::", "Test::"):
		l.seeAs(n.Kind()+name, n, whyHarness)
	case slices.Contains(rubyCore, first):
		l.seeAs(n.Kind()+name, n, whyForeign)
	}
}
