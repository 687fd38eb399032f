package record

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

// TestEverySummaryIsOne sums up a record of each kind: in the words that this test has, and not by its whole body.
func TestEverySummaryIsOne(t *testing.T) {
	kinds := map[string]struct{ body, want string }{
		KindOpen:       {`(:epoch 3 :live t)`, "run 3, live"},
		KindRulebook:   {`(:files ((:path "a.lisp" :data "x") (:path "b.lisp")))`, "2 files: a.lisp b.lisp"},
		KindPlaces:     {`(:paths ("/a" "/b") :hosts ())`, "2 paths, 0 hosts"},
		KindSignal:     {`(:sensor "chat" :text "hi")`, "chat <hi>"},
		KindDecision:   {`(:decision (:kind "deny" :key "k" :action (:tool "pay" :args (:n 1))))`, "deny  k  pay (:n 1)"},
		KindApproval:   {`(:token "T" :state "pending" :tool "pay" :args (:n 1))`, "T pending  pay (:n 1)"},
		KindIntent:     {`(:decision 7 :tool "pay" :args (:n 1) :dry t)`, "for 7  pay (:n 1)"},
		KindReceipt:    {`(:intent 8 :state "failed" :text "half" :error " of it")`, "for 8  failed <half of it>"},
		KindSettled:    {`(:intent 9 :compensates 8 :by "ana")`, "compensation 9 of 8 did not happen, says ana"},
		KindRetry:      {`(:intent 8 :try 2 :by " engine")`, "of 8, try 2, by engine"},
		KindAnswer:     {`(:signal 1 :text "yes" :notice "")`, "to 1  <yes>"},
		KindKill:       {`(:on t :by "ana" :via "repl")`, "on, by ana via repl"},
		KindPairing:    {`(:secret "5e5e")`, "a new secret"},
		KindPosting:    {`(:token "T" :gateway "signal" :chat "c")`, "T on signal in c, about to be shown"},
		KindCheckpoint: {`(:seq 5 :hash "sha256:aa" :text "...")`, "5@sha256:aa"},
		KindRollback:   {`(:seen "9@sha256:aa" :why "gone")`, "seen 9@sha256:aa: <gone>"},
		KindClock:      {`(:by 3600000000000)`, "moved by 1h0m0s"},
		KindEnd:        {`(:by "ana" :via "")`, "ended, by ana"},
		KindCover:      {`(:tool "mail" :principal "agent" :calls 3 :by "ana")`, "3 calls of <mail> by <agent>  by <ana>"},
		KindFact:       {`(:name "mode" :value (:a 1) :by "ana")`, "mode (:a 1), by ana"},
		KindEvents: {`(:log "sess_a" :v 1 :by "ann" :first 3 :events ((:index 3 :kind "noted") (:index 4 :kind "ended")))`,
			"sess_a 3-4 noted ended, by <ann>"},
		KindKept: {`(:media "text/plain" :text "hi" :sha256 "` + ContentDigest("hi").String() + `")`,
			ContentDigest("hi").String() + " 2 bytes, text/plain"},
		KindStanding:  {`(:log "sess_a" :exempt t :by "ana")`, "sess_a exempt from retention, by <ana>"},
		KindRunKeys:   {`(:by "ana" :via "cli")`, "the keys for tickets were rotated, by <ana> via cli"},
		KindThink:     {`(:root 4 :provider "near" :model "m-1" :in 7 :out 2)`, "for 4  near m-1  7 tokens in, 2 out"},
		KindRetention: {`(:removed 3 :from 1 :to 9)`, "3 records removed, from 1 to 9"},
	}
	for kind, c := range kinds {
		body, err := sexpr.Read("body", c.body)
		require.NoError(t, err, kind)
		got := Summary(journal.Record{Kind: kind, Body: body}, func(s string) string { return "<" + s + ">" })
		assert.Equal(t, c.want, got, kind)
		assert.Contains(t, summaries, kind)
	}
	assert.Len(t, summaries, len(kinds))
	for _, kind := range declaredKinds(t) {
		assert.Contains(t, kinds, kind, "a kind without a summary")
	}
	mended, err := sexpr.Read("body", `(:lost ((:from 1) (:from 5)))`)
	require.NoError(t, err)
	assert.Equal(t, "a repair went on without 2 parts of the record",
		Summary(journal.Record{Kind: KindRetention, Body: mended}, strings.Clone))
	assert.Equal(t, mended.String(), Summary(journal.Record{Kind: "of tomorrow", Body: mended}, strings.Clone))
}

// declaredKinds are the kinds of record that the source declares.
func declaredKinds(t *testing.T) (kinds []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(x ast.Node) bool {
		spec, ok := x.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Kind") {
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
				kind, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				kinds = append(kinds, kind)
			}
		}
		return true
	})
	require.Greater(t, len(kinds), 15)
	return kinds
}
