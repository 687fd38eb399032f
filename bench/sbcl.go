package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed sbcl.lisp
var sbclProgram string

// sbcl is one SBCL process that measures itself when it is asked.
type sbcl struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

// startSBCL returns nil without an error where there is no SBCL.
func startSBCL(small, large string) (*sbcl, error) {
	path, err := exec.LookPath("sbcl")
	if err != nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "bench-sbcl-")
	if err != nil {
		return nil, err
	}
	s := &sbcl{dir: dir}
	for name, text := range map[string]string{"program.lisp": sbclProgram, "small": small, "large": large} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	s.cmd = exec.Command(path, "--script", filepath.Join(dir, "program.lisp"), filepath.Join(dir, "small"),
		filepath.Join(dir, "large"))
	s.cmd.Stderr = os.Stderr
	s.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.out = bufio.NewReader(out)
	return s, nil
}

// series measures one of the operations that sbcl.lisp knows.
func (s *sbcl) series(op string, each time.Duration) series {
	return func() (sample, error) {
		if _, err := fmt.Fprintf(s.in, "%s %d\n", op, each.Milliseconds()); err != nil {
			return sample{}, err
		}
		line, err := s.out.ReadString('\n')
		if err != nil {
			return sample{}, fmt.Errorf("sbcl gave no answer: %w", err)
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		return sample{ns: ns, allocs: -1}, err
	}
}

func (s *sbcl) close() error {
	return errors.Join(s.in.Close(), s.cmd.Wait(), os.RemoveAll(s.dir))
}
