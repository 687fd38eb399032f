# The two commands that matter: make run, make test. The rest is for those who
# change the code. Nothing here needs a key or a network, beyond fetching Go
# modules (and, for `make check`, the linter) the first time.

GO       ?= go
FUZZTIME ?= 20s
CYCLES   ?= 200
OPERATIONS ?= 1000000

# The race detector needs cgo and a C compiler. Without them the tests run
# without it, and say so.
CC_FOUND := $(shell test "$$($(GO) env CGO_ENABLED)" = 1 && command -v $$($(GO) env CC))
RACE     := $(if $(CC_FOUND),-race,)
# A program that the detector watches sleeps a second when it ends, if it is let.
export GORACE ?= atexit_sleep_ms=50
# The tests' own heaps are small: collecting them a third as often takes a tenth off their CPU time.
ROOMY := 300
# -w leaves out what debuggers read: tests that start, copy and hash their own program do less.

# The linter is pinned, and stands outside go.mod: it is a tool of the house and
# no dependency of anybody who imports the library.
LINT_VERSION := v2.15.0
LINT_DIR     := $(CURDIR)/.tools/golangci-lint-$(LINT_VERSION)
LINT         := $(LINT_DIR)/golangci-lint

.PHONY: option-help option-tables bench-record run tour test check lint format generate proto skills bench fuzz torture torture-kill torture-power torture-store torture-io torture-sector torture-full reliability tamper linear linear-runs linear-plans torture-runs torture-plans reference-plans metamorphic sim install gateways editors servers agents-js conformance torture-plugins load shell-differential shell-differential-controls mutants

## run: a recorded conversation, through the daemon and its sockets, explained as it goes:
## one scene for each of the five outcomes, four plans, two scenes of the guard, and then the record is checked
TOUR := $(GO) run ./examples/tour -cortex .tools/run/cortex -skills .tools/skills
run: skills
	$(GO) build -o .tools/run/cortex ./cmd/cortex
	$(TOUR) -short

## tour: all of the conversation: attacks, limits, operators far away, skills in Go and Python
tour: skills
	$(GO) build -o .tools/run/cortex ./cmd/cortex
	$(TOUR)

## test: every test in its short form, with the race detector where there is a C compiler
test: judges
	@$(GO) build -o .tools/test/cortex ./cmd/cortex # what the commands of the pages and scripts run
	GOGC=$(ROOMY) $(GO) test -short $(RACE) -ldflags=-w -timeout 20m ./...

## test-long: every test whole, campaigns in the form that CI runs; then what bounds
## time, by itself and without the race detector; then the model vendors' own clients
test-long: judges
	$(GO) test $(RACE) -timeout 60m ./...
	CORTEX_TIMED=1 $(GO) test -count=1 -run '^TestBombsAreQuick$$' ./sexpr
	cd bench && $(GO) test -mod=mod -count=1 ./modelapi

.PHONY: judges
judges:
	@$(if $(RACE),:,echo "no C compiler found, so the race detector is off")
	@command -v sbcl >/dev/null || echo "sbcl is missing, so its judgement of the notation is skipped"
	@/usr/bin/python3 -I -c 'import grpc, google.protobuf' 2>/dev/null || echo "python3-grpcio or python3-protobuf is missing, so skills in Python are not tried"
	@command -v python3 >/dev/null || echo "python3 is missing, so the client in Python is not tried"
	@command -v bash >/dev/null || echo "bash is missing, so the shell tool cannot be tried"
	@for p in curl wget ssh git rsync; do command -v $$p >/dev/null || echo "$$p is missing, so it does not judge whom it talks to"; done
	@for s in dash busybox mksh zsh; do command -v $$s >/dev/null || echo "$$s is missing, so no shell judges how command lines are read"; done

## check: vet, lint (staticcheck, sum types, import fences), format, generated files
check: lint format
	$(GO) vet ./...
	$(GO) test -count=1 ./internal/archtest
	$(GO) test -count=1 -run 'TestCommandReference' ./cmd/cortex
	$(GO) test -count=1 -run 'TestFormReference' ./gateways/repl
	$(GO) test -count=1 -run 'TestOpenAPIDocument' ./adapters/api

lint: $(LINT)
	$(LINT) run ./...

format:
	@out=$$(gofmt -l .); test -z "$$out" || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }

$(LINT):
	GOBIN=$(LINT_DIR) GOFLAGS= $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

## generate: write the files that are made from others; check says when they are stale
generate:
	$(GO) test -count=1 -run 'TestCommandReference' ./cmd/cortex -update
	$(GO) test -count=1 -run 'TestFormReference' ./gateways/repl -update
	$(GO) test -count=1 -run 'TestOpenAPIDocument' ./adapters/api -update
	$(GO) test -count=1 -run 'TestRowsReference|TestLayoutIsDrawn' ./internal/archtest -update

## option-tables: the table of options of network and package commands, from the
## programs' help and its reviews, see docs/option-tables.md
option-tables:
	$(GO) run ./internal/optiontables

## option-help: asks the programs that are installed for their help again. Then look
## at what changed, review it, and run make option-tables
option-help:
	./internal/optiontables/collect.sh

## proto: the Go and Python code of plugins/proto/skill.proto. Needs protoc 3.21
## (Debian: apt-get install protobuf-compiler); its Go generators are pinned here.
PROTO_DIR := $(CURDIR)/.tools/protoc-gen-go-v1.36.12-grpc-v1.6.2
proto: $(PROTO_DIR)
	protoc --plugin=$(PROTO_DIR)/protoc-gen-go --plugin=$(PROTO_DIR)/protoc-gen-go-grpc \
	  --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative plugins/proto/skill.proto
	protoc -I plugins/proto --python_out=plugins/python skill.proto

$(PROTO_DIR):
	GOBIN=$(PROTO_DIR) GOFLAGS= $(GO) install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
	GOBIN=$(PROTO_DIR) GOFLAGS= $(GO) install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2

## skills: the skills that run as processes of their own, where a lock file can name
## them: the shell guard, and the Python gate with what it imports
skills:
	@mkdir -p .tools/skills
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o .tools/skills/shell-guard ./examples/skills/shellguard
	cp -f examples/skills/pythongate/python_gate.py plugins/python/cortex_skill.py plugins/python/skill_pb2.py \
	  examples/skills/code/python_code.py examples/skills/code/code_*.py examples/skills/code/code_policy.json .tools/skills/

## skills-node: the skill that judges JavaScript, bundled into one file, so that a lock
## pins all of it. npm fetches what its lock file names into .tools; needs node and npm
NODE_SKILL := examples/skills/code/js
.PHONY: skills-node
skills-node:
	@command -v node npm >/dev/null || { echo "node or npm is missing, so JavaScript is not judged: code in it asks"; exit 1; }
	@mkdir -p .tools/node .tools/skills && cp -f $(NODE_SKILL)/package.json $(NODE_SKILL)/package-lock.json .tools/node/
	npm ci --silent --no-audit --no-fund --ignore-scripts --prefix .tools/node >/dev/null
	NODE_PATH=.tools/node/node_modules .tools/node/node_modules/.bin/esbuild $(NODE_SKILL)/javascript_code.mjs --bundle --platform=node --format=cjs --target=node18 \
	  --loader:.proto=text '--banner:js=#!/usr/bin/node --preserve-symlinks-main' --log-level=warning --outfile=.tools/skills/javascript-code
	chmod +x .tools/skills/javascript-code
	NODE_PATH=.tools/node/node_modules .tools/node/node_modules/.bin/esbuild $(NODE_SKILL)/judged.mjs --bundle --platform=node --format=cjs --target=node18 \
	  --log-level=warning --outfile=.tools/node/judged.cjs

## agents: real coding agents from npm, at the versions that are known to work, each behind a
## hook and before a scripted model: what ran, and what the model was told. HOST=claude runs one
AGENTS := .tools/agents
AGENT_VERSIONS := claude=@anthropic-ai/claude-code@2.1.330 codex=@openai/codex@0.169.0 gemini=@google/gemini-cli@0.61.0
HOST ?=
.PHONY: agents agents-latest
agents:
	@$(MAKE) --no-print-directory agents-run AGENTS=$(AGENTS)

## agents-latest: the same with the newest versions, to hear early of what they change
agents-latest:
	@$(MAKE) --no-print-directory agents-run AGENTS=.tools/agents-latest \
	  AGENT_VERSIONS="claude=@anthropic-ai/claude-code@latest codex=@openai/codex@latest gemini=@google/gemini-cli@latest"

.PHONY: agents-run
agents-run:
	@command -v npm >/dev/null || { echo "npm is missing, and with it the agents"; exit 1; }
	@for v in $(AGENT_VERSIONS); do dir=$(AGENTS)/$${v%%=*}; mkdir -p $$dir; \
	  case $$v in *@latest) ;; *) test "$$(cat $$dir/installed 2>/dev/null)" = "$$v" && continue;; esac; \
	  npm install --silent --no-audit --no-fund --prefix $$dir $${v#*=} >/dev/null && echo "$$v" > $$dir/installed || exit 1; done
	$(GO) build -o .tools/run/cortex ./cmd/cortex
	$(GO) run ./internal/agents -cortex .tools/run/cortex -tools $(AGENTS) -host '$(HOST)'

## shell-differential: LINES command lines that the reader calls readable, made from SEED,
## are run in bash, dash, ash, mksh and zsh inside a sandbox: nothing may run, and nothing
## may be opened, that the reader did not list
LINES = 200000
SHELL_MOST ?= 20
shell-differential:
	CORTEX_SHELL_LINES=$(LINES) CORTEX_SHELL_MOST=$(SHELL_MOST) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 8h -v -run '^TestShellDifferential$$' ./internal/shelljudge

## shell-differential-controls: the same judge has to catch the reader of an old commit, by
## each of six known causes
shell-differential-controls:
	GO=$(GO) CORTEX_SEED=$(SEED) internal/shelljudge/controls.sh

## mutants: changes one line at a time, as a fault might, and sees whether the tests that
## guard it fail; prints those that survive. ONLY is a regular expression: make mutants ONLY=act/
ONLY ?=
mutants:
	$(GO) run ./internal/mutants -only '$(ONLY)'

## bench: beside rivals, in a module of its own
bench:
	cd bench && $(GO) run -mod=mod . -o ../docs/proof/benchmarks.md

## score: the guard on labelled calls, where these lie beside the project; writes docs/scoreboard.md
EVALDATA ?= ../shared/evaldata
.PHONY: score
score:
	@if test -f $(EVALDATA)/dev.jsonl; then bench/guard/score $(EVALDATA) docs/scoreboard.md; else echo "no labelled calls in $(EVALDATA): the scoreboard stays as it is"; fi

## bench-record: a record of RECORD mixed decisions: written, opened, replayed on 1, 2
## and 8 processors with 0 differences, and by other rules; says how fast, and how
## much memory it took
RECORD ?= 1000000
bench-record:
	CORTEX_RECORD=$(RECORD) $(GO) test -count=1 -timeout 120m -v -run 'TestI5_ReplayAtScale' ./cortex/engine

## fuzz: every fuzz target for FUZZTIME
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

## torture: a short form of every crash harness, and their negative controls
torture:
	@mkdir -p .tools/torture
	@$(GO) test -count=1 -timeout 60m -v -run 'Torture|PowerCut|KilledProcess' ./cortex/... ./cmd/cortex >.tools/torture/short.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/short.out; exit $$code

## torture-kill: the engine killed -9 KILLED times, half of them at named points, and
## the real daemon DAEMONS times
KILLED ?= 10000
DAEMONS ?= 2000
SEED ?= 1
torture-kill:
	CORTEX_TORTURE=$(KILLED) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 120m -v -run '^TestTortureKill$$' ./cortex/cortextest
	CORTEX_TORTURE=$(DAEMONS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 120m -v -run '^TestTortureDaemon$$' ./cmd/cortex

## torture-power: the power goes CUTS times, half of them at named points
CUTS ?= 10000
torture-power:
	CORTEX_TORTURE=$(CUTS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 120m -v -run '^TestTorturePower$$' ./cortex/cortextest

## torture-store: the store alone, under both
torture-store:
	@mkdir -p .tools/torture
	@CORTEX_TORTURE=$(CYCLES) $(GO) test -count=1 -timeout 60m -v -run 'PowerCut|KilledProcess|RepairCutOff' ./cortex/store ./cortex/store/fsck >.tools/torture/store.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/store.out; exit $$code

## torture-sector: every sector of every file of a store of SECTOR bytes, damaged in
## four ways, one at a time
SECTOR ?= 2097152
torture-sector:
	@mkdir -p .tools/torture
	@CORTEX_SECTOR=$(SECTOR) $(GO) test -count=1 -timeout 12h -v -run 'TestTortureSector' ./cortex/store/fsck >.tools/torture/sector.out 2>&1; code=$$?; \
	grep -E 'RESULT|SILENT|WRONG|FAIL|^ok|^panic' .tools/torture/sector.out; exit $$code

## tamper: the record is tampered with TAMPERINGS times, in one of its places or in both
## alike; the first bad record has to be named
TAMPERINGS ?= 10000
tamper:
	@mkdir -p .tools/torture
	@CORTEX_TORTURE=$(TAMPERINGS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 2h -v -run 'TestTamper' ./cortex/store/fsck >.tools/torture/tamper.out 2>&1; code=$$?; \
	grep -E 'RESULT|seed|FAIL|^ok|^panic' .tools/torture/tamper.out; exit $$code

## torture-io: each IO_EVERYth operation of a script of 200 steps fails, in nine ways; in
## many processes, since a dead store keeps its memory until its process ends
IO_EVERY ?= 1
IO_FAULTS ?= EIO_once EIO_for_ever ENOSPC_once ENOSPC_until_cleared ENOSPC_for_a_while short_write sync_fails_once no_space_for_a_sync read_fails_once
torture-io:
	@mkdir -p .tools/torture
	@for fault in $(IO_FAULTS); do for from in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do \
	  CORTEX_IO_EVERY=$$((16 * $(IO_EVERY))) CORTEX_IO_FROM=$$(($$from * $(IO_EVERY))) \
	    $(GO) test -count=1 -timeout 60m -v -run "^TestTortureIO$$/^$$fault$$" ./cortex/cortextest >.tools/torture/io.out 2>&1; code=$$?; \
	  grep -E 'RESULT|wrong|FAIL|^panic' .tools/torture/io.out; [ $$code = 0 ] || exit $$code; \
	done; done
	@$(GO) test -count=1 -v -run '^TestTortureIO_NegativeControls$$|^TestFullDisk' ./cortex/cortextest | grep -E 'RESULT|FAIL|^ok'

## torture-full: TIMES the long numbers, with what else can be tortured; hours, and
## where it was stopped it goes on
TIMES ?= 5
torture-full:
	GO=$(GO) IO_FAULTS='$(IO_FAULTS)' contrib/torture-full.sh .tools/torture $(TIMES)

## reliability: the figures of docs/proof/reliability.md, from what torture-full found
reliability:
	contrib/reliability.sh .tools/torture/results docs/proof/reliability.md

## linear: HISTORIES histories of OPERATIONS in memory, and of a tenth of that through
## restarts and through clients on sockets, against a second telling of the rules;
## then thirteen bugs that it has to find
HISTORIES ?= 10
linear:
	@mkdir -p .tools/torture
	@CORTEX_HISTORIES=$(HISTORIES) CORTEX_LINEAR_MEMORY=$(OPERATIONS) CORTEX_LINEAR=$$(($(OPERATIONS) / 10)) \
	$(GO) test -count=1 -timeout 8h -v -run 'TestLinear' ./cortex/cortextest ./gateways/repl/wire >.tools/torture/linear.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/linear.out; exit $$code

## linear-runs: RUN_OPERATIONS operations of 16 clients on 50 runs, against a second telling of
## the rules of runs; then the bugs in internal/mutants/table/runs.txt, which it has to find
RUN_OPERATIONS ?= 50000
linear-runs:
	@mkdir -p .tools/torture
	@CORTEX_LINEAR_RUNS=$(RUN_OPERATIONS) CORTEX_SEED=$(SEED) \
	$(GO) test -count=1 -timeout 2h -v -run '^TestLinearRuns$$' ./runs >.tools/torture/linear-runs.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic|no place' .tools/torture/linear-runs.out; exit $$code
	$(GO) run ./internal/mutants -only 'runs/'

## torture-runs: runs are killed and lose their power RUN_CYCLES times at each named point, and as
## often in all at random
RUN_CYCLES ?= 20
torture-runs:
	@mkdir -p .tools/torture
	@CORTEX_TORTURE=$(RUN_CYCLES) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 2h -v -run '^TestTorture(Power|Kill)Runs' ./runs >.tools/torture/runs.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|seed|^ok|^panic' .tools/torture/runs.out; exit $$code

## torture-plans: plans of capabilities are killed and lose their power PLAN_CYCLES times at each named
## point, and half as often in all at random
PLAN_CYCLES ?= 20
torture-plans:
	@mkdir -p .tools/torture
	@CORTEX_TORTURE=$(PLAN_CYCLES) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 2h -v -run '^TestTorture(Power|Kill)Plans' ./capabilities >.tools/torture/plans.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|seed|^ok|^panic' .tools/torture/plans.out; exit $$code

## linear-plans: PLAN_OPERATIONS operations of clients on cards for plans, against a second telling of
## what a yes to a plan counts for; then the bugs in internal/mutants/table/plans.txt, which it has to find
PLAN_OPERATIONS ?= 20000
linear-plans:
	@mkdir -p .tools/torture
	@CORTEX_LINEAR_PLANS=$(PLAN_OPERATIONS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 2h -v -run '^TestLinearPlans$$' ./capabilities >.tools/torture/linear-plans.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/linear-plans.out; exit $$code
	$(GO) run ./internal/mutants -only 'TestLinearPlans'

## reference-plans: PLANS plans are judged whole and step by step, and as many run in an engine and in a
## slow reference, with results, retries, failures, refusals and undos: 0 differences
PLANS ?= 100000
reference-plans:
	CORTEX_PLANS=$(PLANS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 8h -v -run '^Test(RunsAgainstReference|WholeAndStepByStepAgree)$$' ./capabilities

## metamorphic: SCRIPTS scripts, each in more than twenty worlds, come out the same
SCRIPTS ?= 500
metamorphic:
	@mkdir -p .tools/torture
	@CORTEX_METAMORPHIC=$(SCRIPTS) $(GO) test -count=1 -timeout 4h -v -run 'TestMetamorphic' ./cortex/cortextest >.tools/torture/metamorphic.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/metamorphic.out; exit $$code

## sim: DAYS in the life of an engine, simulated twice from one seed: the same bytes,
## and nothing lost, twice, too late or without an allow; then the bugs it has to find
DAYS ?= 365
sim:
	@mkdir -p .tools/torture
	@CORTEX_SIM=$(DAYS) CORTEX_SEED=$(SEED) $(GO) test -count=1 -timeout 2h -v -run 'TestSim' ./cortex/cortextest >.tools/torture/sim.out 2>&1; code=$$?; \
	grep -E 'RESULT|FAIL|^ok|^panic' .tools/torture/sim.out; exit $$code

## torture-plugins: plugins killed KILLS times under load, stopped, lying and
## swapped a tenth as often
KILLS ?= 10000
torture-plugins:
	CORTEX_TORTURE_PLUGINS=$(KILLS) $(GO) test -count=1 -timeout 60m -v -run 'Torture|T23|WithoutADeadline' ./plugins

## load: two hundred clients, twenty of them hostile; judges the times too, so the
## machine should have nothing else to do
load:
	CORTEX_LOAD=1 $(GO) test -count=1 -timeout 20m -v -run '^TestLoad_' ./gateways/repl/wire

## attack: attackers of every listener, one by one and all together, on one processor, while another
## client decides 1,000 times; judges the times too, so the machine should have nothing else to do
.PHONY: attack
attack:
	CORTEX_TIMED=1 $(GO) test -count=1 -timeout 30m -v -run '^TestNoClientMakesTheOthersWait$$' ./cmd/cortex

## gateways: bots made with other libraries take the fake Telegram for the real
## one, and the gateway works with a Telegram that others wrote: python-telegram-bot
## where it is installed; grammy and telegram-test-api, fetched from npm into a
## temporary folder, need node and npm
GRAMMY_VERSION ?= 1.38.3
TELEGRAM_TEST_API_VERSION ?= 4.2.1
gateways:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$$folder" grammy@$(GRAMMY_VERSION) telegram-test-api@$(TELEGRAM_TEST_API_VERSION) >/dev/null && \
	NODE_JUDGES="$$folder" $(GO) test -count=1 -v -run 'TakesTheFakeForTelegram|AgainstTelegramTestAPI' ./gateways/telegram

## editors: the extension for Visual Studio Code talks to `cortex lsp` through
## vscode-languageclient, and is packaged; needs node and npm, which fetches both into a
## temporary folder. Emacs, Vim and Neovim run in `make test-long` where they are installed
editors:
	@command -v node npm >/dev/null || { echo "node or npm is missing, so the extension for Visual Studio Code is not tried"; exit 1; }
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cp contrib/editors/vscode/package.json "$$folder" && \
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$$folder" >/dev/null && \
	NODE_JUDGES="$$folder" $(GO) test -count=1 -v -run '^TestVSCode$$' ./cmd/cortex

## servers: the lists of tools in examples/declared are what the MCP servers from npm say;
## needs node and npm, which fetches the servers into a temporary folder
SERVERS_VERSION ?= 2026.8.31
servers:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$$folder" $(foreach s,filesystem memory everything,@modelcontextprotocol/server-$(s)@$(SERVERS_VERSION)) >/dev/null && \
	NODE_JUDGES="$$folder" $(GO) test -count=1 -v -run '^TestServersSayTheLists$$' ./examples/declared

## agents-js: the client in TypeScript, and agents of LangGraph and of OpenAI's Agents SDK
## behind a daemon, with a scripted model; npm fetches what the lock file names into .tools
## What hooks print is held against the types of their hosts
AGENTS_JS := .tools/agents-js
HOST_TYPES := @anthropic-ai/claude-agent-sdk@0.3.329 @google/gemini-cli-core@0.61.0 @github/copilot-sdk@1.0.14
agents-js: $(AGENTS_JS)/fetched
	@rm -rf $(AGENTS_JS)/src $(AGENTS_JS)/built && mkdir -p $(AGENTS_JS)/src
	cp adapters/api/typescript/*.ts examples/langgraph/*.ts examples/openai-agents/*.ts $(AGENTS_JS)/src/
	cd $(AGENTS_JS) && node_modules/.bin/tsc
	NODE_JUDGES=$(CURDIR)/$(AGENTS_JS) $(GO) test -count=1 -v -run 'ClientsOfTheAPI|ClientsTakeNoGarbage|AgentsJS|HostTypes' ./cmd/cortex ./adapters/hooks

$(AGENTS_JS)/fetched: $(wildcard adapters/api/typescript/*.json)
	@command -v node npm >/dev/null || { echo "node or npm is missing, so no agent in JavaScript is tried"; exit 1; }
	@mkdir -p $(AGENTS_JS) && cp -f adapters/api/typescript/*.json $(AGENTS_JS)/
	npm ci --silent --no-audit --no-fund --ignore-scripts --prefix $(AGENTS_JS) >/dev/null
	@set -e; for p in $(HOST_TYPES); do name=$${p%@*}; dir=$(AGENTS_JS)/types/$${name#*/}; mkdir -p $$dir; \
	  npm pack --silent --pack-destination $(AGENTS_JS)/types $$p >/dev/null; \
	  tar xzf $(AGENTS_JS)/types/*.tgz -C $$dir --strip-components=1 --wildcards '*.d.ts'; rm $(AGENTS_JS)/types/*.tgz; done
	touch $@

## conformance: the official conformance suite of MCP finds through `cortex mcp` exactly what
## it finds without: both protocol eras, servers and clients. Then the official SDK makes 5,000
## calls to servers that answer in every odd way, and a reader in Python reads what 5,000 odd lines
## become: what they read is what the record has. npm fetches the suite, in the
## version that is released and the one that knows the newer era, and a node that it runs
## on, into .tools once; needs npm and curl
CONFORMANCE := .tools/mcp
CONFORMANCE_VERSION ?= 0.1.16
CONFORMANCE_NEWEST  ?= 0.2.0-alpha.12
INSPECTOR_VERSION   ?= 2.12.0
MCP_SDK_VERSION     ?= 1.32.2
MCP_STAMP := $(CONFORMANCE)/fetched-$(CONFORMANCE_VERSION)-$(CONFORMANCE_NEWEST)-$(INSPECTOR_VERSION)-$(SERVERS_VERSION)-$(MCP_SDK_VERSION)
.PHONY: conformance
conformance: $(MCP_STAMP)
	$(GO) build -o $(CONFORMANCE)/everything-server github.com/modelcontextprotocol/go-sdk/conformance/everything-server
	$(GO) build -o $(CONFORMANCE)/everything-client github.com/modelcontextprotocol/go-sdk/conformance/everything-client
	MCP_TOOLS=$(CURDIR)/$(CONFORMANCE) $(GO) test -count=1 -timeout 10m -v -run '^TestMCP(Conformance|Servers|Judges)' ./cmd/cortex

MCP_NPM = npm install --silent --no-audit --no-fund --prefix $(CONFORMANCE)/
$(MCP_STAMP):
	@command -v npm >/dev/null || { echo "npm is missing, so the conformance suite of MCP cannot be fetched"; exit 1; }
	@rm -rf $(CONFORMANCE) && mkdir -p $(foreach d,node latest newest servers,$(CONFORMANCE)/$(d))
	$(MCP_NPM)node node@22 >/dev/null
	$(MCP_NPM)latest --ignore-scripts @modelcontextprotocol/conformance@$(CONFORMANCE_VERSION) >/dev/null
	$(MCP_NPM)newest --ignore-scripts @modelcontextprotocol/conformance@$(CONFORMANCE_NEWEST) >/dev/null
	$(MCP_NPM)servers --ignore-scripts @modelcontextprotocol/inspector@$(INSPECTOR_VERSION) @modelcontextprotocol/sdk@$(MCP_SDK_VERSION) $(foreach s,filesystem memory everything,@modelcontextprotocol/server-$(s)@$(SERVERS_VERSION)) >/dev/null
	@touch $@

## install: the program, where `go install` puts programs
install:
	$(GO) install ./cmd/cortex
