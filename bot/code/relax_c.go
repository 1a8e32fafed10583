package code

import (
	"bytes"

	"github.com/fettle-dev/fettle/bot/code/grammar"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

const (
	macro = `[A-Z_][A-Z0-9_]{4,}`
	args  = `(?:\s*\((?:[^(){};]|\([^(){};]*\))*\))`
	// What stands before the type of a function, and the type with the name.
	specifiers = `(?:(?:static|extern|inline|virtual|friend|explicit|constexpr|const|template\s*<[^<>{};]*>)\s+)*`
	typed      = `\s+(?:[A-Za-z_][\w:]*(?:<[^{};()]*>)?[\s*&]+)+[\w:~]+\s*\(`
	// What begins a declaration on the line after a macro that stands alone.
	beginsC = `\s*(?:#|typedef\b|struct\b|enum\b|union\b|extern\b|static\b|class\b|namespace\b|template\b|using\b|inline\b|/\*|//|\}|void\b|int\b|char\b|const\b|unsigned\b|` + macro + `[ \t]*\r?\n)`
)

// What the grammars of C (0.24.1) and C++ (0.23.4) cannot know without the macros'
// definitions: a macro alone on a line, such as BEGIN_DECLS, between class and its
// name, before or after the type of a function (written as const, which may stand
// there), behind a star, behind parameters, behind the name of a member or parameter,
// and a call that declares something without a semicolon.
var macroRelaxations = []relaxation{
	{find: lazyregexp.New(`(?m)^[ \t]*(\w*(?:_DECLS|_BEGIN|_END|BEGIN_NAMESPACE\w*|END_NAMESPACE\w*))[ \t]*\r?$`), with: " "},
	{find: lazyregexp.New(`\b(?:class|struct|union)\s+(` + macro + args + `?)\s+[A-Za-z_][\w:]*(?:\s+[A-Za-z_]\w*)*\s*[:{]`), with: " "},
	{find: lazyregexp.New(`(?m)^[ \t]*` + specifiers + `(` + macro + args + `?)` + typed), with: "const"},
	{find: lazyregexp.New(`(?m)^[ \t]*` + specifiers + `(?:void|int|char|long|short|unsigned|bool|float|double|size_t|\w+_t|[A-Za-z_][\w:]*\s*\*)[\s*]+(` + macro + `)\s+[\w:~]+\s*\(`), with: "const"},
	{find: lazyregexp.New(`[*&]\s*(` + macro + `|\w*(?:nonnull|nullable|Nonnull|Nullable|null_unspecified)|__\w+)\s+[A-Za-z_]`), with: " "},
	{find: lazyregexp.New(`\)\s*(?:(?:const|noexcept|override|final|&&?)\s*)*((?:__\w+|` + macro + `)` + args + `?)\s*(?:(?:__\w+|` + macro + `)` + args + `?\s*|(?:const|noexcept|override|final)\s*)*[:;{=]`), with: " "},
	{find: lazyregexp.New(`\w[ \t]+(` + macro + args + `)\s*[;=]`), with: " "},
	{find: lazyregexp.New(`[(,]\s*(?:[A-Za-z_][\w:]*(?:<[^{};()]*>)?[\s*&]+)+\w+\s+(` + macro + args + `?)\s*[,)]`), with: " "},
	{find: lazyregexp.New(`(?m)^(` + macro + `(?:[ \t]*\([^()\n;{]*\))?)[ \t]*\r?\n` + beginsC), with: " "},
}

// wrong is how many bytes lie in errors, and one for each token that is missing.
func wrong(nodes []grammar.Node) int {
	n := 0
	for i := 0; i < len(nodes); {
		if flags := nodes[i].Flags; flags&grammar.Error != 0 && i > 0 {
			n += int(nodes[i].End-nodes[i].Start) + 1
			i = int(nodes[i].Next)
			continue
		} else if flags&grammar.Missing != 0 {
			n++
		}
		i++
	}
	if nodes[0].Flags&grammar.Error != 0 {
		n += int(nodes[0].End)
	}
	return n
}

var directive = lazyregexp.New(`^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b`)

// conditional is one of the preprocessor's that is open.
type conditional struct {
	orders [][2]int // its lines: #if, #else, …, #endif
	never  bool     // #if 0
	begin  int      // how many brackets were open at its beginning
	first  int      // how many at the end of its first branch
	least  int      // how few there were in this branch
	uneven bool     // a branch leaves brackets open or closes those before it
	whole  bool     // it may hold definitions
}

// oneBranch leaves one branch, mostly the first, of each conditional whose
// branches do not close the brackets that they open, and of each in brackets
// that can hold no definition: such a conditional may cut through what the
// grammar reads as one. Only bytes other than line ends are overwritten.
func oneBranch(text []byte) {
	var open []conditional
	depth, comment := 0, false
	var next int // what is overwritten may be the end of a line that goes on
	for at := 0; at < len(text); at = next {
		end := lineOfOrder(text, at)
		next = end + 1
		line := text[at:end]
		m := directive.FindSubmatch(line)
		order := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		inside := comment
		comment = brackets(line, comment, func(step int) {
			if order {
				return
			}
			depth += step
			for i := range open[max(0, len(open)-maxDepth):] {
				c := &open[max(0, len(open)-maxDepth)+i]
				c.least = min(c.least, depth)
			}
		})
		if len(open) > 0 && !inside && m == nil {
			c := &open[len(open)-1]
			c.whole = c.whole || order || bytes.IndexByte(line, '{') >= 0
		}
		if inside || m == nil {
			continue
		}
		if word := string(m[1]); word == "if" || word == "ifdef" || word == "ifndef" {
			never := word == "if" && bytes.HasPrefix(bytes.TrimSpace(line[len(m[0]):]), []byte("0"))
			open = append(open, conditional{orders: [][2]int{{at, end}}, never: never, begin: depth, least: depth})
			continue
		}
		if len(open) == 0 {
			continue
		}
		c := &open[len(open)-1]
		if len(c.orders) == 1 || len(c.orders) == 2 && c.never {
			c.first = depth
		}
		c.orders = append(c.orders, [2]int{at, end})
		c.uneven = c.uneven || depth != c.begin || c.least < c.begin
		depth, c.least = c.begin, c.begin
		if string(m[1]) == "endif" {
			if (c.uneven || c.begin > 0 && !c.whole) && len(open) <= maxDepth {
				c.leaveOne(text)
			}
			depth = c.first
			whole := c.whole
			if open = open[:len(open)-1]; len(open) > 0 {
				open[len(open)-1].whole = open[len(open)-1].whole || whole
			}
		}
	}
}

// lineOfOrder is the end of a line, which goes on behind a backslash.
func lineOfOrder(text []byte, at int) int {
	for i := at; i < len(text); i++ {
		if text[i] == '\n' && !bytes.HasSuffix(text[at:i], []byte("\\")) && !bytes.HasSuffix(text[at:i], []byte("\\\r")) {
			return i
		}
	}
	return len(text)
}

// leaveOne overwrites the orders of a conditional and all of its branches but one.
func (c *conditional) leaveOne(text []byte) {
	kept := 0
	if c.never && len(c.orders) > 2 {
		kept = 1
	}
	for i, o := range c.orders {
		end := o[1]
		if i != kept && i+1 < len(c.orders) {
			end = c.orders[i+1][0]
		}
		for j := o[0]; j < end; j++ {
			if text[j] != '\n' && text[j] != '\r' {
				text[j] = ' '
			}
		}
	}
}

// brackets calls found with +1 and -1 for the brackets of a line outside comments
// and strings. It takes and gives whether a comment goes on.
func brackets(line []byte, comment bool, found func(step int)) bool {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch c := line[i]; {
		case comment:
			if bytes.HasPrefix(rest, []byte("*/")) {
				comment = false
				i++
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			comment = true
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			return false
		case c == '\'' && i > 0 && '0' <= line[i-1] && line[i-1] <= '9': // 1'000
		case c == '"' || c == '\'':
			for i++; i < len(line) && line[i] != c; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case c == '(' || c == '[' || c == '{':
			found(1)
		case c == ')' || c == ']' || c == '}':
			found(-1)
		}
	}
	return comment
}
