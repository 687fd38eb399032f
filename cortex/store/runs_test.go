package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/runs"
	"github.com/opencortex-go/cortex/runs/tools"
)

// one is a library of one workflow: a step that is done a thousand times.
type one struct{ flow *runs.Workflow }

func (o one) Find(string) (*runs.Workflow, error)         { return o.flow, nil }
func (one) List(*tools.ListWorkflows) (w tools.Workflows) { return w }
func (one) Inspect(*tools.InspectWorkflow) (tools.Inspected, error) {
	return tools.Inspected{}, nil
}

const oneFlow = `{"id":"acme.notes","name":"n","description":"d","version":"1.0.0","steps":[{"id":"l","type":"loop","title":"L",
	"loop":{"type":"for","count":1000,"maxIterations":1000},"body":[{"id":"b","title":"B","prompt":"Do it."}]}]}`

// lastCommit keeps what was committed last.
type lastCommit struct {
	journal.Store
	mu   sync.Mutex
	last []journal.Write
}

func (s *lastCommit) Commit(writes []journal.Write) error {
	s.mu.Lock()
	s.last = slices.Clone(writes)
	s.mu.Unlock()
	return s.Store.Commit(writes)
}

// onDisk is runs on a record in a folder.
func onDisk(b *testing.B) (*runs.Runs, *lastCommit) {
	dir := b.TempDir()
	st, err := store.Open(dir, store.Options{})
	require.NoError(b, err)
	last := &lastCommit{Store: st}
	e, err := engine.Open(b.Context(), cortex.Options{Dir: dir, Live: true, Heartbeat: 24 * time.Hour,
		Rules: fstest.MapFS{"rules.lisp": {Data: []byte("(defaults :unknown-tool :ask)")}}}, last)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, e.Close()) })
	p, err := plans.Compile(plans.Source{Name: "w", Text: []byte(oneFlow)}, plans.Options{})
	require.NoError(b, err)
	only := one{&runs.Workflow{Plan: p, Kind: plans.KindProject, Ref: "w"}}
	r, err := runs.New(runs.Options{Logs: e.Hosts().Logs(), Library: only,
		Cached: 256})
	require.NoError(b, err)
	return r, last
}

func reply(b *testing.B, r *runs.Runs, c tools.Call) *tools.Reply {
	out, err := r.Call(context.Background(), runs.Caller{Principal: "agent", Session: "chat"}, c)
	require.NoError(b, err)
	return out.(*tools.Reply)
}

func begin(b *testing.B, r *runs.Runs) string {
	return reply(b, r, &tools.StartWorkflow{WorkflowID: "acme.notes", Goal: "g"}).ContinueToken
}

// notes are what an agent hands in: thirty short lines.
var notes = &tools.Output{
	NotesMarkdown: string(slices.Repeat([]byte("Did something, and decided on something.\n"), 30))}

// operations make what callers do, one after the other.
var operations = map[string]func(b *testing.B, r *runs.Runs, n int) func(){
	"start": func(b *testing.B, r *runs.Runs, _ int) func() { return func() { begin(b, r) } },
	"advance": func(b *testing.B, r *runs.Runs, _ int) func() {
		token := begin(b, r)
		return func() {
			if token = reply(b, r, &tools.ContinueWorkflow{ContinueToken: token, Output: notes}).ContinueToken; token == "" {
				token = begin(b, r)
			}
		}
	},
	"checkpoint": func(b *testing.B, r *runs.Runs, n int) func() {
		token := begin(b, r)
		var all []string // each is an attempt of its own
		for range n {
			all = append(all, reply(b, r, &tools.ContinueWorkflow{ContinueToken: token, Intent: "rehydrate"}).ContinueToken)
		}
		return func() {
			reply(b, r, &tools.CheckpointWorkflow{CheckpointToken: all[0], Output: notes})
			all = all[1:]
		}
	},
}

// BenchmarkRuns compares the writing calls of runs with plain synced batches of Pebble that hold the
// same bytes. Each caller has a run of its own.
func BenchmarkRuns(b *testing.B) {
	for _, name := range []string{"start", "advance", "checkpoint"} {
		for _, callers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/runs/callers=%d", name, callers), func(b *testing.B) {
				r, _ := onDisk(b)
				var each []func()
				for range callers {
					each = append(each, operations[name](b, r, b.N/callers+1))
				}
				side(b, each)
			})
			b.Run(fmt.Sprintf("%s/pebble/callers=%d", name, callers), func(b *testing.B) {
				writes := sample(b, name)
				db, err := pebble.Open(b.TempDir(), &pebble.Options{MemTableSize: 64 << 20, FormatMajorVersion: pebble.FormatNewest,
					Logger: quiet{}})
				require.NoError(b, err)
				var n atomic.Uint64
				side(b, slices.Repeat([]func(){func() {
					batch, i := db.NewBatch(), n.Add(1)
					for _, w := range writes {
						_ = batch.Set(binary.BigEndian.AppendUint64(slices.Clone(w.Key), i), w.Value, nil)
					}
					require.NoError(b, batch.Commit(pebble.Sync))
				}}, callers))
				require.NoError(b, db.Close())
			})
		}
	}
}

// sample is what one call commits.
func sample(b *testing.B, name string) []journal.Write {
	r, last := onDisk(b)
	call := operations[name](b, r, 3)
	for range 3 {
		call()
	}
	return last.last
}

// side lets callers call side by side, b.N times in all.
func side(b *testing.B, callers []func()) {
	var n atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for _, call := range callers {
		most := b.N/len(callers) + 1
		wg.Go(func() {
			for i := 0; i < most && n.Add(1) <= int64(b.N); i++ {
				call()
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
