package provenance

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// given is a sentence of a user and what the agent then read, labelled by somebody who saw no rule.
type given struct {
	ID, Lang, User, Style, Half string
	Results                     []struct {
		Tool, Text, Label string
		Args              map[string]any
	}
}

// results counts what of the labelled results comes out as what.
type results struct {
	seen, deaf   int // sentences that hand something over, and those not taken for it
	plain, heard int // sentences that hand nothing over, and those taken for it
	count        map[string]map[string]int
}

// A half of the sentences was looked at when delegation was made better; of the other only the counts. No count may
// get worse.
func TestHandedOver(t *testing.T) {
	file, err := os.Open("../../testdata/handed/cases.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	halves := map[string]*results{"develop": {}, "score": {}}
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var g given
		require.NoError(t, json.Unmarshal(lines.Bytes(), &g))
		r := halves[g.Half]
		if r.count == nil {
			r.count = map[string]map[string]int{"handed": {}, "pointed": {}, "other": {}}
		}
		r.judge(t, g)
	}
	for half, most := range map[string]struct{ deaf, heard, handed, other int }{
		"develop": {6, 19, 64, 12},
		"score":   {15, 17, 36, 8},
	} {
		r := halves[half]
		t.Logf("%s: handed over %d, not seen %d; others %d, taken for it %d; %v", half, r.seen, r.deaf, r.plain, r.heard,
			r.count)
		assert.LessOrEqual(t, r.deaf, most.deaf, half)
		assert.LessOrEqual(t, r.heard, most.heard, half)
		assert.GreaterOrEqual(t, r.count["handed"]["handed"], most.handed, half)
		assert.LessOrEqual(t, r.count["other"]["handed"], most.other, half)
	}
}

func (r *results) judge(t *testing.T, g given) {
	x := New(english, nil, Limits{})
	for _, c := range g.Results {
		x.tools[c.Tool] = reader(c.Tool, c.Args)
	}
	x.User(1, Message{Text: g.User})
	for i, c := range g.Results {
		var result any = c.Text
		var parsed any
		if json.Unmarshal([]byte(c.Text), &parsed) == nil {
			result = parsed
		}
		x.Call(Ref(2+i), Call{Tool: c.Tool, Args: c.Args, Result: result})
	}
	want := false
	for _, c := range g.Results {
		want = want || c.Label == "handed"
	}
	got := len(x.talk.handed) > 0
	switch {
	case want:
		if r.seen++; !got {
			r.deaf++
		}
	default:
		if r.plain++; got {
			r.heard++
		}
	}
	if g.Half == "develop" && want != got {
		t.Logf("%s %s %s: handed over %v, taken for %v: %s", g.ID, g.Lang, g.Style, want, got, g.User)
	}
	n := int32(len(x.sources) - len(g.Results))
	for i, c := range g.Results {
		is := x.standing(n + int32(i))
		r.count[c.Label][is]++
		if g.Half == "develop" && is != c.Label && want == got && got {
			t.Logf("RESULT %s %s %s: %s, taken for %s: %s | %s %v %.150q", g.ID, g.Lang, g.Style, c.Label, is, g.User, c.Tool,
				c.Args, c.Text)
		}
	}
}

// reader drafts a tool that reads.
func reader(name string, args map[string]any) *Tool {
	var params []Param
	for a := range args {
		params = append(params, Param{Name: a, Type: "string"})
	}
	d := english.Draft(name, "", params)
	d.Read, d.Classes = true, 0
	return &d
}

// standing is how the user's words stand to most of a source's texts.
func (x *Index) standing(n int32) string {
	w := x.For(Action{Tool: &Tool{Name: "do", Classes: Update, Verb: "do"}})
	s := &x.sources[n]
	handed, pointed := false, false
	for i := s.first; i < s.end; i++ {
		f := &x.fields[i]
		handed = handed || w.delegatedField(f, 0)
		pointed = pointed || w.pointedField(f)
	}
	switch {
	case handed:
		return "handed"
	case pointed:
		return "pointed"
	}
	return "other"
}
