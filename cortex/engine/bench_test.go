package engine

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/keyfile"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// BenchmarkDurableDecision decides and records, synced to a real disk, with 1
// and 64 callers. Package cortex/journal has the figures of the bare store.
func BenchmarkDurableDecision(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			opt, _ := options(b, testRules, "")
			opt.Dir = b.TempDir()
			e, err := open(b.Context(), opt)
			require.NoError(b, err)
			defer func() { require.NoError(b, e.Close()) }()
			a, err := NewAction("note", mustRead(b, `(:text "milk")`), "")
			require.NoError(b, err)
			var n atomic.Int64
			b.SetParallelism((writers + 1) / 2) // of two processors
			if writers == 1 {
				b.ResetTimer()
				for b.Loop() {
					_, err := e.Decide(b.Context(), a, asking("s", "agent"))
					require.NoError(b, err)
				}
				return
			}
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				id := fmt.Sprint(n.Add(1))
				for pb.Next() {
					if _, err := e.Decide(b.Context(), a, asking(id, "agent")); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// BenchmarkSecrets decides the same action with a secret, beside one that needs no
// encryption, in memory: the difference is what a secret costs the writer.
func BenchmarkSecrets(b *testing.B) {
	for name, args := range map[string]string{
		"plain":  `(:user "ana")`,
		"secret": `(:user "ana" :password "correct horse battery")`,
	} {
		b.Run(name, func(b *testing.B) {
			k, err := keyfile.InMemory()
			require.NoError(b, err)
			opt, _ := options(b, secretRules, "")
			opt.Keys = k
			opt.Tools[1] = act.Tool{Schema: &skills.Tool{Name: "login"}, Actuator: opt.Tools[1].Actuator}
			e, err := open(b.Context(), opt)
			require.NoError(b, err)
			defer func() { require.NoError(b, e.Close()) }()
			a, err := NewAction("login", mustRead(b, args), "")
			require.NoError(b, err)
			for b.Loop() {
				_, err := e.Decide(b.Context(), a, asking("s", "agent"))
				require.NoError(b, err)
			}
		})
	}
}

func mustRead(tb testing.TB, src string) sexpr.Value {
	tb.Helper()
	v, err := sexpr.Read("bench", src)
	require.NoError(tb, err)
	return v
}
