package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// host is a coding agent.
type host struct {
	name  string // of its dialect
	pkg   string // on npm
	bin   string
	model func(*model) http.Handler
	// shell is the step that runs a command.
	shell func(command string) step
	// setUp writes what a user would have set up, and returns the arguments and the environment of
	// a run without a person at the terminal.
	setUp    func(s scene, url, prompt string) (args, env []string, err error)
	prompted string // the event of a prompt
}

// scene is a machine for one run: a home, a project in it, and the program.
type scene struct {
	root, home, project, program string
}

func hosts() []host {
	return []host{
		{name: "claude", pkg: "@anthropic-ai/claude-code", bin: "claude", model: anthropic, prompted: "UserPromptSubmit",
			shell: func(c string) step { return step{"Bash", object{"command": c, "description": "as asked"}} },
			setUp: func(_ scene, url, prompt string) ([]string, []string, error) {
				return []string{"-p", prompt, "--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions"}, []string{
					"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=scripted", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}, nil
			}},
		{name: "codex", pkg: "@openai/codex", bin: "codex", model: responses, prompted: "UserPromptSubmit",
			shell: func(c string) step { return step{"exec_command", object{"cmd": c}} },
			setUp: func(s scene, url, prompt string) ([]string, []string, error) {
				dir := filepath.Join(s.home, ".codex")
				config := "model = \"scripted\"\nmodel_provider = \"x\"\n[model_providers.x]\nname = \"x\"\nbase_url = \"" + url +
					"/v1\"\nwire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\n"
				err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600))
				return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
						"--dangerously-bypass-hook-trust", prompt},
					[]string{"SCRIPTED_KEY=scripted", "CODEX_HOME=" + dir}, err
			}},
		{name: "gemini", pkg: "@google/gemini-cli", bin: "gemini", model: google, prompted: "BeforeAgent",
			shell: func(c string) step { return step{"run_shell_command", object{"command": c, "description": "as asked"}} },
			setUp: func(s scene, url, prompt string) ([]string, []string, error) {
				dir := filepath.Join(s.home, ".gemini")
				const settings = `{"security": {"auth": {"selectedType": "gemini-api-key"}}} // as the first start writes it
`
				err := errors.Join(os.MkdirAll(dir, 0o700),
					os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600))
				return []string{"-p", prompt, "--yolo", "--model", "gemini-2.5-pro", "--skip-trust"}, []string{
					"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=scripted", "GEMINI_CLI_TRUST_WORKSPACE=true"}, err
			}},
	}
}

// usual is what the user types.
const usual = "Please build this project and fix what fails."

// newScene makes an empty machine. The program is linked into it, where a case can put another one.
func newScene(cortex string) (s scene, err error) {
	if s.root, err = os.MkdirTemp("", "cortex-agents-"); err != nil {
		return s, err
	}
	s.home, s.project, s.program = filepath.Join(s.root, "home"), filepath.Join(s.root, "home", "project"),
		filepath.Join(s.root, "bin", "cortex")
	err = errors.Join(os.MkdirAll(s.project, 0o755), os.MkdirAll(filepath.Dir(s.program), 0o755),
		os.MkdirAll(filepath.Join(s.home, "other"), 0o755), os.Symlink(cortex, s.program))
	return s, errors.Join(err, s.write("home/other/precious", "x"))
}

func (s scene) write(name, text string) error {
	return os.WriteFile(filepath.Join(s.root, filepath.FromSlash(name)), []byte(text), 0o755)
}

// there reports whether a file is there, by its path in the project.
func (s scene) there(name string) bool {
	_, err := os.Lstat(filepath.Join(s.project, name))
	return err == nil
}

// env is the environment of every program in the scene.
func (s scene) env(more ...string) []string {
	return append([]string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/bash",
		"XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "XDG_STATE_HOME=" + filepath.Join(s.home, ".local/state"),
		"XDG_RUNTIME_DIR=" + filepath.Join(s.root, "run"), "NO_COLOR=1"}, more...)
}

// run runs a program in the project, and returns what it printed.
func (s scene) run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.project, s.env(env...), 5*time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), err
}
