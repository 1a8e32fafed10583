// Command cut cuts GitHub's published REST description down to the operations
// and webhooks that the simulator speaks. In goes api.github.com.json of the
// npm package @octokit/openapi; out comes a gzipped JSON document of the same
// shape, without prose and examples, in a stable order. It must never change
// the meaning of a schema.
//
//	npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//	go run ./bot/forge/simulator/contract/cut -in package/generated/api.github.com.json \
//	    -list bot/forge/simulator/contract/operations.txt \
//	    -out bot/forge/simulator/contract/github.json.gz
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	in := flag.String("in", "", "api.github.com.json of @octokit/openapi")
	list := flag.String("list", "", "file with one `METHOD /path` or `webhook name` per line")
	out := flag.String("out", "", "gzipped JSON to write")
	cut := run
	flag.BoolFunc("graphql", "cut schema.graphql of @octokit/graphql-schema instead; the list names fields, the output is a schema", func(string) error {
		cut = graphql
		return nil
	})
	flag.Parse()
	if err := cut(*in, *list, *out); err != nil {
		fmt.Fprintln(os.Stderr, "cut:", err)
		os.Exit(1)
	}
}

func run(in, list, out string) error {
	data, err := os.ReadFile(in)
	if err != nil {
		return fmt.Errorf("reading GitHub's description: %w; get it with npm pack @octokit/openapi", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("%s is not JSON: %w", in, err)
	}
	wanted, err := readList(list)
	if err != nil {
		return err
	}
	c := cutter{doc: doc, components: map[string]any{}, seen: map[string]bool{}}
	small, err := c.cut(wanted)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	zip, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zip) // maps come out sorted: the same input gives the same bytes
	enc.SetEscapeHTML(false)
	if err := enc.Encode(small); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, buf.Bytes(), 0o644)
}

func readList(path string) ([][2]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out [][2]string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s: %q is not two words", path, lines.Text())
		}
		out = append(out, [2]string{words[0], words[1]})
	}
	return out, lines.Err()
}

type cutter struct {
	doc        map[string]any
	components map[string]any
	seen       map[string]bool
}

func (c *cutter) cut(wanted [][2]string) (map[string]any, error) {
	paths, hooks := map[string]any{}, map[string]any{}
	for _, w := range wanted {
		group, key, method, into := "paths", w[1], strings.ToLower(w[0]), paths
		if w[0] == "webhook" {
			group, method, into = "x-webhooks", "post", hooks
		}
		all, _ := c.doc[group].(map[string]any)
		item, _ := all[key].(map[string]any)
		op, ok := item[method]
		if !ok {
			return nil, fmt.Errorf("GitHub's description has no %s %s", w[0], w[1])
		}
		op = slim(op)
		if err := c.follow(op); err != nil {
			return nil, err
		}
		kept, _ := into[key].(map[string]any)
		if kept == nil {
			kept = map[string]any{}
			into[key] = kept
		}
		kept[method] = op
	}
	return map[string]any{"openapi": c.doc["openapi"], "info": c.doc["info"], "paths": paths,
		"x-webhooks": hooks, "components": c.components}, nil
}

// follow copies every component that x refers to, and what those refer to.
func (c *cutter) follow(x any) error {
	switch x := x.(type) {
	case map[string]any:
		if ref, ok := x["$ref"].(string); ok && !c.seen[ref] {
			c.seen[ref] = true
			if err := c.take(ref); err != nil {
				return err
			}
		}
		for _, v := range x {
			if err := c.follow(v); err != nil {
				return err
			}
		}
	case []any:
		for _, v := range x {
			if err := c.follow(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cutter) take(ref string) error {
	parts := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
	if len(parts) != 3 || parts[0] != "components" {
		return fmt.Errorf("reference %q is not of the form #/components/kind/name", ref)
	}
	all, _ := c.doc["components"].(map[string]any)
	kind, _ := all[parts[1]].(map[string]any)
	value, ok := kind[parts[2]]
	if !ok {
		return fmt.Errorf("reference %q leads nowhere", ref)
	}
	value = slim(value)
	kept, _ := c.components[parts[1]].(map[string]any)
	if kept == nil {
		kept = map[string]any{}
		c.components[parts[1]] = kept
	}
	kept[parts[2]] = value
	return c.follow(value)
}

// slim drops prose and examples. Below "properties" the same words can be the
// names of fields, so these maps keep all their keys.
func slim(x any) any { return slimIn(x, false) }

func slimIn(x any, names bool) any {
	switch x := x.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			if !names && (k == "description" || k == "example" || k == "examples" || k == "summary" || k == "tags" ||
				k == "externalDocs" || k == "title" || k == "deprecated" || strings.HasPrefix(k, "x-")) {
				if k == "description" && isResponse(x) {
					out[k] = ""
				}
				continue
			}
			out[k] = slimIn(v, !names && (k == "properties" || k == "parameters" || k == "responses" || k == "headers"))
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, v := range x {
			out[i] = slimIn(v, false)
		}
		return out
	}
	return x
}

// isResponse tells whether m is a response object, whose description OpenAPI
// requires.
func isResponse(m map[string]any) bool {
	_, content := m["content"]
	_, text := m["description"].(string)
	_, schema := m["type"]
	return text && (content || !schema)
}
