//go:build !linux

package sandbox

import (
	"fmt"
	"os/exec"
)

// Start starts a child. Of the fence there is nothing here but a working folder
// and an empty environment: [Fence] says so.
func Start(s Spec) (*Child, error) {
	c := &Child{gone: make(chan struct{})}
	cmd := exec.Command(s.Program.file.Name(), s.Args...)
	cmd.Env, cmd.Dir = s.Env, s.Dir
	theirs, err := c.pipes(cmd)
	if err != nil {
		return nil, err
	}
	err = cmd.Start()
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		c.ClosePipes()
		return nil, fmt.Errorf("start: %w", err)
	}
	c.cmd, c.PID = cmd, cmd.Process.Pid
	go func() {
		c.err = cmd.Wait()
		c.mu.Lock()
		c.reaped = true
		c.mu.Unlock()
		close(c.gone)
	}()
	return c, nil
}

// Kill ends the child.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = c.cmd.Process.Kill()
	}
}
