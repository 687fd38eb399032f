package capabilities

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
)

var operator = cortex.Approver{Name: "op", Classes: []string{"operator"}, Via: "test"}

// client starts the capability unless it runs, says yes to every card, and settles what is in doubt by
// what the world knows, until the run has its Result. An error ends it: the power is off.
func (b *bench) client(ctx context.Context) (*Run, error) {
	for range 20 {
		r, err := b.begun(ctx)
		if err != nil || r != nil && r.Ended() {
			return r, err
		}
		var held *cortex.Held
		if r == nil {
			if _, err = b.e.Do(ctx, b.action("deploy.appservice", `(:app "shop" :image "v2")`), b.facts()); errors.As(err, &held) {
				err = nil
			}
		}
		if err := errors.Join(err, b.answer(ctx)); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it comes to no end")
}

// begun returns the run that has begun, or nil. There is never a second one.
func (b *bench) begun(ctx context.Context) (r *Run, err error) {
	heads, err := b.e.Hosts().Logs().List(ctx)
	for _, h := range heads {
		if err == nil && h.Root != 0 {
			require.Nil(b.t, r, "two runs")
			r, err = b.caps.Show(ctx, h.Log)
		}
	}
	return r, err
}

// answer says yes to what waits for people, settles what is in doubt, and waits for the runs to rest.
func (b *bench) answer(ctx context.Context) error {
	for a, err := range b.e.Pending(ctx) {
		if err != nil {
			return err
		}
		if err := b.e.Approve(ctx, a.Token, operator); err != nil {
			return err
		}
	}
	doubts, err := b.e.Operations().Doubts(ctx)
	if err != nil {
		return err
	}
	for _, d := range doubts {
		in, err := b.e.Journal().Read(d.Intent)
		if err != nil {
			return err
		}
		b.w.mu.Lock()
		_, happened := b.w.keys[record.IntentFrom(in.Body).Key]
		b.w.mu.Unlock()
		if err := b.e.Operations().Settle(ctx, d.Intent, happened, operator); err != nil {
			return err
		}
	}
	heads, err := b.e.Hosts().Logs().List(ctx)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if err := b.e.Hosts().Rest(ctx, h.Log); err != nil {
			return err
		}
	}
	return nil
}

// sound asserts what must hold however often the power went: no effect twice, none without an allow
// over its bytes, and a record that replays.
func (b *bench) sound(n int) {
	b.t.Helper()
	times := map[string]int{}
	for _, c := range b.w.calls {
		times[c]++
	}
	for c, n := range times {
		if !strings.HasPrefix(c, "read") {
			assert.Equal(b.t, 1, n, c)
		}
	}
	allowed := map[string]string{}
	require.NoError(b.t, b.e.Journal().Records(1, func(rec cortex.Record) error {
		if rec.Kind != record.KindIntent {
			return nil
		}
		in := record.IntentFrom(rec.Body)
		decided, err := b.e.Journal().Read(in.Decision)
		require.NoError(b.t, err)
		d, err := record.DecisionFrom(decided)
		require.NoError(b.t, err)
		require.Equal(b.t, reason.Allow, d.Kind)
		require.Equal(b.t, d.Action.Digest().String(), in.Digest)
		allowed[in.Key] = in.Digest
		return nil
	}))
	for key, digest := range b.w.keys {
		assert.Equal(b.t, allowed[key], digest, "cut %d: an effect without an allow", n)
	}
	require.NoError(b.t, b.e.Journal().Verify(b.t.Context()))
	b.replays()
}

// A run is cut at every change to the disk: one that goes well, and one that fails and is made up for.
// Whatever engine comes next brings it to its end.
func TestI2_ARunCutAtEveryPoint(t *testing.T) {
	for name, fails := range map[string]string{"well": "", "made up for": "restart"} {
		t.Run(name, func(t *testing.T) {
			cuts, ways := 0, map[string]int{}
			for n := 1; ; n++ {
				if testing.Short() && n%14 != 1 {
					continue
				}
				b := newBench(t, deployRules, deploy)
				b.w.fails[fails] = true
				b.m.CutPowerAt(n)
				r, err := b.client(t.Context())
				cut := err != nil
				if cut {
					cuts++
					b.e = b.m.Start()
					require.NoError(t, b.answer(t.Context()))
					r, err = b.client(t.Context())
					require.NoError(t, err, "cut %d", n)
				}
				set := slices.Contains(b.w.calls, `set (:image "v2" :name "shop")`)
				assert.Equal(t, set && r.Status != statusOK, slices.Contains(b.w.calls, `set (:image "v1" :name "shop")`),
					"cut %d: what happened is made up for, and nothing else: %s", n, r.Result())
				ways[r.Status]++
				b.sound(n)
				b.m.Close()
				if !cut {
					break
				}
			}
			t.Logf("%d cuts: %v", cuts, ways)
			assert.Greater(t, cuts, 3)
		})
	}
}
