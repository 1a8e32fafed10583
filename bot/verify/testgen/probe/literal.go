package probe

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// literals: arguments are written down as they would stand in a source file.
var literals = os.Getenv("FETTLE_LITERALS") != ""

// Value is a value as it would stand in a source file of its own package. A
// leaf is its Text; of others the parts stand between Open and Close, each with
// its Prefix (a key, a field's name).
type Value struct {
	Kind   string  `json:"k"` // nil, bool, int, uint, float, str, list, tuple, set, map, struct, raw: not to be changed
	Text   string  `json:"t,omitempty"`
	Raw    string  `json:"s,omitempty"` // of a text, what it holds
	Prefix string  `json:"p,omitempty"`
	Open   string  `json:"o,omitempty"`
	Close  string  `json:"c,omitempty"`
	Parts  []Value `json:"e,omitempty"`
}

// Call is a line that tells of a call.
type Call struct {
	Spot string  `json:"spot"`
	Recv *Value  `json:"recv,omitempty"`
	Args []Value `json:"args"`
}

var errNoLiteral = errors.New("not to be written as a literal")

const (
	maxText  = 200 // bytes of a text
	maxParts = 20
	maxDeep  = 4
)

func tell(spot string, function any, args []any) {
	fn := reflect.TypeOf(function)
	if state.count[spot] >= calls || fn.NumIn() != len(args) {
		return
	}
	name := spot[strings.LastIndexByte(spot, ':')+1:]
	c := Call{Spot: spot, Args: []Value{}}
	home := homeOf(function)
	for i, a := range args {
		v := reflect.New(fn.In(i)).Elem()
		if a != nil {
			v.Set(reflect.ValueOf(a))
		}
		lit, err := literal(v, home, 0)
		switch {
		case err != nil:
			return
		case i == 0 && isMethod(function, name):
			c.Recv = &lit
		case fn.IsVariadic() && i == len(args)-1:
			c.Args = append(c.Args, lit.Parts...)
		default:
			c.Args = append(c.Args, lit)
		}
	}
	line, err := json.Marshal(c)
	if err != nil || state.seen[string(line)] || len(line) > 4000 {
		return
	}
	state.seen[string(line)] = true
	state.count[spot]++
	_, _ = state.out.Write(append(line, '\n')) // a guide only
}

// literal writes a value as it would stand in a source file of package home.
func literal(v reflect.Value, home string, depth int) (Value, error) {
	if depth > maxDeep {
		return Value{}, errNoLiteral
	}
	switch v.Kind() {
	case reflect.Bool:
		return Value{Kind: "bool", Text: strconv.FormatBool(v.Bool())}, nil
	case reflect.Int, reflect.Int64, reflect.Int32:
		return Value{Kind: "int", Text: strconv.FormatInt(v.Int(), 10)}, nil
	case reflect.Int8, reflect.Int16:
		return Value{Kind: "raw", Text: strconv.FormatInt(v.Int(), 10)}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Value{Kind: "uint", Text: strconv.FormatUint(v.Uint(), 10)}, nil
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return Value{Kind: "float", Text: strconv.FormatFloat(f, 'g', -1, v.Type().Bits())}, nil
		}
	case reflect.String:
		if s := v.String(); len(s) <= maxText && plain(s) {
			return Value{Kind: "str", Raw: s, Text: strconv.Quote(s)}, nil
		}
	case reflect.Slice, reflect.Array:
		return listLiteral(v, home, depth)
	case reflect.Map:
		return mapLiteral(v, home, depth)
	case reflect.Struct:
		return structLiteral(v, home, depth)
	case reflect.Pointer:
		if v.IsNil() {
			return Value{Kind: "nil", Text: "nil"}, nil
		}
		if v.Elem().Kind() == reflect.Struct {
			lit, err := literal(v.Elem(), home, depth+1)
			lit.Open = "&" + lit.Open
			return lit, err
		}
	case reflect.Interface:
		return anyLiteral(v, home, depth)
	}
	return Value{}, errNoLiteral
}

// plain texts need no more than the escapes that all languages share.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r == '\uFFFD' || r < ' ' && r != '\n' && r != '\t' && r != '\r' || !strconv.IsPrint(r) && r >= ' '
	})
}

// anyLiteral is the value in an interface: with its type where the literal
// alone would be of another.
func anyLiteral(v reflect.Value, home string, depth int) (Value, error) {
	if v.IsNil() {
		return Value{Kind: "nil", Text: "nil"}, nil
	}
	lit, err := literal(v.Elem(), home, depth)
	if err != nil || lit.Open != "" {
		return lit, err
	}
	switch t := v.Elem().Type(); t.String() {
	case "int", "bool", "string":
		return lit, nil
	default:
		name, err := typeName(t, home)
		return Value{Kind: "raw", Text: name + "(" + lit.Text + ")"}, err
	}
}

func listLiteral(v reflect.Value, home string, depth int) (Value, error) {
	name, err := typeName(v.Type(), home)
	if err != nil || v.Len() > maxParts {
		return Value{}, errNoLiteral
	}
	if v.Kind() == reflect.Slice && v.IsNil() {
		return Value{Kind: "raw", Text: name + "(nil)"}, nil
	}
	out := Value{Kind: "list", Open: name + "{", Close: "}"}
	if v.Kind() == reflect.Array {
		out.Kind = "struct" // its length stays
	}
	for i := range v.Len() {
		e, err := literal(v.Index(i), home, depth+1)
		if err != nil {
			return out, err
		}
		out.Parts = append(out.Parts, elided(e, v.Type().Elem()))
	}
	return out, nil
}

// elided leaves out the type that a list or map gives its structs.
func elided(e Value, t reflect.Type) Value {
	if e.Open != "" && (t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer) {
		e.Open = "{"
	}
	return e
}

func mapLiteral(v reflect.Value, home string, depth int) (Value, error) {
	name, err := typeName(v.Type(), home)
	if err != nil || v.Len() > maxParts {
		return Value{}, errNoLiteral
	}
	if v.IsNil() {
		return Value{Kind: "raw", Text: name + "(nil)"}, nil
	}
	out := Value{Kind: "map", Open: name + "{", Close: "}"}
	for _, k := range v.MapKeys() {
		key, err := literal(k, home, depth+1)
		if err != nil {
			return out, err
		}
		e, err := literal(v.MapIndex(k), home, depth+1)
		if err != nil {
			return out, err
		}
		e = elided(e, v.Type().Elem())
		e.Prefix = key.String() + ": "
		out.Parts = append(out.Parts, e)
	}
	slices.SortFunc(out.Parts, func(a, b Value) int { return strings.Compare(a.Prefix, b.Prefix) })
	return out, nil
}

// structLiteral names the fields that are not zero.
func structLiteral(v reflect.Value, home string, depth int) (Value, error) {
	name, err := typeName(v.Type(), home)
	if err != nil {
		return Value{}, err
	}
	out := Value{Kind: "struct", Open: name + "{", Close: "}"}
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		e, err := literal(v.Field(i), home, depth+1)
		if err != nil {
			return out, err
		}
		e.Prefix = v.Type().Field(i).Name + ": "
		out.Parts = append(out.Parts, e)
	}
	return out, nil
}

// typeName is a type as package home writes it, which imports nothing for it.
func typeName(t reflect.Type, home string) (string, error) {
	if t.Name() != "" {
		if t.PkgPath() != "" && t.PkgPath() != home || strings.Contains(t.Name(), "[") {
			return "", errNoLiteral
		}
		return t.Name(), nil
	}
	switch t.Kind() {
	case reflect.Slice:
		e, err := typeName(t.Elem(), home)
		return "[]" + e, err
	case reflect.Array:
		e, err := typeName(t.Elem(), home)
		return "[" + strconv.Itoa(t.Len()) + "]" + e, err
	case reflect.Pointer:
		e, err := typeName(t.Elem(), home)
		return "*" + e, err
	case reflect.Map:
		k, err := typeName(t.Key(), home)
		if err != nil {
			return "", err
		}
		e, err := typeName(t.Elem(), home)
		return "map[" + k + "]" + e, err
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "any", nil
		}
	}
	return "", errNoLiteral
}

// String is the literal.
func (v Value) String() string {
	if v.Open == "" {
		return v.Prefix + v.Text
	}
	parts := make([]string, len(v.Parts))
	for i, p := range v.Parts {
		parts[i] = p.String()
	}
	return v.Prefix + v.Open + strings.Join(parts, ", ") + v.Close
}
