package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/internal/zone"
)

func TestClocks(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	const spring = 1774746000 // 2026-03-29 01:00 UTC, when the clocks of Berlin go from 2 to 3
	for _, row := range []struct {
		at                  int64
		zone                string
		hour, weekday, date any
	}{
		{0, "UTC", int64(0), "thursday", "1970-01-01"},
		{-1, "UTC", int64(23), "wednesday", "1969-12-31"},
		{spring - 1, "Europe/Berlin", int64(1), "sunday", "2026-03-29"},
		{spring, "Europe/Berlin", int64(3), "sunday", "2026-03-29"},
		{spring, "America/Los_Angeles", int64(18), "saturday", "2026-03-28"},
		{spring, "Asia/Kolkata", int64(6), "sunday", "2026-03-29"},
		{1325239200, "Pacific/Apia", int64(0), "saturday", "2011-12-31"}, // after Thursday, as Samoa crossed the date line
		{1325239199, "Pacific/Apia", int64(23), "thursday", "2011-12-29"},
		{4000000000, "Europe/Berlin", int64(9), "tuesday", "2096-10-02"},
		{zone.Earliest, "UTC", int64(0), "tuesday", "0001-01-02"},
		{zone.Latest, "UTC", int64(0), "friday", "9999-12-31"},
	} {
		for name, want := range map[string]any{"hour": row.hour, "weekday": row.weekday, "date": row.date} {
			got, err := call(t, c, name, row.at, row.zone)
			require.NoError(t, err, "%s %d %s", name, row.at, row.zone)
			assert.Equal(t, want, got, "%s %d %s", name, row.at, row.zone)
		}
	}
	for _, name := range []string{"hour", "weekday", "date"} {
		_, err := call(t, c, name, int64(0), "Local")
		require.ErrorContains(t, err, `no time zone is called "Local"`)
		_, err = call(t, c, name, int64(0), "")
		require.Error(t, err)
		_, err = call(t, c, name, int64(zone.Latest+1), "UTC")
		require.ErrorContains(t, err, "not in the years 1 to 9999")
		_, err = call(t, c, name, int64(1774746000000), "UTC")
		require.ErrorContains(t, err, "Unix seconds", "milliseconds are no seconds")
	}
}

// A literal is looked up when rules are loaded; a wrong one gets the name that is near.
func TestAClockIsCheckedAtLoad(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	for _, f := range clockFunctions() {
		p := f.Params[1]
		require.NoError(t, p.Check("Europe/Berlin"))
		require.ErrorContains(t, p.Check("Europe/Berlim"), "did you mean Europe/Berlin?")
		ready, err := f.Call(c, []any{int64(1774746000), p.Prepare("Europe/Berlin")})
		require.NoError(t, err)
		plain, err := f.Call(c, []any{int64(1774746000), "Europe/Berlin"})
		require.NoError(t, err)
		assert.Equal(t, plain, ready)
	}
}

func BenchmarkClock(b *testing.B) {
	c := caseOf(b, sexpr.Plist())
	for _, f := range clockFunctions() {
		ready := f.Params[1].Prepare("Europe/Berlin")
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = f.Call(c, []any{int64(1774746000), ready})
			}
		})
	}
}
