package code

// checkIndentation finds what Python's tokenizer refuses and tree-sitter's
// grammar lets pass: an unexpected indent, a missing block, an unindent that
// matches no level, a literal newline in a string, tabs and spaces that can
// be read two ways. It follows the reference's lexical rules for logical
// lines (docs.python.org/3/reference/lexical_analysis.html#indentation).
func checkIndentation(t *Tree) []SyntaxError {
	s := indentScan{t: t, src: t.Src, stack: []level{{}}, strings: stringSpans(t)}
	if e := s.run(); e != nil {
		return []SyntaxError{*e}
	}
	return nil
}

// level is an indentation, with tabs up to 8 columns and tabs as one: the two
// must order lines in the same way.
type level struct{ wide, narrow int }

type indentScan struct {
	t       *Tree
	src     []byte
	at      int
	stack   []level
	depth   int  // of open brackets
	colon   bool // the last logical line ended with a colon
	last    byte // last significant byte of this logical line
	strings []span2
}

type span2 struct{ start, end int }

// stringSpans lists the spans of whole string literals in order.
func stringSpans(t *Tree) []span2 {
	var out []span2
	t.Walk(func(n Node) bool {
		if n.Kind() == "string" {
			out = append(out, span2{n.Start(), n.End()})
			return false
		}
		return true
	})
	return out
}

func (s *indentScan) run() *SyntaxError {
	if len(s.src) >= 3 && string(s.src[:3]) == "\ufeff" {
		s.at = 3
	}
	start := true
	for s.at < len(s.src) {
		if start {
			skip, err := s.lineStart()
			if err != nil {
				return err
			}
			if skip {
				continue
			}
			start = false
		}
		if s.skipString() {
			continue
		}
		c := s.src[s.at]
		switch {
		case c == '#':
			s.skipLine()
			continue
		case c == '\\' && s.endsWith("\\"):
			return s.fail(s.at, "the file ends behind a backslash, which joins the next line")
		case c == '\\' && s.continuation():
			continue
		case c == '\n' && s.depth == 0:
			s.colon, s.last, start = s.last == ':', 0, true
		case c == '(' || c == '[' || c == '{':
			s.depth++
		case c == ')' || c == ']' || c == '}':
			s.depth = max(0, s.depth-1)
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '\f' {
			s.last = c
		}
		s.at++
	}
	if s.colon || s.last == ':' {
		return s.fail(len(s.src), "expected an indented block at the end of the file")
	}
	return nil
}

func (s *indentScan) fail(at int, message string) *SyntaxError {
	e := s.t.errorAt(at, message)
	return &e
}

// lineStart reads the indentation of a logical line; skip tells a blank or
// comment line.
func (s *indentScan) lineStart() (skip bool, err *SyntaxError) {
	begin := s.at
	var in level
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case ' ':
			in.wide, in.narrow = in.wide+1, in.narrow+1
		case '\t':
			in.wide, in.narrow = (in.wide/8+1)*8, in.narrow+1
		case '\f':
			in = level{}
		default:
			return s.judge(begin, in)
		}
		s.at++
	}
	return true, nil
}

func (s *indentScan) judge(begin int, in level) (bool, *SyntaxError) {
	switch s.src[s.at] {
	case '#', '\r', '\n':
		s.skipLine()
		if s.at < len(s.src) {
			s.at++
		}
		return true, nil
	}
	top := s.stack[len(s.stack)-1]
	fail := func(message string) (bool, *SyntaxError) { return false, s.fail(begin, message) }
	if (in.wide > top.wide) != (in.narrow > top.narrow) || (in.wide < top.wide) != (in.narrow < top.narrow) {
		return fail("inconsistent use of tabs and spaces in indentation")
	}
	switch {
	case s.colon && in.wide <= top.wide:
		return fail("expected an indented block")
	case s.colon:
		s.stack = append(s.stack, in)
	case in.wide > top.wide:
		return fail("unexpected indent")
	default:
		for in.wide < s.stack[len(s.stack)-1].wide {
			s.stack = s.stack[:len(s.stack)-1]
		}
		if in != s.stack[len(s.stack)-1] {
			return fail("unindent does not match any outer indentation level")
		}
	}
	s.colon = false
	return false, nil
}

// skipString jumps over a string literal that begins here.
func (s *indentScan) skipString() bool {
	for len(s.strings) > 0 && s.strings[0].end <= s.at {
		s.strings = s.strings[1:]
	}
	if len(s.strings) == 0 || s.strings[0].start != s.at {
		return false
	}
	s.at, s.last = s.strings[0].end, '"'
	return true
}

func (s *indentScan) skipLine() {
	for s.at < len(s.src) && s.src[s.at] != '\n' {
		s.at++
	}
}

// endsWith tells whether the text ends with the sign here, and a line ending
// at most.
func (s *indentScan) endsWith(sign string) bool {
	rest := string(s.src[s.at:min(len(s.src), s.at+3)])
	return rest == sign || rest == sign+"\n"
}

// continuation jumps over a backslash at the end of a line.
func (s *indentScan) continuation() bool {
	rest := s.src[s.at+1:]
	switch {
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		s.at += 3
	case len(rest) > 0 && rest[0] == '\n':
		s.at += 2
	default:
		return false
	}
	return true
}
