package repl

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/opencortex-go/cortex/cortex"
)

func TestStatusTellsOfTheCheckInTheBackground(t *testing.T) {
	for _, tt := range []struct {
		scrub cortex.Scrub
		want  string
	}{
		{cortex.Scrub{Checked: 7}, "the record is being checked, and is as it was written up to 7\n"},
		{cortex.Scrub{Checked: 9, Done: true}, "the record up to 9 is as it was written\n"},
		{cortex.Scrub{Checked: 9, Err: errors.New("record 10 is bad")},
			"the record is DAMAGED, `cortex fsck` says what can be mended: record 10 is bad\n"},
	} {
		assert.Contains(t, statusText(cortex.Status{Scrub: tt.scrub}), tt.want)
	}
	assert.NotContains(t, statusText(cortex.Status{}), "as it was written")
}
