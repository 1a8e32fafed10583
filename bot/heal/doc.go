// Package heal decides whether fettle goes on, goes on carefully, or stops: breakers
// at each step, each workflow (a repository and a class of tasks) and over everything,
// and the states that they lead to.
//
// In flow what became of steps (Result) and what an operator or a maintainer says
// (release); out flow permits, moves between states, and the rollback of learned data
// after which runs end worse. What is kept is in bot/store, one document for each
// workflow, changed in one transaction with the event that changed it: a restart, a
// second server and an event that comes twice make no difference.
//
//	           3 in a row at a step            10 in 10 minutes
//	healthy ─────────────────────► degraded ─────────────────────► quarantined
//	 ▲  ▲  └────────────────────────────┼──────────────────────────────▲   │
//	 │  └──── 5 validated successes ────┘   10 in 10 minutes           │   │ release
//	 │                                                       a failure │   ▼
//	 └──────────────────── 3 validated successes ──────────────────── recovering
//
//	healthy ── 30 in 10 minutes, everywhere ──► paused ── release ──► healthy
//
// Time moves no state: it only lets failures leave a window. So a clock that jumps
// lifts no quarantine.
//
// Own code, because what exists keeps its windows in memory and in buckets: gobreaker
// (also its distributed form) counts in buckets of a fixed width and opens again by
// time, failsafe-go keeps what it counted in the process. Neither is exact at the
// threshold nor there after a restart, and neither knows a state between open and
// closed or an event that counts once.
//
// Package heal must never run anything, ask a model or call GitHub.
package heal
