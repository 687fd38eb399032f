package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/opencortex-go/cortex/adapters/mcp/internal/wire"
)

// passing is an answer of the server on its way to a client.
type passing struct {
	h    *Handler
	r    *http.Request // of the client
	m    *wire.Message // that it carried, or nil
	x    *exchange
	resp *http.Response
	out  *reply
	last string // the id of the last event that was passed on
}

// back passes the answer to the client, each message after the judge has it.
func (b *passing) back() error {
	kind, _, _ := mime.ParseMediaType(b.resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		if err := b.out.stream(b.resp); err != nil {
			return err
		}
		return b.stream(wire.NewEvents(b.resp.Body))
	}
	body, err := io.ReadAll(io.LimitReader(b.resp.Body, wire.MaxMessage+1))
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) == 0 || kind != "application/json" && b.resp.StatusCode >= 300 {
		instead := b.unanswered()
		if instead.ID != nil && b.resp.StatusCode < 300 {
			return b.out.whole(b.resp, instead)
		}
		return b.out.status(b.resp, instead)
	}
	if len(body) > wire.MaxMessage {
		err = errors.New("it is too long")
	}
	var m *wire.Message
	if err == nil {
		m, err = wire.Parse(body)
	}
	if err != nil {
		b.h.p.Logger.Warn("the server sent something that is not one JSON-RPC message; it was refused", "error", err)
		return b.out.whole(b.resp, b.unanswered())
	}
	if b.resp.StatusCode < http.StatusMultipleChoices && b.m != nil && b.m.Call() && !answers(m, b.m) {
		b.h.p.Logger.Warn("the server answered a request with a message that is not for it; it was refused")
		return b.out.whole(b.resp, b.unanswered())
	}
	onward, back := b.x.fromServer(m)
	if back != nil {
		b.tell(back)
	}
	if onward == nil || onward.ID == nil || !onward.Response() {
		instead := b.unanswered()
		if onward == nil {
			onward = instead
		}
	}
	return b.out.whole(b.resp, onward)
}

// unanswered ends the client's request if it has no answer, and returns the error that it gets.
func (b *passing) unanswered() *wire.Message {
	if b.m == nil || !b.m.Call() || !b.x.has(b.m) {
		return wire.Unread(nil)
	}
	instead, _ := b.x.fromServer(wire.Unread(b.m.ID))
	return instead
}

// stream passes the events of a stream.
func (b *passing) stream(in *wire.Events) error {
	for {
		ev, err := in.Next()
		if errors.Is(err, io.EOF) {
			return b.ended()
		}
		if err != nil {
			return errors.Join(err, b.ended())
		}
		if err := b.event(ev); err != nil {
			return err
		}
	}
}

// event passes one event.
func (b *passing) event(ev wire.Event) error {
	if ev.HasID {
		b.last = ev.ID
	}
	if !ev.Message() {
		return b.out.write(ev.With(nil))
	}
	m, err := wire.Parse(ev.Data)
	all := []*wire.Message{m}
	if err != nil {
		var back *wire.Message
		if all, back = b.h.p.refused(ev.Data, err); back != nil {
			b.tell(back)
		}
	}
	for _, m := range all {
		onward, back := b.x.fromServer(m)
		if back != nil {
			b.tell(back)
		}
		if onward == nil {
			continue
		}
		if err := b.out.write(ev.With(onward)); err != nil {
			return err
		}
	}
	return nil
}

// ended answers a request whose stream has ended without its answer, and cannot be opened again.
func (b *passing) ended() error {
	if b.last != "" || b.m == nil || !b.m.Call() || !b.x.has(b.m) {
		return nil
	}
	return b.out.write(wire.AsEvent(b.unanswered()))
}

// tell sends the server an error about a message of its own.
func (b *passing) tell(m *wire.Message) {
	on := onward(context.WithoutCancel(b.r.Context()), b.r, m)
	on.Method = http.MethodPost
	on.Header.Set("Content-Type", "application/json")
	on.Header.Set("Accept", "application/json, text/event-stream")
	on.Header.Del(headerMethod)
	on.Header.Del(headerName)
	resp, err := b.h.to.RoundTrip(on)
	if err == nil {
		err = resp.Body.Close()
	}
	if err != nil {
		b.h.p.Logger.Warn("the server was not told of its mistake", "error", err)
	}
}
