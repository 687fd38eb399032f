package plugins

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plugins/internal/sandbox"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// cycles is how often the long campaign kills: `make torture-plugins` sets it.
func cycles(t testing.TB, short int) int {
	t.Helper()
	return crashtest.Number("CORTEX_TORTURE_PLUGINS", short)
}

// tally is what a campaign has seen.
type tally struct {
	mu       sync.Mutex
	allows   int
	verdicts []time.Duration
	recovery []time.Duration
}

// decide asks once. Every plugin of a campaign rejects everything, so that an
// allow is a failure that helped an action. It reports whether the plugin itself
// answered.
func (y *tally) decide(t testing.TB, p skills.Policy) bool {
	begun := time.Now()
	d := decide(t, p, "ls")
	took := time.Since(begun)
	y.mu.Lock()
	defer y.mu.Unlock()
	y.verdicts = append(y.verdicts, took)
	if d.Kind != reason.Deny {
		y.allows++
	}
	return !strings.HasPrefix(d.Key, "gate/")
}

func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

func (y *tally) say(t testing.TB, what string, n int) {
	t.Helper()
	t.Logf("%s: %d, %d allows (95%% bound %.5f), verdicts %d, p50 %v p99 %v max %v, recovery p50 %v p99 %v max %v", what,
		n, y.allows, 3/float64(max(n, 1)),
		len(y.verdicts), quantile(y.verdicts, 0.5), quantile(y.verdicts, 0.99), quantile(y.verdicts, 1),
		quantile(y.recovery, 0.5), quantile(y.recovery, 0.99), quantile(y.recovery, 1))
}

// campaign sends a signal to a plugin again and again while it is under load, each
// time after it has answered well, so that the circuit stays closed.
func campaign(t *testing.T, sig syscall.Signal, n int) *tally {
	y := new(tally)
	const lanes = 2 // a start costs some 30 ms of a core
	var wg sync.WaitGroup
	for lane := range lanes {
		w := newWorld(t, shellRules, self(t, fmt.Sprintf("lane-%d", lane), "reject", within("100ms")))
		p := w.start()
		wg.Go(func() {
			for range n / lanes {
				was := w.state(w.lock.Skills[0].Name)
				if was.PID == 0 {
					continue // between two starts
				}
				begun := time.Now()
				if err := send(was.PID, sig); err != nil {
					continue
				}
				until(t, "an answer of a new process", func() bool {
					return y.decide(t, p) && w.state(was.Name).Starts > was.Starts
				})
				y.mu.Lock()
				y.recovery = append(y.recovery, time.Since(begun))
				y.mu.Unlock()
				y.decide(t, p)
			}
		})
	}
	wg.Wait()
	assert.Zero(t, y.allows)
	return y
}

// G9: kills. What is asserted is that nothing is ever allowed and everything comes
// back; the times are for the log, since they are the machine's.
func TestTortureKills(t *testing.T) {
	files := descriptors(t)
	t.Cleanup(func() { // after every host has been closed
		assert.Equal(t, files, descriptors(t))
		assert.Empty(t, children(t))
	})
	n := cycles(t, 12)
	campaign(t, syscall.SIGKILL, n).say(t, "SIGKILL", n)
}

// G9: stops. A stopped process keeps its socket open and answers nothing.
func TestTortureStops(t *testing.T) {
	n := cycles(t, 40) / 10
	campaign(t, sigStop, n).say(t, "SIGSTOP", n)
}

// G9: lies. Every kind of answer that is none, again and again.
func TestTortureLies(t *testing.T) {
	crashtest.Long(t)
	lies := []string{"wrong-id", "wrong-digest", "no-verdict", "unknown-field", "huge", "long", "unknown-clause", "error",
		`rewrite (:cmd "ls")`, "exit", "crash"}
	n := max(1, cycles(t, 110)/10/len(lies))
	y := new(tally)
	for _, how := range lies {
		w := newWorld(t, shellRules, self(t, "liar", how, within("1s")))
		p := w.start()
		for range n {
			assert.False(t, y.decide(t, p), how)
		}
		require.NoError(t, w.host.Close())
	}
	assert.Zero(t, y.allows)
	y.say(t, "lies", n*len(lies))
}

// The negative control of the campaign with stops: a host without a deadline waits
// for as long as the process is stopped, and a bound on the verdict's time sees it.
func TestAHostWithoutADeadlineIsCaught(t *testing.T) {
	crashtest.Long(t)
	w := newWorld(t, shellRules, self(t, "bad", "reject", within("50ms")))
	w.start()
	p, err := w.host.now["bad"].sup.process(context.Background())
	require.NoError(t, err)
	q, err := p.entry.question(skills.NewCase(shell(t, "ls"), nil, &skills.Facts{}), nil)
	require.NoError(t, err)
	require.NoError(t, send(w.state("bad").PID, sigStop))
	require.Eventually(t, func() bool { // each of its threads stops when it is looked at next
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.state("bad").PID))
		return err == nil && strings.Contains(string(stat), ") T ")
	}, time.Minute, time.Millisecond)

	begun := time.Now()
	_, err = p.judge(context.Background(), 50*time.Millisecond, q)
	require.ErrorContains(t, err, "no answer within 50ms")
	with := time.Since(begun)

	ctx, cancel := context.WithTimeout(context.Background(), 20*with)
	defer cancel()
	begun = time.Now()
	_, err = p.judge(ctx, time.Hour, q)
	require.Error(t, err)
	assert.Greater(t, time.Since(begun), 10*with)
}

// Threat 23: the program is replaced at random instants while it is started. By
// way of the sealed copy the wrong one never runs; the negative control, which
// checks a path and then starts that path, runs it.
func TestT23_SwappedPrograms(t *testing.T) {
	dir := shortDir(t)
	path := filepath.Join(dir, "program")
	text := func(who string) []byte {
		return []byte("#!/bin/sh\necho " + who + "\n#" + strings.Repeat("x", 1<<16) + "\n")
	}
	put := func(who string) {
		next := filepath.Join(dir, "next")
		require.NoError(t, os.WriteFile(next, text(who), 0o700))
		require.NoError(t, os.Rename(next, path))
	}
	put("right")
	prog, err := sandbox.Open(path)
	require.NoError(t, err)
	want := prog.Sum
	prog.Close()

	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for r := rand.New(rand.NewPCG(1, 2)); ; {
			select {
			case <-stop:
				return
			default:
			}
			switch r.IntN(3) {
			case 0:
				put("wrong")
			case 1:
				put("right")
			case 2: // in place, half written in between
				_ = os.WriteFile(path, text("wrong"), 0o700) // an error is somebody running it
			}
			runtime.Gosched()
		}
	})
	n := cycles(t, 300) / 10
	sealed, wrong, refused := 0, 0, 0
	for sealed < n {
		p, err := sandbox.Pinned(path, want)
		if err != nil {
			refused++
			continue
		}
		sealed++
		if ran(t, dir, p) != "right" {
			wrong++
		}
		p.Close()
	}
	byPath, wrongByPath := 0, 0
	for wrongByPath == 0 && byPath < 100_000 {
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		if sha256.Sum256(now) != want {
			continue
		}
		byPath++
		out, err := exec.Command(path).Output()
		if err == nil && strings.TrimSpace(string(out)) != "right" {
			wrongByPath++
		}
	}
	close(stop)
	swapper.Wait()
	t.Logf("%d sealed starts, %d of the wrong program, %d refused; checked by path: %d starts until a wrong one", sealed,
		wrong, refused, byPath)
	assert.Zero(t, wrong)
	assert.Positive(t, refused, "the swapper swaps")
	assert.Positive(t, wrongByPath, "the control must fail")
}

// ran starts a program and returns what it writes.
func ran(t *testing.T, dir string, p *sandbox.Program) string {
	t.Helper()
	c, err := sandbox.Start(sandbox.Spec{Program: p, Dir: dir, Memory: 512})
	require.NoError(t, err)
	out, err := io.ReadAll(c.Stdout)
	require.NoError(t, err)
	<-c.Gone()
	c.ClosePipes()
	return strings.TrimSpace(string(out))
}
