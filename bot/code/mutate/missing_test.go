package mutate

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// losses are projects in which something was left out between « and »; what
// belongs there follows |.
var losses = map[string]string{
	"term_alternative null": `
-- a.js --
export function empty(value) {
  if («value === null|value === null || value === undefined») {
    return true
  }
  return false
}
`,
	"term_alternative union": `
-- types.js --
/** @typedef {'up' | 'down' | 'flat'} Trend */
export const nothing = 1
-- a.js --
export function known(value) {
  return «value === 'flat'|value === 'up' || value === 'down' || value === 'flat'» ? value : undefined
}
`,
	"term_alternative last of a chain": `
-- a.js --
export function skip(value) {
  if (value === null || «value === undefined|value === undefined || value === false» || typeof value === 'symbol') {
    return true
  }
  return false
}
`,
	"term_alternative python": `
-- a.py --
def plain(node):
    return node.kind != "space" and node.kind != "comment"

def skip(node):
    if «node.kind == "space"|node.kind == "space" or node.kind == "comment"»:
        return True
    return False
`,
	"term_analogy go": `
-- a.go --
package p

func caret(c *con) bool {
	if «c.minorDirty|c.v.Major() > 0 || c.minorDirty» {
		return c.v.Major() == 1
	}
	if c.v.Minor() > 0 || c.patchDirty {
		return true
	}
	return false
}
`,
	"term_opposite": `
-- a.js --
export function normal(path) {
  let value = trim(path)
  if (value.length === 0) {
    value = '.'
  }
  if («path.endsWith('/')|value.length > 0 && path.endsWith('/')») {
    value += '/'
  }
  return value
}
`,
	"term_pair": `
-- a.go --
package p

func compare(preSelf, preOther string, selfInt, otherInt int, selfNumeric, otherNumeric bool) int {
	if «!selfNumeric && !otherNumeric|!selfNumeric && !otherNumeric && preSelf > preOther» {
		return 1
	} else if selfInt > otherInt {
		return 1
	}
	return -1
}
`,
	"term_affix": `
-- a.py --
def link(middle):
    if «"@" in middle|"@" in middle and not middle.startswith("@")» and ":" not in middle:
        return "mailto:" + middle
    return middle
`,
	"term_sibling": `
-- a.js --
export function text(url) {
  const lead = url.protocol + (isSpecial(url) || «url.slashes|(url.protocol && url.slashes)» ? '//' : '')
  return lead
}
`,
	"guard_contains": `
-- a.go --
package p

import "strings"

func strip(s string) string {
	«|if !strings.ContainsRune(s, '.') {
		return s
	}
	»for i := len(s) - 1; i > 0; i-- {
		if s[i] == '.' {
			return strings.TrimSpace(s[:i])
		}
	}
	return s
}
`,
	"guard_alternative": `
-- a.js --
export function freeze(list) {
  for (const options of list) {
    «|if (options[0] === false) {
      continue
    }
    »if (options[0] === true) {
      options[0] = undefined
    }
    call(options)
  }
}
`,
	"guard_seen script": `
-- a.js --
export function once(list) {
  const seen = new Set()
  for (const item of list) {
    if (!item) return true
    «|if (seen.has(item.name)) continue
    »seen.add(item.name)
  }
}
`,
	"guard_seen python": `
-- a.py --
def once(items, out):
    seen = set()
    for item in items:
        «|if item.name in seen:
            continue
        »seen.add(item.name)
        out.append(item)
`,
	"guard_seen go": `
-- a.go --
package p

func once(items []string) (out []string) {
	seen := map[string]bool{}
	for _, item := range items {
		«|if seen[item] {
			continue
		}
		»seen[item] = true
		out = append(out, item)
	}
	return out
}
`,
	"guard_unpack python": `
-- a.py --
class Signer:
    def unsign(self, signed):
        «|if self.sep not in signed:
            raise BadSignature(f"No {self.sep!r} found in {signed!r}")
        »value, sig = signed.rsplit(self.sep, 1)
        if self.check(value, sig):
            return value
        raise BadSignature(f"{sig!r} does not match")
`,
	"guard_unpack go": `
-- a.go --
package p

import "strings"

func value(line string) string {
	parts := strings.SplitN(line, "=", 2)«|
	if len(parts) < 2 {
		return ""
	}»
	return parts[1]
}
`,
	"guard_hinted": `
-- kinds.js --
export function compile(pattern) {
  return pattern.atBreak ? '^' : ''
}
-- a.js --
export function each(list, value) {
  for (const pattern of list) {
    const expression = make(pattern)
    // Only look at those with atBreak.
    «|if (!pattern.atBreak) {
      continue
    }
    »value = expression.replace(value)
  }
  return value
}
`,
	"reset": `
-- a.js --
export function all(list) {
  let index = -1
  while (++index < list.length) {
    count(list[index])
  }
  «|index = -1
  »while (++index < list.length) {
    show(list[index])
  }
}
`,
	"value_never_set": `
-- a.js --
export function attribute(values, index) {
  const last = values[index].charAt(values[index].length - 1)
  return last
}
export function close(node, parts) {
  let last
  const text = write(node)
  «|last = text.charAt(text.length - 1)
  »if (last === '/') {
    parts.push(' ')
  }
}
`,
	"elements_never_set": `
-- a.go --
package p

type version struct {
	pre string
}

type rule struct {
	con *version
}

func rules(texts []string) ([]*rule, []bool) {
	var out []*rule
	hasPre := make([]bool, len(texts))
	for k, text := range texts {
		r := parse(text)
		«|if r.con.pre != "" {
			hasPre[k] = true
		}
		»out = append(out, r)
	}
	return out, hasPre
}

func parse(text string) *rule { return &rule{&version{text}} }
`,
	"parameter_default": `
-- a.py --
def subset(d, keep=None, drop=None):
    """Leaves out what is in drop."""
    if keep is None:
        keep = d.keys()
    «|if drop is None:
        drop = []
    »keys = set(keep) - set(drop)
    return {k: d[k] for k in keys}
`,
	"default_analogy another function": `
-- a.go --
package p

func decodeUint(v value) uint {
	str := v.String()
	if str == "" {
		str = "0"
	}
	return toUint(str)
}

func decodeInt(v value) int {
	str := v.String()«|
	if str == "" {
		str = "0"
	}»
	return toInt(str)
}
`,
	"default_analogy another branch": `
-- a.py --
def normal(data, headers):
    if data.kind == "dict":
        keys = data.keys()
        if headers == "keys":
            headers = keys
    elif data.kind == "record":
        names = data.names()«|
        if headers == "keys":
            headers = names»
        print(len(names))
    return headers
`,
	"branch_analogy": `
-- a.go --
package p

func camel(s []byte, low, cap bool) {
	for _, v := range s {
		if low {
			v += 'A'
			v -= 'a'
		} else if cap {
			v += 'a'«|
			v -= 'A'»
		}
		show(v)
	}
}
`,
	"call_of_unused": `
-- a.go --
package p

type router struct {
	omitRoute, omitRouter bool
}

func (r *router) serve(req *request, m match) {
	if r.omitRoute {
		req = requestWithVars(req, m)
	} else {
		req = requestWithRoute(req, m)
	}«|
	if !r.omitRouter {
		req = requestWithRouter(req, r)
	}»
	run(req)
}

func requestWithVars(r *request, m match) *request { return r }

func requestWithRoute(r *request, m match) *request { return r }

func requestWithRouter(r *request, router *router) *request { return r }
`,
	"format_value": `
-- a.py --
class Schema:
    def __init__(self, schema):
        self.schema = schema

    def __repr__(self):
        return "%s(%r)" % «(self.schema)|(self.__class__.__name__, self.schema)»
`,
	"tuple_value": `
-- a.py --
def widths(found, end):
    cases = found.cases()
    cases.append(«[end]|(None, [end])»)
    return [len(cond) if cond else 0 for cond, _ in cases]
`,
	"entry_add": `
-- emphasis.js --
export function emphasis(state, open, close) {
  state.info = {after: close.outside, before: open.outside}
}
-- strong.js --
export function strong(state, open, close) {
  state.info = {
    after: close.outside«|,
    before: open.outside»
  }
}
`,
	"sibling_statement names itself": `
-- a.js --
export class Processor {
  readSync(file) {
    let complete = false
    this.read(file, done)
    assertDone('readSync', 'read', complete)
    assert(complete, 'we are done')
    return file
  }

  writeSync(file) {
    let complete = false
    this.write(file, done)
    «|assertDone('writeSync', 'write', complete)
    »assert(complete, 'we are done')
    return file
  }
}
`,
}

func TestR1NamesAreTakenApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b, c, d string
		want       bool
	}{
		{"selfInt", "otherInt", "preSelf", "preOther", true},
		{"self_int", "other_int", "pre_self", "pre_other", true},
		{"selfInt", "otherInt", "preOther", "preSelf", false},
		{"a", "b", "c", "d", false},
	} {
		if got := sameRelation(c.a, c.b, c.c, c.d); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func TestR1NothingIsSaidTwiceOfAParameterThatIsAskedFor(t *testing.T) {
	t.Parallel()
	tree, err := code.Parse(t.Context(), code.Python, []byte("def f(a=None, b=None):\n    b = b or 1\n    return g(a) + b\n\ndef h(a=None):\n    if not a:\n        return 1\n    return g(a)\n"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, m := range NewProject(map[string]*code.Tree{"a.py": tree}).Beyond("a.py", 0, len(tree.Src)) {
		if m.Operator == "parameter_default" {
			seen++
			if m.Line != 3 {
				t.Errorf("line %d: %q", m.Line, m.Replacement)
			}
		}
	}
	if seen == 0 {
		t.Error("the parameter that is not asked for gets no default")
	}
}
