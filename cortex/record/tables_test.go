package record

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/sexpr"
)

// Stores on disk hold these bytes. A key that is written differently finds nothing of what earlier versions wrote.
func TestKeysAreTheBytesOnDisk(t *testing.T) {
	letters := map[byte]bool{}
	var digest sexpr.Digest
	for i := range digest {
		digest[i] = byte(i)
	}
	const (
		hash = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f" +
			"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
		n      = uint64(0x0102030405060708)
		number = "\x01\x02\x03\x04\x05\x06\x07\x08"
	)
	for want, key := range map[string][]byte{
		"aT\x00":                    TableApproval.Key("T"),
		"b" + number:                TableBudget.Key(n),
		"cS\x00R\x00" + hash:        TableCards.Key("S", "R", digest),
		"d1\x002\x003\x00":          TableDedupe.Key("1", "2", "3"),
		"f" + number:                TableFailed.Key(n),
		"gS\x00R\x00" + hash:        TableGrant.Key("S", "R", digest),
		"hS\x00" + number:           TableSession.Key("S", n),
		"i" + number:                TableIntent.Key(n),
		"m" + number:                TableCompensation.Key(n),
		"nsession\x00S\x00":         TableOpen.Key(OpenInSession, "S"),
		"o" + number:                TableUsed.Key(n),
		"pP\x00" + number:           TablePrincipal.Key("P", n),
		"qS\x00" + hash + number:    TableDoing.Key("S", digest, n),
		"sS\x00" + number:           TableSpent.Key("S", n),
		"t" + number + "s\x00t\x00": TableTry.Key(n, "s", "t"),
		"u" + number:                TableUnanswered.Key(n),
		"vsession/S\x00":            TableVersion.Key("session/S"),
		"w" + number:                TableAnswer.Key(n),
		"xkill\x00":                 TableSetting.Key(SettingKill),
		"y" + hash:                  TablePolicy.Key(digest),
		"CX\x00":                    TableCursor.Key("X"),
		"J" + number:                TableJump.Key(n),
		"KN\x00":                    TablePosting.Key("N"),
		"Mg\x00c\x00m\x00":          TableMessage.Key("g", "c", "m"),
		"PT\x00N\x00":               TablePosted.Key("T", "N"),
		"RS\x00":                    TableEnded.Key("S"),
		"S" + number:                TableKey.Key(n),
		"Lsess_a\x00":               TableLog.Key("sess_a"),
		"lsess_a\x00" + number:      TableEvents.Key("sess_a", n),
		"Dsess_a\x00K\x00":          TableEventKey.Key("sess_a", "K"),
		"k" + hash:                  TableKept.Key(digest),
		"z" + hash + "sess_a\x00":   TablePin.Key(digest, "sess_a"),
		"Y" + hash:                  TableCeased.Key(digest),
		"GT\x00" + hash:             TableGiven.Key("T", digest),
		"gS\x00":                    TableGrant.Under("S"),
		"gS\x00R\x00":               TableGrant.UnderBoth("S", "R"),
		"nall\x00":                  TableOpen.Under(OpenInAll),
		"h\x00":                     TableSession.Under(""),
	} {
		assert.Equal(t, want, string(key))
		letters[want[0]] = true
	}
	assert.Equal(t, letters, declared(t), "every table is here, and none shares its letter")
}

// declared are the letters of the tables that the source declares.
func declared(t *testing.T) map[byte]bool {
	file, err := parser.ParseFile(token.NewFileSet(), "tables.go", nil, 0)
	require.NoError(t, err)
	letters, n := map[byte]bool{}, 0
	ast.Inspect(file, func(x ast.Node) bool {
		if c, ok := x.(*ast.BasicLit); ok && c.Kind == token.CHAR {
			letters[c.Value[1]], n = true, n+1
		}
		return true
	})
	require.Len(t, letters, n, "two tables have the same letter")
	return letters
}

// tableEntry is an entry of TableDoing, as a test knows it.
type tableEntry struct {
	session string
	action  sexpr.Digest
	intent  uint64
}

// A scan gives back the parts that keys were made of, and of all entries those under the parts that it was asked for.
func TestScansReadWhatKeysSay(t *testing.T) {
	st, err := store.Open("", store.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close()) }()
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"", "a", "ab", "b", "ö", "\xff"}
	var want []tableEntry
	for range 60 {
		e := tableEntry{names[rng.IntN(len(names))], sexpr.DigestText("test", fmt.Sprint(rng.IntN(3))), rng.Uint64N(300)}
		if slices.Contains(want, e) {
			continue
		}
		want = append(want, e)
		require.NoError(t, st.Commit([]journal.Write{
			{Key: TableDoing.Key(e.session, e.action, e.intent), Value: Number(e.intent)},
			{Key: TableSession.Key(e.session, e.intent), Value: Number(e.intent)},
			{Key: TablePosted.Key(e.session, e.action.String()), Value: []byte{1}},
			{Key: TableUsed.Key(e.intent), Value: Number(e.intent)}, {Key: TableCeased.Key(e.action), Value: []byte{1}},
		}))
	}
	var got []tableEntry
	require.NoError(t, TableDoing.Scan(st, func(session string, action sexpr.Digest, intent uint64, v []byte) error {
		require.Equal(t, intent, AsNumber(v))
		got = append(got, tableEntry{session, action, intent})
		return nil
	}))
	assert.ElementsMatch(t, want, got)
	intents, actions := map[uint64]bool{}, map[sexpr.Digest]bool{}
	require.NoError(t, TableUsed.Scan(st, func(n uint64, _ []byte) error { intents[n] = true; return nil }))
	require.NoError(t, TableCeased.Scan(st, func(d sexpr.Digest, _ []byte) error { actions[d] = true; return nil }))
	for _, e := range want {
		assert.True(t, intents[e.intent] && actions[e.action])
	}
	for _, name := range append(names, "absent") {
		const from, to = 50, 200
		var under []tableEntry
		between, nonces := map[uint64]bool{}, map[string]bool{}
		for _, e := range want {
			if e.session == name {
				under, nonces[e.action.String()] = append(under, e), true
				if e.intent >= from && e.intent < to {
					between[e.intent] = true
				}
			}
		}
		got = nil
		require.NoError(t, TableDoing.ScanUnder(st, name, func(action sexpr.Digest, intent uint64, _ []byte) error {
			got = append(got, tableEntry{name, action, intent})
			return nil
		}))
		assert.ElementsMatch(t, under, got)
		require.NoError(t, TableSession.Range(st, name, from, to, func(n uint64, _ []byte) error {
			assert.True(t, between[n], n)
			delete(between, n)
			return nil
		}))
		assert.Empty(t, between)
		require.NoError(t, TablePosted.Scan(st, name, func(nonce string, _ []byte) error {
			assert.True(t, nonces[nonce], nonce)
			delete(nonces, nonce)
			return nil
		}))
		assert.Empty(t, nonces)
	}
}

// A key that is not made of the parts of its table is an error, and a caller's error ends a scan.
func TestAMalformedKeyIsAnError(t *testing.T) {
	whole := TableDoing.Key("s", sexpr.Digest{1}, 7)
	for name, key := range map[string][]byte{
		"too long": append(bytes.Clone(whole), 0), "too short": whole[:len(whole)-1], "no text": []byte("qs"),
		"bare": []byte("q"),
	} {
		st, err := store.Open("", store.Options{})
		require.NoError(t, err)
		require.NoError(t, st.Commit([]journal.Write{{Key: key, Value: []byte{1}}}))
		err = TableDoing.Scan(st, func(string, sexpr.Digest, uint64, []byte) error { return errors.New("read") })
		assert.EqualError(t, err, fmt.Sprintf("table q: malformed key %x", key), name)
		require.NoError(t, st.Commit([]journal.Write{{Key: key}, {Key: whole, Value: []byte{1}}}))
		err = TableDoing.Scan(st, func(string, sexpr.Digest, uint64, []byte) error { return errors.New("read") })
		assert.EqualError(t, err, "read", name)
		require.NoError(t, st.Close())
	}
}
