package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// guest is a child as go-plugin drives it: a runner.Runner. go-plugin sees the
// handshake line and nothing else of what the process writes.
type guest struct {
	spec      sandbox.Spec
	transport string
	log       *slog.Logger

	child   *sandbox.Child
	hello   io.ReadCloser // the handshake line, for go-plugin
	stderr  *lineLog
	readers sync.WaitGroup

	mu      sync.Mutex
	running *sandbox.Child // child, for all but the goroutine that starts it
	ended   bool
	address string // where it listens, once that was checked
}

// Start starts the process and reads what it writes until it ends.
func (g *guest) Start(context.Context) error {
	c, err := sandbox.Start(g.spec)
	if err != nil {
		return err
	}
	g.child = c
	g.mu.Lock()
	g.running = c
	if g.ended {
		c.Kill()
	}
	g.mu.Unlock()
	hello, w := io.Pipe()
	g.hello = hello
	g.readers.Go(func() {
		line, rest, err := firstLine(c.Stdout)
		if err == nil {
			line, err = g.handshake(line)
		}
		if err == nil {
			_, _ = io.WriteString(w, line+"\n")
		} else {
			g.log.Warn("a plugin did not introduce itself", "error", err)
		}
		_ = w.Close()
		_, _ = io.Copy(io.Discard, rest)
	})
	g.stderr = newLineLog(g.log)
	g.readers.Go(func() {
		_, _ = io.Copy(g.stderr, c.Stderr)
		_ = g.stderr.Close()
	})
	g.readers.Go(func() {
		<-c.Gone()
		// What is in the pipes is still read, but no process that inherited the other
		// end keeps us.
		const rest = 100 * time.Millisecond
		_, _ = c.Stdout.SetReadDeadline(time.Now().Add(rest)), c.Stderr.SetReadDeadline(time.Now().Add(rest))
	})
	return nil
}

// handshake checks the line with which a skill says where it listens, before
// go-plugin sees it: that believes a certificate where none was agreed.
func (g *guest) handshake(line string) (string, error) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 || parts[2] != "unix" || parts[4] != "grpc" {
		return "", fmt.Errorf("its first line is %s, expected 1|%d|unix|/path/of/socket|grpc",
			wire.Printable(wire.Clip(line, 100)),
			skillpb.Protocol)
	}
	if g.transport == TransportPeer {
		return strings.Join(parts[:5], "|"), nil
	}
	if len(parts) < 6 || parts[5] == "" {
		return "", errors.New(`it has no certificate; its lock says transport = "mtls"`)
	}
	return strings.Join(parts[:6], "|"), nil
}

// Stdout gives the handshake line.
func (g *guest) Stdout() io.ReadCloser { return g.hello }

// Stderr gives nothing: the lines go to our own log.
func (g *guest) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Wait returns when the process has been reaped.
func (g *guest) Wait(context.Context) error {
	return g.child.Wait()
}

// Kill ends the process and all of its group.
func (g *guest) Kill(context.Context) error {
	g.child.Kill()
	return nil
}

// Name is the program's.
func (g *guest) Name() string { return g.spec.Program.Name }

// ID is the process's number, or "" before it is started.
func (g *guest) ID() string {
	if g.child == nil {
		return ""
	}
	return strconv.Itoa(g.child.PID)
}

// Diagnose has nothing to add.
func (g *guest) Diagnose(context.Context) string { return "" }

// PluginToHost accepts a socket in the plugin's own folder and no other address.
func (g *guest) PluginToHost(network, address string) (string, string, error) {
	real, err := filepath.EvalSymlinks(address)
	if err != nil {
		return "", "", fmt.Errorf("its socket: %w", err)
	}
	if network != "unix" || !strings.HasPrefix(real, g.spec.Dir+string(os.PathSeparator)) {
		return "", "", fmt.Errorf("it listens on %s, which is not a socket in its own folder", wire.Printable(address))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.address = real
	return network, address, nil
}

func (g *guest) socket() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.address
}

// end ends the process at any time, also while it is being started.
func (g *guest) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	if g.running != nil {
		g.running.Kill()
	}
}

// HostToPlugin changes nothing.
func (g *guest) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// close ends the process and waits for everything that was started with it.
func (g *guest) close() {
	if g.child == nil {
		return
	}
	g.child.Kill()
	<-g.child.Gone()
	g.readers.Wait()
	g.child.ClosePipes()
	_ = g.hello.Close()
}
