package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/sexpr"
)

// table is a Store of which a test can change every byte behind the journal's
// back. (Durability is not what these tests are about.)
type table struct {
	writes layer
	err    error
}

func (s *table) Get(key []byte) ([]byte, error) {
	if i, ok := s.writes.find(key); ok {
		return bytes.Clone(s.writes[i].Value), s.err
	}
	return nil, s.err
}

func (s *table) Scan(lo, hi []byte, f func(key, value []byte) bool) error {
	for _, w := range slices.Clone(s.writes.between(lo, hi)) {
		if !f(w.Key, w.Value) {
			break
		}
	}
	return s.err
}

func (s *table) Commit(writes []Write) error {
	for _, w := range writes {
		if w.Value == nil {
			s.drop(w.Key)
			continue
		}
		s.writes.set(Write{bytes.Clone(w.Key), bytes.Clone(w.Value)})
	}
	return s.err
}

func (s *table) Room() error  { return nil }
func (s *table) Err() error   { return nil }
func (s *table) Close() error { return nil }

func (s *table) clone() *table {
	c := &table{writes: slices.Clone(s.writes)}
	for i := range c.writes {
		c.writes[i].Key, c.writes[i].Value = bytes.Clone(c.writes[i].Key), bytes.Clone(c.writes[i].Value)
	}
	return c
}

func (s *table) drop(key []byte) {
	if i, ok := s.writes.find(key); ok {
		s.writes = slices.Delete(s.writes, i, i+1)
	}
}

// written returns a store with a journal of n records and an index entry each,
// and the records.
func written(t testing.TB, n int) (*table, []Record) {
	s := &table{}
	j, err := Open(s, Options{})
	require.NoError(t, err)
	var records []Record
	for i := range n {
		require.NoError(t, j.Update(context.Background(), func(tx *Tx) error {
			r, err := tx.Append("signal", fmt.Sprint("s", i%3),
				sexpr.Plist("text", sexpr.Str("hällo"), "n", sexpr.Int64(int64(i)),
					"list", sexpr.ListOf(sexpr.Float64(1.5), sexpr.Sym("t"))))
			records = append(records, r)
			tx.Set(fmt.Appendf(nil, "i%d", i), []byte("x"))
			return err
		}))
	}
	require.NoError(t, j.Close())
	return s, records
}

// verify checks all of what is in the store, without a process that remembers.
func verify(s Store, seen ...Head) error {
	w := walker{store: s, from: 1, seen: seen}
	return w.walk(context.Background(), func(Record) error { return nil })
}

func named(t *testing.T, err error, want uint64, msg string, args ...any) {
	t.Helper()
	var d *Damage
	require.ErrorAs(t, err, &d, msg, fmt.Sprint(args...))
	require.Equal(t, want, d.Seq, "%s: %v", fmt.Sprintf(msg, args...), err)
}

// TestI4_EveryFlippedBitIsNamed flips every bit of every stored record, of its
// key, and of the head.
func TestI4_EveryFlippedBitIsNamed(t *testing.T) {
	crashtest.Long(t)
	s, records := written(t, 6)
	require.NoError(t, verify(s))
	flips := 0
	for _, r := range records {
		i, ok := s.writes.find(recordKey(r.Seq))
		require.True(t, ok)
		for bit := range 8 * len(s.writes[i].Value) {
			flip(s.writes[i].Value, bit)
			named(t, verify(s), r.Seq, "bit %d of record %d", bit, r.Seq)
			_, err := read(s, r.Seq, nil)
			named(t, err, r.Seq, "reading it")
			flip(s.writes[i].Value, bit)
			flips++
		}
		for bit := range 8 * keyLen {
			c := s.clone()
			c.drop(recordKey(r.Seq))
			moved := recordKey(r.Seq)
			flip(moved, bit)
			c.writes.set(Write{Key: moved, Value: s.writes[i].Value})
			want := r.Seq
			if to := binary.BigEndian.Uint64(moved[1:]); moved[0] == tableRecord && to > 0 {
				want = min(want, to) // it lies on another one now
			}
			named(t, verify(c), want, "bit %d of the key of record %d", bit, r.Seq)
			flips++
		}
	}
	i, ok := s.writes.find(headKey())
	require.True(t, ok)
	for bit := range 8 * len(s.writes[i].Value) {
		flip(s.writes[i].Value, bit)
		named(t, verify(s), 0, "bit %d of the head", bit)
		_, err := Open(s, Options{})
		named(t, err, 0, "opening")
		flip(s.writes[i].Value, bit)
		flips++
	}
	require.NoError(t, verify(s), "and all was flipped back")
	t.Logf("%d bits flipped, each one named", flips)
}

// held is a table whose commits wait for a word.
type held struct {
	table
	goOn chan struct{}
	size []int // of each commit
}

func (s *held) Commit(writes []Write) error {
	<-s.goOn
	s.size = append(s.size, len(writes))
	return s.table.Commit(writes)
}

// A group ends when it is large, so that no commit takes long, and when it has
// the number of updates that Options say.
func TestGroupsAreBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes, group int
		want         []int // keys in each commit
	}{
		"small":            {10, 0, []int{1, 1, 6}},
		"at most two":      {10, 2, []int{1, 1, 2, 2, 2}},
		"3 MiB each":       {3 << 20, 0, []int{1, 1, 2, 2, 2}},
		"more than enough": {5 << 20, 0, []int{1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &held{goOn: make(chan struct{}, 1)}
				s.goOn <- struct{}{} // the head of a new journal
				j, err := Open(s, Options{Group: tt.group})
				require.NoError(t, err)
				for i := range 7 {
					go func() {
						assert.NoError(t, j.Update(context.Background(), func(tx *Tx) error {
							tx.Set([]byte{'a', byte(i)}, make([]byte, tt.bytes))
							return nil
						}))
					}()
					synctest.Wait() // the first is in its commit, the others queue
				}
				close(s.goOn)
				require.NoError(t, j.Close())
				assert.Equal(t, tt.want, s.size)
			})
		})
	}
}

func flip(b []byte, bit int) { b[bit/8] ^= 1 << (bit % 8) }

// forge writes another record under seq, with a right hash of its own.
func forge(t *testing.T, s *table, r Record) Record {
	t.Helper()
	r.Body = sexpr.Plist("text", sexpr.Str("forged"))
	raw, err := sealed(&r)
	require.NoError(t, err)
	s.writes.set(Write{Key: recordKey(r.Seq), Value: raw})
	return r
}

func setHead(s *table, h Head) { s.writes.set(Write{Key: headKey(), Value: h.seal()}) }

// TestTamperingIsNamed does to a chain whatever somebody with the store's
// files can do without writing all of the rest anew.
func TestTamperingIsNamed(t *testing.T) {
	crashtest.Long(t)
	const n = 12
	s, records := written(t, n)
	last := Head{Seq: n, Hash: records[n-1].Hash}
	value := func(s *table, seq uint64) []byte { v, _ := s.Get(recordKey(seq)); return v }
	ways := map[string]func(c *table, a, b uint64) (want uint64, seen []Head){
		"delete one": func(c *table, a, _ uint64) (uint64, []Head) { c.drop(recordKey(a)); return a, nil },
		"swap two": func(c *table, a, b uint64) (uint64, []Head) {
			va, vb := value(c, a), value(c, b)
			c.writes.set(Write{recordKey(a), vb})
			c.writes.set(Write{recordKey(b), va})
			return min(a, b), nil
		},
		"copy one over another": func(c *table, a, b uint64) (uint64, []Head) {
			c.writes.set(Write{recordKey(b), value(c, a)})
			return b, nil
		},
		"copy one behind the end": func(c *table, a, _ uint64) (uint64, []Head) {
			c.writes.set(Write{recordKey(n + 1), value(c, a)})
			return n + 1, nil
		},
		"forge one": func(c *table, a, _ uint64) (uint64, []Head) { forge(t, c, records[a-1]); return a, nil },
		"continue the chain": func(c *table, _, _ uint64) (uint64, []Head) {
			forge(t, c, Record{Seq: n + 1, Kind: "signal", Prev: last.Hash})
			return n + 1, nil
		},
		"cut off": func(c *table, a, _ uint64) (uint64, []Head) {
			for seq := a; seq <= n; seq++ {
				c.drop(recordKey(seq))
			}
			return a, nil
		},
		"cut off, head and all, seen from elsewhere": func(c *table, a, _ uint64) (uint64, []Head) {
			for seq := a; seq <= n; seq++ {
				c.drop(recordKey(seq))
			}
			h := Head{}
			if a > 1 {
				h = Head{Seq: a - 1, Hash: records[a-2].Hash}
			}
			setHead(c, h)
			return a, []Head{last}
		},
		"write all anew from one on, seen from elsewhere": func(c *table, a, _ uint64) (uint64, []Head) {
			prev := records[a-1].Prev
			for seq := a; seq <= n; seq++ {
				r := records[seq-1]
				r.Prev = prev
				prev = forge(t, c, r).Hash
			}
			setHead(c, Head{Seq: n, Hash: prev})
			return a, []Head{{Seq: a, Hash: records[a-1].Hash}}
		},
		"another chain's first": func(c *table, a, _ uint64) (uint64, []Head) {
			r := records[0]
			r.Prev[0] = 1
			forge(t, c, r)
			return 1, nil
		},
		"no head": func(c *table, _, _ uint64) (uint64, []Head) { c.drop(headKey()); return 0, nil },
		"an older head": func(c *table, a, _ uint64) (uint64, []Head) {
			if a == n {
				a--
			}
			setHead(c, Head{Seq: a, Hash: records[a-1].Hash})
			return a + 1, nil
		},
		"a head of other records": func(c *table, _, _ uint64) (uint64, []Head) {
			setHead(c, Head{Seq: n, Hash: records[0].Hash})
			return n, nil
		},
		"an entry that is not a record": func(c *table, a, _ uint64) (uint64, []Head) {
			c.writes.set(Write{append(recordKey(a), 'x'), []byte("x")})
			return 0, nil
		},
	}
	rng := rand.New(rand.NewPCG(3, 4))
	trials := 0
	for name, way := range ways {
		for range 700 {
			a, b := 1+rng.Uint64N(n), 1+rng.Uint64N(n)
			if a == b {
				continue
			}
			c := s.clone()
			want, seen := way(c, a, b)
			named(t, verify(c, seen...), want, "%s (%d, %d)", name, a, b)
			trials++
		}
	}
	t.Logf("%d tamperings, each one named", trials)
}

// A journal that runs remembers its head, and needs no help to see that the
// chain was cut off or written anew under it.
func TestVerifyRemembersItsOwnHead(t *testing.T) {
	s, records := written(t, 3)
	j, err := Open(s, Options{})
	require.NoError(t, err)
	require.NoError(t, j.Verify(context.Background()))
	s.drop(recordKey(3))
	setHead(s, Head{Seq: 2, Hash: records[1].Hash})
	named(t, j.Verify(context.Background()), 3, "cut off")
	setHead(s, Head{Seq: 3, Hash: forge(t, s, records[2]).Hash})
	named(t, j.Verify(context.Background()), 3, "written anew")
	require.NoError(t, j.Close())
}

func TestOpenChecksTheEnd(t *testing.T) {
	s, records := written(t, 100)
	for _, seq := range []uint64{100, 99, 37} {
		c := s.clone()
		forge(t, c, records[seq-1])
		_, err := Open(c, Options{})
		named(t, err, seq, "record %d", seq)
	}
	c := s.clone()
	c.drop(recordKey(20))
	c.drop(recordKey(80))
	_, err := Open(c, Options{})
	named(t, err, 20, "the first bad one, if anything is found")
	c = s.clone()
	forge(t, c, records[35]) // before the last 64
	j, err := Open(c, Options{})
	require.NoError(t, err)
	named(t, j.Verify(context.Background()), 36, "all of it")
	require.NoError(t, j.Close())

	c = s.clone()
	c.drop(headKey())
	_, err = Open(c, Options{})
	named(t, err, 0, "no head")
	only := &table{writes: layer{{[]byte("x"), []byte("y")}}}
	_, err = Open(only, Options{})
	named(t, err, 0, "a store with entries and no journal")
}

func TestVerifyStopsAndReportsErrors(t *testing.T) {
	s, _ := written(t, 3)
	j, err := Open(s, Options{})
	require.NoError(t, err)
	mine := errors.New("mine")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(mine)
	require.ErrorIs(t, j.Verify(ctx), mine)
	s.err = errors.New("cannot be read")
	err = j.Verify(context.Background())
	require.ErrorIs(t, err, s.err)
	var d *Damage
	assert.False(t, errors.As(err, &d), "a store that cannot be read is not a chain that is damaged")
	s.err = nil
	require.NoError(t, j.Close())
	_, err = Open(s, Options{Queue: -1})
	require.Error(t, err)
}

// FuzzDecode: whatever decodes as a record is exactly what seal writes for it,
// so that there is one stored form and no byte in it is idle.
func FuzzDecode(f *testing.F) {
	s, _ := written(f, 3)
	for _, w := range s.writes {
		f.Add(w.Value)
	}
	for _, text := range []string{
		"", "(", "()", "nil", "(:hash)", `(:hash "x" :record)`, `(:hash "sha256:00" :prev 1 :record (:at 1))`,
		"(:record (:seq -1))", "\xff", "\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if r, err := decode(raw); err == nil {
			fast, ok := decodeSealed(raw, string(raw))
			require.True(t, ok, "what decodes is read in one pass: %s", raw)
			require.Equal(t, r, fast)
			v, err := reader.Read("record", string(raw))
			require.NoError(t, err)
			slow, err := recordFrom(v)
			require.NoError(t, err)
			require.Equal(t, slow, fast, "and what is read in one pass is what is read in two")
			again, err := sealed(&r)
			require.NoError(t, err)
			require.Equal(t, string(raw), string(again))
		}
		if h, err := decodeHead(raw); err == nil {
			require.Equal(t, string(raw), string(h.seal()))
		}
		// The same, past the hash: with it made right, what is wrong must be found.
		if v, err := reader.Read("record", string(raw)); err == nil {
			inner, _ := v.Get("record")
			body, _ := inner.Get("body")
			r := Record{Seq: uint64(inner.GetInt("seq")), At: inner.GetInt("at"), Kind: inner.GetText("kind"),
				Session: inner.GetText("session"), Body: body}
			if raw, err := sealed(&r); err == nil {
				back, err := decode(raw)
				require.NoError(t, err)
				require.Equal(t, r.Hash, back.Hash)
			}
		}
	})
}
