package reason

import (
	"context"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// bankRules is the folder of a small real rulebook.
var bankRules = os.DirFS("testdata/rules")

// The rule language and Decide together: what each clause of a real rulebook
// comes to.
func TestDecideWithARulebook(t *testing.T) {
	book, err := LoadRules(bankRules)
	require.NoError(t, err)
	cases := []struct {
		form string
		kind Kind
		key  string
		args string
	}{
		{`(:tool "shell" :args (:cmd "ls /workspace"))`, Allow,
			"shell-guard/looks-only", `(:cmd "ls /workspace" :timeout 30)`},
		{`(:type :request :target :shell :payload (:cmd "cat /workspace/.env"))`, Deny, "shell-guard/protected-path", ``},
		{`(:tool "shell" :args (:cmd "sudo ls /workspace"))`, Ask, "shell-guard/elevates", ``},
		{`(:tool "shell" :args (:cmd "go build"))`, Ask, "tier/shell", ``},
		{`(:tool "shell" :args (:cmd "cat $X"))`, Deny, "shell-guard/protected-path/error", ``},
		{`(:tool "shell" :args (:cmd "ls" :timeout 301))`, Deny, "schema/shell", ``},
		{`(:tool "send_money" :args (:recipient "x" :amount 900))`, Ask, "tier/send_money", ``},
		{`(:tool "send_money" :args (:recipient "x" :amount 901.5))`, Deny, "invariant/payments-stay-small", ``},
		{`(:tool "elsewhere")`, Ask, "default/unknown-tool", ``},
		{`(:tool "reply" :args (:text "hi"))`, Allow, "tier/reply", ``},
	}
	facts := &skills.Facts{
		Now: 1_700_000_000, Session: skills.Session{ID: "s", Principal: "p"},
		Env:      sexpr.Plist("cwd", sexpr.Str("/workspace")),
		Spends:   []skills.Spend{{Budget: "money", Amount: 100, Session: "s", At: 1_700_000_000}},
		Versions: map[string]uint64{"session/s": 4, "principal/p": 9},
	}
	for _, c := range cases {
		d := decide(t, book, c.form, func(r *Request) { r.Facts = facts })
		assert.Equal(t, c.kind, d.Kind, "%s: %+v", c.form, d.Reasons)
		assert.Equal(t, c.key, d.Key, "%s: %+v", c.form, d.Reasons)
		if c.args != "" {
			assert.Equal(t, c.args, d.Action.Args().String())
		}
		assert.Equal(t, book.Hash(), d.Policy)
		again := decide(t, book, c.form, func(r *Request) { r.Facts = facts })
		assert.Equal(t, d.Identity().String(), again.Identity().String())
	}

	// Budgets name the versions they depend on.
	d := decide(t, book, `(:tool "send_money" :args (:recipient "x" :amount 1))`, func(r *Request) { r.Facts = facts })
	assert.Contains(t, d.Reads, "principal/p")
	assert.Equal(t, uint64(9), d.Versions["principal/p"])

	// Slots are as the clause says.
	d = decide(t, book, `(:tool "shell" :args (:cmd "sudo ls /workspace"))`, func(r *Request) { r.Facts = facts })
	require.NotEmpty(t, d.Asks)
	assert.Equal(t, "owner", d.Asks[0].Slot.Class)
	assert.Equal(t, 2, d.Asks[0].Slot.Quorum)
	assert.Contains(t, d.Reasons[0].Pos, "bank.lisp:")
}

func TestExamplesAreJudgedAtLoad(t *testing.T) {
	bad := `(defexample "wrong" :action (:tool "shell" :args (:cmd "go build")) :expect (allow shell-guard/looks-only))`
	_, err := LoadRules(bankRules, fstest.MapFS{"bad.lisp": {Data: []byte(bad)}})
	assert.ErrorContains(t, err, "wrong")
}

func TestAnEmptyRulebookDenies(t *testing.T) {
	book, err := LoadRules(fstest.MapFS{})
	require.NoError(t, err)
	d := decide(t, book, `(:tool "reply" :args (:text "hi"))`)
	assert.Equal(t, Deny, d.Kind)
	assert.Equal(t, KeyEmpty, d.Key)
	book, err = LoadRules()
	require.NoError(t, err)
	assert.Equal(t, KeyEmpty, decide(t, book, `(:tool "x")`).Key)
}

func BenchmarkDecideWithARulebook(b *testing.B) {
	book, err := LoadRules(bankRules)
	require.NoError(b, err)
	a, _, err := skills.Propose(read(b, `(:tool "send_money" :args (:recipient "x" :amount 90))`), book)
	require.NoError(b, err)
	r := Request{Policy: book, Action: a, Facts: &skills.Facts{Now: 1_700_000_000}, NoTrace: true}
	b.ReportAllocs()
	for b.Loop() {
		Decide(context.Background(), r)
	}
}
