package shell

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// What names mean to bash, dash, busybox ash, mksh and zsh, together. A test asks
// each shell for its reserved words, builtins, aliases and variables, and wants
// every one of them here.

// reserved are words that begin something else than a command in some shell.
var reserved = words.Of("repeat noglob nocorrect foreach end always function select time coproc - [[ (( ]] } { " +
	"in esac nameref ]")

// changing are commands that give names another meaning, set variables that they
// do not show, or run other commands, in some shell. Nothing is known of a line
// behind one.
var changing = words.Of(`. source eval trap alias unalias autoload bind bindkey builtin bye caller chdir comparguments
	compadd compcall compctl compdescribe compfiles compgen compgroups complete compopt compquote
	compset comptags comptry compvalues declare dirs disable disown echotc echoti emulate enable export
	fc fg bg float functions getln getopts global hash history integer let limit local log login logout
	mapfile mknod nameref popd print private pushd pushln r readarray readonly rehash rename sched
	setopt shopt stop suspend ttyctl typeset unfunction unhash unlimit unset unsetopt vared whence where
	zcompile zformat zle zmodload zparseopts zregexparse zstyle run-help which-command rbash zsh ksh
	mksh csh tcsh fish yash pwsh parallel watch script at batch entr tmux screen`)

// sameEverywhere are the builtins that do the same in every shell, or are read
// word by word in special.go.
var sameEverywhere = words.Of(`: [ break cat cd command continue echo exec exit false getconf help jobs kill printf
	pwd read realpath
	return set shift sleep test times true type ulimit umask wait which`)

// special variables are those that a shell uses itself, in upper or lower case.
var variables = words.Of(`HOME PATH PWD OLDPWD IFS ENV CDPATH FPATH MANPATH MAIL MAILPATH MAILCHECK MODULE_PATH PSVAR
	WATCH FIGNORE ARGC ARGV CPUTYPE COLUMNS LINES EGID EUID GID UID PPID FUNCNEST FUNCNAME HOST HOSTNAME
	HOSTTYPE HOSTFILE MACHTYPE OSTYPE VENDOR IGNOREEOF INPUTRC KEYBOARD_HACK KEYTIMEOUT LANG LANGUAGE
	LINENO LISTMAX LOGNAME NULLCMD READNULLCMD OPTARG OPTIND OPTERR PIPESTATUS POSIXLY_CORRECT PROMPT
	PROMPT2 PROMPT3 PROMPT4 PROMPT_COMMAND PROMPT_DIRTRIM RPROMPT RPS1 RPS2 SPROMPT PS0 PS1 PS2 PS3 PS4
	RANDOM SRANDOM SECONDS EPOCHREALTIME EPOCHSECONDS EXECSHELL FCEDIT EDITOR VISUAL GLOBIGNORE
	EXECIGNORE GROUPS DIRSTACK DIRSTACKSIZE SAVEHIST SHELL SHELLOPTS SHLVL TERM TERMINFO TERMINFO_DIRS
	TIMEFMT TIMEFORMAT TMOUT TMPDIR TMPPREFIX TMPSUFFIX TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTY TTYIDLE
	USERNAME USER USER_ID WORDCHARS CHILD_MAX COPROC MAPFILE REPLY READLINE_ARGUMENT READLINE_LINE
	READLINE_MARK READLINE_POINT BAUD BOOTPATH INSIDE_EMACS LOGCHECK PATHSEP PGRP MATCH MBEGIN MEND STTY
	SYSERRNO PERIOD DEBUGGER aliases argv auto_resume builtins cdpath commands compstate dirstack
	epochtime errnos fignore fpath galiases histchars history historywords jobdirs jobstates jobtexts
	keymaps langinfo mailpath manpath mapfile match mbegin mend module_path modules nameddirs options
	parameters patchars path pipestatus prompt psvar reply reswords saliases signals status sysparams
	termcap terminfo userdirs usergroups watch widgets chpwd_functions precmd_functions
	preexec_functions periodic_functions zshexit_functions zshaddhistory_functions
	command_not_found_handle command_not_found_handler`)

// variablePrefixes begin the names of the other ones.
var variablePrefixes = prefixes("BASH COMP HIST KSH ZSH zsh_ ZLE LC_ _ func dis_ region_")

// specialVariable reports whether a name is one that some shell uses itself.
func specialVariable(name string) bool {
	return variables[name] || variablePrefixes.fit(name)
}

// programVariables begin the names of variables with which programs choose what
// they run, load, or talk to.
var programVariables = prefixes(`LD_ DYLD_ GCONV_ MALLOC_ NLSPATH LOCPATH GO CGO_ CC CXX CPP AR LD AS NM RANLIB
	PKG_CONFIG CFLAGS
	CXXFLAGS CPPFLAGS LDFLAGS LDLIBS COMPILER GCC_ COLLECT_ CMAKE MAKE MFLAGS GNUMAKE NINJA ARFLAGS GIT_
	GPG SSH_ SVN_ HG NODE npm_ NPM_ YARN PNPM_ COREPACK BUN_ DENO_ TS_NODE NVM_ PYTHON PYTEST PIP_ UV_
	POETRY_ PIPX_ VIRTUAL_ENV CONDA_ TOX_ COVERAGE_ RUBY GEM_ BUNDLE_ RAKE PERL JAVA JDK_ JVM_ _JAVA
	MAVEN_ MVN_ GRADLE_ ANT_ KOTLIN_ SBT_ LEIN_ CARGO RUST LUA_ PHP COMPOSER ERL_ ELIXIR_ MIX_ GHC
	STACK_ CABAL_ DOTNET_ NUGET_ MSBUILD DOCKER_ BUILDKIT_ COMPOSE_ KUBE HELM_ TF_ TERRAFORM_ ANSIBLE_
	VAULT_ AWS_ AZURE_ GOOGLE_ CLOUDSDK_ GCLOUD_ GITHUB_ GH_ GITLAB_ OPENSSL_ SSL_ CURL_ WGET WGETRC
	RSYNC_ TAR_ GZIP BZIP ZIPOPT UNZIP XZ_ ZSTD_ LESS PAGER MANPAGER MAN MORE MOST BAT_ DELTA_ RIPGREP_
	GREP_ ACK_ AG_ FZF_ AWK POSIX SED_ VIM EXINIT MYVIMRC NVIM_ EMACS ED_ BROWSER XDG_ DBUS_ DISPLAY
	WAYLAND_ GTK_ QT_ G_ SUDO_ DEBIAN_ APT_ DPKG_ RPM_ PS_ TZDIR HOSTALIASES RES_ LOCALDOMAIN RESOLV_
	NETRC FTP PG MYSQL_ REDISCLI_ SQLITE_ ODBC TEXINPUTS TEXMF ASAN_ LSAN_ UBSAN_ TSAN_ GLIBC_ NIX_
	GUIX_ BREW HOMEBREW_ CI_ JUPYTER_ IPYTHON R_ JULIA_ DIFF_ PATCH_ SIMPLE_BACKUP VERSION_CONTROL
	TIME_STYLE LS_COLORS CDPATH WINEPREFIX PROMPT TASK_ JUST_ ESLINT_ PRETTIER_ TSC_ WEBPACK_ VITE_`)

// plainVariables begin like those, and choose neither program nor host.
var plainVariables = words.Of("GOOS GOARCH GOARM GOAMD64 GOMAXPROCS GOMEMLIMIT GOGC GOTRACEBACK CGO_ENABLED " +
	"GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT NODE_ENV RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED " +
	"PYTHONDONTWRITEBYTECODE")

// programVariable reports whether a variable may make a program do something else
// than its words say. One that names a host is left to hosts.
func programVariable(name string) bool {
	if _, kind := options.OfVariable(name); plainVariables[name] || kind.NamesHost() {
		return false
	}
	return programVariables.fit(name) || strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR") ||
		strings.HasSuffix(name, "_OPTIONS") || strings.HasSuffix(name, "_OPTS") || strings.HasSuffix(name, "_COMMAND") ||
		strings.HasSuffix(name, "FLAGS")
}

// prefixSet are beginnings of names, by their first byte.
type prefixSet map[byte][]string

func prefixes(s string) prefixSet {
	set := prefixSet{}
	for _, p := range strings.Fields(s) {
		set[p[0]] = append(set[p[0]], p)
	}
	return set
}

func (set prefixSet) fit(name string) bool {
	return slices.ContainsFunc(set[name[0]], func(p string) bool { return strings.HasPrefix(name, p) })
}
