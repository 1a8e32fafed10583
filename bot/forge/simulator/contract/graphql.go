package contract

import (
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed github.graphql
var graphQL string

// readSchema is the part of GitHub's GraphQL schema that fettle speaks, from
// npm @octokit/graphql-schema.
var readSchema = sync.OnceValues(func() (*ast.Schema, error) {
	s, err := gqlparser.LoadSchema(&ast.Source{Name: "github.graphql", Input: graphQL})
	if err != nil {
		return nil, fmt.Errorf("contract: the schema is damaged: %w; make it again with update.sh", err)
	}
	return s, nil
})

// checkGraphQL compares a query and its variables with GitHub's schema, and the
// answer with what was asked.
func (v *Validator) checkGraphQL(body []byte, rec *recorder) {
	const name = "POST /graphql"
	v.mu.Lock()
	v.seen[fmt.Sprintf("%s %d", name, rec.status)]++
	v.mu.Unlock()
	if problem := graphQLProblem(body, rec); problem != "" {
		v.violate(name, problem)
	}
}

func graphQLProblem(body []byte, rec *recorder) string {
	schema, err := readSchema()
	if err != nil {
		return err.Error()
	}
	var ask struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	if err := json.Unmarshal(body, &ask); err != nil {
		return "request: " + err.Error()
	}
	var answer struct {
		Data   map[string]any `json:"data"`
		Errors []any          `json:"errors"`
	}
	if rec.status >= 300 || json.Unmarshal(rec.body.Bytes(), &answer) == nil && len(answer.Errors) > 0 {
		return "" // a request that was refused may well be wrong
	}
	query, errs := gqlparser.LoadQueryWithRules(schema, ask.Query, rules.NewDefaultRules())
	if len(errs) > 0 {
		return "request: " + errs.Error()
	}
	for _, op := range query.Operations {
		if _, err := validator.VariableValues(schema, op, ask.Variables); err != nil {
			return "request: " + err.Error()
		}
		if problem := answered(op.SelectionSet, answer.Data, "data"); problem != "" {
			return "answer: " + problem
		}
	}
	return ""
}

// answered tells what of a selection an answer lacks, or "".
func answered(asked ast.SelectionSet, got map[string]any, at string) string {
	for _, s := range asked {
		f, ok := s.(*ast.Field)
		if !ok {
			continue
		}
		value, there := got[f.Alias]
		here := at + "." + f.Alias
		switch {
		case !there:
			return here + " is missing"
		case value == nil && f.Definition.Type.NonNull:
			return here + " must not be null"
		}
		all, many := value.([]any)
		if !many {
			all = []any{value}
		}
		for _, one := range all {
			if inner, ok := one.(map[string]any); ok && len(f.SelectionSet) > 0 {
				if problem := answered(f.SelectionSet, inner, here); problem != "" {
					return problem
				}
			}
		}
	}
	return ""
}
