package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/gateways"
)

// Receive implements [gateways.Gateway].
func (g *Gateway) Receive(ctx context.Context, from int64, handle func(context.Context, gateways.Update) error) error {
	if g.opt.Secret != "" {
		g.mu.Lock()
		g.handle = handle
		g.mu.Unlock()
		defer func() {
			g.mu.Lock()
			g.handle = nil
			g.mu.Unlock()
		}()
		if err := g.register(ctx); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	return g.poll(ctx, from, handle)
}

// register registers the webhook, and retries until the service accepts it.
func (g *Gateway) register(ctx context.Context) error {
	if g.opt.Hook == "" {
		return nil
	}
	for wait := g.opt.Backoff; ; wait = min(2*wait, time.Minute) {
		err := g.api.call(ctx, "setWebhook", map[string]any{
			"url": g.opt.Hook, "secret_token": g.opt.Secret, "allowed_updates": allowed,
		}, nil)
		if err == nil || errors.Is(err, ErrToken) {
			g.note(err)
			return err
		}
		if err := g.pause(ctx, err, wait); err != nil {
			return err
		}
	}
}

// allowed are the kinds of updates that are read.
var allowed = []string{"message", "callback_query"}

// poll asks for updates until ctx ends. The offset that confirms an update is
// sent only after it was handled.
func (g *Gateway) poll(ctx context.Context, offset int64, handle func(context.Context, gateways.Update) error) error {
	wait := g.opt.Backoff
	quiet := time.Now().Add(-renumbered) // the cursor may be that old
	for ctx.Err() == nil {
		var updates []update
		fresh, from, asked := false, offset, time.Now()
		if time.Since(quiet) >= renumbered {
			from = 0
		}
		err := g.api.call(ctx, "getUpdates", map[string]any{
			"offset": from, "limit": 100, "timeout": int(g.opt.Poll / time.Second), "allowed_updates": allowed,
		}, &updates)
		for _, u := range updates {
			if u.ID < offset && (from > 0 || u.ID >= offset-repeated) {
				continue // the service forgot the offset, or has not got it yet
			}
			if err = handle(ctx, g.read(u)); err != nil {
				break
			}
			offset, fresh = u.ID+1, true
		}
		if len(updates) > 0 {
			quiet = time.Now()
		}
		if err == nil && len(updates) > 0 && !fresh && from > 0 {
			err = errors.New("the service hands over again what it was told had been read")
		}
		if err == nil {
			g.note(nil)
			wait = g.opt.Backoff
			if len(updates) == 0 && time.Since(asked) < wait {
				g.opt.Logger.Debug("telegram: the service does not wait for updates", "wait", wait)
				_ = sleep(ctx, wait) // the loop checks ctx
			}
			continue
		}
		if errors.Is(err, ErrToken) {
			g.note(err)
			return err
		}
		if err := g.pause(ctx, err, wait); err != nil {
			return err
		}
		wait = min(2*wait, time.Minute)
	}
	return ctx.Err()
}

// After a week without updates, Telegram restarts their numbers at an arbitrary
// value. So the first poll, and polls after nearly a week of silence, ask for all
// updates. Numbers further below the offset than one poll can hold then belong to a
// new sequence.
const (
	renumbered = 6 * 24 * time.Hour
	repeated   = 100
)

// pause waits after an error, as long as the service asks for.
func (g *Gateway) pause(ctx context.Context, cause error, wait time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	g.note(cause)
	var retry *gateways.RetryAfter
	if errors.As(cause, &retry) {
		wait = max(wait, min(retry.Wait, 10*time.Minute))
	}
	g.opt.Logger.Warn("telegram: updates cannot be read and are asked for again", "wait", wait, "error", cause)
	return sleep(ctx, wait)
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, wait time.Duration) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read reads the parts of an update that the service vouches for.
func (g *Gateway) read(u update) gateways.Update {
	out := gateways.Update{At: u.ID + 1, ID: g.Numbering() + " " + strconv.FormatInt(u.ID, 10)}
	switch {
	case u.Callback != nil && u.Callback.From != nil && u.Callback.Message != nil:
		data, approved := strings.CutPrefix(u.Callback.Data, approve)
		if !approved {
			data = strings.TrimPrefix(u.Callback.Data, deny)
		}
		out.User, out.Chat = number(u.Callback.From.ID), number(u.Callback.Message.Chat.ID)
		out.Ack = u.Callback.ID
		if data == "" || !approved && data == u.Callback.Data {
			data = "-" // not our button; never a posting's nonce
		}
		out.Press = &gateways.Press{Message: number(u.Callback.Message.ID), Nonce: data, Approve: approved}
	case u.Message != nil && u.Message.From != nil && !u.Message.From.IsBot:
		m := u.Message
		out.User, out.Chat = number(m.From.ID), number(m.Chat.ID)
		if !m.Forwarded && m.SenderChat == nil && m.ViaBot == nil {
			out.Text = m.Text
		}
	}
	return out
}

func number(id int64) string { return strconv.FormatInt(id, 10) }

// secretHeader carries the secret token of setWebhook.
const secretHeader = "X-Telegram-Bot-Api-Secret-Token"

// Webhook receives updates over HTTPS from the service, instead of polling. It
// answers 200 once an update is recorded; after any other status the service sends
// it again. It does not read requests without the right secret.
func (g *Gateway) Webhook() http.Handler {
	want := sha256.Sum256([]byte(g.opt.Secret))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get(secretHeader)))
		switch {
		case g.opt.Secret == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			http.Error(w, "wrong secret", http.StatusUnauthorized)
			return
		case r.Method != http.MethodPost:
			http.Error(w, "POST an update", http.StatusMethodNotAllowed)
			return
		}
		var u update
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&u); err != nil || u.ID == 0 {
			http.Error(w, "this is not an update", http.StatusBadRequest)
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.handle == nil {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		if err := g.handle(r.Context(), g.read(u)); err != nil {
			g.opt.Logger.Error("telegram: an update could not be recorded", "update", u.ID, "error", err)
			http.Error(w, "not recorded, send it again", http.StatusInternalServerError)
		}
	})
}
