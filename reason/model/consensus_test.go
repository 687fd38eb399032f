package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// What models answer in these tests.
const (
	freeAgain = "Sure.\n```lisp\n(TYPE request PAYLOAD (ARGS (X 1) TOOL \"FREE\") EXPLANATION \"the same, spelled " +
		"otherwise\")\n```"
	freeOther  = `(:type :request :target :tool :payload (:tool "free" :args (:x 2)))`
	replyForms = `(:type :request :payload (:action :message :text "as a form"))`
	brokenForm = `(:type :request :payload (:tool "free" :args (:x 1)`
	fails      = "!fails"
)

// models answers with these texts, in this order.
func models(answers ...string) []Provider {
	var out []Provider
	for i, text := range answers {
		c := custom{name: string(rune('a' + i)), do: saying(text)}
		if text == fails {
			c.do = erring(errors.New("down"))
		}
		out = append(out, c)
	}
	return out
}

// agreed asks for a consensus and returns the result: "a (:x 1)", "a hello",
// "a malformed" or the error.
func agreed(t testing.TB, n int, answers ...string) string {
	t.Helper()
	th := &Thinker{Providers: models(answers...), Consensus: n}
	policy := &book{tools: standard()}
	c, err := th.Think(context.Background(), Turn{Policy: policy})
	switch {
	case err != nil:
		return err.Error()
	case c.Err != nil:
		assert.Empty(t, c.Proposals)
		return c.Provider + " malformed"
	case len(c.Proposals) == 0:
		return c.Provider + " " + c.Prose
	}
	var b strings.Builder
	b.WriteString(c.Provider)
	for _, p := range c.Proposals {
		a, _, err := skills.Propose(p.Form, policy)
		require.NoError(t, err)
		b.WriteString(" " + a.Args().String())
	}
	return b.String()
}

func TestConsensus(t *testing.T) {
	tests := []struct {
		name    string
		n       int
		answers []string
		want    string
	}{
		{"one is not a consensus", 1, []string{freeForm, freeOther}, "a (:x 1)"},
		{"two of two", 2, []string{freeForm, freeAgain}, "a (:x 1)"},
		{"two of three", 2, []string{freeOther, freeForm, freeAgain}, "b (:x 1)"},
		{"the first that wants it speaks", 2, []string{"hello", freeAgain, freeForm}, "b (:x 1)"},
		{"none", 2, []string{freeForm, freeOther, "hello"}, "the models do not agree: 2 of 3 had to want the same"},
		{"words are like other words", 2, []string{"hello", "good day"}, "a hello"},
		{"words as a form", 2, []string{replyForms, "good day", freeForm}, "a (:text \"as a form\")"},
		{"words and deeds", 2, []string{"hello", freeForm, "good day", freeAgain},
			"the models do not agree: 2 of 4 had to want the same"},
		{"two camps", 2, []string{freeForm, freeAgain, freeOther, freeOther},
			"the models do not agree: 2 of 4 had to want the same"},
		{"a failure and no spare", 2, []string{freeForm, fails},
			"the models do not agree: 2 of 2 had to want the same (b: failed)"},
		{"a failure and a spare", 2, []string{fails, freeForm, freeAgain}, "b (:x 1)"},
		{"an empty one and a spare", 2, []string{"", freeForm, freeAgain}, "b (:x 1)"},
		{"malformed and a spare", 2, []string{brokenForm, freeForm, freeAgain}, "b (:x 1)"},
		{"malformed alike", 2, []string{brokenForm, `(:tool "free" :args [)`, freeForm}, "a malformed"},
		{"all three", 3, []string{freeForm, freeForm, freeOther}, "the models do not agree: 3 of 3 had to want the same"},
		{"more than there are", 3, []string{freeForm, freeForm},
			"the models cannot agree: 3 have to want the same, and only 2 are asked"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, agreed(t, test.n, test.answers...)) })
	}
	all := agreed(t, 2, fails, fails, fails)
	assert.True(t, strings.HasPrefix(all, "the models do not agree: 2 of 3 had to want the same (") ||
		strings.HasPrefix(all, "no model answered"), all)
}

// Several calls at once are alike only if all of them are, in the same order,
// and one that is incomplete makes the whole answer unreadable: nothing of it
// runs that others did not want.
func TestConsensusOnSeveralCalls(t *testing.T) {
	call := func(x, id string) string { return fmt.Sprintf(`(:id %q :name "free" :args (:x %s))`, id, x) }
	calling := func(name string, calls ...string) Provider {
		return script(t, name, `(:calls (`+strings.Join(calls, " ")+`))`)
	}
	policy := &book{tools: standard()}
	think := func(ps ...Provider) (Candidate, error) {
		return (&Thinker{Providers: ps, Consensus: 2}).Think(context.Background(), Turn{Policy: policy})
	}
	c, err := think(calling("a", call("1", "i"), call("2", "ii")), calling("b", call("1", "j"), call("2", "jj")))
	require.NoError(t, err)
	assert.Len(t, c.Proposals, 2)
	assert.Equal(t, "i", c.Proposals[0].CallID, "the first one's own ids")
	_, err = think(calling("a", call("1", "i"), call("2", "ii")), calling("b", call("2", "j"), call("1", "jj")))
	assert.ErrorContains(t, err, "do not agree")
	_, err = think(calling("a", call("1", "i")), calling("b", call("1", "j"), call("1", "jj")))
	assert.ErrorContains(t, err, "do not agree")
	cut := `(:id "x" :name "free" :arguments "{\"x\":")`
	c, err = think(calling("a", call("1", "i"), cut), calling("b", call("2", "i"), cut))
	require.NoError(t, err)
	assert.Error(t, c.Err)
	assert.Empty(t, c.Proposals)
}

// They are asked at the same time; anyone who cannot change the outcome any more is
// not waited for; and all that was said has its price.
func TestConsensusAsksAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(name, text string, d time.Duration) Provider {
			return custom{name: name, do: func(ctx context.Context) (Completion, error) {
				select {
				case <-time.After(d):
					return Completion{Text: text, Usage: Usage{Cost: 1}}, nil
				case <-ctx.Done():
					return Completion{Usage: Usage{Cost: 0.25}}, ctx.Err()
				}
			}}
		}
		th := &Thinker{Health: &Health{}, Consensus: 2, Providers: []Provider{
			slow("a", freeForm, 10*time.Second), slow("b", freeForm, 20*time.Second), slow("c", freeForm, 30*time.Second),
		}}
		begin := time.Now()
		c, err := th.Think(t.Context(), Turn{Policy: &book{tools: standard()}})
		require.NoError(t, err)
		assert.Equal(t, 20*time.Second, time.Since(begin))
		assert.Equal(t, "a", c.Provider)
		assert.InDelta(t, 2.25, c.Usage.Cost, 0)
		assert.Zero(t, th.Health.Report()[2].Failures, "being too late is not a failure")

		th.Providers = append(th.Providers[:1:1], slow("b", freeOther, time.Second), slow("c", "hello", time.Hour))
		th.Consensus = 3
		begin = time.Now()
		_, err = th.Think(t.Context(), Turn{Policy: &book{tools: standard()}})
		assert.ErrorContains(t, err, "do not agree")
		assert.Equal(t, 10*time.Second, time.Since(begin), "the third could not mend it")

		th.Providers = []Provider{slow("a", freeForm, 1), slow("b", freeForm, 2), slow("c", "hello", 3),
			slow("d", "hello", 4), slow("e", freeOther, time.Hour)}
		th.Consensus = 2
		begin = time.Now()
		_, err = th.Think(t.Context(), Turn{Policy: &book{tools: standard()}})
		assert.ErrorContains(t, err, "do not agree")
		assert.Less(t, time.Since(begin), time.Second, "of two camps the fifth makes no one")

		th.Providers = th.Providers[2:]
		ctx, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		c, err = th.Think(ctx, Turn{})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.InDelta(t, 0.75, c.Usage.Cost, 0, "what was used until then")
	})
}

// The user hears that they do not agree; the log, what each wanted, without the
// arguments, which may be secret.
func TestDisagreementIsToldAndLogged(t *testing.T) {
	var log bytes.Buffer
	th := &Thinker{Consensus: 3, Providers: models(`(:tool "free" :args (:cmd "SECRET"))`, "hello", brokenForm),
		Logger: slog.New(slog.NewTextHandler(&log, nil))}
	policy := &book{tools: standard()}
	r, err := Reflect(context.Background(), ReflectOptions{
		Think: func(ctx context.Context, _ []Message) (Candidate, error) { return th.Think(ctx, Turn{Policy: policy}) },
		Decide: func(context.Context, Proposal) (*reason.Decision, error) {
			t.Fatal("nothing is decided")
			return nil, nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, "the models do not agree: 3 of 3 had to want the same", r.Notice)
	assert.Equal(t, 1, r.Attempts, "it is not a rejection, and not tried again")
	assert.Contains(t, log.String(), "the models do not agree")
	assert.NotContains(t, log.String(), "SECRET")

	log.Reset()
	th.Consensus, th.Providers = 2, models(freeForm, freeOther)
	_, err = th.Think(context.Background(), Turn{Policy: policy})
	var apart *DisagreementError
	require.ErrorAs(t, err, &apart)
	require.Len(t, apart.Wanted, 2)
	assert.Equal(t, "a: free "+digest(t, freeX1).String(), apart.Wanted[0].String())
	assert.Contains(t, log.String(), digest(t, freeX1).String())
}

// The outcome against a slow reference that waits for everybody: the one group
// that is large enough, no matter who was waited for and who came first.
func TestConsensusAgainstAReference(t *testing.T) {
	texts := []string{freeForm, freeAgain, freeOther, "hello", "good day", brokenForm, fails}
	kind := map[string]string{freeForm: "1", freeAgain: "1", freeOther: "2", "hello": "w", "good day": "w",
		brokenForm: "m"}
	rapid.Check(t, func(r *rapid.T) {
		answers := rapid.SliceOfN(rapid.SampledFrom(texts), 2, 6).Draw(r, "answers")
		n := rapid.IntRange(2, len(answers)).Draw(r, "n")
		count := map[string]int{}
		for _, a := range answers {
			if a != fails {
				count[kind[a]]++
			}
		}
		won := ""
		for k, c := range count {
			if c >= n {
				won += k
			}
		}
		got := agreed(t, n, answers...)
		want := map[string]string{"1": "(:x 1)", "2": "(:x 2)", "m": "malformed"}[won]
		switch {
		case len(won) != 1:
			if !strings.Contains(got, "agree") && !strings.Contains(got, "no model answered") {
				r.Fatalf("%q, but the camps are %v", got, count)
			}
		case won == "w":
			if !strings.HasSuffix(got, "hello") && !strings.HasSuffix(got, "good day") {
				r.Fatalf("%q, expected words", got)
			}
		case !strings.HasSuffix(got, want):
			r.Fatalf("%q, expected %s", got, want)
		}
	})
}
