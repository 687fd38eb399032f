//go:build linux

package wire

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// What the socket itself costs: a form that is its own answer.
func BenchmarkEcho(b *testing.B) {
	h := open(b, "", evaluating(func(_ context.Context, form sexpr.Value) (repl.Result, error) {
		return repl.Result{Value: form}, nil
	}))
	benchmarkEval(b, h, "1")
}

func BenchmarkStatus(b *testing.B) { benchmarkEval(b, open(b, ""), "(status)") }

func BenchmarkDecide(b *testing.B) {
	benchmarkEval(b, open(b, ""),
		`(decide (quote (:tool "note" :args (:text "milk") :explanation "to remember the milk")))`)
}

func benchmarkEval(b *testing.B, h *house, src string) {
	c := h.dial(h.opt.Socket)
	form, err := sexpr.Read("bench", src)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Eval(b.Context(), form); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHealth(b *testing.B) {
	h := open(b, "")
	c := h.dial(h.opt.Socket)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Health(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// Two hundred clients at once, each asking as soon as it was answered.
func BenchmarkCrowd(b *testing.B) {
	h := open(b, "")
	form := sexpr.ListOf(sexpr.Sym("status"))
	clients := make(chan *client.Conn, 200)
	for range cap(clients) {
		clients <- h.dial(h.opt.Socket)
	}
	b.SetParallelism(cap(clients) / 2)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		c := <-clients
		defer func() { clients <- c }()
		for p.Next() {
			if _, err := c.Eval(context.Background(), form); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
