package reason

import (
	"context"
	"errors"
	"runtime"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// This file holds a second Decide, slow and obvious, written from the steps and
// the table of the design and from nothing else. A world is described by data;
// one side turns it into gates and asks Decide, the other reads the table.

// The world is one action (:x N) on one tool, N from 0 to 3.
type world struct {
	tier     string // "allow", "ask", "deny", "" for an undeclared tool
	unknown  skills.Tier
	halt     bool
	empty    bool
	x        int64
	skills   []wskill
	invs     []wgate
	inDoubt  []int64
	grantX   int64 // -1: there is none
	grantFor map[string]bool
}

type wskill struct {
	name     string
	priority int
	trigger  []string // by x: "yes", "no", "error", "panic"
	gates    []wgate
}

// wgate answers by x. A rewrite is "rewrite 2".
type wgate struct {
	key     string
	answers []string
}

func (g wgate) Key() string { return g.key }

func (g wgate) Judge(_ context.Context, c *skills.Case) (skills.Verdict, error) {
	why := skills.Reason{Key: g.key, Text: g.key, Retryable: len(g.key)%2 == 0}
	switch a := g.answers[c.Action().Args().GetInt("x")]; a {
	case "pass":
		return skills.Pass{}, nil
	case "allow":
		return skills.Allow{Reason: why}, nil
	case "ask":
		return skills.Ask{Reason: why}, nil
	case "deny":
		return skills.Deny{Reason: why}, nil
	case "nil":
		return nil, nil
	case "error":
		return nil, errors.New("broken")
	case "panic":
		panic("boom")
	default:
		n, _ := strconv.ParseInt(a[len("rewrite "):], 10, 64)
		return skills.Rewrite{Set: sexpr.Plist("x", sexpr.Int64(n)), Reason: why}, nil
	}
}

// answer is what both sides must agree on.
type answer struct {
	kind    string
	key     string
	reasons []string
	asks    []string
	x       int64
	retry   bool
	grant   string
}

// reference reads the steps and the table.
func reference(w world) answer {
	if w.halt {
		return answer{kind: "deny", key: "halt", reasons: []string{"halt"}, x: w.x}
	}
	if w.empty {
		return answer{kind: "deny", key: "rulebook/empty", reasons: []string{"rulebook/empty"}, x: w.x}
	}
	ordered := append([]wskill(nil), w.skills...)
	sort.SliceStable(ordered, func(i, j int) bool {
		if ordered[i].priority != ordered[j].priority {
			return ordered[i].priority > ordered[j].priority
		}
		return ordered[i].name < ordered[j].name
	})

	x := w.x
	var denied []string
	var retry bool
	var asks, allows []string
	settled := false
	for round := 1; round <= 3 && denied == nil && !settled; round++ {
		asks, allows = nil, nil
		settled = true
	chain:
		for _, s := range ordered {
			switch s.trigger[x] {
			case "no":
				continue
			case "error":
				denied, retry = []string{s.name + "/trigger/error"}, true
				break chain
			case "panic":
				denied, retry = []string{"gate/" + s.name + "/trigger/failed"}, false
				break chain
			}
			for _, g := range s.gates {
				switch a := g.answers[x]; a {
				case "pass":
				case "allow":
					allows = append(allows, g.key)
				case "ask":
					asks = append(asks, g.key)
				case "deny":
					denied, retry = []string{g.key}, len(g.key)%2 == 0
					break chain
				case "nil", "error", "panic":
					denied, retry = []string{"gate/" + g.key + "/failed"}, false
					break chain
				default:
					to := int64(a[len(a)-1] - '0')
					if to != x {
						x, settled = to, false
					}
				}
			}
		}
	}
	if denied == nil && !settled {
		denied, retry = []string{"rewrite/unsettled"}, false
	}
	if denied == nil {
		retry = true
		for _, g := range w.invs {
			switch g.answers[x] {
			case "pass":
			case "deny":
				denied, retry = append(denied, g.key), retry && len(g.key)%2 == 0
			default:
				denied, retry = append(denied, "gate/"+g.key+"/failed"), false
			}
		}
		if denied == nil {
			if w.tier == "deny" {
				denied, retry = append(denied, "tier/t"), false
			}
			for _, n := range w.inDoubt {
				if n == x {
					denied, retry = append(denied, "in-doubt"), false
					break
				}
			}
			if w.tier == "" && w.unknown == skills.TierDeny && allows == nil {
				denied = append(denied, "default/unknown-tool")
			}
		}
	}
	if denied != nil {
		return answer{kind: "deny", key: denied[0], reasons: denied, asks: asks, x: x, retry: retry}
	}
	if allows == nil {
		switch w.tier {
		case "ask":
			asks = append(asks, "tier/t")
		case "":
			asks = append(asks, "default/unknown-tool")
		}
	}
	var open []string
	grant := ""
	for _, a := range asks {
		if w.grantX == x && w.grantFor[a] {
			grant = "T"
		} else {
			open = append(open, a)
		}
	}
	if open != nil {
		return answer{kind: "ask", key: open[0], reasons: open, asks: asks, x: x, grant: grant}
	}
	key := "tier/t"
	if w.tier == "" {
		key = "default/unknown-tool"
	}
	if allows != nil {
		key = allows[0]
	}
	return answer{kind: "allow", key: key, asks: asks, x: x, grant: grant}
}

// real asks Decide about the same world.
func (w world) request(t require.TestingT) Request {
	b := &book{unknown: w.unknown, empty: w.empty}
	if w.tier != "" {
		tier := map[string]skills.Tier{"allow": skills.TierAllow, "ask": skills.TierAsk, "deny": skills.TierDeny}[w.tier]
		b.tools = []*skills.Tool{{Name: "t", Tier: tier,
			Params: []skills.Param{{Name: "x", Type: skills.Type{Kind: skills.KindInteger}}}}}
	}
	for _, s := range w.skills {
		sk := &skills.Skill{Name: s.name, Priority: s.priority}
		for _, g := range s.gates {
			sk.Gates = append(sk.Gates, g)
		}
		sk.Trigger = func(c *skills.Case) (bool, error) {
			switch s.trigger[c.Action().Args().GetInt("x")] {
			case "yes":
				return true, nil
			case "error":
				return true, errors.New("not there")
			case "panic":
				panic("boom")
			}
			return false, nil
		}
		b.skills = append(b.skills, sk)
	}
	for _, g := range w.invs {
		b.invariants = append(b.invariants, g)
	}
	act := func(x int64) *skills.Action {
		a, err := skills.NewAction("t", sexpr.Plist("x", sexpr.Int64(x)), "")
		require.NoError(t, err)
		return a
	}
	r := Request{Policy: b, Action: act(w.x)}
	if w.halt {
		r.Halt = &skills.Reason{Key: "halt"}
	}
	for _, x := range w.inDoubt {
		r.InDoubt = append(r.InDoubt, act(x).Digest())
	}
	if w.grantX >= 0 {
		g := Grant{Token: "T", Digest: act(w.grantX).Digest()}
		for key, ok := range w.grantFor {
			if ok {
				g.Keys = append(g.Keys, skills.AskKey(key, skills.Slot{}, tierClause(key)))
			}
		}
		r.Grants = []Grant{g}
	}
	return r
}

// tierClause is what a tool without a definition is asked about with.
func tierClause(key string) string {
	if key == "tier/t" {
		return sexpr.Nil().String()
	}
	return ""
}

func answerOf(d *Decision) answer {
	a := answer{kind: d.Kind.String(), key: d.Key, x: d.Action.Args().GetInt("x"), retry: d.Retry, grant: d.Grant}
	for _, w := range d.Reasons {
		a.reasons = append(a.reasons, w.Key)
	}
	for _, k := range d.Asks {
		a.asks = append(a.asks, k.Reason.Key)
	}
	return a
}

func genWorld(t *rapid.T) world {
	answers := rapid.SampledFrom([]string{
		"pass", "pass", "pass", "pass", "pass", "pass", "pass", "pass", "allow", "allow", "ask", "ask", "ask", "rewrite 0",
		"rewrite 1", "rewrite 2", "rewrite 3",
		"deny", "nil", "error", "panic",
	})
	gentle := rapid.SampledFrom([]string{"pass", "pass", "pass", "allow", "ask"})
	triggers := rapid.SampledFrom([]string{"yes",
		"yes", "yes", "yes", "yes", "yes", "yes", "yes", "no", "no", "no", "no", "error", "panic"})
	four := func(g *rapid.Generator[string], label string) []string { return rapid.SliceOfN(g, 4, 4).Draw(t, label) }
	w := world{
		tier:    rapid.SampledFrom([]string{"allow", "ask", "", "deny"}).Draw(t, "tier"),
		unknown: rapid.SampledFrom([]skills.Tier{skills.TierAsk, skills.TierDeny}).Draw(t, "unknown"),
		halt:    rapid.IntRange(0, 20).Draw(t, "halt") == 0,
		empty:   rapid.IntRange(0, 20).Draw(t, "empty") == 0,
		x:       rapid.Int64Range(0, 3).Draw(t, "x"),
		grantX:  rapid.Int64Range(-1, 3).Draw(t, "grant"), grantFor: map[string]bool{},
	}
	all := []string{"tier/t", "default/unknown-tool"}
	for i := range rapid.IntRange(0, 4).Draw(t, "skills") {
		s := wskill{name: "s" + strconv.Itoa(i), priority: rapid.IntRange(0, 2).Draw(t, "priority"),
			trigger: four(triggers, "trigger")}
		for j := range rapid.IntRange(0, 3).Draw(t, "gates") {
			g := answers
			if rapid.Bool().Draw(t, "gentle") {
				g = gentle
			}
			s.gates = append(s.gates, wgate{s.name + "/" + "ab"[:j%2+1] + strconv.Itoa(j), four(g, "answers")})
			all = append(all, s.gates[j].key)
		}
		w.skills = append(w.skills, s)
	}
	held := rapid.SampledFrom([]string{"pass",
		"pass", "pass", "pass", "pass", "pass", "deny", "error", "panic", "nil", "allow", "ask"})
	for i := range rapid.IntRange(0, 2).Draw(t, "invariants") {
		w.invs = append(w.invs, wgate{"invariant/" + "ab"[:i+1], four(held, "holds")})
	}
	if rapid.IntRange(0, 4).Draw(t, "doubt") == 0 {
		w.inDoubt = rapid.SliceOfN(rapid.Int64Range(0, 3), 1, 2).Draw(t, "doubts")
	}
	for _, k := range all {
		w.grantFor[k] = rapid.Bool().Draw(t, "granted")
	}
	if rapid.IntRange(0, 3).Draw(t, "aimed") > 0 { // few grants fit by chance
		w.grantX = reference(w).x
	}
	return w
}

func TestDecideAgreesWithTheTable(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			w := genWorld(t)
			want := reference(w)
			got := answerOf(Decide(context.Background(), w.request(t)))
			if want.kind == "deny" {
				want.asks, got.asks = nil, nil // of no account once denied
			}
			seen[want.kind]++
			if want.grant != "" {
				seen["granted "+want.kind]++
			}
			require.Equal(t, want, got)
		}
	})
	for _, kind := range []string{"allow", "ask", "deny", "granted allow", "granted ask"} {
		require.Positive(t, seen[kind], "the worlds never came to %s: %v", kind, seen)
	}
}

// I3, over the same worlds: with anything broken in the way, nothing is allowed
// that was not allowed without it.
func TestI3_ABrokenGateNeverHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := genWorld(t)
		before := Decide(context.Background(), w.request(t))
		how := rapid.SampledFrom([]string{"nil", "error", "panic"}).Draw(t, "how")
		broken := wgate{"z/broken", []string{how, how, how, how}}
		always := []string{"yes", "yes", "yes", "yes"}
		w.skills = append(w.skills, wskill{"z", rapid.IntRange(0, 2).Draw(t, "at"), always, []wgate{broken}})
		after := Decide(context.Background(), w.request(t))
		require.Equal(t, Deny, after.Kind, "was %s", before.Kind)
	})
}

// A gate that does not rewrite can only take away: adding one never turns a
// denial into anything else, and never an ask into an allow unless it vouches.
func TestGatesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := genWorld(t)
		before := Decide(context.Background(), w.request(t))
		says := rapid.SampledFrom([]string{"pass", "ask", "deny", "nil", "error", "panic"})
		extra := wgate{"z/extra", rapid.SliceOfN(says, 4, 4).Draw(t, "extra")}
		w.skills = append(w.skills,
			wskill{"z", rapid.IntRange(0, 2).Draw(t, "at"), []string{"yes", "yes", "yes", "yes"}, []wgate{extra}})
		after := Decide(context.Background(), w.request(t))
		require.LessOrEqual(t, after.Kind, before.Kind, "Deny < Ask < Allow")
	})
}

// I5: the same request is the same decision, byte for byte, however often it is
// asked, on however many processors.
func TestI5_SameInputsSameDecision(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	rapid.Check(t, func(t *rapid.T) {
		w := genWorld(t)
		text := func(d *Decision) string {
			s, err := sexpr.Print(d.Identity())
			require.NoError(t, err)
			return s
		}
		var first string
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			answers := make(chan string, 4)
			for range cap(answers) {
				go func() { answers <- text(Decide(context.Background(), w.request(t))) }()
			}
			for range cap(answers) {
				got := <-answers
				if first == "" {
					first = got
				}
				require.Equal(t, first, got)
			}
		}
	})
}

// A decision comes back from its record as it was.
func TestDecisionValueComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genWorld(t).request(t)
		r.NoTrace = rapid.Bool().Draw(t, "untraced")
		r.Passes = rapid.Bool().Draw(t, "passes")
		d := Decide(context.Background(), r)
		d.Would = rapid.Bool().Draw(t, "would")
		text, err := sexpr.Print(d.Value())
		require.NoError(t, err)
		v, err := sexpr.Read("record", text)
		require.NoError(t, err)
		back, err := DecodeDecision(v)
		require.NoError(t, err)
		require.Empty(t, d.Same(back))
		require.Empty(t, back.Same(d))
		again, err := sexpr.Print(back.Value())
		require.NoError(t, err)
		require.Equal(t, text, again)
	})
}

// The trace lists what did something, and counts the gates that passed: as many as it
// lists when it is asked to.
func TestTheTraceListsWhatDidSomething(t *testing.T) {
	most := 0
	rapid.Check(t, func(t *rapid.T) {
		r := genWorld(t).request(t)
		short := Decide(context.Background(), r)
		r.Passes = true
		whole := Decide(context.Background(), r)
		var acted []Step
		passed := 0
		for _, s := range whole.Trace {
			if s.Outcome == Passed {
				passed++
			} else {
				acted = append(acted, s)
			}
		}
		require.Equal(t, acted, append([]Step(nil), short.Trace...))
		require.Equal(t, passed, short.Passed)
		require.Zero(t, whole.Passed)
		require.Empty(t, whole.Same(short))
		require.Empty(t, short.Same(whole))
		most = max(most, passed)
	})
	require.Positive(t, most)
}

// What version 1 of the record says of a decision is read, and comes back byte for byte;
// what a later program says is not guessed at.
func TestDecisionsOfOtherVersions(t *testing.T) {
	const kept = `(:key "tier/t" :kind "allow" :rounds 1 :skipped 1 :trace ((:gate "s/a" :outcome "passed" :round 1)))`
	v, err := sexpr.Read("record", kept)
	require.NoError(t, err)
	d, err := DecodeDecision(v)
	require.NoError(t, err)
	require.True(t, d.Passes)
	require.Equal(t, kept, d.Value().String())
	d = Decide(context.Background(), world{tier: "allow", grantX: -1,
		skills: []wskill{{"s", 0, []string{"yes", "yes", "yes", "yes"},
			[]wgate{{"s/a", []string{"pass", "pass", "pass", "pass"}}}}}}.request(t))
	require.Equal(t, int64(2), d.Value().GetInt("version"))
	require.Equal(t, int64(1), d.Value().GetInt("passed"))
	_, err = DecodeDecision(v.With("version", sexpr.Int64(3)))
	require.ErrorContains(t, err, "version 3 of a decision; this program reads versions 1 and 2")
}
