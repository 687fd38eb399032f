package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/retention"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

// thinks are the records of what models were asked, as any reader of the record sees them.
func (b *bench) thinks() (out []record.Think) {
	b.t.Helper()
	require.NoError(b.t, b.Journal().Records(1, func(r Record) error {
		if r.Kind == record.KindThink {
			out = append(out, record.ThinkFrom(r.Body))
		}
		return nil
	}))
	return out
}

func tracing(m TraceMode, mask ...string) func(*Options) {
	return func(o *Options) { o.Traces = Traces{Mode: m, Mask: mask} }
}

const chatter = `(:calls ((:id "1" :name "look" :args (:text "round"))) :usage (:in 10 :out 3 :cost 0.25))
	(:error "connection refused to 10.0.0.9")
	(:reply "there is a lake" :usage (:in 20 :out 5))`

// TestR24_WhatModelsAreAskedIsOnRecord says what stands in a record of the kind think, in each mode.
func TestR24_WhatModelsAreAskedIsOnRecord(t *testing.T) {
	for _, mode := range []TraceMode{TraceOff, TraceDigest, TraceFull} {
		b := newBench(t, testRules, chatter, tracing(mode))
		out := b.say("look around")
		got := b.thinks()
		if mode == TraceOff {
			assert.Empty(t, got)
			continue
		}
		require.Len(t, got, 2)
		first, failed := got[0], got[1]
		assert.Equal(t, []any{out.Signal, "script", int64(10), int64(3), 0.25, ""},
			[]any{first.Root, first.Provider, first.TokensIn, first.TokensOut, first.Cost, first.Error})
		assert.Equal(t, "failed", failed.Error, "in a word: the provider's own may hold addresses")
		assert.Zero(t, failed.Answer.Bytes)
		for _, s := range []record.Said{first.Prompt, first.Answer, failed.Prompt} {
			assert.NotZero(t, s.Bytes)
			assert.Equal(t, mode == TraceFull, s.Text != "")
			if mode == TraceFull {
				assert.True(t, json.Valid([]byte(s.Text)), s.Text)
				assert.Equal(t, record.SaidOf(s.Text, true), s)
			}
		}
		if mode == TraceFull {
			assert.Contains(t, first.Prompt.Text, `{"role":"user","text":"look around"}`)
			assert.JSONEq(t, `{"role":"assistant","calls":[{"id":"1","name":"look","args":{"text":"round"}}]}`,
				first.Answer.Text)
		}
		b.intact()
	}
}

// TestR24_AThoughtStandsBeforeItsDecision: what was asked is durable no later than the decision on it, so that
// an action always has its question on record.
func TestR24_AThoughtStandsBeforeItsDecision(t *testing.T) {
	b := newBench(t, testRules, `(:reply "(:type :request") (:form (:tool "look" :args (:text "x"))) (:reply "seen")`,
		tracing(TraceDigest))
	b.say("look")
	var kinds []string
	require.NoError(t, b.Journal().Records(1, func(r Record) error {
		if r.Kind != record.KindOpen && r.Kind != record.KindRulebook && r.Kind != record.KindPlaces {
			kinds = append(kinds, r.Kind)
		}
		return nil
	}))
	assert.Equal(t, []string{"signal", "think", "think", "decision", "intent", "receipt", "signal", "think", "decision",
		"intent", "receipt", "answer"}, kinds)
}

// TestR25_ThoughtsChangeNoReplay runs one script with and without them: the decisions and what a replay makes of
// them are the same.
func TestR25_ThoughtsChangeNoReplay(t *testing.T) {
	script := `(:form (:tool "note" :args (:text "rude words"))) (:form (:tool "note" :args (:text "kind words")))
		(:reply "noted") (:form (:tool "send_money" :args (:recipient "x" :amount 600))) (:reply "paid")
		(:form (:tool "send_money" :args (:recipient "x" :amount 600))) (:reply "no more")`
	lives := map[TraceMode][]string{}
	for _, mode := range []TraceMode{TraceOff, TraceFull} {
		b := newBench(t, testRules, script, tracing(mode))
		for _, text := range []string{"note this", "pay", "pay again"} {
			b.say(text)
		}
		got, err := b.Replay(t.Context(), ReplayOptions{})
		require.NoError(t, err)
		assert.Empty(t, got.Differences)
		assert.Positive(t, got.Decisions)
		assert.Zero(t, got.Skipped+got.Removed)
		require.NoError(t, b.Journal().Records(1, func(r Record) error {
			if r.Kind == record.KindDecision {
				d, err := record.DecisionFrom(r)
				require.NoError(t, err)
				lives[mode] = append(lives[mode], d.Kind.String()+" "+d.Key+" "+d.Action.Canonical())
			}
			return nil
		}))
		b.intact()
	}
	assert.Equal(t, lives[TraceOff], lives[TraceFull])
}

// TestR24_ThoughtsGoWithTheirSession: retention takes them no earlier than the session that they are about, and
// no later; the chain stays whole.
func TestR24_ThoughtsGoWithTheirSession(t *testing.T) {
	b := newBench(t, testRules, `(:reply "yes" :repeat t)`, tracing(TraceDigest), func(o *Options) {
		o.Retain = retention.Retain{Age: 24 * time.Hour}
	})
	b.say("one")
	b.days(1)
	_, err := b.Submit(t.Context(), Signal{Sensor: perceive.UserInput, Session: "other", Principal: "bob", Text: "two"})
	require.NoError(t, err)
	b.days(1)
	_, err = b.Submit(t.Context(), Signal{Sensor: perceive.UserInput, Session: "other", Principal: "bob", Text: "three"})
	require.NoError(t, err)
	did := b.retain()
	assert.Positive(t, did.Removed)
	assert.Len(t, b.thinks(), 2, "the session that went on has both of its own")
	b.intact()
	b.days(3)
	b.decideOn("look", `(:text "later")`)
	b.retain()
	assert.Empty(t, b.thinks())
	b.intact()
}

// verbose is a model that says too much, until it is asked for less.
type verbose struct{}

func (verbose) Name() string { return "verbose" }

func (verbose) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	if strings.Contains(p.Messages[len(p.Messages)-1].Text, "little") {
		return model.Completion{Text: "short"}, nil
	}
	return model.Completion{Text: strings.Repeat("word ", record.MaxSaid/5+1)}, nil
}

// TestR24_ATextThatIsTooLongIsKeptByItsDigest: what follows from an answer does not fail for its length on record.
func TestR24_ATextThatIsTooLongIsKeptByItsDigest(t *testing.T) {
	crashtest.Long(t)
	b := newBench(t, testRules, "", tracing(TraceFull), func(o *Options) {
		o.Models.Providers = []model.Provider{verbose{}}
	})
	b.say("write much")
	b.say("write little")
	list := b.thinks()
	last := len(list) - 1
	require.Positive(t, last)
	assert.Empty(t, list[0].Answer.Text)
	assert.Greater(t, list[0].Answer.Bytes, record.MaxSaid)
	assert.NotEmpty(t, list[0].Prompt.Text)
	assert.Contains(t, list[last].Answer.Text, "short")
	b.intact()
}

// TestR38_MaskedFieldsAreKeyedHashes: nothing of a secret, however a model spells its call, stands in a record,
// and equal values have equal hashes.
func TestR38_MaskedFieldsAreKeyedHashes(t *testing.T) {
	const pass, pin, user = "hunter2-canary", "4711", "ada-lovelace-canary"
	script := `
	(:calls ((:id "1" :name "login" :args (:user "` + user + `" :password "` + pass + `" :pin ` + pin + `)))
	 :reply "I log in with ` + pass + `")
	(:form (:tool "login" :args (:user "` + user + `" :password "` + pass + `")))
	(:reply "(:tool \"login\" :args (:password \"` + pass + `\"")
	(:calls ((:id "2" :name "login" :arguments "{\"user\": \"x\", \"password\": \"` + pass + `")))
	(:reply "the password ` + pass + ` works")
	(:reply "done")`
	b, _, dir := withSecrets(t, script, tracing(TraceFull, "login.args.user", "*.result.did"))
	b.say("log in, please")
	b.say("and again")
	b.say("what now?")
	list := b.thinks()
	require.NotEmpty(t, list)
	all := ""
	for _, x := range list {
		all += x.Prompt.Text + "\n" + x.Answer.Text + "\n"
	}
	for _, canary := range []string{"hunter2", "lovelace", `:` + pin, `"pin":` + pin} {
		assert.NotContains(t, all, canary)
	}
	assert.Contains(t, all, "log in, please", "the negative control: the rest of the words is there")
	first := list[0].Answer.Text
	var said struct {
		Calls []struct{ Args map[string]string }
	}
	require.NoError(t, json.Unmarshal([]byte(first), &said))
	hash := said.Calls[0].Args["password"]
	require.Regexp(t, `^\[masked [0-9a-f]{32}\]$`, hash)
	assert.Contains(t, first, `"text":"I log in with `+hash+`"`, "one value, one hash")
	assert.Regexp(t, `^\[masked [0-9a-f]{32}\]$`, said.Calls[0].Args["pin"], "also one too short to be looked for")
	assert.GreaterOrEqual(t, strings.Count(all, hash), 4)

	key, err := b.j.Get(record.TableSetting.Key(record.SettingMasks))
	require.NoError(t, err)
	assert.Greater(t, len(key), 32, "the key is encrypted under those of the file")
	b.reopen()
	b.opt.Traces = Traces{}
	_, err = b.Submit(t.Context(), Signal{Sensor: perceive.UserInput, Session: "s1", Principal: "ana", Text: "hello"})
	require.NoError(t, err)
	b.intact()
	require.NoError(t, b.Engine.Close())
	assert.Empty(t, holding(t, dir, "hunter2"))
	b.reopen()
}

// TestR38_HashesHoldAcrossRestarts and are others in another record.
func TestR38_HashesHoldAcrossRestarts(t *testing.T) {
	hashIn := func(b *bench) string {
		b.say("look")
		list := b.thinks()
		var said struct {
			Calls []struct{ Args map[string]string }
		}
		for i := len(list) - 1; i >= 0; i-- {
			require.NoError(t, json.Unmarshal([]byte(list[i].Answer.Text), &said))
			if len(said.Calls) > 0 {
				return said.Calls[0].Args["text"]
			}
		}
		return ""
	}
	script := strings.Repeat(`(:calls ((:id "1" :name "look" :args (:text "abc")))) (:reply "ok")`, 2)
	dir := t.TempDir()
	b := newBench(t, testRules, script, tracing(TraceFull, "look.args.text"), func(o *Options) { o.Dir = dir })
	one := hashIn(b)
	b.reopen()
	assert.Equal(t, one, hashIn(b))
	other := newBench(t, testRules, script, tracing(TraceFull, "look.args.text"))
	assert.NotEqual(t, one, hashIn(other))
}

// TestR38_AMaskedResultIsHashedWhereItIsQuoted: also after a restart, from the session's history.
func TestR38_AMaskedResultIsHashedWhereItIsQuoted(t *testing.T) {
	const token = "token-canary-77"
	script := `(:calls ((:id "1" :name "look" :args (:text "` + token + `"))) :reply "I look") (:reply "it is ` + token + `")
		(:reply "still ` + token + `")`
	b := newBench(t, testRules, script, tracing(TraceFull, "*.result.did"), func(o *Options) {
		o.Dir = t.TempDir()
		o.Tools[1].Actuator = act.Func(func(context.Context, act.Call) (act.Receipt, error) {
			return act.Receipt{State: act.Done, Result: sexpr.Plist("did", sexpr.Str(token))}, nil
		})
	})
	b.say("look")
	b.reopen()
	b.say("and now?")
	list := b.thinks()
	require.Len(t, list, 3)
	assert.Contains(t, list[0].Answer.Text, token, "it was not a result yet")
	for _, x := range list[1:] {
		assert.NotContains(t, x.Prompt.Text+x.Answer.Text, token)
		assert.Regexp(t, `\[masked [0-9a-f]{32}\]`, x.Answer.Text)
	}
}

func TestR38_AMaskThatNamesNoFieldIsRefused(t *testing.T) {
	for _, mask := range []string{"", "login", "login.args", "login.args.", ".args.x", "login.password", "a.args..b"} {
		assert.ErrorContains(t, Options{Traces: Traces{Mode: TraceFull, Mask: []string{mask}}}.Check(), "Mask", mask)
	}
	assert.ErrorContains(t, Options{Traces: Traces{Mode: "all"}}.Check(), "Mode")
	assert.NoError(t, Options{Traces: Traces{Mode: TraceFull, Mask: []string{"a.b.args.x.*.y", "*.result.z"}}}.Check())
}
