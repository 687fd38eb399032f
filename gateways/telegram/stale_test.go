package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/gateways/telegram"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
)

// A service that goes on handing over what it was told had been read is not
// asked without a pause.
func TestWhatComesAgainForEverIsNotAskedForWithoutAPause(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"ok":true,"result":[{"update_id":7}]}`)
	}))
	defer s.Close()
	paused := make(chan struct{})
	g, err := telegram.New(telegram.Options{
		Token: telegramtest.Token, URL: s.URL, Poll: time.Second, Backoff: time.Hour,
		Logger: slog.New(slog.NewTextHandler(onWrite(sync.OnceFunc(func() { close(paused) })), nil)),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- g.Receive(ctx, 100, func(context.Context, gateways.Update) error { return errors.New("handled") })
	}()
	<-paused
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
}

// A service that answers at once that there is nothing, as a proxy may that does not
// let polls wait, is not asked without a pause either. Nothing is wrong with it.
func TestAServiceThatDoesNotWaitIsNotAskedWithoutAPause(t *testing.T) {
	var polls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		polls.Add(1)
		_, _ = fmt.Fprint(w, `{"ok":true,"result":[]}`)
	}))
	defer s.Close()
	paused := make(chan struct{})
	g, err := telegram.New(telegram.Options{
		Token: telegramtest.Token, URL: s.URL, Poll: time.Second, Backoff: time.Hour,
		Logger: slog.New(slog.NewTextHandler(onWrite(sync.OnceFunc(func() {
			close(paused)
		})), &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- g.Receive(ctx, 0, nil) }()
	<-paused
	assert.NoError(t, g.Trouble())
	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
	assert.Equal(t, int64(1), polls.Load())
}

// onWrite calls itself for every write.
type onWrite func()

func (f onWrite) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}
