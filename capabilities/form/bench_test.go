package form_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/capabilities/form"
)

func BenchmarkRead(b *testing.B) {
	text := []byte(file(b, "testdata/deploy.lisp"))
	for b.Loop() {
		_, err := form.Read("p", text)
		require.NoError(b, err)
	}
}

func BenchmarkLoad(b *testing.B) {
	canonical := deploy(b).Canonical()
	for b.Loop() {
		_, err := form.Load(canonical)
		require.NoError(b, err)
	}
}

func BenchmarkFill(b *testing.B) {
	c := deploy(b)
	seen := form.Seen{Inputs: value(b, `(:app "pay" :image "acr.io/pay:2")`)}
	for b.Loop() {
		_, err := c.Fill(&c.Steps[1], seen)
		require.NoError(b, err)
	}
}
