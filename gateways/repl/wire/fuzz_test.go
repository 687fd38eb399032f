//go:build linux

package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// Whatever bytes a client sends after a valid frame: the valid frame is answered,
// everything that comes back is a frame, the connection ends, and the next
// client is served.
func FuzzStream(f *testing.F) {
	health := frame(`(:id 1 :type :health-check)`)
	for _, s := range []string{
		"", health, health + health, "zzzzzz", "0000FF" + hi, "FFFFFF(", "+0000A(:type :x)", "\n\n  ", frame(hi),
		frame(hi) + "0000",
		frame(`(:id 2 :type :request :target :repl :payload (:form (+ 1 2)))`),
		frame(`(:id 2 :type :request :target :repl :payload (:form panic))`),
		frame(`(:id 3 :type :event :payload (:sensor :interrupt))`),
		frame(`(:type :event :payload (:action :handshake :protocol 2))`),
		frame("hello"), frame("("), frame(""), frame(strings.Repeat("(", 100)),
		frame(`(:type :event :key "k" :meta (:session "x") :payload (:sensor :x))`),
		frame(`(:id 4 :type :request :target :shell :payload (:cmd "ls"))`), frame("#.(quit)"), "000005(:id 7 :type :event)",
	} {
		f.Add([]byte(s))
	}
	h := open(f, `(:repeat t :reply "hi")`, evaluating(func(_ context.Context, form sexpr.Value) (repl.Result, error) {
		if form.IsSym("panic") {
			panic("a fault")
		}
		return repl.Result{Value: form}, nil
	}), func(s setup) { s.Wire.Limits.Bytes, s.Wire.MaxAnswer, s.Wire.FrameTimeout = 1<<16, 1<<16, time.Second })
	f.Fuzz(func(t *testing.T, data []byte) {
		nc, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: h.opt.Socket, Net: "unix"})
		require.NoError(t, err)
		defer nc.Close()
		go func() {
			// The daemon may close before it has read everything.
			_, _ = nc.Write(append([]byte(frame(`(:id "first" :type :health-check)`)), data...))
			_ = nc.CloseWrite()
		}()
		in := bufio.NewReader(nc)
		answered := false
		for {
			v, err := sexpr.Reader{Limits: protocol.Answers}.ReadFrame(in)
			var broken *net.OpError
			if errors.Is(err, io.EOF) || errors.As(err, &broken) {
				break // a reset: the rest of what was sent is not wanted
			}
			require.NoError(t, err)
			answered = answered || v.GetText("id") == "first"
		}
		require.True(t, answered, "the valid frame was answered")
	})
}
