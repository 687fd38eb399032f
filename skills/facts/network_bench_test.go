package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/internal/hosts"
)

// BenchmarkHosts asks for the hosts of a line that is read already: what the
// tables cost.
func BenchmarkHosts(b *testing.B) {
	for _, line := range []string{
		"ls -la", "git status", "git clone --depth=1 https://a.example/x", "curl -sSLo file https://a.example/x",
		"docker run --rm -it -v /:/host a.example/x sh", "npm install --registry=a.example x",
	} {
		b.Run(line, func(b *testing.B) {
			c := caseOf(b, sexpr.Plist("cmd", sexpr.Str(line)))
			m := lineOf(c, line)
			require.NoError(b, m.err)
			b.ReportAllocs()
			for b.Loop() {
				h := hosts.New()
				for i := range m.line.Commands {
					h.Command(&m.line.Commands[i])
				}
			}
		})
	}
}
