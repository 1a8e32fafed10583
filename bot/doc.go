// Package bot is the service: it accepts a delivery, authorises it, leases a
// run, runs it, publishes it and recovers it. It holds no prompts, no SQL and
// makes no GitHub calls of its own.
//
// # The tour: the way of an issue
//
//	GitHub delivery · comment         fettle fix         eval case
//	        │                             │                  │
//	        ▼                             │                  │
//	hooks.Webhook  verify · store · 2xx   │                  │
//	        │  (delivery and job in one transaction)         │
//	        ▼                             │                  │
//	App.Deliver    may this actor command? (forge)           │
//	        │                             │                  │
//	        ▼                             ▼                  ▼
//	        └────────────────────────► Bot.Run(lease, run, job)
//	                                      │
//	                                      ▼
//	                                  loop.Run
//	       checkout ─ baseline ─ localise ─ for each tier, cheapest first:
//	                           develop → apply → verify → judge
//	                              ▲                        │
//	                              └──── retry, escalate ───┤
//	                                                       ▼
//	                                  Publisher  ◄──── task.Result
//	       GitHub: branch · pull request · status comment · labels · report
//	       local:  diff, files, .fettle/last_run
//
// A delivery comes in at package hooks, which checks its signature before it
// looks at anything else and answers only when bot/store has it on disk. A
// worker takes it up: App.Deliver decodes it through bot/forge, asks GitHub
// whether the actor may command, and makes a run or joins the live one.
//
// App.Next claims the next fair run under a lease with a fencing token, and
// Bot.Run, which every door uses, works on it. bot/checkout lays an ephemeral
// tree from a cached mirror, its Git directory apart. bot/loop decides from the
// issue's words whether to begin, measures the baseline with bot/verify, tells
// which red tests are the issue's, or makes one of its example, or asks the
// cheapest tier for one that fails for the reason, ranks suspicious places
// with bot/mend, or, where no test tells them, by the words with
// bot/memory, and climbs the ladder: mechanical repair (bot/mend over
// bot/code/mutate), then the tiers that have a model (bot/agent over bot/model), or another agent's
// command in its place (bot/delegate). Each change is applied
// by bot/patch through os.Root to regions that bot/code found, and judged by
// bot/verify in bot/sandbox, the only place that starts repository code.
//
// Where fettle works by itself, bot/heal is asked before each step and told after it: it
// makes runs careful, or ends them, where failures repeat.
//
// A pull request of somebody else that is to be judged waits as a delivery of fettle's
// own, which bot/judge answers with a check run.
//
// What comes of it goes to a Publisher: to GitHub, each outward action once
// under a key (bot/store), each text through bot/redact; or to the folder of
// whoever typed fettle fix.
//
// # Where a change usually goes
//
//	a shape of harm in a diff         bot/verify/danger: lines.go, by the text of a line; tree.go, by Python, JavaScript and Go syntax
//	a test runner                     bot/verify/detect finds it (propose.go), bot/verify/runner asks it (adapter.go), bot/verify/parse reads it
//	what a pull request says          bot/report.go; in a repository's own template: bot/template.go
//	what a run's page tells           bot/story.go
//	a comment command                 bot/command/grammar.go has its words, parse.go reads its arguments, bot/commands.go does it
//	a provider, a price               bot/model/catalog: catalog.go, price.go
//	who may say what, and how often   bot/authority.go, over bot/store/authority.go
//	a column of the database          bot/store/migrations; of runs, written in create.go and finish.go, read by runCols of read.go
//	what a door of GitHub accepts     hooks/webhook.go before it is stored, bot/deliver.go after
//	what a setting is called          bot/settings; of a repository's file: repo.go
//	where a setup may connect         bot/settings/setup.go names the hosts, bot/sandbox/egress lets them through
//	what a result holds               of a sandboxed command: bot/sandbox/process.go; of fettle check, with its JSON: bot/verify/check/doc.go
//	what no work begins on            bot/loop/triage: judge.go, by its scope; danger.go, by its harm; request.go, by what it asks
//	what an editor shows              cmd/fettle/lsp_diagnostics.go
//	a figure of an evaluation         eval/kpi.go
//	what a judgement asks             bot/judge; its planted faults: faults.go, over bot/code/mutate; what kind a changed file is: files.go
//	a way to forge a result           bot/verify/reach, where code gives it away; bot/verify/cross, where a question to its tests does
//	what says that a run is stuck     bot/loop/detect; by meaning bot/loop/circles.go
//	a branch of a working copy        hooks/prepush/branch.go
//	a repair                          bot/code/mutate/rules, in the language of bot/code/rule; what no rule can say, by its kind, bot/code/mutate
//	a prompt                          bot/agent/prompts
//
// CONTRIBUTING.md goes through a rule, a runner, a command and a provider step by step.
//
// # The rooms
//
//	cmd/fettle                       one file per command; flags, wiring, exit codes
//	hooks                            the webhook's door
//	hooks/prepush                    the pre-push hook: installed, chained, and what a push holds
//	actions                          the door of GitHub Actions; the actions themselves
//	eval                             cases as data, run by the commands, judged, in figures
//	bot/web                          pages, REST API, events and metrics of a server
//	bot                              this package
//	bot/forge/manifest               the local page that creates the App, and the files that come of it
//	bot/forge                        GitHub; the only importer of go-github
//	bot/forge/simulator              a GitHub for the demo and the tests
//	bot/forge/simulator/contract/cut cuts the part that is used out of GitHub's published description
//	bot/forge/simulator/contract     GitHub's published description of itself
//	bot/loop                         one run: the ladder, attempts, budget, outcome
//	bot/loop/triage                  whether work on an issue may begin, from its words
//	bot/loop/detect                  repetitions, oscillation, standstill
//	bot/loop/estimate                the first tier from history
//	bot/agent                        roles that ask models
//	bot/delegate                     another agent's command, capped, and what it changed
//	bot/judge                        what a change of anybody proves
//	bot/mend                         mechanical repair
//	bot/mend/driver                  runs built test binaries, one for each line that it reads
//	bot/verify/check                 the pipeline of fettle check
//	bot/verify/testgen/apart         tests that were added to a file, in a file of their own
//	bot/verify/testgen/characterise  nominal and edge cases that pin what a change does
//	bot/verify/testgen/gate          generated tests, judged
//	bot/verify/testgen/probe         laid beside Go code, tells of its calls
//	bot/verify/reproduction          whether a test that a model wrote shows the fault
//	bot/verify/belong                which red tests show the issue, from evidence
//	bot/verify/testgen/example       reproduction tests from the words of an issue
//	bot/verify                       detection, baseline, evidence
//	bot/verify/cross                 the questions of a cross-examination: sabotage, wrong expectations
//	bot/verify/assertion             what makes a test fail, by its syntax
//	bot/verify/danger                what a change adds that can do harm, or removes that kept harm away
//	bot/verify/reach                 what a change newly reaches for: frames, foreign objects, native code
//	bot/verify/impact                the tests that a change calls for
//	bot/verify/runner                one command of a repository, run, and its report read
//	bot/verify/detect                how a repository is built, linted and tested
//	bot/verify/smoke                 a repository's service, asked in the sandbox
//	bot/verify/parse                 what runners, compilers and linters print, as failures
//	bot/prepare                      setup commands apart from checks, and what they installed
//	bot/patch                        a set of edits: validate, apply, roll back, risk
//	bot/memory                       what a project's code holds, ranked by an issue's words
//	bot/memory/pattern               what a repository taught: fixes, wrong patterns, advice of reviews
//	bot/heal                         breakers, states, and what is learned taken back
//	bot/store/storetest              what every store must do, for SQLite and Postgres
//	bot/store                        database and jobs
//	bot/model/answer                 reads decisions out of answers
//	bot/model/scripted               a model double that answers from a script
//	bot/model                        one request to a model
//	bot/command                      the grammar of /fettle
//	bot/checkout                     Git
//	bot/sandbox/sandboxtest          a test binary, run once more under other circumstances
//	bot/sandbox/nodepack             single packages of an installed node_modules, laid into a project
//	bot/sandbox                      confined processes
//	bot/sandbox/service              a program that is started, waited for and asked, inside the sandbox
//	bot/sandbox/egress               the way out of a setup: the hosts that the operator named
//	bot/code/mutate                  the operators of repair and of mutation scores
//	bot/code/rule                    the language of repair rules: patterns, rewrites, conditions
//	bot/code                         source as regions
//	bot/code/grammar                 the parsers of languages, some as WebAssembly
//	bot/code/schemata                many changes of Go files in one build
//	bot/settings                     the operator's file and the repository's
//	bot/model/catalog                what is known of providers and prices
//	bot/regular                      reads files of folders that others have filled
//	bot/redact                       the one funnel for text that leaves or is stored
//	bot/lazyregexp                   expressions that are compiled when they are first used
//	bot/task                         the vocabulary
//
// Imports go down this list, never up: TestO8ImportsGoDown reads it. What a room may
// not touch though it lies below is told to the linter (.golangci.yml).
//
// What only measures stands in a module of its own, bench, which make test does
// not build (make bench-test does):
//
//	bench/ladder            the ladder's policies, compared on recorded outcomes
//	bench/regions           regions beside the languages' own tools
//	bench/targets           targeted tests beside whole suites, on planted faults
//	bench/runners           fettle fix on real projects of each runner, true and forged
//	bench/checks            fettle check beside the projects' own commands
//	bench/context           what search finds of real fixes, from their messages
//	bench/push              the pre-push hook beside one that only runs the tests
//	bench/judge             fettle judge on real fixes and what was made of them
//	bench/mend              mechanical repair on bugs of real code
//	bench/mend/bugs         the format of these bugs, and what of their tests is held back
//	bench/mend/inject       faults planted into correct code
//	bench/mend/history      faults that real commits mended
package bot
