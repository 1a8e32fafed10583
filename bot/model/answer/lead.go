package answer

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isLetter(r rune) bool { return unicode.IsLetter(r) }

// introWords are what an introduction of one's own decision is made of. Any
// other word in it, such as a speaker, an example or a doubt, is asked about.
var introWords = set(`a actually better yes therefore about action actions actual again all also am an analysis and as asked assistant at be because below best block blocks body by can careful certainly change changed changes clear code complete completely conclusion const corrected
	correction d decide decided decision developer dict do edit edits everything exactly explanation fence fenced file files final finally first fix fixed following follows for four from full function go goes hence here how human i implementation in is
	it its json let list ll m make me method mine model more my need new next no note now object of ok okay on once one only output outcome part patch perform plan planner propose proposed python reason reasoning recommend recommendation region
	remaining repair repeat requested required response reply result results review reviewer revised s second see short should simple single single-line small so solution step steps such suggest summarise summarize summary sure task tester test tests that the their then
	there therefore these think third this three thus to two updated use var ve verdict want we what which whole will with you your code2 answer answers html text markdown yaml minimal necessary needed helper together both relevant last tool call json-object given based above assessment findings outcome evaluation approach
	let's return path update modification deletion removal addition adjustment you're welcome`)

// ownWords make an introduction one that would be doubtful without them.
var ownWords = lazyregexp.New(`(?i)\b(?:here|below|my|mine|now|so|i|we|final)\b`)

// otherDone are words of what somebody is about to do in the code.
var acts = lazyregexp.New(`(?i)^(?:(?:ok|okay|sure|now),? )?(?:replac|delet|remov|fix|chang|add|insert|mov|renam|updat|look|start|check|runn|search|proceed|creat|rewrit)ing\b|^(?:so |now |then |first |next |therefore |hence |thus |and |sure |okay |ok )*(?:i|we|let me|let us|let's)(?:['’](?:ll|m|ve|re|d))?(?: (?:will|am|are|have|now|just|also|only|first|simply|therefore|thus|then|shall|should|need to|going to|want to|like to|decided to|have to|start by|begin by|must|had|would like to))* ` +
	`(?:replac|delet|remov|fix|chang|add|insert|mov|us|mak|keep|rewrit|renam|updat|look|read|start|begin|check|run|search|propos|suggest|recommend|decid|answer|return|choos|list|extend|creat|writ|set|guard|split|think|go|open|inspect|verif|review|implement|do|need|refactor|touch|simplif|handle|convert|extract|wrap|pass|call|stop|finish|accept|reject|give|provid|follow)\w*\b`)

// hedge are words that leave open whether a decision is meant.
var hedge = lazyregexp.New(`(?i)\b(?:not|never|would|could|might|may|if|when|unless|once|suppose|assuming|provided|perhaps|maybe|example|examples|sample|template|previous|earlier|old|former|wrong|rejected|draft|hypothetical\w*|instead|rather|considered|found|saw|received|got|copied|quoted|thought|was|were|someone|else|otherwise|or)\b|n['’]t\b`)

// bound are conditions that hold for the whole of a sentence.
var bound = lazyregexp.New(`(?i)^\W*(?:only |but |and )*(?:if|when|unless|once|suppose|assuming|provided|in case|should|had|were)\b|\bonly (?:if|when)\b|\bwhich (?:you |we |i )?(?:must|should|is|was|would|might|could)\b|\b(?:if|once|unless) (?:you|the tests|it|they|approved|confirmed)\b`)

// presents are words of other languages that lead to one's own decision.
var presents = lazyregexp.New(`(?i)\b(?:hier|folgend\w*|nachfolgend|daher|also|somit|voici|voilà|donc|aqu[ií]|abajo|abaixo|siguiente|seguinte|entonces|então|portanto|ecco|qui|di seguito|quindi|вот|ниже|итак|поэтому)(?:\s|:|,|$)|(?:^|\s)(?:вот|ниже|итак|поэтому)(?:\s|,|:)|以下|下面|如下|这是|這是|因此|所以|次の|次に|こちら|다음|여기|따라서`)

// outcome are words for a decision and a result.
var outcome = lazyregexp.New(`(?i)\b(?:plan|verdict|decision)\b|antwort|entscheidung|urteil|änderung|lösung|réponse|décision|modification|correction|respuesta|decisión|veredicto|cambio|resposta|decisão|alteraç|veredito|risposta|decisione|verdetto|modific|ответ|решени|вердикт|изменени|决定|決定|回答|答案|计划|計画|判定|修改|変更|결정|답변|판정|변경|ergebnis|résultat|resultado|risultato|результат|结果|結果|결과`)

// othersSay are stems of words that name another speaker, or an example.
var othersSay = saying(`sagt|schrieb|schreibt|steht|vorschlag von|beispiel|falsch|alte[rsn]? |\bdit\b|écrit|exempl[eo]|ancien|contient|\bdice|dijo|escrib|ejemplo|anterior|contiene|\bdiz|disse|escrev|contém|scriv|scritto|esempio|precedent|пишет|написа|сказал|говорит|предлож|пример|содержит|прежн|他|她|用户|建议|建議|ユーザ|이전|前任|前回|사용자|写道|说|例如|示例|之前的|例えば|言っ|예를|말했|wenn|falls|würde|könnte|\bsi\b|serait|pourrait|sería|podría|seria|poderia|sarebbe|potrebbe|если|бы |如果|もし|만약`)

var (
	lastClause = lazyregexp.New(`^.*(?:[;,—–]| - |\bbut\b|\bso\b|[^\d]\. )\s*`)
	wordish    = lazyregexp.New(`[\pL\pN_]+(?:[.'’/-][\pL\pN_]+)*`)
	listItem   = lazyregexp.New(`^\s*(?:[-+] |\d+[.)] \S+ \S+|\||\[/?INST|\* )`)
)

func set(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// led gives the words right before a decision that do not introduce it as
// one's own, or "". A whole sentence before it, with its full stop, leads to
// nothing.
func led(before string) string {
	trimmed := strings.TrimRight(before, " \t\n`*_>~\"'(=-")
	all := sentences(trimmed)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	line := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	if quoteMark.MatchString(before) {
		return oneLine(last)
	}
	if ending.MatchString(strings.TrimSpace(line)) && !strings.HasSuffix(strings.TrimSpace(line), ":") || listItem.MatchString(line) && !strings.HasSuffix(line, ":") || strings.HasPrefix(strings.TrimSpace(line), ">") {
		return ""
	}
	if introduces(strings.TrimRight(last, ": \t：")) {
		return ""
	}
	return last
}

// quoteMark before a decision says that it is quoted.
var quoteMark = lazyregexp.New(`(?:^|\n)[ \t]*>[ \t]*$`)

// introduces tells whether a phrase introduces one's own decision.
func introduces(phrase string) bool {
	if bound.MatchString(phrase) {
		return false
	}
	if foreignWords(phrase) && !made(phrase) {
		return !othersSay.MatchString(phrase) && (presents.MatchString(phrase) || len(wordish.FindAllString(phrase, -1)) <= 3 && outcome.MatchString(phrase))
	}
	core := lastClause.ReplaceAllString(phrase, "")
	for _, c := range []string{phrase, core} {
		switch {
		case c == "":
			return strings.Contains(strings.ToLower(phrase), "so")
		case acts.MatchString(c) && !hedge.MatchString(c):
			return true
		case made(c):
			return true
		}
	}
	if i := strings.LastIndex(strings.ToLower(phrase), "so "); i >= 0 && (i == 0 || phrase[i-1] == ' ') && !hedge.MatchString(phrase[i:]) {
		return true
	}
	return strings.EqualFold(core, "so")
}

// made tells whether a phrase is made of the words of introductions only.
func made(phrase string) bool {
	list := wordish.FindAllString(strings.ReplaceAll(strings.ToLower(phrase), "’", "'"), -1)
	for i, w := range list {
		if i > 0 && strings.ContainsAny(w, "./") && (list[i-1] == "in" || list[i-1] == "from") { // somewhere else
			return false
		}
		base, _, _ := strings.Cut(w, "'")
		switch {
		case introWords[w], introWords[base] && !strings.HasSuffix(w, "n't"), strings.ContainsAny(w, "./_0123456789"), len(w) == 1:
		case (w == "format" || w == "would" || w == "issue" || w == "bug" || w == "problem" || w == "ticket" || w == "form" || w == "fence") && ownWords.MatchString(phrase):
		default:
			return false
		}
	}
	return len(list) > 0 && !slices.Equal(list, []string{"do"})
}

// foreignWords tells a phrase of another language than English: none of the
// words that hardly an English phrase goes without, or letters beyond ASCII.
func foreignWords(phrase string) bool {
	return strings.ContainsFunc(phrase, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) }) || !englishWords.MatchString(phrase)
}

var englishWords = lazyregexp.New(`(?i)\b(?:the|all|other|any|each|every|both|has|have|its|with|by|from|there|when|because|should|can|will|must|is|are|was|were|i|you|it|this|that|my|to|of|and|for|if|not|be|would|could|says?|said|wrote|example|before|template|here|let|now|then|first|next|step|option|block|` +
	`answer|decision|json|code|plan|verdict|result|output|review|reasoning|analysis|change|fix|file|assistant|reviewer|tester|planner|developer|instead|when|only|something|what|wrong|draft|hypothetically|don't|issue|user|maybe|or|alternatively|otherwise|else)\b`)
