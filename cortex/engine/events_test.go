package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/reason"
)

// notes are lines that several goroutines write.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.b.Write(p)
}

func (n *notes) add(format string, args ...any) { _, _ = fmt.Fprintf(n, format+"\n", args...) }

func (n *notes) lines() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Split(strings.TrimSuffix(n.b.String(), "\n"), "\n")
}

// Every decision is told of once, in order, when it is on record.
func TestOnDecision(t *testing.T) {
	var told notes
	var b *bench
	b = newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.OnDecision = func(session string, d *Decision) {
			rec, err := b.Journal().Read(d.ID) // it is durable
			told.add("%s %s %s %v %v %s %v", session, d.Kind, d.Key, rec.Kind, err, d.Action.Tool(), d.Approval != "")
			d.Kind, d.Action = reason.Allow, nil // its own copy
		}
	})
	b.decideOn("note", `(:text "milk")`)
	b.decideOn("note", `(:text "rude")`)
	d := b.decideOn("note", `(:text "a secret")`)
	_, err := b.Begin(t.Context(), d)
	assert.Error(t, err, "it asks, whatever the callback makes of its copy")
	require.NoError(t, b.Close())
	assert.Equal(t, []string{
		"s1 allow tier/note decision <nil> note false",
		"s1 deny words/rude decision <nil> note false",
		"s1 ask words/secret decision <nil> note true",
		"s1 ask words/secret decision <nil> note true", // Begin decided again
	}, told.lines(), "Close waits for what is left")
}

// A callback that panics or never returns costs nothing but its own calls.
func TestOnDecisionThatPanicsOrBlocks(t *testing.T) {
	var log, told notes
	stuck := make(chan struct{})
	b := newBench(t, testRules, "", func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.OnDecision = func(_ string, d *Decision) {
			told.add("%d", d.ID)
			if len(told.lines()) == 1 {
				panic("no paper")
			}
			<-stuck
		}
	})
	var want []string
	for range 50 {
		d := b.decideOn("note", `(:text "milk")`)
		p, err := b.Begin(t.Context(), d)
		require.NoError(t, err)
		require.NoError(t, p.Finish(t.Context(), Receipt{State: act.Done}))
		want = append(want, fmt.Sprint(d.ID))
	}
	require.Eventually(t, func() bool { return len(told.lines()) == 2 }, 5*time.Second, time.Millisecond)
	assert.Contains(t, log.lines()[0], `in=Options.OnDecision`)
	assert.Contains(t, log.lines()[0], `panic="panic: no paper"`)
	b.intact()
	begun := time.Now()
	require.NoError(t, b.Close())
	assert.Less(t, time.Since(begun), 30*time.Second)
	close(stuck)
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, want[:2], told.lines(), "after Close nothing more is told")
}

// One line for each decision, receipt and approval: these attributes, and no secrets.
func TestEventsAreLogged(t *testing.T) {
	const secret = "AKIAQYLPMN5HHHFPZAM2"
	var log notes
	b := newBench(t, testRules, "", func(o *Options) {
		o.Dir = t.TempDir()
		o.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b.tool.fail = fmt.Errorf("it was not taken: %s", secret)
	args := map[string]any{"text": "a secret: " + secret}
	a, err := NewAction("note", args, "to keep "+secret)
	require.NoError(t, err)
	_, err = b.Do(t.Context(), a, asking("s1", "agent"))
	var h *Held
	require.ErrorAs(t, err, &h)
	require.NoError(t, b.Approve(t.Context(), h.Approval.Token, ana))
	_, err = h.Wait(t.Context())
	require.NoError(t, err)
	_, err = b.Do(t.Context(), a, asking("s1", "agent"))
	require.ErrorAs(t, err, &h)
	require.NoError(t, b.Deny(t.Context(), h.Approval.Token, ben, "not "+secret))
	require.NoError(t, b.Close())

	attrs := map[string][]string{}
	var lines []string
	for _, line := range log.lines() {
		assert.NotContains(t, line, secret)
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		kind := m["msg"].(string)
		delete(m, "msg")
		attrs[kind] = slices.Sorted(maps.Keys(m))
		var out []string
		for _, k := range []string{"kind", "state", "key", "tool", "requester", "by"} {
			if v, ok := m[k]; ok {
				out = append(out, fmt.Sprint(v))
			}
		}
		lines = append(lines, kind+": "+strings.Join(out, " "))
	}
	assert.Equal(t, map[string][]string{
		"decision": {"action", "key", "kind", "level", "policy", "record", "session", "time", "tool", "would"},
		"approval": {"action",
			"approval", "by", "decision", "level", "record", "requester", "session", "state", "time", "tool"},
		"receipt": {"decision", "intent", "level", "record", "session", "state", "time", "took"},
	}, attrs)
	assert.Equal(t, []string{
		"decision: ask words/secret note", "approval: pending note agent ", "approval: approved note agent ana",
		"decision: allow tier/note note", "approval: consumed note agent ana", "receipt: failed",
		"decision: ask words/secret note", "approval: pending note agent ", "approval: denied note agent ben",
	}, lines)
}
