package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chat is a place whose model knows a few answers, and one that never comes.
func chat(t *testing.T) place {
	t.Helper()
	pl := newPlace(t)
	pl.write("script.lisp", `
(:reply "pong" :when ("ping") :repeat t)
(:reply "seen: Grüße, мир — 日本 👍" :when ("Grüße, мир — 日本 👍") :repeat t)
(:reply "red \u{1b}[31malert\u{7} \u{202e}txt \u{9b}2J" :when ("evil") :repeat t)
(:hang t :when ("think") :repeat t)
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "echo far >> effects")) :explanation "paint it") :when ("paint"))
(:reply "painted" :when ("exit") :repeat t)
`)
	return pl
}

func pair(t *testing.T, pl place) {
	t.Helper()
	out, err := command(pl, "approvals", "pair", "--dir", "state", "--secret", "secret").CombinedOutput()
	require.NoError(t, err, string(out))
}

// The REPL on a terminal, as its manual: continuation lines, completion, history,
// a paste, letters of the world, an interrupt.
func TestReplOnATerminal(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open("cortex repl; stty -a | grep -o ' icanon'; cat")
	s.shows(`
cortex VERSION
(help) lists the forms, Tab completes, Ctrl-D leaves
cortex>`)
	// A form goes on as long as a parenthesis is open, also in a string or comment.
	s.types("(+ 1 ; one (")
	s.types("   (* 2 3))")
	s.says("7\ncortex>")
	s.types("(given-up")
	s.says("cortex> (given-up")
	s.press("C-c")
	s.says("(given-up\n\ncortex>")
	s.types(`"two`)
	s.types(`lines"`)
	s.says("\"two\\nlines\"\ncortex>")
	s.types("(+ * 1")
	s.press("C-c")
	s.shows(`
cortex VERSION
(help) lists the forms, Tab completes, Ctrl-D leaves
cortex> (+ 1 ; one (
           (* 2 3))
7
cortex> (given-up

cortex> "two
        lines"
"two\nlines"
cortex> (+ * 1

cortex>`)
	s.press("C-l")
	s.shows("cortex>")
	// Tab completes what is common and lists the rest; the letter behind it stays.
	s.press("(appro", "Tab")
	s.shows("cortex> (approv\napproval  approvals  approve")
	s.press("als", "Tab")
	s.types(")")
	s.shows("cortex> (approvals)\nnothing waits for an answer\ncortex>")
	s.press("(rule 'guard/wri", "Tab")
	s.says("cortex> (rule 'guard/writes-far")
	s.types(")")
	s.says("writes far away")
	s.press("C-l")
	// In the middle of a word, and where nothing is known.
	s.press("(sta)", "Left", "Tab")
	s.says("starts-with?  status")
	s.press("tus")
	s.says("cortex> (status)")
	s.press("C-c")
	s.says("cortex> (status)\ncortex>")
	s.press("(zzz", "Tab")
	s.says("cortex> (zzz")
	s.press("C-c", "C-c", "(+ 20 2)") // in one go: no key behind Ctrl-C is lost
	s.says("cortex> (+ 20 2)")
	s.press("Enter")
	s.says("22\ncortex>")
	s.press("C-l")
	// History: up, and search.
	s.press("Up")
	s.shows("cortex> (+ 20 2)")
	s.press("C-c")
	s.press("C-r")
	s.press("approvals")
	s.says("(inc-search): approvals")
	s.press("Enter")
	s.says("nothing waits for an answer\ncortex>")
	s.press("C-l")
	// Letters of the world, of one and of two columns.
	s.types(`(say "Grüße, мир — 日本 👍")`)
	s.shows(`
cortex> (say "Grüße, мир — 日本 👍")
seen: Grüße, мир — 日本 👍
cortex>`)
	s.press("C-l")
	// A paste stays together until Enter.
	s.paste("(+ 1\n   (* 2 3)) ; c (\n(say \"ping\")\n\"é\"", true)
	s.shows(`
cortex> (+ 1
           (* 2 3)) ; c (
        (say "ping")
        "é"`)
	s.press("Enter")
	s.says("7\npong\n\"é\"\ncortex>")
	s.press("C-l")
	// A model that thinks is interrupted, and the REPL goes on.
	s.types(`(say "think")`)
	s.says(`(say "think")`)
	s.insists("C-c", "interrupted by")
	s.types("(+ 40 2)")
	s.says("42\ncortex>")
	s.press("C-d")
	s.says(" icanon") // the terminal is as it was
}

// A key that means something to the editor is kept while a form is evaluated, and
// the terminal takes none for itself.
func TestReplKeepsKeysTypedAhead(t *testing.T) {
	pl := chat(t)
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "cat gate")) :explanation "wait") :when ("slow"))
(:reply "went on" :when ("exit") :repeat t)
`)
	makeFifo(t, pl.path("work/gate"))
	pl.start()
	s := pl.open("cortex repl; cat")
	s.asks("(+ 1 1)", "2")
	s.types(`(say "slow")`)
	gate, err := os.OpenFile(pl.path("work/gate"), os.O_WRONLY, 0) // when the form is at it
	require.NoError(t, err)
	s.press("C-r", "1 1")
	require.NoError(t, gate.Close())
	s.says("(inc-search): 1 1")
	s.press("Enter", "Enter")
	s.says("(+ 1 1)\n2\ncortex>")
}

// What is typed before an answer is there, or pasted by a terminal that does not
// say so, is not lost.
func TestReplKeepsWhatIsTypedAhead(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open("cortex repl")
	s.says("cortex>")
	s.press("C-l")
	s.paste("(+ 1 1)\n(+ 2\n 2)\n(say \"ping\")\n(+ 3 3)\n", false)
	s.says("6\ncortex>")
	assert.Regexp(t, `(?s)\n2\n.*\n4\n.*\npong\n.*\n6\ncortex>`, s.look())
}

// On the last row of the screen nothing is drawn over: neither the answer above
// the prompt, nor the first lines of a long form, nor what completion lists.
func TestReplAtTheBottomOfTheScreen(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.openRows("cortex repl; cat", 8)
	s.says("cortex>")
	s.types("help")
	s.shows(`
      Loads the rule files again. On an error the rules in force stay.
  (kill-switch t|nil)
      Turns the refusal of everything on, or, as an operator, off.

*, ** and *** are the last three results. (help 'NAME) describes one name, (apro
pos "TEXT") searches.
cortex>`)
	s.types("(+ 1")
	s.types("2")
	s.types("3")
	s.types("4)")
	s.shows(`
pos "TEXT") searches.
cortex> (+ 1
        2
        3
        4)
10
cortex>`)
	s.press("(appro", "Tab")
	s.shows(`
pos "TEXT") searches.
cortex> (+ 1
        2
        3
        4)
10
cortex> (approv
approval  approvals  approve`)
	s.press("C-c")
	s.says("cortex> (approv\ncortex>")
	s.press(`"a line that is wider than the screen, so that it takes two rows, äöü and 日本 too"`)
	s.says(`cortex> "a line that is wider than the screen, so that it takes two rows, äöü an`)
	s.press("Enter")
	s.shows(`
10
cortex> (approv
cortex> "a line that is wider than the screen, so that it takes two rows, äöü an
d 日本 too"
"a line that is wider than the screen, so that it takes two rows, äöü and 日本 t
oo"
cortex>`)
}

// Words are no form, and what a person would do next is said.
func TestReplSaysHowToSay(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open("cortex repl; echo the REPL is over; cat")
	s.says("cortex>")
	s.press("C-l")
	s.asks("don't panic (now",
		"error 1:1: this is text and not a form\nto say it to the model: (say \"don't panic (now\")")
	s.asks("hello", "error 1:1: unknown name hello\nto say it to the model: (say \"hello\")")
	s.asks(")", "error 1:1: found ')', expected a datum")
	s.asks("(no-such-name 1)", "error 1:2: unknown operator or function no-such-name")
	s.press("C-l")
	s.types("help")
	s.says("searches.\ncortex>")
	s.types("quit")
	s.says("the REPL is over")
}

// What models and tools write cannot drive the terminal.
func TestW24_ReplShowsNoControlCharacters(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open("cortex repl")
	s.says("cortex>")
	s.press("C-l")
	s.types(`(say "evil")`)
	s.shows(`
cortex> (say "evil")
red \u{1b}[31malert\u{7} \u{202e}txt \u{9b}2J
cortex>`)
}

// Forms that take an operator go over the approval socket by themselves; the
// prompt says when nothing is allowed. The terminal has the token.
func TestReplIsAnOperatorsDesk(t *testing.T) {
	pl := chat(t)
	pair(t, pl)
	pl.start()
	s := pl.open("cortex repl --secret secret")
	s.says("cortex>")
	s.press("C-l")
	s.types(`(say "paint")`)
	s.says("held for")
	s.press(`(approve "`, "Tab")
	s.says("(approve \"")
	s.types(`")`)
	s.says("approved")
	s.says("(1 of 1 of operator)")
	s.asks("(+ 5 5)", "10")
	s.asks("(+ 5 6)", "11")
	assert.NotContains(t, s.look(), "approved by", "what was decided here is not news")
	s.press("C-l")
	s.types("(kill-switch t)")
	s.says("cortex KILLED>")
	s.types("(+ 1 1)")
	s.says("2\ncortex KILLED>")
	s.types("(kill-switch nil)")
	s.says("the kill switch is off\ncortex>")
	s.press("C-l")
	s.asks("(+ 1 2)", "3")
	s.types("(set-fact 'size *)") // * is the same on both sockets
	s.says("size *)\n")
	s.says("\ncortex>")
	s.press("C-l")
	s.types("(facts)")
	s.says("(:size 3)\ncortex>")
}

// What becomes of cards elsewhere is shown before the next prompt, and nothing is
// drawn over what is being typed.
func TestReplShowsCardsBetweenLines(t *testing.T) {
	pl := chat(t)
	pair(t, pl)
	pl.start()
	s := pl.open("cortex repl --secret secret")
	s.says("cortex>")
	s.press("C-l")
	s.types("(set-fact 'mood \"good\")") // the first form that takes an operator
	s.says("\ncortex>")
	s.press("C-l")
	s.press("(+ 1")
	s.shows("cortex> (+ 1")
	elsewhere := func(form string) string {
		out, err := command(pl, "repl", "--socket", pl.path("run/c.sock"), "--secret", "secret", form).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	elsewhere(`(say "paint")`)
	s.shows("cortex> (+ 1")
	s.types(" 1)")
	s.until(func(now string) bool {
		return strings.HasSuffix(now, "\ncortex>")
	}, func(now string) { assert.Fail(t, "no answer", now) })
	enters := func(want string) { // it may be on its way, so line after line is typed, each when the last is answered
		t.Helper()
		for n := 0; !strings.Contains(s.look(), want) && n < 200; n++ {
			line := fmt.Sprintf(`"line %d"`, n)
			s.types(line)
			s.until(func(now string) bool {
				return strings.Count(now, line) == 2 && strings.HasSuffix(now, "\ncortex>")
			}, func(now string) { assert.Fail(t, "no answer", now) })
		}
		s.says(want)
	}
	enters("echo far >> effects")
	token := regexp.MustCompile(`:token "(\w+)"`).FindStringSubmatch(elsewhere("(approvals)"))
	require.NotNil(t, token)
	s.press("C-l")
	s.shows("cortex>")
	elsewhere(`(deny "` + token[1] + `" "not on my wall")`)
	enters("  denied by operator: \"not on my wall\"\n")
}

// A person who asked for something sees what was refused on the way, and, when their
// card has been answered, what ran and what the model said then: at once if they
// answer it in this session, else before the next prompt.
func TestReplShowsTheAskerWhatBecameOfACard(t *testing.T) {
	pl := chat(t)
	pl.write("script.lisp", `
(:form (:type :request :target :tool :payload (:tool "shell" :args (:cmd "cd /; echo far >> effects")) :explanation "paint it") :when ("paint") :repeat t)
(:reply "as you like" :when ("it was refused: not on my wall") :repeat t)
(:reply "painted" :when ("exit") :repeat t)
(:reply "what now?" :repeat t)
`)
	pair(t, pl)
	pl.start()
	s := pl.open("cortex repl --secret secret")
	s.says("cortex>")
	s.press("C-l")
	s.types(`(say "paint")`)
	s.says("held for")
	s.press(`(approve "`, "Tab")
	s.types(`")`)
	s.says("(1 of 1 of operator)")
	s.says("shell ")
	s.says("\npainted\ncortex>") // the screen holds an earlier prompt, too
	s.press("C-l")
	s.shows("cortex>")
	s.types(`(say "paint")`)
	s.shows("cortex> (say \"paint\")\nheld for TOKEN: writes far away\ncortex>")
	out, err := command(pl, "repl", "--json", "--socket", pl.path("run/c.sock"), "(approvals)").CombinedOutput()
	require.NoError(t, err, string(out))
	token := regexp.MustCompile(`"token":"(\w+)"`).FindStringSubmatch(string(out))
	require.NotNil(t, token, string(out))
	out, err = command(pl, "repl", "--session", "elsewhere", "--socket", pl.path("run/c.sock"), "--secret", "secret",
		`(deny "`+token[1]+`" "not on my wall")`, `(outcome "`+token[1]+`" :wait t)`).CombinedOutput()
	require.NoError(t, err, string(out))
	s.press("C-l")
	s.shows("cortex>")
	s.types("(+ 1 2)")
	s.shows("cortex> (+ 1 2)\n3\nTOKEN  denied by operator: \"not on my wall\"\nas you like\ncortex>")
}

// One form on a terminal is printed for people, and for programs where they ask.
func TestReplPrintsOneFormForPeople(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open(`cortex repl "(say \"ping\")" '(approvals)'; cortex repl --json '(+ 1 2)'; cortex repl '(+ 1 2)' | cat; cat`)
	s.shows("pong\nnothing waits for an answer\n{\"value\":3}\n3")
}

// Without a file the secret is typed, and not shown.
func TestReplSecretIsTypedUnseen(t *testing.T) {
	pl := chat(t)
	pair(t, pl)
	secret, err := os.ReadFile(pl.path("secret"))
	require.NoError(t, err)
	pl.start()
	s := pl.open("cortex repl")
	s.says("cortex>")
	s.press("C-l")
	s.types("(set-fact 'mood \"good\")")
	s.says("pairing secret:")
	s.press("C-c") // who has none gives up
	s.says("error 1:1: no pairing secret was typed\ncortex>")
	s.press("C-l")
	// else the old one is taken for the new
	s.until(func(now string) bool {
		return !strings.Contains(now, "pairing secret:")
	}, func(now string) { assert.Fail(t, "not cleared", now) })
	s.types("(set-fact 'mood \"good\")")
	s.says("pairing secret:")
	s.types("wrong")
	s.says("error 1:1: this is not the pairing secret")
	s.types("(set-fact 'mood \"good\")")
	s.until(func(now string) bool {
		return strings.Count(now, "pairing secret:") == 2
	}, func(now string) { assert.Fail(t, "not asked again", now) })
	s.types(strings.TrimSpace(string(secret)))
	s.says("mood")
	s.types("(facts)")
	s.says("good")
	assert.NotContains(t, s.look(), strings.TrimSpace(string(secret)))
	kept, err := os.ReadFile(pl.path("home/cortex/repl-history"))
	require.NoError(t, err)
	assert.NotContains(t, string(kept), strings.TrimSpace(string(secret)))
}

// A daemon that goes and comes again: the prompt says so, nothing is tried twice,
// and * is still there.
func TestReplOutlivesTheDaemon(t *testing.T) {
	pl := chat(t)
	d := pl.start()
	s := pl.open("cortex repl")
	s.says("cortex>")
	s.press("C-l")
	s.types("(+ 20 2)")
	s.says("22\ncortex>")
	d.signal(syscall.SIGTERM)
	assert.Zero(t, d.end())
	s.says("22\ncortex>")
	s.types("(+ * 1)")
	s.says("cortex no daemon>")
	pl.start("--no-live")
	s.types("(+ * 1)")
	s.shows(`
cortex> (+ 20 2)
22
cortex> (+ * 1)
error 1:1: the daemon does not answer
cortex no daemon> (+ * 1)
connected again: the daemon was gone
23
cortex dry>`)
}

// A daemon that restarts between inputs is noticed only in a line.
func TestReplConnectsAgain(t *testing.T) {
	pl := chat(t)
	d := pl.start()
	s := pl.open("cortex repl")
	s.says("cortex>")
	s.press("C-l")
	d.signal(syscall.SIGKILL)
	assert.Equal(t, -1, d.end())
	pl.start()
	s.types("(+ 1 2)")
	s.shows("cortex> (+ 1 2)\nconnected again: the daemon was gone\n3\ncortex>")
}

// Whatever ends the program leaves the terminal usable.
func TestReplLeavesTheTerminalAsItWas(t *testing.T) {
	pl := chat(t)
	pl.start()
	for _, how := range []string{"TERM", "HUP"} {
		s := pl.open("sh -c 'echo $$ > pid; exec cortex repl'; stty -a | grep -o ' icanon'; cat")
		s.says("cortex>")
		pid, err := os.ReadFile(pl.path("pid"))
		require.NoError(t, err)
		require.NoError(t, exec.Command("kill", "-"+how, strings.TrimSpace(string(pid))).Run())
		s.says(" icanon")
	}
}

// On a terminal that can do nothing there are no escape codes.
func TestReplOnADumbTerminal(t *testing.T) {
	pl := chat(t)
	pl.start()
	s := pl.open("TERM=dumb cortex repl; cat")
	s.says("cortex>")
	s.types("(+ 1")
	s.types("2)")
	s.shows(`
cortex VERSION
(help) lists the forms, Tab completes, Ctrl-D leaves
cortex> (+ 1
2)
3
cortex>`)
}
