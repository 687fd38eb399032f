package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/internal/canary"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

const sealedRules = `
(deftool login :params (:user string :password string) :required (:user) :secret (:password) :tier :allow)
(deftool note :params (:text string :more any) :tier :allow :effect :local)
(deftool send_money :params (:to string) :tier :ask)`

// detected is a bench on the disk that finds credentials by their form.
func detected(t *testing.T, change ...func(*Options)) (b *bench, dir string) {
	b, _, dir = withSecrets(t, "", append([]func(*Options){func(o *Options) {
		o.Rules = nil
		opt, _ := options(t, sealedRules, "")
		o.Rules, o.FindSecrets = opt.Rules, secrets.NewFinder()
		o.Traces = Traces{Mode: TraceFull}
	}}, change...)...)
	return b, dir
}

// destroyAll destroys every key as retention does, and renews the file.
func (b *bench) destroyAll() {
	b.t.Helper()
	require.NoError(b.t, b.j.Finish(b.t.Context(), func(tx *journal.Tx) error {
		tx.Set(record.TableSetting.Key(record.SettingDestroyed), []byte{1})
		return record.TableKey.After(tx, 0, func(seq uint64, _ []byte) error {
			tx.Delete(record.TableKey.Key(seq))
			return nil
		})
	}))
	b.clock.Add(int64(48 * time.Hour / time.Second))
	_, err := b.Operations().Retain(b.t.Context())
	require.NoError(b.t, err)
}

// A credential is ciphertext wherever text of a session enters the record: words, their key, arguments and
// their names, names of tools, results, what a model was asked.
func TestDetected_IsHiddenInEveryRecordOfASession(t *testing.T) {
	b, dir := detected(t)
	all := canary.Texts(1, 50)
	names := canary.Texts(2, 12)
	for i, x := range all {
		session := fmt.Sprintf("s%d", i)
		sig := Signal{Text: "my key is " + x + ", keep it", Session: session, Principal: "ana", Key: x}
		first, err := b.Hosts().Hear(t.Context(), sig)
		require.NoError(t, err)
		again, err := b.Hosts().Hear(t.Context(), sig)
		require.NoError(t, err)
		assert.Equal(t, first, again, "the key is known still")
		_, err = b.Hosts().Read(t.Context(), session, "api", x, "a page with "+x)
		require.NoError(t, err)
		require.NoError(t, b.Hosts().Think(t.Context(), sig, &model.Exchange{
			Prompt: model.Prompt{System: x, Messages: []model.Message{{Role: model.RoleUser, Text: "say " + x}}},
			Answer: model.Completion{Text: "I say " + x,
				Calls: []model.NativeCall{{ID: "1", Name: "note", Arguments: fmt.Sprintf(`{"text":%q}`, x)}}}}))
		a, err := NewAction("note", sexpr.Plist("text", sexpr.Str("store "+x)), "because of "+x)
		require.NoError(t, err)
		b.tool.fail = fmt.Errorf("the server refused %s", x)
		d, err := b.Decide(t.Context(), a, asking(session, "agent"))
		require.NoError(t, err)
		require.Equal(t, reason.Allow, d.Kind)
		p, err := b.Begin(t.Context(), d)
		require.NoError(t, err)
		rc, err := b.dispatcher.Dispatch(t.Context(), p)
		require.NoError(t, err)
		assert.Equal(t, act.Failed, rc.State)
		assert.Contains(t, b.tool.calls[len(b.tool.calls)-1], canary.Core(x), "the actuator has it")
		a, err = NewAction("send_money", sexpr.Plist("to", sexpr.Str(x)), "")
		require.NoError(t, err)
		d, err = b.Decide(t.Context(), a, asking(session, "agent"))
		require.NoError(t, err)
		require.NotEmpty(t, d.Approval)
		card, err := b.Approvals().Get(t.Context(), d.Approval)
		require.NoError(t, err)
		assert.True(t, card.Action.Withheld())
	}
	for i, x := range names {
		if strings.Contains(x, "\n") {
			continue
		}
		args := sexpr.Plist("text", sexpr.Str("t"), "more", sexpr.Plist(x, sexpr.Str("v"), "n", sexpr.Int64(1)))
		d, err := b.Decide(t.Context(), called(t, "note", args), asking(fmt.Sprintf("n%d", i), "agent"))
		require.NoError(t, err)
		assert.Contains(t, d.Action.Args().String(), x)
		for tool, args := range map[string]sexpr.Value{"note": sexpr.Plist(x, sexpr.Str("v"), "a", sexpr.Str(x)),
			x: sexpr.Plist("text", sexpr.Str("v")), "a-" + x: sexpr.Plist(x, sexpr.Str("v"))} {
			d, err = b.Decide(t.Context(), called(t, tool, args), asking(fmt.Sprintf("n%d", i), "agent"))
			require.NoError(t, err)
			got, err := b.j.Read(d.ID)
			require.NoError(t, err)
			back, err := record.DecisionFrom(got)
			require.NoError(t, err)
			require.False(t, back.Action.Withheld())
			require.Equal(t, d.Action.Canonical(), back.Action.Canonical(), "what was decided can be read back")
		}
	}
	b.intact()
	b.reopen() // all is read back from the disk
	b.intact()
	require.NoError(t, b.Engine.Close())
	canary.NoneIn(t, dir, append(all, names...))
	b.reopen()
	b.destroyAll()
	require.NoError(t, b.Journal().Verify(t.Context()))
	require.NoError(t, b.Engine.Close())
	canary.NoneIn(t, dir, append(all, names...))
	assert.NotEmpty(t, holding(t, dir, "keep it"), "the negative control: other text is there")
	b.reopen()
}

func called(t *testing.T, tool string, args sexpr.Value) *Action {
	t.Helper()
	a, err := NewAction(tool, args, "")
	require.NoError(t, err)
	return a
}

// Logs keep credentials as ciphertext, give them back as they were, and stay readable without them once
// they are over and the keys are gone.
func TestDetected_IsHiddenInLogs(t *testing.T) {
	b, dir := detected(t)
	all := canary.Texts(3, 50)
	var kept []logs.Digest
	for i, x := range all {
		log := fmt.Sprintf("log-%d", i)
		w := logs.Write{Log: log, Family: "family", By: "ana"}
		_, err := b.Hosts().Logs().Append(t.Context(), w, func(tx *logs.Tx) error {
			of, err := tx.Keep("application/json", fmt.Sprintf(`{"goal":%s}`, inJSON(x)))
			if err != nil {
				return err
			}
			kept = append(kept, of)
			if _, err := tx.Keep("application/octet-stream", "\xff"+x); err != nil {
				return err
			}
			if _, err = tx.Event(logs.Event{ID: "e1", Kind: "k", Dedupe: "d1", Scope: fmt.Sprintf(`{"of":%s}`, inJSON(x)),
				Data: fmt.Sprintf(`{"notes":%s}`, inJSON("a note with "+x+" in it"))}); err != nil {
				return err
			}
			tx.Over(i%2 == 0)
			return tx.Pin(of, "e1")
		})
		require.NoError(t, err)
	}
	check := func() {
		for i, x := range all {
			got, err := b.Hosts().Logs().Read(t.Context(), fmt.Sprintf("log-%d", i))
			require.NoError(t, err)
			require.Equal(t, logs.Healthy, got.Health.Condition, "%v", got.Health.Err)
			assert.Contains(t, got.Events[0].Data, inJSON(x)[1:len(inJSON(x))-1])
			_, data, err := b.Hosts().Logs().Content(kept[i])
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprintf(`{"goal":%s}`, inJSON(x)), data)
		}
	}
	check()
	b.reopen()
	check()
	require.NoError(t, b.Engine.Close())
	canary.NoneIn(t, dir, all)
	b.opt.Retain.Secrets = 24 * time.Hour
	b.reopen()
	b.clock.Add(int64(48 * time.Hour / time.Second))
	did, err := b.Operations().Retain(t.Context())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, did.Destroyed, 50, "the events and the content of the logs that are over, and what none pins")
	for i, x := range all {
		got, err := b.Hosts().Logs().Read(t.Context(), fmt.Sprintf("log-%d", i))
		require.NoError(t, err)
		require.Equal(t, logs.Healthy, got.Health.Condition, "%v", got.Health.Err)
		_, data, err := b.Hosts().Logs().Content(kept[i])
		require.NoError(t, err)
		over := i%2 == 0
		assert.Equal(t, !over, strings.Contains(data, canary.Core(x)), "an open log goes on with what it has")
		assert.Equal(t, !over, strings.Contains(got.Events[0].Data, canary.Core(x)))
	}
	require.NoError(t, b.Engine.Close())
	canary.NoneIn(t, dir, all)
	b.reopen()
}

func inJSON(text string) string {
	v, err := sexpr.ToJSON(sexpr.Str(text))
	if err != nil {
		panic(err)
	}
	return string(v)
}

// A tool whose name is a credential asks like any other, with arguments or without: its card is shown under a mark,
// beside those of others, and the engine starts again.
func TestDetected_AToolNamedLikeACredentialHasACard(t *testing.T) {
	b, _ := detected(t)
	for i, x := range canary.Texts(3, 12) {
		if strings.Contains(x, "\n") {
			continue
		}
		for _, args := range []sexpr.Value{sexpr.EmptyObject(), sexpr.Plist("a", sexpr.Str("v"))} {
			d, err := b.Decide(t.Context(), called(t, x, args), asking(fmt.Sprintf("s%d", i), "agent"))
			require.NoError(t, err)
			require.NotEmpty(t, d.Approval, x)
		}
	}
	cards := func(e *Engine) (n int) {
		for a, err := range e.Pending(t.Context()) {
			require.NoError(t, err)
			assert.True(t, a.Action.Withheld())
			n++
		}
		return n
	}
	before := cards(b.Engine)
	require.Greater(t, before, 10)
	b.reopen()
	assert.Equal(t, before, cards(b.Engine))
}
