package nearby_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/reason/nearby"
	"github.com/opencortex-go/cortex/sexpr"
)

func read(t *testing.T, text string) sexpr.Value {
	t.Helper()
	v, err := sexpr.Read("", text)
	require.NoError(t, err)
	return v
}

func TestEditsComeInOrder(t *testing.T) {
	s := nearby.Search{Values: nearby.Literals(read(t, `(and (> action.args.n 10) (under? action.args.p "/tmp"))`))}
	var got []string
	for e := range s.Edits(read(t, `(:n 12 :f t :p "a b" :l ("x"))`)) {
		got = append(got, e.Args.String())
	}
	assert.Equal(t, []string{
		`(:f t :p "a b" :l ("x"))`, `(:n 12 :p "a b" :l ("x"))`, `(:n 12 :f t :l ("x"))`, `(:n 12 :f t :p "a b")`,
		`(:n 12 :f t :p "a b" :l nil)`,
		`(:n 12 :f false :p "a b" :l ("x"))`,
		`(:n 11 :f t :p "a b" :l ("x"))`, `(:n 10 :f t :p "a b" :l ("x"))`, `(:n 9 :f t :p "a b" :l ("x"))`,
		`(:n 12 :f t :p "b" :l ("x"))`, `(:n 12 :f t :p "a" :l ("x"))`,
		`(:n 12 :f t :p "/tmp" :l ("x"))`, `(:n 12 :f t :p "/tmp/x" :l ("x"))`,
		`(:n 12 :f t :p "a b" :l ("/tmp"))`, `(:n 12 :f t :p "a b" :l ("/tmp/x"))`,
	}, got)
}

func TestFirstStopsAtItsBound(t *testing.T) {
	args := read(t, `(:a 1 :b (:c 2))`)
	e, tried, ok := nearby.Search{}.First(args, func(e nearby.Edit) bool { return e.Path == "b.c" })
	require.True(t, ok)
	assert.Equal(t, 3, tried)
	assert.Equal(t, `drop :b.c (it is 2)`, e.String())
	assert.Equal(t, `(:a 1 :b {})`, e.Args.String())
	_, tried, ok = nearby.Search{Most: 2}.First(args, func(nearby.Edit) bool { return false })
	assert.False(t, ok)
	assert.Equal(t, 2, tried)
	e, _, _ = nearby.Search{Values: []sexpr.Value{sexpr.Int64(5)}}.First(args,
		func(e nearby.Edit) bool { return !e.Dropped })
	assert.Equal(t, "set :a to 4 (it is 1)", e.String())
}

// Two values that rules name may lead to the same number: it is tried once, and the
// arguments as they are not at all.
func TestNoEditComesTwice(t *testing.T) {
	var got []string
	for e := range (nearby.Search{Values: []sexpr.Value{sexpr.Int64(10), sexpr.Int64(11)}}).Edits(read(t, "(:n 10)")) {
		got = append(got, e.Args.String())
	}
	assert.Equal(t, []string{"{}", "(:n 9)", "(:n 11)", "(:n 12)"}, got)
}

// With words for each place, an edit can be told without a word of the arguments.
func TestEditsThatCanBeTold(t *testing.T) {
	s := nearby.Search{Of: func(at []sexpr.Value) (nearby.Own, bool) {
		switch sexpr.ListOf(at...).String() {
		case `("n")`:
			return nearby.Own{Values: []sexpr.Value{sexpr.Int64(10)}}, true
		case `("cmd")`:
			return nearby.Own{Words: []string{"force", "origin", "/tmp"}}, true
		case `("p")`, `("l" 0)`:
			return nearby.Own{Words: []string{"/work/**/*.go", "~/", "~/x", "/"}, Values: []sexpr.Value{sexpr.Str("a*")}}, true
		}
		return nearby.Own{}, false
	}}
	var got []string
	for e := range s.Edits(read(t, `(:n 12 :f t :cmd "git --force push --force" :p "/etc/a b" :l ("/x/" "y"))`)) {
		got = append(got, e.Told().String()+" "+e.New.String())
	}
	assert.Equal(t, []string{
		`(:at ("n") :drop t) nil`, `(:at ("cmd") :drop t) nil`, `(:at ("p") :drop t) nil`, `(:at ("l" 0) :drop t) nil`,
		`(:at ("n") :set 11) 11`, `(:at ("n") :set 10) 10`, `(:at ("n") :set 9) 9`,
		`(:at ("cmd") :without "--force") "git push"`,
		`(:at ("cmd") :folder "/tmp") "/tmp/git --force push --force"`,
		`(:at ("p") :folder "/work") "/work/a b"`, `(:at ("p") :folder "~/x") "~/x/a b"`,
		`(:at ("p") :set "a*") "a*"`, `(:at ("l" 0) :set "a*") "a*"`,
	}, got)
}

func TestLowerFindsTheGreatestNumber(t *testing.T) {
	all := func([]sexpr.Value) (nearby.Own, bool) { return nearby.Own{}, true }
	for _, c := range []struct {
		args string
		most int64
		want string
	}{
		{`(:n 1000)`, 317, `(:n 317)`}, {`(:n 1000)`, 0, ""}, {`(:n 1000)`, 1, `(:n 1)`}, {`(:n 1000)`, 5000, `(:n 999)`},
		{`(:n 10.5)`, 50, `(:n 10)`}, {`(:n 1)`, 5, ""}, {`(:n -3)`, 5, ""}, {`(:n 9007199254740994)`, 5, ""},
		{`(:n 9007199254740992)`, 12345678901, `(:n 12345678901)`}, {`(:s "x" :o (:n 7))`, 3, `(:s "x" :o (:n 3))`},
	} {
		asked := 0
		e, ok := nearby.Search{Of: all}.Lower(read(t, c.args), func(e nearby.Edit) bool {
			asked++
			return e.New.Int() <= c.most
		})
		assert.Equal(t, c.want != "", ok, c.args)
		if ok {
			assert.Equal(t, c.want, e.Args.String())
		}
		assert.LessOrEqual(t, asked, 54)
	}
}
