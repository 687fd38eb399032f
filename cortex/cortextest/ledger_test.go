package cortextest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// listed are records that a test may have changed.
type listed []cortex.Record

func (l listed) Read(seq uint64) (cortex.Record, error) {
	if seq > uint64(len(l)) {
		return cortex.Record{}, journal.ErrNotFound
	}
	return l[seq-1], nil
}

func (l listed) Records(from uint64, f func(cortex.Record) error) error {
	for _, r := range l[min(from-1, uint64(len(l))):] {
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// last is the newest record of a kind.
func (l listed) last(kind string) *cortex.Record {
	for i := range slices.Backward(l) {
		if l[i].Kind == kind {
			return &l[i]
		}
	}
	return nil
}

// with changes a field of a record.
func with(r *cortex.Record, field string, value sexpr.Value) { r.Body = r.Body.With(field, value) }

// again appends a record once more, with its place in the chain.
func (l *listed) again(kind string) *cortex.Record {
	r, end := *l.last(kind), (*l)[len(*l)-1]
	r.Seq, r.Prev, r.Hash = end.Seq+1, end.Hash, sexpr.DigestText("test", end.Hash.String())
	*l = append(*l, r)
	return &(*l)[len(*l)-1]
}

// A ledger finds nothing in the record of an engine, and whatever is changed in it.
func TestLedger(t *testing.T) {
	books := NewLedger()
	m := riskyMachine(t, 1, books)
	a := action(t, "risky", `(:what "x")`)
	require.NoError(t, risky(t.Context(), m.Start(), a, books))
	require.NoError(t, m.eng.Journal().Verify(t.Context()))
	var all listed
	require.NoError(t, m.eng.Journal().Records(1, func(r cortex.Record) error {
		all = append(all, r)
		return nil
	}))
	key := all.last(record.KindIntent).Body.GetText("key")
	other := action(t, "risky", `(:what "y")`)
	for name, tt := range map[string]struct {
		change func(l *Ledger, all *listed)
		want   string // "" for nothing
	}{
		"nothing": {func(*Ledger, *listed) {}, ""},
		"a record that was acknowledged is cut off": {func(l *Ledger, all *listed) {
			l.Acknowledged(uint64(len(*all)), record.KindReceipt)
			*all = (*all)[:len(*all)-1]
		}, "acknowledged and lost: receipt"},
		"another stands in its place": {func(l *Ledger, all *listed) { l.Acknowledged(1, record.KindDecision) },
			"acknowledged and lost: decision 1"},
		"a yes is lost": {func(l *Ledger, _ *listed) { l.Granted("no-such-card") }, "an acknowledged yes is lost"},
		"a gap": {func(_ *Ledger, all *listed) {
			*all = slices.Delete(*all, 1, 2)
		}, "record 3 does not follow record 1"},
		"another chain": {func(_ *Ledger, all *listed) {
			(*all)[2].Prev = sexpr.Digest{}
		}, "record 3 does not follow record 2"},
		"a denial in place of the allow": {func(_ *Ledger, all *listed) {
			d := all.last(record.KindDecision)
			with(d, "decision", d.Body.Items()[slices.IndexFunc(d.Body.Items(),
				func(v sexpr.Value) bool { return v.Text() == "decision" })+1].With("kind", sexpr.Str("deny")))
		}, "has no recorded allow over its bytes"},
		"other bytes in the intent": {func(_ *Ledger, all *listed) {
			with(all.last(record.KindIntent), "digest", sexpr.Str(other.Digest().String()))
		}, "has no recorded allow over its bytes"},
		"an approval that was not given": {func(_ *Ledger, all *listed) {
			for i := range *all {
				if (*all)[i].Kind == record.KindApproval && (*all)[i].Body.GetText("state") == "approved" {
					with(&(*all)[i], "state", sexpr.Str("pending"))
				}
			}
		}, "which was not granted for it"},
		"an approval of nowhere": {func(_ *Ledger, all *listed) {
			with(all.last(record.KindIntent), "grant", sexpr.Str("no-such-card"))
		}, "which is not on record"},
		"an approval that is used twice": {func(_ *Ledger, all *listed) {
			with(all.again(record.KindIntent), "key", sexpr.Str("another"))
		}, "was used by intents"},
		"a key that two share": {func(_ *Ledger, all *listed) {
			with(all.again(record.KindIntent), "grant", sexpr.Str(""))
		}, "share a key"},
		"an approval that comes back": {func(_ *Ledger, all *listed) {
			with(all.again(record.KindApproval), "state", sexpr.Str("approved"))
		}, "was consumed and is approved"},
		"two make up for one": {func(_ *Ledger, all *listed) {
			for _, key := range []string{"b", "c"} {
				r := all.again(record.KindIntent)
				with(r, "key", sexpr.Str(key))
				with(r, "grant", sexpr.Str(""))
				with(r, "compensates", sexpr.Int64(3))
			}
		}, "intent 3 is made up for by intents"},
		"one makes up for it once another did nothing": {func(_ *Ledger, all *listed) {
			for _, key := range []string{"b", "c"} {
				r := all.again(record.KindIntent)
				with(r, "key", sexpr.Str(key))
				with(r, "grant", sexpr.Str(""))
				with(r, "compensates", sexpr.Int64(3))
				done := all.again(record.KindReceipt)
				with(done, "intent", sexpr.Int64(int64(done.Seq-1)))
				with(done, "state", sexpr.Str(string(act.Nothing)))
			}
		}, ""},
		"an effect of nowhere": {func(l *Ledger, _ *listed) { l.Effect("no-such-key", a) }, "an effect without an intent"},
		"twice under one key": {func(l *Ledger, _ *listed) {
			l.Effect(key, a)
			l.Effect(key, a)
		}, "done 2 times under one key"},
		"an effect of its own":  {func(l *Ledger, _ *listed) { l.Effect(key, other) }, "other bytes than were allowed"},
		"the same under others": {twiceAllowed, ""},
		"the same, but once":    {func(l *Ledger, all *listed) { l.Once = true; twiceAllowed(l, all) }, "done twice"},
	} {
		t.Run(name, func(t *testing.T) {
			l, own := NewLedger(), slices.Clone(all)
			tt.change(l, &own)
			err := l.Check(own)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// twiceAllowed is an action that was allowed twice, and done twice.
func twiceAllowed(l *Ledger, all *listed) {
	r := all.again(record.KindIntent)
	with(r, "key", sexpr.Str("another"))
	with(r, "grant", sexpr.Str(""))
	d, err := record.DecisionFrom(*all.last(record.KindDecision))
	if err != nil {
		panic(err)
	}
	l.Effect("another", d.Action)
	l.Effect((*all)[slices.IndexFunc(*all, func(r cortex.Record) bool { return r.Kind == record.KindIntent })].
		Body.GetText("key"), d.Action)
}

// What an earlier check has read must be there at the next.
func TestLedger_RemembersWhatItHasRead(t *testing.T) {
	b := newBench(t)
	defer b.m.Close()
	_, err := b.Decide(t.Context(), action(t, "note", `(:text "milk")`), sessionOf("s"))
	require.NoError(t, err)
	var all listed
	require.NoError(t, b.Journal().Records(1, func(r cortex.Record) error {
		all = append(all, r)
		return nil
	}))
	for want, now := range map[string]listed{
		"was there and is lost": all[:len(all)-1],
		"was written anew": func() listed {
			own := slices.Clone(all)
			own[len(own)-1].Hash = sexpr.Digest{1}
			return own
		}(),
	} {
		l := NewLedger()
		require.NoError(t, l.Check(all))
		require.NoError(t, l.Check(all))
		assert.ErrorContains(t, l.Check(now), want)
	}
}
