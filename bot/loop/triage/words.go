package triage

import "strings"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Words of grammar.
var (
	lead        = set("please pls plz kindly just simply maybe perhaps also and then so now , - – : ok okay hi hello hey thanks again finally instead first next feature feat fix chore request enhancement improvement todo task idea suggestion wish bug [feature] [bug] [request] [enhancement] [question] ci security")
	nonverbs    = set("can could would should may might must will shall i we you they he she it is are was were be in on at for with from to of by as if when while after before since because although the a an this that these those my our your its there here what which who how why where no not none all any some each every both and or but so than then same new old only even with without under over between during like due via per about thanks sorry hi hello dear")
	causing     = set("have let make get")
	adverbs     = set("temporarily quickly silently always completely fully permanently only simply just automatically globally optionally briefly really still please also probably ideally then now currently entirely quietly locally")
	dangling    = set("the a an to of and or in on for with that which is are be please can we you should must by from our my your its this these those all every into at")
	boundary    = set("because since when whenever if until unless but although though while whereas till")
	relative    = set("that which who where whose whatever what how so as")
	subjects    = set("i we you they he she people somebody someone nobody")
	conditional = set("if when whenever once for as until unless in on")
	within      = set("in on at for inside within from under")
	determiner  = set("the a an all every any our my your its this that these those each some both no more")
	wishIf      = set("if")
	means       = set("be is way want like need how option ability flag setting switch variable able easiest simplest best would have us propose suggest plan idea goal possible fine mode parameter wants")
	negators    = set("stop avoid quit cease")
	nounsInS    = set("clicks mails emails rounds tries attempts tests checks logs builds runs reports skips hooks prints uses uploads downloads imports exports posts patches updates deletes inserts commits changes fixes features settings calls returns accounts limits rules tags links records results requests responses lists files locks loads starts ends needs shows drops tokens headers forms pages views stores restores caches secrets sets points issues errors fails licenses")
	finites     = set("picks depends selects chooses finds matches compares counts treats uses expands resolves hides behaves includes excludes points redirects is are was were does doesn't do don't did didn't has have had isn't aren't wasn't weren't can't cannot can could won't will hasn't haven't gives gets goes says shows fails crashes breaks hangs leaks throws raises returns misses forgets leaves ignores loops jumps stays reports ends closes opens prints puts takes makes becomes appears disappears looks seems needs keeps stops works produces expects receives overlaps covers contains doubles freezes blocks rejects accepts passes adds removes deletes drops skips strips chokes sleeps writes reads sends causes allows resets renders disables enables truncates yields corrupts overwrites duplicates flickers fires triggers redirects remains lacks lost got gave went came failed crashed broke threw raised returned")
)

// openers are phrases behind which a wish stands.
var openers = phrases(`
can we|could we|can you|could you|would you|will you|would you mind|can you please|could you please|should we|shall we|may we|can someone|could someone|can somebody|please|let's|lets|let us|
we should|we could|we can|we may|we might|i'd love to see|i would love to see|i'd love to have|i would love to have|i would love|i'd love|we need to|we must|we have to|we want to|we'd like to|we would like to|you should|you need to|you must|you can|you could|you may|i want you to|i'd like to|i would like to|i want to be able to|i'd like you to|i would like you to|i need to be able to|
why don't we|why not|how about|what about|it would be nice to|it would be great to|it would be good to|it would be cool to|it would be helpful to|it would be useful to|it would be better to|it'd be nice to|it'd be great to|would be nice to|would be great to|
it would be nice if|it would be great if|it would be good if|it would be cool if|it would be helpful if|it would be useful if|it would be better if|it'd be nice if|it'd be great if|would be nice if|would be great if|would be good if|would love if|i wish|
is it possible to|would it be possible to|would it be feasible to|would it be ok to|is it ok to|i propose to|i propose that we|i propose we|i suggest to|i suggest that we|i suggest we|i propose that|i suggest that|suggest to|propose to|i propose|i suggest|i vote to|i vote for|
would like to see|option to|ability to|flag to|possibility to|way for us to|variable to|parameter to|setting to|switch to allow|easiest would be to|simplest would be to|best would be to|the fix is to|solution is to|the plan is to|the idea is to|the goal is to|feel free to|make sure to|remember to|make it possible to|
need to|needs to|we are going to|it is time to|it's time to|time to|proposal|support for|in favour of|in favor of|would be to|fine to|ok to|okay to|safe to`)

func phrases(s string) [][]string {
	var out [][]string
	for _, p := range strings.Split(s, "|") {
		if f := strings.Fields(p); len(f) > 0 {
			out = append(out, f)
		}
	}
	// The longest comes first, so that "please" does not win over "can you please".
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if len(out[j]) > len(out[i]) {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

// Verbs that ask for a change, by what they do to their object.
var (
	weakening = set("remove disable skip bypass drop omit ignore deactivate relax loosen weaken lower reduce circumvent suppress silence mute stub delete strip kill exempt whitelist override neutralize neutralise avoid eliminate ditch exclude unset soften opt hide abandon revert nuke waive downgrade evade tone dial water ease short-circuit shortcut mock noop unprotect forgo lift")
	accepting = set("accept allow permit let trust tolerate honour honor support admit enable authorize authorise wish make grant give treat be pass open have whitelist allowlist unlock consider")
	enforcing = set("check verify validate require need enforce ask demand limit escape sanitize sanitise encrypt authenticate authorize authorise expire redact mask sign reject refuse block compare test insist prompt restrict want throttle inspect scan")
	exposing  = set("return print log dump output echo display show expose reveal leak include commit hardcode hard-code put store save paste embed share post upload publish attach email send write add use check push set have let keep disclose report respond serve render bake append mail echo move copy place")
	loud      = set("mail echo print log dump output echo display show expose reveal leak commit hardcode hard-code paste publish disclose bake")
	erasing   = set("delete drop truncate wipe purge erase destroy nuke remove clear empty reset clean flush run kill prune scrub")
	creating  = set("add write create make implement build introduce provide have let run schedule set use put need extend")
	changing  = set("add remove delete drop change edit update modify adapt adjust alter lower raise make mark set speed replace merge move run use cache bump put switch rename disable skip bypass ignore relax loosen create write introduce configure extend increase reduce install let exclude turn comment take relicense license rewrite relabel pin point pull download get vendor swap fetch depend allow stop trim split parallelize parallelise simplify approve auto-merge automerge xfail quarantine silence mute hide suppress deactivate exempt weaken override require upgrade strip publish deploy enable unpin refactor convert migrate transition adopt wish be apply copy include load")
	mending   = set("replace fix prevent reject block warn detect forbid avoid mask escape redact protect secure encrypt deny refuse hash remove drop disable stop delete sanitize sanitise strip scrub guard filter restrict ban validate verify harden")
	sending   = set("add send post forward report upload load include embed inject push emit ship stream use put copy mirror submit collect call transmit track ping beacon mail bcc cc exfiltrate install integrate")
	others    = set("wrap rethink impersonate point attach ping commit design fall prolong lengthen grant redo rearrange echo mail do perform execute accept find start help tell explain improve optimize optimise enhance polish beautify clean tidy speed look see try consider think investigate support implement refactor migrate rewrite redesign rearchitect re-architect restructure reorganize reorganise overhaul modernize modernise port reimplement re-implement rework unify consolidate decouple split convert move upgrade adopt internationalize internationalise localize localise translate extract separate rebuild centralize centralise standardize standardise generalize generalise transition evolve deprecate sunset merge restyle revamp document test return raise throw rotate sort render format parse handle limit require ask mask reject escape strip show display print expect truncate open close click call read leave turn shut comment take rip cut get toggle swap point serve hard-code hash evaluate eval chmod approve stop avoid quit cease purge wipe install rename reset list scale default exit fail pass succeed force restore validate verify check trim normalize normalise round increase decrease extend")
)

// forms is every form of every verb that triage knows, with its base.
var forms = func() map[string][2]string {
	m := map[string][2]string{}
	put := func(w, base, form string) {
		if _, is := m[w]; !is {
			m[w] = [2]string{base, form}
		}
	}
	all := map[string]bool{}
	for _, s := range []map[string]bool{weakening, accepting, enforcing, exposing, erasing, creating, changing, mending, sending, others} {
		for v := range s {
			if v != "wish" && v != "be" {
				all[v] = true
			}
		}
	}
	for v := range all {
		put(v, v, "base")
	}
	irregular := map[string]string{"cut": "cut", "put": "put", "set": "set", "let": "let", "make": "made", "write": "written", "take": "taken", "get": "got", "give": "given", "send": "sent", "leave": "left", "hide": "hidden", "show": "shown", "read": "read", "run": "run", "rewrite": "rewritten", "split": "split", "throw": "thrown", "find": "found", "build": "built", "rebuild": "rebuilt", "keep": "kept", "see": "seen", "think": "thought", "tell": "told", "override": "overridden", "reset": "reset", "shut": "shut"}
	for v := range all {
		stem := v
		if strings.HasSuffix(v, "e") && !strings.HasSuffix(v, "ee") {
			stem = v[:len(v)-1]
		}
		if doubled(v) {
			stem = v + v[len(v)-1:]
		}
		third, past := v+"s", stem+"ed"
		switch {
		case strings.HasSuffix(v, "y") && !strings.ContainsAny(v[len(v)-2:len(v)-1], "aeiou"):
			third, past = v[:len(v)-1]+"ies", v[:len(v)-1]+"ied"
		case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "sh"), strings.HasSuffix(v, "ch"), strings.HasSuffix(v, "x"), strings.HasSuffix(v, "z"):
			third = v + "es"
		}
		if p := irregular[v]; p != "" {
			past = p
		}
		put(third, v, "third")
		put(past, v, "past")
		put(stem+"ing", v, "gerund")
	}
	return m
}()

// doubled: the last consonant is written twice before -ed and -ing.
func doubled(v string) bool {
	switch v {
	case "drop", "skip", "strip", "ship", "run", "put", "set", "let", "cut", "get", "stop", "stub", "commit", "omit", "permit", "admit", "split", "log", "trim", "swap", "pin", "emit", "transmit", "transfer", "submit", "reset", "shut", "quit", "rip", "opt", "ban", "wrap", "unset", "forget", "unpin", "scan", "scrub":
		return v != "opt"
	}
	return false
}

// lemma gives a verb's base form, and which form the word is; "" for what is
// no verb that triage knows.
func lemma(w string) (base, form string) {
	f := forms[w]
	return f[0], f[1]
}

// smallWords tell the languages that are written in Latin letters apart.
var smallWords = map[string]map[string]bool{
	"en": set("the is are and to of in it that this for with not on be we you i as when should please a an can do does was has have from by at or if how what add remove use make fix"),
	"de": set("der die das und ist nicht ein eine einen mit für auf wird werden bei den dem es ich wir bitte wie kann beim zu im sich von wenn geht auch noch mehr nach alle seit kein keine ohne nichts aber durch"),
	"es": set("el la los las y es no un una con para en que se por favor del al lo cómo como puede cuando está sin más debería nuestro sería funciona qué"),
	"fr": set("le la les et est pas un une avec pour dans que ne se sur des du en au il ce merci comment quand nous vous plus alors ça je rien depuis lieu renvoie"),
	"pt": set("o os as e é não um uma com para em que se por favor do da ao como quando está sem mais"),
	"it": set("il lo gli e è non un una con per di che si da del della come quando sono più questo"),
}
