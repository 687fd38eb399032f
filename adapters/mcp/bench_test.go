package mcp_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/adapters/mcp"
)

// BenchmarkCall times calls of a tool, one without the proxy and one behind it in turn, so
// that both meet the same machine. A proxied call is judged by a daemon's engine over its
// socket, and recorded. added-us is what the proxy adds at the median.
func BenchmarkCall(b *testing.B) {
	b.Run("stdio", func(b *testing.B) {
		w := newWorld(b)
		theirs, in := io.Pipe()
		out, mine := io.Pipe()
		over := make(chan error, 1)
		go func() { over <- w.proxy.Stdio(context.Background(), server("a"), theirs, mine) }()
		calls(b, &sdk.CommandTransport{Command: command(b, server("a"))}, &sdk.IOTransport{Reader: out, Writer: in})
		_ = in.Close()
		require.NoError(b, <-over)
	})
	b.Run("http", func(b *testing.B) {
		w := newWorld(b)
		url, _ := remote(b, true)
		behind, err := mcp.NewRemote(url, mcp.RemoteOptions{})
		require.NoError(b, err)
		calls(b, &sdk.StreamableClientTransport{Endpoint: url},
			&sdk.StreamableClientTransport{Endpoint: w.front(behind, mcp.HTTPOptions{})})
	})
}

// calls times calls directly and through the proxy.
func calls(b *testing.B, ways ...sdk.Transport) {
	took := make([][]time.Duration, len(ways))
	sessions := make([]*sdk.ClientSession, len(ways))
	for i, by := range ways {
		s, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(b.Context(), by, nil)
		require.NoError(b, err)
		sessions[i] = s
	}
	for b.Loop() {
		for i, s := range sessions {
			began := time.Now()
			_, err := s.CallTool(b.Context(), &sdk.CallToolParams{Name: "read", Arguments: map[string]any{"path": "p"}})
			took[i] = append(took[i], time.Since(began))
			require.NoError(b, err)
		}
	}
	p50 := make([]float64, len(ways))
	for i, s := range sessions {
		slices.Sort(took[i])
		p50[i] = float64(took[i][len(took[i])/2].Nanoseconds()) / 1e3
		require.NoError(b, s.Close())
	}
	b.ReportMetric(p50[0], "direct-us")
	b.ReportMetric(p50[1]-p50[0], "added-us")
}
