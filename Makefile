# Everything a newcomer needs: `make demo` and `make test`.
GO      ?= go
# Packages start in this order: those that take longest do not start last.
PKGS    ?= ./bot/verify ./cmd/fettle ./bot/loop ./bot/mend ./bot/sandbox ./...
TESTFLAGS ?=
TIME    ?= 30s
SECONDS ?= 600
SAMPLE  ?= python
HALF    ?= open
KILLS   ?= 20
RANDOM  ?= 500
FAULTS  ?= ./hooks ./bot ./bot/checkout ./bot/forge ./bot/heal ./bot/model/... ./bot/agent ./bot/store ./bot/loop ./cmd/fettle
LOADS   ?= ./hooks ./bot ./bot/forge ./bot/store
export PATH := $(CURDIR)/.tools/bin:$(PATH)
LINT    := .tools/golangci-lint
LINT_VERSION := v2.15.0
ACTIONLINT := .tools/actionlint
ACTIONLINT_VERSION := v1.7.12
SBOM    := .tools/cyclonedx-gomod
SBOM_VERSION := v1.9.0
VERSION ?= v0.0.0-dry-run
DEADCODE := .tools/deadcode
DEADCODE_VERSION := v0.51.0

.PHONY: help build setup setup-runners setup-agents demo test test-whole test-race test-long fresh words pin lint fault load bench bench-test bench-checks bench-context bench-edits bench-flaky bench-ladder bench-mend bench-regions bench-runners bench-targets eval fuzz fuzz-api wasm clean bench-push bench-judge bench-learning bench-web release image-test

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed 's/:[^#]*## /\t/' | expand -t 16

build: ## build bin/fettle
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/fettle ./cmd/fettle

setup: ## install the Debian packages that are missing, and say so
	@sh .ci/setup.sh

setup-runners: ## install cargo, CMake, Maven, Gradle, RSpec, PHPUnit, vitest, jest, tape, Redis, MariaDB, husky, lefthook, pre-commit, Chromium and axe-core, with which some tests run where they are there
	@sh .ci/setup-runners.sh

setup-agents: ## install mini-SWE-agent and Aider, which can be a tier, for their test
	@sh .ci/setup-agents.sh

demo: setup build ## from a label to a pull request, without key or network
	./bin/fettle demo --sample $(SAMPLE)

# -short is the switch between the quick run and the long one: each promise has a test in
# the quick one, and the long one repeats it with more data. Between them the whole one has
# the long tests (sandboxtest.Whole), whose promise shorter ones show in part. None of
# them vets: lint does, once, and so does test-long.
test: setup ## all tests in their quick form
	$(GO) test -vet=off -short -p 2 -timeout 40m $(TESTFLAGS) $(PKGS)

test-whole: setup ## all tests, and each way through the program from end to end
	FETTLE_TESTS=whole $(GO) test -vet=off -short -p 2 -timeout 60m $(TESTFLAGS) $(PKGS)

test-race: setup ## the same with the race detector
	$(GO) test -vet=off -short -race -p 2 -timeout 45m $(TESTFLAGS) $(PKGS)

test-long: setup ## more kills, languages, corpora, engines and seeds
	$(GO) vet $(PKGS)
	$(GO) test -vet=off -p 2 -timeout 60m $(TESTFLAGS) $(PKGS)

fresh: ## make demo and make test in a new Debian where nothing was installed by hand; as root
	sh .ci/fresh.sh

release: $(SBOM) ## what a release holds, into dist/; VERSION=v1.2.3
	.ci/release.sh $(VERSION)

image-test: build ## the demo in the root file system of deploy/Containerfile, without an engine; as root
	sh .ci/image.sh

fault: setup ## faults F01 to F14: KILLS kills at each named point, RANDOM at random on each database; table in bin/fault.md; about two hours
	mkdir -p bin
	FETTLE_FAULT_KILLS=$(KILLS) FETTLE_FAULT_RANDOM=$(RANDOM) $(GO) test -json -count=1 -p 1 -timeout 180m -run 'F[01][0-9]|TestSQLite/F[01]|TestPostgres/F[01]' $(FAULTS) | .ci/matrix.py F bin/fault.md

load: setup ## loads L01 to L03 and what they take; table in bin/load.md; about ten minutes on a quiet machine
	mkdir -p bin
	($(GO) test -json -count=1 -p 1 -timeout 60m -run 'L0[0-9]|TestSQLite/L0|TestPostgres/L0' $(LOADS); \
	$(GO) test -json -count=1 -run XXX -bench 'AcceptWhileWorking' -benchtime 10000x ./bot/store; \
	$(GO) test -json -count=1 -run XXX -bench Processes -benchtime 1x ./bot/store) | .ci/matrix.py L bin/load.md

words: ## write all texts that users can see to docs/words.txt, to be read as a user
	$(GO) test -count=1 -short -run TestO8Texts ./bot -args -words $(CURDIR)/docs/words.txt

pin: ## before a release is tagged, have the reusable workflow use its action: TAG=v1.2.3
	.ci/pin.sh $(TAG)

lint: $(LINT) $(DEADCODE) $(ACTIONLINT) ## the linters of code and workflows, and functions that no command reaches
	$(LINT) run ./... ./bench/...
	$(ACTIONLINT)
	sh .ci/deadcode.sh

$(LINT):
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

$(SBOM):
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(SBOM_VERSION)

$(ACTIONLINT):
	GOBIN=$(CURDIR)/.tools $(GO) install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)

$(DEADCODE):
	GOBIN=$(CURDIR)/.tools $(GO) install golang.org/x/tools/cmd/deadcode@$(DEADCODE_VERSION)

bench: setup ## own overhead, webhooks stored, sandbox start, cold start, idle memory
	sh .ci/bench.sh

bench-edits: ## 10,000 random sets of edits over real files, applied and rolled back
	FETTLE_EDIT_SETS=10000 $(GO) test -count=1 -timeout 30m -v -run TestS07RealFilesComeBackByteForByte ./bot/patch

eval: setup build ## mechanical repair on cases with held-back tests; HALF=practice, open, sealed or '*'
	./bin/fettle eval --suite mechanical --tier mechanical --case '$(HALF)/*' --flag=--max-seconds=60

bench-ladder: ## ways of choosing tiers compared on a made-up table; LADDER="-csv FILE" and more
	$(GO) run ./bench/ladder/compare $(LADDER)

fuzz: ## each fuzz target for TIME
	GO=$(GO) TIME=$(TIME) sh .ci/fuzz.sh

fuzz-api: ## schemathesis against the API, with runs in every state, for SECONDS
	GO=$(GO) SECONDS_OF_FUZZING=$(SECONDS) sh .ci/fuzz-api.sh

wasm: ## build the grammars' WebAssembly module again from its pinned sources
	sh bot/code/grammar/module/build.sh

bench-test: ## what measures, itself: built, vetted, tested, and each asked for its help
	$(GO) vet ./bench/...
	$(GO) test -short -p 2 -timeout 20m ./bench/...
	mkdir -p bin/bench
	$(GO) build -o bin/bench/ ./bench/...
	@for b in bin/bench/*; do $$b -h >/dev/null 2>&1 || { echo "$$b -h fails" >&2; exit 1; }; done

clean:
	rm -rf bin

bench-regions: ## regions beside the languages' own tools, ctags and native tree-sitter; FETTLE_CORPUS, FETTLE_HISTORIES
	$(GO) run ./bench/regions

bench-checks: build ## fettle check beside the projects' own commands, green and with planted faults; FETTLE_CHECK_REPOS=DIR:DIR=RUNNER
	$(GO) run ./bench/checks -fettle bin/fettle $(CHECKS)

bench-context: ## does fettle search find the functions that real fixes changed, from their messages and tests? FETTLE_CONTEXT_REPOS=dir:dir or DIR="dir dir"; CONTEXT="-n 40 -fit -misses -run PYTHON -map PYTHON"
	$(GO) run ./bench/context $(CONTEXT) $(DIR)

bench-runners: build ## fettle fix on real projects of each runner, with a true and a forged answer of a double; DIR=dir:dir, RUNNERS="-v -seed 2"
	$(GO) run ./bench/runners -fettle bin/fettle $(RUNNERS) $(DIR)

bench-judge: build ## fettle judge on real fixes and what was made of them: without their tests, with a planted fault, forged; DIR=dir:dir, JUDGE="-n 3 -v"
	$(GO) run ./bench/judge -fettle bin/fettle $(JUDGE) $(DIR)

bench-targets: ## do the chosen tests see planted faults? in the repositories of FETTLE_TARGET_REPOS=dir:dir; TARGETS="-mutants 40 -half all"
	$(GO) run ./bench/targets $(TARGETS)

bench-flaky: ## precision and recall of the baseline's flaky tests on made suites, by number of re-runs
	$(GO) run ./bench/checks/flaky $(FLAKY)

bench-mend: build ## mechanical repair on bugs of real code: prepare, make-bugs, run, report, and honest; BENCH_MEND="run -half open -language go"
	$(GO) run ./bench/mend $(BENCH_MEND)

bench-push: build ## what the pre-push hook takes of its own, beside a hook that only runs the same tests; PUSH="-n 20 -repo DIR -edit FILE -run COMMAND"
	$(GO) run ./bench/push -fettle bin/fettle $(PUSH)

bench-learning: build ## faults that come back: what fettle takes for the second half of them, with what it learned and without; LEARNING="-v -repos 3 -each 10"
	$(GO) run ./bench/learning -fettle bin/fettle $(LEARNING)

bench-web: ## pages, event streams and the webhook with 10,000 runs and 100,000 messages stored, beside a plain handler; three minutes
	$(GO) test -run XXX -bench Pages -benchtime 200x ./bot/web
	$(GO) test -run XXX -bench 'Streams|Webhook' -benchtime 5x ./bot/web
