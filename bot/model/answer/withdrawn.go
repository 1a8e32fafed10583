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
	thinksOn = regexp.MustCompile(`(?i)[<◁\[](?:` + thinking + `)[>▷\]]`)
	says     = regexp.MustCompile(`(?i)\b(?:verdict|recommendation|decision|recommend)\b[\s*_:=]*(?:is|would be)?[\s*_:="'\x60]*([A-Za-z_]+)`)
)

// withdrawn refuses a decision that prose takes back. before and behind are
// the prose on its sides.
func (s *Shape[T]) withdrawn(object map[string]any, before, behind string) *Malformed {
	for _, p := range []*regexp.Regexp{takesBack, thinksOn} {
		if m := p.FindString(behind); m != "" {
			return s.doubted(m)
		}
	}
	if s.word == "" {
		if m := takesBackWork.FindString(behind); m != "" {
			return s.doubted(m)
		}
		return nil
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
