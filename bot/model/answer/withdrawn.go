package answer

import (
	"regexp"
	"strings"
)

// A decision that its own author takes back in the words behind it is none.
// Nor is one that is said with a condition, or beside another word that could
// be decided.

const begins = `(?:(?:^|[.!?:\n])[\s*_>"']*|\b(?:but|oh|hmm+|no),?\s+)` // of a sentence

var (
	takesBack = regexp.MustCompile(`(?i)(?:` + begins + `(?:wait|hold on|hang on|hmm+|oops|whoops|sorry|apologies|correction|edit|no)\s*(?:[,.!:;…—–-]|$)` +
		`|` + begins + `actually\b` +
		`|\b(?:scratch that|strike that|never ?mind|on second (?:thoughts?|look)|on reflection|(?:i )?take (?:that|it) back|changed? my mind|my mistake|my bad|i was wrong|i made an? (?:mistake|error)|start(?:ing)? over)\b` +
		`|\blet me (?:rethink|reconsider|redo|revise|think again|start (?:over|again))\b` +
		`|\b(?:ignore|disregard|discard|forget|retract|withdraw)\s+(?:about\s+)?(?:(?:the|that|this|my|all|of|everything|what|i|above|previous|prior|earlier|first|last|said|json)\s+){0,4}` +
		`(?:above|previous|earlier|plan|answer|decision|json|actions?|verdict|recommendation|proposal|object|response|edit|change|block|that|this|it|everything)\b)`)
	takesBackWork = regexp.MustCompile(`(?i)(?:\b(?:that|this|the above|my (?:answer|decision|plan|change|edit))(?:'s|’s| is| was| isn't| isn’t)\s+(?:actually |completely |also |all |still )*(?:wrong|incorrect|a mistake|mistaken|(?:not )?(?:right|correct)\b)` +
		`|\b(?:do not|don't|don’t|never)\s+(?:apply|run|execute|use|do|perform)\s+(?:it|this|that|these|any of|the (?:above|change|edit|plan|json|actions?)))`)
	goesOn = regexp.MustCompile(`(?i)(?:\b(?:unless|only if|only when|provided that|as long as|on (?:the )?condition|if and only if)\b` +
		`|\b(?:do not|don't|don’t|should not|shouldn't|shouldn’t|must not|cannot|can't|can’t|not)\s+(?:be\s+|yet\s+)*(?:merge|merged|commit|committed|accept|accepted|pass|ship|shipped|ready)\b` +
		`|\b(?:fix|fixed|fixing|mend|mended|add|added|adding|change|changed|changing)\b[^.\n]{0,60}\b(?:before|first)\b)`)
	// said of a decision for the developer: it is asked about, or put off
	asksBack = regexp.MustCompile(`(?i)(?:\b(?:shall|should|may|can) i (?:proceed|go ahead|apply|do (?:this|that|it|so)|make (?:this|the|these)|delete|remove|run|execute)\b[^?\n]*\?` +
		`|\b(?:would|do) you (?:like|want) me to (?:proceed|go ahead|apply|make (?:this|these)|do (?:this|that|it))\b|\bplease (?:confirm|approve)\b|\b(?:await(?:ing)?|wait(?:ing)? for) (?:your )?(?:confirmation|approval|go-ahead|permission)\b` +
		`|\bis (?:that|this) (?:ok|okay|right|fine|correct|what you want(?:ed)?)\b[^.?\n]*\?|\b(?:apply|do|run|use|execute|perform) (?:this|that|it|these)\s+(?:only )?(?:if|when|unless|after|once)\b` +
		`|\bonly (?:apply|do|run|use|execute|perform|if)\b|\bunless\b|\b(?:i|we) (?:will not|won't|won’t|refuse to|would not|wouldn't) (?:do|run|apply|execute|follow|obey|perform) (?:it|this|that|so|these)\b)`)
	// said of an answer that goes on in another one
	continues = regexp.MustCompile(`(?i)(?:\bto be continued\b|\bcontinue[sd]?\W{0,3}(?:in|with) (?:the |my |a )?(?:next|second|following|another) (?:message|part|response|answer|reply)\b|\bpart (?:1|one) (?:of|/) (?:[2-9]|two|three)\b` +
		`|[\[(<](?:truncated|cut off|continued|continues|output truncated|response truncated)[\])>]|\bmore (?:code|blocks|actions) (?:follow|will follow|to follow|to come)\b|\bcontinued\W*$)`)
	thinksOn = regexp.MustCompile(`(?i)[<◁\[](?:` + thinking + `)[>▷\]]`)
	says     = regexp.MustCompile(`(?i)\b(?:verdict|recommendation|decision|recommend)\b[\s*_:=]*(?:is|would be)?[\s*_:="'\x60]*([A-Za-z_]+)`)
)

// withdrawn refuses a decision that prose takes back. before and behind are
// the prose on its sides.
func (s *Shape[T]) withdrawn(object map[string]any, before, behind string) *Malformed {
	if m := introduced(before); m != "" {
		return s.doubted(m)
	}
	for _, p := range []*regexp.Regexp{takesBack, thinksOn, continues} {
		if m := p.FindString(behind); m != "" {
			return s.doubted(m)
		}
	}
	if s.word == "" {
		for _, p := range []*regexp.Regexp{takesBackWork, asksBack} {
			if m := p.FindString(behind); m != "" {
				return s.doubted(m)
			}
		}
		return s.takenBackInside(object)
	}
	decided := ""
	for key, v := range object {
		text, isText := v.(string)
		if name := snake(key); isText && (name == s.word || s.names[name] == s.word) {
			decided = text
		}
	}
	options := s.options()
	for _, o := range options {
		if sameWord(o, decided) {
			continue
		}
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(o) + `\b`).MatchString(behind) {
			return s.doubted(o)
		}
		for _, m := range says.FindAllStringSubmatch(before+"\n"+behind, -1) {
			if sameWord(o, m[1]) {
				return s.doubted(m[0])
			}
		}
	}
	if len(options) > 0 && sameWord(options[0], decided) { // the first is the one that lets pass
		if m := goesOn.FindString(behind); m != "" {
			return s.doubted(m)
		}
	}
	return nil
}

func (s *Shape[T]) doubted(words string) *Malformed {
	return malformed(SchemaInvalid, "the words beside the %s say otherwise (%q); give only what you decided", s.Name, oneLine(strings.Trim(words, " \n.!?:")))
}

const undecided = `(?:answer|attempt|decision|plan|draft|reply|response|version|idea|approach|json|proposal|try|solution|change|edit|object)s?`

// notMeant is how a sentence ends, or begins, behind which a decision stands
// that is quoted, rejected, thought of or bound to a condition.
var notMeant = regexp.MustCompile(`(?i)(?:` +
	`\b(?:do not|don't|don’t|never|not to|should not|shouldn't|must not|won't|won’t|will not|wouldn't|wouldn’t|would not|cannot|can't|avoid|refuse to)\s+(?:\w+\s+)?(?:do|doing|use|using|apply|run|execute|answer|answering|return|returning|send|sending|give|giving|propose|recommend|accept|choose|like|follow|write|want|output)\b(?:\s+\w+){0,4}\W*$` +
	`|\b(?:wrong|incorrect|bad|invalid|rejected|outdated|old|previous|earlier|discarded|abandoned|former|original)\s+(?:\w+\s+)?` + undecided + `(?:\s+(?:was|is|were|would be|looked like|said|here|above|had|reads?))*\W*$` +
	`|^\W*(?:wrong|incorrect|bad|rejected|discarded|not this|draft|first draft|before|previously|old)\W*$` +
	`|\b(?:issue|user|comment|file|log|prompt|instructions?|messages?|documents?|docs?|readme|they|he|she|somebody|someone|text|ticket|author)(?:'s \w+)? (?:says?|said|contains?|reads|wrote|asks? for|wants?|tells? me to|asks? me to|requests?|demands?|suggests?|proposes?|quotes?)(?:\s+(?:this|that|the following|to|me|us|run|do|use))*\W*$` +
	`|\b(?:for example|e\.g\.?|for instance|something like(?: this)?|an? example(?: \w+){0,3}|example (?:answer|output|response|decision|of (?:an?|the) \w+)|examples?|sample(?: answer| output| response)?|template|placeholder|hypothetical(?:ly)?|instead of(?: this| that| doing| using)?|rather than(?: this| that)?)\W*$` +
	`|\b(?:could|might) (?:have )?(?:be|been|look|answer|answered|return|respond|do|done|also|try|use|say|said|then)\b(?:\s+\w+){0,3}\W*$` +
	`|\b(?:i|we) (?:considered|thought (?:of|about)|was going to|were going to|had planned|would have|almost|first thought|wanted to|was tempted to)\b[^.]{0,60}$` +
	`|^\W*(?:only )?(?:if|when|unless|in case|should|once|assuming|provided)\s+(?:[^i\s]|i\w|it\b)[^:]{0,100}:?\W*$` +
	`|\b(?:if|unless|once) (?:you (?:agree|confirm|approve|want|like|prefer)|(?:the |all )?(?:tests?|checks?|build)\b[^,.]{0,30}\b(?:pass|passes|fail|fails|green|red)|approved|confirmed)\W*$` +
	`|\b(?:format|form|schema|structure|shape|syntax|contract)(?: (?:is|looks|should|must|was|of|would|an?|the|answer|decision|like|be|as|follows?|this))*\W*$)`)

// lastWords is the end of the last sentence of a text.
var lastWords = regexp.MustCompile(`[^.!?;\n]*[:,–—\s*_>` + "`" + `-]*$`)

// introduced gives the words right before a decision that say that it is not
// meant, or "".
func introduced(before string) string {
	before = strings.TrimRight(before, " \t\n`")
	before = strings.ReplaceAll(before, "e.g.", "for example")
	if len(before) > 400 {
		before = strings.ToValidUTF8(before[len(before)-400:], "")
	}
	return notMeant.FindString(strings.TrimSpace(lastWords.FindString(before)))
}

// takenBackInside refuses actions of which their own words say not to do them.
func (s *Shape[T]) takenBackInside(object map[string]any) *Malformed {
	said := func(v map[string]any) *Malformed {
		for key, x := range v {
			text, isText := x.(string)
			if name := snake(key); !isText || name != "explanation" && name != "reason" && name != "summary" && s.names[name] != "explanation" {
				continue
			}
			if m := notToDo.FindString(text); m != "" {
				return s.doubted(m)
			}
		}
		return nil
	}
	if bad := said(object); bad != nil {
		return bad
	}
	list, _ := object[s.many].([]any)
	for _, x := range list {
		if v, ok := x.(map[string]any); ok {
			if bad := said(v); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// notToDo says of actions that they shall not be done.
var notToDo = regexp.MustCompile(`(?i)\b(?:do not|don't|don’t|never|please don't)\s+(?:apply|run|execute|perform)\s+(?:it|this|that|these|any of|the (?:above|change|edit|plan|actions?))\b|\b(?:just|only) an example\b|\bexample only\b|\b(?:ignore|disregard) (?:this|these|the) (?:action|actions|answer|edit|change)s?\b|^\W*(?:wait|scratch that|never ?mind)\b`)
