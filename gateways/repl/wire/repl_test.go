//go:build linux

package wire

// With the real evaluator: what can be said over the plain socket, and what over
// the other one.

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// typed evaluates what a person types.
func typed(t *testing.T, c *client.Conn, src string) (repl.Result, error) {
	t.Helper()
	form, err := sexpr.Reader{Code: true}.Read("typed", src)
	require.NoError(t, err)
	return c.Eval(t.Context(), form)
}

// W14: the ancestor's REPL was a back door past every gate.
func TestW14_NoFormGoesPastTheGates(t *testing.T) {
	h := open(t, `
(:when ("do it") :form (:type :request :target :tool :payload (:tool "risky" :args (:what "x")) :explanation "as the user asked"))
(:repeat t :reply "ok")`)
	secret, err := h.engine.Approvals().Pair(t.Context(), false)
	require.NoError(t, err)
	c := h.dial(h.opt.Socket)
	out, err := c.Signal(t.Context(), client.Message{Text: "do it"})
	require.NoError(t, err)
	require.NotEmpty(t, out.Approval)
	token := sexpr.Str(out.Approval).String()

	for _, src := range []string{
		`(approve ` + token + `)`, `(deny ` + token + ` "no")`, `(edit ` + token + ` '(:what "y"))`,
		`(set-fact "mode" "off")`, `(reload)`, `(kill-switch nil)`,
		`(approve ` + token + ` "` + secret + `")`, `(quote (approve))`,
		`(shell "touch x")`, `(eval '(approve ` + token + `))`,
		`(run-program "touch" "x")`, `(load "x.lisp")`, `(risky :what "x")`, `(act '(:tool "risky"))`,
		`(permit 1)`, `(begin 1)`, `(with-open-file (f "x") f)`, `(defun f ())`, `(setf x 1)`,
		`(signal '(:type :request :target :tool :payload (:tool "risky" :args (:what "x"))))`,
		`(decide '(:tool "risky" :args (:what "x") :explanation "please do it now"))`,
		`(decide '(:tool "risky" :args (:what "x") :explanation "please do it now" :approved t))`,
	} {
		_, err := typed(t, c, src)
		var e *repl.Error
		assert.True(t, err == nil || errors.As(err, &e), "%s: %v", src, err)
	}
	for _, src := range []string{`(approve ` + token + `)`, `(deny ` + token + ` "no")`,
		`(set-fact "mode" "off")`, `(reload)`, `(kill-switch nil)`} {
		_, err := typed(t, c, src)
		var e *repl.Error
		require.True(t, errors.As(err, &e), "%s: %v", src, err)
		assert.Equal(t, repl.CodeRefused, e.Code, src)
		assert.Contains(t, e.Error(), "approval socket")
	}
	require.NoError(t, h.engine.Operations().Wait(t.Context()))
	assert.Empty(t, h.acts.all(), "nothing was run")
	card, err := h.engine.Approvals().Get(t.Context(), out.Approval)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, card.State)

	// The same form, by somebody who has the secret.
	op := h.dial(h.opt.Approvals)
	require.NoError(t, op.Auth(t.Context(), secret))
	_, err = typed(t, op, `(approve `+token+`)`)
	require.NoError(t, err)
	require.NoError(t, h.engine.Operations().Wait(t.Context()))
	assert.Len(t, h.acts.all(), 1)
	_, err = typed(t, op, `(approve `+token+`)`)
	assert.Error(t, err, "once")
	assert.Len(t, h.acts.all(), 1)
}

func TestRow094_ValuesAndTextsAreApart(t *testing.T) {
	h := open(t, "")
	c := h.dial(h.opt.Socket)
	r, err := typed(t, c, "(+ 1 2)")
	require.NoError(t, err)
	assert.Equal(t, "3", r.Value.String())
	assert.Empty(t, r.Out)
	r, err = typed(t, c, "(+ * 1)")
	require.NoError(t, err)
	assert.Equal(t, "4", r.Value.String(), "state persists")
	_, err = typed(t, c, `(+ 1 "two")`)
	var e *repl.Error
	require.True(t, errors.As(err, &e), "%v", err)
	r, err = typed(t, c, "*")
	require.NoError(t, err)
	assert.Equal(t, "4", r.Value.String(), "and an error changes nothing")
	r, err = typed(t, c, "(status)")
	require.NoError(t, err)
	assert.True(t, r.Value.IsPlist())
	r, err = typed(t, h.dial(h.opt.Socket), "*")
	require.NoError(t, err)
	assert.True(t, r.Value.IsNil(), "another connection has its own")
}

// A place in an error is one in what the client read, not in the message.
func TestErrorsArePlacedInTheSource(t *testing.T) {
	h := open(t, "")
	c := h.dial(h.opt.Socket)
	for src, want := range map[string]sexpr.Pos{
		"(+ 1\n   \"two\")":                 {Line: 2, Col: 4},
		"\n\n (no-such-form)":               {Line: 3, Col: 3},
		"(and (< 1 2) ; yes\n (< 1 \"x\"))": {Line: 2, Col: 2},
	} {
		_, err := typed(t, c, src)
		var e *repl.Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, want, e.Pos, "%s: %v", src, err)
	}
}

// What (say ...) has put on record is answered, also when the one who typed it leaves,
// and is stopped by its own interrupt.
func TestWhatIsSaidLastsLongerThanItsClient(t *testing.T) {
	m := newThinker()
	h := open(t, "", thinking(m))
	for _, src := range []string{`(say "hi")`, `(signal '(:type :event :payload (:sensor :user-input :text "hi")))`} {
		r := h.raw(h.opt.Socket)
		r.send(`(:id 1 :type :request :target :repl :payload (:form ` + src + `))`)
		<-m.began
		require.NoError(t, r.nc.Close())
		m.answer <- "as promised " + src
	}
	c := h.dial(h.opt.Socket)
	got := make(chan error)
	go func() {
		form, err := sexpr.Read("test", `(say "wait")`)
		assert.NoError(t, err)
		r, err := c.Eval(context.Background(), form)
		assert.Contains(t, r.Out, "interrupted")
		got <- err
	}()
	<-m.began // in its turn: those before it have been answered
	n, err := c.Interrupt(t.Context())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, n, 1, "the one before, answered a moment ago, may still count")
	assert.NoError(t, <-got)
	var texts []string
	require.NoError(t, h.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == "decision" {
			texts = append(texts, r.Body.String())
		}
		return nil
	}))
	require.Len(t, texts, 2)
	assert.Contains(t, texts[0], "as promised")
}

func TestW24_NothingInternalIsToldByForms(t *testing.T) {
	h := open(t, "", func(s setup) {
		s.Engine.Handlers = []cortex.Handler{func(context.Context, cortex.Signal) (bool, string, error) {
			return false, "", errors.New("open /srv/inside/engine.go:42: permission denied")
		}}
	})
	_, err := typed(t, h.dial(h.opt.Socket), `(say "hi")`)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "engine.go")
	assert.Contains(t, h.log.String(), "engine.go:42")
}
