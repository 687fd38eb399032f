package client

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/sexpr"
)

// A client keeps so many notices that it does not take, and counts the rest.
func TestNoticesThatNobodyTakesAreCounted(t *testing.T) {
	h := newHeard()
	for range maxNotices + 2 {
		h.add(Notice{Token: "T"}, 0)
	}
	v, err := sexpr.Read("frame", `(:type :event :payload (:action :card :missed 8))`)
	require.NoError(t, err)
	notice, missed, ok := noticeOf(v)
	assert.True(t, ok)
	h.add(notice, missed)
	list, missed := (&Conn{heard: h}).Notices()
	assert.Len(t, list, maxNotices)
	assert.Equal(t, 10, missed)
}
