package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// graphql cuts schema.graphql of the npm package @octokit/graphql-schema down to the
// fields that list names, with the arguments and inputs that they take. What comes
// out is a schema of its own, without prose.
func graphql(in, list, out string) error {
	text, err := os.ReadFile(in)
	if err != nil {
		return fmt.Errorf("reading GitHub's schema: %w; get it with npm pack @octokit/graphql-schema", err)
	}
	// Read and not validated: the published one defines a field twice.
	doc, err := parser.ParseSchema(&ast.Source{Name: in, Input: string(text)})
	if err != nil {
		return fmt.Errorf("%s is not a schema: %w", in, err)
	}
	types := map[string]*ast.Definition{}
	for _, d := range doc.Definitions {
		types[d.Name] = d
	}
	names, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	small := &ast.SchemaDocument{}
	kept := map[string]*ast.Definition{}
	keep := func(name string) *ast.Definition {
		d := types[name]
		if d != nil && kept[name] == nil { // nil: a scalar that GraphQL knows
			kept[name] = &ast.Definition{Kind: d.Kind, Name: d.Name, EnumValues: d.EnumValues}
			small.Definitions = append(small.Definitions, kept[name])
		}
		return kept[name]
	}
	var input func(t *ast.Type)
	input = func(t *ast.Type) {
		if d := types[t.Name()]; kept[t.Name()] == nil {
			if into := keep(t.Name()); into != nil && d.Kind == ast.InputObject {
				into.Fields = d.Fields
				for _, f := range d.Fields {
					input(f.Type)
				}
			}
		}
	}
	for line := range strings.Lines(string(names)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		owner, name, _ := strings.Cut(line, ".")
		d := types[owner]
		if d == nil || d.Fields.ForName(name) == nil {
			return fmt.Errorf("GitHub's schema has no %s", line)
		}
		f := d.Fields.ForName(name)
		if old := f.Directives.ForName("deprecated"); old != nil {
			return fmt.Errorf("GitHub gives %s up: %s", line, old.Arguments.ForName("reason").Value)
		}
		into := keep(owner)
		into.Fields = append(into.Fields, f)
		keep(f.Type.Name())
		for _, a := range f.Arguments {
			input(a.Type)
		}
	}
	plain(small)
	var buf bytes.Buffer
	formatter.NewFormatter(&buf, formatter.WithoutDescription()).FormatSchemaDocument(small)
	return os.WriteFile(out, buf.Bytes(), 0o644)
}

// plain leaves directives out: they tell of previews and deprecation.
func plain(doc *ast.SchemaDocument) {
	for _, d := range doc.Definitions {
		for _, v := range d.EnumValues {
			v.Directives = nil
		}
		for _, f := range d.Fields {
			f.Directives = nil
			for _, a := range f.Arguments {
				a.Directives = nil
			}
		}
	}
}
