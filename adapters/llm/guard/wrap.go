package guard

import (
	"context"
	"crypto/rand"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason/model"
)

// Agent is a model with tools, an engine between them, and one conversation. It is not safe for concurrent
// use.
type Agent struct {
	// Chat is the conversation. Before the first [Agent.Run] a program may say who the user is, what the
	// system prompt is, and where the chat is kept.
	Chat  Chat
	guard *Guard
}

// Wrap puts an engine between a model client and a set of tools, in one call. Each tool call is judged, and
// runs with exactly the bytes that were allowed; the capabilities in force are offered beside the tools, and
// run by the engine. It is [New] with default options and a chat; the engine stays the caller's to close,
// after the agent.
func Wrap(engine *cortex.Engine, client model.Provider, tools []act.Tool) (*Agent, error) {
	g, err := New(engine, client, tools, Options{})
	if err != nil {
		return nil, err
	}
	return &Agent{Chat: Chat{Session: "agent-" + rand.Text(), Principal: "user"}, guard: g}, nil
}

// Run tells the model what the user says, and works until it has answered, or until people have to answer:
// see [Guard.Say].
func (a *Agent) Run(ctx context.Context, text string) (Answer, error) {
	return a.guard.Say(ctx, &a.Chat, text)
}

// Resume goes on after people have answered, or after an error: see [Guard.Resume].
func (a *Agent) Resume(ctx context.Context) (Answer, error) { return a.guard.Resume(ctx, &a.Chat) }

// Close waits for the tools that were called. After Close none runs.
func (a *Agent) Close() error { return a.guard.Close() }
