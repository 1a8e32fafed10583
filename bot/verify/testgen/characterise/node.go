package characterise

import (
	"bytes"
	"context"
	_ "embed" // the driver
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox"
)

//go:embed driver/node.mjs
var nodeDriver string

type node struct{}

func (node) command(s surroundings) sandbox.Command {
	return sandbox.Command{Argv: []string{"node", "--no-warnings", "--input-type=module", "-e", nodeDriver}, Env: map[string]string{"TZ": s.zone}}
}

func (n node) record(ctx context.Context, v *view) ([]record, error) {
	hooked, err := hook(ctx, v.change.Path, v.change.After, v.targets)
	if err != nil {
		return nil, err
	}
	cmd := n.command(here)
	cmd.Limits = limits(v.recordWall())
	var lines [][]byte
	err = v.over(hooked, func() (err error) {
		lines, err = v.drive(ctx, cmd, map[string]any{"mode": "record", "files": v.testFiles(), "wall": almost(v.recordWall()).Seconds()})
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []record
	for _, line := range lines {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Spot >= 0 && r.Spot < len(v.targets) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (node) prepare(context.Context, *view, []call, [][]byte) error { return nil }

func (n node) observe(ctx context.Context, v *view, w watch) ([]seen, error) {
	names := []string{}
	for _, c := range w.calls {
		for _, name := range c.names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	cmd := n.command(w.in)
	cmd.Limits = limits(w.wall + grace)
	req := v.request(w)
	req["names"], req["driver"] = names, nodeDriver
	lines, err := v.drive(ctx, cmd, req)
	return watched(lines, len(w.texts)), err
}

// insertion is text put into a file at a place.
type insertion struct {
	at   int
	text string
}

// inserted is a text with what is put into it, in the order of the places.
func inserted(src []byte, add []insertion) []byte {
	slices.SortStableFunc(add, func(a, b insertion) int { return a.at - b.at })
	var out bytes.Buffer
	from := 0
	for _, i := range add {
		out.Write(src[from:i.at])
		out.WriteString(i.text)
		from = i.at
	}
	out.Write(src[from:])
	return out.Bytes()
}

// hook puts calls into a source file that tell of the calls of the targets and,
// where they are methods, of what becomes of their objects.
func hook(ctx context.Context, p string, src []byte, targets []*target) ([]byte, error) {
	tree, err := code.Parse(ctx, code.LanguageOf(p), src)
	if err != nil {
		return nil, fmt.Errorf("reading %s to follow its calls: %w", p, err)
	}
	var add []insertion
	all, err := code.Callables(ctx, p, src)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		fn, body, ok := function(tree, c.Region)
		if !ok {
			continue
		}
		text := ""
		spot := slices.IndexFunc(targets, func(t *target) bool { return t.ID == c.ID })
		given, me := arguments(fn, c), "null"
		ours := c.Kind == code.KindMethod && slices.ContainsFunc(targets, func(t *target) bool { return t.class == c.Parent })
		if c.Kind == code.KindMethod {
			me = "this"
		}
		switch {
		case given == "":
			continue
		case ours && c.Name == "constructor" && !derived(fn):
			text = fmt.Sprintf(" globalThis.__fettle?.made(this, %s);", given)
		case ours && c.Name != "constructor":
			text = fmt.Sprintf(" globalThis.__fettle?.called(this, %q, %s, %q);", c.Name, given, path.Base(p))
		}
		if spot >= 0 {
			text += fmt.Sprintf(" globalThis.__fettle?.seen(%d, %s, %s, %q);", spot, me, given, c.Name)
		}
		switch {
		case text == "":
		case body.Kind() == "statement_block":
			add = append(add, insertion{body.Start() + 1, text})
		default: // x => expression
			add = append(add, insertion{body.Start(), "{" + text + " return ("}, insertion{body.End(), ");}"})
		}
	}
	return inserted(src, add), nil
}

// function is the node of a region's function, and its body.
func function(tree *code.Tree, r code.Region) (fn, body code.Node, ok bool) {
	tree.Walk(func(n code.Node) bool {
		if ok || n.End() <= r.StartByte || n.Start() >= r.EndByte {
			return false
		}
		if n.Start() < r.StartByte || n.End() > r.EndByte {
			return true
		}
		switch n.Kind() {
		case "arrow_function", "function_expression", "generator_function", "generator_function_declaration", "method_definition", "function_declaration":
			if body, ok = n.ChildByField("body"); ok {
				fn = n
			}
		}
		return !ok
	})
	return fn, body, ok
}

// arguments is an expression for what a function was given; "" where there is
// none.
func arguments(fn code.Node, c code.Callable) string {
	if fn.Kind() != "arrow_function" {
		return "[...arguments]"
	}
	var names []string
	for _, p := range c.Params {
		if strings.ContainsAny(p.Name, "{[") {
			return ""
		}
		names = append(names, p.Mark+p.Name)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// derived: the class of a constructor extends another.
func derived(fn code.Node) bool {
	for at, ok := fn.Parent(); ok; at, ok = at.Parent() {
		if at.Kind() == "class_declaration" || at.Kind() == "class" {
			return strings.Contains(strings.SplitN(at.Text(), "{", 2)[0], "extends")
		}
	}
	return false
}
