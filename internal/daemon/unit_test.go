package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/internal/oracle"
)

// systemd itself rates the unit's sandbox: at most 2.0 of 10.
func TestTheUnitIsShutIn(t *testing.T) {
	analyze := oracle.Find(t, "systemd-analyze")
	rate := func(unit string) (string, error) {
		out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", "--no-pager", unit).CombinedOutput()
		return string(out), err
	}
	out, err := rate("../../contrib/systemd/cortex.service")
	require.NoError(t, err, out)
	assert.Contains(t, out, "Overall exposure level for cortex.service")
	bare := filepath.Join(t.TempDir(), "bare.service") // the judge does judge
	require.NoError(t, os.WriteFile(bare, []byte("[Service]\nExecStart=/bin/true\n"), 0o600))
	out, err = rate(bare)
	require.Error(t, err, out)
}
