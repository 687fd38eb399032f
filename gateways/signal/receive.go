package signal

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/gateways"
	"github.com/opencortex-go/cortex/perceive"
)

// Receive implements [gateways.Gateway]. Signal has no positions: the daemon
// delivers a message once. A message that cannot be recorded is kept and retried;
// messages sent while we are not subscribed wait at the service.
func (g *Gateway) Receive(ctx context.Context, _ int64, handle func(context.Context, gateways.Update) error) error {
	defer g.hangUp()
	for wait := g.opt.Backoff; ; wait = min(2*wait, time.Minute) {
		began := time.Now()
		err := g.listen(ctx, handle)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(began) > time.Minute {
			wait = g.opt.Backoff
		}
		g.note(err)
		g.opt.Logger.Warn("signal: the daemon cannot be heard and is tried again", "wait", wait, "error", err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

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

// listen subscribes on its own connection and handles notifications until the
// connection ends.
func (g *Gateway) listen(ctx context.Context, handle func(context.Context, gateways.Update) error) error {
	c, err := g.dial.dial(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	ended := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { ended <- c.read(g.heard.put) })
	defer func() { // the reader ends with the connection
		_ = c.Close()
		reader.Wait()
	}()
	var r *rpcError
	if err := c.call(ctx, "subscribeReceive", g.as(nil), nil); errors.As(err, &r) &&
		(r.Code == codeMethod || r.Code == codeUser) {
		g.opt.Logger.Info("signal: the daemon receives by itself", "answer", err)
	} else if err != nil {
		return err
	}
	g.note(nil)
	for {
		for l, ok := g.heard.take(); ok; l, ok = g.heard.take() {
			if err := g.take(ctx, l.Params, handle); err != nil {
				return err
			}
		}
		select {
		case <-g.heard.more:
		case err := <-ended:
			return err
		}
	}
}

// maxHeard bounds the notifications that wait to be recorded. Further ones are
// dropped, and logged.
const maxHeard = 10_000

// queue holds notifications that are not recorded yet. It outlives connections,
// because the daemon delivers a message once.
type queue struct {
	mu    sync.Mutex
	lines []line
	lost  int
	more  chan struct{} // holds a token after a put
}

func (q *queue) put(l line) {
	if l.Method != "receive" {
		return
	}
	q.mu.Lock()
	if len(q.lines) < maxHeard {
		q.lines = append(q.lines, l)
	} else {
		q.lost++
	}
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *queue) take() (l line, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		return l, false
	}
	l, q.lines = q.lines[0], q.lines[1:]
	return l, true
}

// dropped returns how many notifications did not fit since it was last asked.
func (q *queue) dropped() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.lost
	q.lost = 0
	return n
}

// take handles one notification until it is recorded.
func (g *Gateway) take(ctx context.Context, params json.RawMessage,
	handle func(context.Context, gateways.Update) error) error {
	if n := g.heard.dropped(); n > 0 {
		g.opt.Logger.Error("signal: messages were dropped because they came faster than they could be recorded", "messages",
			n)
	}
	u, ok := g.read(params)
	if !ok {
		return nil
	}
	for wait := g.opt.Backoff; ; wait = min(2*wait, time.Minute) {
		why, err := g.suspended(ctx, u.User)
		if err == nil {
			u.Suspended = why
			if why != "" {
				u.Text, u.Press = "", nil
			}
			err = handle(ctx, u)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.opt.Logger.Warn("signal: a message cannot be recorded and is kept", "wait", wait, "error", err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// The parts of signal-cli's envelopes that matter here.
type (
	received struct {
		Account  string    `json:"account"`
		Envelope *envelope `json:"envelope"`
		Result   *received `json:"result"` // with a subscription
	}
	envelope struct {
		UUID      string `json:"sourceUuid"`
		Timestamp int64  `json:"timestamp"`
		Data      *struct {
			Timestamp int64  `json:"timestamp"`
			Message   string `json:"message"`
			Group     *struct {
				ID string `json:"groupId"`
			} `json:"groupInfo"`
			Reaction *struct {
				Emoji    string `json:"emoji"`
				Author   string `json:"targetAuthorUuid"`
				Sent     int64  `json:"targetSentTimestamp"`
				IsRemove bool   `json:"isRemove"`
			} `json:"reaction"`
			Quote *struct {
				ID     int64  `json:"id"`
				Author string `json:"authorUuid"`
			} `json:"quote"`
		} `json:"dataMessage"`
	}
)

// read reads people's messages and answers from a notification. It ignores messages
// of our own linked devices, receipts, edits and typing.
func (g *Gateway) read(params json.RawMessage) (u gateways.Update, ok bool) {
	var r received
	if err := json.Unmarshal(params, &r); err != nil {
		g.opt.Logger.Warn("signal: a notification that cannot be read", "error", err)
		return u, false
	}
	if r.Result != nil {
		r = *r.Result
	}
	e := r.Envelope
	if e == nil || e.UUID == "" || e.UUID == g.opt.UUID || e.Data == nil || g.opt.Account != "" && r.Account != "" &&
		r.Account != g.opt.Account {
		return u, false
	}
	u = gateways.Update{ID: e.UUID + " " + strconv.FormatInt(e.Timestamp, 10), User: e.UUID, Chat: e.UUID}
	if e.Data.Group != nil {
		u.Chat = group + e.Data.Group.ID
	}
	switch d := e.Data; {
	case d.Reaction != nil:
		approve, answer := thumb(d.Reaction.Emoji)
		if d.Reaction.IsRemove || !answer || d.Reaction.Author != g.opt.UUID {
			return u, false
		}
		u.Press = &gateways.Press{Message: strconv.FormatInt(d.Reaction.Sent, 10), Approve: approve}
	case d.Quote != nil && d.Quote.Author == g.opt.UUID:
		approve, why, answer := yesOrNo(d.Message)
		if !answer {
			u.Text = d.Message
			break
		}
		u.Press = &gateways.Press{Message: strconv.FormatInt(d.Quote.ID, 10), Approve: approve, Reason: why}
	default:
		u.Text = d.Message
	}
	return u, true
}

// thumb reads a reaction of any skin tone.
func thumb(emoji string) (approve, answer bool) {
	switch {
	case strings.HasPrefix(emoji, "\U0001f44d"):
		return true, true
	case strings.HasPrefix(emoji, "\U0001f44e"):
		return false, true
	}
	return false, false
}

// yesOrNo reads a reply to a card: a word, and after a no the reason. A yes stands alone and is spelt plainly; a no
// counts whatever white space, invisible or punctuation mark is around it.
func yesOrNo(text string) (approve bool, why string, answer bool) {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(text), marks)) {
	case "yes", "approve":
		return true, "", true
	}
	word, why := perceive.Word(text)
	if i := strings.IndexAny(word, marks); i >= 0 {
		word, why = word[:i], strings.TrimLeft(word[i:]+" "+why, marks+" ")
	}
	switch strings.ToLower(word) {
	case "no", "deny":
		return false, strings.TrimSpace(why), true
	}
	return false, "", false
}

// marks end a word that answers.
const marks = ".,:!"
