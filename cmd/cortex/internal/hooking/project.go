package hooking

import (
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/adapters/hooks"
	"github.com/opencortex-go/cortex/internal/project"
	"github.com/opencortex-go/cortex/reason"
)

// adding is the option with which a host is told of more folders.
var adding = map[string]string{
	"claude": "--add-dir", "codex": "--add-dir", "gemini": "--include-directories", "copilot": "--add-dir",
}

// hostProcess is what a hook sees of its host's process.
type hostProcess struct {
	stands string // its folder; "" where that is unknown, or says nothing of the project
	args   []string
}

// hostOfHook looks at the process above this one. Cursor is one process for all of its windows, so its
// folder says nothing.
func hostOfHook(d hooks.Dialect) (h hostProcess) {
	h.stands, h.args = project.HostOf(os.Getpid())
	if d.Name() == "cursor" {
		h.stands = ""
	}
	return h
}

// named are the folders that a host names as the project: Claude Code in a variable, Codex at the
// beginning of the session's transcript, Cursor in a list, Gemini CLI and Copilot as the folder of each
// event; and those that the host was started with besides.
func (opt Options) named(e hooks.Event, h hostProcess) (out []string) {
	switch opt.Dialect.Name() {
	case "claude":
		out = []string{opt.getenv("CLAUDE_PROJECT_DIR")}
	case "codex":
		out = []string{sessionFolder(e)}
	case "cursor":
		out = e.Roots
	default: // a command's own folder is among the arguments of the call
		out = []string{e.Cwd}
	}
	return append(out, project.Added(h.args, adding[opt.Dialect.Name()], h.stands)...)
}

func (opt Options) getenv(name string) string {
	if opt.Getenv == nil {
		return os.Getenv(name)
	}
	return opt.Getenv(name)
}

// Places are out of bounds for what a hook judges by itself, as they are with a daemon: settings and transcripts of
// hosts, what belongs to Cortex, and the rules that are named.
func Places(rules []string, getenv func(string) string) (*reason.Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	paths := project.OutOfBounds(home, getenv)
	for _, r := range rules {
		if r, err = filepath.Abs(r); err != nil {
			return nil, err
		}
		paths = append(paths, r)
	}
	return &reason.Places{Paths: paths}, nil
}
