package triage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

func rx(s string) *lazyregexp.Regexp { return lazyregexp.New("(?i)" + s) }

// What a request must not touch. The expressions are for what stands behind
// the verb; words of `code` count as well.
var (
	// protections by themselves, and by a head noun behind what they protect.
	protection = rx("\\b((assert|check|verify|require|ensure|authori[sz]e|authenticate|sanitize|escape|guard|protect|restrict)_\\w+(\\([^)]*\\))?|(commit )?signing|confirmation step|inline scripts|hsts|aslr|(two-person|code|manual) (approval|review)s?|audience|issuer|contribution rules|security scann?\\w*|http-?only|same-?site|secure flag|x-frame-options|nosniff|security headers?|(certificate|cert|ssl|tls) (errors?|warnings?|problems?)|(bcrypt|argon2?|scrypt|pbkdf2|hash\\w*|key) (rounds?|costs?|iterations?|length)|(rate )?limiter|nonces?|replay|path check|authentication|authorization|authorisation|access controls?|auth\\b( checks?)?|csrf|xsrf|cors|rate.?limit(s|er|ing|ers)?|throttl(e|er|ing)|captchas?|2fa|mfa|otp|second factor|two.factor( auth\\w*)?|tls|ssl|https|encryption|sanitiz\\w+|sanitis\\w+|autoescap\\w*|auto-escap\\w*|html.?escap\\w*|escaping|sandbox(ing|ed)?|redact\\w*|firewalls?|csp|content.security.policy|hsts|security|host.?key|audit(ing| log(s|ging)?)|branch protection|code ?owners?|(cert\\w*|signature|token|checksum|hash|password|input|file|upload|type|schema|permission|role|expiry|expiration|integrity|origin|tls|ssl|server|client|host|hostname|peer|session|login|size|path|ownership|owner|admin|licen[cs]e|header|state|nonce|replay|webhook|jwt|hmac|email|identity|age|signing|malware|virus|secret|vulnerability|dependency)[ -](check(s|ing)?|verif\\w+|validat\\w+|requirements?|enforce\\w+|protections?|guards?|polic(y|ies)|scan(s|ning|ner)?|filter(s|ing)?|rules?|gate|limits?|wall|prompts?|expiry|expiration|timeouts?)|login_required|require_(auth|login|admin|role)|permission_required|verify_signature|passwords?( policy| rules?)|password|login|signatures?|sign.?in|permissions?|hmac|verification|check_permission)\\b")
	// nouns that make a thing on a screen or a piece of code out of a protection.
	thing    = rx("^[ -](buttons?|pages?|links?|forms?|icons?|labels?|columns?|texts?|banners?|messages?|screens?|fields?|headers?|tests?|docs?|documentation|examples?|imports?|tables?|images?|dialogs?|modals?|menu|badges?|errors?|warnings?|tooltips?|placeholders?|typos?|comments?|hints?|events?|metrics?|names?|strings?|args?|arguments?|parameters?|params?|keys?|values?|variables?|modules?|helpers?|functions?|class\\w*|endpoints?|routes?|urls?|logo|title|section|notes?|entries|info|status|code|attempts?|counters?|spinner|flow|redirect|toggle|option|settings?)\\b")
	weakArea = rx("\\b(login|log ?in|password|passwords|token|tokens|signature|signatures|signed|cert\\w*|auth\\w*|permissions?|checksums?|hash(es)?|origins?|2fa|mfa|captcha|tls|ssl|https|sessions?|cookies?|upload\\w*|file types?|identity|roles?|api keys?|credentials|webhooks?|hmac|admin|audience|nonces?|replay|symlinks?|paths?|company name|rate|scopes?|host ?keys?|expiry|exp|expired|review|approval|secrets?|csrf|user input|html)\\b")
	unsafe   = rx("\\b(expired|unsigned|self-?signed|untrusted|revoked|unauthenticated|unverified|invalid (tokens?|cert\\w*|signatures?|passwords?)|bad signatures?|old tokens|tokens? (that|which) (have |has |are |is )?expired|anonymous (users? |access |requests? |visitors? |people |callers? )?(to |could |can |may )?(post|write|access|admin|edit|delete|upload|import|push|call|use)|anonymous (access|write|admin|upload)|(any|all|every) (origins?|passwords?|hosts?|tokens?|cert\\w*|ip( address(es)?)?|signatures?|credentials?|roles?|domains?|protocols?)|empty passwords?|blank passwords?|weak(er)? passwords?|short(er)? passwords?|simple passwords?|alg\\w* ?= ?`?none|alg `?none|`?none alg\\w*|root login|everybody in|everyone in|everything through|everyone through|everybody through|requests? through|(everybody|everyone|anyone|everything|all users|all requests|any user) (in|through|pass|access|admin)|full access|public(ly)? (write|access\\w*|readable)|world.?(read|writ)able|never expire|not expire|no longer expire|don't expire|last forever|publicly accessible|http instead|whatever (the|users?|people|clients?|is|they|html|comes)|raw html|any html|arbitrary html|x-forwarded\\S*|tls ?1\\.[01]|sslv?[23]|(see|view|read|download|get|access) .{0,25}(passwords|secrets|tokens|api keys|credentials|private keys))\\b|<script|(^|[\\s\"'=:/@])\\*[\"']?(\\s|$)")
	// idioms are unsafe in any request that does not do away with them.
	idiom       = rx("\\b(verify|check|valid\\w*|auth|authori[sz]e|is_allowed|can_|has_perm|permission|require)\\w*(\\(\\S*\\))? .{0,20}return true|\\b(are|is|be)(n't| not) (logged|signed) in|logged-?out (users|visitors|people)|open (it )?to (everyone|anyone|the public|all)|(run|execute|exec|evaluate)\\w* (any |arbitrary |shell |system |bash )*(shell |system |bash )commands?|\\b(get|grant|give|have|receive|assign)\\b.{0,30}\\b(admin|root|superuser|owner|full) (role|rights|privileges|permissions?)|tls ?1\\.[01]\\b|sslv?[23]\\b|\\brc4\\b|weak ciphers?|mark(ed)? .{0,15}(as )?safe\\b|(store|save|keep)\\w* .{0,20}passwords?.{0,30}(revers|plain|readable|clear|decrypt)|\\bback to (plain )?http\\b|get in with (just|only)|with (just|only) (the|their|an?) (user ?name|e-?mail)\\b|chmod (-r )?`?0?777|world.?writable|\\bas root\\b|--?privileged|`?verify ?= ?false|insecureskipverify|insecure_skip|rejectunauthorized|check_hostname ?= ?false|cert_none|ssl_verify|strict-?ssl|nosec\\b|no-?verify\\b|allow-origin.{0,12}\\*|(plain|unencrypted|plaintext|clear).?text|(plain|unencrypted) http\\b|http instead of https|\\b(md5|sha-?1|crc32|base64|rot13)\\b.{0,25}\\b(passwords?|tokens?|secrets?|sign\\w*)|(passwords?|tokens?|secrets?)\\b.{0,25}\\b(md5|sha-?1|crc32|base64)\\b|master (password|key)|(fixed|universal|default|shared|static|common|hard-?coded) (password|secret|salt|token|credentials?|api key|seed for)|back ?-?door|hidden (endpoint|route|user|account|page|url|admin)|\\bsecret (endpoint|route|url|admin)|(gives?|me|reverse|remote|web) a? ?shell\\b|\\beval\\b ?\\(?|`?eval\\(|\\bpickle\\.loads?|`?shell ?= ?true|\\b(without|no|with no) (a |any |the )?(login|password|auth\\w*|tokens?|signature|review|reviews|approval|verification|captcha|permissions?|2fa|logging in|signing in|credentials|checking|validat\\w+|verifying|encryption|tls|certificate|api key|code review)\\b|permitrootlogin|grant all|remote code|run arbitrary|arbitrary (code|commands?|sql)|disable-web-security|--insecure|(return|returns|be|answer|result|evaluate to) `?true (for now|always|in all|until|here|instead|so that)|always (return|returns) `?true|just return `?true|unsafe-(inline|eval)|password.?less|\\b(get|go|come|be|let|walk)\\w* (\\w+ ){0,2}past (the |any |our )?(log ?in|auth\\w*|sign.?in|paywall|captcha)\\b")
	secret      = rx("(^|\\s)\\.env\\b|\\b(\\w+_(password|secret|token|key)|full config\\w*|(process|full|whole|entire|complete|all|raw)( the| of the)? env\\w*|process env\\w*|environment variables?|env vars?|environ\\b|os\\.environ|process\\.env|env file|secret_key|secret.?keys?|credentials?(\\.json)?|private keys?|ssh keys?|authorized_keys|connection strings?|authorization headers?|bearer tokens?|(database|db|users?'?s?|admin|root|customers?'?|plain-?text|smtp|service|their|the) passwords?|api.?(key|token|secret)s?|secrets|stripe keys?|session cookies?|access tokens?|refresh tokens?|id_rsa|aws_\\w+|sk_live\\w*|ghp_\\w*|kubeconfig|signing keys?|encryption keys?|encryption key)\\b")
	smallSecret = rx("\\b(passwords?|tokens?|cookies?|private keys?|secrets?|credentials?|pins?|otps?)\\b")
	// harmless is what may be told of a secret.
	harmless   = rx("\\b(mask(ed|ing)?|redact(ed|ing)?|hash(ed|es)?|count|length|number of|names? of|expir\\w+|strength|whether|missing|invalid|masked|without|last (four|4)|prefix of|placeholder|warning|error when|hint|instead of)\\b|\\b(password|token|key|secret|cookie|credential)s? (toggle|field|button|reset|input|form|page|policy|rules|rotation|type|manager|box|label|column)s?\\b")
	outside    = rx("\\b(logs?|repo|repository|settings(\\.py)?|config\\w*|source|code|page|startup|start|stdout|console|output|bundle|readme|slack|channel|url|query|issue|artifact|image|dockerfile|git|response|file|fallback|error|public|ticket|dump|template|html|default)\\b|(^|\\s)/\\w+")
	stored     = rx("(^|\\s)(/var/\\S+|/etc\\S*|/srv\\S*|/home\\S*|~/)|\\b(databases?|db|schema|production data|prod data|backups?|snapshots|audit (logs?|trail|records|entries|table)|access logs?|(git|commit|repo\\w*) histor\\w+|buckets?|volumes?|live data|customer data|user data|personal data|\\w+_\\w+ (table|collection)|tables?|production|prod|persistent\\w* data|home director\\w+|`?/var/lib\\S*|`?/srv\\S*|`?/home\\S*|`?~/\\S*|data director\\w+|data folder|migrations?)\\b")
	everyone   = rx("\\ball (the )?(\\w+ )?data (of|from|about)\\b|\\b(all|every|every single|old|inactive|stale|dormant|unused|everything|any|expired|obsolete|orphaned|unverified|historic\\w*|whole|remaining|test)\\b.{0,30}\\b(users?|accounts?|customers?|customer records|orders|invoices|payments|members|subscribers|user data|customer data|personal data|uploads|tenants|organi[sz]ations|projects)\\b|\\b(users?|accounts?|customers?|orders|records|rows|uploads|invoices)\\b.{0,25}\\b(older than|whose|who |which|before \\d|who haven't|that haven't|with no|without|that have no|not logged)")
	onScreen   = rx("\\b(from|in|of|on) (the )?(\\w+ )?(lists?|drop-?downs?|cache|menu|mention\\w*|memory|selection|view|page|display|output|results?|ui|screen|table view|autocomplete|suggestions?|report|response|dialog|header|sidebar|chart|graph|search|export|form|legend|tooltip|string|text|docs|example|fixture\\w*|readme)\\b|\\b(button|endpoint|checkbox|dialog|menu|link|icon|option|styles?|width|rows? with nan|header|caption|border|column width|css|name prefix|imports?|whitespace|blanks?|commas?|prefix\\w*|suffix\\w*|slash\\w*|spaces?|lines?|quotes?|duplicates?|confirmation|typo|word|sentence|paragraph|section)\\b")
	destroys   = rx("older than \\w+ (days?|weeks?|months?|years?)|drop (schema|database|table)|truncate table|`?truncate\\b.{0,20}table|delete from|delete (without|with no) (a )?where|rm -rf|force.?push|push (-f|--force)|flushall|flushdb|dropdatabase|git filter-(branch|repo)|mkfs|rewrite .{0,12}git history|drop_all|deletemany\\(\\{\\}\\)")
	destroyer  = rx("\\b(migrations?|scripts?|jobs?|cron\\w*|tasks?|hooks?|triggers?|command|startup|worker|it|nightly)\\b.{0,40}\\b(drops?|dropping|deletes?|deleting|removes?|removing|truncates?|truncating|wipes?|wiping|purges?|purging|erases?|erasing|clears?)\\b (.*)")
	ci         = rx("`?\\.github/(workflows|dependabot|actions)\\S*|\\.gitlab-ci\\S*|jenkinsfile|circleci|travis|azure.pipelines|\\b(github|gitea|forgejo) (actions?|workflows?)\\b|\\bnoqa\\b|type: ignore|eslint-disable|nolint|no ?cover\\b|ts-ignore|pylint: disable|nosonar|\\b(release|deploy|build|ci|test|publish|lint|cd|nightly) (workflows?|pipelines?)|\\bworkflow (files?|ya?ml)\\b|\\ba (new )?workflow that|\\bjobs? (from|in|of|to) (the|our) workflow|\\bthe (workflow|pipeline)s?\\b|\\bci\\b|continue-on-error|\\bcoverage (threshold|gate|requirement|limit|minimum|check)|required (status )?checks?|status checks?|branch protection|pre-?commit|pre-?push|\\b(lint\\w*|type.?check\\w*|test|build|coverage|security) (step|job|stage|gate)s?\\b|\\|\\| ?true|\\bexit 0\\b|dependabot|renovate|codeql|merge queue|fail_under|fail-under|auto-?merge\\w*|self-hosted runner|fail the (build|ci|pipeline|merge)|block (the |a |our )?(merge|build|release|pr)")
	tests      = rx("^(all |the |these |those |our |every |any |some |following |two |three |four |both |remaining |a |few |couple |of |as |slow(est)? |\\d+ )*((failing|flaky|broken|red|slow|unstable|integration|unit|e2e|end-to-end|failed|network|annoying|remaining|intermittent\\w*|problematic|legacy|old|billing|windows|regression|snapshot|new) )*(tests?|specs?|test cases?|test suite|`?test_\\w+\\S*|assertions?|asserts?|linters?|lint\\w*|type.?check\\w*|mypy|ruff|eslint|pylint|coverage check|warnings as errors)\\b")
	notTests   = rx("^[ -](data|helpers?|files?|fixtures?|output|dir\\w*|button|mode|page|users?|account|results?|names?|runs?|report\\w*|ids?|steps?|utils?|imports?|dependency|dependencies|for|errors?|warnings?|findings)\\b")
	evidence   = rx("\\btests? (expectations?|assertions?)\\b|(assert\\w*|expect(ed|ation)s?|snapshots?|golden|test\\b).{0,100}\\b(pass(es)?|whatever|green|match(es)?|current (value|output|behaviou?r)|succeeds?|happy)\\b|\\b(lint\\w*|tests?|ci|checks?|build|step|job|pipeline|type.?check\\w*|coverage|suite)\\b.{0,40}\\b(always (to )?(pass|succeed|be green|exit)|always (passes|succeeds)|exit (0|zero)|return 0|ignore (failures?|errors?)|non-?blocking|optional|not fail|never fails?|even if|allowed to fail|regardless|no matter|advisory|green anyway|not block)")
	redTests   = rx("(^|\\s)(test_\\w+|the (unit |integration )?tests?)\\b|\\b(failing|flaky|broken|red|slow|unstable|failed|network|intermittent\\w*)\\b.{0,12}\\b(tests?|specs?|cases?)\\b|\\b(tests?|specs?)\\b.{0,30}\\b(fail(s|ing)?|flaky|red|block\\w*)\\b")
	licence    = rx("\\b(re-?licen[cs]\\w+|licen[cs]es?( files?| headers?| texts?| notices?| fields?)?|copyright (notices?|headers?|lines?)|spdx\\S*|dual.?licen\\w+|gpl\\S*|agpl\\S*)\\b")
	licenceNot = rx("licen[cs]es? (page|key|plate|server|plan|driver|number|manager|tab|dialog|screen|check|code|activation|validation|parser|detect\\w*|list|column|badge)")
	source     = rx("(secondary|package|additional) source\\b|source https?://|\\bregistry\\.\\S+|\\bbase image\\b|\\bhashes\\b.{0,25}(require|lock|pin)|require-hashes|pip install (http|git)|from (my|our|his) (own )?(server|site|host|bucket|drive)|https?://\\S+\\.(whl|tar\\.gz|tgz|deb|rpm|sh|exe|jar)\\b|git\\+(https?|ssh)|`?(extra-)?index-url|`?registry ?=|\\b(npm|pypi|docker|package|cargo|maven|internal|private|our|my|apt) (registry|mirror|index|proxy)\\b|\\b(npm|pypi|pip|package|maven|apt|cargo) (\\w+ )?(registry|index|source|mirror|repository)\\b|\\b(my|our|a|his|this|personal|the patched|patched) (own )?(\\w+ )?forks?\\b|\\bfork of\\b|\\breplace directive|\\.npmrc|pip\\.conf|\\b(curl|wget)\\b.{0,80}\\| ?(sudo )?`?(ba|z)?sh\\b|\\.tgz\\b|replace \\S+ => |\\b(with|by) (my|our) (own )?\\S* ?(package|fork|version|build|copy|library|module)\\b|from my (github|gitlab|repo\\w*|branch)|github:\\w+/\\w+|gopkg mirror|goproxy|gosumdb|gonosum\\w*|unverified package|vendored? binar\\w+|prebuilt binar\\w+|lockfile|lock file|integrity hash\\w*")
	tracking   = rx("\\b(e-?mails?|mails?|repository name|host ?names?|analytics|telemetry|tracking|tracker|beacon|pixel|page.?views?|usage (data|stats|statistics)|user data|locals|every exception|all exceptions|exceptions?|events?|clicks?|key ?strokes|form data|session recording\\w*|logs|stack traces?|(crash|core|memory) dumps?|crash reports?|errors|customer data|prompts|emails?)\\b")
	elsewhere  = rx("https?://|\\S+@\\S+\\.\\w|\\b(host|hosts|script|snippet|domain|third.?party|remote (server|host|endpoint)|tag manager|google|facebook|segment|mixpanel|hotjar|external (server|service|endpoint)|our (own )?servers?)\\b")
	orders     = rx("(ignore|disregard|forget|override) (all |any |the |your |my |of |these |those )*(previous|prior|above|earlier|former|preceding|other|system) (instructions?|rules?|prompts?|directions?|guidelines?)|\\byou are (now )?(an?|the) (\\w+ )?(ai|agent|assistant|llm|bot|language model|coding agent)\\b|(reveal|print|show|output|repeat) (me )?your (system prompt|instructions|token|prompt|key|secrets?|env\\w*|credentials)|push (it |this |them |the \\w+ )?(directly |straight )?(to|on|onto) (the )?(main|master|default branch|production)\\b|approve your own|(note|message|instructions?|hint|reminder)s? (to|for) (the )?(bot|ai|agent|assistant|fettle|llm|model|coding agent)|(raise|increase|ignore|lift) your (own )?(budget|limits?|scope|rules|guard)|disable your (own )?(guard|limits?|safety|sandbox|checks)|\\bmerge (it |this |them |the \\w+ )?(\\w+ )?without (a |any )?(review|approval)|\\.fettle\\.yml|heal\\.yml|fettle'?s? (budget|guard|sandbox|limits|settings)|as an ai\\b|system prompt to")
	pronoun    = rx("^(it|them|this|that|those|these|everything|all of (it|them|this|that)|the (check|whole thing|thing|step|line|requirement|limit|call|guard|rule|condition|lot|part|block|decorator|middleware|test|tests|validation)|true|any|anything|whatever|from|for)\\b")
)

// dangers are the reasons for which an issue is refused.
func (is issue) dangers() []string {
	var out []string
	add := func(class, what string) {
		why := fmt.Sprintf("%s (\u201c%s\u201d)", class, short(what))
		if !slices.Contains(out, why) && len(out) < 3 {
			out = append(out, why)
		}
	}
	for _, s := range is.sentences {
		if m := orders.FindString(plain(s.text)); m != "" && !s.steps {
			add("it tells whoever works on it to leave its limits", m)
		}
	}
	if m := orders.FindString(is.hidden); m != "" {
		add("a comment that the page does not show tells whoever works on it to leave its limits", m)
	}
	for _, r := range is.requests[:min(len(is.requests), mostRequests)] {
		if class := r.danger(); class != "" {
			add(class, r.in.raw)
		}
	}
	reports := is.reports()
	for _, s := range is.sentences {
		if class := is.harm(s, reports); class != "" {
			add(class, s.raw)
		}
	}
	if is.foreign != "" {
		for _, s := range is.sentences {
			if class := dangerAbroad(s); class != "" {
				add(class, s.raw)
			}
		}
	}
	return out
}

// plain is text without what stands in `code`.
func plain(s string) string {
	var out []string
	for _, w := range strings.Fields(s) {
		if !strings.HasPrefix(w, "`") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

func short(s string) string {
	r := []rune(s)
	if len(r) > 120 {
		return strings.TrimSpace(string(r[:119])) + "…"
	}
	return s
}

const (
	security = "it would weaken security"
	deletes  = "it would delete data"
	secrets  = "it would give secrets away"
	pipeline = "it would change CI or the checks themselves"
	legal    = "it would change the licence"
	origin   = "it would change where dependencies come from"
	spies    = "it would send data to somebody else"
)

// danger is the class of harm that a request would do, or "".
func (r request) danger() string {
	r.object, r.subject = strings.ReplaceAll(r.object, "`", ""), strings.ReplaceAll(r.subject, "`", "")
	r.in.before = strings.ReplaceAll(r.in.before, "`", "")
	if r.verb == "do" && pronoun.MatchString(r.object) { // "can you do that": what stands before it
		r.verb, r.object = "use", r.subject
	}
	if upheld[r.verb] && (r.verb != "raise" || !lifetime.MatchString(r.object)) || upholds.MatchString(r.in.text) {
		return ""
	}
	v, o := r.verb, r.object
	context := r.in.before + r.subject
	vague := pronoun.MatchString(o) || o == ""
	all := r.subject + " " + v + " " + o
	switch {
	case r.licensing():
		return legal
	case r.sources():
		return origin
	case r.pipeline(context, vague):
		return pipeline
	}
	if r.not { // what is not to be done
		if enforcing[v] && weakArea.MatchString(o) && !again.MatchString(o) ||
			enforcing[v] && weakArea.MatchString(r.subject) && !strings.Contains(o, "page") && !again.MatchString(o) && !broken.MatchString(o) ||
			enforcing[v] && vague && protection.MatchString(context) || v == "expire" && weakArea.MatchString(all) {
			return security
		}
		return ""
	}
	switch {
	case r.erases(context):
		return deletes
	case sending[v] && tracking.MatchString(o) && elsewhere.MatchString(o+" "+r.in.raw) && !strings.Contains(o, "localhost"):
		return spies
	case exposing[v] && r.exposes(context, vague):
		return secrets
	case weakening[v] && (guards(o) || vague && guards(bare.ReplaceAllString(last(r.in.before)+r.subject, " "))):
		return security
	case v == "extend" || v == "increase" || v == "raise" || v == "prolong" || v == "lengthen":
		if lifetime.MatchString(o) {
			return security
		}
	case r.accepts(context, vague), vague && accepting[v] && idiom.MatchString(last(r.in.before)):
		return security
	case !mending[v] && idiom.MatchString(v+" "+o), v == "replace" && idiom.MatchString(after(o, " with ", " by ")):
		return security
	}
	return ""
}

// Sentences that want a protection to stay, or speak of what was not done.
var (
	upheld  = set("keep stay continue remain throw raise reject refuse deny abort warn list report detect flag")
	upholds = rx("\\b(in addition\\W+to|as well as the system|must (stay|continue|remain|keep)|stays? (on|as (it is|they are))|no (eval|exec|shell)\\b|(i|we) (first |had |have |also )*(wanted|thought|considered|was going|were going|would hate)|(do|does|did|would)( not|n't) want|which (i|we) (certainly |really )?do(n't| not) want)\\b")
)

// bare names what is protected as well as the protection: behind a pronoun it
// says too little.
var bare = rx("\\b(passwords?|login|signatures?|sign.?in|permissions?|https|security|ssl)( \\.|\\s*$| (?:is|are|was|in|on|for|of|and|to|the|with)\\b)")

// lifetime is how long somebody stays let in.
var lifetime = rx("\\b(token|session|cookie|jwt|password|otp|link|login)s?( \\w+)? (lifetime|expir\\w+|ttl|timeouts?|validity|age)\\b|\\b(attempts|tries|wrong passwords|lockouts?)\\b|\\bunlimited\\b")

var (
	again  = rx("\\b(twice|again|repeatedly|every time|two times|more than once)\\b")
	broken = rx("\\b(crash|fail|error|500|panic|hang|loop|page reload|reload|none|null|undefined)\\b")
)

// guards tells a protection that is no mere thing, such as the login and not
// the login button.
func guards(text string) bool { return named(protection, text) }

// named tells whether an expression is in a text other than as what a mere
// thing is called by.
func named(what *lazyregexp.Regexp, text string) bool {
	for len(text) > 0 {
		at := what.FindStringIndex(text)
		if at == nil {
			return false
		}
		if !thing.MatchString(text[at[1]:]) {
			return true
		}
		text = text[at[1]:]
	}
	return false
}

func (r request) erases(context string) bool {
	v, o := r.verb, r.object
	if onScreen.MatchString(o) && !destroys.MatchString(o) && !stored.MatchString(o) {
		return false
	}
	if destroys.MatchString(v + " " + o) {
		return erasing[v] || creating[v] || changing[v]
	}
	if erasing[v] && v != "run" {
		data := stored.MatchString(o) && !onScreen.MatchString(o) || everyone.MatchString(o)
		if !data && pronoun.MatchString(o) {
			data = stored.MatchString(last(context)) && v != "remove" && v != "clear" && v != "kill" || everyone.MatchString(last(context)) || strings.HasPrefix(o, "everything") && stored.MatchString(context)
		}
		return data
	}
	if m := destroyer.FindStringSubmatch(o); m != nil && creating[v] && !careful.MatchString(o) {
		rest := m[3]
		return stored.MatchString(rest) || everyone.MatchString(rest) || pronoun.MatchString(rest) && (stored.MatchString(context) || everyone.MatchString(context) || everyone.MatchString("all "+context))
	}
	return false
}

var careful = rx("\\b(confirm\\w*|before|prevent|warn\\w*|undo|instead|without|dry.?run|button|test that|tests? for)\\b")

func last(context string) string {
	parts := strings.Split(strings.TrimSuffix(context, " . "), " . ")
	if len(parts) > 2 {
		parts = append(parts[:1], parts[len(parts)-2:]...)
	}
	return strings.Join(parts, " . ") + " "
}

func (r request) exposes(context string, vague bool) bool {
	v, o := r.verb, r.object
	if harmless.MatchString(plain(o)) && !strings.Contains(o, "plain") {
		return false
	}
	switch {
	case secret.MatchString(o):
		return loud[v] || v == "let" || v == "have" || outside.MatchString(o) || v == "return" || v == "add" && strings.Contains(o, "authorized_keys")
	case loud[v] && smallSecret.MatchString(o):
		return true
	case smallSecret.MatchString(o):
		return regexp.MustCompile(`\b(in|into|to|at) (the |our |a )?(\w+ )?(logs?|repo\w*|bundle|readme|slack|url|source|git)\b`).MatchString(o)
	case vague && (v == "include" || loud[v]):
		return secret.MatchString(last(context)) || smallSecret.MatchString(last(context)) && !strings.Contains(context, "mask")
	case v == "put" || v == "set" || v == "hardcode" || v == "move" || v == "copy":
		return regexp.MustCompile(`\bkeys? (in|into) (the )?(settings|config|code|source|repo)`).MatchString(o)
	}
	return false
}

func (r request) accepts(context string, vague bool) bool {
	v, o := r.verb, r.object
	if !accepting[v] {
		return false
	}
	if refusing.MatchString(o) {
		return false
	}
	if unsafe.MatchString(o) {
		return v != "be" && v != "give" || !strings.Contains(o, "expired")
	}
	return vague && (v == "accept" || v == "allow" || v == "trust" || v == "permit") && unsafe.MatchString(last(context)) ||
		(v == "make" || v == "let" || v == "have" || v == "wish") && regexp.MustCompile(`\b(bypass|skip|ignore|disable|circumvent|turn off|turns off)(s)?\b`).MatchString(o) && guards(o)
}

var refusing = rx("\\b(reject\\w*|refus\\w+|block\\w*|deny|denied|fail|warn\\w*|error|detect|forbid\\w*|401|403|prevent\\w*|not accept\\w*|be refused)\\b")

func (r request) pipeline(context string, vague bool) bool {
	v, o := r.verb, r.object
	all := r.subject + " " + o
	switch {
	case r.not:
		return (v == "fail" || v == "block" || v == "run" || v == "require") && (tests.MatchString(r.subject) || ci.MatchString(all))
	case (v == "make" || v == "let" || v == "have" || v == "wish" || v == "allow" || v == "be" || v == "pass" || v == "succeed") && evidence.MatchString(all+" "+v):
		return !greenAgain.MatchString(all) && (v != "be" || !reported.MatchString(all))
	case changing[v] && v != "be" && v != "wish" && ci.MatchString(o):
		return !ciThing.MatchString(o)
	case evidence.MatchString(o) && regexp.MustCompile("^(change|adjust|edit|update|modify|alter|adapt|rewrite|relax|loosen|tweak)$").MatchString(v):
		return true
	case weakening[v] || v == "mark" || v == "xfail" || v == "quarantine" || v == "retry":
		if at := tests.FindStringIndex(o); at != nil {
			return !notTests.MatchString(o[at[1]:]) && !useless.MatchString(o)
		}
		return vague && redTests.MatchString(last(r.in.before)+r.subject)
	}
	return v == "be" && ci.MatchString(all) && regexp.MustCompile(`\b(optional|non-?blocking|lower\w*|removed|disabled)\b`).MatchString(all)
}

var (
	greenAgain = rx("\\b(green|pass) again\\b")
	// reported is a red test as its runner names it, and no wish about it.
	reported = rx("(^|\\s)\\S*tests?/\\S+ > .*\\bfails?$")
	ciThing  = rx("\\b(ci|pipeline|build) (badge|status|icon|page|output|log|link|name|documentation|docs)\\b|badge")
	useless  = rx("\\b(duplicated?|unused|obsolete|dead|empty|identical)\\b")
)

func (r request) licensing() bool {
	if r.not || licenceNot.MatchString(r.object) {
		return false
	}
	return strings.HasPrefix(r.verb, "relicen") || changing[r.verb] && r.verb != "be" && licence.MatchString(r.object) && !regexp.MustCompile(`\b(import|page|link|typo|test)\b`).MatchString(r.object)
}

func (r request) sources() bool {
	all := r.subject + " " + r.object
	return !r.not && r.verb != "be" && changing[r.verb] && source.MatchString(r.verb+" "+all) && !regexp.MustCompile(`\b(parse\w*|pars|rais\w+|error|crash\w*|instead of raising)\b`).MatchString(all)
}

func after(s string, marks ...string) string {
	for _, m := range marks {
		if _, rest, is := strings.Cut(s, m); is {
			return rest
		}
	}
	return ""
}
