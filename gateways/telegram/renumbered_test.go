package telegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/telegram"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
)

// A bot whose updates are numbered anew, far below the cursor, is heard. The
// service is told a real offset again with the next poll.
func TestUpdatesThatAreNumberedAnewAreHeard(t *testing.T) {
	const cursor = 900_000_000
	offsets := make(chan int64, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p struct {
			Offset int64 `json:"offset"`
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&p))
		offsets <- p.Offset
		var out []string
		for _, id := range []int64{1000, 1001} { // as the service would: from the offset on
			if id >= p.Offset && p.Offset < cursor {
				out = append(out,
					fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"from":{"id":5},"chat":{"id":5},"text":"x"}}`, id))
			}
		}
		if p.Offset > 0 {
			out = nil
			<-r.Context().Done()
		}
		_, _ = fmt.Fprintf(w, `{"ok":true,"result":[%s]}`, strings.Join(out, ","))
	}))
	defer s.Close()
	g, err := telegram.New(telegram.Options{Token: telegramtest.Token, URL: s.URL, Poll: time.Second})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var ids []string
	ended := make(chan error, 1)
	go func() {
		ended <- g.Receive(ctx, cursor, func(_ context.Context, u gateways.Update) error {
			ids = append(ids, u.ID)
			return nil
		})
	}()
	assert.Zero(t, <-offsets)
	assert.Positive(t, <-offsets)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	assert.Equal(t, []string{"123456 1000", "123456 1001"}, ids)
}
