package rules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition"
)

const shellTool = `(deftool shell :params (:cmd command :timeout (integer 1 300) :opts (object (:deep boolean)) :tags (list string) :|userId| string) :required (:cmd)) `

// TestLoadErrors: what a file says and what loading answers, word for word.
func TestLoadErrors(t *testing.T) {
	skill := func(clause string) string { return "(defskill s :gate (" + clause + "))" }
	on := func(cond string) string {
		return shellTool + `(defskill s :trigger (= action.tool "shell") :gate ((deny x :when ` + cond + `)))`
	}
	rows := []struct{ text, want string }{
		// files and definitions
		{`(defskill`, `a.lisp:1:1: (defskill at 1:1 is never closed; found the end of the text, expected one more ')'`},
		{"\n  5", `a.lisp:2:3: found an integer, expected a definition such as (defskill name ...)`},
		{`("defskill" x)`, `a.lisp:1:1: found a list, expected a definition`},
		{`(defskil x)`, `a.lisp:1:1: unknown definition defskil; did you mean defskill?`},
		{`(defskill)`, `a.lisp:1:1: defskill has no name`},
		{`(defskill :x)`, `a.lisp:1:11: defskill has no fit name`},
		{`(defskill "a/b")`, `a.lisp:1:11: defskill has no fit name`},
		{`(defskill x :gaet ())`, `a.lisp:1:13: unknown key :gaet in defskill x; did you mean :gate?`},
		{`(defskill x :doc)`, `a.lisp:1:13: :doc in defskill x has no value`},
		{`(defskill x "doc")`, `a.lisp:1:13: found a string where a key of defskill x is due`},
		{`(defskill x :doc "a" :doc "b")`, `a.lisp:1:22: :doc stands twice in defskill x`},
		{`(defskill x :doc 5)`, `a.lisp:1:18: :doc is 5, expected a string`},
		{`(defskill x :priority "high")`, `a.lisp:1:23: :priority is "high", expected an integer from`},
		{`(defskill x :mandatory yes)`, `a.lisp:1:24: :mandatory is yes, expected t or nil`},
		{`(defskill x :gate 5)`, `a.lisp:1:19: :gate is 5, expected a list of clauses`},
		{`(defskill x) (defskill x)`, `a.lisp:1:24: defskill x is defined twice, first at a.lisp:1:11`},
		{`(defskill tier)`, `a.lisp:1:11: the name tier is built in`},
		{`(defskill invariant)`, `a.lisp:1:11: the name invariant is built in`},
		// clauses
		{skill(`5`), `found 5, expected a clause`},
		{skill(`(dny x)`), `unknown kind of clause dny; did you mean deny?`},
		{skill(`(deny)`), `found (deny), expected a clause`},
		{skill(`(deny trigger)`), `the deny clause has no fit name`},
		{skill(`(deny a) (ask a)`), `s has two clauses a, the first at`},
		{skill(`(deny a :wehn t)`), `unknown key :wehn in deny a; did you mean :when?`},
		{skill(`(deny a :quorum 2)`), `unknown key :quorum in deny a`},
		{skill(`(ask a :quorum 0)`), `:quorum is 0, expected an integer from 1 to 100`},
		{skill(`(ask a :approvers "ana")`), `:approvers is "ana", expected a class of people such as :operator`},
		{skill(`(deny a :reason why)`), `:reason is why, expected a string`},
		{skill(`(rewrite a)`), `rewrite a has no :set, expected arguments such as (:timeout 30)`},
		{skill(`(rewrite a :set 5)`), `:set is 5, expected arguments`},
		{skill(`(rewrite a :set (:mode :fast))`), `:fast`},
		{skill(`(rewrite a :set (:a 1 :a 2))`), `"a" a second time`},
		{shellTool + `(defskill s :trigger (= action.tool "shell") :gate ((rewrite a :set (:timeuot 30))))`,
			`:timeuot is not among the :params; did you mean :timeout?`},
		// defaults
		{`(defaults :unknown-tool :allow)`,
			`a.lisp:1:25: a tool that nobody declared is never allowed, expected :ask or :deny`},
		{`(defaults :unknown-tool :dney)`, `:unknown-tool is :dney, expected :ask or :deny`},
		{`(defaults :unknown-tools :deny)`, `unknown key :unknown-tools in defaults; did you mean :unknown-tool?`},
		{`(defaults :unknown-tool :ask) (defaults :unknown-tool :deny)`,
			`a.lisp:1:31: these defaults disagree with those at a.lisp:1:1`},
		// tools
		{`(deftool a) (deftool a)`, `deftool a is defined twice`},
		{`(deftool send_it) (deftool |Send_It|)`, `the tools Send_It and send_it differ by case alone`},
		{`(deftool reply)`, `a.lisp:1:10: the tool reply is built in`},
		{`(deftool a :params (:x strng))`, `unknown kind strng; did you mean string?`},
		{`(deftool a :params (:x (integr 1 2)))`, `unknown kind integr; did you mean integer?`},
		{`(deftool a :params (:x (integer 5 1)))`, `found (integer 5 1), expected the least and the greatest value`},
		{`(deftool a :params (:x (integer 0.5 1)))`, `expected the least and the greatest value`},
		{`(deftool a :params (:x (enum a)))`, `found a, expected strings, each once`},
		{`(deftool a :params (:x (enum)))`, `an enum has words`},
		{`(deftool a :params (:x (list)))`, `found (list), expected (list K)`},
		{`(deftool a :params (:x (object (:k string) :requird (:k))))`, `expected (object (:k K ...) :required (:k ...))`},
		{`(deftool a :params (:x 5))`, `found 5, expected a kind such as string`},
		{`(deftool a :params (x string))`, `found a symbol, expected the name of a parameter such as :cmd`},
		{`(deftool a :params (:x))`, `found (:x), expected names with their kinds`},
		{`(deftool a :params (:x string :x string))`, `the parameter :x is declared twice`},
		{`(deftool a :params (:x string :|X| string))`, `the parameters x and |X| differ by case alone`},
		{`(deftool a :params (:cmd string) :required (:cdm))`, `:cdm is not among the :params; did you mean :cmd?`},
		{`(deftool a :params (:cmd string) :secret (:key))`, `:key is not among the :params`},
		{`(deftool a :tier :maybe)`, `:tier is :maybe, expected :allow, :ask or :deny`},
		{`(deftool a :effect :some)`, `:effect is :some, expected :none, :local or :external`},
		{`(deftool a :output :safe)`, `:output is :safe, expected :trusted, :untrusted or :mixed`},
		{`(deftool a :output (:x :safe))`, `expected fields of the output, each :trusted or :untrusted`},
		{`(deftool a :spends (:money :amount))`, `:amount is not among the :params`},
		{`(deftool a :params (:amount string) :spends (:money :amount))`, `:amount is not a number, so it cannot be spent`},
		{`(deftool a :spends 5)`, `found 5, expected budgets`},
		{`(deftool a :class :pays)`, `found :pays as a class, expected :book, :comm, :create, :delete, :grant, :pay, :run or :update; did you mean pay?`},
		{`(deftool a :class (:pay "comm"))`, `found "comm" as a class`},
		{`(deftool a :class ())`, `found nil, expected one or more of :book`},
		{`(deftool a :effect :none :class :pay)`, `a tool whose :effect is :none only reads, and has no :class`},
		{`(deftool a :class :run :output :trusted)`, `what a program prints is never trusted whole`},
		{`(deftool a :nouns (mail))`,
			`found (mail), expected what the tool's calls are about, as strings: ("mail" "message")`},
		{`(deftool a :nouns "mail")`, `expected what the tool's calls are about`},
		{`(deftool a :params (:to string) :roles (:to :recipient))`, `found :recipient as a role, expected :amount, :code`},
		{`(deftool a :params (:to string) :roles (:too :principal))`, `:too is not among the :params; did you mean :to?`},
		{`(deftool a :params (:to string) :roles (:to))`, `found (:to), expected arguments, each with its role`},
		{`(deftool a :params (:to string) :roles (:to :id :to :id))`, `:to has two roles`},
		{`(deftool a :params (:to boolean) :roles (:to :principal))`,
			`:to is a boolean, which is a :flag or a :permission and no :principal`},
		{skill(`(reject x :when (= (origin action.args.to) "proze"))`),
			`"proze" is none of the words that this may be: :user, :rule, :trusted`},
		{skill(`(reject x :when (in (origin action.args.to) (:zone :alien :recrod)))`), `did you mean record?`},
		{skill(`(reject x :when (> (commanded :alein) 1))`),
			`by of commanded is :any, :alien, :unpointed, :pointed or :delegated`},
		{skill(`(reject x :when (some (arguments) (= it.role "principle")))`), `did you mean principal?`},
		{`(lexicon)`, `lexicon takes the paths of files of words`},
		{`(lexicon "none.words")`, `a.lisp:1:10: open none.words: file does not exist`},
		{`(lexicon "../x.words")`, `a.lisp:1:10: "../x.words" leaves the folder of the rules`},
		// lists
		{`(deflist a "x") (deflist a "y")`, `deflist a is defined twice`},
		{`(deflist action "x")`, `the name action is built in`},
		{`(deflist len "x")`, `the name len is built in`},
		{`(deflist shell "x")`, `the name shell is built in`},
		{`(deflist a.b "x")`, `a name here has no dot`},
		{`(deflist a b)`, `a.lisp:1:12: a deflist holds strings and numbers, found a symbol`},
		{`(deflist a ("b"))`, `a deflist holds strings and numbers, found a list`},
		// conditions and schemas
		{on(`(= action.args.cmdd "x")`), `shell has no cmdd; did you mean cmd?`},
		{on(`(= action.args.userid "x")`), `the name is spelled |userId|; write it so`},
		{on(`(= action.args.cmd 5)`), `a string and an integer are never equal`},
		{on(`(< action.args.timeout "5")`), `an integer and a string cannot be compared`},
		{on(`action.args.cmd`), `found a string, expected a condition`},
		{on(`(some action.args.cmd t)`), `found a string, expected a list`},
		{on(`(= action.args.opts.dep t)`), `the object has no dep; did you mean deep?`},
		{on(`(some action.args.tags (= it 5))`), `a string and an integer are never equal`},
		{on(`(matches? action.args.timeout "5")`), `found an integer, expected a string`},
		{on(`(= (get action.args.timeout "none") 5)`), `the default is a string, but action.args.timeout is a integer`},
		{shellTool + skill(`(deny x :when (= action.args.userid "x"))`), `the name is spelled |userId|; write it so`},
		{shellTool + skill(`(deny x :when (and (= action.tool "shell") (= action.args.nope "x")))`), `shell has no nope`},
		{shellTool + skill(`(deny x :when (= action.tool "Shell"))`), `the tool is spelled "shell", not "Shell"`},
		{shellTool + skill(`(deny x :when (in action.tool ("ls" "Shell")))`), `the tool is spelled "shell", not "Shell"`},
		{skill(`(deny x :when "action.tool == ")`), `a.lisp:1:49: the text ends where a value is due`},
		{skill(`(deny x :when "len(nope) > 1")`), `a.lisp:1:39: unknown name nope`},
		{skill(`(deny x :when "now() > 1")`), `unknown function now`},
		{skill(`(deny x :when "(action.tool ?? 'x') == 'x'")`), `the operator ?? is not part of rule conditions`},
		{skill(`(deny x :when "action?.tool == 'x'")`), `?. would make what is missing nil`},
		{skill(`(deny x :when "action.args.x == nil")`), `nil means two things; write null`},
		{skill(`(deny x :when "action.args.list[0] == 'x'")`), `a member is named by a literal string`},
		{skill(`(deny x :when "1..5 == [1]")`), `the operator .. is not part`},
		{skill(`(deny x :when "reduce(pets, #acc + #) == 1")`), `unknown function reduce`},
		{skill(`(deny x :when "action.text()")`), `only functions can be called`},
		{skill(`(deny x :when "{'a': 1} == action.args")`), `an object with members cannot be written`},
		{skill(`(deny x :when "action.tool[1:2] == 'x'")`), `this is not part of rule conditions`},
		{skill(`(deny x :when "` + strings.Repeat("(", 65) + strings.Repeat(")", 65) + `")`),
			`brackets at depth 65, expected at most 64`},
		{skill(`(deny x :when "'` + strings.Repeat("a", condition.MaxText) + `' == 'b'")`),
			`bytes of text, expected at most 4096`},
		{skill(`(deny x :when (matches? action.text "` + strings.Repeat("a", condition.MaxPattern+1) + `"))`),
			`a pattern of 1025 bytes, expected at most 1024`},
		{skill(`(deny x :when (some action.args.a (some action.args.b (= it 1))))`), `at worst deny s/x takes`},
		{skill(`(deny x :when (some action.args.a (some (shell it) t)))`), `at worst deny s/x takes`},
		// invariants and examples
		{`(definvariant a :reason "x")`, `definvariant a has no :holds, expected a condition`},
		{`(definvariant a :holds 5)`, `found an integer, expected a condition`},
		{`(definvariant a :holds t) (definvariant a :holds t)`, `definvariant a is defined twice`},
		{`(defexample x :action (:tool "a") :expect (deny))`, `defexample begins with what it shows, as a string`},
		{`(defexample "x" :action 5 :expect (deny))`, `:action is 5, expected a proposal`},
		{`(defexample "x" :action (:tool "a") :expect (dney))`, `:expect is (dney), expected (allow), (ask) or (deny)`},
		{`(defskill s :gate ((deny no))) (defexample "x" :action (:tool "a") :expect (deny s/on))`,
			`nothing has the key s/on; did you mean s/no?`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :session (:principle "x"))`,
			`unknown key :principle in defexample x; did you mean :principal?`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :facts (:env 5))`, `:env is 5, expected a plist`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :session (:covers ((:sources (0)))))`,
			`has no :tool, expected the name of a tool`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :session (:user "u" :covers ((:tool "a" :sources (2)))))`,
			`expected a list of places in the session, 0 to 1`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :session (:calls ((:args ()))))`,
			`has no :tool, expected the name of a tool`},
		{`(defexample "x" :action (:tool "a") :expect (deny) :session (:attached ((:nam "x"))))`,
			`unknown key :nam in defexample x; did you mean :name?`},
		// includes
		{`(include)`, `include takes the path of one file`},
		{`(include "../x.lisp")`, `a.lisp:1:10: "../x.lisp" leaves the folder of the rules`},
		{`(include "/etc/x.lisp")`, `leaves the folder of the rules`},
		{`(include "none.lisp")`, `a.lisp:1:10: open none.lisp: file does not exist`},
		{`(include "a.lisp")`, `a.lisp:1:10: a cycle: a.lisp includes a.lisp`},
	}
	for _, row := range rows {
		_, err := Load(folder(t, "a.lisp", row.text))
		if assert.Error(t, err, row.text) {
			var list ErrorList
			require.ErrorAs(t, err, &list)
			assert.Contains(t, err.Error(), row.want, row.text)
		}
	}
}

// All errors of all files come at once, in the order of the files and places.
func TestEveryErrorAtOnce(t *testing.T) {
	_, err := Load(folder(t,
		"b.lisp", "(defskill b :gate ((deny x :when (= actio.tool 1))\n  (deny y :when (foo))\n  (deny z :when (and "+
			"(len) (upper 5)))))",
		"a.lisp", `(deftool x :tier :mabe) (deflist l a) (defskill a :trigger 5)`,
	))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	var places []string
	for _, e := range list {
		places = append(places, fmt.Sprintf("%s:%s", e.File, e.Pos))
	}
	assert.Equal(t, []string{"a.lisp:1:18",
		"a.lisp:1:36", "a.lisp:1:60", "b.lisp:1:37", "b.lisp:2:18", "b.lisp:3:22", "b.lisp:3:35"}, places)
	assert.Equal(t, "    (deny y :when (foo))\n                   ^", list[4].Caret())
	assert.Len(t, list.Unwrap(), len(list))

	var one *Error
	require.ErrorAs(t, err, &one)
	assert.Equal(t, "a.lisp", one.File)
}

func TestErrorsInsideTextPointIntoTheFile(t *testing.T) {
	_, err := Load(folder(t,
		"a.lisp", "(defskill s :gate ((deny x :when\n   \"action.tool == \\\"a\\\" and\n  nope == 1\")))"))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	assert.Equal(t, `a.lisp:3:3: unknown name nope; if it is text, write "nope"`, list[0].Error())
	assert.Equal(t, "    nope == 1\")))\n    ^", list[0].Caret())
}

// A file that cannot be read hides names; who uses them is not to blame.
func TestABrokenFileIsReportedAlone(t *testing.T) {
	_, err := Load(folder(t,
		"a.lisp", `(defskill a :gate ((deny x :when (in action.tool names))))`, "b.lisp", `(deflist names "x"`))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	assert.Equal(t, "b.lisp", list[0].File)
}

func TestTooManyErrorsEnd(t *testing.T) {
	_, err := Load(folder(t, "a.lisp", strings.Repeat("(foo)\n", 1000)))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, maxErrors+1)
	assert.Contains(t, err.Error(), "and 800 more errors")
	_, err = Load(folder(t,
		"a.lisp", "(defskill s :gate ((deny x :when (and "+strings.Repeat("actionn.tool ", 50_000)+"))))"))
	require.ErrorContains(t, err, "more errors")
}

func TestIncludes(t *testing.T) {
	fs := folder(t,
		"a.lisp",
		`(include "lib/tools.lisp") (include "b.lisp") (defskill a :gate ((deny x :when (in action.tool names))))`,
		"b.lisp", `(include "lib/tools.lisp")`,
		"lib/tools.lisp", `(include "names.lisp") (deftool ls)`,
		"lib/names.lisp", `(deflist names "rm")`,
		"lib/other.lisp", `(deftool never)`,
	)
	b, err := Load(fs)
	require.NoError(t, err, "a file that is included twice, and found in the root, is loaded once")
	var names []string
	for _, f := range b.Files() {
		names = append(names, f.Path)
	}
	assert.ElementsMatch(t, []string{"a.lisp", "b.lisp", "lib/tools.lisp", "lib/names.lisp"}, names)
	_, declared := b.Tool("never")
	assert.False(t, declared, "a folder below the root is reached by include alone")
	assert.Equal(t, []string{"deny a/x"}, judge(t, b, call(t, "rm", "()"), nil))

	_, err = Load(folder(t, "a.lisp", `(include "b.lisp")`, "b.lisp", `(include "a.lisp")`))
	require.ErrorContains(t, err, "a cycle: a.lisp includes b.lisp includes a.lisp")

	chosen, err := Loader{}.Load(Root{FS: fs, Files: []string{"b.lisp"}})
	require.NoError(t, err)
	assert.Len(t, chosen.Files(), 3)

	_, err = Loader{}.Load(Root{})
	require.ErrorContains(t, err, "no folder is given")
	_, err = Load(os.DirFS(t.TempDir() + "/gone"))
	require.Error(t, err, "a folder that is not there is not an empty one")

	two := folder(t)
	for i := range 3 {
		two[fmt.Sprintf("f%d.lisp", i)] = &fstest.MapFile{Data: []byte(";")}
	}
	_, err = Loader{Limits: Limits{Files: 2}}.Load(Root{FS: two})
	require.ErrorContains(t, err, "more than 2 files")
}

func TestEmptyRulebooks(t *testing.T) {
	for _, text := range []string{"", "; nothing\n", `(deflist a "x")`, `#| (defskill x) |#`} {
		b := load(t, text)
		assert.True(t, b.Empty(), text)
		assert.NotEmpty(t, b.Tools(), "reply is declared")
	}
	b, err := Load()
	require.NoError(t, err)
	assert.True(t, b.Empty())
	for _, text := range []string{`(defskill a)`,
		`(deftool a)`, `(definvariant a :holds t)`, `(defaults :unknown-tool :ask)`} {
		assert.False(t, load(t, text).Empty(), text)
	}
	assert.Equal(t, skills.TierAsk, load(t, `(defskill a)`).UnknownTool())
	assert.Equal(t, skills.TierDeny,
		load(t, `(defaults :unknown-tool :deny) (defaults :unknown-tool :deny)`).UnknownTool())
}

// The hash names the bytes that were loaded, where they lay, and the limits.
func TestHash(t *testing.T) {
	hash := func(roots ...Root) sexpr.Digest {
		b, err := Loader{}.Load(roots...)
		require.NoError(t, err)
		return b.Hash()
	}
	one := func(kv ...string) Root { return Root{FS: folder(t, kv...)} }
	base := hash(one("a.lisp", "(deftool a)"))
	assert.Equal(t, base, hash(one("a.lisp", "(deftool a)")))
	others := map[string]sexpr.Digest{
		"another byte":               hash(one("a.lisp", "(deftool a) ")),
		"another name":               hash(one("b.lisp", "(deftool a)")),
		"another root":               hash(one(), one("a.lisp", "(deftool a)")),
		"one more file":              hash(one("a.lisp", "(deftool a)", "b.lisp", "")),
		"moved over":                 hash(one("a.lisp", "", "b.lisp", "(deftool a)")),
		"nothing":                    hash(),
		"a file that is not reached": base,
	}
	seen := map[sexpr.Digest]string{}
	for what, d := range others {
		if what == "a file that is not reached" {
			assert.Equal(t, base, hash(one("a.lisp", "(deftool a)", "sub/x.lisp", "(deftool b)")))
			continue
		}
		assert.NotEqual(t, base, d, what)
		assert.Empty(t, seen[d], "%s and %s", what, seen[d])
		seen[d] = what
	}
	other, err := Loader{Limits: Limits{Cost: 10}}.Load(one("a.lisp", "(deftool a)"))
	require.NoError(t, err)
	assert.NotEqual(t, base, other.Hash())
	given, err := Loader{Tools: []*skills.Tool{{Name: "x"}}}.Load(one("a.lisp", "(deftool a)"))
	require.NoError(t, err)
	assert.NotEqual(t, base, given.Hash())
	assert.Equal(t, "(deftool a)", string(given.Files()[0].Data))
}

func TestDeftool(t *testing.T) {
	b := load(t, `(deftool pay :doc "Pay." :params (:to string :amount (number 0 10.5) :n (integer 1 3) :on boolean :any any :e (enum "a" "b")
		:l (list (nullable string)) :o (object (:k host :q (sql postgres)) :required (:k)) :c command :p path :u url)
		:required (:to :amount) :tier :deny :effect :local :idempotent t :output (:from :trusted :body :untrusted)
		:spends (:money :amount :calls 1 :risk 0.5) :secret (:to)) (deftool plain) (deftool "a/b: c") (deftool |MixedCase| :output :trusted :tier :allow :effect :none)`)
	pay, ok := b.Tool("pay")
	require.True(t, ok)
	assert.Equal(t, `(:to string :amount (number 0 10.5) :n (integer 1 3) :on boolean :any any :e (enum "a" "b") :l (list (nullable string)) :o (object (:k host :q (sql postgres)) :required (:k)) :c command :p path :u url), required (:to :amount)`, pay.Signature())
	assert.Equal(t, skills.TierDeny, pay.Tier)
	assert.Equal(t, skills.EffectLocal, pay.Effect)
	assert.True(t, pay.Idempotent)
	assert.Equal(t, map[string]bool{"from": true, "body": false}, pay.Fields)
	assert.Equal(t, []skills.Spending{{Budget: "money", Arg: "amount"}, {Budget: "calls", Fixed: 1},
		{Budget: "risk", Fixed: 0.5}}, pay.Spends)
	assert.Equal(t, []string{"to"}, pay.Secret)
	plain, _ := b.Tool("plain")
	assert.Equal(t, skills.TierAsk, plain.Tier)
	assert.Equal(t, skills.EffectExternal, plain.Effect)
	assert.False(t, plain.Idempotent || plain.Trusted)
	mixed, ok := b.Tool("MixedCase")
	require.True(t, ok)
	assert.True(t, mixed.Trusted)
	assert.Equal(t, skills.TierAllow, mixed.Tier)
	names := []string{}
	for _, x := range b.Tools() {
		names = append(names, x.Name)
	}
	assert.Equal(t, []string{"MixedCase", "a/b: c", "ask_person", "pay", "plain", "reply"}, names)
}

// A tool that the program brings may be declared again by the rules, whose word
// then counts.
func TestGivenToolsAndDeftool(t *testing.T) {
	given := &skills.Tool{Name: "shell", Params: []skills.Param{{Name: "cmd"}}}
	b, err := Loader{Tools: []*skills.Tool{given,
		{Name: "other"}}}.Load(Root{FS: folder(t, "a.lisp", `(deftool shell :tier :deny)`)})
	require.NoError(t, err)
	shell, _ := b.Tool("shell")
	assert.Equal(t, skills.TierDeny, shell.Tier)
	_, ok := b.Tool("other")
	assert.True(t, ok)
	_, err = Loader{Tools: []*skills.Tool{given}}.Load(Root{FS: folder(t, "a.lisp", `(deftool |Shell|)`)})
	require.ErrorContains(t, err, "differ by case alone")
}

func TestExamplesAreJudgedByTheirOwnFile(t *testing.T) {
	var books []string
	loader := Loader{Judge: func(_ context.Context, e *Example) (Found, error) {
		p, proposal := e.Policy, e.Proposal
		var names []string
		for _, s := range p.Skills("") {
			names = append(names, s.Name)
		}
		for _, x := range p.Tools() {
			names = append(names, x.Name)
		}
		books = append(books, strings.Join(names, " ")+" "+p.UnknownTool().String()+" "+proposal.GetText("tool"))
		switch proposal.GetText("tool") {
		case "fails":
			return Found{}, errors.New("it fails")
		case "allowed":
			return Found{Kind: "allow", Key: "tier/allowed"}, nil
		}
		return Found{Kind: "deny", Key: "a/x"}, nil
	}}
	fs := folder(t,
		"a.lisp", `(include "lib/l.lisp") (defskill a :gate ((deny x))) (defexample "one" :action (:tool "rm") :expect (deny a/x))`,
		"b.lisp", `(defaults :unknown-tool :deny) (defskill b) (defexample "two" :action (:tool "allowed") :expect (allow))`,
		"lib/l.lisp", `(deftool rm)`)
	_, err := loader.Load(Root{FS: fs})
	require.NoError(t, err)
	assert.Equal(t, []string{"a ask_person reply rm ask rm", "b ask_person reply deny allowed"}, books)

	fs["c.lisp"] = &fstest.MapFile{Data: []byte(`
(defexample "three" :action (:tool "x") :expect (allow))
(defexample "four" :action (:tool "x") :expect (deny invariant/x))
(defexample "five" :action (:tool "fails") :expect (deny))`)}
	_, err = loader.Load(Root{FS: fs})
	require.ErrorContains(t, err, `nothing has the key invariant/x`)
	fs["c.lisp"].Data = []byte(strings.ReplaceAll(string(fs["c.lisp"].Data), "invariant/x", "tier/x"))
	_, err = loader.Load(Root{FS: fs})
	require.EqualError(t, err, `c.lisp:2:1: the example "three" does not hold: found (deny a/x), expected (allow)
c.lisp:3:1: the example "four" does not hold: found (deny a/x), expected (deny tier/x)
c.lisp:4:1: the example "five" could not be judged: it fails`)
}

func TestWhatAnExampleGives(t *testing.T) {
	var got *skills.Facts
	loader := Loader{Judge: func(_ context.Context, e *Example) (Found, error) {
		got = e.Facts
		return Found{Kind: "deny"}, nil
	}}
	_, err := loader.Load(Root{FS: folder(t, "a.lisp", `(deftool pay :params (:n integer) :spends (:money :n :calls 1))
		(defexample "x" :action (:tool "a") :expect (deny) :now 1000
		 :session (:id "s" :user "pay" :system "sys" :principal "bot" :roles ("a" "b")
		   :calls ((:tool "pay" :args (:n 5) :result "ok" :at 990) (:user "more") (:tool "pay" :args (:n 7) :error "no" :happened nil)))
		 :facts (:env (:cwd "/w")) :signal (:sensor :x :text "hi" :from "ana"))`)})
	require.ErrorContains(t, err, ":sensor is :x, expected a string")
	_, err = loader.Load(Root{FS: folder(t, "a.lisp", `(deftool pay :params (:n integer) :spends (:money :n :calls 1))
		(defexample "x" :action (:tool "a") :expect (deny) :now 1000
		 :session (:id "s" :user "pay" :system "sys" :principal "bot" :roles ("a" "b")
		   :calls ((:tool "pay" :args (:n 5) :result "ok" :at 990) (:user "more") (:tool "pay" :args (:n 7) :error "no" :happened nil)))
		 :facts (:env (:cwd "/w")) :signal (:sensor "x" :text "hi" :from "ana"))`)})
	require.NoError(t, err)
	require.NotNil(t, got)
	assert.Equal(t, int64(1000), got.Now)
	assert.Equal(t, []string{"a", "b"}, got.Session.Roles)
	require.Len(t, got.Session.Turns, 4)
	assert.Equal(t, "pay", got.Session.Turns[0].User)
	assert.Equal(t, int64(990), got.Session.Turns[1].Call.At)
	assert.Equal(t, "more", got.Session.Turns[2].User)
	assert.False(t, got.Session.Turns[3].Call.Happened)
	assert.Equal(t, []skills.Spend{{Budget: "money", Amount: 5, Session: "s", Tool: "pay", At: 990},
		{Budget: "calls", Amount: 1, Session: "s", Tool: "pay", At: 990}}, got.Spends)
	assert.Equal(t, "/w", got.Env.GetText("cwd"))
	assert.Equal(t, "ana", got.Signal.Principal)
}
