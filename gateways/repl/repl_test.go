package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

const testRules = `(deflist secret-paths "**/.env")
(deftool shell :doc "Run a command." :params (:cmd command) :required (:cmd) :tier :allow :effect :external)
(deftool risky :doc "Something risky." :params (:what string) :tier :ask)
(defskill guard :doc "Keeps files." :priority 10 :gate ((deny no-rm :when (and (= action.tool "shell") (some (shell action.args.cmd) (= it.name "rm"))) :reason "nothing is deleted")))`

// desk is an engine whose tool remembers what it did, and two people at it.
type desk struct {
	*cortex.Engine
	plain, operator *Session
	rules           fstest.MapFS
	mu              sync.Mutex
	done            []string
	fail            error // of the next calls
}

func newDesk(t testing.TB, script string) *desk {
	t.Helper()
	d := &desk{rules: fstest.MapFS{"rules.lisp": {Data: []byte(testRules)}}}
	p, err := model.NewScripted("script", "script.lisp", script)
	require.NoError(t, err)
	d.Engine, err = cortex.Open(t.Context(), cortex.Options{
		Live: true, Rules: d.rules, Models: cortex.Models{Providers: []model.Provider{p}},
		Tools: []act.Tool{
			{Schema: &skills.Tool{Name: "shell"}, Actuator: act.Func(d.act)},
			{Schema: &skills.Tool{Name: "risky"}, Actuator: act.Func(d.act)},
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	r := New(Options{Engine: d.Engine, Version: "1.2.3", MaxOut: 20_000, MaxValue: 50_000})
	peer := perceive.Peer{Source: "repl", Principal: "ann", Session: "repl/ann/main"}
	d.plain = r.Session(Caller{Peer: peer})
	peer.Operator = true
	d.operator = r.Session(Caller{Peer: peer,
		Approver: &cortex.Approver{Name: "operator", Classes: []string{"operator"}, Via: "repl"}})
	return d
}

func (d *desk) act(_ context.Context, c act.Call) (act.Receipt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, c.Action.Canonical())
	if d.fail != nil {
		return act.Receipt{}, d.fail
	}
	return act.Receipt{State: act.Done, Result: sexpr.Str("did it")}, nil
}

// eval evaluates a text of one form.
func eval(s *Session, src string) (out Result, err error) {
	err = s.EvalText(context.Background(), "test", src, func(r Result) error { out = r; return nil })
	return out, err
}

func value(t testing.TB, s *Session, src string) string {
	t.Helper()
	r, err := eval(s, src)
	require.NoError(t, err, src)
	return r.Value.String()
}

func TestRow094_Calculator(t *testing.T) {
	d := newDesk(t, "")
	assert.Equal(t, "3", value(t, d.plain, "(+ 1 2)"))
	for src, want := range map[string]string{
		`(upper "abc")`: `"ABC"`, `(= 1 1)`: "t", `(= 1 2)`: "false", "'(1 2)": "(1 2)",
		`(map (shell "ls; rm x") it.name)`: `("ls" "rm")`, "7": "7", `"x"`: `"x"`, "nil": "nil",
		`(shell "cat $X")`: "", `'(:a 1)`: "(:a 1)", `(glob-any? "x/.env" secret-paths)`: "t", "session.principal": `"ann"`,
	} {
		if got := value(t, d.plain, src); want != "" {
			assert.Equal(t, want, got, src)
		}
	}
	assert.Contains(t, value(t, d.plain, `(map (shell "cat $X") it.operands)`), ":unknown")
	for src, want := range map[string]string{`(+ 1 "a")`: CodeSyntax, "(/ 1 0)": CodeFailed, "(nope)": CodeUnknown,
		"nope": CodeUnknown, "(aprove 1)": CodeUnknown, "status": CodeSyntax, "(+ 1": CodeSyntax, "#.(+ 1 2)": CodeSyntax,
		"action.tool": CodeFailed} {
		_, err := eval(d.plain, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, want, e.Code, "%s: %v", src, err)
	}
	// State persists, and an error leaves it.
	s := d.plain
	value(t, s, "(+ 40 2)")
	_, err := eval(s, "(nope)")
	require.Error(t, err)
	assert.Equal(t, "43", value(t, s, "(+ * 1)"))
	assert.Equal(t, "(43 42)", value(t, s, "(map '(0 1) (if (= it 0) * **))"))
	assert.Equal(t, "6", value(t, s, "(* 2 3)"), "at the head * multiplies")
	r, err := eval(s, "(status)")
	require.NoError(t, err)
	assert.Contains(t, r.Out, "live")
	assert.Contains(t, value(t, s, "*"), `:version "1.2.3"`)
}

func TestForms(t *testing.T) {
	d := newDesk(t, `(:reply "hello ann") (:reply "(:type :request :payload (:tool \"risky\" :args (:what \"x\")))") (:reply "it is done") (:reply "and that")`)
	for _, x := range []struct{ src, value, out string }{
		{"(version)", `"1.2.3"`, ""},
		{"(help)", "nil", "(decide '(:tool"},
		{"(help 'decide)", ":name \"decide\"", "Judges an action"},
		{"(help 'under?)", ":name \"under?\"", "under?"},
		{"(help 'guard/no-rm)", ":file \"rules.lisp\"", "guard/no-rm  rules.lisp:4"},
		{"(help 'shell)", "", "("},
		{`(apropos "approv")`, `"approve"`, "approvals"},
		{"(skills)", `:name "guard"`, "Keeps files."},
		{"(rules)", `:id "guard/no-rm"`, "deny"},
		{"(rules 'guard)", `:line 4`, ""},
		{"(rule 'guard/no-rm)", `:form "(deny no-rm`, "; rules.lisp:4:"},
		{"(rule 'guard)", `(defskill guard`, ""},
		{`(decide '(:tool "shell" :args (:cmd "ls")))`, ":decision :allow", "allow  tier/shell"},
		{`(decide '(:action (:tool "shell" :args (:cmd "rm x")) :explanation "tidy"))`,
			`:key "guard/no-rm"`, "nothing is deleted (rules.lisp:4"},
		{`(decide '(:type :request :target :tool :payload (:tool "shell" :args (:cmd "ls"))))`, ":decision :allow", ""},
		{`(say "hi")`, `:text "hello ann"`, "hello ann"},
		{`(signal '(:type :event :payload (:sensor :user-input :text "do it")))`, ":approval", "held for approval"},
		{"(approvals)", `:tool "risky"`, "asked by"},
		{"(approvals :all t)", `:state "pending"`, ""},
		{"(facts)", "nil", ""},
		{"(doubts)", "nil", "nothing is in doubt"},
		{"(compensations)", "nil", "no compensation has failed"},
		{"(interrupt)", "0", "stopped 0"},
		{"(journal)", ":kind \"decision\"", "signal"},
		{"(journal :last 2)", ":seq", ""},
		{"(journal :from 1 :last 1)", ":seq 1", "[more: (journal :from 2)]"},
		{"(journal 1)", ":kind \"open\"", "hash"},
		{"(verify)", ":ok t", "every one as it was written"},
		{"(replay)", ":differences nil", "0 differences"},
		{"(kill-switch t)", "t", "on: nothing is allowed"},
	} {
		r, err := eval(d.plain, x.src)
		require.NoError(t, err, x.src)
		assert.Contains(t, r.Value.String(), x.value, x.src)
		assert.Contains(t, r.Out, x.out, x.src)
		_, err = sexpr.Print(r.Value)
		require.NoError(t, err, x.src)
	}
	assert.Equal(t, "false", value(t, d.operator, "(kill-switch nil)"))
	id := value(t, d.plain, `(decide '(:tool "shell" :args (:cmd "rm x")))`)
	_, rest, _ := strings.Cut(id, ":id ")
	n, _, _ := strings.Cut(rest, " ")
	r, err := eval(d.plain, "(explain "+n+")")
	require.NoError(t, err)
	assert.Contains(t, r.Out, "guard/no-rm")
	assert.Contains(t, value(t, d.plain, "(replay "+n+")"), ":decisions 1")
	for src, code := range map[string]string{
		"(explain 1)": CodeFailed, "(explain 99999)": CodeNotFound, "(journal 99999)": CodeNotFound,
		"(rule 'nope)": CodeNotFound, "(help 'nope)": CodeNotFound,
		`(approval "nope")`: CodeNotFound, "(journal :first 2)": CodeSyntax, "(say)": CodeSyntax, "(say 7)": CodeSyntax,
		"(decide 7)": CodeSyntax, "(kill-switch 1)": CodeRefused,
		`(decide '(:tool "x" :session (:principal "root")))`:             CodeRefused,
		`(decide '(:tool "x" :facts (:env ())))`:                         CodeRefused,
		`(decide '(:tool "shell" :approved t))`:                          CodeRefused,
		`(signal '(:type :request :target :shell :payload (:cmd "ls")))`: CodeRefused, `(verify "x")`: CodeSyntax,
		`(signal '(:type :event :payload (:sensor :tool-output)))`: CodeRefused,
	} {
		_, err := eval(d.plain, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, code, e.Code, "%s: %v", src, err)
	}
}

// A plain caller changes nothing that takes the secret.
func TestRow095_PlainCallerIsRefused(t *testing.T) {
	d := newDesk(t, "")
	r, err := eval(d.plain, `(decide '(:tool "risky" :args (:what "x")))`)
	require.NoError(t, err)
	token := r.Value.GetText("approval")
	require.NotEmpty(t, token)
	before := d.Rules().Policy().Hash()
	for _, src := range []string{
		fmt.Sprintf("(approve %q)", token), fmt.Sprintf("(deny %q)", token), fmt.Sprintf("(edit %q '(:what \"y\"))", token),
		"(reload)",
		"(set-fact 'x 1)", `(end-session "s")`, "(kill-switch nil)", "(settle 1 :happened)", "(kill-switch)", "(approve)",
		`(compensate 1 '(:tool "shell" :args (:cmd "ls")))`,
	} {
		_, err := eval(d.plain, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, CodeRefused, e.Code, src)
		assert.ErrorContains(t, err, "approval socket", src)
	}
	// As plain words they are words.
	_, err = eval(d.plain, fmt.Sprintf(`(say "/approve %s")`, token))
	require.NoError(t, err)
	a, err := d.Approvals().Get(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, cortex.Pending, a.State)
	assert.Equal(t, before, d.Rules().Policy().Hash())
	assert.True(t, d.Operations().Facts().IsNil())

	assert.Equal(t, "(:x 1)", value(t, d.operator, "(set-fact 'x 1)"))
	assert.Equal(t, `"s"`, value(t, d.operator, `(end-session "s")`))
	_, err = eval(d.operator, "(end-session)")
	require.Error(t, err)
	assert.Equal(t, "1", value(t, d.plain, "facts.ctx.x"))
	assert.Contains(t, value(t, d.operator, fmt.Sprintf("(edit %q '(:what \"y\"))", token)), ":decision :ask")
	r, err = eval(d.plain, `(decide '(:tool "risky" :args (:what "z")))`)
	require.NoError(t, err)
	assert.Contains(t, value(t, d.operator, fmt.Sprintf("(approve %q)", r.Value.GetText("approval"))), `:state "approved"`)
	r, err = eval(d.plain, `(decide '(:tool "risky" :args (:what "w")))`)
	require.NoError(t, err)
	assert.Contains(t, value(t, d.operator, fmt.Sprintf("(deny %q \"no\")", r.Value.GetText("approval"))), `:why "no"`)
	require.NoError(t, func() error { _, err := eval(d.operator, "(reload)"); return err }())
	assert.Empty(t, d.done, "deciding and approving by hand runs nothing")
}

// No form is a way around the gates.
func TestW14_NoFormReachesAnActuator(t *testing.T) {
	d := newDesk(t, strings.Repeat(`(:reply "(:type :request :payload (:tool \"shell\" :args (:cmd \"rm x\")))")`, 12))
	for _, src := range []string{
		`(shell "rm x")`, `(eval "rm x")`, `(tool "shell" :cmd "rm x")`, `(act '(:tool "shell" :args (:cmd "rm x")))`,
		`(begin 1)`, `(dispatch 1)`,
		`(decide '(:tool "shell" :args (:cmd "rm x") :approved t))`,
		`(decide '(:tool "shell" :args (:cmd "rm x")))`, `(decide '(:tool "shell" :args (:cmd "ls")))`,
		`(signal '(:type :request :target :shell :payload (:cmd "rm x")))`,
		`(signal '(:type :event :meta (:source :system) :payload (:action :eval :code "x")))`,
		`(signal '(:type :event :approved t :approved-action (:tool "shell" :args (:cmd "rm x")) :payload (:sensor :user-input :text "x")))`,
		`(say "rm x")`, `#.(run "rm x")`, `(load "/etc/passwd")`, `(let ((x (shell "rm x"))) (len x))`, "action",
		"(get facts \"env\")",
	} {
		_, _ = eval(d.plain, src)
		_, _ = eval(d.operator, src)
	}
	assert.Empty(t, d.done)
}

func TestOutputIsBounded(t *testing.T) {
	d := newDesk(t, "")
	for range 60 {
		_, err := eval(d.plain, fmt.Sprintf(`(decide '(:tool "shell" :args (:cmd "echo %s")))`, strings.Repeat("x", 900)))
		require.NoError(t, err)
	}
	r, err := eval(d.plain, "(journal :last 1000)")
	require.NoError(t, err)
	assert.Contains(t, r.Out, "[more: (journal :from")
	assert.Less(t, len(r.Value.String()), 60_000)
	// What is cut is still text, though the cut may fall into a character.
	for i := range 4 {
		_, err := eval(d.operator, fmt.Sprintf("(set-fact 'x %q)", strings.Repeat("x", i)+strings.Repeat("é€", 800)))
		require.NoError(t, err)
		s := New(Options{Engine: d.Engine, MaxOut: 3000}).Session(d.plain.c)
		r, err := eval(s, "(journal "+fmt.Sprint(d.Journal().Last())+")")
		require.NoError(t, err)
		assert.True(t, utf8.ValidString(r.Out))
		assert.Contains(t, r.Out, "[cut")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.plain.Eval(ctx, sexpr.ListOf(sexpr.Sym("+"), sexpr.Int64(1), sexpr.Int64(2)))
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CodeInterrupted, e.Code)
}

// A line of text cannot take a core, or the memory, of the daemon.
func TestRow095_FormsAreBounded(t *testing.T) {
	crashtest.Long(t)
	d := newDesk(t, "")
	list := "'(" + strings.Repeat("1 ", 90) + ")"
	nested := func(body string) string { return "(map " + list + " (map " + list + " " + body + "))" }
	big := strings.Repeat("x", 200_000)
	r := New(Options{Engine: d.Engine, MaxTime: 20 * time.Millisecond})
	bounded := func(s *Session, src, why string) {
		t.Helper()
		_, err := eval(s, src)
		var e *Error
		if assert.ErrorAs(t, err, &e, "%.80s", src) {
			assert.Equal(t, CodeLimit, e.Code, "%.80s: %v", src, err)
			assert.ErrorContains(t, err, why, "%.80s", src)
		}
	}
	// Time.
	quick := r.Session(d.plain.c)
	for _, body := range []string{fmt.Sprintf(`(matches? %q "(x+)*y")`, big),
		fmt.Sprintf(`(contains? (upper %q) "y")`, big), fmt.Sprintf(`(len %q)`, big)} {
		bounded(quick, nested(body), "took longer than 20ms")
	}
	// Size: a short form gives a result of gigabytes, if it is let.
	s := New(Options{Engine: d.Engine, MaxTime: time.Minute}).Session(d.plain.c) // however busy the machine is
	value(t, s, fmt.Sprintf("%q", big))
	bounded(s, nested("*"), "longer than 3145728 bytes")
	value(t, s, "1")
	value(t, s, list)
	bounded(d.plain, "'("+strings.Repeat("7 ", 30_000)+")", "longer than 50000 bytes")
	// Text that is made on the way and thrown away again.
	_, err := eval(s, fmt.Sprintf("(len %s)", nested(fmt.Sprintf("(upper %q)", big))))
	assert.ErrorContains(t, err, "too much text")
	// Patterns that take much memory.
	var many strings.Builder
	for i := range 400 {
		fmt.Fprintf(&many, ` (matches? "a" "%d%s")`, i, strings.Repeat("(.{999})", 60))
	}
	_, err = eval(s, "(or"+many.String()+")")
	assert.ErrorContains(t, err, "instructions")
	// What an error quotes.
	for _, src := range []string{big, "(" + big + ")", "(help '" + big + ")", `(approval "` + big + `")`, "'(" + big} {
		_, err := eval(s, src)
		require.Error(t, err)
		assert.Less(t, len(err.Error()), 11_000)
	}
	// Somebody who stops waiting stops the work.
	ctx, cancel := context.WithCancel(t.Context())
	busy, err := sexpr.Reader{Code: true}.Read("test", nested(fmt.Sprintf(`(matches? %q "(x+)*y")`, big)))
	require.NoError(t, err)
	done := make(chan error)
	go func() { _, err := s.Eval(ctx, busy); done <- err }()
	cancel()
	var e *Error
	require.ErrorAs(t, <-done, &e)
	assert.Equal(t, CodeInterrupted, e.Code)
}

// Every card is on one page, and pages are no longer than may be.
func TestApprovalsHavePages(t *testing.T) {
	d := newDesk(t, "")
	var want, got []string
	for i := range 60 {
		r, err := eval(d.plain, fmt.Sprintf(`(decide '(:tool "risky" :args (:what "%d %s")))`, i, strings.Repeat("x", 900)))
		require.NoError(t, err)
		want = append(want, r.Value.GetText("approval"))
	}
	for from := int64(0); ; {
		r, err := eval(d.plain, fmt.Sprintf("(approvals :from %d)", from))
		require.NoError(t, err)
		if r.Value.Len() == 0 {
			break
		}
		for _, a := range r.Value.Items() {
			got, from = append(got, a.GetText("token")), a.GetInt("decision")+1
		}
		if len(got) < len(want) {
			assert.Contains(t, r.Out, fmt.Sprintf("[%d more: (approvals :from ", len(want)-len(got)))
		}
		r, err = eval(d.plain, fmt.Sprintf("(approvals :all t :from %d)", from))
		require.NoError(t, err)
		assert.Equal(t, len(got) < len(want), r.Value.Len() > 0)
	}
	assert.Equal(t, want, got)
	for _, src := range []string{"(approvals :from)", "(approvals :from -1)", "(approvals :all nil)", "(approvals 1 2)"} {
		_, err := eval(d.plain, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		assert.Equal(t, CodeSyntax, e.Code)
	}
}

func TestComplete(t *testing.T) {
	d := newDesk(t, "")
	assert.Equal(t, []string{"approval", "approvals", "approve", "apropos"}, d.plain.Complete("ap"))
	assert.Contains(t, d.plain.Complete("guard"), "guard/no-rm")
	assert.Contains(t, d.plain.Complete("every-"), "every-or-empty")
	assert.Contains(t, d.plain.Complete(""), "session")
	r, err := eval(d.plain, `(decide '(:tool "risky" :args (:what "x")))`)
	require.NoError(t, err)
	token := r.Value.GetText("approval")
	assert.Equal(t, []string{token}, d.plain.Complete(token[:6]))
	_, ok := d.plain.Lookup("nope")
	assert.False(t, ok)
}

// Sessions are side by side; one is used by one client.
func TestSessionsSideBySide(t *testing.T) {
	d := newDesk(t, "")
	r := New(Options{Engine: d.Engine})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := r.Session(Caller{Peer: perceive.Peer{Source: "repl", Principal: "ann", Session: fmt.Sprint("repl/ann/", i)}})
			for range 30 {
				_, err := eval(s, fmt.Sprintf("(+ %d 1)", i))
				assert.NoError(t, err)
				got, err := eval(s, "(* * 2)")
				assert.NoError(t, err)
				assert.Equal(t, fmt.Sprint((i+1)*2), got.Value.String())
			}
		})
	}
	wg.Wait()
}

func FuzzEval(f *testing.F) {
	for _, src := range []string{"(+ 1 2)",
		"(help 'decide)", "(journal :last 3)", "'(1 2)", "* ** ***", "(decide '(:tool \"x\"))", "(let ((x 1)) x)",
		"(apropos \"a\")", "(shell \"a|b\")", "(rule 'x)"} {
		f.Add(src)
	}
	d := newDesk(f, "")
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Contains(src, "kill-switch") || strings.Contains(src, "say") || strings.Contains(src, "signal") {
			return // fine, and slow
		}
		err := d.plain.EvalText(t.Context(), "fuzz", src, func(r Result) error {
			if len(r.Out) > 20_200 || over(r.Value, 50_000) {
				t.Errorf("%q: a result of %d bytes of text", src, len(r.Out))
			}
			if _, err := sexpr.Print(r.Value); err != nil {
				t.Errorf("%q: %v", src, err)
			}
			return nil
		})
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.Contains(err.Error(), "mistake in Cortex") ||
			!utf8.ValidString(err.Error()) || len(err.Error()) > 50_000) {
			t.Errorf("%q: %v", src, err)
		}
	})
}

func BenchmarkEval(b *testing.B) {
	d := newDesk(b, "")
	for _, src := range []string{"(+ 1 2)", "(status)", `(decide '(:tool "shell" :args (:cmd "ls -l")))`} {
		b.Run(strings.Fields(strings.Trim(src, "()"))[0], func(b *testing.B) {
			for b.Loop() {
				if _, err := eval(d.plain, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
