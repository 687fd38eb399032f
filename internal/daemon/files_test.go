package daemon

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A limit that is too low is said at the start, with what would do.
func TestFewDescriptorsAreSaid(t *testing.T) {
	for limit, said := range map[uint64]bool{1024: true, 4096: false} {
		var out bytes.Buffer
		d := &daemon{cfg: Config{Clients: 256}, log: slog.New(slog.NewTextHandler(&out, nil))}
		d.checkFiles(limit, true)
		assert.Equal(t, said, out.Len() > 0, "%s", out.String())
		if said {
			assert.Contains(t, out.String(), "limit=1024 needed=2562 clients=256")
		}
	}
	most, known := filesAllowed()
	assert.True(t, !known || most > 0)
}
