package advance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/advance"
	"github.com/opencortex-go/cortex/plans/state"
	"github.com/opencortex-go/cortex/sexpr"
)

// sketch is a workflow small enough to be run by a plain program.
type sketch struct {
	id        string
	when      int // a variable that must be true; -1: none
	kind      string
	max, over int // over: a count, or a variable
	body      []sketch
}

func drawSteps(t *rapid.T, at string, loops bool) []sketch {
	var out []sketch
	for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
		s := sketch{id: fmt.Sprintf("%s%d", at, i), when: rapid.IntRange(-1, 2).Draw(t, "when")}
		if loops && rapid.Bool().Draw(t, "loop") {
			s.kind = rapid.SampledFrom([]string{"while", "until", "for", "forEach", "control"}).Draw(t, "kind")
			s.max = rapid.IntRange(1, 4).Draw(t, "max")
			s.over = rapid.IntRange(0, 2).Draw(t, "over")
			s.body = drawSteps(t, s.id+"-", false)
			if s.kind == "control" {
				s.body = append(s.body, sketch{id: s.id + "-decide", when: -1, kind: "decide"})
			}
		}
		out = append(out, s)
	}
	return out
}

func (s sketch) json() string {
	text := fmt.Sprintf(`{"id":%q,"title":"T"`, s.id)
	if s.when >= 0 {
		text += fmt.Sprintf(`,"runCondition":{"var":"v%d","equals":true}`, s.when)
	}
	condition := fmt.Sprintf(`"condition":{"var":"v%d","equals":true}`, s.over)
	how := map[string]string{"while": condition, "until": condition, "for": fmt.Sprintf(`"count":%d`, s.over),
		"forEach": fmt.Sprintf(`"items":"list%d"`, s.over),
		"control": `"conditionSource":{"kind":"artifact_contract","contractRef":"wr.contracts.loop_control","loopId":"` + s.id + `"}`}
	switch s.kind {
	case "":
		return text + `,"prompt":"p"}`
	case "decide":
		return text + `,"prompt":"p","outputContract":{"contractRef":"wr.contracts.loop_control"}}`
	}
	kind := s.kind
	if kind == "control" {
		kind = "while"
	}
	return text + fmt.Sprintf(`,"type":"loop","loop":{"type":%q,"maxIterations":%d,%s},"body":[%s]}`, kind, s.max, how[s.kind], all(s.body))
}

func all(steps []sketch) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.json())
	}
	return strings.Join(out, ",")
}

// world is what the scripted agent does: each step it takes may change a variable, and each
// decision goes on or stops.
type world struct {
	vars  [3]bool
	coins []bool
	taken []state.Key
	exits []string
}

func (w *world) coin() bool { return w.coins[len(w.taken)%len(w.coins)] }

func (w *world) take(k state.Key) (goOn bool) {
	goOn = w.coin()
	w.vars[len(w.taken)%3] = goOn
	w.taken = append(w.taken, k)
	return goOn
}

func (w *world) holds(s sketch) bool { return s.when < 0 || w.vars[s.when] }

// run is the reference: it runs the steps as a program would, with no state in between.
func (w *world) run(steps []sketch) {
	done := map[string]bool{}
search:
	for {
		for _, s := range steps {
			if done[s.id] || !w.holds(s) {
				continue
			}
			done[s.id] = true
			if s.body == nil {
				w.take(state.Key(s.id))
			} else {
				w.loop(s)
			}
			continue search
		}
		return
	}
}

func (w *world) loop(s sketch) {
	goOn := true
	enter := func(i int) bool {
		switch s.kind {
		case "while":
			return w.vars[s.over]
		case "until":
			return !w.vars[s.over]
		case "control":
			return goOn
		}
		return i < s.over
	}
	for i := 0; ; i++ {
		if !enter(i) {
			w.exits = append(w.exits, s.id+" condition_false")
			return
		}
		if i == s.max {
			w.exits = append(w.exits, s.id+" max_iterations")
			return
		}
		for _, b := range s.body {
			if s.kind != "control" && !enter(i) {
				w.exits = append(w.exits, s.id+" condition_false")
				return
			}
			if w.holds(b) {
				goOn = w.take(state.Key(fmt.Sprintf("%s@%d::%s", s.id, i, b.id)))
			}
		}
		if s.kind != "control" && !enter(i) {
			w.exits = append(w.exits, s.id+" condition_false")
			return
		}
	}
}

func (w *world) work(t require.TestingT) sexpr.Value {
	return object(t, fmt.Sprintf(`{"v0":%t,"v1":%t,"v2":%t,"list0":[],"list1":["a"],"list2":["a","b"]}`, w.vars[0], w.vars[1], w.vars[2]))
}

// Next takes the steps that a plain program takes, and every time that a loop is run ends for
// exactly one reason.
func TestNextIsThePlainProgram(t *testing.T) {
	times := 20 // a hundred workflows each: a condition that turns in the middle of a body is rare
	if testing.Short() {
		times = 6
	}
	for range times {
		rapid.Check(t, thePlainProgram)
	}
}

func thePlainProgram(t *rapid.T) {
	steps := drawSteps(t, "s", true)
	coins := rapid.SliceOfN(rapid.Bool(), 1, 16).Draw(t, "coins")
	begins := [3]bool{rapid.Bool().Draw(t, "v0"), rapid.Bool().Draw(t, "v1"), rapid.Bool().Draw(t, "v2")}
	want := world{vars: begins, coins: coins}
	want.run(steps)

	got := world{vars: begins, coins: coins}
	d := start(compile(t, flow(all(steps))), advance.Guided, got.work(t))
	act := func(k state.Key, step *plans.Step) (string, []sexpr.Value, string) {
		goOn := got.take(k)
		context, err := sexpr.ToJSON(got.work(t))
		require.NoError(t, err)
		if step.Output == nil {
			return "notes", nil, string(context)
		}
		decision := map[bool]string{true: "continue", false: "stop"}[goOn]
		return "", []sexpr.Value{control(decision)}, string(context)
	}
	require.True(t, d.run(t, act), "%v", d.reasons)
	require.Equal(t, want.taken, got.taken)
	var exits []string
	for _, e := range d.trace {
		if e.Kind == advance.ExitedLoop {
			why := strings.TrimSuffix(e.Summary[strings.LastIndex(e.Summary, " ")+1:], ".")
			exits = append(exits, e.Refs[1].LoopID+" "+why)
		}
	}
	require.Equal(t, want.exits, exits)
}
