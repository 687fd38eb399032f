package slots_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/hostile"
	"github.com/opencortex-go/cortex/plans"
	"github.com/opencortex-go/cortex/plans/slots"
	"github.com/opencortex-go/cortex/sexpr"
)

func fill(line, x, y string) (string, bool) {
	work := sexpr.Plist("x", sexpr.Str(x), "y", sexpr.Str(y))
	args, reasons := slots.Fill(step, sexpr.Plist("cmd", sexpr.Str(line)), work)
	return args.GetText("cmd"), len(reasons) == 0
}

// Real bash runs the words that the plan wrote, with the values in their places, or Fill refuses.
func TestI1_HostileValuesStayWordsOfTheirCommand(t *testing.T) {
	m, commands := hostile.NewMachine(t), hostile.Commands()
	n := 10_000
	if testing.Short() {
		n = 4 * len(hostile.Values())
	}
	filled := make([]int, len(commands))
	values := hostile.Mixtures(n)
	for i, x := range values {
		c := i % len(commands)
		y := values[(i*7919+13)%n]
		if i%3 == 0 || c == 7 { // else few values would pass where two have to
			y = "plain"
		}
		line, ok := fill(commands[c].Line, x, y)
		if !ok {
			continue
		}
		filled[c]++
		require.Empty(t, m.Broken(t, line, commands[c].Runs, x, y), "%.300q", line)
	}
	for c, count := range filled {
		assert.Positive(t, count, commands[c].Line)
	}
	t.Logf("%d values, filled in and run by command: %v", n, filled)
}

// Each text that may stand in a word does: what is refused has a NUL or begins with a dash, or
// makes the line too long.
func TestAnyTextIsAWord(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2_000
	}
	for _, x := range hostile.Mixtures(n) {
		line, ok := fill("stub {{x}}", x, "")
		may := !strings.ContainsRune(x, 0) && !strings.HasPrefix(x, "-") &&
			len("stub ''")+len(x)+3*strings.Count(x, "'") < 128<<10
		assert.Equal(t, may, ok, "%.100q gives %.100q", x, line)
	}
}

// The test above catches a version that only puts the texts together.
func TestPuttingTextsTogetherIsCaught(t *testing.T) {
	m := hostile.NewMachine(t)
	for _, x := range []string{"; other", "$(other)", "`other`", "a b", "*", "'", ">made", "\nother", "& other", "{a,b}",
		"$HOME", "# x"} {
		for _, c := range hostile.Commands()[:2] {
			line := plans.FillSlots(c.Line, func(s plans.Slot) string { return map[string]string{"x": x, "y": "plain"}[s.Path] })
			assert.NotEmpty(t, m.Broken(t, line, c.Runs, x, "plain"), "%q", line)
		}
	}
	line := "stub '" + "it's" + "'" // and one that only quotes
	assert.NotEmpty(t, m.Broken(t, line, hostile.Commands()[0].Runs, "it's", ""), line)
}

func FuzzFill(f *testing.F) {
	m, commands, values := hostile.NewMachine(f), hostile.Commands(), hostile.Values()
	for i, x := range values {
		if testing.Short() && i%2 == 1 { // TestI1_HostileValuesStayWordsOfTheirCommand tries them all
			continue
		}
		f.Add(uint8(i), x, values[(i*31)%len(values)])
		f.Add(uint8(i), x, "plain")
	}
	f.Fuzz(func(t *testing.T, which uint8, x, y string) {
		c := commands[int(which)%len(commands)]
		if line, ok := fill(c.Line, x, y); ok {
			assert.Empty(t, m.Broken(t, line, c.Runs, x, y), "%q", line)
			again, _ := fill(c.Line, x, y)
			assert.Equal(t, line, again)
		}
	})
}
