package crashtest

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Child is a process that runs one test of this binary until it is killed.
type Child struct {
	Test   string // what it runs
	Orders any    // what [Orders] reads there, as JSON
	// Hear takes each line that the child says, and reports whether it says that the child is up.
	Hear func(line []byte) (up bool)
	// After is how long the child works, once it is up. 0: it is to kill itself, see [DieAt].
	After time.Duration
}

const (
	varOrders = "CORTEX_TEST_ORDERS"
	// longest is how long a child may live that does not kill itself.
	longest = 30 * time.Second
)

// Kill runs the child. It reports whether a SIGKILL ended it, and how it ended otherwise.
func (c Child) Kill(t testing.TB) (killed bool, how string) {
	t.Helper()
	text, err := json.Marshal(c.Orders)
	file := filepath.Join(t.TempDir(), "orders")
	must(t, err, os.WriteFile(file, text, 0o600))
	out, in, err := os.Pipe()
	must(t, err)
	defer func() { _ = out.Close() }()
	cmd := exec.Command(os.Args[0], "-test.run=^"+c.Test+"$")
	cmd.Env, cmd.ExtraFiles = append(os.Environ(), varOrders+"="+file), []*os.File{in}
	must(t, cmd.Start(), in.Close())
	kill := func() { _ = cmd.Process.Kill() } // unless it has ended
	late := time.AfterFunc(longest, kill)
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if c.Hear(line) && c.After > 0 {
			defer time.AfterFunc(c.After, kill).Stop()
		}
	}
	_ = cmd.Wait() // its state says how it ended
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return late.Stop() && ok && status.Signal() == syscall.SIGKILL, cmd.ProcessState.String()
}

// Orders reads, in a child, what it is to do. say tells the parent a line, in one write: that it was
// said stays so, whatever becomes of this process. ok is false in any other process.
func Orders(t testing.TB, into any) (say func(line any), ok bool) {
	t.Helper()
	file := os.Getenv(varOrders)
	if file == "" {
		return nil, false
	}
	text, err := os.ReadFile(file)
	must(t, err, json.Unmarshal(text, into))
	pipe := os.NewFile(3, "pipe")
	return func(line any) {
		text, err := json.Marshal(line)
		if err == nil {
			_, err = pipe.Write(append(text, '\n'))
		}
		if err != nil {
			panic(err)
		}
	}, true
}

// DieAt returns a function that kills this process the nth time it is called with point.
func DieAt(point string, n int) (reach func(at string)) {
	var mu sync.Mutex
	return func(at string) {
		if at != point {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if n--; n == 0 {
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
				panic("a process could not end itself")
			}
			select {} // until it arrives
		}
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Deal deals named points, each so many times, and random ones, which are "", to worlds of so many
// lives.
func Deal(points []string, each, random, lives int) (worlds [][]string) {
	var all []string
	for range each {
		all = append(all, points...)
	}
	for range random {
		all = append(all, "")
	}
	rand.New(rand.NewPCG(1, 3)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for len(all) > 0 {
		n := min(len(all), lives)
		worlds, all = append(worlds, all[:n]), all[n:]
	}
	return worlds
}
