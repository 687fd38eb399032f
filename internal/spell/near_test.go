package spell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"socket", "rules", "heartbeat", "identity"}
	for name, want := range map[string]string{
		"sokcet":   "; did you mean socket?", // two letters swapped
		"rule":     "; did you mean rules?",
		"heartbat": "; did you mean heartbeat?",
		"Identity": "; did you mean identity?",
		"colour":   "",
		"":         "",
	} {
		assert.Equal(t, want, DidYouMean(name, known), name)
	}
}
