package answer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// What a tester may recommend.
const (
	PassToCommit = "pass_to_commit"
	FixRequired  = "fix_required"
	EscalateTier = "escalate_tier"
)

// What a reviewer may decide.
const (
	Accept            = "ACCEPT"
	Retry             = "RETRY"
	Fail              = "FAIL"
	EscalateToPlanner = "ESCALATE_TO_PLANNER"
)

// Recommendation is a tester's answer.
type Recommendation struct {
	Recommendation string  `json:"recommendation"` // pass_to_commit, fix_required, escalate_tier
	Reason         string  `json:"reason"`
	Confidence     float64 `json:"confidence"` // 0 to 1; 0 when it was not given
}

// Tester is the shape of a tester's answer.
var Tester = Shape[Recommendation]{
	Name: "recommendation", keys: []string{"recommendation"}, word: "recommendation",
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["recommendation", "reason", "confidence"], "properties": {
  "recommendation": {"type": "string", "enum": ["pass_to_commit", "fix_required", "escalate_tier"]},
  "reason": {"type": "string", "pattern": "^$|[\\pL\\pN]"}, "confidence": {"type": "number", "minimum": 0, "maximum": 1}}}`),
	Example: `{"recommendation": "fix_required", "reason": "one sentence", "confidence": 0.8}`,
	names: map[string]string{"recommend": "recommendation", "verdict": "recommendation", "decision": "recommendation", "result": "recommendation",
		"explanation": "reason", "why": "reason", "rationale": "reason", "sentence": "reason", "score": "confidence", "certainty": "confidence",
		"comment": "reason", "note": "reason", "justification": "reason", "confidence_score": "confidence", "confidence_level": "confidence"},
}.compile()

// Review is a reviewer's answer.
type Review struct {
	Verdict string `json:"verdict"` // ACCEPT, RETRY, FAIL, ESCALATE_TO_PLANNER
	Reason  string `json:"reason"`
}

// Reviewer is the shape of a reviewer's answer.
var Reviewer = Shape[Review]{
	Name: "verdict", keys: []string{"verdict"}, word: "verdict",
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["verdict", "reason"], "properties": {
  "verdict": {"type": "string", "enum": ["ACCEPT", "RETRY", "FAIL", "ESCALATE_TO_PLANNER"]}, "reason": {"type": "string", "pattern": "^$|[\\pL\\pN]"}}}`),
	Example: `{"verdict": "RETRY", "reason": "one or two sentences"}`,
	names: map[string]string{"decision": "verdict", "recommendation": "verdict", "review": "verdict", "result": "verdict", "outcome": "verdict",
		"explanation": "reason", "why": "reason", "rationale": "reason", "feedback": "reason", "summary": "reason",
		"comment": "reason", "note": "reason", "justification": "reason"},
}.compile()

// Triaged is what a triager says of an issue.
type Triaged struct {
	Action string `json:"action"` // start, plan, answer, ask, refuse
	Reason string `json:"reason"`
}

// Triage is the shape of a triager's answer.
var Triage = Shape[Triaged]{
	Name: "triage", keys: []string{"action"}, word: "action",
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["action", "reason"], "properties": {
  "action": {"type": "string", "enum": ["start", "plan", "answer", "ask", "refuse"]}, "reason": {"type": "string", "pattern": "^$|[\\pL\\pN]"}}}`),
	Example: `{"action": "start", "reason": "one short sentence"}`,
	names: map[string]string{"verdict": "action", "decision": "action", "class": "action", "result": "action",
		"explanation": "reason", "why": "reason", "rationale": "reason"},
}.compile()

// MaxSteps is how many steps a plan may have (SPEC L5).
const MaxSteps = 12

// Plan is a planner's answer.
type Plan struct {
	Summary string   `json:"summary"`
	Steps   []Step   `json:"steps"`
	Look    []Action `json:"look,omitempty"` // what it has to see before it plans; there are no steps then
}

// Step is one change of a plan.
type Step struct {
	Goal       string   `json:"goal"`
	Targets    []string `json:"targets"` // paths or regions
	Acceptance string   `json:"acceptance"`
	Critical   bool     `json:"critical"`
	Test       *bool    `json:"test,omitempty"` // it changes what the program does; nil: it does not say
}

// Planner is the shape of a planner's answer.
var Planner = Shape[Plan]{
	Name: "plan", keys: []string{"steps"},
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["summary", "steps"], "properties": {
  "summary": {"type": "string", "default": ""},
  "look": {"type": "array", "maxItems": 10, "items": {"type": "object", "additionalProperties": false, "required": ["action"], "properties": {
    "action": {"type": "string", "enum": ["read_region", "outline", "search", "list_files", "run_check", "try_code"]}, "path": {"type": "string", "maxLength": 1000},
    "region": {"type": "string", "maxLength": 1000}, "query": {"type": "string", "maxLength": 1000}, "check": {"type": "string", "maxLength": 200}}}},
  "steps": {"type": "array", "maxItems": ` + strconv.Itoa(MaxSteps) + `, "items": {"type": "object", "additionalProperties": false, "required": ["goal", "targets", "acceptance", "critical"], "properties": {
    "goal": {"type": "string", "pattern": "[\\pL\\pN]", "minLength": 1, "maxLength": 2000}, "targets": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 1000}},
    "acceptance": {"type": "string", "default": ""}, "critical": {"type": "boolean", "default": false}, "test": {"type": "boolean"}}}}}}`),
	Example: `{"summary": "what is wrong and how it is mended", "steps": [{"goal": "one change", "targets": ["src/a.py"], "acceptance": "what shows that it is done", "critical": false, "test": true}]}`,
	names: map[string]string{"plan": "steps", "tasks": "steps", "actions": "steps", "description": "goal", "title": "goal", "step": "goal", "task": "goal",
		"files": "targets", "target": "targets", "regions": "targets", "paths": "targets", "acceptance_criteria": "acceptance", "done_when": "acceptance",
		"verification": "acceptance", "is_critical": "critical", "needs_test": "test", "with_test": "test", "overview": "summary", "explanation": "summary"},
	finish: finishPlan,
}.compile()

// finishPlan refuses steps that say nothing, or that lead out of the
// repository.
func finishPlan(v *Plan, _ document, _ *Report) *Malformed {
	if len(v.Steps) == 0 && len(v.Look) == 0 {
		return malformed(SchemaInvalid, "it has neither a step nor anything to look at")
	}
	if len(v.Steps) > 0 {
		v.Look = nil // it plans without
	}
	for i := range v.Look {
		a := &v.Look[i]
		for _, bad := range []*Malformed{a.checked(i + 1), a.sensible(i+1, "")} {
			if bad != nil {
				return bad
			}
		}
	}
	for i, step := range v.Steps {
		for _, target := range step.Targets {
			file, _, _ := strings.Cut(target, "::")
			if says := strange(position.ReplaceAllString(file, "")); says != "" {
				return malformed(SchemaInvalid, "step %d names the target %q, which %s", i+1, oneLine(target), says)
			}
		}
	}
	return nil
}

// Critique is what a second look at a plan says.
type Critique struct {
	Approved bool     `json:"approved"`
	Problems []string `json:"problems"` // what has to change, most important first
}

// Critic is the shape of a critique. One that approves and names problems, or
// does neither, is refused: it can be understood in two ways.
var Critic = Shape[Critique]{
	Name: "critique", keys: []string{"approved"},
	Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["approved", "problems"], "properties": {
  "approved": {"type": "boolean"}, "problems": {"type": "array", "maxItems": 10, "default": [], "items": {"type": "string", "minLength": 1, "maxLength": 1000}}}}`),
	Example: `{"approved": false, "problems": ["one sentence: what is wrong with the plan and what it needs instead"]}`,
	names: map[string]string{"approve": "approved", "is_approved": "approved", "ok": "approved", "accepted": "approved",
		"issues": "problems", "objections": "problems", "concerns": "problems", "errors": "problems"},
	finish: func(v *Critique, _ document, _ *Report) *Malformed {
		if v.Approved == (len(v.Problems) > 0) {
			return malformed(SchemaInvalid, "a plan is approved without problems, or it has problems and is not approved")
		}
		return nil
	},
}.compile()

// Word is the last rung, for deciding between words: it reads an answer that
// is one of the words and nothing else. More than one, or a word among others,
// is no decision.
func Word(text string, options ...string) (string, error) {
	text, bad := withoutThoughts(text)
	if bad != nil {
		return "", bad
	}
	if len(text) <= 200 {
		for _, o := range options {
			if sameWord(o, text) {
				return o, nil
			}
		}
	}
	return "", malformed(SchemaInvalid, "it is not one of the words %s", strings.Join(options, ", "))
}

// WordPrompt asks for one of the words.
func WordPrompt(options ...string) string {
	return fmt.Sprintf("Answer with exactly one of these words and nothing else: %s", strings.Join(options, ", "))
}
