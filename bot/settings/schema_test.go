package settings

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// schemaOf compiles a schema that stands beside the loader.
func schemaOf(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drawn makes a document that is often a valid .fettle.yml, and often nearly.
func drawn(t *rapid.T) map[string]any {
	text := rapid.SampledFrom([]string{"main", "src/**", "a b", "..", "/etc", "a\\b", "", " ", "x\ny", "-x", "tier2", "a/../b", "feature/x", "a..b", "é", "true", "1"})
	texts := func(label string) any {
		if rapid.IntRange(0, 4).Draw(t, label+" alone") == 0 {
			return text.Draw(t, label)
		}
		out := []any{}
		for range rapid.IntRange(0, 2).Draw(t, label+" n") {
			out = append(out, text.Draw(t, label))
		}
		return out
	}
	odd := func(label string, usual any) any {
		switch rapid.IntRange(0, 9).Draw(t, label+" odd") {
		case 0:
			return nil
		case 1:
			wrong := []any{"x", []any{}, map[string]any{}}
			if label == "required" || label == "sign_off" || label == "delete_branch" || label == "budget" || label == "checks" {
				wrong = append(wrong, true, 3) // elsewhere YAML's bare true and 3 are text to the loader
			}
			return rapid.SampledFrom(wrong).Draw(t, label)
		}
		return usual
	}
	doc := map[string]any{}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"setup", "checks", "base", "protected", "never_send", "scope", "budget", "max_tier", "gates", "labels", "sign_off", "delete_branch", "tiers", "chekcs"}), 0, 4, rapid.ID).Draw(t, "keys") {
		switch key {
		case "checks":
			var list []any
			for i := range rapid.IntRange(0, 2).Draw(t, "checks") {
				c := map[string]any{"name": string(rune('a'+i)) + text.Draw(t, "name"), "run": odd("run", text.Draw(t, "run")), "required": odd("required", true)}
				if rapid.IntRange(0, 5).Draw(t, "drop") == 0 {
					delete(c, rapid.SampledFrom([]string{"name", "run", "required"}).Draw(t, "which"))
				}
				list = append(list, c)
			}
			doc[key] = odd(key, list)
		case "budget":
			doc[key] = odd(key, map[string]any{"usd": rapid.SampledFrom([]any{0, 1.5, -1, 10001, nil}).Draw(t, "usd"), "minutes": rapid.SampledFrom([]any{0, 0.1, 30, 1441}).Draw(t, "minutes"),
				"attempts": rapid.SampledFrom([]any{1, 0, 2.5, 200, 201}).Draw(t, "attempts"), "replans": rapid.SampledFrom([]any{0, 2, 20, 21, nil}).Draw(t, "replans"), "steps": rapid.SampledFrom([]any{0, 1, 50, 51}).Draw(t, "steps"), "max_tier": rapid.SampledFrom([]any{"tier1", "tier9", nil}).Draw(t, "tier"), "explore": rapid.SampledFrom([]any{true, false, "no", nil}).Draw(t, "explore")})
		case "max_tier":
			doc[key] = odd(key, rapid.SampledFrom([]any{"mechanical", "tier3", "nano"}).Draw(t, "top"))
		case "gates":
			if rapid.Bool().Draw(t, "gates listed") {
				doc[key] = odd(key, texts(key))
				break
			}
			doc[key] = map[string]any{"plan": odd("plan", true), "critical": rapid.SampledFrom([]any{true, false, nil, "yes"}).Draw(t, "critical"),
				rapid.SampledFrom([]string{"outsider", "outsiders"}).Draw(t, "spelt"): rapid.SampledFrom([]any{"skip_ci", "approve", "off", "on", nil}).Draw(t, "outsider")}
		case "sign_off", "delete_branch":
			doc[key] = odd(key, rapid.Bool().Draw(t, "sign"))
		case "base":
			doc[key] = odd(key, text.Draw(t, "base"))
		default:
			doc[key] = odd(key, texts(key))
		}
	}
	return doc
}

func TestC2SchemaAndLoaderAgreeBothWays(t *testing.T) {
	t.Parallel()
	s := schemaOf(t, "fettle.schema.json")
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		doc := drawn(t)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatal(err)
		}
		bySchema := s.Validate(plain)
		_, byLoader := LoadRepo(raw)
		if (bySchema == nil) != (byLoader == nil) {
			t.Fatalf("%s\nschema: %v\nloader: %v", raw, bySchema, byLoader)
		}
		if byLoader == nil {
			accepted++
		}
	})
	if accepted < 5 {
		t.Errorf("only %d documents were valid", accepted)
	}
}

func TestC2SchemaNamesEveryKeyOfTheLoader(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("fettle.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for key := range doc.Properties {
		if _, err := LoadRepo([]byte(key + ": null\n")); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}
