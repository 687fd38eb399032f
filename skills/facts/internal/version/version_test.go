package version

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
	"pgregory.net/rapid"
)

func TestRanges(t *testing.T) {
	for _, row := range []struct{ in, yes, no string }{
		{">=1.2 <2", "1.2.0 1.9.9 v1.5.0 1.2.0+build 2.0.0-rc.1", "1.1.9 2.0.0 2.0.1 1.2.0-rc.1"},
		{"<2", "0.0.0 1.99.99 2.0.0-alpha", "2.0.0"},
		{">1", "2.0.0", "1.0.0 1.5.0"}, // of what 1 stands for, nothing is more
		{"<=1", "1.0.0 1.5.0", "2.0.0"},
		{"1.x", "1.0.0 1.5.9", "0.9.0 2.0.0"},
		{"^1.4.0 || 3.x", "1.4.0 1.9.0 3.0.0", "1.3.9 2.0.0 4.0.0"},
		{"^0.3.1", "0.3.1 0.3.9", "0.3.0 0.4.0"},
		{"~1.2.3", "1.2.3 1.2.9", "1.2.2 1.3.0"},
		{"1.2.3 - 1.4.0", "1.2.3 1.4.0", "1.2.2 1.4.1"},
		{"!=1.5.0", "1.5.1 1.5.0-rc.1", "1.5.0 1.5.0+x"},
		{"=1.5.0", "1.5.0 1.5.0+x", "1.5.1 1.5.0-rc.1"},
		{">=0.0.0-0", "0.0.0-0 0.0.0 99999999.0.0", ""},
	} {
		r, err := NewRange(row.in)
		require.NoError(t, err, row.in)
		for want, versions := range map[bool]string{true: row.yes, false: row.no} {
			for _, v := range strings.Fields(versions) {
				got, err := r.Has(v)
				require.NoError(t, err)
				assert.Equal(t, want, got, "%s in %s", v, row.in)
			}
		}
	}
}

func TestWhatIsNoVersionAndNoRange(t *testing.T) {
	r, err := NewRange(">=1.0.0")
	require.NoError(t, err)
	for _, v := range []string{"", "1", "1.2", "1.2.3.4", "01.2.3", "1.02.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.-3",
		"vv1.2.3", "V1.2.3", " 1.2.3", "1.2.3 ", "latest", "1.2.3\n", "1.2.x", "18446744073709551616.0.0", "1.2.3-ä",
		"1.2.3-" + strings.Repeat("a", MaxVersion), "１.2.3"} {
		_, err := r.Has(v)
		assert.Error(t, err, "%q", v)
	}
	for _, in := range []string{"",
		"  ", "||", "1.0.0||", "|| 1.0.0", "1.0.0 || || 2.0.0", "~0.0.0", "~> 0.0.0 <1", "abc", ">",
		"> =1 x", ">=1.2.3.4", "1.0.0 and 2.0.0", strings.Repeat("1.0.0 ", 200), "(1.0.0)"} {
		_, err := NewRange(in)
		assert.Error(t, err, "%q", in)
	}
}

// The module system of Go orders the same versions, by code of its own.
func TestOrderAgainstGo(t *testing.T) {
	number := rapid.SampledFrom([]string{"0", "1", "2", "9", "10", "11", "100", "4294967296"})
	word := rapid.SampledFrom([]string{"0",
		"1", "2", "10", "a", "b", "rc", "alpha", "A", "-", "1a", "0a", "a-b", "99999999999"})
	draw := func(rt *rapid.T, name string) string {
		v := fmt.Sprintf("%s.%s.%s", number.Draw(rt, name), number.Draw(rt, name), number.Draw(rt, name))
		if pre := rapid.SliceOfN(word, 0, 3).Draw(rt, name); len(pre) > 0 {
			v += "-" + strings.Join(pre, ".")
		}
		return v
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := draw(rt, "a"), draw(rt, "b"), draw(rt, "c")
		if rapid.Bool().Draw(rt, "near") { // what differs in the pre-release alone
			b = strings.SplitN(a, "-", 2)[0] + strings.TrimPrefix(b, strings.SplitN(b, "-", 2)[0])
		}
		holds := func(op, x, y string) bool {
			n := semver.Compare("v"+x, "v"+y)
			return map[string]bool{"<": n < 0, "<=": n <= 0, ">": n > 0, ">=": n >= 0, "=": n == 0, "!=": n != 0}[op]
		}
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "=", "!="})
		one, two := op.Draw(rt, "one"), op.Draw(rt, "two")
		for _, row := range []struct {
			by   string
			want bool
		}{{" ", holds(one, a, b) && holds(two, a, c)}, {" || ", holds(one, a, b) || holds(two, a, c)}} {
			r, err := NewRange(one + b + row.by + two + c)
			require.NoError(rt, err)
			got, err := r.Has(a + rapid.SampledFrom([]string{"", "+build.1"}).Draw(rt, "build"))
			require.NoError(rt, err)
			require.Equal(rt, row.want, got, "%s in %s%s%s%s%s", a, one, b, row.by, two, c)
		}
	})
}

func FuzzRange(f *testing.F) {
	f.Add(">=1.2 <2", "1.2.3")
	f.Add("^1 || ~2.x - *", "1.2.3-rc.1+b")
	f.Fuzz(func(t *testing.T, in, version string) {
		r, err := NewRange(in)
		if err != nil {
			return
		}
		yes, err := r.Has(version)
		if err != nil && yes {
			t.Fatal("an error and yes")
		}
	})
}

func BenchmarkHas(b *testing.B) {
	r, _ := NewRange(">=1.2 <2")
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Has("1.5.0-rc.1")
	}
}
