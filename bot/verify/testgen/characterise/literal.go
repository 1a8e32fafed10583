package characterise

import (
	"context"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// number is how the drivers write numbers.
var number = lazyregexp.New(`^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// hidden: line ends, controls and characters that are not seen, or that change
// the order in which others are.
func hidden(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
	})
}

// goTypes are the names at the top of a package's files, true of types.
func goTypes(tree fs.FS, dir string) map[string]bool {
	out := map[string]bool{}
	list, err := fs.ReadDir(tree, dir)
	if err != nil {
		return out
	}
	for _, e := range list {
		if !e.Type().IsRegular() || path.Ext(e.Name()) != ".go" {
			continue
		}
		src, err := fs.ReadFile(tree, path.Join(dir, e.Name()))
		if err != nil {
			continue // what cannot be read declares nothing
		}
		file, _ := parser.ParseFile(token.NewFileSet(), e.Name(), src, parser.SkipObjectResolution)
		if file != nil && !strings.HasSuffix(file.Name.Name, "_test") {
			declared(file, out)
		}
	}
	return out
}

func declared(file *ast.File, out map[string]bool) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out[d.Name.Name] = false
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					out[s.Name.Name] = s.TypeParams == nil
				case *ast.ValueSpec:
					for _, n := range s.Names {
						out[n.Name] = false
					}
				}
			}
		}
	}
}

var goBasic = []string{"bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64", "any"}

// goLiteral: constants, composite literals and conversions, as package probe
// writes them, and no comment.
func (r rules) goLiteral(s string) bool {
	e, ok := expression(s)
	return ok && r.goExpr(e, 0, false)
}

// goType tells whether a text is a type of the package or of the language.
func (r rules) goType(s string) bool {
	e, ok := expression(s)
	return ok && r.typeExpr(e, 0)
}

// expression parses a text that holds no comment; the parser would skip it.
func expression(s string) (ast.Expr, bool) {
	if hidden(s) || len(s) > longestText {
		return nil, false
	}
	fset := token.NewFileSet()
	var sc scanner.Scanner
	sc.Init(fset.AddFile("", fset.Base(), len(s)), []byte(s), func(token.Position, string) {}, scanner.ScanComments)
	for {
		switch _, tok, _ := sc.Scan(); tok {
		case token.COMMENT, token.ILLEGAL:
			return nil, false
		case token.EOF:
			e, err := parser.ParseExpr(s)
			return e, err == nil && sc.ErrorCount == 0
		}
	}
}

// goExpr; elided tells that a composite literal may leave out its type.
func (r rules) goExpr(e ast.Expr, depth int, elided bool) bool {
	if depth > 2*deepest {
		return false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING && e.Value[0] == '"' || (e.Kind == token.INT || e.Kind == token.FLOAT) && number.MatchString(e.Value)
	case *ast.Ident:
		_, own := r.types[e.Name]
		return !own && slices.Contains([]string{"true", "false", "nil"}, e.Name)
	case *ast.UnaryExpr:
		switch x := e.X.(type) {
		case *ast.BasicLit:
			return e.Op == token.SUB && x.Kind != token.STRING && r.goExpr(x, depth+1, false)
		case *ast.CompositeLit:
			return e.Op == token.AND && x.Type != nil && r.goExpr(x, depth+1, false)
		}
	case *ast.CallExpr:
		return len(e.Args) == 1 && !e.Ellipsis.IsValid() && r.typeExpr(e.Fun, depth+1) && r.goExpr(e.Args[0], depth+1, false)
	case *ast.CompositeLit:
		if e.Type == nil && !elided || e.Type != nil && !r.typeExpr(e.Type, depth+1) {
			return false
		}
		return !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return !r.element(x, depth+1) })
	}
	return false
}

// element of a composite literal.
func (r rules) element(e ast.Expr, depth int) bool {
	kv, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return r.goExpr(e, depth, true)
	}
	_, field := kv.Key.(*ast.Ident) // a field's name, or a constant as a key
	return (field || r.goExpr(kv.Key, depth, true)) && r.goExpr(kv.Value, depth, true)
}

func (r rules) typeExpr(e ast.Expr, depth int) bool {
	if depth > 2*deepest {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		is, own := r.types[e.Name]
		return own && is || !own && slices.Contains(goBasic, e.Name)
	case *ast.ArrayType:
		if e.Len != nil {
			if n, ok := e.Len.(*ast.BasicLit); !ok || n.Kind != token.INT || !number.MatchString(n.Value) {
				return false
			}
		}
		return r.typeExpr(e.Elt, depth+1)
	case *ast.MapType:
		return r.typeExpr(e.Key, depth+1) && r.typeExpr(e.Value, depth+1)
	case *ast.StarExpr:
		return r.typeExpr(e.X, depth+1)
	}
	return false
}

// literalKinds are the nodes that literals of Python and JavaScript consist of.
var literalKinds = map[code.Language][]string{
	code.Python: {"integer", "float", "true", "false", "none", "string", "string_start", "string_content", "escape_sequence", "string_end",
		"unary_operator", "-", "list", "tuple", "set", "dictionary", "pair", "[", "]", "(", ")", "{", "}", ",", ":"},
	code.JavaScript: {"number", "true", "false", "null", "undefined", "string", "string_fragment", "escape_sequence", "'", "\"",
		"unary_expression", "-", "array", "object", "pair", "property_identifier", "[", "]", "{", "}", ",", ":"},
}

// treeLiteral: the text stands for one literal behind an equals sign.
func treeLiteral(ctx context.Context, lang code.Language, s string) bool {
	const before = "x = "
	tree, err := code.Parse(ctx, lang, []byte(before+s+"\n"))
	if err != nil || tree.HasError() || literalKinds[lang] == nil {
		return false
	}
	at := tree.Root()
	for _, kind := range []string{"expression_statement", "assignment"} {
		below := at.Children()
		if len(below) != 1 || !strings.HasPrefix(below[0].Kind(), kind) {
			return false
		}
		at = below[0]
	}
	right, ok := at.ChildByField("right")
	if !ok || right.Start() != len(before) || right.End() != len(before)+len(s) {
		return false
	}
	right.Walk(func(n code.Node) bool {
		if ok = ok && allowed(lang, n); !ok || emptySet(lang, n) {
			return false
		}
		if n.Kind() == "call" { // of frozenset: its name is known
			set, _ := n.ChildByField("arguments")
			for _, c := range set.NamedChildren() {
				ok = ok && c.Kind() == "set" && treeLiteral(ctx, lang, c.Text())
			}
			return false
		}
		return ok
	})
	return ok
}

func allowed(lang code.Language, n code.Node) bool {
	switch n.Kind() {
	case "call":
		return lang == code.Python && (emptySet(lang, n) || frozen(n))
	case "string_start":
		return slices.Contains([]string{"'", "\"", "b'", "b\""}, n.Text())
	case "integer", "float", "number":
		return number.MatchString(n.Text())
	case "unary_operator", "unary_expression":
		return number.MatchString(n.Text())
	}
	return slices.Contains(literalKinds[lang], n.Kind()) && !n.IsMissing() && !n.IsExtra()
}

// emptySet is how Python writes sets of nothing.
func emptySet(lang code.Language, n code.Node) bool {
	return lang == code.Python && n.Kind() == "call" && (n.Text() == "set()" || n.Text() == "frozenset()")
}

// frozen: a call of frozenset with one argument.
func frozen(n code.Node) bool {
	fn, _ := n.ChildByField("function")
	list, ok := n.ChildByField("arguments")
	return ok && fn.Text() == "frozenset" && fn.Kind() == "identifier" && list.Kind() == "argument_list" && len(list.Children()) == 3 && len(list.NamedChildren()) == 1
}
