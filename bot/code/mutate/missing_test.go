package mutate

// losses are projects in which something was left out between « and »; what
// belongs there follows |.
var losses = map[string]string{
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
	"tuple_value": `
-- a.py --
def widths(found, end):
    cases = found.cases()
    cases.append(«[end]|(None, [end])»)
    return [len(cond) if cond else 0 for cond, _ in cases]
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
