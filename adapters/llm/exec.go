package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/reason/model"
)

// program is a provider that runs a program for each question. The program reads the
// prompt from standard input, answers on standard output, and gets only the granted
// environment variables.
type program struct {
	Config
	command func(ctx context.Context) *exec.Cmd // holds the values that are granted
	secrets secrets                             // the same, which its errors may repeat
}

const (
	maxStderr = 8 << 10
	// outputWait is how long to wait for output after the program has ended.
	outputWait = 500 * time.Millisecond
	formatText = "text"
)

func newExec(cfg Config) (*program, error) {
	if len(cfg.Command) == 0 || cfg.Command[0] == "" {
		return nil, errors.New(`command: expected the program and its arguments, such as ["/usr/local/bin/model", "--json"]`)
	}
	if cfg.Format != "" && cfg.Format != "json" && cfg.Format != formatText {
		return nil, fmt.Errorf("format: %q is unknown, expected json or text", cfg.Format)
	}
	path, err := exec.LookPath(cfg.Command[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	if cfg.Dir == "" {
		cfg.Dir = os.TempDir()
	}
	if info, err := os.Stat(cfg.Dir); err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("dir: %s is not a folder", cfg.Dir)
	}
	env, err := granted(cfg.Env)
	if err != nil {
		return nil, err
	}
	p := &program{Config: cfg, secrets: hidden(env)}
	p.command = func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, path, cfg.Command[1:]...)
		cmd.Env, cmd.Dir, cmd.WaitDelay = env, cfg.Dir, outputWait
		return cmd
	}
	return p, nil
}

// granted looks up environment variables. The list is never nil, which would
// grant everything.
func granted(names []string) ([]string, error) {
	env := []string{}
	for _, name := range names {
		if name == "" || strings.Contains(name, "=") {
			return nil, errors.New("env: expected names of environment variables, without values")
		}
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("env: the environment variable %s is not set", name)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// hidden are the values that may be keys: long, and not paths.
func hidden(env []string) secrets {
	var values []string
	for _, e := range env {
		_, value, _ := strings.Cut(e, "=")
		if value = strings.TrimSpace(value); len(value) >= minAnswerKey && !strings.HasPrefix(value, "/") {
			values = append(values, value)
		}
	}
	return keep(values...)
}

// Name is the configured one.
func (p *program) Name() string { return p.Config.Name }

// Complete runs the program once.
func (p *program) Complete(ctx context.Context, prompt model.Prompt) (model.Completion, error) {
	input, err := p.input(prompt)
	if err != nil {
		return model.Completion{}, err
	}
	output, err := p.run(ctx, input)
	if err != nil {
		return model.Completion{}, p.fail(err)
	}
	if p.Format == formatText {
		out := model.Completion{Text: unthought(string(output))}
		if p.secrets.in(out.Text) {
			return model.Completion{}, p.fail(errors.New("the answer repeats a value of its environment"))
		}
		return out, nil
	}
	out, err := p.parse(output)
	if err != nil {
		return model.Completion{Usage: out.Usage}, p.fail(err)
	}
	return out, nil
}

func (p *program) fail(err error) *Error {
	e := &Error{Provider: p.Config.Name, Text: p.secrets.scrub(err.Error())}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, known) {
			e.cause = known
		}
	}
	return e
}

// run starts the program in its own process group, and kills the group when the
// program has ended, timed out or written too much.
func (p *program) run(ctx context.Context, input []byte) ([]byte, error) {
	ctx, cancel := p.within(ctx)
	defer cancel()
	cmd := p.command(ctx)
	stdout, stderr := &bounded{most: p.MaxBytes, full: cancel}, &bounded{most: maxStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), stdout, stderr
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err := reap(cmd)
	switch {
	case stdout.over:
		return nil, fmt.Errorf("the program's answer is longer than %d bytes", p.MaxBytes)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // a process that it left behind kept its output open
		return nil, fmt.Errorf("the program failed: %w: %s", err, clip(strings.TrimSpace(stderr.kept.String()), maxErrorText))
	}
	return stdout.kept.Bytes(), nil
}

// bounded keeps the first bytes that are written to it. The buffer is not embedded,
// because its ReadFrom would read everything.
type bounded struct {
	kept bytes.Buffer
	most int64
	over bool
	full func() // called when there is more; nil: the rest is dropped
}

func (b *bounded) Write(data []byte) (int, error) {
	room := b.most - int64(b.kept.Len())
	if int64(len(data)) <= room {
		return b.kept.Write(data)
	}
	b.kept.Write(data[:room])
	b.over = true
	if b.full != nil {
		b.full()
	}
	return len(data), nil
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
