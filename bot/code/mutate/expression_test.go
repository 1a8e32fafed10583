package mutate

// parts are projects in which a part of an expression was lost or mixed up; see
// wholes.
var parts = map[string]string{
	"aligned_part python": `
-- nodes.py --
class Parser:
    def parse_include(self):
        node = nodes.Include(lineno=next(self.stream).lineno)
        node.template = self.parse_expression()
        return node

    def parse_import(self):
        node = nodes.Import«()|(lineno=next(self.stream).lineno)»
        node.template = self.parse_expression()
        return node
`,
	"aligned_part go": `
-- basic.go --
package p

import "strconv"

func text(i any) string {
	switch s := i.(type) {
	case uint8:
		return strconv.FormatUint(uint64(s), 10)
	case uint16:
		return strconv.FormatUint(uint64(s), «16|10»)
	case uint32:
		return strconv.FormatUint(uint64(s), 10)
	}
	return ""
}
`,
	"aligned_part javascript": `
-- strong.js --
export function strong(open, close, state) {
  state.around = {after: close.outside«|, before: open.outside»}
  return state
}
-- emphasis.js --
export function emphasis(open, close, state) {
  state.around = {after: close.outside, before: open.outside}
  return state
}
`,
	"whole_slice python": `
-- tail.py --
def cut(text, mark):
    index = text.find(mark)
    return text[«|index»:]
`,
	"whole_slice go": `
-- pair.go --
package p

import "strings"

func pair(s string) (string, string) {
	if i := strings.IndexByte(s, '='); i >= 0 {
		return s[:i], s[«|i+1»:]
	}
	return s, ""
}
`,
	"unused_name python": `
-- sign.py --
class Maker:
    def make(self, salt=None):
        if salt is None:
            salt = self.salt
        return self.signer(self.keys«|, salt=salt», **self.options)
`,
	"unused_name go": `
-- choice.go --
package p

func withText(choice string, description string) string {
	return «|choice + »"\t" + description
}
`,
	"unused_name javascript": `
-- way.js --
function way(value) {
  const result = direction(«|value»)
  return result === 'neutral' ? undefined : result
}
`,
	"self_assignment go": `
-- num.go --
package p

import "strings"

func parse(num string) string {
	num = «num|strings.TrimSpace(num)»
	if num == "" {
		return "0"
	}
	return num
}
`,
	"self_assignment python": `
-- bytes.py --
def want_bytes(value):
    return value.encode() if isinstance(value, str) else value


def encode(value):
    value = «value|want_bytes(value)»
    return b64(value).rstrip(b"=")
`,
	"self_assignment javascript": `
-- file.js --
function looksLike(value) {
  return Boolean(value && typeof value === 'object')
}
function file(value) {
  return «value|looksLike(value)» ? value : new File(value)
}
`,
	"text_edge go": `
-- write.go --
package p

import "fmt"

func key(k string) string { return fmt.Sprintf(«"%s ="|"%s = "», k) }
`,
	"pattern_atom python": `
-- scan.py --
RULES = [
    (r'[^ =}]«|+»=[^ =}]+', 'pair'),
]
`,
	"pattern_atom javascript": `
-- comment.js --
const expression = /^>|<!-«|$»/g
function bad(text) { return expression.test(text) }
`,
	"count_on go": `
-- count.go --
package p

func count(i *int) { *i = «1|*i + 1» }
`,
	"argument_constant python": `
-- window.py --
import collections, itertools

def window(it, i):
    return collections.deque(itertools.islice(it, i)«|, 0»)
`,
}
