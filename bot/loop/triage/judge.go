package triage

import (
	"regexp"
	"slices"
	"strings"
)

// What makes a request architectural.
var (
	strategic = set("rethink design redo migrate rewrite redesign rearchitect re-architect restructure reorganize reorganise overhaul reimplement re-implement rework port revamp unify consolidate decouple internationalize internationalise localize localise rebuild standardize standardise centralize centralise")
	sweeping  = set("remove refactor convert move switch replace upgrade split make change use implement introduce adopt add support extract separate transition translate build create allow wish turn deprecate drop modernize modernise")
	scope     = rx("\\b(entire|whole|complete|all of the|all our|all the) (\\w+ )?(code ?base|app\\w*|project|back-?end|front-?end|repo\\w*|api|ui|system|code|server|library|call sites|strings|modules|files|views|handlers)\\b|\\b(across|throughout) the (\\w+ )?(project|code ?base|app\\w*|repo\\w*|system|code|library|package|tests?)|\\b(web|graphical) (ui|interface)\\b|\\bgui\\b|\\babstraction( layer)?\\b|offline support|\\beverywhere\\b|\\bevery (module|view|file|handler|endpoint|component)\\b|\\bcode ?base\\b|\\bmonolith\\b|\\bmultiple tenants\\b|\\b(admin|user) panel\\b|\\bmicro-?services?\\b|\\barchitecture\\b|\\bmono-?repo\\b|multi-?tenan\\w+|\\bplugin (system|architecture|api)|\\bhexagonal|\\bdependency injection|event.sourc\\w+|\\bcqrs\\b|\\bmessage (queue|broker|bus)|\\bservice mesh|\\boffline (sync|mode|support)|\\bmobile apps?\\b|\\b(ios|android) (app|client)|\\bsingle sign-?on\\b|\\bsso\\b|\\bsaml\\b|\\boidc\\b|internationali[sz]ation|\\bi18n\\b|from scratch|\\bground up|\\bv2 api|\\bseparate (packages|services|repos\\w*)|\\binto (\\w+ )?(services|packages|modules|crates|repositories)\\b|\\b(pluggable|distributed|high availability|horizontal\\w* scal\\w+|real-?time collaboration|desktop app|marketplace|billing system|role-based access control|rbac|audit system|design system|component library|state management|caching layer|orm)\\b")
	tech      = rx("\\b(typescript|javascript|rust|golang|go|kotlin|java|scala|swift|c\\+\\+|c#|python ?[23]?(\\.\\d+)?|ruby|elixir|react|vue|svelte|angular|next\\.?js|nuxt|fastapi|flask|django|rails|spring|express|nestjs|laravel|postgres\\w*|mysql|mariadb|sqlite|mongo\\w*|redis|cassandra|dynamodb|webpack|vite|jquery|lodash|moment|axios|esbuild|rollup|bazel|gradle|maven|cmake|poetry|pnpm|yarn|kubernetes|k8s|terraform|graphql|grpc|rest|protobuf|async(io)?|sqlalchemy|prisma|tailwind|bootstrap|jest|vitest|pytest|unittest|mocha|elasticsearch|kafka|rabbitmq|aws|azure|gcp|electron|tauri|qt|gtk|wasm|esm|es modules|commonjs|hexagonal|pydantic v2)\\b")
	marker    = rx("^\\W*(rfc|proposal|epic|road-?map|tracking( issue)?|meta|umbrella|design (doc|proposal)|initiative|vision|strategy|milestone)\\b")
	nominal   = rx("\\b(migration|rewrite|redesign|overhaul|re-?architecture|modernization|modernisation|port) (to|from|of|in|into)\\b|^(\\W*\\w+){1,4} (migration|rewrite|redesign|overhaul|rearchitecture|modernization)$")
	narrow    = rx("^(the |this |a |an |our )*(`\\S+|\\w+\\(\\)|function|method|helper|regex|loop|query|error message|sentence|paragraph|docstring|comment|condition|expression|line|rule|url|urls|test|readme)\\b|^`|^\\S+\\(|^\\S+\\.(py|go|js|ts|rb|rs|java|c|md)\\b")
	language_ = rx("\\b(in|to|into) (rust|go|golang|typescript|kotlin|java|python|c\\+\\+|elixir|swift|react|vue|svelte)\\b")
	hedge     = rx("\\b(someday|some day|long.term|eventually|one day|in the future|at some point)\\b")
)

// What a verdict begins with that is made by counting alone.
const (
	countsTasks = "it lists more tasks than one change can hold"
	countsParts = "it lists more parts than one change can hold"
)

// large says why a request needs a plan, or "".
func (is issue) large() string {
	if is.foreign != "" {
		for _, s := range is.sentences {
			if largeAbroad.MatchString(s.text) && (begs.MatchString(s.text) || !brokenAbroad.MatchString(s.text) && !happens.MatchString(s.text)) {
				return "it asks for an architectural change (\u201c" + short(s.raw) + "\u201d)"
			}
		}
		return ""
	}
	for _, s := range is.sentences {
		if s.title && (marker.MatchString(s.text) || scope.MatchString(s.text) && !finite(s.words) && !fault.MatchString(s.text) && !is.shown() && !s.asks && !usage(s.words) || nominal.MatchString(s.text) && !finite(s.words) && !fault.MatchString(s.text) && !usage(s.words)) {
			return "it is a proposal or a project, not one change (\u201c" + short(s.raw) + "\u201d)"
		}
	}
	if len(is.requests) > mostRequests {
		return "it asks for more than one change can hold"
	}
	tasks, reports := 0, is.reports()
	if why := is.project(); why != "" && !reports {
		return why
	}
	fails := is.faulty() && is.shown()
	for _, s := range is.sentences {
		if !reports && !s.title && !s.asks && permits.MatchString(s.text) && !upholds.MatchString(s.text) && !stricter.MatchString(s.text) && delicate(plain(s.text)) {
			return "it proposes a change of something that people should look at first (\u201c" + short(s.raw) + "\u201d)"
		}
	}
	for _, r := range is.requests {
		pressing := pressed.MatchString(r.in.text)
		if !r.title && (fails && !pressing || hedge.MatchString(r.in.text)) || r.not {
			continue
		}
		harmful := weakening[r.verb] || accepting[r.verb] || exposing[r.verb] || sending[r.verb] || erasing[r.verb]
		if (!reports || harmful && named(sensitive, plain(r.object))) && (pressing || r.title || !reports) && r.touchy() {
			return "it asks for a change of something that people should look at first (\u201c" + short(r.in.raw) + "\u201d)"
		}
		big := false
		switch {
		case language_.MatchString(r.object) && (strategic[r.verb] || sweeping[r.verb] && r.verb != "add" && r.verb != "support" && r.verb != "use"):
			big = true
		case strategic[r.verb]:
			big = !narrow.MatchString(r.object) || scope.MatchString(r.object)
		case sweeping[r.verb]:
			moves := r.verb != "add" && r.verb != "support" && r.verb != "use" && r.verb != "make" && r.verb != "allow" && r.verb != "wish" && r.verb != "create" && r.verb != "build" && r.verb != "change" && r.verb != "drop"
			big = scope.MatchString(r.object) && (!narrow.MatchString(r.object) || strings.Contains(r.object, "whole")) || moves && tech.MatchString(plain(r.object)) && !narrow.MatchString(r.object) && !fileName.MatchString(r.object) ||
				r.verb == "wish" && regexp.MustCompile(`\b(moved?|migrat\w+|rewr\w+|switch\w*|redesign\w*)\b`).MatchString(r.object) && (tech.MatchString(r.object) || scope.MatchString(r.object))
		}
		if big {
			return "it asks for an architectural change (\u201c" + short(r.in.raw) + "\u201d)"
		}
	}
	for _, s := range is.items {
		if len(requests(s)) > 0 || len(s.words) < 5 && len(s.words) > 0 && !fault.MatchString(s.text) {
			tasks++
		}
	}
	if tasks >= 5 && !fails {
		return countsTasks
	}
	return ""
}

var (
	// fault is a word that says that something is not as it should be.
	fault        = rx("\\b(bugs?|broken|breaks?|broke|wrong(ly)?|crash(es|ed|ing)?|fail(s|ed|ing|ure|ures)?|errors?|exceptions?|traceback|panic(s|ked)?|incorrect(ly)?|unexpected(ly)?|instead of|should(n't)?|expected?|regression|hang(s|ing)?|infinite(ly)?|endless(ly)?|missing|misses|raises?|throws?|does ?n[o']t|do ?n[o']t|did ?n[o']t|is ?n[o']t|are ?n[o']t|was ?n[o']t|can ?n[o']t|cannot|can't|won't|undefined|nan|nonetype|nil pointer|null ?pointer|segfault|duplicate[sd]?|off.by|truncat\\w+|loses|lost|ignor(es|ed|ing)|stale|leaks?|leaked|leaking|too (many|few|often|seldom|rarely|high|low|early|late|long|short|strict|much)|twice|two times|deadlock|race condition|overflow|corrupt(s|ed)?|garbled|rejects?|rejected|refuses|forgets|skips|skipped|loops|overlaps|disappears?|vanishes|typo|inconsistent|mismatch|never|no longer|not (shown|found|saved|sent|working|called|updated|rendered|highlighted)|although|even though|flickers|chokes|unescaped|bypassed|nothing happens|does nothing|has no effect|still)\\b")
	strong       = rx("\\b(i (would|'d) (have )?expect|should(n't)?|expected|instead of|traceback|exception|regression|bug|crash(es|ed)?|\\w+error|panic|wrong(ly)?|incorrect(ly)?|throws|raises|off by|must be|would be right)\\b")
	brokenAbroad = rx("(falsch|fehler|funktioniert nicht|obwohl|stürzt|erwart|sollte|müsste|error|falla|debería|equivocad|esperad|aunque|échoue|erreur|devrait|plante|attendu|错误|失败|崩溃|应该|期望|エラー|失敗|はず|ошибк|не работает|неверн|ожида|должн|падает)")
	generic      = rx("^\\W*(various|several|multiple|some|many|misc\\w*|a few|few|different|feedback|complaints?|problems?|issues|bugs|things|my (notes|feedback|thoughts|impressions?|wishlist)|list of|all the|wishlist|random|thoughts|notes|impressions|suggestions)\\b")
)

// faulty tells whether the issue reports a fault.
func (is issue) faulty() bool {
	for _, s := range is.sentences {
		if fault.MatchString(s.text) && (!usage(s.words) || !s.asks || strong.MatchString(s.text)) {
			return true
		}
	}
	return is.block && traceback.MatchString(is.whole)
}

var traceback = rx("traceback|exception|error|panic")

// complaints counts those of an issue that is several in one; 0 for one that
// is about one thing.
func (is issue) complaints() int {
	if len(is.sentences) == 0 || len(is.items) < 3 {
		return 0
	}
	title := is.sentences[0].text
	if !generic.MatchString(title) && len(is.items) < 4 {
		return 0
	}
	n := 0
	seen := map[string]int{}
	for _, s := range is.items {
		if len(s.words) < 3 {
			continue
		}
		n++
		for _, w := range specific(s.words) {
			seen[w]++
		}
	}
	shared := 0
	for _, c := range seen {
		shared = max(shared, c)
	}
	common := 0
	for _, w := range specific(is.sentences[0].words) {
		common += seen[w]
	}
	if n >= 3 && shared < 3 && (generic.MatchString(title) || n >= 5 && common == 0 && !is.block) {
		return n
	}
	return 0
}

// pressed is a wish that is pressed for, or played down: no reporter of a fault
// talks so of what is right.
var pressed = rx("\\b(please|just|simply|temporarily|for now|let's|can we|could we|can you|could you|anyway|until|for the time being|would it be possible|would be (great|nice)|for testing|for debugging|for the (demo|test)|quick fix|workaround|so (that )?(it|the (suite|build|ci)|we|they))\\b")

// reports tells an issue that says what goes wrong: by its title, by an error,
// or by what came of something. One that gives reasons for a wish does not.
func (is issue) reports() bool {
	if len(is.sentences) == 0 || is.block && traceback.MatchString(is.whole) {
		return len(is.sentences) > 0
	}
	if first := is.sentences[0]; first.title && len(requests(first)) == 0 && (states(first.words) || fault.MatchString(swap.ReplaceAllString(first.text, " "))) {
		return true
	}
	for _, s := range is.sentences[1:] {
		if !s.asks && strong.MatchString(s.text) && is.shown() && len(requests(s)) == 0 {
			return true
		}
	}
	return false
}

// permits is how a proposal sounds that is neither an order nor about what should be.
var permits = rx("\\b(could|may|might|let|would|nice|great|therefore)\\b")

// swap is how a wish names what is to go.
var swap = rx("\\b(instead of|should|(crash|error|exception|failure|bug|panic)[ -](reports?|reporting|dumps?|pages?|handling|handlers?|messages?|logs?|codes?|tracking|boundar\\w+))\\b")

// states tells whether one of a title's clauses is a sentence.
func states(words []string) bool {
	for {
		if finite(append([]string{"x"}, words...)) {
			return true
		}
		for i := 1; i < len(words); i++ { // "axis labels run into the legend"
			if _, form := lemma(words[i]); form == "base" && i > 1 && strings.HasSuffix(words[i-1], "s") && !strings.HasSuffix(words[i-1], "ss") {
				return true
			}
		}
		at := slices.Index(words, ",")
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
}

// touchy tells a request about something that matters for security, data or
// the checks, of which the rules cannot tell whether it does harm. What makes
// it stricter is none, nor what is only called so in code.
func (r request) touchy() bool {
	text := plain(r.in.text)
	if !r.title {
		text = plain(r.in.before[:min(len(r.in.before), 300)]) + text
	}
	if r.not || r.in.steps || upheld[r.verb] || upholds.MatchString(r.in.text) || neutral[r.verb] || greenAgain.MatchString(r.object) || enforcing[r.verb] && r.verb != "want" || stricter.MatchString(text) {
		return false
	}
	return r.object != "" && delicate(text)
}

// delicate tells whether a text names what people should look at first.
func delicate(text string) bool { return named(sensitive, actors.ReplaceAllString(text, " ")) }

// actors are people who are to do something, and not what is kept of them.
var actors = rx("\\b(let(ting|s)?|so that|when|because) (our )?customers?\\b")

var (
	neutral   = set("fix find help tell explain look see try consider think investigate get read click call open close display sort format parse render round rename raise throw document start scale")
	stricter  = rx("\\b(mask(ed)?|redact(ed)?|reject(s|ed)?|refuse[sd]?|forbid(den)?|only (admins?|owners?|members|local|allowed|users|if|when|logged)|at least|never (log|store|send|skip|trust|accept|print)\\w*|prevent|block(ed)?|warn(s|ing)?|confirm\\w*|typo|harden|stronger|stricter|securely|more secure|escape[sd]?|expire[sd]?|40[134]|422|429)\\b")
	sensitive = rx("(^|\\s)(/etc|/debug|/admin|/root|~/|--trusted-host|--no-verify)|https?://|\\b(rm -rf|otp|sms|phone number|aud|jwt|oauth|redirect_uri|audience|issuer|nonce|hsts|aslr|impersonat\\w+|audit\\w*|scanner|diagnostics|hostnetwork|home directory|partitions?|tenants?|older than|uploads? (directory|folder|bucket)|postinstall|preinstall|request bod(y|ies)|card numbers?|debug mode|any (size|type|file|url|host)|max-warnings|allowed warnings|suite|green|never fails?|ya?ml|approvals?|two-person|contribution rules|straight to|copyright|cdn|import time|s3|eslint|ruff|permissions:|dockerfile|npmrc|requirements\\.txt|pip|npm|yarn|log ?in|logged in|sign ?in|auth(entication|orization|enticated|orized)?|passwords?|tokens?|sessions?|cookies?|signatures?|certificates?|certs?|tls|ssl|https?|security|secure|cors|csrf|captcha|rate limit\\w*|throttl\\w+|permissions?|privileges?|admins?|roles?|sandbox|validation|validator|encrypt\\w*|bcrypt|secrets?|api keys?|credentials?|environment|shell|exec|eval|production|prod|staging|database|backups?|customers?|personal data|workflows?|ci|deploy\\w*|pipeline|tests? (pass|green)|failing tests?|flaky|lint\\w*|licen[cs]es?|registry|mirror|fork|tracking|analytics|telemetry|proxy|firewall|root|sudo|public|anonymous|trust\\w*|bypass|without checks?)\\b")
)
