package settings

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// lineOf finds the line of a key such as "budget.usd"; where the key itself is
// missing it is the line of the nearest key above it, and 1 at the least.
func lineOf(raw []byte, key string) int {
	f, err := parser.ParseBytes(raw, 0)
	if err != nil || len(f.Docs) == 0 {
		return 1
	}
	line := 1
	node := f.Docs[0].Body
	for _, part := range strings.Split(key, ".") {
		found := false
		for _, v := range values(node) {
			if v.Key.String() == part {
				line, node, found = v.Key.GetToken().Position.Line, v.Value, true
				break
			}
		}
		if !found {
			break
		}
	}
	return line
}

func values(n ast.Node) []*ast.MappingValueNode {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}
	}
	return nil
}
