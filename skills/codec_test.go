package skills

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Facts come back from a record as they were, byte for byte.
func TestFactsValueComesBack(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "é \"x\"", "line\nline"})
	value := rapid.SampledFrom([]sexpr.Value{
		{}, sexpr.Str("x"), sexpr.Int64(3), sexpr.Null(), sexpr.EmptyObject(), sexpr.T(),
		sexpr.Plist("a", sexpr.ListOf(sexpr.Float64(1.5), sexpr.False())),
	})
	rapid.Check(t, func(t *rapid.T) {
		f := &Facts{
			Now: rapid.Int64().Draw(t, "now"),
			Signal: perceive.Signal{Type: text.Draw(t, "type"), Text: text.Draw(t, "text"), Payload: value.Draw(t, "payload"),
				Root: uint64(rapid.Int64Range(0, 1<<60).Draw(t, "root"))},
			Session: Session{ID: text.Draw(t, "id"), Principal: text.Draw(t, "principal"), System: text.Draw(t, "system"),
				Partial: rapid.Bool().Draw(t, "partial")},
			Ctx: value.Draw(t, "ctx"), Env: value.Draw(t, "env"), Work: value.Draw(t, "work"),
			Policy: value.Draw(t, "policy"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "turns") {
			turn := Turn{User: text.Draw(t, "user")}
			if rapid.Bool().Draw(t, "call?") {
				turn.Call = &Call{
					Tool: text.Draw(t, "tool"), Args: value.Draw(t, "args"), Decision: text.Draw(t, "decision"),
					Result: value.Draw(t, "result"), Error: text.Draw(t, "error"), Happened: rapid.Bool().Draw(t, "happened"),
					At:  rapid.Int64().Draw(t, "at"),
					Cut: rapid.Bool().Draw(t, "cut"), Untold: rapid.Bool().Draw(t, "untold"),
				}
			}
			switch rapid.IntRange(0, 5).Draw(t, "other") {
			case 0:
				turn = Turn{Reply: "r" + text.Draw(t, "reply")}
			case 1:
				turn = Turn{Source: &Source{Name: text.Draw(t, "name"), Text: text.Draw(t, "source")}}
			case 2:
				turn = Turn{User: turn.User, Attached: []Source{{Text: text.Draw(t, "attached")}}}
			}
			f.Session.Turns = append(f.Session.Turns, turn)
		}
		for range rapid.IntRange(0, 2).Draw(t, "spends") {
			f.Spends = append(f.Spends, Spend{Budget: text.Draw(t, "budget"),
				Amount: rapid.Float64Range(0, 1e9).Draw(t, "amount"), Session: text.Draw(t, "session"),
				Principal: text.Draw(t, "principal"), At: rapid.Int64().Draw(t, "at")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "versions") {
			if f.Versions == nil {
				f.Versions = map[string]uint64{}
			}
			f.Versions[text.Draw(t, "key")] = uint64(rapid.Int64Range(0, 1<<60).Draw(t, "version"))
		}
		printed, err := sexpr.Print(f.Value())
		require.NoError(t, err)
		v, err := sexpr.Read("record", printed)
		require.NoError(t, err)
		back, err := DecodeFacts(v)
		require.NoError(t, err)
		again, err := sexpr.Print(back.Value())
		require.NoError(t, err)
		require.Equal(t, printed, again)
		require.Equal(t, f.Session.Partial, back.Session.Partial)
		require.Equal(t, len(f.Session.Turns), len(back.Session.Turns))
		for i, turn := range f.Session.Turns {
			require.Equal(t, turn.User, back.Session.Turns[i].User)
			require.Equal(t, turn.Call == nil, back.Session.Turns[i].Call == nil)
			require.Equal(t, turn.Reply, back.Session.Turns[i].Reply)
			require.Equal(t, turn.Source, back.Session.Turns[i].Source)
			require.Equal(t, turn.Attached, back.Session.Turns[i].Attached)
			require.Equal(t, turn.IsUser(), back.Session.Turns[i].IsUser())
		}
		require.Equal(t, f.Versions, back.Versions)
		require.Equal(t, f.Spends, back.Spends)
	})
}

func TestDecodeFactsRefusesWhatItDidNotWrite(t *testing.T) {
	for _, bad := range []string{
		`"x"`, `(:now "x")`, `(:signal 3)`, `(:signal (:depth t))`, `(:session "x")`, `(:session (:turns 3))`,
		`(:session (:turns (3)))`,
		`(:session (:turns ((:call 3))))`,
		`(:session (:turns ((:call (:happened 3)))))`, `(:spends (3))`, `(:spends ((:amount "x")))`,
		`(:versions (3))`, `(:versions (("a" "b")))`, `(:session (:roles (1)))`,
	} {
		_, err := DecodeFacts(read(t, bad))
		assert.Error(t, err, bad)
	}
}

func TestNative(t *testing.T) {
	got := Native(read(t, `(:a "x" :b 1 :c 2.5 :d t :e false :f null :g () :h {} :i (1 "y" (:k ())))`))
	assert.Equal(t, map[string]any{
		"a": "x", "b": int64(1), "c": 2.5, "d": true, "e": false, "f": Null{}, "g": []any{}, "h": map[string]any{},
		"i": []any{int64(1), "y", map[string]any{"k": []any{}}},
	}, got)
}
