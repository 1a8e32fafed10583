package answer

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// The words beside a decision are read sentence by sentence. Plain statements
// about the code and plain introductions do no harm. A sentence makes the
// decision doubtful when it asks, doubts, takes back, forbids, or offers
// something else. Right before a decision nothing is taken but an introduction
// that says whose decision it is: mine, here, now. Stems stand for the words of
// the languages that models answer in.

// doubt is a way in which a sentence makes a decision doubtful.
type doubt struct {
	name    string
	behind  bool // counts only behind the decision
	edit    bool // counts only beside actions and plans
	passing bool // counts only beside a verdict that lets pass
	words   *lazyregexp.Regexp
	unless  *lazyregexp.Regexp // what makes such a sentence harmless; nil: nothing
}

// stems of words for what was decided, and for carrying it out
const (
	decided = `(?:answers?|decisions?|json|plans?|verdicts?|recommendations?|proposals?|suggestions?|responses?|repl(?:y|ies)|objects?|actions?|patch(?:es)?|edits?|changes?` +
		`|antwort|entscheidung|urteil|änderung|vorschlag|réponse|décision|modification|changement|proposition|respuesta|decisión|veredicto|cambio|propuesta|resposta|decisão|plano|veredito|alteraç|mudanç|proposta|risposta|decisione|piano|verdetto|modific` +
		`|ответ|решени|вердикт|правк|изменени|предложени|决定|決定|回答|答案|计划|計画|判定|结论|修改|改动|変更|提案|결정|답변|판정|변경|제안)`
	carry = `(?:appl(?:y|ied|ying)|execut(?:e|ed|ing)|perform(?:ed)?|follow(?:ed)? (?:it|this|that)|trust(?:ed)?|obey(?:ed)?` +
		`|(?:do|doing|use|run|take|share|support|stand by|mean|follow) (?:it|this|that|these|them|the (?:above|following)|anything above)|agree with (?:it|this|that))`
	negated = `(?:not|never|n['’]t|cannot|no longer)`
)

func saying(pattern string) *lazyregexp.Regexp { return lazyregexp.New(`(?i)(?:` + pattern + `)`) }

var doubts = []doubt{
	{name: "question", words: saying(`[?？]\W*$|^\W*¿`),
		unless: saying(`\b(?:also|as well|too|another|more|further|else)\b|^\W*(?:why|what|how|where)\b[^?]*\b(?:fail|break|wrong|happen|raise|crash|return|come)`)},
	{name: "forbidden", words: saying(`(?:\b(?:do|must|should|shall|would|will|may|better)\s+not|\b(?:don|mustn|shouldn|won|wouldn)['’]t|\bnever|\bnot to)\s+(?:(?:be|been|yet|to|actually|really|want|you|even|ever|have)\s+){0,3}` + carry + `\b|\b(?:must|should|may|can|shall) not be (?:used|done|run|taken)\b|\brefuse to\b` +
		`|\bnicht (?:ausführen|anwenden|umsetzen|übernehmen|durchführen|verwenden|benutzen)|\bn(?:e l['’]|e |['’])(?:appliqu|exécut|utilis)\S* (?:pas|jamais)|\b(?:no|não|nunca|non|ne) (?:lo |la |o |a |le )?(?:apli[cq]|ejecut|execut|uses\b|usar?\b|eseg|applic)|не (?:применяй|выполняй|используй|исполняй|(?:надо|нужно|следует|стоит) )` +
		`|(?:不要|别|勿|不应|不能|不可)(?:再)?(?:执行|应用|使用|采用|删除|合并)|(?:実行|適用|使用|削除)しないで|(?:실행|적용|사용|삭제)하지 ?(?:마|않)`)},
	{name: "declined", passing: true, words: saying(`\b\w*` + negated + `\s+(?:(?:be|been|yet|to|actually|really|want|you|even|ever|have)\s+){0,3}(?:accept|approv|merg|commit|endors|recommend|ship|pass)\w*\b`)},
	{name: "owed", passing: true, words: saying(`\b(?:must|has to|have to|needs? to|should|ought to) (?:first |still |also )*(?:be )?(?:fix|chang|add|rework|correct|resolv|address|remov|revert|rewrit)\w*\b|\b(?:needs?|requires?) (?:more |another |further )?(?:work|fix\w*|chang\w*|rework\w*)\b`)},
	{name: "taken back", behind: true, words: saying(`\b(?:i|we) (?:overlooked|misread|misunderstood|missed|mixed up|confused|forgot|meant|was wrong|should have|take .{0,30}back)\b|\b(?:void|retracted|withdrawn|obsolete|superseded|moot)\b` +
		`|^\W*(?:korrektur|moment|halt|stopp?|warte|quatsch|vergiss|correction|attend(?:s|ez)|erreur|rectif|corrección|correção|correzione|esper[ae]|aspetta|поправк|подожд|стоп|更正|等等|不对|抱歉|對不起|对不起|訂正|待って|잠깐|정정|죄송)` +
		`|nehme? (?:ich )?.{0,30}zurück|ziehe .{0,40}zurück|hinfällig|ungültig|verworfen|(?:ignorier|vergiss|verwirf|ignor[ea]|oublie|olvid|esque[cç]|annul|anul|retir|ritir|dimentic)\w* .{0,20}` + decided +
		`|отмен(?:яю|ите|ить)|забудь|беру .{0,20}назад|отзыва|игнорир|作废|撤回|撤销|收回|忽略|取り消|無視して|やめ(?:ます|て)|취소|철회|무시`)},
	{name: "not mine", words: saying(`\b(?:that|this|it|which)(?: is|['’]s| was)? what (?:you (?:said|wrote|recommend|suggest|propos)|(?:the |our |a )?(?:[a-hj-xz]|i\w)[\w-]*(?: \w+)? (?:said|wrote|recommend|suggest|propos|decid|want|ask))|\bi (?:do not|don['’]t|cannot|can['’]t) (?:share|agree|support|endorse|recommend|approve)` +
		`|\b(?:injected|injection|malicious|manipulat\w+|suspicious)\b|\b(?:quoted?|quoting|citing)\b.{0,30}\b(?:above|below|from)|\b(?:above|below|this) (?:is|was) (?:only |just )?(?:a |an )?(?:quot|copied|example|draft|sketch|hypothe|sample|template|illustrat)|\b(?:treat|consider|regard) (?:the above|the decision|this|that|it|these) (?:\w+ )?as\b|\b(?:it|this|that) is (?:only|just|merely) an? (?:\w+ )?(?:quote|example|draft|sketch|sample|idea|suggestion|thought)`)},
	{name: "not sure", words: saying(`\b(?:i am|i['’]m|we are) (?:not|un)\s*(?:\w+ )?(?:sure|certain|convinced|confident|allowed|able)\b|\bi (?:do not|don['’]t) (?:yet )?know\b|\b(?:have not|haven['’]t|could not|couldn['’]t|did not|didn['’]t|not) (?:yet )?(?:been able to |be able to )?(?:look|review|run|verify|judge|decide|see|check)\w*(?: \w+){0,3} (?:change|patch|diff|anything|it|yet|myself)\b` +
		`|\bbefore i (?:make|decide|can|answer|give|settle|commit)\b|\bi (?:still )?need to know\b.{0,40}\b(?:size|whether|which|how|if)\b|\bup to you\b|\byour (?:call|choice|decision)\b|\b(?:you|user) (?:decide|choose)\b` +
		`|\bbin (?:mir )?(?:nicht|un)\s*sicher|\bweiß (?:ich )?nicht\b|\b(?:pas|no|non|não) (?:estoy |sono |estou |tenho )?(?:sûre?|segur|sicur|certeza)|\bne sais pas\b|\bno (?:lo )?sé\b|\bnon (?:lo )?so\b|\bnão sei\b|не (?:уверен|знаю)|不(?:太)?(?:确定|知道|清楚)|分かりません|わかりません|모르겠|확실하지`)},
	{name: "put off", behind: true, edit: true, words: saying(`\b(?:please (?:confirm|approve|tell me|decide|choose|advise)|(?:a?waiting|wait) (?:for|on) (?:your|the (?:user|owner|go))|let me know (?:whether|which|if (?:this|that|it|you (?:agree|approve|confirm))\b)|your (?:confirmation|approval|permission|consent|go-ahead|feedback))\b` +
		`|\b(?:soll|darf|kann) ich\b.*\?|bestätig|\bwarte auf|freigabe|\bconfirm(?:e|er|ez|en|ar|ation|ación|ação|i)\b|\baguardo\b|\battend(?:s|o)\b|\bd[íi]ganme\b|\bdime\b|\bjattends\b|подтверд|\bжду|ожидаю|(?:请|等待|待).{0,6}(?:确认|批准|同意)|確認して(?:ください|から)|お待ち|확인해|기다`)},
	{name: "condition", words: saying(`^\W*(?:suppose|supposing|assum(?:e|ing)|provided|imagine|hypothetically|in case)\b|\b(?:then and only then|only if|only when|provided that|on condition|if and only if)\b|^\W*(?:if|when|once|unless)\b.{0,90}\b(?:` + decided + `|apply|answer|respond)\b.{0,40}\b(?:would|could|might|will|be|is|apply|say)\b` +
		`|\b(?:would|could|might) (?:have been|be|look like|answer|respond|say|recommend|apply)\b.{0,30}\b(?:this|following|like|below|above)\b|\bnur (?:wenn|falls)|angenommen|vorausgesetzt|\bseulement si|à condition|supposons|\bs[oó]lo si|siempre que|supong|\bsó se\b|desde que|suponh|\bsolo se\b|a condizione|supponi|только если|при условии|допустим|предположим|假如|假设|仅当|除非|只有.{0,20}才|の場合(?:のみ|に限り)|만약`)},
	{name: "choice", words: saying(`\b(?:would|do) you (?:rather|prefer)\b|\balternatively\b|\b(?:option|variant|alternative) (?:[abc]|[123]|one|two)\b.{0,60}\b(?:or|option|variant|alternative)\b|\b(?:i|we) (?:can|could) also (?:let|accept|reject|do|give|answer|return|choose)\b|\botherwise (?:treat|it|the|i|use|reject|accept)\b` +
		`|\bthe other (?:` + decided + `|option|choice)\b|\beither of (?:these|them|the)\b|\bpick (?:one|whichever)\b`)},
}

// closing is a polite end that asks for nothing.
var closing = saying(`\blet me know if (?:you(?:'d| would|’d)? ?(?:need|want|like|have)|i can|anything|there)|\bhope (?:this|that) helps\b|\bfeel free\b|\bhappy to\b`)

// doubtful gives the first sentence of words beside a decision that makes it
// doubtful, or "". editing tells actions and plans from verdicts, passing those
// that let pass.
func doubtful(text string, behind, editing, passing bool) string {
	for _, one := range sentences(text) {
		for _, d := range doubts {
			if d.behind && !behind || d.edit && !editing || d.passing && !passing || !d.words.MatchString(one) || closing.MatchString(one) || d.unless != nil && d.unless.MatchString(one) {
				continue
			}
			return one
		}
	}
	return ""
}

var (
	spans     = lazyregexp.New("`[^`\n]*`")
	tags      = lazyregexp.New(`</?[A-Za-z_|][^<>\n]*>|\x1b?\[[0-9;]*m`)
	struck    = lazyregexp.New(`(?s)~~.*?~~|<!--.*?-->|<(?:del|s|strike)>.*?</(?:del|s|strike)>`)
	sentence  = lazyregexp.New(`[^.!?。！？\n]*(?:[.!?。！？…]+["')\]*_]*(?:\s|$)|[.][^\s.]|[。！？]|\n|$|[.!?…])`)
	ending    = lazyregexp.New(`[.!?。！？…]["')\]*_]*\s*$|\n$`)
	shortened = strings.NewReplacer("e.g.", "for example", "i.e.", "that is", "etc.", "etc")
)

// sentences parts prose. What stands in a code span counts as one word.
func sentences(text string) []string {
	text = tags.ReplaceAllString(spans.ReplaceAllString(shortened.Replace(text), "CODE"), " ")
	var out []string
	part := ""
	for _, m := range sentence.FindAllString(text, -1) {
		if part += m; ending.MatchString(m) {
			out = append(out, strings.TrimSpace(part))
			part = ""
		}
	}
	out = append(out, strings.TrimSpace(part))
	kept := out[:0]
	for _, s := range out {
		if strings.ContainsFunc(s, isWord) {
			kept = append(kept, s)
		}
	}
	return kept
}
