package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex/internal/thoughts"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/skills"
)

// lookThenSay is a model that calls a tool once for each request.
type lookThenSay struct{}

func (lookThenSay) Name() string { return "look-then-say" }

func (lookThenSay) Complete(_ context.Context, p model.Prompt) (model.Completion, error) {
	if p.Messages[len(p.Messages)-1].Role == model.RoleTool {
		return model.Completion{Text: "seen"}, nil
	}
	return model.Completion{Calls: []model.NativeCall{{ID: "1", Name: "look", Arguments: `{"text":"round"}`}}}, nil
}

// BenchmarkTracedCall answers a request with one call of a tool that takes 50 ms, on a real disk, in each mode:
// the difference is what records of thoughts add (R39). Each request is a session of its own, with 16 KiB of words.
func BenchmarkTracedCall(b *testing.B) {
	words := strings.Repeat("sixteen bytes... ", 1<<10)
	for _, mode := range []TraceMode{TraceOff, TraceDigest, TraceFull} {
		b.Run("mode="+string(mode), func(b *testing.B) {
			opt, _ := options(b, testRules, "")
			opt.Dir, opt.Traces, opt.Models.Providers = b.TempDir(), Traces{Mode: mode}, []model.Provider{lookThenSay{}}
			opt.Tools = []act.Tool{{Schema: &skills.Tool{Name: "look"}, Actuator: act.Func(
				func(context.Context, act.Call) (act.Receipt, error) {
					time.Sleep(50 * time.Millisecond)
					return act.Receipt{State: act.Done, Text: "a lake"}, nil
				})}}
			e, err := open(b.Context(), opt)
			require.NoError(b, err)
			defer func() { require.NoError(b, e.Close()) }()
			n := 0
			for b.Loop() {
				n++
				out, err := e.Submit(b.Context(), Signal{Text: words, Session: fmt.Sprint(n), Principal: "ana"})
				require.NoError(b, err)
				require.Equal(b, "seen", out.Text)
			}
		})
	}
}

// BenchmarkThought makes the record of one exchange with a prompt of 64 KiB, with and without something to mask.
func BenchmarkThought(b *testing.B) {
	x := model.Exchange{Provider: "p", Prompt: model.Prompt{System: "You are Agent."},
		Answer: model.Completion{Calls: []model.NativeCall{{ID: "1", Name: "login", Arguments: `{"user":"ada","password":"hunter2-canary"}`}}}}
	for range 16 {
		x.Prompt.Messages = append(x.Prompt.Messages, model.Message{Role: model.RoleUser,
			Text: strings.Repeat("word ", 4<<10/5)})
	}
	for _, mask := range [][]string{nil, {"login.args.password"}} {
		b.Run(fmt.Sprintf("masks=%d", len(mask)), func(b *testing.B) {
			opt, _ := options(b, testRules, "")
			e, err := open(b.Context(), opt)
			require.NoError(b, err)
			defer func() { require.NoError(b, e.Close()) }()
			k, err := thoughts.New(Traces{Mode: TraceDigest, Mask: mask}, e.veil, nil, e.j)
			require.NoError(b, err)
			for b.Loop() {
				require.NotZero(b, k.Think("s", 1, &x).Prompt.Bytes)
			}
		})
	}
}
