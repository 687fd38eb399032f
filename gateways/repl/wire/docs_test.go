//go:build linux

package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/reason/model"
)

// serve is a daemon as small as can be, in a process of its own: it runs until
// its standard input ends.
func serve(dir string) (err error) {
	play, err := model.NewScripted("script", "script.lisp", `(:repeat t :reply "hello there")`)
	if err != nil {
		return err
	}
	e, err := cortex.Open(context.Background(), cortex.Options{
		Dir: os.Getenv("WIRE_TEST_RECORD"), Live: true, Rules: fstest.MapFS{"rules.lisp": {Data: []byte(rules)}},
		Models: cortex.Models{Providers: []model.Provider{play}},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	s, err := Listen(Options{
		Engine: e, Repl: repl.New(repl.Options{Engine: e, Version: "0.3.0"}), Version: "0.3.0", Record: dir,
		Socket: filepath.Join(dir, "cortex.sock"),
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	fmt.Println("ready")
	return s.Serve(ctx)
}

// The session in docs/wire.md, typed by Python against a real daemon, prints what
// the page says.
func TestDocs_TheSessionIsReal(t *testing.T) {
	page, err := os.ReadFile("../../../docs/wire.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(\\w*)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 2, "a program, and what it prints")
	python, err := exec.LookPath("python3")
	require.NoError(t, err, "the page's program is Python")

	dir := t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	daemon := exec.Command(exe)
	daemon.Env = append(os.Environ(), "WIRE_TEST_SERVE="+dir)
	daemon.Stderr = os.Stderr
	stdin, err := daemon.StdinPipe()
	require.NoError(t, err)
	stdout, err := daemon.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, daemon.Start())
	defer func() {
		assert.NoError(t, stdin.Close())
		assert.NoError(t, daemon.Wait())
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)

	client := exec.Command(python, "-c", blocks[0][2])
	client.Env = append(os.Environ(), "CORTEX_SOCKET="+filepath.Join(dir, "cortex.sock"))
	out, err := client.CombinedOutput()
	require.NoError(t, err, "%s", out)
	record, err := socket.RecordID(dir)
	require.NoError(t, err)
	got := strings.ReplaceAll(string(out), record, "RECORD")
	got = regexp.MustCompile(`:signal \d+`).ReplaceAllString(got, ":signal SIGNAL")
	assert.Equal(t, blocks[1][2], got)
}
