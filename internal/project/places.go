package project

import (
	"path/filepath"
	"strings"
)

// Kind says what becomes of an action that comes to a place.
type Kind string

// The kinds of places.
const (
	Keys       Kind = "keys"       // files with credentials: rules ask, or deny
	Guard      Kind = "guard"      // what stands here decides whether and how a hook judges: out of bounds
	Unattended Kind = "unattended" // what stands here runs, or leads an agent, later: rules ask before it is written
)

// Place is a group of places that matter whatever an agent works on.
type Place struct {
	Kind Kind
	What string
	Home []string // below the user's home, or absolute; no project holds them, or lies in them
	Glob string   // wherever they stand, as rules write patterns; only of unattended places
}

// Places are all of them. The list "unattended" of the rules for coding agents is made from this one, and so are the
// places that a daemon and a standalone hook put out of bounds.
func Places() []Place {
	return append(guards(), unattended()...)
}

func guards() []Place {
	return []Place{
		{Keys, "keys and credentials", strings.Fields(".ssh .gnupg .aws .azure .kube .docker .netrc .git-credentials"), ""},
		{Guard, "Cortex: settings, secrets, records, pins of tools", []string{".config/cortex", ".local/state/cortex",
			"Library/Application Support/cortex"}, ""},
		{Guard, "Claude Code: settings, hooks, transcripts", strings.Fields(".claude/settings.json " +
			".claude/settings.local.json .claude/hooks .claude/projects .claude.json .claude/.claude.json"),
			""},
		{Guard, "Codex: settings, hooks, rules, transcripts", strings.Fields(".codex/config.toml .codex/hooks.json " +
			".codex/rules .codex/sessions"), ""},
		{Guard, "Gemini CLI: settings, policies, trusted folders, transcripts", strings.Fields(".gemini/settings.json " +
			".gemini/policies .gemini/trustedFolders.json .gemini/.env .gemini/tmp"), ""},
		{Guard, "Cursor: hooks", strings.Fields(".cursor/hooks.json .cursor/hooks"), ""},
		{Guard, "Copilot: settings, hooks", []string{".copilot"}, ""},
	}
}

func unattended() []Place {
	return []Place{
		{Unattended, "start files of shells and sessions", strings.Fields(".bashrc .bash_profile .bash_login " +
			".bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout .xprofile .xsession .xinitrc " +
			".config/fish .config/environment.d"),
			"**/.{bash{rc,_profile,_login,_logout,_aliases},profile,zsh{rc,env},z{profile,login,logout},{k,c,tc}shrc," +
				"x{profile,session,initrc},config/{fish,environment.d}{,/**}}"},
		{Unattended, "programs of the user", strings.Fields(".local/bin bin"), "**/.local/bin{,/**}"},
		{Unattended, "units, timers and autostart", strings.Fields(".config/systemd .local/share/systemd " +
			".config/autostart Library/LaunchAgents"),
			"**/{.config/{systemd,autostart},.local/share/systemd,LaunchAgents}{,/**}"},
		{Unattended, "git and its like: settings and hooks", strings.Fields(".gitconfig .config/git"),
			"**/{.{git,hg,husky,githooks,config/git}{,/**},.git{config,modules,attributes},.pre-commit-config.yaml," +
				"{,.}lefthook{,-local}.{yml,yaml}}"},
		{Unattended, "tasks of servers", nil, "**/{.github/{workflows,actions}{,/**},.circleci{,/**}," +
			".gitlab-ci.{yml,yaml},Jenkinsfile,{azure,bitbucket}-pipelines.yml,.{travis,drone}.yml}"},
		{Unattended, "tasks and settings of editors", nil, "**/.{vscode,idea,zed,devcontainer}{,/**}"},
		{Unattended, "settings, hooks and commands of coding agents", strings.Fields(".claude .codex .gemini .cursor " +
			"/etc/claude-code /etc/codex /etc/gemini-cli /etc/cursor"),
			"**/.{{claude,codex,gemini,cursor,copilot,agents}{,/*,/{[!w]*,w,w[!o]*,work[!t]*}/**},mcp.json," +
				"github/{hooks,copilot,agents,prompts,skills,chatmodes}{,/**}}"},
		{Unattended, "what coding agents are told at each start", nil, "**/{{CLAUDE,CLAUDE.local,AGENTS," +
			"AGENTS.override,GEMINI}.md,.{cursor,windsurf}rules,.github/{copilot-instructions.md,instructions{,/**}}}"},
	}
}

// moved are folders below the home, each with the variable that names another one instead.
func moved() [][2]string {
	return [][2]string{{".config/", "XDG_CONFIG_HOME"}, {".local/state/", "XDG_STATE_HOME"},
		{".claude/", "CLAUDE_CONFIG_DIR"}, {".codex/", "CODEX_HOME"}}
}

// OutOfBounds are the absolute paths of the places of kind Guard: below the home, and in the folders that variables
// name instead.
func OutOfBounds(home string, getenv func(string) string) (paths []string) {
	for _, p := range guards() {
		if p.Kind != Guard {
			continue
		}
		for _, at := range p.Home {
			paths = append(paths, below(home, at))
			for _, m := range moved() {
				if rest, ok := strings.CutPrefix(at, m[0]); ok && filepath.IsAbs(getenv(m[1])) {
					paths = append(paths, filepath.Join(getenv(m[1]), filepath.FromSlash(rest)))
				}
			}
		}
	}
	return paths
}

// holds reports whether a folder is a place, holds it or lies in it. What lies in worktrees of an unattended place
// does not count: it is a project, which a host has put there.
func (p Place) holds(dir, place string) bool {
	trees := filepath.Join(place, "worktrees")
	return within(place, dir) || within(dir, place) && (p.Kind != Unattended || dir == trees || !within(dir, trees))
}

// below is a path of a place, absolute.
func below(home, at string) string {
	if strings.HasPrefix(at, "/") {
		return at
	}
	return filepath.Join(home, filepath.FromSlash(at))
}
