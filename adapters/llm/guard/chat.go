package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Chat is one conversation with a model. Its fields may be stored as JSON. It is not safe
// for concurrent use.
type Chat struct {
	// Session names the conversation in the record. No two conversations share it.
	Session string
	// Principal is the user on whose behalf the model acts, and Roles are the user's:
	// as the program knows them, and not as anybody wrote.
	Principal string
	Roles     []string
	// System is the program's own system prompt. Rules read it as session.system.
	System string
	// Messages is what was said, oldest first. The guard only appends. A program may
	// shorten it at the front; the ids of the calls that are left must stay.
	Messages []model.Message
	// Save keeps the chat. The guard calls it whenever messages were added, and before
	// anything is decided on that rests on them. An error ends the call. nil keeps nothing.
	Save func(ctx context.Context, c *Chat) error `json:"-"`
}

// Answer is how far a conversation has come.
type Answer struct {
	Text   string // what the model said to the user, as it was allowed
	Notice string // why Text is empty: for the user, in the program's own name
	// Held are the calls that people have to answer. The chat goes on with
	// [Guard.Resume] when they have, or at once with the user's next words.
	Held  []Held
	Usage model.Usage // of the model, for this answer
}

// Held is a call that waits for people.
type Held struct {
	Call   string // its id
	Tool   string
	Reason string
	Token  string // of the card, for [cortex.Engine.Approve]
}

func (c *Chat) add(ctx context.Context, more ...model.Message) error {
	c.Messages = append(c.Messages, more...)
	if c.Save == nil {
		return nil
	}
	if err := c.Save(ctx, c); err != nil {
		return fmt.Errorf("guard: the chat could not be saved, and nothing is done on it: %w", err)
	}
	return nil
}

// open returns the calls of the model's last answer that have no result yet.
func (c *Chat) open() []model.NativeCall {
	at := c.last()
	if at < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Messages[at].Calls), func(call model.NativeCall) bool {
		return slices.ContainsFunc(c.Messages[at:], func(m model.Message) bool {
			return m.Role == model.RoleTool && m.CallID == call.ID
		})
	})
}

// last is the place of the model's last answer; -1 if there is none.
func (c *Chat) last() int {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == model.RoleAssistant {
			return i
		}
	}
	return -1
}

// named gives every call an id that no earlier call of the chat has: some endpoints begin
// to count anew with every answer. The same conversation gives the same ids.
func (c *Chat) named(calls []model.NativeCall) []model.NativeCall {
	taken := map[string]bool{}
	for _, m := range c.Messages {
		for _, call := range m.Calls {
			taken[call.ID] = true
		}
	}
	out := slices.Clone(calls)
	for i := range out {
		id := out[i].ID
		for n := 2; id == "" || taken[id]; n++ {
			id = fmt.Sprintf("%s~%d", out[i].ID, n)
		}
		out[i].ID, taken[id] = id, true
	}
	return out
}

// answers counts the model's answers.
func (c *Chat) answers() (n int) {
	for _, m := range c.Messages {
		if m.Role == model.RoleAssistant {
			n++
		}
	}
	return n
}

// words is the newest message of the user.
func (c *Chat) words() string {
	return c.asked().Text
}

// asked is the user's newest message as it was recorded: zero if there is none.
func (c *Chat) asked() cortex.Signal {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if m := &c.Messages[i]; m.Role == model.RoleUser && !strings.HasPrefix(m.Text, rejected) &&
			!strings.HasPrefix(m.Text, late) {
			return c.said(i, m.Text)
		}
	}
	return c.signal("", "")
}

// said is a message of the user with n messages before it. The same message at the same place of the same
// chat has the same key.
func (c *Chat) said(n int, text string) cortex.Signal {
	users := 0
	for _, m := range c.Messages[:n] {
		if m.Role == model.RoleUser && !strings.HasPrefix(m.Text, late) {
			users++
		}
	}
	key := sexpr.DigestText("cortex/guard/words/1", fmt.Sprintf("%s\n%d\n%s", c.Session, users, text))
	return c.signal(key.String(), text)
}

// What the guard itself says in the user's role begins with one of these.
const (
	rejected = "PREVIOUS PROPOSAL REJECTED."
	late     = "RESULT of the run "
)

// facts are what a decision on a call rests on.
func (c *Chat) facts(id string) *cortex.Facts {
	return &cortex.Facts{Signal: c.signal(id, c.words()),
		Session: skills.Session{ID: c.Session, Principal: c.Principal, Roles: c.Roles, System: c.System}}
}

func (c *Chat) signal(key, text string) cortex.Signal {
	return cortex.Signal{Type: "event", Key: key, Sensor: perceive.UserInput, Source: source, Principal: c.Principal,
		Roles: c.Roles, Session: c.Session, Text: text}
}

var errNoClient = errors.New("guard: New got no model client to ask; expected one, or calls through Call")

// source names the guard in the signals of its decisions.
const source = "guard"
