package answer

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Behind a decision that does or passes something nothing is taken but plain
// statements and polite ends. What a statement begins with is closed: the code,
// the change, what holds now. Its main clause says what is, and leaves nothing
// open; what stands behind "because" or "if" in it may.

var (
	begun = saying(`^\W*(?:(?:now|next|then|also|note(?: that)?|in short|in addition|additionally|finally|for (?:now|example)|explanation:?|summary:?|done|note:|and|so|as a result|this way|afterwards?|\d+[.)]):?,? +)*` +
		`(?:(?:the|this|these|that|it|its|there|they|all|no|nothing|nobody|none|every\w*|[a-z]+[a-rt-z]s|for|each|only|both|any|a|an|callers?|tests?|with\w*|without|because|since|if|when|before|after|as|CODE|existing|new|old|other|negative|empty|one|two|three|several|most|some|both|running|removing|adding|moving|using|calling)\b|[a-z_][\w./]*[_./(]\w*` +
		`|(?:i|we)(?:['’]ve| have)? (?:also |only |just |already |simply |deliberately |did not |didn['’]t |could not |couldn['’]t )*(?:remov|analy[sz]|trac|inspect|review|left|leav|kept|keep|add|consider|check|chose|cho[os]s|use|made|ran|look|touch|fix|replac|mov|renam|chang|find|found|verif|test|re-?check|stand by)\w*|(?:i|we)(?:['’]ll| will) (?:then |also |next |now )*(?:look|continue|run|add|fix|check|read|update)\w*)`)
	// what a main clause may not say, where it is the words that are meant
	leaves = saying(`\b(?:answers?|decisions?|json|verdicts?|drafts?|sketch\w*|opinion|proposals?|suggestions?|quot\w+|objection\w*|approval|permission|backup|kidding|joke|wrong file|as you like|incomplete|premature|tentative|provisional|preliminary|unfinished|untested guess|guess)\b` +
		`|\b(?:i|we|you|one) (?:may|might|could)\b|\b(?:maybe|perhaps|possibly|probably not|would|better|rather not|please|double-?check|hold|until|unless|only if|only when|either)\b|\b(?:should|must|has to|needs to|ought to|can) (?:still |first )?(?:stay|remain|be kept|not|wait|be (?:re|dis|post|defer|delay|reverted))|^\W*(?:this|that|the above|these) (?:was|were) (?:what|how|only|just|my|the|a|an)\b|^\W*(?:this|that|it|the above|these) (?:is not (?:my|the|a|an|right|correct|final|meant|what|yet|to)|isn['’]t|would|could|might|may)\b|\b(?:above|aside)\b|\b(?:that said|in hindsight|on the other hand)\b`)
	aside = saying(`\b(?:because|since|so that|when|if|as far as|which|who|where|while|in case|for example|rather than|instead of)\b.*$`)
	ends  = saying(`^\W*(?:done|cheers|thanks?|thank you|sorry for|best regards|regards|ok(?:ay)?|great|good (?:luck|work)|that(?:['’]s| is) (?:it|all)|that should|end of|hope|i hope|please run|then wait for|please (?:find|see)|let me|feel free|if you have|you can (?:run|test|verify)|would you like (?:a|me to add)|should i also|shall i also|estimated|happy|have a|run\b)`)
	// the same in other languages: how a statement begins, and what it may not say
	begunWide = saying(`^\W*(?:der|die|das|damit|jetzt|nun|alle|dadurch|somit|es|viele|mit|danach|eine?|cel[ae]|ceci|la|le|les|il|elle|maintenant|ainsi|désormais|tous|toutes|avec|el|los|las|ahora|con|esto|así|todos|todas|lo|gli|i|ora|questo|così|tutti|tutte|o|os|as|agora|isso|isto|assim|com|теперь|это|тест|функци|все|так|с|после|этот)(?:\PL|$)|^\W*(?:现在|这样|这|該|该|所有|函数|测试|以上就是|修改后|これで|これに|この|関数|テスト|変更|これ|이제|이|함수|테스트)`)
	opens     = saying(`\b(?:nicht|kein\w*|nie|nur|bloß|entwurf|doch|bitte|erst|aber|oder|vielleicht|war|würde|könnte|pas|jamais|seulement|ébauche|brouillon|mais|ou|peut-être|serait|était|no|nunca|sólo|solo|borrador|pero|tal vez|quizás?|por favor|sería|era|fue|non|mai|bozza|ma|forse|sarebbe|não|só|rascunho|mas|talvez|seria|foi)\b|qu['’]un|(?:^|\s)(?:не|нет|только|черновик|но|или|может|было|был|бы|пожалуйста)(?:\s|$)|не |不|勿|别|请|只|仅|但|或|草|ません|ない|案|だけ|すぎ|ください|않|마세요|아니|만 |初稿|先`)
)

// unstated gives the first sentence behind a decision that is neither a plain
// statement nor a polite end, or "".
func unstated(behind string) string {
	for _, one := range sentences(struck.ReplaceAllString(behind, " ")) {
		one = strings.TrimSpace(listMark.ReplaceAllString(one, ""))
		switch {
		case strings.HasSuffix(one, ":") || strings.HasSuffix(one, "："): // leads to a block
		case !strings.ContainsFunc(one, isLetter), ends.MatchString(one), closing.MatchString(one), made(one), len(wordish.FindAllString(one, -1)) == 1 && strings.Contains(one, "CODE"):
		case foreignWords(one):
			if !begunWide.MatchString(one) || opens.MatchString(one) {
				return one
			}
		case !begun.MatchString(one), leaves.MatchString(aside.ReplaceAllString(one, "")):
			return one
		}
	}
	return ""
}

var listMark = lazyregexp.New(`^(?:[-*+#>]+\s+|\d+[.)]\s+|[*_]+)+`)
