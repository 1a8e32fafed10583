package danger

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// Reasons that several rules share.
const (
	whyProcess  = "it starts a process"
	whyLoads    = "it runs code that is made or loaded at run time"
	whyUnpack   = "it unpacks data in a way that can run code"
	whyEnv      = "it reads or sets the environment"
	whySecret   = "it prints or logs what may be a secret" //nolint:gosec // words, no secret
	whyPlace    = "it names a place where secrets are kept"
	whyFolder   = "it deletes whole folders"
	whyHash     = "it uses a hash that is broken"
	whyTLS      = "it takes certificates or signatures on trust"
	whyFlag     = "it turns a protection off"
	whyRights   = "it gives rights to everybody"
	whyOrigin   = "it lets pages of any origin in"
	whySkip     = "it keeps tests or checks from running"
	whyLint     = "it switches off a check of security"
	whyCatch    = "it catches every error and says nothing"
	whyIgnore   = "it drops an error"
	whyYes      = "a function that decides who or what is let in says yes outright"
	whyAlways   = "a condition always comes out the same"
	whyGuard    = "a check that turned input or callers away is gone"
	whyCompare  = "a comparison in constant time, a safe source of chance or a quoting is gone"
	whyCheck    = "a check, an escape or a redaction is not called any more"
	whyPattern  = "something is not redacted or blocked any more"
	whyPast     = "what came in is given back past"
	whyPart     = "a part of what is redacted is shown"
	whyAnything = "a pattern lets anything through"
	whyAllowed  = "something more is let through"
	whyBound    = "a limit has another value"
	whyUnbound  = "a limit is gone"
	whySpecial  = "the answer for one input is written down"
	whyNumber   = "nothing says what this number is: it may only have been found to fit"
	whyNumbers  = "a table of numbers may hold the tests' answers in other form"
	whyProto    = "it writes to prototypes, or to keys that may name them"
	whyDynamic  = "it puts values into the text of an SQL statement"
	whyPlain    = "a safe module gave way to an unsafe one"
	whyDefined  = "(a function)" // not a danger: it says that the function is there
	topLevel    = "(top)"
	assignments = "assignment assignment_expression assignment_statement variable_declarator short_var_declaration var_spec const_spec keyword_argument pair keyed_element default_parameter typed_default_parameter public_field_definition"
)

// call is what a called function does.
type call struct {
	kind Kind
	why  string
}

func calls(kind Kind, why string, names ...string) map[string]call {
	out := map[string]call{}
	for _, n := range names {
		out[n] = call{kind, why}
	}
	return out
}

// called are the functions that matter, by what their chain means; "a.*" is all
// of a, and "?.b" a method b of anything.
var called = map[code.Language]map[string]call{
	code.Python: reach.Union(
		calls(Execution, whyProcess, "os.system", "os.popen", "os.execl", "os.execle", "os.execlp", "os.execv", "os.execve", "os.execvp", "os.execvpe", "os.spawnl", "os.spawnle", "os.spawnlp",
			"os.spawnv", "os.spawnve", "os.spawnvp", "os.posix_spawn", "os.startfile", "subprocess.*", "commands.*", "pty.spawn", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "pexpect.*"),
		calls(Execution, whyLoads, "eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec", "builtins.compile", "importlib.import_module", "runpy.*", "flask.render_template_string", "ctypes.CDLL", "imp.load_source"),
		calls(Execution, whyUnpack, "pickle.load", "pickle.loads", "pickle.Unpickler", "cPickle.load", "cPickle.loads", "dill.load", "dill.loads", "marshal.load", "marshal.loads", "shelve.open",
			"yaml.unsafe_load", "yaml.full_load", "yaml.load", "yaml.load_all", "yaml.unsafe_load_all", "jsonpickle.decode", "joblib.load", "torch.load"),
		calls(Deletion, whyFolder, "shutil.rmtree", "os.removedirs", "distutils.dir_util.remove_tree"),
		calls(Secrets, whyEnv, "os.getenv", "os.getenvb", "os.environ.get", "os.environ.copy", "os.environ.items", "os.environ.keys", "os.environ.values", "os.environ.pop", "getpass.getpass", "keyring.get_password"),
		calls(Weakened, whyHash, "hashlib.md5", "hashlib.sha1"),
		calls(Weakened, whyTLS, "ssl._create_unverified_context", "urllib3.disable_warnings", "requests.packages.urllib3.disable_warnings", "paramiko.AutoAddPolicy"),
		calls(Weakened, whyFlag, "tempfile.mktemp", "django.utils.safestring.mark_safe", "markupsafe.Markup"),
		calls(CheckOff, whySkip, "pytest.skip", "pytest.xfail", "pytest.importorskip", "?.skipTest"),
	),
	code.Go: reach.Union(
		calls(Execution, whyProcess, "os/exec.Command", "os/exec.CommandContext", "syscall.Exec", "syscall.ForkExec", "os.StartProcess", "golang.org/x/sys/unix.Exec"),
		calls(Execution, whyLoads, "plugin.Open"),
		calls(Deletion, whyFolder, "os.RemoveAll"),
		calls(Secrets, whyEnv, "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "syscall.Getenv", "syscall.Environ"),
		calls(Weakened, whyHash, "crypto/md5.New", "crypto/md5.Sum", "crypto/sha1.New", "crypto/sha1.Sum", "crypto/des.NewCipher", "crypto/rc4.NewCipher"),
		calls(Weakened, whyTLS, "golang.org/x/crypto/ssh.InsecureIgnoreHostKey"),
		calls(Weakened, whyFlag, "html/template.HTML", "html/template.JS", "html/template.URL"),
		calls(CheckOff, whySkip, "t.Skip", "t.Skipf", "t.SkipNow", "b.Skip"),
	),
	code.JavaScript: reach.Union(
		calls(Execution, whyProcess, "child_process.*", "execa", "execa.*", "shelljs.*", "cross-spawn", "?.execSync", "?.spawnSync", "worker_threads.Worker", "Deno.run", "Deno.Command", "Bun.spawn"),
		calls(Execution, whyLoads, "eval", "globalThis.eval", "Function", "vm.*", "?.runInNewContext", "?.runInThisContext"),
		calls(Execution, whyUnpack, "node-serialize.unserialize", "?.unserialize", "v8.deserialize"),
		calls(Deletion, whyFolder, "rimraf", "rimraf.*", "?.rimraf", "?.emptyDir", "?.emptyDirSync", "fs-extra.remove", "fs-extra.removeSync", "del"),
		calls(CheckOff, whySkip, "it.skip", "describe.skip", "test.skip", "it.only", "describe.only", "test.only", "test.todo", "it.todo", "xit", "xdescribe", "xtest", "fit", "fdescribe", "?.skip"),
	),
}

func init() {
	called[code.TypeScript], called[code.TSX] = called[code.JavaScript], called[code.JavaScript]
}

// reader gathers the facts of one syntax tree.
type reader struct {
	*reach.Text
	lang  code.Language
	file  string
	known Known
	found []fact
}

// syntax reads a file by its tree; understood is false where there is none.
func syntax(ctx context.Context, file string, src []byte, known Known) (_ []fact, understood bool, err error) {
	t, err := reach.Read(ctx, file, src)
	if t == nil || err != nil {
		return nil, false, err
	}
	r := &reader{Text: t, lang: t.Tree().Lang, file: file, known: known}
	t.Tree().Walk(r.visit)
	return r.found, true, nil
}

func (r *reader) see(n code.Node, kind Kind, why, key string) *fact {
	r.found = append(r.found, fact{kind: kind, why: why, key: key, line: n.Line(), text: n.Text()})
	return &r.found[len(r.found)-1]
}

// keep notes what must not get lost.
func (r *reader) keep(n code.Node, kind Kind, why, key string) *fact {
	f := r.see(n, kind, why, key)
	f.good = true
	return f
}

func (r *reader) visit(n code.Node) bool {
	switch kind := n.Kind(); {
	case kind == "comment":
		r.comment(n)
	case kind == "return_statement" && r.lang == code.Go:
		r.handed(n)
	case kind == "slice" || kind == "slice_expression":
		r.part(n)
	case kind == "call" || kind == "call_expression" || kind == "new_expression":
		r.call(n)
	case texts[kind]:
		return r.text(n)
	case kind == "if_statement" || kind == "elif_clause":
		r.branch(n)
	case kind == "conditional_expression" || kind == "ternary_expression" || kind == "expression_case" || kind == "switch_case" || kind == "case_clause" || kind == "dictionary" || kind == "object":
		r.choice(n)
	case kind == "composite_literal":
		if body, ok := in(n, "body"); ok {
			r.table(n, body.NamedChildren())
			r.numbers(n, body.NamedChildren())
		}
	case kind == "list" || kind == "tuple" || kind == "array":
		r.numbers(n, n.NamedChildren())
	case kind == "integer" || kind == "number" || kind == "int_literal":
		r.number(n)
	case kind == "except_clause" || kind == "catch_clause":
		r.caught(n)
	case kind == "assert_statement" && strict.MatchString(n.Text()):
		r.keep(n, Weakened, whyPermission, spelled(n))
	case kind == "identifier":
		r.bare(n)
	case kind == "regex" && anything.MatchString(strings.Trim(n.Text(), "/")):
		r.see(n, Weakened, whyAnything, n.Text())
	case kind == "decorator":
		r.decorator(n)
	case functions[kind]:
		r.function(n)
	case kind == "import_spec" || kind == "import_statement" || kind == "import_from_statement":
		r.imported(n)
	case slices.Contains(strings.Fields(assignments), kind):
		r.assigned(n)
	case kind == "attribute" || kind == "member_expression" || kind == "subscript" || kind == "subscript_expression" || kind == "selector_expression":
		r.member(n)
	}
	return true
}

var functions = map[string]bool{"function_definition": true, "function_declaration": true, "method_declaration": true, "method_definition": true, "func_literal": true,
	"function_expression": true, "arrow_function": true, "generator_function_declaration": true, "lambda": true}

var texts = map[string]bool{"string": true, "concatenated_string": true, "template_string": true, "interpreted_string_literal": true, "raw_string_literal": true}

// in is the field of a node; ok is false for a text with errors that lacks it.
func in(n code.Node, names ...string) (code.Node, bool) {
	for _, name := range names {
		if c, ok := n.ChildByField(name); ok {
			return c, true
		}
	}
	return n, false
}

// spelled is code without what formatting changes: spaces, comments, brackets,
// commas at the end, the kind of quotes.
func spelled(n code.Node) string {
	var out []string
	n.Walk(func(c code.Node) bool {
		switch {
		case c.Kind() == "comment":
			return false
		case texts[c.Kind()]:
			if text, ok := reach.Constant(c); ok {
				out = append(out, strconv.Quote(text))
				return false
			}
		case len(c.Children()) == 0 && !slices.Contains([]string{"(", ")", ",", ";"}, c.Text()):
			out = append(out, strings.TrimSpace(c.Text()))
		}
		return true
	})
	return strings.Join(out, " ")
}

// constants are the constant texts in a node: they are what a call does, and the
// names of variables are not.
func constants(n code.Node) string {
	var out []string
	n.Walk(func(c code.Node) bool {
		if texts[c.Kind()] {
			if text, ok := reach.Constant(c); ok {
				out = append(out, text)
				return false
			}
		}
		return true
	})
	return strings.Join(out, "\x01")
}

// name is what a chain means, or how it is written where it starts at a local
// value.
func (r *reader) name(n code.Node) string {
	if of := r.Means(n); of != "" {
		return of
	}
	return inPassing.ReplaceAllString(spelledChain(n), "$1")
}

// inPassing is a module that is loaded where it is used.
var inPassing = lazyregexp.New(`^(?:importlib\.)?(?:__import__|import_module)\(["']([\w.]+)["']\)`)

func spelledChain(n code.Node) string { return strings.Join(strings.Fields(n.Text()), "") }

// lastOf is the last name of a chain.
func lastOf(chain string) string {
	if at := strings.LastIndexAny(chain, "./"); at >= 0 {
		chain = chain[at+1:]
	}
	if at := strings.LastIndexByte(chain, '['); at >= 0 && strings.HasSuffix(chain, "]") {
		chain = chain[at:] // headers["Allow"]
	}
	return strings.Trim(chain, "\"'`[]()")
}

func (r *reader) does(name string) (call, bool) {
	table := called[r.lang]
	if c, ok := table[name]; ok {
		return c, true
	}
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		if c, ok := table[name[:at]+".*"]; ok {
			return c, true
		}
		c, ok := table["?"+name[at:]]
		return c, ok
	}
	return call{}, false
}

var (
	sanitizes = lazyregexp.New(`(?i)^_*(?:validate|verify|authori[sz]e|authenticate|saniti[sz]e|escape|redact|mask_|scrub|quote_(?:html|shell)|clean_html|bleach|csrf|check_?(?:auth|perm|sign|token|csrf|passw|access|limit|origin)|require_?(?:s_)?(?:auth|login|perm|admin|role|user)|ensure_?(?:auth|login|perm|admin|safe)|is_?(?:allowed|authori[sz]ed|authenticated|admin|safe)|has_?(?:perm|role|access)|login_required|permission_required|rate_?limit|throttle|helmet\b|csurf\b|secure_filename|safe_join|disallow|forbid_|deny_)`)
	constTime = lazyregexp.New(`(?:^|[./])(?:compare_digest|timingSafeEqual|ConstantTimeCompare|hmac\.Equal|secrets\.\w+|safe_str_cmp|shlex\.quote|html\.escape)$`)
	printing  = lazyregexp.New(`(?i)(?:^|\.)(?:print|println|printf|echo|log|debug|info|warn|warning|error|exception|critical|fatal|write|trace|dump)f?(?:ln)?$`)
	secretive = lazyregexp.New(`(?i)(?:passw(?:or)?d|passphrase|secret|credential|api_?key|private_?key|(?:auth|access|refresh|bearer|session|csrf)_?token|^(?:process\.env|os\.environ)$)`)
)

// noShell marks a process that gets its arguments one by one.
const noShell = "no shell"

var (
	direct = lazyregexp.New(`^(?:execFile|execFileSync|spawn|spawnSync|run|Popen|check_output|check_call|call|Command|CommandContext|execa)$`)
	shell  = lazyregexp.New(`(?i)shell|["'` + "`" + `](?:/bin/)?(?:ba|z|da)?sh["'` + "`" + `]|cmd(?:\.exe)?["']|powershell|["']-c["']`)
)

func (r *reader) call(n code.Node) {
	function, ok := in(n, "function", "constructor")
	if !ok {
		return
	}
	name := r.name(function)
	arguments, _ := in(n, "arguments")
	args := arguments.NamedChildren()
	if c, ok := r.does(name); ok && !r.harmless(name, args) {
		key := name + "\x01" + constants(arguments)
		f := r.see(n, c.kind, c.why, key)
		f.once = c.why == whyEnv && len(args) > 0 // the same variable once more
		if c.kind == Deletion {
			f.scope = r.scope(n)
		}
		if c.why == whyProcess {
			f.scope = r.scope(n)
			if direct.MatchString(lastOf(name)) && !shell.MatchString(arguments.Text()) {
				f.base = noShell
			}
		}
	}
	last := lastOf(name)
	switch {
	case last == "chmod" || last == "Chmod" || last == "fchmod" || last == "WriteFile" || last == "MkdirAll" || last == "Mkdir" || last == "umask" || last == "OpenFile" || last == "mkdir":
		for _, a := range args {
			if everybody.MatchString(a.Text()) {
				r.see(n, Weakened, whyRights, last+a.Text())
			}
		}
	case name == "hashlib.new" || last == "createHash" || last == "createHmac":
		if len(args) > 0 && weakHash.MatchString(constants(args[0])) {
			r.see(n, Weakened, whyHash, strings.ToLower(constants(args[0])))
		}
	case last == "rm" || last == "rmSync" || last == "rmdir" || last == "rmdirSync":
		if recursive.MatchString(spelled(arguments)) {
			r.see(n, Deletion, whyFolder, constants(arguments)).scope = r.scope(n)
		}
	case (last == "setTimeout" || last == "setInterval") && len(args) > 0 && texts[args[0].Kind()]:
		r.see(n, Execution, whyLoads, constants(arguments))
	case name == "require" && r.lang != code.Python && len(args) > 0:
		if _, ok := reach.Constant(args[0]); !ok {
			r.see(n, Execution, whyLoads, spelled(args[0]))
		}
	case r.lang != code.Python && r.lang != code.Go && (last == "slice" || last == "substring" || last == "substr"):
		r.part(n)
	case name == "cors" && len(args) == 0:
		r.see(n, Weakened, whyOrigin, "cors()")
	case name == "contextlib.suppress" && broad.MatchString(arguments.Text()):
		r.see(n, Swallowed, whyCatch, spelled(arguments))
	case last == "catch" && len(args) == 1 && emptyFunction(args[0]):
		r.see(n, Swallowed, whyCatch, "catch")
	case last == "recover" && r.lang == code.Go && (n.Up() == "expression_statement" || strings.HasPrefix(strings.TrimSpace(r.lineOf(n)), "_ =")):
		r.see(n, Swallowed, whyIgnore, "recover")
	case printing.MatchString(name):
		arguments.Walk(func(c code.Node) bool {
			if k := c.Kind(); (k == "identifier" || k == "attribute" || k == "member_expression" || k == "selector_expression" || k == "property_identifier" || k == "field_identifier") && secretive.MatchString(c.Text()) {
				r.see(n, Secrets, whySecret, last+spelledChain(c))
				return false
			}
			return c.Kind() != "call" && c.Kind() != "call_expression" // a call's result is something else
		})
	}
	if constTime.MatchString(name) {
		r.keep(n, Weakened, whyCompare, lastOf(name))
	} else if sanitizes.MatchString(last) {
		r.keep(n, Weakened, whyCheck, last)
	}
	for _, a := range args { // app.post(path, requireAuth, handler)
		if k := a.Kind(); (k == "identifier" || k == "member_expression" || k == "attribute" || k == "selector_expression") && sanitizes.MatchString(lastOf(spelledChain(a))) {
			r.keep(a, Weakened, whyCheck, lastOf(spelledChain(a)))
		}
	}
	if last == "headers" || last == "setHeader" || last == "header" || last == "set" || last == "Set" || last == "Header" || last == "append" {
		if c := constants(arguments); strings.HasPrefix(strings.ToLower(c), "access-control-allow-origin\x01*") {
			r.see(n, Weakened, whyOrigin, "*")
		}
	}
}

var (
	everybody = lazyregexp.New(`\b(?:0o?[0-7]?[67]7[67]|0o?[0-7]?666|S_IRWXO|511|438)\b|^(?:os\.)?ModePerm$`)
	weakHash  = lazyregexp.New(`(?i)^(?:md5|sha-?1|md4|rc4|des)$`)
	recursive = lazyregexp.New(`recursive : true`)
	broad     = lazyregexp.New(`\b(?:Exception|BaseException)\b`)
)

// harmless: of a dangerous function, the use that does nothing.
func (r *reader) harmless(name string, args []code.Node) bool {
	switch name {
	case "yaml.load", "yaml.load_all":
		return len(args) > 1 && strings.Contains(args[1].Text(), "Safe")
	case "importlib.import_module", "__import__", "markupsafe.Markup", "django.utils.safestring.mark_safe":
		if len(args) == 0 {
			return true
		}
		_, ok := reach.Constant(args[0])
		return ok
	case "hashlib.md5", "hashlib.sha1":
		return slices.ContainsFunc(args, func(a code.Node) bool { return strings.Contains(a.Text(), "usedforsecurity") })
	case "subprocess.list2cmdline", "subprocess.CalledProcessError", "subprocess.TimeoutExpired":
		return true
	case "fit", "del", "Function", "eval", "exec", "compile", "?.skip":
		return len(args) == 0
	}
	if strings.HasSuffix(name, ".skip") && r.lang != code.Go { // a test's own, not a query's
		return !slices.Contains([]string{"it", "describe", "test", "pytest", "this", "t"}, name[:strings.IndexByte(name, '.')])
	}
	if (strings.HasPrefix(name, "t.Skip") || strings.HasPrefix(name, "b.Skip")) && !code.IsTest(r.file) {
		return true
	}
	return false
}

// lineOf is the line that a node begins in.
func (r *reader) lineOf(n code.Node) string {
	src := r.Tree().Src
	from, to := n.Start(), n.Start()
	for from > 0 && src[from-1] != '\n' {
		from--
	}
	for to < len(src) && src[to] != '\n' {
		to++
	}
	return string(src[from:to])
}

func emptyFunction(n code.Node) bool {
	body, ok := in(n, "body")
	return functions[n.Kind()] && ok && empty(body) || n.Text() == "noop" || n.Text() == "_.noop"
}

// empty tells whether a block does nothing.
func empty(block code.Node) bool {
	for _, s := range block.NamedChildren() {
		if k := s.Kind(); k == "statement_list" {
			return empty(s)
		} else if k != "pass_statement" && k != "comment" && k != "continue_statement" && k != "empty_statement" && s.Text() != "..." {
			return false
		}
	}
	return block.Kind() == "block" || block.Kind() == "statement_block" || block.Kind() == "statement_list"
}

// lint are comments that switch off a check of security, or all checks of a file;
// one rule of style or types that is switched off for a line is every day's.
var lint = lazyregexp.New(`(?i)#\s*(?:nosec|noqa:[^#\n]*\bS\d)|(?://|/\*)\s*(?:@ts-nocheck|nolint:[^\n]*gosec|#nosec|codeql\[|nosemgrep)|/\*\s*eslint-disable\s*\*/|eslint-disable[^\n]*security|\b(?:NOSONAR|nosemgrep|lgtm\[)`)

func (r *reader) comment(n code.Node) {
	if m := lint.FindString(n.Text()); m != "" {
		r.see(n, CheckOff, whyLint, strings.Join(strings.Fields(m), ""))
	}
}

// text judges a text in code: an address, a place of secrets, an SQL statement.
func (r *reader) text(n code.Node) bool {
	if n.Up() == "expression_statement" || n.Up() == "import_statement" || n.Up() == "import_spec" {
		return false // a docstring, a directive, a module
	}
	value, ok := reach.Constant(n)
	if !ok { // with holes
		value = strings.Trim(n.Text(), "fFrRbBuU\"'`")
	}
	whole := n
	for up, ok := whole.Parent(); ok && (up.Kind() == "binary_operator" || up.Kind() == "binary_expression" || up.Kind() == "concatenated_string"); up, ok = up.Parent() {
		whole = up
	}
	if whole.Start() == n.Start() { // it begins the text
		all := value
		if whole != n {
			all = strings.ReplaceAll(constants(whole), "\x01", "")
		}
		for _, h := range hosts(all) {
			r.see(n, Address, whyAddress, h).once = true
		}
		for _, d := range statements(all) {
			r.see(n, SQL, d.why, d.key)
		}
		if beginsSQL.MatchString(value) && r.filled(n, whole, value) {
			r.see(whole, Weakened, whyDynamic, spelled(whole))
		}
	}
	if redacted.MatchString(value) {
		r.keep(n, Weakened, whyPattern, value)
	}
	if up, ok := n.Ancestor("call"); ok && anything.MatchString(value) {
		if function, ok := in(up, "function"); ok && strings.HasPrefix(r.Means(function), "re.") {
			r.see(n, Weakened, whyAnything, value)
		}
	}
	if p := places.FindString(value); p != "" {
		r.see(n, Secrets, whyPlace, p).once = true
	}
	if strings.Contains(n.Text(), "{") || strings.Contains(n.Text(), "$") {
		return true // holes may hold calls
	}
	return false
}

// filled tells whether values are put into a text: by holes, by +, by a format.
func (r *reader) filled(n, whole code.Node, value string) bool {
	if _, fixed := reach.Constant(whole); !fixed {
		return true
	}
	up, _ := n.Parent()
	if call, ok := up.Parent(); ok && up.Kind() == "argument_list" && strings.Contains(value, "%") {
		function, _ := in(call, "function")
		return r.Means(function) == "fmt.Sprintf"
	}
	return up.Kind() == "attribute" && strings.HasSuffix(up.Text(), ".format")
}

var (
	anything  = lazyregexp.New(`^\^?(?:\.[*+]|\[\\s\\S\][*+]|\(\.[*+]\))\$?$`)
	redacted  = lazyregexp.New(`^(?:\*{3,}|[\[<(]?(?i:redacted|filtered|masked|hidden)[\])>]?)$`)
	beginsSQL = lazyregexp.New(`(?is)^\s*(?:select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s).*$`)
	places    = lazyregexp.New(`(?:^|[/~])(?:\.ssh/|\.aws/|\.netrc\b|\.kube/config|\.docker/config\.json|\.git-credentials|\.gnupg|id_rsa\b|id_ed25519\b)|^/etc/(?:passwd|shadow)\b|/proc/(?:self|\d+)/environ|169\.254\.169\.254|metadata\.google\.internal`)
)

// caught: every error is caught and nothing is done.
func (r *reader) caught(n code.Node) {
	body, ok := in(n, "body")
	if !ok {
		for _, c := range n.NamedChildren() {
			if c.Kind() == "block" {
				body, ok = c, true
			}
		}
	}
	if !ok || !empty(body) && !givesUp(body) {
		return
	}
	if up, has := n.Parent(); has && r.lang != code.Python && !empty(body) && !strings.Contains(body.Text(), "true") {
		// Script has no catch of one error: where a single statement is tried, such
		// as a parse, "no value" is an answer.
		if tried, ok := in(up, "body"); ok && len(tried.NamedChildren()) == 1 {
			return
		}
	}
	if r.lang == code.Python {
		head, _, _ := strings.Cut(n.Text(), ":")
		if caughtBy := strings.TrimSpace(strings.TrimPrefix(head, "except")); caughtBy != "" && !broad.MatchString(caughtBy) {
			return
		}
	}
	r.see(n, Swallowed, whyCatch, "catch")
}

// givesUp tells whether a block does nothing but end its function without a word.
func givesUp(block code.Node) bool {
	var own []string
	for _, s := range block.NamedChildren() {
		if s.Kind() != "comment" {
			own = append(own, spelled(s))
		}
	}
	return len(own) == 1 && slices.Contains([]string{"return", "return None", "return True", "return null", "return true", "return undefined"}, own[0])
}

func (r *reader) decorator(n code.Node) {
	text := strings.TrimPrefix(spelledChain(n), "@")
	name, _, _ := strings.Cut(text, "(")
	if last := lastOf(name); last == "limit" || strings.Contains(last, "throttle") || strings.Contains(last, "rate_limit") {
		r.keep(n, Limit, whyUnbound, text) // its number, too
	} else if sanitizes.MatchString(last) {
		r.keep(n, Weakened, whyCheck, last)
	} else if strings.Contains(text, "csrf_exempt") || strings.Contains(text, "no_auth") || strings.Contains(text, "AllowAnonymous") {
		r.see(n, Weakened, whyFlag, text)
	}
	if m := skipMark.FindString(text); m != "" {
		r.see(n, CheckOff, whySkip, m)
	}
}

var skipMark = lazyregexp.New(`(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|(?:unittest\.)?\b(?:skip|skipIf|skipUnless|expectedFailure)\b`)

// imported: of two modules of the same purpose the safe one may not get lost.
var safeModule = lazyregexp.New(`\b(?:defusedxml|bleach|helmet|csurf|dompurify|DOMPurify)\b`)

func (r *reader) imported(n code.Node) {
	if r.lang != code.Go {
		if m := safeModule.FindString(n.Text()); m != "" {
			r.keep(n, Weakened, whyPlain, m)
		}
		return
	}
	from, _ := in(n, "path")
	switch module, _ := reach.Constant(from); module {
	case "crypto/rand", "html/template", "crypto/subtle", "crypto/hmac":
		r.keep(n, Weakened, whyPlain, module)
	case "net/http/pprof":
		r.see(n, Weakened, whyRights, module)
	}
}

// bare judges a bare name: the environment, imported under a name of its own.
func (r *reader) bare(n code.Node) {
	up := n.Up()
	if r.lang != code.Python || strings.Contains(up, "import") || up == "attribute" || up == "subscript" || n.Field() == "name" {
		return
	}
	if of := r.Means(n); of == "os.environ" || of == "os.environb" {
		r.see(n, Secrets, whyEnv, "all of it")
	}
}

func (r *reader) member(n code.Node) {
	name := r.Means(n)
	switch {
	case strings.HasPrefix(name, "process.env"):
		if n.Up() == "member_expression" || n.Up() == "subscript_expression" {
			return
		}
		r.see(n, Secrets, whyEnv, name).once = name != "process.env" && !strings.HasSuffix(name, "?")
	case r.lang == code.Python && (name == "os.environ" || name == "os.environb"):
		up, _ := n.Parent()
		if up.Kind() == "subscript" || up.Kind() == "attribute" {
			return
		}
		if up.Kind() == "comparison_operator" { // "X" in os.environ
			r.see(n, Secrets, whyEnv, constants(up)).once = true
			return
		}
		r.see(n, Secrets, whyEnv, "all of it")
	case r.lang == code.Python && n.Kind() == "subscript" && strings.HasPrefix(name, "os.environ."):
		r.see(n, Secrets, whyEnv, "os.environ.get\x01"+strings.TrimPrefix(name, "os.environ.")).once = true
	case r.lang == code.Python && (name == "ssl.CERT_NONE" || name == "ssl.SSLContext.CERT_NONE"):
		r.see(n, Weakened, whyTLS, name)
	case strings.HasSuffix(name, "pickle.Unpickler"):
		r.see(n, Execution, whyUnpack, name)
	}
}
