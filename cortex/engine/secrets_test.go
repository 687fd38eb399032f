package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const secretRules = `
(deftool login :doc "Log in." :params (:user string :password string :pin (integer 0 9999999999999) :more any)
  :required (:user) :secret (:password :pin :more) :tier :allow :effect :external)
(deftool note :doc "Keep a note." :params (:text string) :required (:text) :tier :allow :effect :local)
(defskill logins
  :trigger (= action.tool "login")
  :gate ((deny weak :when (and (has? action.args.password) (= action.args.password "password1"))
           :reason "choose another password")
         (ask root :when (= action.args.user "root") :reason "root needs a person's yes")))
`

// withSecrets is a bench on the disk, with keys in a file beside the record.
func withSecrets(t *testing.T, script string, change ...func(*Options)) (b *bench, keys, dir string) {
	dir, keys = t.TempDir(), filepath.Join(t.TempDir(), "keys")
	k, err := keyfile.Open(keys)
	require.NoError(t, err)
	b = newBench(t, secretRules, script, append([]func(*Options){func(o *Options) {
		o.Dir, o.Keys = dir, k
		for i := range o.Tools {
			if o.Tools[i].Schema.Name == "risky" {
				o.Tools[i] = act.Tool{Schema: &skills.Tool{Name: "login"}, Actuator: o.Tools[i].Actuator}
			}
		}
	}}, change...)...)
	return b, keys, dir
}

// holding returns the files of a folder that hold a text, in any of some spellings.
func holding(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func TestSecrets_AreOnDiskAsCiphertextAlone(t *testing.T) {
	const secret = "hunter2-canary-\"quoted\"-\u00e9"
	b, _, dir := withSecrets(t, "")
	login := sexpr.Plist("user", sexpr.Str("root"), "password", sexpr.Str(secret), "pin", sexpr.Int64(8106224719035),
		"more", sexpr.Plist("answers", sexpr.ListOf(sexpr.Str("my first cat"))))
	a, err := skills.NewAction("login", login, "with "+secret)
	require.NoError(t, err)
	f := &Facts{Session: skills.Session{ID: "s1", Principal: "bot"}}
	d, err := b.Decide(t.Context(), a, f)
	require.NoError(t, err)
	require.Equal(t, reason.Ask, d.Kind)
	assert.Equal(t, a.Digest(), d.Action.Digest(), "the digest is over the real bytes")

	card, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	assert.True(t, card.Action.Withheld())
	assert.Equal(t, a.Digest(), card.Action.Digest())
	assert.NotContains(t, card.Action.Args().String()+card.Action.Explanation(), "hunter2")
	assert.NotContains(t, card.Action.Args().String(), "8106224719035")
	assert.NotContains(t, card.Action.Args().String(), "first cat")
	assert.Contains(t, card.Action.Args().String(), `:user "root"`)

	require.NoError(t, b.Approve(t.Context(), d.Approval, approval.Approver{Name: "ana"}))
	b.reopen() // all is read back from the disk
	d, err = b.Decide(t.Context(), a, f)
	require.NoError(t, err)
	require.Equal(t, reason.Allow, d.Kind, "the grant holds")
	b.tool.fail = fmt.Errorf("the server refused %s", secret)
	p, err := b.Begin(t.Context(), d)
	require.NoError(t, err)
	assert.Equal(t, a.Canonical(), p.Action().Canonical())
	rc, err := b.dispatcher.Dispatch(t.Context(), p)
	require.NoError(t, err)
	assert.Contains(t, rc.Error, secret, "the caller, in this process, has it")
	assert.Equal(t, []string{a.Canonical()}, b.tool.calls, "the actuator has it")

	x, err := b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	require.NoError(t, x.Underived)
	assert.NotContains(t, fmt.Sprintf("%+v %+v %+v %s", x.Decision, x.Trace, x.Origins, x.Facts.Value()), "hunter2")
	b.intact()
	require.NoError(t, b.Engine.Close())
	for _, text := range []string{"hunter2", "first cat", "8106224719035"} {
		assert.Empty(t, holding(t, dir, text), text)
	}
	assert.NotEmpty(t, holding(t, dir, `:user "root"`), "the negative control: other text is there")
	b.reopen()
	out, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Empty(t, out.Differences)
	assert.Zero(t, out.Destroyed)
	assert.Equal(t, 2, out.Decisions)
}

func TestSecrets_WithoutTheirKeysAreNotReplayable(t *testing.T) {
	b, _, _ := withSecrets(t, "")
	d := b.decideOn("login", `(:user "ana" :password "correct horse battery")`)
	b.decideOn("note", `(:text "an ordinary one")`)
	require.NoError(t, b.j.Finish(t.Context(), func(tx *journal.Tx) error {
		tx.Delete(record.TableKey.Key(d.ID))
		return nil
	}))
	out, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, Replayed{Decisions: 1, Destroyed: 1}, out)
	require.NoError(t, b.Journal().Verify(context.Background()), "the chain is over what is stored")
	x, err := b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	assert.True(t, x.Decision.Action.Withheld())
	_, err = b.Begin(t.Context(), d)
	require.Error(t, err, "nothing is done on what cannot be read")
	assert.Zero(t, b.tool.count())
}

func TestSecrets_NeedTheirKeys(t *testing.T) {
	b, keys, _ := withSecrets(t, "")
	b.decideOn("login", `(:user "ana" :password "correct horse battery")`)
	require.NoError(t, b.Engine.Close())
	opt := b.opt
	opt.Keys = nil
	_, err := open(t.Context(), opt)
	require.ErrorContains(t, err, "Options.Keys is not set")
	require.NoError(t, os.Remove(keys))
	opt.Keys, err = keyfile.Open(keys)
	require.NoError(t, err)
	_, err = open(t.Context(), opt)
	require.ErrorContains(t, err, "the file of keys is not the one")
	opt.Keys, opt.Inspect = nil, true
	e, err := open(t.Context(), opt)
	require.NoError(t, err, "an inspection needs none")
	require.NoError(t, e.Close())
	b.reopen()

	opt, _ = options(t, secretRules, "")
	_, err = open(t.Context(), opt)
	require.ErrorContains(t, err, "the tool login has :secret arguments")
}

func TestSecrets_AnEditKeepsWhatThePersonDidNotSee(t *testing.T) {
	b, _, _ := withSecrets(t, "")
	d := b.decideOn("login", `(:user "root" :password "correct horse battery")`)
	require.NotEmpty(t, d.Approval)
	card, err := b.Approvals().Get(t.Context(), d.Approval)
	require.NoError(t, err)
	args := card.Action.Args().With("user", sexpr.Str("ana"))
	d, err = b.Edit(t.Context(), d.Approval, approval.Approver{Name: "ana"}, args)
	require.NoError(t, err)
	require.Equal(t, reason.Allow, d.Kind)
	assert.Equal(t, `(:password "correct horse battery" :user "ana")`, d.Action.Args().String())
	b.intact()
}

func TestSecrets_AModelsConversationQuotesThemAndTheRecordDoesNot(t *testing.T) {
	const secret = "tok_live_0123456789"
	b, _, dir := withSecrets(t, fmt.Sprintf(`
(:form (:type :request :payload (:tool "login" :args (:user "ana" :passwrod %q))))
(:form (:type :request :payload (:tool "login" :args (:user "ana" :password %q :pin "12ab34"))))
(:form (:type :request :payload (:tool "login" :args (:user "ana" :password %q))))
(:reply "I logged in with %s")`, secret, secret, secret, secret))
	b.tool.fail = errors.New("echo " + secret)
	out := b.say("log in")
	assert.Contains(t, out.Text, secret)
	require.Equal(t, 1, b.tool.count())
	assert.Contains(t, b.tool.calls[0], secret)
	b.intact()
	require.NoError(t, b.Engine.Close())
	assert.Empty(t, holding(t, dir, secret))
	assert.Empty(t, holding(t, dir, "12ab34"))
	b.reopen()
	again, err := b.sessions.FirstAnswer(out.Signal)
	require.NoError(t, err)
	assert.Equal(t, out.Text, again.Text, "the first answer comes back as it was")
}

func TestSecrets_RetentionDestroysTheirKeys(t *testing.T) {
	b, keys, dir := withSecrets(t, "", func(o *Options) {
		o.Retain.Secrets, o.Approvals.TTL = 24*time.Hour, 100*time.Hour
	})
	old := b.decideOn("login", `(:user "ana" :password "correct horse battery")`)
	asks := b.decideOn("login", `(:user "root" :password "an open card keeps it")`)
	before, err := os.ReadFile(keys)
	require.NoError(t, err)
	entry, err := b.j.Get(record.TableKey.Key(old.ID))
	require.NoError(t, err)
	b.clock.Add(int64(23 * time.Hour / time.Second))
	young := b.decideOn("login", `(:user "ana" :password "it is young")`)
	b.clock.Add(int64(2 * time.Hour / time.Second))

	did, err := b.Operations().Retain(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, did.Destroyed)
	assert.Zero(t, did.Removed, "the record stays")
	require.NoError(t, b.Journal().Verify(t.Context()))
	has := func(seq uint64) bool {
		key, err := b.j.Get(record.TableKey.Key(seq))
		require.NoError(t, err)
		return key != nil
	}
	assert.Equal(t, []bool{false, true, true}, []bool{has(old.ID), has(asks.ID), has(young.ID)})

	after, err := os.ReadFile(keys)
	require.NoError(t, err)
	assert.NotEqual(t, before, after, "the file is renewed")
	assert.Equal(t, 1, strings.Count(string(after), "AGE-SECRET-KEY-"), "and holds the new key alone")
	k, err := keyfile.Open(keys)
	require.NoError(t, err)
	_, err = k.Open(nil, entry)
	require.Error(t, err, "a copy of the destroyed key, as an old file of the store may have it, opens nothing")

	b.reopen()
	out, err := b.Replay(t.Context(), ReplayOptions{})
	require.NoError(t, err)
	assert.Equal(t, Replayed{Decisions: 2, Destroyed: 1}, out)
	require.NoError(t, b.Approve(t.Context(), asks.Approval, approval.Approver{Name: "ana"}), "the card works")
	d := b.decideOn("login", `(:user "root" :password "an open card keeps it")`)
	assert.Equal(t, reason.Allow, d.Kind)
	x, err := b.Explain(t.Context(), old.ID)
	require.NoError(t, err)
	assert.True(t, x.Decision.Action.Withheld())

	// The history of a session that goes on lacks what is destroyed: a rule that reads it errs.
	turns := x.Facts.Session.Turns
	assert.Empty(t, turns)
	_, err = b.Explain(t.Context(), d.ID)
	require.NoError(t, err)
	assert.Empty(t, holding(t, dir, "correct horse"))
}

func TestSecrets_GoWithTheirRecords(t *testing.T) {
	b, _, _ := withSecrets(t, "", func(o *Options) { o.Retain.Age = 24 * time.Hour })
	d := b.decideOn("login", `(:user "ana" :password "correct horse battery")`)
	b.clock.Add(int64(48 * time.Hour / time.Second))
	_, err := b.Decide(t.Context(), action(t, "note", `(:text "later")`), asking("s2", "agent"))
	require.NoError(t, err)
	did, err := b.Operations().Retain(t.Context())
	require.NoError(t, err)
	assert.NotZero(t, did.Removed)
	key, err := b.j.Get(record.TableKey.Key(d.ID))
	require.NoError(t, err)
	assert.Nil(t, key)
	b.intact()
}

// An engine that inspects may answer cards: their next record hides what the one before hid.
func TestSecrets_AnswersOfOneWhoInspects(t *testing.T) {
	b, _, dir := withSecrets(t, "")
	d := b.decideOn("login", `(:user "root" :password "correct horse battery" :pin 8106224719036)`)
	require.NoError(t, b.Engine.Close())
	opt := b.opt
	opt.Inspect, opt.Keys = true, nil
	e, err := open(t.Context(), opt)
	require.NoError(t, err)
	err = e.Approve(t.Context(), d.Approval, approval.Approver{Name: "ana"})
	require.ErrorContains(t, err, "cannot be read here")
	require.NoError(t, e.Close())
	opt.Keys = b.opt.Keys
	e, err = open(t.Context(), opt)
	require.NoError(t, err)
	require.NoError(t, e.Approve(t.Context(), d.Approval, approval.Approver{Name: "ana"}))
	require.NoError(t, e.Close())
	assert.Empty(t, holding(t, dir, "correct horse"))
	assert.Empty(t, holding(t, dir, "8106224719036"))
	b.reopen()
	assert.Equal(t, reason.Allow, b.decideOn("login", `(:user "root" :password "correct horse battery" :pin 8106224719036)`).Kind)
	b.intact()
}
