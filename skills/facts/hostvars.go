package facts

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/options"
)

// variable adds the hosts of NAME=value in a command's environment. For a
// network program more variables count than for all others.
func (h *hostList) variable(w word, networks bool) {
	name, value, ok := strings.Cut(w.text, "=")
	if !w.known {
		if name, ok = strings.CutPrefix(w.why, "the value of "); !ok {
			return
		}
		name = strings.TrimPrefix(name, "$")
	}
	if !ok || !syntax.ValidName(name) {
		return
	}
	program, kind := variableKind(name)
	if networks && kind == options.Plain && steering[name] {
		kind = options.Hides
	}
	switch {
	case kind == options.Plain || kind == options.Path || kind == options.Data:
		return
	case !names(kind):
		h.unknown = "which hosts the variable " + name + " brings in"
		return
	case !w.known:
		h.unknown = w.why
		return
	}
	for v := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' }) {
		if v == "direct" || v == "off" || strings.Contains(v, "://") && !strings.HasPrefix(v, "://") {
			continue // URLs are counted wherever they stand
		}
		h.named(program, kind, v)
	}
}

// steering are variables that show a network program another configuration,
// resolver or code, or let it read its words in another way.
var steering = words(`HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS POSIXLY_CORRECT HOSTALIASES LOCALDOMAIN RES_OPTIONS
	OPENSSL_CONF NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP RUBYOPT RUBYLIB PERL5LIB
	PERL5OPT JAVA_TOOL_OPTIONS`)

// hiding are variables that bring in a program or a file, wherever they stand.
var hiding = words(`GOSUMDB GOFLAGS GOENV GOAUTH DOCKER_CONFIG DOCKER_CONTEXT CONTAINER_CONNECTION CONTAINERS_CONF
	CONTAINERS_REGISTRIES_CONF KUBECONFIG CARGO_HOME GEMRC PGSERVICE PGSERVICEFILE PGSYSCONFDIR
	MYSQL_HOME CURL_HOME WGETRC SYSTEM_WGETRC RSYNC_RSH RSYNC_CONNECT_PROG SSH_ASKPASS APT_CONFIG
	PIP_CONFIG_FILE AWS_ENDPOINT_URL HELM_REPOSITORY_CONFIG`)

// variableKind is what the value of a variable is, and for which program.
func variableKind(name string) (string, options.Kind) {
	switch name {
	case "GOPROXY", "DOCKER_HOST", "CONTAINER_HOST", "PGHOST", "PGHOSTADDR", "MYSQL_HOST", "RUBYGEMS_HOST",
		"GEM_HOST":
		return "", options.Host
	}
	if hiding[name] {
		return "", options.Hides
	}
	if hasFold(name, "_proxy") && !strings.EqualFold(name, "no_proxy") && !hasFold(name, "_no_proxy") {
		return "", options.Host
	}
	switch {
	case len(name) > len("npm_config_") && strings.EqualFold(name[:len("npm_config_")], "npm_config_"):
		return "npm", optionVariable("npm", "npm", name[len("npm_config_"):])
	case strings.HasPrefix(name, "PIP_"):
		return "pip", optionVariable("pip", "pip install", name[len("PIP_"):])
	case strings.HasPrefix(name, "CARGO_REGISTR") && strings.HasSuffix(name, "_INDEX"):
		return "cargo", options.Host
	case strings.HasPrefix(name, "CARGO_SOURCE_"), strings.HasPrefix(name, "YARN_"), strings.HasPrefix(name, "PNPM_"),
		strings.HasPrefix(name, "BUNDLE_"), strings.HasPrefix(name, "UV_"), strings.HasPrefix(name, "POETRY_"):
		return "", options.Hides
	case strings.HasPrefix(name, "GIT_") && !gitHarmless(name):
		return "git", options.Hides
	}
	return "", options.Plain
}

// hasFold reports whether name ends in suffix, in any case of letters.
func hasFold(name, suffix string) bool {
	return len(name) >= len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}

// optionVariable is what a variable is that stands for a program's long option.
func optionVariable(program, section, name string) options.Kind {
	p := options.Find(program)
	o, ok := p.Exact(p.Section(section), strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	if !ok {
		return options.Hides
	}
	return o.Value
}

// gitPlainVariables are variables of git that name no host, and no program or file
// that may.
var gitPlainVariables = words(`GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT
	GIT_LFS_SKIP_SMUDGE GIT_CEILING_DIRECTORIES GIT_PROGRESS_DELAY GIT_ALLOW_PROTOCOL GIT_CURL_VERBOSE
	GIT_SSL_NO_VERIFY GIT_HTTP_USER_AGENT GIT_ATTR_NOSYSTEM GIT_NO_REPLACE_OBJECTS GIT_REFLOG_ACTION`)

// gitHarmless reports whether a variable of git names no host, and no program or
// file that may.
func gitHarmless(name string) bool {
	return gitPlainVariables[name] || strings.HasPrefix(name, "GIT_AUTHOR_") ||
		strings.HasPrefix(name, "GIT_COMMITTER_") || strings.HasPrefix(name, "GIT_TRACE")
}
