package model

import (
	"context"

	"github.com/opencortex-go/cortex/skills"
)

// Provider is a model that completes a prompt. Errors, panics, timeouts and
// empty completions make the cascade try the next one, and so does a provider
// that goes on when its context has ended: it is left behind. Clients over HTTP
// live in adapters/llm; this package has only the scripted provider.
type Provider interface {
	// Name is always the same, and no other provider's.
	Name() string
	// Complete is called from many goroutines at once. What it used counts even
	// beside an error. It must not change the prompt, which others see as well.
	Complete(ctx context.Context, p Prompt) (Completion, error)
}

// Prompt is what a model is shown.
type Prompt struct {
	// System says how a tool is called in plain text (weakness W25).
	System string
	// NativeSystem stands in its place for a provider that sends Tools and
	// receives [NativeCall]s.
	NativeSystem string
	Messages     []Message
	Tools        []*skills.Tool // what it may call; never a tool of tier deny
	Pinned       bool           // at temperature 0: something is looked for, and nothing made up
}

// Role says whose words a message holds.
type Role string

// The roles of the chat APIs.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of the conversation as a model sees it.
type Message struct {
	Role   Role
	Text   string
	Calls  []NativeCall // an assistant's tool calls
	CallID string       // which call a tool message answers
}

// NativeCall is a tool call as chat APIs send it. Arguments is JSON text that
// the model wrote; it may be cut off or wrong.
type NativeCall struct {
	ID        string
	Name      string
	Arguments string
	// Cut says that the answer ended before it was complete. Then no call in it
	// is run, however whole its arguments look.
	Cut bool
}

// Completion is what a model answered: text, native calls, or both.
type Completion struct {
	Text  string
	Calls []NativeCall
	Usage Usage
}

// Usage is what a completion cost, as far as the provider says.
type Usage struct {
	TokensIn, TokensOut int64
	Cost                float64 // US dollars
}
