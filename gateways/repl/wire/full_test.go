//go:build linux

package wire

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// Where there is too much to do, or no way to record it, a client hears so, and
// nothing of the machine. On a full disk it hears what docs/daemon.md quotes.
func TestOverloadIsToldInWordsForPeople(t *testing.T) {
	page, err := os.ReadFile("../../../docs/daemon.md")
	require.NoError(t, err)
	for _, tt := range []struct {
		err  error
		says string
	}{
		{fmt.Errorf("journal: store: %w: the disk of /srv/record has 3 MiB free", journal.ErrFull),
			"actions cannot be recorded at the moment, so none is taken; try again later"},
		{fmt.Errorf("%w: /srv/record/000004.log: input/output error", journal.ErrReadOnly),
			"actions cannot be recorded at the moment, so none is taken"},
		{fmt.Errorf("accept: %w", &cortex.BusyError{What: "signals", Cap: 7}),
			"busy: there are 7 requests waiting already; try again later"},
	} {
		h := open(t, "", evaluating(func(context.Context, sexpr.Value) (repl.Result, error) { return repl.Result{}, tt.err }))
		_, err := h.dial(h.opt.Socket).Eval(t.Context(), sexpr.Int64(1))
		var of *repl.Error
		require.ErrorAs(t, err, &of)
		assert.Equal(t, tt.says, of.Err.Error())
		assert.Equal(t, "limit", of.Code)
		if strings.Contains(tt.says, "recorded") {
			assert.Contains(t, strings.ReplaceAll(string(page), "\n", " "), tt.says)
		}
	}
}
