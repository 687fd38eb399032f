package condition

import (
	"strconv"
	"strings"
	"testing"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/rules/internal/condition/conditiontest"
)

// FuzzText: no condition in expr's syntax panics or crashes a program.
func FuzzText(f *testing.F) {
	for _, row := range conditiontest.Rows {
		f.Add(row.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, src := bench(t)
		src.text = strconv.Quote(text)
		c, ok := b.Compile(src, sexpr.Str(text), nil)
		if !ok {
			if len(src.wrong) == 0 {
				t.Fatal("refused without a reason")
			}
			return
		}
		k := aCase(t)
		if _, err := c.Holds(k); err != nil && !isUnjudged(err) && !strings.Contains(text, "crashes") {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
