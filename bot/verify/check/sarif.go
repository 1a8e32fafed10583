package check

import (
	"net/url"
	"sort"

	"github.com/fettle-dev/fettle/bot/task"
)

// The parts of SARIF 2.1.0 (OASIS standard) that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		Invocations []sarifInvocation        `json:"invocations"`
		Bases       map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind  string                   `json:"columnKind"`
		Results     []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Stacks       []sarifStack      `json:"stacks,omitempty"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI  string        `json:"uri,omitempty"`
		Base string        `json:"uriBaseId,omitempty"`
		Text *sarifMessage `json:"description,omitempty"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
	sarifStack struct {
		Frames []sarifFrame `json:"frames"`
	}
	sarifFrame struct {
		Location sarifLocation `json:"location"`
	}
)

const sarifRoot = "%SRCROOT%"

// sarif makes the log of a result. A check that was not run is a notification,
// and makes the invocation unsuccessful: silence must not read as clean.
func sarif(r Result, version string) sarifLog {
	ids := map[string]int{}
	for _, c := range r.Checks {
		for _, f := range c.Failures {
			ids[Rule(c, f)] = 0
		}
	}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "fettle", Version: version, Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints",
		Bases: map[string]sarifArtifact{sarifRoot: {Text: &sarifMessage{"the root of the checked folder"}}}, Results: []sarifResult{}}
	for id := range ids {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id, sarifMessage{"found by " + id}})
	}
	sort.Slice(run.Tool.Driver.Rules, func(i, j int) bool { return run.Tool.Driver.Rules[i].ID < run.Tool.Driver.Rules[j].ID })
	for i, rl := range run.Tool.Driver.Rules {
		ids[rl.ID] = i
	}
	inv := sarifInvocation{Successful: true}
	for _, c := range r.Checks {
		for _, f := range c.Failures {
			run.Results = append(run.Results, sarifOf(c, f, ids))
		}
		if c.Status == NotRun {
			inv.Successful = false
			inv.Notifications = append(inv.Notifications, sarifNotification{"warning", sarifMessage{c.Name + " was not run: " + c.Detail + "; " + c.Do}})
		}
	}
	run.Invocations = []sarifInvocation{inv}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func sarifOf(c Check, f task.Failure, ids map[string]int) sarifResult {
	id := Rule(c, f)
	out := sarifResult{RuleID: id, RuleIndex: ids[id], Level: "error", Message: sarifMessage{f.Message}, Fingerprints: map[string]string{"fettle/v1": f.Fingerprint}}
	if !c.Required {
		out.Level = "warning"
	}
	if f.Message == "" {
		out.Message.Text = c.Name + " failed"
	}
	loc := sarifLocation{Physical: sarifPlace(f.File, f.Line)}
	if f.Test != "" {
		loc.Logical = []sarifLogical{{f.Test}}
	}
	if loc.Physical != nil || loc.Logical != nil {
		out.Locations = []sarifLocation{loc}
	}
	if len(f.Trace) > 1 {
		var st sarifStack
		for i := len(f.Trace) - 1; i >= 0; i-- { // SARIF: the innermost first
			st.Frames = append(st.Frames, sarifFrame{sarifLocation{Physical: sarifPlace(f.Trace[i].File, f.Trace[i].Line)}})
		}
		out.Stacks = []sarifStack{st}
	}
	return out
}

func sarifPlace(file string, line int) *sarifPhysical {
	if file == "" {
		return nil
	}
	p := &sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: file}).EscapedPath()}}
	if file[0] != '/' {
		p.Artifact.Base = sarifRoot
	}
	if line > 0 {
		p.Region = &sarifRegion{line}
	}
	return p
}
