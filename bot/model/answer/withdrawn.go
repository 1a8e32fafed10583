package answer

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A decision that its own author takes back in the words behind it is none.
// Nor is one that is said with a condition, or beside another word that could
// be decided.

const begins = `(?:(?:^|[.!?:\n])[\s*_>"']*|\b(?:but|oh|hmm+|no),?\s+)` // of a sentence

var (
	takesBack = lazyregexp.New(`(?i)(?:` + begins + `(?:wait|hold on|hang on|hmm+|oops|whoops|sorry|apologies|correction|edit|no)\s*(?:[,.!:;…—–-]|$)` +
		`|` + begins + `actually\b` +
		`|\b(?:scratch that|strike that|never ?mind|on second (?:thoughts?|look)|on reflection|(?:i )?take (?:that|it) back|changed? my mind|my mistake|my bad|i was wrong|i made an? (?:mistake|error)|start(?:ing)? over)\b` +
		`|\blet me (?:rethink|reconsider|redo|revise|think again|start (?:over|again))\b` +
		`|\b(?:ignore|disregard|discard|forget|retract|withdraw)\s+(?:about\s+)?(?:(?:the|that|this|my|all|of|everything|what|i|above|previous|prior|earlier|first|last|said|json)\s+){0,4}` +
		`(?:above|previous|earlier|plan|answer|decision|json|actions?|verdict|recommendation|proposal|object|response|edit|change|block|that|this|it|everything)\b)`)
	takesBackWork = lazyregexp.New(`(?i)(?:\b(?:that|this|the above|my (?:answer|decision|plan|change|edit))(?:'s|’s| is| was| isn't| isn’t)\s+(?:actually |completely |also |all |still )*(?:wrong|incorrect|a mistake|mistaken|(?:not )?(?:right|correct)\b)` +
		`|\b(?:do not|don't|don’t|never)\s+(?:apply|run|execute|use|do|perform)\s+(?:it|this|that|these|any of|the (?:above|change|edit|plan|json|actions?)))`)
	goesOn = lazyregexp.New(`(?i)(?:\b(?:unless|only if|only when|provided that|as long as|on (?:the )?condition|if and only if)\b` +
		`|\b(?:do not|don't|don’t|should not|shouldn't|shouldn’t|must not|cannot|can't|can’t|not)\s+(?:be\s+|yet\s+)*(?:merge|merged|commit|committed|accept|accepted|pass|ship|shipped|ready)\b` +
		`|\b(?:fix|fixed|fixing|mend|mended|add|added|adding|change|changed|changing)\b[^.\n]{0,60}\b(?:before|first)\b)`)
	// said of a decision for the developer: it is asked about, or put off
	asksBack = lazyregexp.New(`(?i)(?:\b(?:shall|should|may|can) i (?:proceed|go ahead|apply|do (?:this|that|it|so)|make (?:this|the|these)|delete|remove|run|execute)\b[^?\n]*\?` +
		`|\b(?:would|do) you (?:like|want) me to (?:proceed|go ahead|apply|make (?:this|these)|do (?:this|that|it))\b|\bplease (?:confirm|approve)\b|\b(?:await(?:ing)?|wait(?:ing)? for) (?:your )?(?:confirmation|approval|go-ahead|permission)\b` +
		`|\bis (?:that|this) (?:ok|okay|right|fine|correct|what you want(?:ed)?)\b[^.?\n]*\?|\b(?:apply|do|run|use|execute|perform) (?:this|that|it|these)\s+(?:only )?(?:if|when|unless|after|once)\b` +
		`|\bonly (?:apply|do|run|use|execute|perform|if)\b|\bunless\b|\b(?:i|we) (?:will not|won't|won’t|refuse to|would not|wouldn't) (?:do|run|apply|execute|follow|obey|perform) (?:it|this|that|so|these)\b)`)
	// said of an answer that goes on in another one
	continues = lazyregexp.New(`(?i)(?:\bto be continued\b|\bcontinue[sd]?\W{0,3}(?:in|with) (?:the |my |a )?(?:next|second|following|another) (?:message|part|response|answer|reply)\b|\bpart (?:1|one) (?:of|/) (?:[2-9]|two|three)\b` +
		`|[\[(<](?:truncated|cut off|continued|continues|output truncated|response truncated)[\])>]|\bmore (?:code|blocks|actions) (?:follow|will follow|to follow|to come)\b|\bcontinued\W*$)`)
	thinksOn = lazyregexp.New(`(?i)[<◁\[](?:` + thinking + `)[>▷\]]`)
	says     = lazyregexp.New(`(?i)\b(?:verdict|recommendation|decision|recommend)\b[\s*_:=]*(?:is|would be)?[\s*_:="'\x60]*([A-Za-z_]+)`)
)

// withdrawn refuses a decision that prose takes back. before and behind are
// the prose on its sides.
func (s *Shape[T]) withdrawn(object map[string]any, before, behind string) *Malformed {
	before = struck.ReplaceAllString(before, " ")
	editing, passing := s.word == "", false
	chosen := s.chosen(object)
	if options := s.options(); len(options) > 0 {
		passing = sameWord(options[0], chosen) // the first is the one that lets pass
	}
	for _, m := range []string{led(before), doubtful(before, false, editing, passing), doubtful(behind, true, editing, passing)} {
		if m != "" {
			return s.doubted(m)
		}
	}
	if m := unstated(behind); m != "" && (editing || passing) {
		return s.doubted(m)
	}
	taking := []*lazyregexp.Regexp{takesBack, thinksOn, continues}
	switch {
	case editing:
		taking = append(taking, takesBackWork, asksBack)
	case passing:
		taking = append(taking, goesOn)
	}
	for _, p := range taking {
		if m := p.FindString(behind); m != "" {
			return s.doubted(m)
		}
	}
	if editing {
		return s.takenBackInside(object)
	}
	return s.otherWord(chosen, before, behind)
}

// chosen is the word that a decision between words gives, as it stands there.
func (s *Shape[T]) chosen(object map[string]any) string {
	for key, v := range object {
		text, isText := v.(string)
		if name := snake(key); isText && s.word != "" && (name == s.word || s.names[name] == s.word) {
			return text
		}
	}
	return ""
}

// otherWord refuses a decision beside which another of its words is decided.
func (s *Shape[T]) otherWord(chosen, before, behind string) *Malformed {
	for _, o := range s.options() {
		if sameWord(o, chosen) {
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
	return nil
}

func (s *Shape[T]) doubted(words string) *Malformed {
	return malformed(SchemaInvalid, "the words beside the %s say otherwise (%q); give only what you decided", s.Name, oneLine(strings.Trim(words, " \n.!?:")))
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
var notToDo = lazyregexp.New(`(?i)\b(?:do not|don't|don’t|never|please don't)\s+(?:apply|run|execute|perform)\s+(?:it|this|that|these|any of|the (?:above|change|edit|plan|actions?))\b|\b(?:just|only) an example\b|\bexample only\b|\b(?:ignore|disregard) (?:this|these|the) (?:action|actions|answer|edit|change)s?\b|^\W*(?:wait|scratch that|never ?mind)\b`)
