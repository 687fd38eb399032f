package plugins

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plugins/internal/wire"
	skillpb "github.com/opencortex-go/cortex/plugins/proto"
	"github.com/opencortex-go/cortex/reason"
)

// until asks again until the condition holds, and fails the test if it never does.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "never: %s", what)
	}
}

func (w *world) state(name string) State {
	w.t.Helper()
	for _, s := range w.host.States() {
		if s.Name == name {
			return s
		}
	}
	w.t.Fatalf("no plugin %s", name)
	return State{}
}

// A process that is killed denies what it was asked and is there again; one that
// is stopped, which looks like a slow one, is ended and there again. A SIGSTOPped
// process is what go-plugin's own Kill waits for without end.
func TestAFallenPluginComesBack(t *testing.T) {
	times := 3
	if testing.Short() {
		times = 1
	}
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": sigStop} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shellRules, self(t, "bad", "pass", within("100ms")))
			p := w.start()
			for range times {
				require.Equal(t, reason.Allow, decide(t, p, "ls").Kind)
				was := w.state("bad")
				require.NoError(t, send(was.PID, sig))
				until(t, "another process", func() bool {
					d := decide(t, p, "ls")
					if d.Kind != reason.Allow {
						assert.Equal(t, "gate/bad/failed", d.Key)
					}
					return d.Kind == reason.Allow && w.state("bad").Starts > was.Starts
				})
			}
		})
	}
}

// A plugin that never answers well opens its circuit: decisions no longer wait, and
// everybody is told which plugin it is.
func TestTheCircuitOpens(t *testing.T) {
	crashtest.Long(t)
	w := newWorld(t, shellRules, self(t, "bad", "exit"))
	p := w.start()
	until(t, "open", func() bool {
		d := decide(t, p, "ls")
		require.Equal(t, reason.Deny, d.Kind)
		require.Equal(t, "gate/bad/failed", d.Key)
		return strings.Contains(d.Reasons[0].Detail, "circuit is open")
	})
	assert.True(t, w.state("bad").Open)
}

// Whatever is written to stderr, decisions go on, and the log stays short.
func TestAFloodOnStderr(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	w := newWorld(t, shellRules, self(t, "bad", "flood 20000"))
	w.opt.Logger = slog.New(slog.NewTextHandler(writer(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(b)
	}), nil))
	p := w.start()
	for range 5 {
		require.Equal(t, reason.Allow, decide(t, p, "ls").Kind)
	}
	require.NoError(t, w.host.Close())
	mu.Lock()
	defer mu.Unlock()
	n := strings.Count(log.String(), "msg=noise")
	assert.GreaterOrEqual(t, n, logBurst)
	assert.Less(t, n, 1000, "of 200 000")
	assert.Contains(t, log.String(), "lines of a plugin were dropped")
}

// A verdict that does not count is in the log, with the reason and the action.
func TestAnUnusableVerdictIsLogged(t *testing.T) {
	for how, says := range map[string]string{"no-verdict": "a judgement without a verdict",
		"wrong-digest": "it judged another action"} {
		var mu sync.Mutex
		var log bytes.Buffer
		w := newWorld(t, shellRules, self(t, "bad", how))
		w.opt.Logger = slog.New(slog.NewTextHandler(writer(func(b []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return log.Write(b)
		}), nil))
		require.Equal(t, reason.Deny, decide(t, w.start(), "ls").Kind)
		require.NoError(t, w.host.Close())
		mu.Lock()
		assert.Contains(t, log.String(), says, how)
		assert.Contains(t, log.String(), shell(t, "ls").Digest().String(), how)
		mu.Unlock()
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// Lines of a plugin cannot pass for lines of the host, or talk to a terminal.
func TestLogLines(t *testing.T) {
	var log bytes.Buffer
	in := "plain\n" + `{"@level":"warn","@message":"structured","n":1,"list":[1],"msg":"mine"}` + "\n" +
		"\x1b[2Jclear\nlevel=ERROR msg=forged\n" + strings.Repeat("x", 100_000) + "\nlast\n{\"broken\n"
	lines := newLineLog(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})))
	for len(in) > 0 { // in pieces
		n := min(len(in), 7)
		_, err := lines.Write([]byte(in[:n]))
		require.NoError(t, err)
		in = in[n:]
	}
	require.NoError(t, lines.Close())
	got := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, got, 7)
	assert.Equal(t, "level=INFO msg=plain", got[0])
	assert.Equal(t, "level=WARN msg=structured said.msg=mine said.n=1", sortedAttrs(got[1]))
	assert.NotContains(t, log.String(), "\x1b")
	assert.Equal(t, `level=INFO msg="level=ERROR msg=forged"`, got[3])
	assert.Less(t, len(got[4]), wire.MaxLine+50)
	assert.Equal(t, "level=INFO msg=last", got[5])
}

func sortedAttrs(line string) string {
	return strings.Replace(line, "said.n=1 said.msg=mine", "said.msg=mine said.n=1", 1)
}

// A flapping plugin is found by asking twice, and its decisions stand.
func TestASecondCallFindsAFlappingPlugin(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "bad", "flap"), self(t, "good", "pass"))
	w.opt.Sample = 2
	p := w.start()
	until(t, "found", func() bool {
		require.Equal(t, reason.Allow, decide(t, p, "ls").Kind)
		return w.state("bad").Flaps > 0
	})
	assert.Zero(t, w.state("good").Flaps)
}

// The decision's time is bounded whatever each plugin may take.
func TestTheBudgetOfADecision(t *testing.T) {
	var all []Entry
	for i := range 3 { // rewriting ones are asked one after the other
		all = append(all, self(t, fmt.Sprintf("slow-%d", i), "slow 300ms", within("1s"), grants("rewrite")))
	}
	w := newWorld(t, shellRules, all...)
	w.opt.Budget = 500 * time.Millisecond
	d := decide(t, w.start(), "ls")
	assert.Equal(t, "gate/slow-1/failed", d.Key)
	require.Len(t, d.Trace, 2)
}

// Hot replacement: decisions under way keep the program they began with, new ones
// have the new one, and one that fails its examples does not take over.
func TestHotReplacement(t *testing.T) {
	w := newWorld(t, shellRules, self(t, "bad", "pass"))
	before := w.start()
	pid := w.state("bad").PID
	same, _, err := w.host.Policy(context.Background(), w.book)
	require.NoError(t, err)
	assert.Equal(t, before.Hash(), same.Hash())
	assert.Equal(t, pid, w.state("bad").PID, "an entry as before goes on running")

	w.lock.Skills[0].Env["BEHAVE"] = "wrong-example"
	w.write()
	_, _, err = w.host.Policy(context.Background(), w.book)
	require.ErrorContains(t, err, "example")
	assert.Equal(t, pid, w.state("bad").PID)
	assert.Equal(t, reason.Allow, decide(t, before, "ls").Kind)

	w.lock.Skills[0].Env["BEHAVE"] = "reject"
	w.write()
	after, _, err := w.host.Policy(context.Background(), w.book)
	require.NoError(t, err)
	assert.NotEqual(t, before.Hash(), after.Hash())
	assert.Equal(t, reason.Deny, decide(t, after, "ls").Kind)
	assert.Equal(t, reason.Allow, decide(t, before, "ls").Kind, "a decision that began before")

	w.lock.Skills = nil
	w.write()
	none, lock, err := w.host.Policy(context.Background(), w.book)
	require.NoError(t, err)
	assert.Equal(t, w.book.Hash(), none.Hash())
	assert.Empty(t, lock)
	assert.Equal(t, "gate/bad/failed", decide(t, before, "ls").Key, "two loads later it has ended")
}

// After Close nothing is left, and anyone who asks is denied.
func TestNothingIsLeft(t *testing.T) {
	work := shortDir(t)
	open := descriptors(t)
	w := newWorld(t, shellRules, self(t, "bad", "pass"), self(t, "hung", "hang", within("50ms")))
	w.opt.Work = work
	p := w.start()
	for range 5 {
		decide(t, p, "ls")
	}
	require.NoError(t, send(w.state("bad").PID, sigStop))
	require.NoError(t, w.host.Close())
	left, err := os.ReadDir(work)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Empty(t, children(t))
	assert.Equal(t, open, descriptors(t))
	assert.Equal(t, "gate/bad/failed", decide(t, p, "ls").Key)
}

func descriptors(t testing.TB) int {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	return len(fds)
}

// tardy answers when the time is up, and before the timer that ends the wait says so.
type tardy struct{ skillpb.SkillClient }

func (tardy) Judge(ctx context.Context, r *skillpb.JudgeRequest, _ ...grpc.CallOption) (*skillpb.Judgement, error) {
	for end, _ := ctx.Deadline(); time.Now().Before(end); {
	}
	return pass(r), nil
}

// I3: an answer that overtakes the end of its time is none.
func TestI3_AnAnswerAfterTheDeadlineIsNone(t *testing.T) {
	p := &process{entry: &Entry{Name: "tardy"}, skill: tardy{}}
	_, err := p.judge(t.Context(), 2*time.Millisecond, question{digest: "d"})
	require.EqualError(t, err, "no answer within 2ms")
	_, err = p.judgeUntil(t.Context(), time.Minute, question{digest: "d"})
	require.NoError(t, err, "in time it counts")
}
