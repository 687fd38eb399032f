package mend_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/mend"
)

func read(t *testing.T, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Reader{Code: true}.Read("", text)
	require.NoError(t, err)
	return v
}

func names(t *testing.T) mend.Names {
	return mend.Names{
		List: func(name string) ([]sexpr.Value, bool) {
			if name != "friends" {
				return nil, false
			}
			return []sexpr.Value{sexpr.Str("ana"), sexpr.Str("bob")}, true
		},
		Definition: func(name string) ([]sexpr.Value, sexpr.Value, bool) {
			switch name {
			case "over?":
				return read(t, `(n most)`).Items(), read(t, `(> (abs n) most)`), true
			case "outside?":
				return read(t, `(who)`).Items(), read(t, `(not (some friends (= it (lower who.name))))`), true
			case "odd-source?":
				return read(t, `(v)`).Items(), read(t, `(not (trusted? v))`), true
			}
			return nil, sexpr.Nil(), false
		},
		Origin: func(f string) bool { return f == "trusted?" },
	}
}

func TestTheWordsOfARuleAndTheirArguments(t *testing.T) {
	for _, c := range []struct{ condition, want string }{
		{`(> action.args.amount 500)`, `amount = 500`},
		{`(and (= action.tool "pay") (> action.args.amount 500))`, `amount = 500`},
		{`(or (= session.principal "eve") (= action.args.kind :draft))`, `kind = "draft" draft`},
		{`(= facts.env.cwd "/x")`, ``},
		{`action.args.force`, `force =`},
		{`(not (under? action.args.path "/work"))`, `path = /work`},
		{`(not (in action.args.to friends))`, `to = "ana" "bob" ana bob`},
		{`(not (in action.args.to ("x" "y")))`, `to = "x" "y" x y`},
		{`(not (in action.args.to '("x")))`, `to = "x" x`},
		{`(some action.args.paths (not (under? it "/w")))`, `paths = /w`},
		{`(some (shell action.args.cmd) (flag? it "force"))`, `cmd = force`},
		{`(some (paths action) (under? it "/etc"))`, `* = /etc`},
		{`(over? action.args.amount 20)`, `amount = 20`},
		{`(outside? action.args.to)`, `to.name = "ana" "bob" ana bob, to =`},
		{`(let ((n action.args.n) (most 7)) (> n most))`, `n = 7`},
		{`(> action.args.n (if (= session.principal "eve") 5 50))`, `n = 5 50`},
		{`(has? action.args "cc")`, `cc =`}, {`(= (get action.args "cc" "no") "yes")`, `cc = "yes" no yes`},
		{`(> (+ action.args.amount (spent :money :day)) 1000)`, `amount = 1000 money day`},
		{`(no-call-since (= it.tool "edit") (= it.args.path action.args.path))`, `path =`},
		{`(starts-with? action.args.url "https://x")`, `url = https://x`},
	} {
		m, origin := mend.Read(names(t), read(t, c.condition))
		assert.Empty(t, origin, c.condition)
		var got []string
		for _, p := range m.Parts {
			line := p.At + " ="
			if p.At == "" {
				line = "* ="
			}
			for _, v := range p.Values {
				line += " " + v.String()
			}
			for _, w := range p.Words {
				line += " " + w
			}
			got = append(got, line)
		}
		assert.Equal(t, c.want, strings.Join(got, ", "), c.condition)
	}
}

func TestADenialThatRestsOnOriginIsTold(t *testing.T) {
	for _, c := range []string{
		`(not (trusted? action.args.to))`, `(and (> action.args.n 5) (odd-source? action.args.to))`,
		`(some action.args.list (not (trusted? it)))`, `(let ((x (trusted? action.args.to))) (not x))`,
		`(if (trusted? action.args.to) nil t)`,
	} {
		_, origin := mend.Read(names(t), sexpr.T(), read(t, c))
		assert.Equal(t, "trusted?", origin, c)
	}
}
