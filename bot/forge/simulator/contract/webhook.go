package contract

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// loadHooks finds the schema of each webhook; OpenAPI 3.0 has no place for
// them, so that GitHub writes them under x-webhooks.
func (b *book) loadHooks(data []byte) error {
	var doc struct {
		Hooks map[string]struct {
			Post struct {
				Body struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						} `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"x-webhooks"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("contract: reading the webhooks: %w", err)
	}
	for name, hook := range doc.Hooks {
		ref := hook.Post.Body.Content["application/json"].Schema.Ref
		schema := b.doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
		if schema == nil {
			return fmt.Errorf("contract: webhook %s has no schema", name)
		}
		b.hooks[name] = schema.Value
	}
	return nil
}

// Hooks lists the webhooks that the description holds, such as
// "webhook issues-labeled".
func (v *Validator) Hooks() []string {
	var out []string
	for name := range v.hooks {
		out = append(out, "webhook "+name)
	}
	sort.Strings(out)
	return out
}

// Webhook compares a payload with the description of its event, such as
// "issues", and its action. What differs is recorded and returned.
func (v *Validator) Webhook(event string, payload []byte) error {
	var body map[string]any
	if err := json.Unmarshal(payload, &body); err != nil {
		return fmt.Errorf("contract: the %s payload is not JSON: %w", event, err)
	}
	name := event
	if action, ok := body["action"].(string); ok {
		name += "-" + action
	}
	name = strings.ReplaceAll(name, "_", "-")
	schema := v.hooks[name]
	if schema == nil {
		err := fmt.Errorf("contract: GitHub's description (or the part that is cut from it) has no webhook %s", name)
		v.violate("webhook "+name, err.Error())
		return err
	}
	v.mu.Lock()
	v.seen["webhook "+name]++
	v.mu.Unlock()
	if err := schema.VisitJSON(body, openapi3.VisitAsResponse(), openapi3.MultiErrors()); err != nil {
		v.violate("webhook "+name, brief(err))
		return fmt.Errorf("contract: webhook %s: %s", name, brief(err))
	}
	return nil
}
