package cortextest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/internal/hooks"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/internal/crashtest"
)

// What a child that is to be killed reads from its environment.
const (
	varDir   = "CORTEX_TEST_DIR"
	varLife  = "CORTEX_TEST_LIFE"
	varSeed  = "CORTEX_TEST_SEED"
	varFault = "CORTEX_TEST_FAULT"
	varWorld = "CORTEX_TEST_EFFECTS"  // a file with the keys of what has happened
	varCrash = "CORTEX_TEST_CRASH_AT" // "after-intent 2": kills itself there, the second time
	varArmed = "CORTEX_TEST_ARMED"    // "up": times are counted from when the engine is up
)

// TestTorturedChild is what a child process does. On its own it has nothing to do.
func TestTorturedChild(t *testing.T) {
	if os.Getenv("CORTEX_TEST_ROLE") == "toil" {
		toilUntilKilled(t)
	}
}

// toilUntilKilled is the child: everything it says goes through a pipe, one
// write a line, to the process that counts. That an effect happened means that
// its line was written: it stays so whatever becomes of this process.
func toilUntilKilled(t *testing.T) {
	pipe := os.NewFile(3, "pipe")
	life, err := strconv.Atoi(os.Getenv(varLife))
	require.NoError(t, err)
	seed, err := strconv.ParseUint(os.Getenv(varSeed), 10, 64)
	require.NoError(t, err)
	world, err := os.ReadFile(os.Getenv(varWorld))
	require.NoError(t, err)
	point, times, _ := strings.Cut(os.Getenv(varCrash), " ")
	turn, _ := strconv.Atoi(times) // 0 where there is none
	var mu sync.Mutex
	armed := os.Getenv(varArmed) != "up"
	w := &toiler{
		life: life, seed: seed, fault: os.Getenv(varFault),
		happened: func(key string) bool { return strings.Contains(string(world), key) },
		say: func(e event) {
			if _, err := pipe.Write(e.line()); err != nil {
				panic(err)
			}
			if e.Do == "ready" {
				mu.Lock()
				armed = true
				mu.Unlock()
			}
		},
		reach: func(p string) {
			if p != point {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if !armed {
				return
			}
			if turn--; turn == 0 {
				if self, err := os.FindProcess(os.Getpid()); err != nil || self.Kill() != nil {
					panic("a process could not end itself")
				}
				select {} // until it arrives
			}
		},
	}
	ctx, dir := context.Background(), os.Getenv(varDir)
	st, err := store.Open(dir, store.Options{})
	require.NoError(t, err)
	opt := w.options()
	opt.Dir = dir
	e, err := engine.OpenHooked(ctx, opt, st, &hooks.Hooks{Wrap: wrapped(w.fault, w.reach)})
	if err == nil {
		err = w.run(ctx, e)
	}
	if err != nil {
		w.say(event{Do: "bad", What: err.Error()})
	}
}

// killWorld kills engines on one record again and again.
func killWorld(t *testing.T, seed uint64, kills int, fault string, points map[string]int) *witness {
	rng := rand.New(rand.NewPCG(seed, 3))
	l, dir := newWitness(), filepath.Join(t.TempDir(), "state")
	for life := range kills {
		killToiler(t, l, dir, seed+uint64(life), life, fault, rng, points)
		if len(l.bad) > 0 {
			break
		}
	}
	return l
}

// killToiler runs one engine in another process until it is killed: at a named
// point, or some time after it began or came up.
func killToiler(t *testing.T, l *witness, dir string, seed uint64, life int, fault string, rng *rand.Rand,
	points map[string]int) {
	world := filepath.Join(filepath.Dir(dir), "world")
	l.begin()
	var keys strings.Builder
	for key := range l.byKey {
		fmt.Fprintln(&keys, key)
	}
	require.NoError(t, os.WriteFile(world, []byte(keys.String()), 0o600))
	crash, armed, early := "", "up", false
	switch rng.IntN(8) {
	case 0, 1, 2, 3:
		point, turn := crashPoints[rng.IntN(len(crashPoints))], 1+rng.IntN(3)
		if strings.HasSuffix(point, "-"+record.KindOpen) {
			turn = 1
		}
		if turn == 1 && rng.IntN(2) == 0 || strings.HasSuffix(point, "-"+record.KindOpen) {
			armed = "begun" // what an earlier engine left is taken up before the check
		}
		crash = fmt.Sprint(point, " ", turn)
	case 4:
		early = true
	}
	out, in, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTorturedChild$")
	cmd.Env = append(os.Environ(), "CORTEX_TEST_ROLE=toil", varDir+"="+dir, varLife+"="+strconv.Itoa(life),
		varSeed+"="+strconv.FormatUint(seed, 10), varFault+"="+fault, varWorld+"="+world, varCrash+"="+crash,
		varArmed+"="+armed)
	cmd.ExtraFiles = []*os.File{in}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	kill := func() { _ = cmd.Process.Kill() } // unless it has ended
	late := time.AfterFunc(20*time.Second, kill)
	defer late.Stop()
	if early {
		defer time.AfterFunc(time.Duration(rng.IntN(40_000))*time.Microsecond, kill).Stop()
	}
	up := false
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		if l.hear(e) {
			up = true
			if crash == "" {
				defer time.AfterFunc(time.Duration(rng.IntN(12_000))*time.Microsecond, kill).Stop()
			}
		}
	}
	require.Error(t, cmd.Wait(), "it was killed")
	l.mu.Lock()
	defer l.mu.Unlock()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		l.wrong("life %d was not killed (at %q): %s: %s", life, crash, cmd.ProcessState, said.String())
	} else if !up && !early && armed == "up" {
		l.wrong("life %d did not come up (to be killed at %q): %s", life, crash, said.String())
	}
	if !late.Stop() {
		l.wrong("life %d never came to %q: %s", life, crash, said.String())
	}
	where, _, _ := strings.Cut(crash, " ")
	points[where]++
}

// Killed at any instant, the engine loses nothing that it acknowledged, does
// nothing twice, and has done nothing without a recorded allow over its bytes.
// That says nothing about power: what a process wrote stays in the kernel.
func TestTortureKill(t *testing.T) {
	crashtest.Long(t)
	kills, seed := campaign(80)
	var mu sync.Mutex
	points, failures, acked, effects, next := map[string]int{}, 0, 0, 0, 0
	var workers sync.WaitGroup
	begun := time.Now()
	for range 2 {
		workers.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i*lifetimes >= kills {
					return
				}
				mine := map[string]int{}
				l := killWorld(t, seed+uint64(i), lifetimes, "", mine)
				l.ok(t, fmt.Sprint("seed ", seed+uint64(i)))
				mu.Lock()
				failures, acked, effects = failures+len(l.bad), acked+l.Told(), effects+l.Effects()
				for p, n := range mine {
					points[p] += n
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	assert.Positive(t, effects)
	crashtest.Result{Harness: "torture-kill", Trials: kills, Seed: seed, Failures: failures, Acknowledged: acked,
		Effects: effects,
		More:    fmt.Sprintf("named=%d took=%s", kills-points[""], time.Since(begun).Round(time.Second))}.Report(t)
}

// The harness finds each seeded fault.
func TestTortureKill_NegativeControls(t *testing.T) {
	crashtest.Long(t)
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			for seed := range uint64(20) {
				if l := killWorld(t, 1+seed, lifetimes, fault, map[string]int{}); len(l.bad) > 0 {
					crashtest.Control{Harness: "torture-kill", Fault: fault, Seed: 1 + seed, Symptom: symptoms[fault]}.Found(t, l.bad)
					return
				}
			}
			require.Fail(t, "not found")
		})
	}
}
