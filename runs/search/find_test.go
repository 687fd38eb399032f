package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRow072_Words(t *testing.T) {
	for text, want := range map[string]string{
		"Login, OAuth!":                "login oauth",
		"un_der and-dash 42":           "un_der and-dash 42",
		"ＦＵＬＬ ﬁne Ⅷ":                   "full fine viii",
		"a\n\n[TRUNCATED]":             "a",
		"truncated":                    "truncated",
		"Ошибка входа":                 "ошибка входа",
		"登录 fix":                       "登 录 fix",
		"naïve nai\u0308ve":            "naïve naïve",
		"--- ,. \u0301":                "--- \u0301",
		"İstanbul":                     "istanbul",
		"":                             "",
		"\xff\xfebad":                  "bad",
		"a.b/c":                        "a b c",
		"x" + strings.Repeat("y", 999): "x" + strings.Repeat("y", 999),
	} {
		assert.Equal(t, want, strings.Join(slices.Collect(Words(text)), " "), "%q", text)
	}
}

func TestSets(t *testing.T) {
	s := SetOf("Login works", "oauth")
	assert.True(t, s.Has(SetOf("oauth LOGIN")))
	assert.False(t, s.Has(SetOf("oauth login fails")))
	assert.False(t, s.Has(SetOf("auth")), "no part of a word")
	assert.False(t, s.Has(SetOf("...")), "no words match nothing")

	var many []string
	for i := range MaxWords {
		many = append(many, fmt.Sprint("w", i))
	}
	full := SetOf(append(many, "behind")...)
	assert.Len(t, full, MaxWords)
	assert.False(t, full.Has(SetOf("behind")))
	same, ok := full.With(SetOf("w1"))
	assert.True(t, ok)
	assert.Equal(t, full, same)
	_, ok = full.With(SetOf("behind"))
	assert.False(t, ok)
	both, ok := SetOf("a b").With(SetOf("c b"))
	assert.True(t, ok)
	assert.Equal(t, SetOf("a b c"), both)
}

// told is a run as a person would tell of it, from which the slow reference ranks.
type told struct {
	Run
	notes, flow string
}

// slowly ranks by the words of the specification: tier after tier, each sorted by itself.
func slowly(runs []told, q Query, locked bool) (ids []string, why map[string][]string) {
	tokens := func(text string) (out []string) {
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			out = append(out, w)
		}
		return out
	}
	all := func(text string) bool {
		for _, w := range tokens(q.Text) {
			if !slices.Contains(tokens(text), w) {
				return false
			}
		}
		return len(tokens(q.Text)) > 0
	}
	tiers := []struct {
		name string
		in   func(r told) bool
	}{
		{"matched_id", func(r told) bool {
			if q.ID != "" && q.Session != "" {
				return r.ID == q.ID && r.Session == q.Session
			}
			if q.ID != "" || q.Session != "" {
				return r.ID == q.ID || r.Session == q.Session
			}
			return q.Text != "" && slices.Contains([]string{r.ID, r.Session, r.Label}, q.Text)
		}},
		{"matched_notes", func(r told) bool { return all(r.notes) }},
		{"matched_workflow_id", func(r told) bool { return all(r.flow) }},
		{"matched_head_sha", func(r told) bool { return r.SHA != "" && r.SHA == q.SHA }},
		{"matched_branch", func(r told) bool { return q.Branch != "" && strings.HasPrefix(r.Branch, q.Branch) }},
	}
	if locked {
		tiers[1], tiers[2], tiers[3], tiers[4] = tiers[3], tiers[4], tiers[1], tiers[2]
	}
	why = map[string][]string{}
	var left []told
	for _, r := range runs {
		if (q.Anyones || r.Owner == q.Owner) && (!q.Rooted || q.Root != "" && r.Root == q.Root) {
			left = append(left, r)
		}
	}
	for _, r := range left {
		for _, tier := range tiers {
			if tier.in(r) {
				why[r.Session] = append(why[r.Session], tier.name)
			}
		}
	}
	take := func(in func(told) bool) {
		var tier, rest []told
		for _, r := range left {
			if in(r) {
				tier = append(tier, r)
			} else {
				rest = append(rest, r)
			}
		}
		left = rest
		for _, complete := range []bool{false, true} {
			for range tier { // the best one that is left, one at a time
				best := -1
				for i, r := range tier {
					if r.Session != "" && r.Complete == complete && (best < 0 || r.Last > tier[best].Last ||
						r.Last == tier[best].Last && r.Session < tier[best].Session) {
						best = i
					}
				}
				if best >= 0 {
					ids = append(ids, tier[best].Session)
					tier[best].Session = ""
				}
			}
		}
	}
	for _, tier := range tiers {
		take(tier.in)
	}
	take(func(told) bool { return true })
	return ids, why
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func TestTheOrderAgainstASlowReference(t *testing.T) {
	vocabulary := []string{"login", "OAuth", "fix", "Notes", "release", ""}
	text := func(r *rand.Rand) string { return pick(r, vocabulary...) + " " + pick(r, vocabulary...) }
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		var all []told
		for i := range 12 {
			x := told{notes: text(r) + " " + text(r), flow: text(r)}
			x.Session, x.ID, x.Label = fmt.Sprint("sess_", i), fmt.Sprint("run_", i), fmt.Sprint("label-", i)
			x.Owner, x.Last, x.Complete = pick(r, "ana", "bob"), r.Uint64N(6), r.IntN(3) == 0
			x.Branch, x.SHA, x.Root = pick(r, "", "main", "feat", "feat/x"), pick(r, "", "c0", "c1"), pick(r, "", "r0", "r1")
			x.Words, x.Workflow = SetOf(x.notes), SetOf(x.flow)
			all = append(all, x)
		}
		runs := make([]Run, len(all))
		for i, x := range all {
			runs[i] = x.Run
		}
		q := Query{Text: pick(r, "", text(r), text(r), "run_3", "label-4"), ID: pick(r, "", "", "run_1"),
			Session: pick(r, "", "", "sess_1", "sess_2"), Branch: pick(r, "", "feat"), SHA: pick(r, "", "c1"),
			Owner: pick(r, "ana", "eve"), Anyones: r.IntN(2) == 0, Root: pick(r, "", "r0"), Rooted: r.IntN(3) == 0}
		for _, tiers := range []Tiers{WordsFirst, Locked} {
			want, why := slowly(all, q, tiers == Locked)
			var got []string
			for _, m := range Find(runs, q, tiers) {
				got = append(got, m.Session)
				if why[m.Session] == nil {
					why[m.Session] = []string{"recency_fallback"}
				}
				require.Equal(t, fmt.Sprint(why[m.Session]), fmt.Sprint(m.Why), "seed %d", seed)
			}
			require.Equal(t, want, got, "seed %d, %+v", seed, q)
		}
	}
}

func TestTiersAreAClosedSet(t *testing.T) {
	require.NoError(t, WordsFirst.Check())
	require.NoError(t, Locked.Check())
	require.Error(t, Tiers("words").Check())
}

func BenchmarkFind(b *testing.B) {
	var notes []string
	for i := range 500 {
		notes = append(notes, fmt.Sprint("word", i))
	}
	runs := make([]Run, 10_000)
	for i := range runs {
		runs[i] = Run{Session: fmt.Sprint("sess_", i), Last: uint64(i), Words: SetOf(append(notes, fmt.Sprint("own", i))...)}
	}
	for b.Loop() {
		Find(runs, Query{Text: "word1 word200 word499 own7", Branch: "feat", Anyones: true}, WordsFirst)
	}
}
