package facts

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/facts/internal/glob"
)

// slowRelation asks the functions of rules about one place, as the guard did before
// places were made ready.
func slowRelation(c *skills.Case, p Pattern, place string) (r Relation, told bool) {
	under, err := callUnder(c, []any{p, place})
	if err == nil {
		under, err = Read(under)
	}
	meets := func(globs ...any) bool {
		yes, err := slowGlobAny(c, []any{p, globs})
		return err == nil && yes == true
	}
	above := []any{"/"}
	for dir := path.Dir(place); dir != "/" && dir != "."; dir = path.Dir(dir) {
		above = append(above, glob.Escape(dir))
	}
	switch {
	case err == nil && under == true:
		return Within, true
	case meets(glob.Escape(place), glob.Escape(place)+"/**"):
		return Near, err == nil
	case meets(above...):
		return Above, err == nil
	}
	return Apart, err == nil
}

func TestKeptIsASlowOne(t *testing.T) {
	seen := map[Relation]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			segment := rapid.SampledFrom([]string{"a",
				"b", "*", "?", "a*", "**", "[ab]", "{a,b}", `\*`, `a\`, "..", ".", "~", "x y", "é"})
			plain := rapid.SampledFrom([]string{"a", "b", "ab", "*", "{a,b}", "x y", "é", "~"})
			join := func(pieces []string) string { return path.Join(pieces...) }
			place := rapid.SampledFrom([]string{"/", "/", "/", "~/", ""}).Draw(t,
				"from") + join(rapid.SliceOfN(plain, 1, 3).Draw(t, "place"))
			g := "/" + join(rapid.SliceOfN(segment, 1, 5).Draw(t, "glob"))
			switch rapid.IntRange(0, 2).Draw(t, "where") {
			case 1:
				g = "/**" + g
			case 2:
				g = glob.Escape(place) + g
			}
			c := &skills.Case{Facts: &skills.Facts{}}
			if rapid.Bool().Draw(t, "home") {
				c.Facts.Env = sexpr.Plist("home", sexpr.Str(rapid.SampledFrom([]string{"/a", "/a/b", "/x y/*"}).Draw(t, "at")))
			}
			p := Pattern{Text: "x", globs: glob.Subjects([]string{g})}
			want, told := slowRelation(c, p, place)
			got, gotTold := Keep(place, c).Of(p)
			require.Equal(t, want, got, "%q and %q", g, place)
			require.Equal(t, told, gotTold, "%q and %q", g, place)
			seen[got]++
		}
	})
	for r := Apart; r <= Within; r++ {
		assert.Positive(t, seen[r], r)
	}
}
