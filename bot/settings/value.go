package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Error is a mistake in a file, at a place.
type Error struct {
	File    string
	Line    int    // 1-based; 0 for the whole file
	Key     string // such as tiers.tier1.base_url; empty for the whole file
	Message string
}

// Error says file, line, key and what is wrong.
func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where += ":" + strconv.Itoa(e.Line)
	}
	if e.Key != "" {
		where += ": " + e.Key
	}
	return where + ": " + e.Message
}

// value is a node of a file with its place. Anchors, aliases, merge keys and
// tags are refused: no setting needs them, and they hide what a file says.
type value struct {
	file, key string
	line      int
	kind      kind
	text      string // of a scalar
	fields    map[string]value
	order     []string
	items     []value
}

type kind int

const (
	null kind = iota
	scalar
	quoted // a scalar in quotes or a block: always text
	mapping
	list
)

const (
	maxBytes = 64 << 10 // the parser's time grows with the square of what stands on a line
	maxLine  = 2000
	maxDepth = 8
	maxItems = 1000
)

// read parses a file into values. An empty file is an empty mapping.
func read(file string, data []byte) (v value, err error) {
	fail := func(line int, format string, args ...any) (value, error) {
		return value{}, &Error{File: file, Line: line, Message: fmt.Sprintf(format, args...)}
	}
	if len(data) > maxBytes {
		return fail(0, "larger than %d bytes", maxBytes)
	}
	if line := oversized(data); line > 0 {
		return fail(line, "longer or nested deeper than any setting is")
	}
	defer func() { // foreign text: a fault of the parser must stay an error
		if r := recover(); r != nil {
			v, err = fail(0, "not YAML that can be read")
		}
	}()
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		line, text := placeOf(err)
		return fail(line, "not valid YAML: %s", text)
	}
	var bodies []ast.Node
	for _, d := range parsed.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		return value{file: file, kind: mapping}, nil
	case len(bodies) > 1:
		return fail(lineOf(bodies[1]), "more than one document; keep one")
	}
	v, err = convert(file, "", bodies[0], 0)
	if err == nil && v.kind == null {
		v.kind = mapping
	}
	return v, err
}

// oversized bounds the parser's recursion and time before it begins: the first
// line that no setting could need, or 0.
func oversized(data []byte) int {
	for i, line := range strings.Split(string(data), "\n") {
		marks := strings.Count(line, "[") + strings.Count(line, "{") + strings.Count(line, "- ") + strings.Count(line, "? ") + strings.Count(line, ": ")
		if len(line) > maxLine || marks > 64 || len(line)-len(strings.TrimLeft(line, " ")) > 64 {
			return i + 1
		}
	}
	if strings.Count(string(data), "[")+strings.Count(string(data), "{") > 2*maxItems {
		return 1
	}
	return 0
}

// placeOf takes line and message out of the parser's error.
func placeOf(err error) (int, string) {
	text := err.Error()
	if first, _, ok := strings.Cut(text, "\n"); ok {
		text = first
	}
	line := 0
	if rest, ok := strings.CutPrefix(text, "["); ok {
		place, message, ok := strings.Cut(rest, "]")
		number, _, _ := strings.Cut(place, ":")
		if n, err := strconv.Atoi(number); ok && err == nil {
			line, text = n, strings.TrimSpace(message)
		}
	}
	return line, text
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func convert(file, key string, n ast.Node, depth int) (value, error) {
	v := value{file: file, key: key, line: lineOf(n)}
	if depth > maxDepth {
		return v, v.errorf("nested deeper than any setting is")
	}
	switch n := n.(type) {
	case *ast.NullNode:
		v.kind = null
	case *ast.StringNode:
		v.kind, v.text = scalar, n.Value
		if t := n.GetToken(); t != nil && len(t.Origin) > 0 && strings.ContainsAny(strings.TrimSpace(t.Origin)[:min(1, len(strings.TrimSpace(t.Origin)))], `"'`) {
			v.kind = quoted
		}
	case *ast.LiteralNode:
		v.kind, v.text = quoted, n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		v.kind, v.text = scalar, n.GetToken().Value
	case *ast.SequenceNode:
		return convertList(v, n, depth)
	case *ast.MappingNode:
		return convertMapping(v, n.Values, depth)
	case *ast.MappingValueNode:
		return convertMapping(v, []*ast.MappingValueNode{n}, depth)
	default:
		return v, v.errorf("%s is not used in settings; write the value itself", n.Type())
	}
	return v, nil
}

func convertList(v value, n *ast.SequenceNode, depth int) (value, error) {
	v.kind = list
	if len(n.Values) > maxItems {
		return v, v.errorf("more than %d entries", maxItems)
	}
	for i, item := range n.Values {
		c, err := convert(v.file, fmt.Sprintf("%s[%d]", v.key, i), item, depth+1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, c)
	}
	return v, nil
}

func convertMapping(v value, fields []*ast.MappingValueNode, depth int) (value, error) {
	v.kind, v.fields = mapping, map[string]value{}
	for _, f := range fields {
		name, ok := f.Key.(*ast.StringNode)
		if !ok {
			return v, &Error{v.file, lineOf(f.Key), v.key, "a key must be a plain word"}
		}
		key := name.Value
		if v.key != "" {
			key = v.key + "." + key
		}
		if _, twice := v.fields[name.Value]; twice {
			return v, &Error{v.file, lineOf(f.Key), key, "stands here twice"}
		}
		c, err := convert(v.file, key, f.Value, depth+1)
		if err != nil {
			return v, err
		}
		c.line = lineOf(f.Key)
		v.fields[name.Value] = c
		v.order = append(v.order, name.Value)
	}
	return v, nil
}

func (v value) errorf(format string, args ...any) error {
	return &Error{v.file, v.line, v.key, fmt.Sprintf(format, args...)}
}

// only checks that v is a mapping of the allowed keys. advice holds words for
// keys that people try and that must not be there.
func (v value) only(advice map[string]string, allowed ...string) error {
	if v.kind == null {
		return nil
	}
	if v.kind != mapping {
		return v.errorf("must be a mapping with the keys %s", strings.Join(allowed, ", "))
	}
	for _, key := range v.order {
		if slices.Contains(allowed, key) {
			continue
		}
		if words := advice[key]; words != "" {
			return v.fields[key].errorf("%s", words)
		}
		slices.Sort(allowed)
		return v.fields[key].errorf("unknown key; allowed here: %s", strings.Join(allowed, ", "))
	}
	return nil
}

// has gives the field if it is there and not null.
func (v value) has(key string) (value, bool) {
	f, ok := v.fields[key]
	return f, ok && f.kind != null
}

func (v value) string() (string, error) {
	if !v.isText() {
		return "", v.errorf("must be text")
	}
	if strings.ContainsAny(v.text, "\x00\n\r") {
		return "", v.errorf("must be one line of text")
	}
	if strings.TrimSpace(v.text) == "" {
		return "", v.errorf("must not be empty; leave the key out for the default")
	}
	return v.text, nil
}

// number reads a finite decimal number between two bounds.
func (v value) number(low, high float64) (float64, error) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(v.text, "_", ""), 64)
	if v.kind != scalar || err != nil || math.IsNaN(f) || f < low || f > high {
		return 0, v.errorf("must be a number from %g to %g", low, high)
	}
	return f, nil
}

// whole reads whole numbers between two bounds.
func whole[T int | int64](low, high T) func(value) (T, error) {
	return func(v value) (T, error) {
		n, err := strconv.ParseInt(strings.ReplaceAll(v.text, "_", ""), 10, 64)
		if v.kind != scalar || err != nil || n < int64(low) || n > int64(high) {
			return 0, v.errorf("must be a whole number from %d to %d", low, high)
		}
		return T(n), nil
	}
}

func (v value) boolean() (bool, error) {
	if v.kind == scalar {
		switch v.text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, v.errorf("must be true or false")
}

// duration reads "90s", "2m", or a number of seconds.
func (v value) duration(low, high time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(v.text)
	if n, nerr := strconv.ParseFloat(v.text, 64); nerr == nil && n >= 0 && n < 1e6 {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if !v.isText() || err != nil || d < low || d > high {
		return 0, v.errorf("must be a time such as 90s or 2m, from %v to %v", low, high)
	}
	return d, nil
}

func (v value) oneOf(allowed ...string) (string, error) {
	if v.isText() && slices.Contains(allowed, v.text) {
		return v.text, nil
	}
	return "", v.errorf("must be one of %s", strings.Join(allowed, ", "))
}

// strings reads a list of lines of text; a single one may stand alone.
func (v value) strings(check func(string) error) ([]string, error) {
	return listOf(v, "texts", func(item value) (string, error) {
		s, err := item.string()
		if err == nil && check != nil {
			if cerr := check(s); cerr != nil {
				err = item.errorf("%v", cerr)
			}
		}
		return s, err
	})
}

// listOf reads a list; a single entry may stand alone.
func listOf(v value, what string, read func(value) (string, error)) (out []string, err error) {
	items := v.items
	if v.isText() {
		items = []value{v}
	} else if v.kind != list {
		return nil, v.errorf("must be a list of %s", what)
	}
	for _, item := range items {
		s, err := read(item)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (v value) isText() bool { return v.kind == scalar || v.kind == quoted }

// set reads a field, where it is there, into a place.
func set[T any](v value, key string, into *T, read func(value) (T, error)) error {
	f, ok := v.has(key)
	if !ok {
		return nil
	}
	got, err := read(f)
	if err != nil {
		return err
	}
	*into = got
	return nil
}

// first is the first of several mistakes.
func first(errs ...error) error { return cmp.Or(errs...) }

var errGlob = errors.New("must be a path pattern such as src/**/*.py, relative to the repository, without parent folders (..)")

// glob checks a pattern of paths.
func glob(s string) error {
	if len(s) > 500 || strings.HasPrefix(s, "/") || strings.Contains(s, "\\") {
		return errGlob
	}
	if slices.Contains(strings.Split(s, "/"), "..") {
		return errGlob
	}
	return nil
}
