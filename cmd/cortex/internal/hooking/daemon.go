package hooking

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/adapters/hooks"
)

// Daemon asks a daemon, which keeps the record, asks people, and knows what happened before.
type Daemon struct {
	Dialect hooks.Dialect
	Socket  string // of the API
	// Start starts a daemon where none is, and returns once it answers. nil starts none.
	Start func(ctx context.Context) error
}

// Judge decides on a call, holds it while people are asked, and opens its intent. A card that
// this process does not wait for any more is taken back.
func (d Daemon) Judge(ctx context.Context, c Call) (out Ruling, err error) {
	id := callOf(c.Event)
	r := client.Request{Session: c.Event.Session, Host: d.Dialect.Name(), Call: id, Tool: c.Action.Tool,
		Args: c.Action.Args, Explanation: c.Action.Explanation, Hold: c.Hold, Withdraw: true, Project: c.Named}
	var got client.Ruling
	err = d.with(ctx, func(cl *client.Client) error {
		if got, err = cl.Judge(ctx, r); err != nil || got.Kind != "allow" || !got.Rewritten || c.Event.Call != "" {
			return err
		}
		// A host without ids of calls will report the new arguments. The call is theirs.
		if err := cl.Finish(ctx, r.Host, r.Session, id, got.Intent, client.Outcome{State: "nothing"}); err != nil {
			return err
		}
		e := c.Event
		if e.Input, err = d.Dialect.Table().Rewritten(e, got.Args); err != nil {
			return err
		}
		args := got.Args
		r.Call, r.Args = callOf(e), args
		if got, err = cl.Judge(ctx, r); err != nil {
			return err
		}
		if got.Kind == "allow" && got.Rewritten {
			return errors.New("the rules rewrite this call again and again; it is blocked")
		}
		got.Args, got.Rewritten = args, true
		return nil
	})
	if err != nil {
		return Ruling{}, err
	}
	text := got.Text()
	if text == "" {
		text = "decided by " + got.Key
	}
	return Ruling{Kind: got.Kind, Text: text, Args: got.Args, Rewritten: got.Rewritten, Token: got.Token}, nil
}

// Hear reports what happened. Words count as the user's if the daemon finds that they may.
func (d Daemon) Hear(ctx context.Context, e hooks.Event, _ string) error {
	host := d.Dialect.Name()
	return d.with(ctx, func(c *client.Client) error {
		switch e.Kind {
		case hooks.Prompt:
			if e.Text == "" {
				return nil
			}
			typed, composed := words(d.Dialect, e)
			if composed != "" {
				if err := c.Read(ctx, host, e.Session, hostText, composed); err != nil {
					return err
				}
			}
			if strings.TrimSpace(typed) == "" {
				return nil
			}
			_, err := c.Words(ctx, host, e.Session, typed)
			return err
		case hooks.PostTool:
			return c.Finish(ctx, host, e.Session, callOf(e), 0, client.Outcome{State: "done", Result: e.Result})
		case hooks.FailedTool:
			return c.Finish(ctx, host, e.Session, callOf(e), 0,
				client.Outcome{State: "failed", Error: e.Error, Result: e.Result})
		case hooks.SessionEnd:
			return c.End(ctx, host, e.Session)
		case hooks.Other, hooks.SessionStart, hooks.PreTool, hooks.Stop:
		}
		return nil
	})
}

// errAway is what a model reads where no daemon is, and none is to be started.
var errAway = errors.New(
	"no Cortex daemon is running, so the call is blocked; the user can start one with cortex serve")

// with calls f with a client, and once more if there was no daemon and one was started.
func (d Daemon) with(ctx context.Context, f func(*client.Client) error) error {
	c := client.New(d.Socket)
	defer c.Close()
	err := f(c)
	if errors.Is(err, client.ErrAbsent) && d.Start != nil {
		if started := d.Start(ctx); started != nil {
			return fmt.Errorf("there is no Cortex daemon, and it could not be started: %w", started)
		}
		err = f(c)
	}
	if errors.Is(err, client.ErrAbsent) {
		return errAway
	}
	return err
}

// callOf is the id of a call. For hosts that give none it is made of what the call is.
func callOf(e hooks.Event) string {
	if e.Call != "" {
		return e.Call
	}
	var compact bytes.Buffer
	if json.Compact(&compact, e.Input) != nil {
		compact.Write(e.Input)
	}
	sum := sha256.Sum256([]byte(e.Tool + "\n" + compact.String()))
	return "call-" + hex.EncodeToString(sum[:16])
}

// sessionFolder is the folder that a session of Codex began in, by its transcript; "" if it does
// not say. Codex reports the folder of each command as its own.
func sessionFolder(e hooks.Event) string {
	f, err := open(e.Transcript)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	var first struct {
		Type    string
		Payload struct{ Cwd string }
	}
	if json.NewDecoder(io.LimitReader(f, mostTranscript)).Decode(&first) != nil || first.Type != "session_meta" {
		return ""
	}
	return first.Payload.Cwd
}
