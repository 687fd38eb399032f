package options

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/facts/internal/words"
)

// hiding are variables that bring in a program or a file, wherever they stand.
var hiding = words.Of(`GOSUMDB GOFLAGS GOENV GOAUTH DOCKER_CONFIG DOCKER_CONTEXT CONTAINER_CONNECTION CONTAINERS_CONF
	CONTAINERS_REGISTRIES_CONF KUBECONFIG CARGO_HOME GEMRC PGSERVICE PGSERVICEFILE PGSYSCONFDIR
	MYSQL_HOME CURL_HOME WGETRC SYSTEM_WGETRC RSYNC_RSH RSYNC_CONNECT_PROG SSH_ASKPASS APT_CONFIG
	PIP_CONFIG_FILE AWS_ENDPOINT_URL HELM_REPOSITORY_CONFIG`)

// OfVariable says what the value of an environment variable is, and for which
// program; that is "" where it is the same for all.
func OfVariable(name string) (string, Kind) {
	switch name {
	case "GOPROXY", "DOCKER_HOST", "CONTAINER_HOST", "PGHOST", "PGHOSTADDR", "MYSQL_HOST", "RUBYGEMS_HOST",
		"GEM_HOST":
		return "", Host
	}
	if hiding[name] {
		return "", Hides
	}
	if hasFold(name, "_proxy") && !strings.EqualFold(name, "no_proxy") && !hasFold(name, "_no_proxy") {
		return "", Host
	}
	switch {
	case len(name) > len("npm_config_") && strings.EqualFold(name[:len("npm_config_")], "npm_config_"):
		return "npm", optionVariable("npm", "npm", name[len("npm_config_"):])
	case strings.HasPrefix(name, "PIP_"):
		return "pip", optionVariable("pip", "pip install", name[len("PIP_"):])
	case strings.HasPrefix(name, "CARGO_REGISTR") && strings.HasSuffix(name, "_INDEX"):
		return "cargo", Host
	case strings.HasPrefix(name, "CARGO_SOURCE_"), strings.HasPrefix(name, "YARN_"), strings.HasPrefix(name, "PNPM_"),
		strings.HasPrefix(name, "BUNDLE_"), strings.HasPrefix(name, "UV_"), strings.HasPrefix(name, "POETRY_"):
		return "", Hides
	case strings.HasPrefix(name, "GIT_") && !gitHarmless(name):
		return "git", Hides
	}
	return "", Plain
}

// hasFold reports whether name ends in suffix, in any case of letters.
func hasFold(name, suffix string) bool {
	return len(name) >= len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}

// optionVariable is what a variable is that stands for a program's long option.
func optionVariable(program, section, name string) Kind {
	p := Find(program)
	o, ok := p.Exact(p.Section(section), strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	if !ok {
		return Hides
	}
	return o.Value
}

// gitPlainVariables are variables of git that name no host, and no program or file
// that may.
var gitPlainVariables = words.Of(`GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS
	GIT_MERGE_AUTOEDIT GIT_LFS_SKIP_SMUDGE GIT_CEILING_DIRECTORIES GIT_PROGRESS_DELAY GIT_ALLOW_PROTOCOL GIT_CURL_VERBOSE
	GIT_SSL_NO_VERIFY GIT_HTTP_USER_AGENT GIT_ATTR_NOSYSTEM GIT_NO_REPLACE_OBJECTS GIT_REFLOG_ACTION`)

// gitHarmless reports whether a variable of git names no host, and no program or
// file that may.
func gitHarmless(name string) bool {
	return gitPlainVariables[name] || strings.HasPrefix(name, "GIT_AUTHOR_") ||
		strings.HasPrefix(name, "GIT_COMMITTER_") || strings.HasPrefix(name, "GIT_TRACE")
}

// NamesHost reports whether a host stands in the text of such a value.
func (k Kind) NamesHost() bool {
	switch k {
	case Host, Place, Remote, Image, Package, Module, Dsn,
		Address, Looks:
		return true
	}
	return false
}
