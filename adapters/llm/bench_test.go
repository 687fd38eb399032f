package llm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkComplete is a question to an endpoint on this machine that answers at
// once: what a provider adds to a model's own time.
func BenchmarkComplete(b *testing.B) {
	url := serve(b, say(calling(OpenAI, "files_read", `{"path":"x"}`, "tool_calls")))
	p, err := New(Config{Name: "b", Kind: OpenAI, URL: url, Model: "m"})
	require.NoError(b, err)
	defer func() { require.NoError(b, p.(*client).Close()) }()
	prompt := testPrompt()
	prompt.Messages = talked()
	for b.Loop() {
		if _, err := p.Complete(b.Context(), prompt); err != nil {
			b.Fatal(err)
		}
	}
}
