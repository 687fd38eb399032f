package zone

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A change of the data is a change of [Version], which is part of each policy hash.
func TestTheDataAreThoseOfTheVersion(t *testing.T) {
	sum := sha256.Sum256(data)
	digests := map[string]string{"2025c": "8f55634d05f8bca1f7bc7c69c5933428c69357e0bdf565e5ba224e3f88ff12e8"}
	assert.Equal(t, digests[Version], hex.EncodeToString(sum[:]))
}

func open(t testing.TB) *Database {
	d, err := Open()
	require.NoError(t, err)
	return d
}

func TestEveryZoneCanBeRead(t *testing.T) {
	d := open(t)
	assert.Greater(t, len(d.Names()), 550)
	for _, name := range d.Names() {
		_, ok, err := d.Location(name)
		require.NoError(t, err, name)
		assert.True(t, ok, name)
	}
}

// These are what package time takes for something on the host, or for a path.
func TestOnlyNamesOfTheDatabaseAreZones(t *testing.T) {
	d := open(t)
	for _, name := range []string{"", "Local", "local", "europe/berlin", "Europe/Berlin ", "Europe/", "Europe",
		"../Europe/Berlin", "/etc/localtime", "Europe//Berlin", ":Europe/Berlin", "CET-1CEST", "Z", "+01:00"} {
		_, ok, err := d.Location(name)
		require.NoError(t, err, name)
		assert.False(t, ok, name)
	}
}

// The host has three places where package time would look. Here all of them lie.
func TestTheHostDoesNotMatter(t *testing.T) {
	show := func() string {
		l, ok, err := open(t).Location("Europe/Berlin")
		require.NoError(t, err)
		require.True(t, ok)
		at, ok := At(1780000000, l)
		require.True(t, ok)
		return at.Format(time.RFC3339)
	}
	require.Equal(t, "2026-05-28T22:26:40+02:00", show())
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("ZONEINFO", t.TempDir())
	require.Equal(t, "2026-05-28T22:26:40+02:00", show())
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("lie", 5*3600)
	require.Equal(t, "2026-05-28T22:26:40+02:00", show())
}

// civil is a slow reference: it counts days one year and one month at a time.
func civil(unix int64) (year, month, day int, weekday int64) {
	days := unix / 86400
	if unix%86400 < 0 {
		days--
	}
	weekday = ((days+4)%7 + 7) % 7 // the first day was a Thursday
	leap := func(y int) bool { return y%4 == 0 && y%100 != 0 || y%400 == 0 }
	length := func(y int) int64 {
		if leap(y) {
			return 366
		}
		return 365
	}
	year = 1970
	for ; days < 0; days += length(year) {
		year--
	}
	for ; days >= length(year); year++ {
		days -= length(year)
	}
	months := []int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if leap(year) {
		months[1] = 29
	}
	for days >= months[month] {
		days -= months[month]
		month++
	}
	return year, month + 1, int(days) + 1, weekday
}

// In a zone without changes, a clock shows what counting by hand gives.
func TestUTCAgainstReference(t *testing.T) {
	l, _, err := open(t).Location("UTC")
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		unix := rapid.OneOf(rapid.Int64Range(Earliest, Latest), rapid.SampledFrom([]int64{Earliest, Latest, 0, -1}),
			rapid.Int64()).Draw(rt, "unix")
		at, ok := At(unix, l)
		if unix < Earliest || unix > Latest {
			assert.False(rt, ok)
			return
		}
		y, m, d, w := civil(unix)
		assert.True(rt, ok)
		assert.Equal(rt, []int{y, m, d, int(w)}, []int{at.Year(), int(at.Month()), at.Day(), int(at.Weekday())})
		assert.Equal(rt, (unix%86400+86400)%86400/3600, int64(at.Hour()))
	})
}

// judge reads the same data with Python's zoneinfo, which knows nothing of ours.
const judge = `
import io, json, sys, zipfile
from datetime import datetime, timezone, timedelta
from zoneinfo import ZoneInfo
archive, out, zones = zipfile.ZipFile("zoneinfo.zip"), [], {}
for name, unix in json.load(sys.stdin):
    if name not in zones:
        zones[name] = ZoneInfo.from_file(io.BytesIO(archive.read(name)), key=name)
    t = (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=unix)).astimezone(zones[name])
    out.append("%04d-%02d-%02d %d %s" % (t.year, t.month, t.day, t.hour, t.strftime("%A")))
json.dump(out, sys.stdout)
`

// Python agrees about every zone, also close to where a year's clocks change and far
// in the future.
func TestZonesAgainstPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3, so Python's zoneinfo judges nothing")
	}
	if exec.Command(python, "-c", "import zoneinfo").Run() != nil {
		t.Skip("this python3 has no zoneinfo, so it judges nothing")
	}
	d := open(t)
	var asked [][2]any
	var want []string
	for i, name := range d.Names() {
		l, _, err := d.Location(name)
		require.NoError(t, err)
		for k := range int64(15) {
			unix := -2500000000 + k*400000000 + int64(i)*7919*k // 1890 to 2080
			for _, u := range []int64{unix, changeAfter(unix, l) - 1, changeAfter(unix, l)} {
				at, ok := At(u, l)
				require.True(t, ok)
				asked = append(asked, [2]any{name, u})
				want = append(want, at.Format("2006-01-02 ")+strings.TrimPrefix(at.Format("15"), "0")+" "+at.Weekday().String())
			}
		}
	}
	in, err := json.Marshal(asked)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), python, "-c", judge)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	require.NoError(t, err)
	var got []string
	require.NoError(t, json.Unmarshal(out, &got))
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, got[i], want[i], "%v", asked[i])
	}
}

// changeAfter is when a zone's offset changes next, or the moment itself if it does
// not within a year.
func changeAfter(unix int64, l *time.Location) int64 {
	if _, end := time.Unix(unix, 0).In(l).ZoneBounds(); !end.IsZero() && end.Unix() < unix+366*86400 {
		return end.Unix()
	}
	return unix
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		_, _ = Open()
	}
}
