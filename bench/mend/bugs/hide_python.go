package bugs

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// pythonUnits finds the functions test… of modules and classes, and the rows
// that pytest.mark.parametrize gives them. "pass" takes their place.
func pythonUnits(t *code.Tree) []Unit {
	used := names(t, "function_definition")
	var out []Unit
	t.Walk(func(n code.Node) bool {
		if n.Kind() == "lambda" {
			return false
		}
		if n.Kind() != "function_definition" {
			return true
		}
		name, ok := n.ChildByField("name")
		if !ok || !strings.HasPrefix(name.Text(), "test") || used[name.Text()] > 0 {
			return false
		}
		whole := n
		if p, ok := n.Parent(); ok && p.Kind() == "decorated_definition" {
			whole = p
		}
		u := Unit{Name: pythonName(n, name.Text()), cuts: []cut{{whole.Start(), whole.End(), "pass"}}}
		out = append(out, u)
		if whole != n {
			out = append(out, pythonRows(whole, u.Name)...)
		}
		return false
	})
	return out
}

// pythonName puts the names of the classes around a test before its own.
func pythonName(n code.Node, name string) string {
	for p, ok := n.Ancestor("class_definition"); ok; p, ok = p.Ancestor("class_definition") {
		if c, ok := p.ChildByField("name"); ok {
			name = c.Text() + "::" + name
		}
	}
	return name
}

// pythonRows are the rows of @pytest.mark.parametrize(names, [row, row …])
// where nothing else, such as ids, goes by their order.
func pythonRows(decorated code.Node, test string) []Unit {
	var out []Unit
	for _, d := range decorated.NamedChildren() {
		if d.Kind() != "decorator" || !strings.Contains(d.Text(), "parametrize(") {
			continue
		}
		args := code.Node{}
		found := false
		d.Walk(func(n code.Node) bool {
			if n.Kind() == "argument_list" && !found {
				args, found = n, true
			}
			return !found
		})
		if !found {
			continue
		}
		list := args.NamedChildren()
		if len(list) != 2 || list[1].Kind() != "list" {
			continue
		}
		out = append(out, rows(list[1], test, func(code.Node) bool { return true })...)
	}
	return out
}

// fewest is how many rows a table needs to be cut.
const fewest = 4

// rows are the elements of a list, each with the comma after it.
func rows(list code.Node, test string, fits func(code.Node) bool) []Unit {
	elements := list.NamedChildren()
	if len(elements) < fewest {
		return nil
	}
	var out []Unit
	src := list.Tree().Src
	for _, e := range elements {
		if !fits(e) {
			return nil
		}
		end := e.End()
		for end < list.End() && (src[end] == ' ' || src[end] == '\t') {
			end++
		}
		if end < list.End() && src[end] == ',' {
			end++
		} else {
			end = e.End()
		}
		out = append(out, Unit{Name: test + " row " + rank("", e.Text()), Row: true, cuts: []cut{{e.Start(), end, ""}}})
	}
	return out
}

// names counts where a name stands other than as that of a definition.
func names(t *code.Tree, definition string) map[string]int {
	out := map[string]int{}
	t.Walk(func(n code.Node) bool {
		if k := n.Kind(); (k == "identifier" || k == "field_identifier") && (n.Up() != definition || n.Field() != "name") {
			out[n.Text()]++
		}
		return true
	})
	return out
}
