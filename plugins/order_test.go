package plugins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/rules"
)

// scripted answers at once what it was told to, and counts. It stands for the
// process in tests of order alone, where thousands of policies are tried.
type scripted struct {
	answers   []string // by how often the action was rewritten; the last one stays
	begun     *atomic.Int32
	taken     *atomic.Int32
	sequencer *[]string
}

func (s *scripted) begin(_ context.Context, e *Entry, q question, _ time.Time) func() (string, error) {
	s.begun.Add(1)
	n := strings.Count(q.action, "+")
	text := s.answers[min(n, len(s.answers)-1)]
	ch := make(chan string, 1)
	go func() { ch <- text }()
	return func() (string, error) {
		s.taken.Add(1)
		*s.sequencer = append(*s.sequencer, e.Name)
		if text := <-ch; text != "fail" {
			return text, nil
		}
		return "", errors.New("no answer within 100ms")
	}
}

func (s *scripted) now(ctx context.Context, e *Entry, q question, deadline time.Time) (string, error) {
	return s.begin(ctx, e, q, deadline)()
}

// alone are the same gates, none of which knows its neighbours: the reference.
func alone(p skills.Policy) skills.Policy { return apart{p} }

type apart struct{ skills.Policy }

func (a apart) Skills(tool string) []*skills.Skill {
	all := slices.Clone(a.Policy.Skills(tool))
	for i, s := range all {
		if g := gateOf(s); g != nil {
			skill, own := *s, *g
			skill.Gates, own.neighbours = []skills.Gate{&own}, nil
			all[i] = &skill
		}
	}
	return all
}

// Asking neighbours at the same time changes nothing: decision, trace, look-ups
// and what was read are those of asking one after the other.
func TestTogetherIsAsOneAfterTheOther(t *testing.T) {
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(shellRules + `
(defskill m-rule :priority 5 :gate ((ask rule :when (starts-with? action.args.cmd "x") :reason "x") (deny much :when (ends-with? action.args.cmd "++") :reason "much")))
(defskill n-rule :priority 0 :gate ((rewrite more :when (= action.args.cmd "y") :set (:cmd "y+") :reason "more")))`)}}})
	require.NoError(t, err)
	together := 0
	rapid.Check(t, func(rt *rapid.T) {
		var begun, taken atomic.Int32
		var order []string
		var plugs []*plug
		n := rapid.IntRange(1, 7).Draw(rt, "plugins")
		for i := range n {
			e := &Entry{Name: fmt.Sprintf("%c-plugin", "aklmopz"[i]), Priority: rapid.IntRange(-1, 6).Draw(rt, "priority"),
				SHA256: strings.Repeat("0", 64)}
			e.Grants = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"allow", "rewrite", "turns", "spends", "ctx"}),
				rapid.ID).Draw(rt, "grants")
			answers := rapid.SliceOfN(rapid.SampledFrom([]string{
				`(:verdict "pass")`, `(:verdict "pass")`, `(:verdict "pass" :note "hm")`, `(:text "ok" :verdict "allow")`,
				`(:text "no" :verdict "reject")`,
				`(:text "sure?" :verdict "ask")`, `(:set (:cmd "x+") :text "plus" :verdict "rewrite")`,
				`(:set (:cmd "y") :text "plus" :verdict "rewrite")`, "fail", `(:verdict "nonsense")`,
			}), 1, 3).Draw(rt, "answers")
			plugs = append(plugs,
				&plug{entry: e, ask: &scripted{answers: answers, begun: &begun, taken: &taken, sequencer: &order}})
		}
		p, err := join(book, "lock", plugs, time.Minute)
		require.NoError(rt, err)
		req := reason.Request{Policy: p, Action: shell(t, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "cmd")),
			Facts: someFacts()}
		got := reason.Decide(context.Background(), req)
		gotOrder := order
		if begun.Load() > taken.Load() {
			together++
		}

		order = nil
		req.Policy = alone(p)
		want := reason.Decide(context.Background(), req)
		assert.Empty(rt, want.Same(got))
		assert.Equal(rt, want.Lookups, got.Lookups)
		assert.Equal(rt, want.Reads, got.Reads)
		assert.Equal(rt, want.Trace, got.Trace)
		assert.Equal(rt, order, gotOrder)

		// And a replay from the record is the same again.
		var entries []Entry
		for _, x := range plugs {
			entries = append(entries, *x.entry)
		}
		recorded := make([]*plug, len(plugs))
		for i := range plugs {
			recorded[i] = &plug{entry: &entries[i]}
		}
		req.Policy, err = join(book, "lock", recorded, 0)
		require.NoError(rt, err)
		req.Lookup = reason.Recorded(got.Lookups)
		assert.Empty(rt, want.Same(reason.Decide(context.Background(), req)))
	})
	assert.Positive(t, together, "some answers were asked for and thrown away, or this test shows nothing")
}

// Plugins and rulebook skills stand by priority, then by name.
func TestOrder(t *testing.T) {
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(shellRules + `
(defskill b-rule :priority 5 :gate ((ask one :when t :reason "r")))
(defskill d-rule :priority 5 :gate ((ask one :when t :reason "r")))
(defskill x-rule :priority 9 :gate ((ask one :when t :reason "r")))`)}}})
	require.NoError(t, err)
	var plugs []*plug
	for name, priority := range map[string]int{"a": 5, "c": 5, "e": 5, "f": 9, "z": 10, "only-mail": 7} {
		e := &Entry{Name: name, Priority: priority}
		if name == "only-mail" {
			e.Judges = []string{"mail"}
		}
		plugs = append(plugs, &plug{entry: e})
	}
	p, err := join(book, "", plugs, 0)
	require.NoError(t, err)
	names := func(tool string) (out []string) {
		for _, s := range p.Skills(tool) {
			out = append(out, s.Name)
		}
		return out
	}
	assert.Equal(t, []string{"z", "f", "x-rule", "a", "b-rule", "c", "d-rule", "e"}, names("shell"))
	assert.Equal(t, []string{"z", "f", "x-rule", "only-mail", "a", "b-rule", "c", "d-rule", "e"}, names("mail"))
	assert.Equal(t, book.Len()+6, p.Len())
}

// The hash covers the rules, the programs and everything that the lock says.
func TestTheHashCoversTheLock(t *testing.T) {
	book, err := rules.Loader{}.Load(rules.Root{FS: fstest.MapFS{"r.lisp": {Data: []byte(shellRules)}}})
	require.NoError(t, err)
	seen := map[sexpr.Digest]string{book.Hash(): "the rules alone"}
	entry := func() Entry { return Entry{Name: "a", Path: "a", SHA256: strings.Repeat("0", 64), Protocol: 1} }
	for what, change := range map[string]func(*Entry){
		"nothing": func(*Entry) {}, "program": func(e *Entry) {
			e.SHA256 = strings.Repeat("1", 64)
		}, "priority": func(e *Entry) { e.Priority = 1 },
		"right": func(e *Entry) {
			e.Grants = []string{"allow"}
		}, "refusal": func(e *Entry) { e.Refuses = []string{"allow"} }, "deadline": func(e *Entry) { e.Deadline = "1s" },
		"environment": func(e *Entry) {
			e.Env = map[string]string{"A": "b"}
		}, "file": func(e *Entry) { e.Files = []File{{"f", strings.Repeat("0", 64)}} },
		"arguments": func(e *Entry) {
			e.Args = []string{"-x"}
		}, "tools": func(e *Entry) {
			e.Judges = []string{"shell"}
		}, "transport": func(e *Entry) { e.Transport = TransportMTLS },
	} {
		e := entry()
		change(&e)
		l := Lock{Version: 1, Skills: []Entry{e}}
		p, err := Recorded{}.Recorded(book, l.Text())
		require.NoError(t, err, what)
		assert.Empty(t, seen[p.Hash()], "%s is not in the hash", what)
		seen[p.Hash()] = what
	}
}
