// Package double answers in the place of a model, for benches: the developer with an
// edit that is given, whoever judges with a yes, and whoever is asked for something new
// with nothing.
package double

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/model/scripted"
)

// Edit is new code of one region and, where that needs one, an import.
type Edit struct {
	Path, Region string // the region's id
	Code, Import string
	Why          string
}

// Script answers each call in the place of a model.
func (e Edit) Script() scripted.Script {
	return func(c scripted.Call, _ int) scripted.Answer {
		switch {
		case strings.Contains(c.System, "You are the developer"):
			return scripted.Answer{Text: e.Text()}
		case strings.Contains(c.System, "You review a change"):
			return scripted.Answer{Text: `{"verdict": "ACCEPT", "reason": "It does what the issue asks for."}`}
		case strings.Contains(c.System, "You check a plan"):
			return scripted.Answer{Text: `{"approved": true, "problems": []}`}
		case strings.Contains(c.System, "recommend what follows"):
			return scripted.Answer{Text: `{"recommendation": "pass_to_commit", "reason": "Nothing speaks against it.", "confidence": 0.9}`}
		case strings.Contains(c.System, "You sort issues"):
			return scripted.Answer{Text: `{"action": "start", "reason": "It reports a fault."}`}
		}
		return scripted.Answer{Text: "```json\n{\"actions\": [{\"action\": \"finish\"}], \"explanation\": \"This double writes no tests and no plans.\"}\n```"}
	}
}

// Text is the edit as a developer's answer.
func (e Edit) Text() string {
	one := 1
	type action struct {
		Action string `json:"action"`
		Path   string `json:"path"`
		Region string `json:"region,omitempty"`
		Code   *int   `json:"code"`
	}
	list, blocks := []action{{"replace_region", e.Path, e.Region, &one}}, []string{e.Code}
	if e.Import != "" {
		two := 2
		list, blocks = append(list, action{"add_import", e.Path, "", &two}), append(blocks, e.Import)
	}
	head, _ := json.Marshal(map[string]any{"actions": list, "explanation": e.Why}) // plain texts
	var out strings.Builder
	fmt.Fprintf(&out, "```json\n%s\n```\n", head)
	for _, text := range blocks {
		fmt.Fprintf(&out, "\n``````\n%s\n``````\n", strings.TrimRight(text, "\n"))
	}
	return out.String()
}
