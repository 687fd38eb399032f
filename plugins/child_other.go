//go:build !linux

package plugins

import (
	"fmt"
	"os/exec"
)

// launch starts a child. Of the fence there is nothing here but a working folder
// and an empty environment: [Fence] says so.
func launch(s spec) (*child, error) {
	c := &child{gone: make(chan struct{})}
	cmd := exec.Command(s.prog.file.Name(), s.args...)
	cmd.Env, cmd.Dir = s.env, s.dir
	theirs, err := c.pipes(cmd)
	if err != nil {
		return nil, err
	}
	err = cmd.Start()
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		c.closePipes()
		return nil, fmt.Errorf("start: %w", err)
	}
	c.cmd, c.pid = cmd, cmd.Process.Pid
	go func() {
		c.why = cmd.Wait()
		c.mu.Lock()
		c.reaped = true
		c.mu.Unlock()
		close(c.gone)
	}()
	return c, nil
}

func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = c.cmd.Process.Kill()
	}
}
