package hooking

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Spawn starts a daemon for the user, in the background.
type Spawn struct {
	Program string           // this program
	State   string           // the folder of its record, rules and log
	Config  string           // settings; a file that need not exist. Where it does, it alone counts
	Rules   map[string]fs.FS // rule folders that this program brings, by name
	Socket  string           // the plain socket
	API     string           // the socket that is waited for
}

// patience is how long a daemon may take to answer.
const patience = 20 * time.Second

// Start starts the daemon unless another process is starting it, and waits until it answers.
func (s Spawn) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return err
	}
	unlock, err := lock(ctx, filepath.Join(s.State, "starting.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if s.answers(ctx) { // another hook has started it meanwhile
		return nil
	}
	args, err := s.arguments()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.State, "daemon.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(s.Program, args...) //nolint:gosec // this program
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.State, log, log
	cmd.Env = plainEnv(os.Environ()) // keys of models in the host's environment are not the daemon's
	apart(cmd)
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !s.answers(ctx) {
		select {
		case err := <-ended:
			return fmt.Errorf("the daemon ended (%w); %s says why", errors.Join(errors.New("at once"), err), log.Name())
		case <-ctx.Done():
			return fmt.Errorf("the daemon does not answer; %s says why", log.Name())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// plainEnv is what a daemon needs to know of the user and the system.
func plainEnv(all []string) (out []string) {
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_") ||
			slices.Contains([]string{"HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE",
				"CLAUDE_CONFIG_DIR", "CODEX_HOME"}, name) {
			out = append(out, kv)
		}
	}
	return out
}

func (s Spawn) answers(ctx context.Context) bool {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", s.API)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// arguments are those of the user's settings, or those for the rules that this program brings.
func (s Spawn) arguments() ([]string, error) {
	if _, err := os.Stat(s.Config); err == nil {
		return []string{"serve", "--config", s.Config, "--socket", s.Socket}, nil
	}
	record := filepath.Join(s.State, "record")
	if _, err := os.Stat(record); errors.Is(err, fs.ErrNotExist) {
		// A new record: its owner is to be able to answer cards without stopping the daemon first.
		pair := exec.Command(s.Program, "approvals", "pair", "--force", "--dir", record) //nolint:gosec // this program
		pair.Env = plainEnv(os.Environ())
		if out, err := pair.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("make the approvers' secret: %w: %s", err, out)
		}
	}
	args := []string{"serve", "--dir", record, "--socket", s.Socket, "--live"}
	for name, rules := range s.Rules {
		dir := filepath.Join(s.State, "rules", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		files, err := fs.Glob(rules, "*.lisp")
		if err != nil {
			return nil, err
		}
		for _, file := range files { // as this version has them; rules of one's own go into the settings
			text, err := fs.ReadFile(rules, file)
			if err == nil {
				err = write(filepath.Join(dir, file), text, "")
			}
			if err != nil {
				return nil, err
			}
		}
		args = append(args, "--rules", dir)
	}
	return args, nil
}
