package task

import (
	"encoding/json"
	"time"
)

// Effect is something that came to a run from outside: what a check found,
// what a model answered, what a human decided, and when. A run decides by its
// effects alone, so that it can be replayed from them (SPEC L8).
type Effect struct {
	Run  string          `json:"run"`
	Seq  int             `json:"seq"`  // 1-based over the whole life of the run
	Kind string          `json:"kind"` // "begin", "measure", "judge", "reply", …
	Key  string          `json:"key"`  // hash of what was asked
	At   time.Time       `json:"timestamp"`
	Data json.RawMessage `json:"data,omitempty"`
	Fail json.RawMessage `json:"fail,omitempty"` // why there is no data
}

// GateKind is what a human decides about.
type GateKind string

// The gates (SPEC L6).
const (
	GatePlan     GateKind = "plan"     // the plan as a whole
	GateStep     GateKind = "step"     // a green change of a critical or risky step
	GateProtect  GateKind = "protect"  // a change that touches protected files, not yet applied
	GateOutsider GateKind = "outsider" // publishing work on words of somebody without write permission
)

// Gate is a question that a run waits with. A waiting run holds no worker, no
// checkout and no token.
type Gate struct {
	Kind    GateKind  `json:"kind"`
	Step    int       `json:"step,omitempty"`    // 1-based; 0: the plan, or the whole
	Attempt int       `json:"attempt,omitempty"` // whose change it is about
	Asked   time.Time `json:"asked"`
	Words   string    `json:"words"` // what is to be decided, and what speaks for asking
}

// Answer is what a human said at a gate.
type Answer struct {
	Gate     GateKind  `json:"gate"`
	Step     int       `json:"step,omitempty"`
	Approved bool      `json:"approved"`
	Feedback string    `json:"feedback,omitempty"` // foreign words
	By       string    `json:"by,omitempty"`
	At       time.Time `json:"at"`
	Key      string    `json:"key,omitempty"`  // of whoever may say the same twice: the second time changes nothing
	Asked    time.Time `json:"asked,omitzero"` // of the gate that is meant; zero: whichever is open
}

// Gates says where a run waits for a human. The zero value waits nowhere but
// with what came of an outsider's words.
type Gates struct {
	Plan      bool         `json:"plan,omitempty"`       // the plan needs a yes
	PlanFirst bool         `json:"plan_first,omitempty"` // and nothing is tried before it has one
	PlanLarge bool         `json:"plan_large,omitempty"` // but one of a step or two that are not critical needs none
	Critical  bool         `json:"critical,omitempty"`   // critical steps and protected files need one
	RiskOver  int          `json:"risk_over,omitempty"`  // so do changes whose risk score is above this; 0: none
	Outsider  OutsiderGate `json:"outsider,omitempty"`   // "": OutsiderSkipCI
}

// OutsiderGate is what is done with a change that was asked for in the words of
// somebody who may not write to the repository.
type OutsiderGate string

// The ways, from the laxest.
const (
	OutsiderOff     OutsiderGate = "off"     // published like any other
	OutsiderSkipCI  OutsiderGate = "skip_ci" // a draft whose commits ask CI to skip, until a yes
	OutsiderApprove OutsiderGate = "approve" // nothing is pushed before a yes
)
