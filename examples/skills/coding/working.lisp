; Commands that work in the workspace, build it and test it. Tests run the repository's
; code, and the model writes that code: allowing this allows what the account may
; do. Forms are written as in looking.lisp, with two kinds more: PLACE is a FILE, but not
; whatever lies in the workspace, and BELOW is neither that nor the workspace itself.

(include "looking.lisp")

; git keeps what runs later, as it keeps all else: this changes no file of the workspace.
(deflist keeping
  "GIT = git -C=FILE --no-pager"
  "GIT add -[AunNvf] --all --update --intent-to-add --force --dry-run FILE..."
  "GIT commit -[aqvs] -m=TEXT -F=FILE --all --message=TEXT --file=FILE --amend --no-edit --allow-empty --quiet --author=TEXT --date=TEXT --fixup=TEXT --signoff FILE...")

(deflist working
  "NUM ~ [0-9]+[smh]?"

  ; files
  "mkdir -[pv] --parents PLACE..."
  "touch -[acm] -d=TEXT -r=PLACE PLACE..."
  "cp -[rRafnpuvTd] --recursive --archive --force --no-clobber --parents -t=PLACE --target-directory=PLACE PLACE..."
  "mv -[fnvuT] --force --no-clobber -t=PLACE --target-directory=PLACE PLACE..."
  "rm -[rRfvd] --recursive --force BELOW..."
  "rmdir -[pv] BELOW..."
  "MODE ~ [ugoa]*[-+=][rwxX]+(,[ugoa]*[-+=][rwxX]+)*|0?[0-7]{3}" ; no more rights than the file's owner has
  "chmod -[Rvc] MODE BELOW..."
  "truncate -s=TEXT BELOW..."
  "tee -[a] --append PLACE..."
  "sort -[bdfghinrRu] -k=TEXT -t=TEXT -o=PLACE --output=PLACE --unique PLACE..."
  "ARCHIVEFILE !~ :" ; host:archive lies on another machine
  "tar '-czf'|'-cf'|'-cvzf'|'-czvf'|'-cjf'|'-cJf'|'-tf'|'-tzf'|'-tvf'|'-tvzf'|'-tzvf'|czf|cf|tf|tzf|czvf|tvf|tzvf -C=FILE --exclude=TEXT ARCHIVEFILE FILE..." ; x would write unseen files
  "gzip|gunzip -[kdf] BELOW..."
  "SUFFIX ~ \\.[a-z]+"
  "SED ~ (?:\\s*(?:(?:[0-9]+|\\$|/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/I?)(?:\\s*,\\s*(?:[+~]?[0-9]+|\\$|/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/I?))?)?\\s*!?\\s*(?:[pdq=nNgGhHxDP]|s/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/(?:[^/\\\\\\n]|\\\\[^\\n])*/[gpiI0-9]*|s\\|(?:[^|\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]|\\\\\\n^[]+)\\])*\\|(?:[^|\\\\\\n]|\\\\[^\\n])*\\|[gpiI0-9]*|s#(?:[^#\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]#\\\\\\n^[]+)\\])*#(?:[^#\\\\\\n]|\\\\[^\\n])*#[gpiI0-9]*)\\s*(?:;|\\n|$))+"
  "sed -[nErs] -i[=SUFFIX] --in-place[=SUFFIX] SED PLACE..."
  "sed -[nErs] -i[=SUFFIX] --in-place[=SUFFIX] '-e' -[nErs] -i[=SUFFIX] -e=SED SED PLACE..."

  ; git: what keeps work, and loses none
  "GIT = git -C=FILE --no-pager"
  "GIT init -q -b=TEXT"
  "BRANCH ~ main|master|develop|trunk|-|(feature|feat|fix|bugfix|hotfix|chore|refactor)/[A-Za-z0-9_./-]+" ; the name of a file would lose what is in it
  "GIT checkout -q --quiet -b=TEXT --track -t BRANCH? --"
  "GIT switch -q --quiet -c=TEXT --create=TEXT --track -t --detach FILE?"
  "GIT branch -q -m=TEXT --move=TEXT FILE? FILE?"
  "GIT tag -a -m=TEXT FILE? FILE?"
  "GIT stash push|save -[ukaq] -m=TEXT --include-untracked --keep-index --message=TEXT FILE..."
  "GIT stash -[uk] --include-untracked --keep-index" "GIT stash pop|apply -q --index FILE?"
  "GIT merge --no-ff --ff-only --ff --squash --no-commit --no-edit -m=TEXT --abort --continue FILE..."
  "GIT rebase --onto=FILE --continue --abort --skip --autostash FILE? FILE?"
  "GIT cherry-pick|revert -[nx] --no-edit --no-commit --continue --abort --skip FILE..."
  "GIT mv -[fkvn] FILE..." "GIT rm -[rq] --cached BELOW..."
  "GIT reset -q --quiet --soft --mixed FILE..." "GIT restore '--staged' FILE..."

  ; go
  "BUILD = -v -x -n -a -race -p=NUM -tags=TEXT -trimpath -mod=MOD -buildvcs=TEXT -ldflags=LINK -gcflags=COMPILE -C=FILE -cover -covermode=TEXT -coverpkg=TEXT -asan"
  "MOD ~ readonly|vendor"
  "LINK ~ (-[sw]|-X ?[A-Za-z0-9_./-]+=[A-Za-z0-9_.+-]*| )*"
  "COMPILE ~ (all=)?(-[mNlSB]+| )*"
  "PKGFILE !~ @" ; x@latest is fetched
  "SOURCE ~ \\.(/[A-Za-z0-9_-]+)*(\\.go)?|[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\\.go"
  "go build BUILD -o=FILE PKGFILE..."
  "go vet BUILD -json -c=NUM PKGFILE..."
  "go test BUILD -run=TEXT -skip=TEXT -list=TEXT -bench=TEXT -benchmem -benchtime=TEXT -count=NUM -timeout=NUM -short -json -parallel=NUM -cpu=TEXT -failfast -shuffle=TEXT -fuzz=TEXT -fuzztime=TEXT -fuzzminimizetime=TEXT -vet=TEXT -c -o=FILE -coverprofile=FILE -cpuprofile=FILE -memprofile=FILE -blockprofile=FILE -mutexprofile=FILE -trace=FILE -outputdir=FILE PKGFILE..."
  "go run -race -tags=TEXT SOURCE FILE..."
  "go generate -v -x -n -run=TEXT FILE..." "go fmt -n -x FILE..." "go clean -testcache"
  "go mod edit -json -fmt"
  "gofmt -l -w -d -s -e -r=TEXT FILE..." "goimports -l -w -d -local=TEXT FILE..."
  "gofumpt -l -w -d -extra FILE..."
  "golangci-lint run|fmt -v --fix --timeout=NUM --fast -E=TEXT -D=TEXT --enable=TEXT --disable=TEXT --new --new-from-rev=TEXT -c=FILE --config=FILE FILE..."
  "staticcheck -tests -tags=TEXT FILE..."

  ; javascript: a script is the repository's own. One that says by its name that it leaves the workspace, or never ends, asks
  "TASK ~ [A-Za-z][A-Za-z0-9:_-]*"
  "TASK !~ (?i)(^|[:_-])((un|re|pre|post)?install|deploy|publish|release|upload|push|provision|destroy|migrate|start|serve|server|dev|watch|preview|up)([:_-]|$)"
  "ARG !~ (^|[=:,])[/~]|\\.\\./|://"
  "NPM = -s --silent --if-present -w=FILE --workspace=FILE --workspaces -- ARG..."
  "npm test|t|tst NPM" "npm run|run-script TASK NPM"
  "pnpm test|t ARG..." "pnpm run TASK ARG..." "yarn test|build|lint|typecheck|format|check ARG..."
  "yarn run TASK ARG..." "bun test FILE..." "bun run TASK"
  "FORMAT ~ stylish|json|compact|unix|tap|dot|spec|verbose|default|min"
  "TSC = --noEmit -p=FILE --project=FILE -b --build --pretty --strict --skipLibCheck --incremental --listFiles --outDir=FILE FILE..."
  "ESLINT = --fix --ext=TEXT --quiet --max-warnings=NUM --cache --no-cache -f=FORMAT --format=FORMAT --no-error-on-unmatched-pattern --ignore-pattern=TEXT --report-unused-disable-directives --no-warn-ignored -c=FILE --config=FILE --color --no-color FILE..."
  "PRETTIER = -[cwlu] --check --write --list-different --ignore-unknown --config=FILE --ignore-path=FILE --no-config --log-level=TEXT FILE..."
  "JEST = -[ibuo] -t=TEXT -w=NUM --runInBand --coverage[=TEXT] --silent --verbose --ci --bail[=TEXT] --watchAll[=TEXT] --testNamePattern=TEXT --testPathPattern=TEXT --passWithNoTests --updateSnapshot --maxWorkers=TEXT --no-cache --forceExit --detectOpenHandles --onlyChanged FILE..."
  "VITEST = -t=TEXT --coverage --reporter=FORMAT --bail=NUM --passWithNoTests --silent --no-color FILE..."
  "MOCHA = -[bi] -g=TEXT --grep=TEXT -R=FORMAT --reporter=FORMAT --recursive --bail --exit -t=NUM --timeout=NUM FILE..."
  "tsc TSC" "eslint ESLINT" "prettier PRETTIER" "jest JEST" "vitest run VITEST" "mocha MOCHA"
  "npx '--no-install'|'--no' tsc TSC" "npx '--no-install'|'--no' eslint ESLINT"
  "npx '--no-install'|'--no' prettier PRETTIER" "npx '--no-install'|'--no' jest JEST"
  "npx '--no-install'|'--no' vitest run VITEST" "npx '--no-install'|'--no' mocha MOCHA"
  "node '--test' FILE..."

  ; python
  "REPORT ~ term|term-missing|xml|html|no|auto|long|short|line|native"
  "PYTEST = -[vqxslh] -k=TEXT -m=TEXT -n=TEXT -r=TEXT --tb=REPORT --maxfail=NUM --lf --last-failed --ff --failed-first --sw --durations=NUM --co --collect-only --no-header --no-summary --cov[=FILE] --cov-report=REPORT --no-cov --junitxml=FILE --color=TEXT --ignore=FILE --deselect=TEXT --exitfirst --verbose --quiet --capture=REPORT FILE..."
  "UNITTEST = -[vqfb] -s=FILE -p=TEXT -k=TEXT -t=FILE FILE..."
  "MYPY = --strict --ignore-missing-imports --show-error-codes --pretty --no-error-summary --no-incremental --config-file=FILE --exclude=TEXT FILE..."
  "BLACK = -[qv] --check --diff --quiet -l=NUM --line-length=NUM FILE..."
  "FLAKE8 = --max-line-length=NUM --select=TEXT --ignore=TEXT --exclude=TEXT --count --statistics FILE..."
  "pytest PYTEST" "mypy MYPY" "black BLACK" "flake8 FLAKE8" "pyright -p=FILE FILE..."
  "isort -[cq] --check --check-only --diff --profile=TEXT --quiet FILE..."
  "pylint -E --errors-only --disable=TEXT --enable=TEXT FILE..."
  "PY = python|python3 '-m'"
  "PY pytest PYTEST" "PY mypy MYPY" "PY black BLACK" "PY flake8 FLAKE8" "PY unittest UNITTEST"
  "PY py_compile FILE..." "PY compileall -q FILE..."
  "ruff check --fix --unsafe-fixes --diff --select=TEXT --ignore=TEXT --extend-select=TEXT --statistics --no-cache --preview -q --quiet -v --verbose FILE..."
  "ruff format --check --diff -q --quiet --preview FILE..."

  ; rust
  "CRATE = -[vqr] -p=TEXT -F=TEXT -j=NUM --package=TEXT --workspace --all --all-targets --all-features --features=TEXT --no-default-features --release --profile=TEXT --lib --bins --bin=TEXT --examples --example=TEXT --tests --test=TEXT --benches --bench=TEXT --verbose --quiet --locked --offline --frozen --keep-going --message-format=TEXT --color=TEXT --manifest-path=FILE --target-dir=FILE --no-run --no-fail-fast --doc --no-deps"
  "LINT ~ -[DWAF]|[a-z_]+(::[a-z_]+)?"
  "cargo build|b|check|c|doc|bench CRATE" "cargo test|t|nextest CRATE ARG? -- ARG..."
  "cargo clippy CRATE --fix --allow-dirty --allow-staged -- LINT..." "cargo clean"
  "CHECK ~ --check" "cargo fmt --all --check -p=TEXT -- CHECK..."
  "rustfmt --check --edition=NUM FILE..."

  ; make and its kin: targets, and no variables that could name a program
  "TARGET ~ [A-Za-z0-9_.][A-Za-z0-9_./:-]*|(V|VERBOSE|DEBUG)=[0-9]*"
  "TARGET !~ (?i)(^|[:_./-])((un|re|pre|post)?install|deploy|publish|release|upload|push|provision|destroy|migrate|start|serve|server|dev|watch|preview|up)([:_./-]|$)|\\.\\."
  "make|gmake -[kBsni] -j[=NUM] --jobs[=NUM] -C=FILE -f=FILE --directory=FILE --file=FILE --keep-going --silent --dry-run --always-make --no-print-directory TARGET..."
  "ninja -C=FILE -j=NUM -v TARGET..." "just|task|rake TARGET..."
  "cmake '--build' FILE -j[=NUM] --parallel[=NUM] --target=TARGET --config=TEXT --clean-first"
  "cmake -S=FILE -B=FILE -G=TEXT -DCMAKE_BUILD_TYPE=TEXT FILE?"
  "ctest --test-dir=FILE --output-on-failure -[VN] -R=TEXT -j=NUM -C=TEXT"
  "GOAL ~ clean|validate|compile|test-compile|test|package|verify|spotless:(check|apply)|checkstyle:check"
  "mvn|./mvnw -q -B -o -e -U -am -pl=TEXT -T=TEXT -Dtest=TEXT -DskipTests[=TEXT] --quiet --batch-mode --offline --no-transfer-progress GOAL..."
  "RUN ~ :?([A-Za-z0-9_-]+:)*(build|test|check|assemble|clean|classes|testClasses|jar|compile[A-Za-z]*|lint[A-Za-z]*|ktlint(Check|Format)|spotless(Check|Apply)|detekt|tasks|dependencies)"
  "gradle|./gradlew -[qiS] -x=RUN --tests=TEXT --quiet --info --stacktrace --no-daemon --offline --continue --parallel --console=TEXT RUN..."
  "dotnet build|test|clean|format -c=TEXT -v=TEXT --no-restore --no-build --nologo --configuration=TEXT --filter=TEXT --verbosity=TEXT FILE?"
  "bundle exec rspec|rubocop FILE..." "rspec|rubocop|phpunit FILE..."
  "mix test|format|compile FILE..." "swift build|test" "zig build TARGET...")

(defskill coding-works
  :doc "Neither does working in the workspace, building it and testing it."
  :priority 119
  :trigger (= action.tool "shell")
  :gate
  ((allow works
     :when (every (shell action.args.cmd)
             (and (or (fits? it looking (get facts.env.workspace facts.env.cwd) credentials
                             readable)
                      (fits? it keeping (get facts.env.workspace facts.env.cwd) credentials)
                      (and (fits? it working (get facts.env.workspace facts.env.cwd) credentials)
                           (fits? it working (get facts.env.workspace facts.env.cwd) unattended)))))
     :reason "works in the workspace"))
  :augment "Looking at the workspace, changing files in it, building it and testing it run at once. A person is asked about all else: whatever leaves the workspace, fetches, installs, pushes, loses work or needs more rights. So write plain command lines with relative paths and options in their usual spelling; make a program that you want to run a test or a target of the build; leave out pagers, editors and what does not end by itself.")

(defexample "what an agent is told at each start is kept"
  :action (:tool "shell" :args (:cmd "git add CLAUDE.md && git commit -m 'Say how to build'"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-works/works))

(defexample "tests, with a variable"
  :action (:tool "shell" :args (:cmd "FOO=1 go test -run 'TestOpen/empty' ./... 2>&1 | tail -20"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-works/works))

(defexample "an option that runs another program"
  :action (:tool "shell" :args (:cmd "go test -exec=./x ./..."))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "a file of the workspace"
  :action (:tool "shell"
           :args (:cmd "cat <<EOF > a.txt\nhello\nEOF\nrm -rf build && mkdir -p dist"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-works/works))

(defexample "what runs with every commit"
  :action (:tool "shell" :args (:cmd "echo 'make check' > .git/hooks/pre-commit"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-redirections/guarded))

(defexample "a commit, with its message over several lines"
  :action (:tool "shell"
           :args (:cmd "git add -A && git commit -m \"$(cat <<'EOF'\nfix: close the file\n\nIt leaked.\nEOF\n)\""))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-works/works))

(defexample "the whole workspace is not removed"
  :action (:tool "shell" :args (:cmd "rm -rf ./*"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "a formatter"
  :action (:tool "shell" :args (:cmd "black src"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-works/works))

(defexample "one command that is not on the list is enough"
  :action (:tool "shell" :args (:cmd "go test ./... && frobnicate"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))
