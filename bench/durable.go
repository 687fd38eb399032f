package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

// durable measures a decision that is on disk when it returns, and a journal
// update alone, beside bare Pebble writing batches of as many keys and bytes.
// All three sync, and all three let callers that come together share a sync.
func durable(r *report) (err error) {
	dir, err := os.MkdirTemp("", "bench-durable-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	eng, err := openEngine(filepath.Join(dir, "engine"), durableRules)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()
	decide, err := engineDecision(eng)
	if err != nil {
		return err
	}
	batch, size, err := written(eng, decide)
	if err != nil {
		return err
	}
	raw, err := openPebble(filepath.Join(dir, "pebble"), pebble.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	seldom, err := openPebble(filepath.Join(dir, "seldom"),
		pebble.Options{L0CompactionThreshold: 8, L0StopWritesThreshold: 24})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, seldom.Close()) }()
	st, err := store.Open(filepath.Join(dir, "journal"), store.Options{})
	if err != nil {
		return err
	}
	j, err := journal.Open(st, journal.Options{})
	if err != nil {
		return errors.Join(err, st.Close())
	}
	defer func() { err = errors.Join(err, j.Close()) }()

	const times = 5 // tables are merged in bursts, which a short time has or has not
	if err := r.take(times); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.take(1)) }()
	r.note("What is durable was measured for about %v at a time.", times*r.each)

	update := journalUpdate(j, batch)
	bare, bareSeldom := pebbleBatch(raw, batch), pebbleBatch(seldom, batch)
	for _, callers := range []int{1, 8, 64} {
		beside := fmt.Sprintf("bare Pebble, %d keys and %d bytes a batch", len(batch), size)
		rows := []row{
			{what: fmt.Sprintf("durable decision, callers: %d", callers), ours: together(callers, decide),
				theirs: together(callers, bare), rival: beside, cpu: true, limit: 1.3},
			{what: fmt.Sprintf("durable decision, callers: %d", callers), ours: together(callers, decide),
				theirs: together(callers, bareSeldom), rival: beside + ", tables merged as seldom as ours", cpu: true, limit: 1.3},
			{what: fmt.Sprintf("journal update of the same record, callers: %d", callers), ours: together(callers, update),
				theirs: together(callers, bare), rival: beside, cpu: true, limit: 1.3},
		}
		for _, w := range rows {
			if err := r.measure(w); err != nil {
				return err
			}
		}
	}
	return nil
}

const durableRules = `
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(defskill words
  :trigger (= action.tool "note")
  :gate ((deny rude :when (contains? action.args.text "rude") :reason "notes are polite")
         (ask secret :when (contains? action.args.text "secret") :reason "a secret needs a person's yes")
         (deny long :when (> (len action.args.text) 400) :reason "notes are short")))
`

// together is a series in which callers call f at the same time, each again as
// soon as it is back. The figure is the time by call that came back.
func together(callers int, f func(caller int) error) series {
	return bench(func(b *testing.B) {
		var left atomic.Int64
		left.Store(int64(b.N))
		errs := make([]error, callers)
		var wait sync.WaitGroup
		for i := range callers {
			wait.Go(func() {
				for errs[i] == nil && left.Add(-1) >= 0 {
					errs[i] = f(i)
				}
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			b.Fatal(err)
		}
	})
}

// engineDecision decides, each caller in its own session.
func engineDecision(eng *cortex.Engine) (func(int) error, error) {
	a, err := cortex.NewAction("note", sexpr.Plist("text", sexpr.Str("milk, bread and two lemons")), "to remember")
	return func(caller int) error {
		d, err := eng.Decide(context.Background(), a, asked(fmt.Sprint("session-", caller)))
		if err == nil && d.Key != "tier/note" {
			err = fmt.Errorf("%s: %s", d.Kind, d.Key)
		}
		return err
	}, err
}

// written returns what one decision writes: its record, and the small entries
// beside it.
func written(eng *cortex.Engine, decide func(int) error) (batch []journal.Write, size int, err error) {
	if err := decide(0); err != nil {
		return nil, 0, err
	}
	before := map[string]string{}
	j := eng.Journal()
	err = j.Scan([]byte{0}, nil, func(k, v []byte) bool { before[string(k)] = string(v); return true })
	if err != nil {
		return nil, 0, err
	}
	if err := decide(0); err != nil {
		return nil, 0, err
	}
	err = j.Scan([]byte{0}, nil, func(k, v []byte) bool {
		if was, ok := before[string(k)]; !ok || was != string(v) {
			batch = append(batch, journal.Write{Key: []byte(string(k)), Value: []byte(string(v))})
			size += len(k) + len(v)
		}
		return true
	})
	return batch, size, err
}

// openPebble opens a database of the same format and memory as cortex/store, without
// its care.
func openPebble(dir string, opt pebble.Options) (*pebble.DB, error) {
	opt.FormatMajorVersion, opt.MemTableSize, opt.Logger = pebble.FormatValueSeparation, 16<<20, silent{}
	return pebble.Open(dir, &opt)
}

type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
}

// pebbleBatch writes batches of the same sizes, each under keys of its own.
func pebbleBatch(db *pebble.DB, like []journal.Write) func(int) error {
	var seq atomic.Uint64
	return func(int) error {
		n := seq.Add(1)
		b := db.NewBatch()
		for _, w := range like {
			if err := b.Set(numbered(w.Key, n), w.Value, nil); err != nil {
				return err
			}
		}
		return errors.Join(b.Commit(pebble.Sync), b.Close())
	}
}

// numbered is a key as long as k that stands for n, if k has room for it.
func numbered(k []byte, n uint64) []byte {
	out := []byte(string(k))
	for i := len(out) - 1; i > 0 && i > len(out)-8; i-- {
		out[i] = byte(n)
		n >>= 8
	}
	return out
}

// journalUpdate appends a record of about the same size, and sets the small
// entries that do not belong to the journal itself.
func journalUpdate(j *journal.Journal, like []journal.Write) func(int) error {
	longest, beside := 0, []journal.Write{}
	for _, w := range like {
		if w.Key[0] == 'e' {
			longest = max(longest, len(w.Value))
		} else {
			beside = append(beside, w)
		}
	}
	const frame = 260 // what a record is besides its body: hashes, numbers, kind
	body := sexpr.Plist("decision", sexpr.Str(strings.Repeat("x", max(1, longest-frame))))
	var seq atomic.Uint64
	return func(caller int) error {
		n := seq.Add(1)
		return j.Update(context.Background(), func(tx *journal.Tx) error {
			for _, w := range beside {
				tx.Set(numbered(w.Key, n), w.Value)
			}
			_, err := tx.Append("decision", fmt.Sprint("session-", caller), body)
			return err
		})
	}
}
