package client

import (
	"context"

	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Health is how a daemon stands.
type Health struct {
	Status  string // "healthy", "degraded" or "unhealthy"
	Live    bool   // permits act
	Killed  bool   // the kill switch is on
	Running int    // signals that are being answered
	Pending int    // approvals that wait
	Text    string // why it is not healthy
}

// Message is what a client says in a session.
type Message struct {
	Text    string
	Sensor  string      // "" is a person's words
	Session string      // "" is the client's, [Conn.Session]
	Key     string      // a dedupe key: a repeat gets the first answer; "" for none
	Payload sexpr.Value // further members of the payload, a plist

	// Accepted is called when the message is durable, with its record; nil if
	// nobody wants to know. It must not use the client.
	Accepted func(signal uint64)
}

// Reply is the result of a message.
type Reply struct {
	Signal   uint64 // its record
	Text     string // what was said to the user
	Notice   string // what Cortex itself has to say
	Approval string // token of the card that it waits for
	Dropped  bool   // recorded, and too deep in a chain to be worked on
	Repeat   bool   // a key seen before: this is the first answer
}

// Auth shows the operator's pairing secret, on the approval socket.
func (c *Conn) Auth(ctx context.Context, secret string) error {
	_, err := result(c.roundTrip(ctx, c.ask("auth", sexpr.Plist("secret", sexpr.Str(secret))), &call{}))
	return err
}

// Signal sends a message and waits for what comes of it.
func (c *Conn) Signal(ctx context.Context, m Message) (Reply, error) {
	var b, p plist.Builder
	if m.Sensor == "" {
		m.Sensor = perceive.UserInput
	}
	p.Add("sensor", sexpr.Key(m.Sensor))
	p.Text("text", m.Text)
	for i, items := 0, m.Payload.Items(); i+1 < len(items); i += 2 {
		p.Add(items[i].Text(), items[i+1])
	}
	b.Add("type", sexpr.Key(perceive.Event))
	b.Text("key", m.Key)
	c.in(&b, m.Session)
	b.Add("payload", p.Done())
	a, err := result(c.roundTrip(ctx, b, &call{accepted: m.Accepted}))
	return Reply{
		Signal: uint64(a.GetInt("signal")), Text: a.GetText("text"), Notice: a.GetText("notice"),
		Approval: a.GetText("approval"),
		Dropped:  a.GetTrue("dropped"), Repeat: a.GetTrue("repeat"),
	}, err
}

// Interrupt cancels what is being answered in the client's session, and the
// forms it has evaluated there, and returns how many those were.
func (c *Conn) Interrupt(ctx context.Context) (stopped int, err error) {
	var b plist.Builder
	b.Add("type", sexpr.Key(perceive.Event))
	c.in(&b, "")
	b.Add("payload", sexpr.Plist("sensor", sexpr.Key(perceive.Interrupt)))
	p, err := result(c.roundTrip(ctx, b, &call{}))
	return int(p.GetInt("stopped")), err
}

// Health asks how the daemon stands. It answers at once, also while models think.
func (c *Conn) Health(ctx context.Context) (Health, error) {
	var b plist.Builder
	b.Add("type", sexpr.Key(perceive.HealthCheck))
	v, err := c.roundTrip(ctx, b, &call{})
	if err != nil {
		return Health{}, err
	}
	if protocol.Word(v, "type") != perceive.HealthResponse {
		p, _ := v.Get("payload")
		return Health{}, asError(p)
	}
	return Health{
		Status: protocol.Word(v, "status"), Live: v.GetTrue("live"), Killed: v.GetTrue("killed"),
		Running: int(v.GetInt("running")),
		Pending: int(v.GetInt("pending")), Text: v.GetText("text"),
	}, nil
}
