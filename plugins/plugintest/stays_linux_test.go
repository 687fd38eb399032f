package plugintest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/crashtest"
	"github.com/opencortex-go/cortex/plugins/plugintest"
)

// A skill that does not end by itself is found out, and ended.
func TestNoSkillStays(t *testing.T) {
	crashtest.Long(t)
	t.Parallel()
	o := options(t, "raw-plain")
	mark := fmt.Sprintf("MARK=stays-%d", os.Getpid())
	o.Env = append(o.Env, mark)
	require.ErrorContains(t, plugintest.CheckOne(t.Context(), o, "ends when its host has died"), "watch getppid")
	assert.Eventually(t, func() bool {
		return len(marked(t, mark)) == 0
	}, 10*time.Second, 10*time.Millisecond, "it is still there")
}

// marked lists the processes that have a line in their environment.
func marked(t *testing.T, line string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, file := range all {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(line)) {
			found = append(found, file)
		}
	}
	return found
}
