//go:build linux

package nrepl

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

func TestEval(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	s := c.clone()
	all := c.ask("op", "eval", "session", s, "id", "7", "code", `(+ 1 2) "zwölf" *`)
	require.Len(t, all, 4)
	for i, want := range []string{"3", `"zwölf"`, `"zwölf"`} {
		assert.Equal(t, dict{"id": "7", "session": s, "ns": "cortex", "value": want}, all[i])
	}
	assert.Equal(t, dict{"id": "7", "session": s, "status": []any{"done"}}, all[3])

	all = c.ask("op", "eval", "session", s, "code", "(help 'decide)")
	assert.Contains(t, joined(all, "out"), "Judges an action")
	assert.Empty(t, joined(all, "value"), "what is said in text is not said again as data")
	assert.Contains(t, joined(c.ask("op", "eval", "session", s, "code", "*"), "value"), ":name \"decide\"")

	all = c.ask("op", "eval", "code", "(+ 2 2)")
	assert.Equal(t, "4", joined(all, "value"), "a message without a session has one too")
	require.NotEmpty(t, all[0].text("session"))
	assert.Equal(t, "4", joined(c.ask("op", "eval", "code", "*"), "value"), "and it is always the same")
	assert.Equal(t, "nil", joined(c.ask("op", "eval", "code", "*", "session", c.clone()), "value"),
		"others do not share it")
}

func TestEvalErrors(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	for _, tt := range []struct{ name, code, ex, err string }{
		{"unknown form", "\n  (frobnicate)", "unknown-form", "frobnicate"},
		{"open parenthesis", "(+ 1", "syntax", ""},
		{"wrong arguments", "(rule)", "syntax", "expected (rule"},
		{"nothing there", `(approval "ABCDEF")`, "not-found", ""},
		{"operators alone", `(approve "ABCDEF")`, "refused", "approval socket"},
		{"operators alone", "(reload)", "refused", "approval socket"},
		{"operators alone", "(set-fact 'x 1)", "refused", "approval socket"},
		{"operators alone", "(kill-switch nil)", "refused", "approval socket"},
		{"operators alone", "(settle 1 :happened)", "refused", "approval socket"},
		{"operators alone", `(deny "ABCDEF" "no")`, "refused", "approval socket"},
		{"operators alone", `(edit "ABCDEF" '(:a 1))`, "refused", "approval socket"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := c.ask("op", "eval", "code", tt.code)
			assert.Equal(t, "cortex/"+tt.ex, joined(all, "ex"))
			assert.Equal(t, "cortex/"+tt.ex, joined(all, "root-ex"))
			assert.Contains(t, joined(all, "err"), tt.err)
			assert.True(t, strings.HasSuffix(joined(all, "err"), "\n"))
			assert.True(t, all[len(all)-2].is("eval-error"))
			assert.Equal(t, []any{"done"}, all[len(all)-1]["status"])
		})
	}
	all := c.ask("op", "eval", "code", "(+ 1 2) (frobnicate) (+ 3 4)")
	assert.Equal(t, "3", joined(all, "value"), "what comes before the error counts, and what is behind it does not run")
	assert.Contains(t, joined(all, "err"), "1:10: ")

	c.write("d4:code12:(frobnicate)6:columni5e4:file11:/x/rules.el4:linei40e2:op4:evale")
	assert.Contains(t, joined(c.answers(), "err"), "rules.el:40:6: ", "the place in the editor's file")
	assert.True(t, c.ask("op", "eval")[1].is("no-code"))
}

func TestOps(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	d := c.one("op", "describe", "id", "1")
	for name := range ops() {
		assert.Contains(t, d["ops"], name)
	}
	assert.Equal(t, "0.3.0", d["versions"].(dict)["cortex"].(dict).text("version-string"))

	a, b := c.clone(), c.clone()
	assert.Len(t, a, 26)
	assert.NotEqual(t, a, b)
	assert.ElementsMatch(t, []any{a, b}, c.one("op", "ls-sessions")["sessions"])
	d = c.one("op", "close", "session", a)
	assert.True(t, d.is("session-closed"))
	assert.ElementsMatch(t, []any{b}, c.one("op", "ls-sessions")["sessions"])
	assert.True(t, c.ask("op", "eval", "session", a, "code", "1")[1].is("unknown-session"))

	d = c.one("op", "completions", "prefix", "appr", "session", b)
	assert.Contains(t, d["completions"], dict{"candidate": "approvals", "type": "function"})
	assert.Contains(t, c.one("op", "completions", "prefix", "words/ru", "session", b)["completions"],
		dict{"candidate": "words/rude", "type": "function"})

	info := c.one("op", "lookup", "sym", "decide")["info"].(dict)
	assert.Contains(t, info.text("doc"), "Judges an action")
	info = c.one("op", "lookup", "sym", "words/rude")["info"].(dict)
	assert.Equal(t, "rules.lisp", info.text("file"), "where the rule stands")
	assert.EqualValues(t, 8, info["line"])
	assert.True(t, c.one("op", "lookup", "sym", "nothing").is("lookup-error"))

	assert.True(t, c.one("op", "stdin", "stdin", "yes\n", "session", b).is("done"))
	assert.Equal(t, []any{"session-idle", "done"}, c.one("op", "interrupt", "session", b)["status"])
	assert.Equal(t, dict{"id": "x", "status": []any{"error", "unknown-op", "done"}}, c.one("op", "load-file", "id", "x"))
	assert.Equal(t, []any{"error", "unknown-op", "done"}, c.one()["status"])
	assert.True(t, c.ask("op", "interrupt")[1].is("no-session"))
}

// What is asked over nREPL is asked by the user whom the kernel names, whatever
// the message says.
func TestIdentityComesFromTheConnection(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	c.ask("op", "eval", "user", "root2", "principal", "eve", "source", "daemon", "operator", "t", "code",
		`(signal '(:type :event :meta (:session "x" :principal "eve") :payload (:sensor :user-input :text "hi")))`)
	c.ask("op", "eval", "principal", "eve", "code", `(say "hello")`)
	n := 0
	require.NoError(t, h.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind != "signal" {
			return nil
		}
		s, err := perceive.DecodeSignal(r.Body)
		if s.Depth == 0 {
			n++
			assert.Equal(t, "repl", s.Source)
			assert.Equal(t, h.me(), s.Principal)
			assert.True(t, strings.HasPrefix(s.Session, "repl/"+h.me()+"/"), s.Session)
			assert.Empty(t, s.Roles)
		}
		return err
	}))
	assert.Equal(t, 2, n)
}

// A model thinks until it is told to stop.
type thinker struct{ began chan struct{} }

func (*thinker) Name() string { return "thinker" }

func (m *thinker) Complete(ctx context.Context, _ model.Prompt) (model.Completion, error) {
	m.began <- struct{}{}
	<-ctx.Done()
	return model.Completion{}, ctx.Err()
}

// An interrupt ends the model's work, the record says that a person wanted it so,
// and other sessions of the same user go on.
func TestInterruptEndsTheWork(t *testing.T) {
	m := &thinker{make(chan struct{}, 10)}
	h := open(t, nil, Options{}, m)
	c := h.dial()
	s, other := c.clone(), c.clone()
	c.write(msg("op", "eval", "id", "1", "session", s, "code", `(say "think") (+ 1 1)`))
	<-m.began
	assert.Equal(t, "4", joined(c.ask("op", "eval", "id", "2", "session", other, "code", "(+ 2 2)"), "value"),
		"others do not wait for it")
	assert.Equal(t, []any{"session-idle", "done"}, c.one("op", "interrupt", "session", other)["status"])
	assert.Equal(t, []any{"error", "interrupt-id-mismatch", "done"},
		c.one("op", "interrupt", "session", s, "interrupt-id", "2")["status"])
	c.write("d12:interrupt-idle2:op9:interrupt7:session26:" + s + "e")
	assert.True(t, c.read().is("interrupt-id-mismatch"), "a list is not an id")

	c.write(msg("op", "interrupt", "id", "3", "session", s, "interrupt-id", "1"))
	statuses := map[string]any{}
	for len(statuses) < 2 {
		if d := c.read(); d.is("done") {
			statuses[d.text("id")] = d["status"]
		} else {
			assert.Empty(t, d.text("value"), "the second form does not run")
		}
	}
	assert.Equal(t, map[string]any{"1": []any{"interrupted", "done"}, "3": []any{"done"}}, statuses)
	var notes []string
	require.NoError(t, h.engine.Journal().Records(1, func(r cortex.Record) error {
		if r.Kind == "answer" {
			notes = append(notes, r.Body.GetText("notice"))
		}
		return nil
	}))
	assert.Equal(t, []string{"interrupted by " + h.me()}, notes)
	assert.Equal(t, "5", joined(c.ask("op", "eval", "session", s, "code", "(+ 2 3)"), "value"), "the session goes on")
}

// until is an evaluator that says when it begins and ends with its context.
func until(began chan<- string, ended chan<- error) evaluating {
	return func(ctx context.Context, src string, _ func(repl.Result) error) error {
		began <- src
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	}
}

func TestEvaluationsOfASessionRunInOrderAndThoseOfOthersBesideThem(t *testing.T) {
	began, ended := make(chan string), make(chan error, 10)
	h := open(t, until(began, ended), Options{})
	c := h.dial()
	a, b := c.clone(), c.clone()
	c.write(msg("op", "eval", "id", "a1", "session", a, "code", "a1"))
	c.write(msg("op", "eval", "id", "a2", "session", a, "code", "a2"))
	assert.Equal(t, "a1", <-began)
	c.write(msg("op", "eval", "id", "b1", "session", b, "code", "b1"))
	assert.Equal(t, "b1", <-began, "a2 waits for a1")
	c.ask("op", "interrupt", "session", a, "interrupt-id", "a2", "id", "i") // while it waits
	c.write(msg("op", "interrupt", "session", a, "id", "j"))
	for seen := 0; seen < 3; {
		if d := c.read(); d.is("done") {
			seen++
			assert.NotEqual(t, "b1", d.text("id"))
		}
	}
	c.write(msg("op", "close", "session", b))
	for seen := 0; seen < 2; { // the end of b1 and that of its session
		if d := c.read(); d.is("done") {
			seen++
			assert.True(t, d.is("interrupted") || d.is("session-closed"))
		}
	}
	assert.Len(t, ended, 2, "a2 never began")
}

func TestEvaluationsEndWithTheirClient(t *testing.T) {
	began, ended := make(chan string), make(chan error)
	h := open(t, until(began, ended), Options{})
	c := h.dial()
	c.write(msg("op", "eval", "code", "x"))
	<-began
	require.NoError(t, c.nc.Close())
	assert.ErrorIs(t, <-ended, errGone)
}

// Texts that wait take bounded room, and the refusal says what to do.
func TestTextsThatWaitAreBounded(t *testing.T) {
	began, ended := make(chan string, 40), make(chan error, 40)
	h := open(t, until(began, ended), Options{})
	c := h.dial()
	s := c.clone()
	code := strings.Repeat("x", 1_000_000)
	for range 40 {
		c.write(msg("op", "eval", "session", s, "code", code))
	}
	assert.Contains(t, c.read().text("err"), "no room for more at the moment; try again later")
	require.NoError(t, c.nc.Close())
	assert.Error(t, <-ended, "the connection was closed")
}

func TestEvaluationsHaveTheirTime(t *testing.T) {
	began, ended := make(chan string, 1), make(chan error, 1)
	h := open(t, until(began, ended), Options{EvalTimeout: time.Millisecond})
	all := h.dial().ask("op", "eval", "code", "x")
	assert.Equal(t, "cortex/limit", joined(all, "ex"))
	assert.Contains(t, joined(all, "err"), "too long")
}

// What runs when the server is closed has its grace and is then told so.
func TestCloseWaitsAndThenStops(t *testing.T) {
	began, ended := make(chan string, 1), make(chan error, 1)
	h := open(t, until(began, ended), Options{Grace: time.Millisecond})
	c := h.dial()
	c.write(msg("op", "eval", "code", "x"))
	<-began
	require.NoError(t, h.server.Close())
	assert.ErrorIs(t, <-ended, cortex.ErrClosed)
	all := c.answers()
	assert.Contains(t, joined(all, "err"), "stopping")
	assert.True(t, all[len(all)-1].is("interrupted"))
	c.closed()
	_, err := os.Lstat(h.path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestAPanicEndsOneEvaluation(t *testing.T) {
	h := open(t, func(context.Context, string, func(repl.Result) error) error { panic("ouch") }, Options{})
	c := h.dial()
	all := c.ask("op", "eval", "code", "x")
	assert.Equal(t, "cortex/failed", joined(all, "ex"))
	assert.NotContains(t, joined(all, "err"), "ouch")
	assert.Contains(t, h.log.String(), "ouch")
	c.alive()
}

func TestLongOutputTakesSeveralMessages(t *testing.T) {
	text := strings.Repeat("zwölf €\n", 20_000)
	h := open(t, func(_ context.Context, _ string, each func(repl.Result) error) error {
		return each(repl.Result{Out: text, Value: sexpr.Str(text)})
	}, Options{MaxValue: 300_000})
	all := h.dial().ask("op", "eval", "code", "x")
	assert.Equal(t, text, joined(all, "out"))
	assert.Greater(t, len(all), 10)
	for _, d := range all {
		assert.LessOrEqual(t, len(d.text("out")), chunk)
		assert.Equal(t, strings.ToValidUTF8(d.text("out"), "?"), d.text("out"), "no character is cut")
	}
	assert.Len(t, joined(all, "value"), len(sexpr.Str(text).String()))

	h = open(t, func(_ context.Context, _ string, each func(repl.Result) error) error {
		return each(repl.Result{Value: sexpr.Str(text)})
	}, Options{MaxValue: 1000})
	all = h.dial().ask("op", "eval", "code", "x")
	assert.Equal(t, "cortex/limit", joined(all, "ex"))
	assert.Empty(t, joined(all, "value"))
}

// Who has said all it has to say still hears the answers.
func TestAClientThatOnlyListensHearsItsAnswers(t *testing.T) {
	h := open(t, nil, Options{})
	c := h.dial()
	c.write(msg("op", "eval", "code", "(+ 20 3)"))
	require.NoError(t, c.nc.CloseWrite())
	assert.Equal(t, "23", joined(c.answers(), "value"))
	c.closed()
}
