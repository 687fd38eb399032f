package facts

import (
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Names of up to four labels out of few, so that one is often below another, in letters
// of either case. The reference compares labels from the right.
func TestDomainInAgainstReference(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	labels := rapid.SampledFrom([]string{"a", "ab", "b", "evil", "example", "com", "net", "A", "Example"})
	name := rapid.Custom(func(rt *rapid.T) string {
		return strings.Join(rapid.SliceOfN(labels, 1, 4).Draw(rt, "labels"), ".")
	})
	below := func(host, domain string) bool {
		h, d := strings.Split(strings.ToLower(host), "."), strings.Split(strings.ToLower(domain), ".")
		for i := range d {
			if i == len(h) || h[len(h)-1-i] != d[len(d)-1-i] {
				return false
			}
		}
		return true
	}
	rapid.Check(t, func(rt *rapid.T) {
		host, domains := name.Draw(rt, "host"), rapid.SliceOfN(name, 1, 3).Draw(rt, "domains")
		want := false
		for _, d := range domains {
			want = want || below(host, d)
		}
		got, err := call(t, c, "domain-in?", host, list(domains...))
		require.NoError(rt, err)
		require.Equal(rt, want, got, "%s in %v", host, domains)
	})
}

// URLs with every part that one may have; Go's own parser is the reference. Odd spellings
// of addresses are for TestRow066_HostsAreNamedHoweverTheyAreWritten.
func TestHostAgainstReference(t *testing.T) {
	c := caseOf(t, sexpr.Plist())
	part := func(some ...string) *rapid.Generator[string] { return rapid.SampledFrom(some) }
	rapid.Check(t, func(rt *rapid.T) {
		text := part("http", "https", "HTTPS", "ftp").Draw(rt, "scheme") + "://" +
			part("", "u@", "u:p@", "example.com@").Draw(rt, "user") +
			part("example.com", "API.Example.com", "a-b.example.org", "10.0.0.1", "[::1]").Draw(rt, "host") +
			part("", ":80", ":8443").Draw(rt, "port") +
			part("", "/", "/a@b/c", "/x.net/").Draw(rt, "path") + part("", "?q=http://b.net/").Draw(rt, "query") +
			part("", "#f@g").Draw(rt, "fragment")
		u, err := url.Parse(text)
		require.NoError(rt, err)
		got, err := call(t, c, "host", text)
		require.NoError(rt, err)
		require.Equal(rt, strings.ToLower(u.Hostname()), got, text)
	})
}

// Options of rm as a person means them, spelled in every way that rm takes: bundled or
// apart, long, shortened, before and after operands, and after -- as names of files.
func TestFlagAgainstItsWriter(t *testing.T) {
	long := map[string][]string{"r": {"--recursive", "--recurs", "--rec"}, "f": {"--force", "--fo"},
		"i": {"--interactive=once"}, "d": {"--dir"}}
	letters := []string{"r", "f", "i", "d"}
	rapid.Check(t, func(rt *rapid.T) {
		given, bundle := map[string]bool{}, ""
		words := []string{"rm"}
		for _, l := range letters {
			switch rapid.IntRange(0, 4).Draw(rt, l) {
			case 0:
				given[l] = true
				bundle += l
			case 1:
				given[l] = true
				words = append(words, "-"+l)
			case 2:
				given[l] = true
				words = append(words, rapid.SampledFrom(long[l]).Draw(rt, "long "+l))
			}
		}
		words = append(words, "x")
		if bundle != "" {
			words = append(words, "-"+bundle)
		}
		words = append(words, "--", "-rfid", "--force")
		cmd := strings.Join(words, " ")
		commands, err := call(t, commandCase(t, cmd), "shell", cmd)
		require.NoError(rt, err, cmd)
		for _, l := range letters {
			got, err := call(t, commandCase(t, cmd), "flag?", commands.([]any)[0], l)
			require.NoError(rt, err)
			require.Equal(rt, given[l], got, "-%s in %s", l, cmd)
		}
	})
}

// A session's calls, messages between them, at times that may go back; and spends of two
// principals and sessions. The reference looks at each of them, and adds exactly.
func TestHistoryAgainstReference(t *testing.T) {
	now := time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)
	a, err := skills.NewAction("shell", sexpr.Plist(), "")
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		name, at := rapid.SampledFrom([]string{"a", "b"}), rapid.Int64Range(now.Unix()-90_000, now.Unix())
		f := &skills.Facts{Now: now.Unix(), Session: skills.Session{ID: "a", Principal: "a"}}
		for range rapid.IntRange(0, 12).Draw(rt, "turns") {
			if rapid.Bool().Draw(rt, "call") {
				f.Session.Turns = append(f.Session.Turns, skills.Turn{Call: &skills.Call{Tool: name.Draw(rt, "tool"),
					Decision: "allow", At: at.Draw(rt, "at"), Error: name.Draw(rt, "error")}})
				continue
			}
			f.Session.Turns = append(f.Session.Turns, skills.Turn{User: "a"})
		}
		for range rapid.IntRange(0, 12).Draw(rt, "spends") {
			f.Spends = append(f.Spends, skills.Spend{Budget: name.Draw(rt, "budget"), Principal: name.Draw(rt, "spender"),
				Amount: float64(rapid.IntRange(0, 400).Draw(rt, "quarters")) / 4, Session: name.Draw(rt, "session"),
				At: at.Draw(rt, "spent at")})
		}
		c := skills.NewCase(a, shellTool, f)

		seconds := rapid.Int64Range(0, 100_000).Draw(rt, "seconds")
		var all, late []any
		for _, turn := range f.Session.Turns {
			if turn.Call == nil || turn.Call.Tool != "a" {
				continue
			}
			all = append(all, turn.Call.At)
			if now.Unix()-turn.Call.At <= seconds {
				late = append(late, turn.Call.At)
			}
		}
		require.Equal(rt, all, timesOf(t, c, "calls", "a"))
		require.Equal(rt, late, timesOf(t, c, "calls-since", "a", seconds))

		for period, counts := range map[string]func(s skills.Spend) bool{
			"hour": func(s skills.Spend) bool {
				return s.Principal == "a" && !time.Unix(s.At, 0).Before(now.Truncate(time.Hour))
			},
			"day": func(s skills.Spend) bool {
				return s.Principal == "a" && time.Unix(s.At, 0).UTC().Day() == now.Day()
			},
			"session": func(s skills.Spend) bool { return s.Session == "a" },
		} {
			sum := new(big.Rat)
			for _, s := range f.Spends {
				if s.Budget == "a" && counts(s) {
					sum.Add(sum, new(big.Rat).SetFloat64(s.Amount))
				}
			}
			want, _ := sum.Float64()
			got, err := call(t, c, "spent", "a", period)
			require.NoError(rt, err)
			require.InDelta(rt, want, got, 0, "%s: %+v", period, f.Spends)
		}
	})
}

func timesOf(t *testing.T, c *skills.Case, function string, args ...any) (at []any) {
	got, err := call(t, c, function, args...)
	require.NoError(t, err)
	for _, k := range got.([]any) {
		at = append(at, k.(map[string]any)["at"])
	}
	return at
}
