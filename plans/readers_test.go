package plans_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/plans/source"
)

// shipped are the files of the workflows that examples/workflows has, and of the thirty.
func shipped(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"../examples/workflows/*.lisp", thirty + "/*.json"} {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range some {
			if !strings.HasSuffix(file, ".script.json") {
				files = append(files, file)
			}
		}
	}
	require.Len(t, files, 34)
	return files
}

// Every workflow is read without a fault, whichever way it is written.
func TestThirtyAndShippedAreRead(t *testing.T) {
	for _, file := range shipped(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			flow, err := source.Read(file, text)
			require.NoError(t, err)
			assert.NotEmpty(t, flow.Steps)
		})
	}
}
