package act

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// ShellTool is the name of the tool that [Shell.Tool] returns.
const ShellTool = "shell"

const (
	defaultTimeout   = 30 * time.Second
	maxTimeout       = 24 * 60 * 60 // seconds
	defaultMaxOutput = 100_000      // characters of each stream
	maxMaxOutput     = 1_000_000
)

// ShellOptions configures where commands run and what they see. Commands do not
// inherit variables, folder, files, input or terminal from this process.
type ShellOptions struct {
	Dir       string            // the folder commands start in; must exist
	Bash      string            // path of bash; "" looks for it in PATH now, and never again
	Home      string            // HOME; "" means Dir, so that ~ is not the operator's
	Path      string            // PATH; "" means /usr/local/bin:/usr/bin:/bin
	Lang      string            // LANG; "" means C.UTF-8
	Env       map[string]string // further variables
	Timeout   time.Duration     // for a call without :timeout; 0 means 30 s
	MaxOutput int               // characters kept of each stream, without :max-output; 0 means 100 000
}

// Shell runs command lines in bash, one per call. It is immutable and safe for
// concurrent use. It is not a sandbox: rules, and the account it runs under, limit
// what a command may touch.
type Shell struct {
	bash, dir string
	env       []string // sorted
	timeout   time.Duration
	maxOutput int64
}

// NewShell returns an error if an option is invalid or bash is missing. No other
// shell will do, because rules judge command lines as bash reads them.
func NewShell(opt ShellOptions) (*Shell, error) {
	if opt.Bash == "" {
		opt.Bash = "bash"
	}
	bash, err := exec.LookPath(opt.Bash)
	if err == nil {
		bash, err = filepath.Abs(bash)
	}
	if err != nil {
		return nil, fmt.Errorf("act: the shell tool needs bash: %w; install it, give its path, or leave the tool out", err)
	}
	dir, err := folder(opt.Dir)
	if err != nil {
		return nil, fmt.Errorf("act: working folder of the shell: %w", err)
	}
	if opt.Timeout < 0 || opt.MaxOutput < 0 || opt.MaxOutput > maxMaxOutput {
		return nil, fmt.Errorf("act: shell timeout %v or output limit %d out of range, expected none negative and at most "+
			"%d characters", opt.Timeout, opt.MaxOutput, maxMaxOutput)
	}
	s := &Shell{bash: bash, dir: dir, timeout: opt.Timeout, maxOutput: int64(opt.MaxOutput)}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if s.maxOutput == 0 {
		s.maxOutput = defaultMaxOutput
	}
	if s.env, err = environment(dir, opt); err != nil {
		return nil, err
	}
	return s, nil
}

// folder returns the real path of an existing folder, so that PWD agrees with the
// folder from which rules resolve relative paths.
func folder(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("none given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", errors.Join(err, fmt.Errorf("%s is not a folder", dir))
	}
	return dir, nil
}

// environment builds the complete environment of a command.
func environment(dir string, opt ShellOptions) ([]string, error) {
	vars := map[string]string{"HOME": dir, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "PWD": dir}
	for name, value := range opt.Env {
		if err := variable(name, value); err != nil {
			return nil, err
		}
		vars[name] = value
	}
	for name, value := range map[string]string{"HOME": opt.Home, "PATH": opt.Path, "LANG": opt.Lang} {
		if value != "" {
			vars[name] = value
		}
	}
	out := make([]string, 0, len(vars))
	for name, value := range vars {
		if strings.ContainsRune(value, 0) {
			return nil, fmt.Errorf("act: shell variable %s holds NUL", name)
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out, nil
}

// variable returns an error for an invalid name, for a variable with an option of
// its own, and for one that makes bash or the loader run more than the script.
func variable(name, value string) error {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
	if !plain || name[0] >= '0' && name[0] <= '9' {
		return fmt.Errorf("act: %q is not the name of a shell variable", name)
	}
	switch name {
	case "HOME", "PATH", "LANG", "PWD":
		return fmt.Errorf("act: shell variable %s has an option of its own", name)
	case "BASH_ENV",
		"ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_COMPAT", "BASH_XTRACEFD", "BASH_LOADABLES_PATH",
		"PROMPT_COMMAND", "IFS", "PS4", "CDPATH", "GLOBIGNORE", "EXECIGNORE":
		return fmt.Errorf("act: shell variable %s changes what a script means; it cannot be set", name)
	}
	if strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(value, "() {") {
		return fmt.Errorf("act: shell variable %s changes what a script runs; it cannot be set", name)
	}
	return nil
}

// Tool returns the shell as a tool for a registry. Rules that declare a tool of
// this name may narrow its schema.
func (s *Shell) Tool() Tool {
	count := func(most float64) skills.Type {
		return skills.Type{Kind: skills.KindInteger, Bounded: true, Lo: 1, Hi: most}
	}
	return Tool{Actuator: s, Schema: &skills.Tool{
		Name: ShellTool,
		Doc:  "Run one bash command line. :timeout is in seconds, :max-output in characters.",
		Params: []skills.Param{
			{Name: "cmd", Type: skills.Type{Kind: skills.KindCommand}},
			{Name: "timeout", Type: count(maxTimeout)},
			{Name: "max-output", Type: count(maxMaxOutput)},
		},
		Required: []string{"cmd"},
		Tier:     skills.TierAsk,
		Effect:   skills.EffectExternal,
	}}
}

// Env returns the environment of commands, which rules need to judge them, in the
// form of facts.env: (:cwd "..." :home "..." :vars (:|PATH| "..." ...)).
func (s *Shell) Env() sexpr.Value {
	vars, home := sexpr.Nil(), ""
	for _, kv := range s.env {
		name, value, _ := strings.Cut(kv, "=")
		vars = vars.With(name, sexpr.Str(value))
		if name == "HOME" {
			home = value
		}
	}
	return sexpr.Plist("cwd", sexpr.Str(s.dir), "home", sexpr.Str(home), "vars", vars)
}

// Act runs :cmd, a whole script, as the one argument of bash, without an outer
// shell. When the script ends, its timeout passes or ctx ends, Act kills the
// processes in its group and those that still hold its output. It cannot reach a
// daemon that has left the group and closed its output; that takes a sandbox.
func (s *Shell) Act(ctx context.Context, call Call) (Receipt, error) {
	args, err := only(call.Action, "cmd", "timeout", "max-output")
	if err != nil {
		return refused(err), nil
	}
	script, err := textArg(args, "cmd")
	if err != nil {
		return refused(err), nil
	}
	seconds, err := countArg(args, "timeout", 0, maxTimeout)
	if err != nil {
		return refused(err), nil
	}
	most, err := countArg(args, "max-output", s.maxOutput, maxMaxOutput)
	if err != nil {
		return refused(err), nil
	}
	timeout := s.timeout
	if seconds > 0 {
		timeout = time.Duration(seconds) * time.Second
	}
	// "--" keeps a script that begins with a dash from being read as an option.
	cmd := exec.Command(s.bash, "--noprofile", "--norc", "-c", "--", script)
	cmd.Dir = s.dir
	cmd.Env = slices.Clone(s.env)
	p, err := start(cmd, int(most))
	if err != nil {
		return refused(fmt.Errorf("the command could not be started: %w", err)), nil
	}
	return p.wait(ctx, timeout).receipt(), nil
}
