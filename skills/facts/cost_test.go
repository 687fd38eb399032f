package facts

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/opencortex-go/cortex/skills/facts/internal/shell"
)

// BenchmarkReading holds the cost of reading a line against the bare parse of the
// same line. Both are linear in its length.
func BenchmarkReading(b *testing.B) {
	shapes := map[string]string{"words": "cat notes/a.txt; ", "assignments": "a=1 ",
		"mixed": `for f in *.go; do grep -n "a b" "$f" | wc -l; done; `}
	for name, shape := range shapes {
		for _, size := range []int{100, 1 << 10, 8 << 10} {
			line := strings.Repeat(shape, max(1, size/len(shape)))
			line = line[:len(line)-1]
			e := shell.Env{Cwd: "/workspace", Home: "/home/u", Vars: map[string]string{"HOME": "/home/u"}}
			b.Run(fmt.Sprintf("%s/%d/parse", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), ""); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/%d/read", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = shell.Read(line, e) // a long one has too many commands
				}
			})
		}
	}
}
