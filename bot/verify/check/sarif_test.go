package check

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestS10SARIFHasTheShapeThatItsSchemaRequires(t *testing.T) {
	t.Parallel()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(sarifSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		r := Result{}
		for range rapid.IntRange(0, 3).Draw(t, "checks") {
			ch := Check{Name: text.Draw(t, "name"), Status: rapid.SampledFrom([]Status{Passed, Failed, NotRun, Skipped}).Draw(t, "status"), Required: rapid.Bool().Draw(t, "required")}
			for range rapid.IntRange(0, 3).Draw(t, "failures") {
				ch.Failures = append(ch.Failures, task.Failure{Test: text.Draw(t, "test"), Suite: text.Draw(t, "suite"), Kind: task.FailLint, File: text.Draw(t, "file"), Line: rapid.IntRange(0, 99).Draw(t, "line"),
					Exception: text.Draw(t, "class"), Message: text.Draw(t, "message"), Fingerprint: "0123456789abcdef", Trace: []task.Frame{{File: "a"}, {File: text.Draw(t, "frame"), Line: 3}}})
			}
			r.Checks = append(r.Checks, ch)
		}
		var b bytes.Buffer
		if err := Write(&b, "sarif", r, "dev"); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Fatalf("%v", err)
		}
	})
}
