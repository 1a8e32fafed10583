package settings

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// H6: the file that init writes says what holds without one, line by line.
func TestH6TheTemplateSaysTheDefaults(t *testing.T) {
	t.Parallel()
	got, err := ParseHeal("heal.yml", HealTemplate)
	if err != nil || !reflect.DeepEqual(got, DefaultHeal()) {
		t.Errorf("%+v, %v", got, err)
	}
	empty, err := ParseHeal("heal.yml", nil)
	if err != nil || !reflect.DeepEqual(empty, DefaultHeal()) {
		t.Errorf("an empty file: %+v, %v", empty, err)
	}
}

// H6: the schema and the loader take the same files. Times, and that degraded mode is
// stricter, are the loader's alone.
func TestH6HealSchemaAndLoaderAgree(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, "heal.schema.json")
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		value := func(label string, values ...any) any {
			return rapid.SampledFrom(append(values, nil, "x", []any{}, map[string]any{})).Draw(t, label)
		}
		doc := map[string]any{}
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"step", "workflow", "global", "confidence", "degraded", "recovering", "rollback", "alerts", "steps"}), 0, 3, rapid.ID).Draw(t, "keys") {
			switch key {
			case "step":
				doc[key] = map[string]any{"in_a_row": value("row", 1, 3, 0, 1000, 1001, 2.5)}
			case "workflow", "global":
				doc[key] = map[string]any{"failures": value("failures", 1, 10, 1000, -1), rapid.SampledFrom([]string{"installation", "installations"}).Draw(t, "share"): value("of one", 1, 40, 0), rapid.SampledFrom([]string{"window", "windw"}).Draw(t, "spelt"): "10m"}
			case "confidence":
				doc[key] = value("confidence", 0, 0.5, 0.85, 1.1, -0.1)
			case "degraded":
				doc[key] = map[string]any{"confidence": value("careful", 0.9, 1, 2), "successes": value("successes", 1, 5, 0)}
			case "recovering":
				doc[key] = map[string]any{"successes": value("recovered", 1, 5, 0)}
			case "rollback":
				doc[key] = map[string]any{"points": value("points", 0, 10, 101, 1.5), "significance": value("significance", 0.05, 0.5, 0, 0.6)}
			case "alerts":
				doc[key] = rapid.SampledFrom([]any{nil, map[string]any{"webhook_file": "hook"}, map[string]any{"webhook": "hook"}, map[string]any{"webhook_file": ""}, "x"}).Draw(t, "alerts")
			default:
				doc[key] = 1
			}
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(plain)
		h, byLoader := ParseHeal("heal.yml", raw)
		if (bySchema == nil) != (byLoader == nil) {
			t.Fatalf("%s\nschema: %v\nloader: %v", raw, bySchema, byLoader)
		}
		if byLoader == nil {
			taken++
			if h.Degraded.Confidence < h.Confidence || h.Step.InARow < 1 || h.Workflow.Failures < 1 || h.Global.Failures < 1 {
				t.Fatalf("%s is taken as %+v", raw, h)
			}
		}
	})
	if taken < 5 {
		t.Errorf("only %d files were taken", taken)
	}
}
