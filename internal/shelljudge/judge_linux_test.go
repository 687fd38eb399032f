package shelljudge

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	Inside()
	os.Exit(m.Run())
}

// BenchmarkRun is what one line in one shell costs.
func BenchmarkRun(b *testing.B) {
	k := kit(b)
	for _, sh := range Shells {
		s, err := k.Start(sh, 0)
		require.NoError(b, err)
		for _, line := range []string{":", "ls a", "ls a > out"} {
			b.Run(sh.Name+"/"+line, func(b *testing.B) {
				for b.Loop() {
					_, err := s.Run(line)
					require.NoError(b, err)
				}
			})
		}
		require.NoError(b, s.Close())
	}
}
