package danger

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// flag is a setting that takes a protection off.
type flag struct {
	name, value *lazyregexp.Regexp
	kind        Kind
	why         string
}

var no, yes = lazyregexp.New(`^(?i:false|none|nil|null|0|"(?:no|off|false|none)")$`), lazyregexp.New(`^(?i:true|1|"(?:yes|on|true)")$`)

var flags = []flag{
	{lazyregexp.New(`(?i)^(?:verify|verify_?ssl|ssl_?verify|verify_?(?:certs?|tls|peer|host|hostname)|check_?hostname|strict_?ssl|reject_?unauthorized|validate_?certs?|use_?tls|use_?ssl|NODE_TLS_REJECT_UNAUTHORIZED)$`), no, Weakened, whyTLS},
	{lazyregexp.New(`(?i)^(?:verify_(?:signature|exp|aud|iss|jwt)\w*|signature_?required|require_?(?:auth\w*|login|https?|signature|tls))$`), no, Weakened, whyFlag},
	{lazyregexp.New(`(?i)^(?:(?:wtf_)?csrf(?:_?(?:enabled|protection|check_default))?|auto_?escape|http_?only|(?:session_cookie_|cookie_)(?:secure|httponly)|context_?isolation|web_?security|sanitize|escape_?html|permissions?_?required|auth_?required|login_?required|rate_?limit\w*)$`), no, Weakened, whyFlag},
	{lazyregexp.New(`(?i)^(?:insecure_?skip_?verify|insecure|skip_?(?:auth\w*|verif\w*|tls\w*|ssl\w*|signature\w*|csrf\w*|permission\w*)|ignore_?(?:expiration|https_errors|ssl_errors|cert\w*)|disable_?(?:auth\w*|csrf\w*|ssl\w*|tls\w*|security\w*|host_key\w*)|allow_?(?:anonymous|all_?origins|any_origin|pickle|unsafe\w*|invalid_cert\w*)|allow_all|trust_?all\w*|trust_?proxy|bypass_?\w+|node_?integration|cors_?(?:allow_all_origins|origin_allow_all))$`), yes, Weakened, whyFlag},
	{lazyregexp.New(`(?i)^(?:debug|debug_mode)$`), yes, Weakened, "it turns debugging on"},
	{lazyregexp.New(`^shell$`), yes, Execution, "it hands a command to a shell"},
	{lazyregexp.New(`(?i)^(?:origins?|allow(?:ed)?_?origins?|access-control-allow-origin|allowed_?hosts|cors_?(?:allowed_)?origins?)$`), lazyregexp.New(`^(?:\[ )?"\*"(?: \])?$`), Weakened, whyOrigin},
	{lazyregexp.New(`(?i)^access-control-allow-origin$`), lazyregexp.New(`(?i)origin`), Weakened, whyOrigin},
	{lazyregexp.New(`(?i)^same_?site$`), lazyregexp.New(`(?i)^"none"$|^None$`), Weakened, whyFlag},
	{lazyregexp.New(`(?i)^(?:cert_?reqs|verify_?mode)$`), lazyregexp.New(`CERT_NONE$|"CERT_NONE"`), Weakened, whyTLS},
	{lazyregexp.New(`(?i)^algorithms?$`), lazyregexp.New(`(?i)"none"`), Weakened, whyTLS},
	{lazyregexp.New(`(?i)^algorithms?$|digest|hash_?(?:name|func|method)?$`), lazyregexp.New(`(?i)^(?:\[ )?"(?:md5|sha-?1)"`), Weakened, whyHash},
	{lazyregexp.New(`(?i)^(?:min_?version|minimum_version)$`), lazyregexp.New(`(?:TLSv?1_?[01]|VersionTLS1[01]|VersionSSL30|TLSv1)(?:"|$)`), Weakened, whyTLS},
	{lazyregexp.New(`(?i)^(?:inner_?html|outer_?html|dangerouslysetinnerhtml)$`), lazyregexp.New(`[A-Za-z_$]`), Weakened, "it writes text into a page unescaped"},
	{lazyregexp.New(`^(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)$`), lazyregexp.New(`^"0"$`), Weakened, whyTLS},
}

var (
	limitName  = lazyregexp.New(`(?i)(?:^|_)(?:max|min|maximum|minimum|limit|limits|timeout|deadline|rate|ttl|expir\w*|max_?age|quota|throttle|retries|attempts|iterations|rounds|lifetime)(?:_|$)`)
	number     = lazyregexp.New(`^(?:- )?[\d_.]+(?:[eE]\d+)?[LlnN]?$|^(?:- )?[\d_.]+(?: [*+-]|<<|\*\*) .*\d$`)
	unlimited  = lazyregexp.New(`(?i)^(?:None|null|nil|undefined|Infinity|math \. (?:inf|MaxInt\w*)|float "inf"|Number \. MAX\w+|sys \. maxsize)$`)
	secretName = lazyregexp.New(`(?i)^(?:\w*_)?(?:passw(?:or)?d|passphrase|secret(?:_?key)?|api_?key|(?:auth|access|refresh|api)_?token|private_?key|client_?secret)$`)
	blocks     = lazyregexp.New(`(?i)redact|mask|scrub|sensitive|secret|block_?list|deny|denied|black_?list|forbidden|banned|dangerous|disallow|reserved|unsafe|protected`)
	admits     = lazyregexp.New(`(?i)(?:^|_)(?:allow(?:ed)?|allow_?list|white_?list|trusted|permitted|exempt|skip_?auth|no_auth|admins?|superusers?)(?:_|$)`)
	duration   = lazyregexp.New(`^[\d_.]+ \* time \. \w+$|^time \. \w+ \* [\d_.]+$|^time \. \w+$`)
)

// assigned judges that something gets a value: a variable, a member, an argument
// by name, an entry.
func (r *reader) assigned(n code.Node) {
	left, ok := in(n, "left", "name", "key")
	right, has := in(n, "right", "value")
	if n.Kind() == "keyed_element" {
		kids := n.NamedChildren()
		if len(kids) != 2 {
			return
		}
		left, right, ok, has = kids[0], kids[1], true, true
	}
	if !ok || !has || left == right {
		return
	}
	name, value := lastOf(spelledChain(left)), spelled(right)
	if r.lang == code.Go && name == "_" && (value == "err" || value == "recover" || strings.HasSuffix(value, "Err")) {
		r.see(n, Swallowed, whyIgnore, value)
	}
	if r.lang != code.Go && right.Kind() == "string" && strings.HasPrefix(value, `"Access-Control`) {
		return
	}
	for _, f := range flags {
		if f.name.MatchString(name) && f.value.MatchString(value) {
			r.see(n, f.kind, f.why, name+value)
			break
		}
	}
	if secretName.MatchString(snakeCase(name)) {
		if text, ok := reach.Constant(right); ok && credential(text) {
			r.see(n, Credential, "it writes a secret into the code", name+text).text = name + " = …"
		}
	}
	r.pollutes(n, left, right)
	r.listed(n, name, right)
	if snake := snakeCase(name); limitName.MatchString(snake) && !strings.Contains(snake, "ver") && (number.MatchString(value) || duration.MatchString(value) || unlimited.MatchString(value)) && n.Kind() != "default_parameter" {
		r.see(n, Limit, whyBound, name+"="+strings.ReplaceAll(value, "_", "")).base = r.scope(n) + name
		if !unlimited.MatchString(value) {
			f := r.keep(n, Limit, whyUnbound, name)
			f.scope = r.scope(n)
		}
	}
}

// listed: what is blocked by a list may not get lost, what is let in by one is
// told when it is new.
func (r *reader) listed(n code.Node, name string, right code.Node) {
	block, admit := blocks.MatchString(name), admits.MatchString(snakeCase(name))
	if !block && !admit || !slices.Contains([]string{"assignment", "variable_declarator", "pair", "keyword_argument", "assignment_expression", "var_spec", "short_var_declaration", "keyed_element", "public_field_definition", "const_spec", "assignment_statement"}, n.Kind()) {
		return
	}
	right.Walk(func(c code.Node) bool {
		if k := c.Kind(); k == "regex" || texts[k] {
			text, ok := reach.Constant(c)
			if !ok {
				text = c.Text()
			}
			if block {
				r.keep(c, Weakened, whyPattern, text)
			} else if c.Up() != "call_expression" && text != "" {
				r.see(c, Weakened, whyAllowed, name+text)
			}
			return false
		}
		return !functions[c.Kind()]
	})
}

// pollutes: keys that come from outside may be __proto__.
func (r *reader) pollutes(n, left, right code.Node) {
	if r.lang == code.Python || r.lang == code.Go {
		return
	}
	text := spelledChain(left)
	if protoWrite.MatchString(text) {
		r.see(n, Pollution, whyProto, text)
		return
	}
	if left.Kind() != "subscript_expression" {
		return
	}
	index, ok := in(left, "index")
	if !ok || index.Kind() != "identifier" {
		return
	}
	key := ""
	if loop, ok := n.Ancestor("for_in_statement"); ok {
		left, _ := in(loop, "left")
		key = left.Text()
	}
	function, ok := n.Ancestor("function_declaration", "function_expression", "arrow_function", "method_definition")
	if !ok {
		function = n.Tree().Root()
	}
	if p, ok := in(function, "parameter", "parameters"); ok && key == "" && strings.Contains(function.Up(), "arguments") {
		key = strings.Trim(p.Text(), "()") // keys.forEach((k) => ...)
		if outer, ok := function.Ancestor("function_declaration", "function_expression", "arrow_function", "method_definition"); ok {
			function = outer
		}
	}
	if key != index.Text() || !strings.Contains(right.Text(), "["+index.Text()+"]") {
		return
	}
	if around := function.Text(); strings.Contains(around, "__proto__") || strings.Contains(around, "hasOwn") || strings.Contains(around, "Object.create(null)") {
		return
	}
	object, _ := in(left, "object")
	r.see(n, Pollution, whyProto, object.Text()+right.Text())
}

var protoWrite = lazyregexp.New(`\.__proto__\b|\[["']__proto__["']\]|\.constructor\.prototype\b|^(?:Object|Array|String|Function|Number|Boolean|RegExp|Promise|Map|Set|Date)\.prototype\b`)

// credential tells a secret from a placeholder.
func credential(text string) bool {
	lower := strings.ToLower(text)
	for _, p := range []string{"example", "placeholder", "change", "password", "passwd", "your", "xxx", "***", "${", "$(", "%s", "{}", "secret", "test", "dummy", "fake", "<", "token", "key", "http", "/"} {
		if strings.Contains(lower, p) {
			return false
		}
	}
	return len(text) >= 8 && !strings.ContainsAny(text, " \t\n") && strings.ContainsAny(text, "0123456789") && strings.ContainsAny(lower, "abcdefghijklmnopqrstuvwxyz")
}
