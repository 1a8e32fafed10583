package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Rust keeps tests beside the code that they test, in the same file, where they
// cannot be put back without it. So a change may add to them and take nothing.

// inlineTests says which tests of the base, and helpers of theirs, a change has
// taken out of a file of Rust or made others, sorted.
func inlineTests(ctx context.Context, f Change) ([]string, error) {
	if f.Before == nil || code.LanguageOf(f.Path) != code.Rust || protectedPath(f.Path) {
		return nil, nil
	}
	was, err := testItems(ctx, f.Before)
	if err != nil {
		return nil, fmt.Errorf("reading the tests in %s: %w", f.Path, err)
	}
	now, err := testItems(ctx, f.After)
	if err != nil {
		return nil, fmt.Errorf("reading the tests in %s: %w", f.Path, err)
	}
	var out []string
	for name, text := range was {
		if now[name] != text {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// testItems are the items of modules that only tests are built with, and functions
// marked as tests: name → text, with the attributes before it.
func testItems(ctx context.Context, src []byte) (map[string]string, error) {
	out := map[string]string{}
	if len(src) == 0 {
		return out, nil
	}
	tree, err := code.Parse(ctx, code.Rust, src)
	if err != nil {
		return nil, err
	}
	var walk func(n code.Node, path string, inTests bool)
	walk = func(n code.Node, path string, inTests bool) {
		attributes := ""
		for _, c := range n.NamedChildren() {
			switch kind := c.Kind(); {
			case kind == "attribute_item":
				attributes += strings.Join(strings.Fields(c.Text()), "")
				continue
			case strings.Contains(kind, "comment"):
				continue
			case kind == "mod_item":
				name, _ := c.ChildByField("name")
				body, ok := c.ChildByField("body")
				if ok {
					walk(body, path+name.Text()+"::", inTests || strings.Contains(attributes, "cfg(test"))
				}
			case inTests || kind == "function_item" && strings.Contains(attributes, "test"):
				name, ok := c.ChildByField("name")
				key := path + kind
				if ok {
					key = path + name.Text()
				}
				for n := 2; out[key] != ""; n++ { // several impl blocks or uses
					key = fmt.Sprintf("%s%s %d", path, kind, n)
				}
				out[key] = attributes + c.Text()
			}
			attributes = ""
		}
	}
	walk(tree.Root(), "", false)
	return out, nil
}

// inlineRestored refuses a change that touches tests which stand beside the code.
func (out *Verdict) inlineRestored(ctx context.Context, diff []Change) error {
	for _, f := range diff {
		lost, err := inlineTests(ctx, f)
		if err != nil {
			return err
		}
		if len(lost) > 0 {
			out.Reasons = append(out.Reasons, fmt.Sprintf("%s: the change touches tests that stand in the file (%s); they have to stay as they are", f.Path, strings.Join(lost[:min(3, len(lost))], ", ")))
		}
	}
	return nil
}
