; Commands that look at the workspace and do nothing else. Each line is a form, written
; as a manual's synopsis: the program, the options that it may be given, and what its
; words are. What does not stand here does not fit, and a person is asked: there is no
; list of bad options to forget one on.
;
;   -[abc]           letters that may stand together       -n=NUM      an option with a value
;   --color[=TEXT]   a value that may be left out          -NUM        -20
;   sort FILE...     any number of files                   'word'      this word, in this place
;   FILE  a path in the workspace      GLOB  the same, or *.go       TEXT  any one word
;   NAMES, REGEXP  what names to search for: none of a file to avoid
;   ANY   whatever there is            NAME ~ PATTERN makes a kind; !~ says what must not be in it

(include "tools.lisp")

(deflist looking
  "NUM ~ [+-]?[0-9][0-9.,]*[kKmMgGbBsmhd]?"

  ; files and folders
  "ls -[1aAbBcCdfFgGhHilLmnNopqQrRsStuUvxXZ] --all --color[=TEXT] --recursive --reverse --sort=TEXT --full-time --group-directories-first GLOB..."
  "ls -[1aAFghlopqrStX] --all --color[=TEXT] '..'|'../'" ; the names beside the workspace, and nothing of what they hold
  "cat|tac|rev -[AbeEnstTuv] --number --show-all GLOB..."
  "head|tail -n=NUM --lines=NUM -c=NUM --bytes=NUM -[qv] -NUM GLOB..."
  "wc -[lwcmL] --lines --words --bytes GLOB..."
  "stat -[Lt] -c=TEXT --format=TEXT --printf=TEXT GLOB..."
  "file -[bikL] --brief --mime --mime-type GLOB..."
  "du -[shackbmSx0] -d=NUM --max-depth=NUM --exclude=TEXT --apparent-size --human-readable --summarize GLOB..."
  "df -[hTaikm] FILE..."
  "tree -[adfishpDCFJ] -L=NUM -I=TEXT -P=NAMES --dirsfirst --gitignore --prune --noreport FILE..."
  "realpath|readlink -[fems] FILE..."
  "basename|dirname ANY..."
  "md5sum|sha1sum|sha256sum|sha512sum|cksum|b2sum -[bt] GLOB..."
  "diff -[urqNwbBiyaEtdp] -U=NUM -C=NUM -W=NUM -x=TEXT --unified[=NUM] --brief --recursive --color[=TEXT] --side-by-side --exclude=TEXT FILE FILE"
  "cmp -[sbl] FILE FILE"
  "comm -[123] FILE FILE"
  "FOLDERFILE !~ ^[-+]"
  "cd FOLDERFILE"
  "pwd -[LP]"

  ; searching; what stands first is a pattern, unless an option brings it
  "GREP = -[EFGPivwxclLnHhosqrzZabTU] -A=NUM -B=NUM -C=NUM -m=NUM -NUM --include=NAMES --exclude=TEXT --exclude-dir=TEXT --color[=TEXT] --colour[=TEXT]"
  "GREP-LONG = --recursive --ignore-case --line-number --count --files-with-matches --files-without-match --only-matching --invert-match --word-regexp --fixed-strings --extended-regexp --perl-regexp --quiet --no-messages --with-filename --no-filename --max-count=NUM --after-context=NUM --before-context=NUM --context=NUM"
  "grep|egrep|fgrep GREP GREP-LONG TEXT GLOB..."
  "grep|egrep|fgrep GREP GREP-LONG -e=TEXT --regexp=TEXT -f=FILE --file=FILE GLOB..."
  "RG = -[nilcwsSFvNuohHIPq0pxU] -A=NUM -B=NUM -C=NUM -m=NUM -M=NUM -d=NUM -j=NUM -g=NAMES -t=TEXT -T=TEXT -r=TEXT --glob=NAMES --iglob=NAMES --type=TEXT --type-not=TEXT"
  "RG-LONG = --hidden --no-ignore --no-ignore-vcs --json --stats --sort=TEXT --files-with-matches --files-without-match --count --count-matches --max-count=NUM --max-depth=NUM --heading --no-heading --line-number --no-line-number --context=NUM --color=TEXT --multiline --word-regexp --fixed-strings --ignore-case --case-sensitive --smart-case --only-matching --vimgrep --trim --replace=TEXT --no-filename --with-filename --pcre2 --no-messages --invert-match"
  "rg RG RG-LONG TEXT FILE..."
  "rg RG RG-LONG -e=TEXT --regexp=TEXT -f=FILE --file=FILE --files FILE..."
  "find FILE... -name=NAMES -iname=NAMES -path=NAMES -ipath=NAMES -wholename=NAMES -regex=REGEXP -iregex=REGEXP -regextype=TEXT -type=TEXT -maxdepth=NUM -mindepth=NUM -mtime=NUM -mmin=NUM -ctime=NUM -cmin=NUM -atime=NUM -amin=NUM -newer=FILE -newermt=TEXT -size=TEXT -perm=TEXT -user=TEXT -group=TEXT -links=NUM -samefile=FILE -empty -executable -readable -writable -print -print0 -printf=TEXT -ls -prune -quit -true -false -not -o -or -a -and -depth -xdev -mount -exec"
  "EXTENSION !~ (?i)pem|key|p12|pfx|jks|kdbx|env"
  "fd|fdfind -[HIaspiF0] -e=EXTENSION -t=TEXT -E=TEXT -d=NUM --hidden --no-ignore --extension=EXTENSION --type=TEXT --exclude=TEXT --max-depth=NUM REGEXP? FILE..."
  "fd|fdfind -[HIaspgiF0] -e=EXTENSION -t=TEXT -E=TEXT -d=NUM --hidden --no-ignore --glob --extension=EXTENSION --type=TEXT --exclude=TEXT --max-depth=NUM NAMES? FILE..."

  ; text
  "sort -[bdfghiMnRrVcCmsuz] -k=TEXT -t=TEXT --key=TEXT --field-separator=TEXT --reverse --numeric-sort --human-numeric-sort --unique --stable FILE..."
  "uniq -[cdDiuz] -f=NUM -s=NUM -w=NUM --count --repeated --unique FILE?" ; a second file would be written
  "cut -[sz] -d=TEXT -f=TEXT -c=TEXT -b=TEXT --delimiter=TEXT --fields=TEXT --characters=TEXT --complement --output-delimiter=TEXT FILE..."
  "tr -[cCdst] TEXT TEXT?"
  "paste -[sz] -d=TEXT FILE..."
  "nl -b=TEXT -w=NUM -s=TEXT -v=NUM FILE..."
  "fold -[sb] -w=NUM FILE..."
  "column -[tx] -s=TEXT -N=TEXT FILE..."
  "seq -w -s=TEXT NUM NUM? NUM?"
  "xxd -[bpuia] -l=NUM -s=NUM -c=NUM -g=NUM FILE?" ; a second file would be written
  "hexdump -[bcCdovx] -n=NUM -s=NUM FILE..."
  "od -[abcdfilox] -A=TEXT -t=TEXT -N=NUM -j=NUM FILE..."
  "strings -[af] -n=NUM -t=TEXT FILE..."
  "base64 -[di] -w=NUM --decode --wrap=NUM FILE?"
  ; jq runs and writes nothing, but it can see the environment
  "JQ !~ \\b(env|ENV|import|include|modulemeta|get_search_list)\\b"
  "jq -[rcsneSCMaj] --raw-output --compact-output --slurp --null-input --exit-status --sort-keys --tab --indent=NUM --arg=TEXT,TEXT --argjson=TEXT,TEXT --slurpfile=TEXT,FILE --rawfile=TEXT,FILE JQ GLOB..."
  ; sed: print, delete, substitute and the like. e, w, r, and the flags e and w run, write and read
  "SED ~ (?:\\s*(?:(?:[0-9]+|\\$|/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/I?)(?:\\s*,\\s*(?:[+~]?[0-9]+|\\$|/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/I?))?)?\\s*!?\\s*(?:[pdq=nNgGhHxDP]|s/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]/\\\\\\n^[]+|(?:\\[:[a-z]+:\\])+)\\])*/(?:[^/\\\\\\n]|\\\\[^\\n])*/[gpiI0-9]*|s\\|(?:[^|\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]|\\\\\\n^[]+)\\])*\\|(?:[^|\\\\\\n]|\\\\[^\\n])*\\|[gpiI0-9]*|s#(?:[^#\\\\\\n[]|\\\\[^\\n]|\\[\\^?(?:[^]#\\\\\\n^[]+)\\])*#(?:[^#\\\\\\n]|\\\\[^\\n])*#[gpiI0-9]*)\\s*(?:;|\\n|$))+"
  "SED-OPTIONS = -[nErsuz] --quiet --silent --regexp-extended --separate"
  "sed SED-OPTIONS SED FILE..."
  "sed SED-OPTIONS '-e'|'-ne'|'-Ee'|'-nEe' SED-OPTIONS -e=SED SED FILE..."
  ; awk: patterns, print and arithmetic. system, getline, | and > run, read and write; a / may only begin
  ; a pattern where no number can stand, or the two would be mistaken for each other
  "AWK ~ \\s*(?:/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?[^]/\\\\\\n^[]+\\])*/)?(?:\"(?:[^\"\\\\\\n]|\\\\[^\\n])*\"|\\b[0-9]+(?:\\.[0-9]+)?\\b|\\b(?:NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|BEGIN|END|length|substr|split|tolower|toupper|index|int|match|[a-zA-Z])\\b|\\|\\||[(!~,&]\\s*/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?[^]/\\\\\\n^[]+\\])*/|[-+*%=!<>(),?:~$&\\[\\]\\s])*(?:\\{(?:\"(?:[^\"\\\\\\n]|\\\\[^\\n])*\"|\\b[0-9]+(?:\\.[0-9]+)?\\b|\\b(?:print|printf|if|else|for|in|next|exit|delete|NR|NF|FNR|FS|OFS|RS|ORS|FILENAME|BEGIN|END|length|substr|split|tolower|toupper|index|int|match|sub|gsub|sprintf|sum|count|total|max|min|seen|line|name|key|val|arr|[a-zA-Z])\\b|\\|\\||[(!~,;{}&]\\s*/(?:[^/\\\\\\n[]|\\\\[^\\n]|\\[\\^?[^]/\\\\\\n^[]+\\])*/|>=|[-+*%=!<(){}\\[\\],;:?~$&\\s])*)?"
  "awk|gawk|mawk -F=TEXT -v=TEXT AWK GLOB..."

  ; about the machine and the line itself
  "PLUS ~ \\+.*"
  "date -[uR] -d=TEXT --date=TEXT -I[=TEXT] --iso-8601[=TEXT] --utc -r=FILE PLUS?"
  "which|type -[ap] TEXT..."
  "command -[vV] TEXT..."
  "ps '-ef'|'-e'|aux|ax|axu"
  "whoami|hostname|nproc|uptime|arch|wait"
  "id -[ung]"
  "uname -[amnprsv]"
  "free -[hmg]"
  "sleep NUM"
  "echo|printf|true|false|:|test|[ ANY..."
  "exit|break|continue NUM?"
  "OPTION ~ pipefail"
  "set '-e'|'-u'|'-x'|'-eu'|'-ex'|'-eux'|'-eo'|'-euo'|'-euxo' OPTION?"
  "go version"
  "node|npm|npx|yarn|pnpm|bun|tsc '--version'|'-v'"
  "python|python3|pip|pip3|cargo|rustc|ruby|git|make|gcc|cmake|jq|rg|docker|java|mvn|gradle|dotnet '--version'|'-V'"

  ; git, as far as it looks. The person's own settings may name a pager or a filter; the
  ; line may not, and --ext-diff, --output, -O and their like are not here.
  "GIT = git -C=FILE --no-pager"
  "DIFF = -[puswbzaWRmqc] -U=NUM -M[=TEXT] -S=TEXT -G=TEXT --unified=NUM --stat[=TEXT] --numstat --shortstat --summary --name-only --name-status --patch --no-patch --raw --color[=TEXT] --no-color --word-diff[=TEXT] --color-words[=TEXT] --find-renames[=TEXT] --no-renames --diff-filter=TEXT --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --minimal --histogram --patience --function-context --relative --check --exit-code --quiet --no-ext-diff --no-textconv --abbrev[=TEXT] --full-index --text --cc"
  "LOG = -n=NUM -NUM -L=TEXT -[iEFg] --oneline --graph --all --decorate[=TEXT] --no-decorate --format=TEXT --pretty[=TEXT] --max-count=NUM --skip=NUM --since=TEXT --after=TEXT --until=TEXT --before=TEXT --author=TEXT --committer=TEXT --grep=TEXT --merges --no-merges --first-parent --reverse --follow --date=TEXT --branches[=TEXT] --tags[=TEXT] --remotes[=TEXT] --abbrev-commit --left-right --cherry-pick --topo-order --date-order --ancestry-path --simplify-by-decoration"
  "GIT status -[sbvz] -u[=TEXT] --short --branch --long --porcelain[=TEXT] --untracked-files[=TEXT] --ignored --show-stash FILE..."
  "GIT diff DIFF --cached --staged --merge-base FILE..."
  "GIT log|show|whatchanged DIFF LOG FILE..."
  "GIT diff-tree -[rpt] --no-commit-id --name-only --name-status --stat --root FILE..."
  "GIT blame|annotate -[wMCeslfp] -L=TEXT --since=TEXT --date=TEXT --line-porcelain FILE..."
  "GIT shortlog -[sne] --since=TEXT FILE..."
  "GIT reflog -NUM -n=NUM --date=TEXT"
  "GIT branch -[arv] --all --remotes --list --show-current --merged --no-merged --contains --format=TEXT --sort=TEXT"
  "GIT tag -[l] -n[=NUM] --list --sort=TEXT --points-at=TEXT --contains=TEXT"
  "GIT rev-parse --short[=NUM] --abbrev-ref --verify --quiet --show-toplevel --show-prefix --git-dir --is-inside-work-tree --symbolic-full-name FILE..."
  "GIT rev-list --count --all --max-count=NUM -NUM -n=NUM --left-right FILE..."
  "GIT merge-base --is-ancestor --all FILE..."
  "GIT describe --tags --always --dirty --abbrev=NUM --long FILE..."
  "GIT ls-files -[comdistuz] --cached --others --modified --deleted --ignored --stage --exclude-standard --error-unmatch FILE..."
  "GIT ls-tree -[rltz] --name-only --full-tree FILE..."
  "GIT cat-file -[pts] FILE..."
  "GIT grep -[niwlLcEFPGhHvpWaI] -A=NUM -B=NUM -C=NUM --heading --break --count --name-only --line-number --ignore-case --cached TEXT FILE..."
  "GIT grep -[niwlLcEFPGhHvpWaI] -A=NUM -B=NUM -C=NUM -e=TEXT --heading --break --count --and --or --not FILE..."
  "GIT check-ignore -v FILE..."
  "GIT show-ref --heads --tags --verify FILE..."
  "GIT for-each-ref --format=TEXT --sort=TEXT --count=NUM FILE..."
  "GIT count-objects -[vH]"
  "GIT symbolic-ref --short TEXT"
  "GIT remote -v" "GIT remote get-url TEXT"
  "GIT stash list|show -p --stat FILE..."
  "GIT worktree list --porcelain"
  "GIT submodule status" "GIT bisect log"
  "GIT config --get=TEXT --get-all=TEXT --get-regexp=TEXT --list -l --local --global --show-origin"
  "GIT config TEXT"

  ; build tools, as far as they look
  "PKGFILE !~ @"
  "go list -m -json -f=TEXT -deps -test -e -find -compiled -tags=TEXT PKGFILE..."
  "go env -json TEXT..."
  "go doc -all -src -short -u -cmd -c TEXT? TEXT?"
  "go help TEXT..."
  "go mod verify" "go mod why|graph TEXT..."
  "go tool cover -func=FILE"
  "npm|pnpm ls|list -a --all --depth=NUM TEXT..."
  "cargo tree -p=TEXT --depth=NUM -i=TEXT" "cargo metadata --no-deps --offline --format-version=NUM"
  "bash|sh '-n' FILE"
  "node '--check' FILE"
  "shellcheck -x -S=TEXT -s=TEXT -e=TEXT -f=TEXT FILE...")

; Wrappers that change nothing about what a command may do, and their words: -n 5, -I{}, 60s.
(deflist wrappers "env" "timeout" "nice" "command" "xargs" "find" "sh" "bash")

(defskill coding-looks
  :doc "Looking at the workspace needs no approval."
  :priority 120
  :trigger (= action.tool "shell")
  :gate
  ((allow looks
     :when (every (shell action.args.cmd)
             (fits? it looking (get facts.env.workspace facts.env.cwd) credentials readable))
     :reason "only looks at the workspace")
   ; This holds for every command, whatever allows it.
   (ask around
     :when (some (shell action.args.cmd)
             (or (some it.via (not (in it wrappers)))
                 (some it.around
                   (not (matches? it "^(-[0rn]|-[nPL]?[0-9]+|-I|-I?[{%@]}?|[0-9.]+[smhd]?|-print0|--null|--no-run-if-empty|(CI|CGO_ENABLED|GOOS|GOARCH|DEBUG|VERBOSE|NO_COLOR|FORCE_COLOR|FOO|BAR|BAZ|LOG_LEVEL|APP_ENV|NODE_ENV|(TEST|APP|MY|UPDATE)_[A-Z0-9_]+|UPDATE)=[A-Za-z0-9_.,:+-]*)$")))))
     :reason "the command is wrapped, or given a variable that may change what runs; leave that out")))

; Every redirection has one of these signs, wherever it stands.
(defskill coding-redirections
  :doc "Redirections stay in the workspace too."
  :priority 149
  :trigger (and (= action.tool "shell") (matches? action.args.cmd "[<>]"))
  :gate
  ((deny device
     :when (some (commands action.args.cmd)
             (some (redirected it) (under? it "/dev")))
     :reason "writes to a device; name a file of the workspace")
   (ask outside
     :when (some (shell action.args.cmd)
             (some (redirected it) (not (under? it (get facts.env.workspace facts.env.cwd)))))
     :reason "reads or writes a file outside the workspace; name one of the workspace")
   (ask guarded
     :when (some (shell action.args.cmd)
             (or (some (redirected it) (glob-any? it credentials :fold))
                 (some (redirected it :write) (glob-any? it unattended :fold))))
     :reason "touches credentials, or writes what runs later without anybody looking; name another file")))

(defexample "looking through the workspace"
  :action (:tool "shell"
           :args (:cmd "git log --format='%h %s' -5 -- src && grep -rn --include='*.go' TODO . | sort | head -20"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-looks/looks))

(defexample "an option that runs a program is not on the list"
  :action (:tool "shell" :args (:cmd "rg --pre ./x TODO"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "nor is a file elsewhere in the workspace"
  :action (:tool "shell" :args (:cmd "grep -f ../words notes.txt"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "what a pattern would have to guess"
  :action (:tool "shell" :args (:cmd "cat .e*"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "a second file of uniq would be written"
  :action (:tool "shell" :args (:cmd "uniq names.txt src/main.go"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "an option of git in front of the subcommand is another one"
  :action (:tool "shell" :args (:cmd "git -p log && git log -p"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask tier/shell))

(defexample "a redirection to a device"
  :action (:tool "shell" :args (:cmd "cat image > /dev/sda"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (deny coding-redirections/device))

(defexample "what was found is looked through"
  :action (:tool "shell" :args (:cmd "find . -name '*.go' -print0 | xargs -0 wc -l"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (allow coding-looks/looks))

(defexample "a variable that changes what runs"
  :action (:tool "shell" :args (:cmd "ls && LD_PRELOAD=./x.so ls"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-looks/around))

(defexample "a redirection out of the workspace"
  :action (:tool "shell" :args (:cmd "ls > /dev/null && sort < /etc/hosts"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-redirections/outside))

(defexample "out of the workspace comes before what it holds"
  :action (:tool "shell" :args (:cmd "echo KEY=1 > ../.env"))
  :facts (:env (:cwd "/workspace" :home "/home/dev"))
  :expect (ask coding-redirections/outside))
