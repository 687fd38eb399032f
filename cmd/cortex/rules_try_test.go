package main

import (
	"testing"
)

// A place with rules to be tried.
func tryPlace(t *testing.T) place {
	t.Helper()
	pl := newPlace(t)
	pl.write("a.lisp", `
(deftool pay :doc "Pays." :params (:amount integer :to string :memo string) :required (:amount :to) :tier :allow)
(deflist friends "ana" "bob")
(defcondition big (x) (> x 100))
(defskill pay
  :trigger (= action.tool "pay")
  :gate ((rewrite cents :when (= action.args.amount 99) :set (:amount 100) :reason "whole sums")
         (deny much :when (big action.args.amount) :reason "too much")))
`)
	return pl
}

// Trying rules at a terminal: actions and forms, with kinds and parts; completion,
// history and line editing; and the terminal is left as it was.
func TestRulesTryOnATerminal(t *testing.T) {
	pl := tryPlace(t)
	s := pl.open("cortex rules try --rules a.lisp; stty -a | grep -o ' icanon'; cortex rules try --rules a.lisp; cat")
	s.shows("help says what can be typed, Tab completes, Ctrl-D leaves\ntry>")
	s.types(`(:tool "pay" :args (:amount 120`)
	s.types(`:to "ana"))`) // a form goes on as long as a parenthesis is open
	s.says("deny pay/much\n  too much\ntry pay>")
	s.types(`(and (big action.args.amount) (in action.args.to friends))`)
	s.says("t ; a boolean\n  (big action.args.amount) = t ; a boolean\n  (> action.args.amount 100) = t ; a boolean\n" +
		"  action.args.amount = 120 ; an integer\n" +
		"  (in action.args.to friends) = t ; a boolean\n  action.args.to = \"ana\" ; a string\ntry pay>")
	s.press("C-l")
	s.types(`(:tool "pay" :args (:amount 99 :to "ana"))`)
	s.says("allow tier/pay\n  rewritten: (:amount 100 :to \"ana\")\ntry pay>")
	s.press("C-l")
	s.types(`{"tool":"pay","args":{"amount":1,"to":"eve"}}`)
	s.says("allow tier/pay\ntry pay>")
	s.press("C-l")
	s.press("action.args.a", "Tab")
	s.says("try pay> action.args.amount")
	s.press("Enter")
	s.shows("try pay> action.args.amount\n1 ; an integer\ntry pay>")
	s.press(`(:tool "p`, "Tab")
	s.says(`try pay> (:tool "pay`)
	s.press("C-c")
	s.press("C-l")
	s.types("(> action.args.memo 3)") // an error names the part that it came from
	s.shows(`
try pay> (> action.args.memo 3)
error: action.args.memo is not there
  action.args.memo = error: action.args.memo is not there
try pay>`)
	s.press("C-l")
	s.types("amount over 100")
	s.says("error: this is text and not a form; help says what can be typed\ntry pay>")
	s.types("(:tool")
	s.types("))")
	s.says("error: 2:2: found ')', expected a datum\ntry pay>")
	s.press("C-l")
	s.types("help big")
	s.says("(big x)\n  A condition of the rule files.\ntry pay>")
	s.types("help friends")
	s.says("friends  a list of the rule files, with 2 elements\n  (\"ana\" \"bob\")\ntry pay>")
	s.types("help pay/much")
	s.says("pay/much  a.lisp:8:10\n")
	s.types("help nothing-such")
	s.says("error: nothing is called nothing-such; Tab completes names\ntry pay>")
	s.press("C-l")
	s.types("help")
	s.says("help NAME  describes")
	s.press("C-d")
	s.says(" icanon") // the terminal is as it was
	s.says("Ctrl-D leaves\ntry>")
	s.press("Up", "Up")
	s.says("try> help nothing-such") // what was typed is kept from one run to the next
}

// At a terminal that can do nothing there are no escape codes.
func TestRulesTryOnADumbTerminal(t *testing.T) {
	pl := tryPlace(t)
	s := pl.open(`TERM=dumb cortex rules try --rules a.lisp --action '(:tool "pay" :args (:amount 7 :to "ana"))'; echo left $?; cat`)
	s.says("try pay>")
	s.types("(+ action.args.amount")
	s.types("1)")
	s.says("8 ; an integer")
	s.types("quit")
	s.says("left 0")
}
