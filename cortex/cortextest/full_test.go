package cortextest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/engine"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
)

// fillDisk is a process with an engine on a small file system of its own, which
// really gets full.
func fillDisk(t *testing.T, dir string) {
	ctx := t.Context()
	var w *toiler
	open := func(life int) error {
		effects := 0
		w = &toiler{life: life, seed: 1, say: func(x event) {
			if x.Do == "effect" {
				effects++
			}
			require.NotEqual(t, "bad", x.Do, x.What)
		}, reach: func(string) {}}
		opt := w.options()
		opt.Dir, opt.Reserve = filepath.Join(dir, "record"), 4<<20
		st, err := store.Open(opt.Dir, store.Options{Reserve: opt.Reserve, Segment: 1 << 20})
		if err == nil {
			w.e, err = engine.Open(ctx, opt, st)
		}
		return err
	}
	plug := filepath.Join(dir, "plug")
	fill := func() { // everything, as another program might, and what the ballast gave as well
		f, err := os.OpenFile(plug, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		for size := 1 << 16; size > 0; {
			if n, err := f.Write(make([]byte, size)); err != nil && n == 0 {
				require.ErrorIs(t, err, syscall.ENOSPC)
				size /= 2
			}
		}
		require.NoError(t, f.Close())
	}
	require.NoError(t, open(0))
	for round := range 3 {
		_, err := w.do(ctx, "note", `(:text "before")`, "n")
		require.NoError(t, err)
		for range 3 {
			fill()
			_, err := w.do(ctx, "note", `(:text "while it is full")`, "n")
			require.ErrorIs(t, err, journal.ErrFull)
			require.NoError(t, w.dead(), "it lives")
			err = w.e.Operations().KillSwitch(ctx, true, cortex.Approver{Name: "ana"}) // the ballast may have room for it
			require.True(t, err == nil || errors.Is(err, journal.ErrFull), "%v", err)
			require.NoError(t, w.dead())
		}
		if round == 1 {
			require.NoError(t, w.e.Close())
			fill()
			if err := open(round); err == nil {
				require.NoError(t, w.e.Close())
			} else {
				require.ErrorIs(t, err, journal.ErrFull)
			}
		}
		require.NoError(t, os.Remove(plug))
		if round == 1 {
			require.NoError(t, open(round))
		}
		require.NoError(t, worksWhenThereIsSpace(ctx, w))
		require.NoError(t, w.e.Journal().Verify(ctx))
	}
	require.NoError(t, w.e.Close())
	t.Log("RESULT full disk: refused, and worked again")
}

// worksWhenThereIsSpace turns the kill switch off and works.
func worksWhenThereIsSpace(ctx context.Context, w *toiler) error {
	for range 1000 {
		if w.full() == nil {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	if err := w.e.Operations().KillSwitch(ctx, false, cortex.Approver{Name: "ana", Via: "test"}); err != nil {
		return err
	}
	return worksAgain(ctx, w)
}
