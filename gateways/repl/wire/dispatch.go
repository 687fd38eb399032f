package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/internal/protocol"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// dispatch sees to one message. What is done here, in the reader itself, is
// answered at once, however many requests are being worked on.
func (c *conn) dispatch(form sexpr.Value, size int64) {
	id, err := idOf(form)
	if err == nil {
		err = perceive.Validate(form)
	}
	if err != nil {
		c.fail(id, codeMessage, err)
		return
	}
	kind := protocol.Word(form, "type")
	payload, _ := form.Get("payload")
	switch {
	case kind == perceive.HealthCheck:
		c.guard(id, func() { c.health(id) })
	case kind == perceive.Event && protocol.Word(payload, "action") == "handshake":
		c.hello(id, payload)
	case c.door.approval && kind == perceive.Request && protocol.Word(form, "target") == "auth":
		c.guard(id, func() { c.auth(id, payload) })
	case c.door.approval && c.who() == nil:
		c.fail(id, codeRefused, errors.New("this is the approval socket: the first request shows the pairing secret, "+
			`(:type :request :target :auth :payload (:secret "..."))`))
	case kind == perceive.Event:
		c.event(id, form, size)
	case kind == perceive.Request:
		c.request(id, form, size)
	default:
		c.fail(id, codeRefused, fmt.Errorf("%s: clients send :event, :request and :health-check; a :%s comes from the daemon",
			form.Pos(), kind))
	}
}

// fail answers a request that is refused before any work; without an id it is
// said in general.
func (c *conn) fail(id sexpr.Value, code string, err error) {
	if id.IsNil() {
		c.send(logFrame(code, err.Error()))
		return
	}
	c.send(refuse(id, fault{code: code, text: err.Error()}))
}

// failed answers a request whose work failed. What the client is not told, the
// log is.
func (c *conn) failed(id sexpr.Value, signal uint64, err error) {
	if gone := context.Cause(c.ctx); gone != nil && errors.Is(err, gone) {
		return // the client has left
	}
	f, known := asFault(err)
	if f.signal = signal; !known {
		c.s.opt.Logger.Error("a request failed", "principal", c.peer.Principal, "signal", signal, "error", err)
	}
	c.send(refuse(id, f))
}

// handshake is the first message on every connection.
func (c *conn) handshake() sexpr.Value {
	kind, can := "plain", keys("health", "repl", "events", "interrupt")
	if c.door.approval {
		kind, can = "approval", keys("auth", "health", "repl", "events", "interrupt", "cards")
	}
	var b plist.Builder
	b.Add("action", sexpr.Key("handshake"))
	b.Add("version", sexpr.Str(c.s.opt.Version))
	b.Add("protocol", sexpr.Int64(protocol.Version))
	b.Add("socket", sexpr.Key(kind))
	b.Text("record", c.s.record)
	b.Add("capabilities", can)
	return sexpr.Plist("type", sexpr.Key(perceive.Event), "payload", b.Done())
}

// hello is what a client may say about itself: which protocol it speaks. With one
// that is not spoken here, the connection ends.
func (c *conn) hello(id, payload sexpr.Value) {
	v, has := payload.Get("protocol")
	if has && (v.Kind() != sexpr.Int || v.Int() != protocol.Version) {
		c.fail(id, codeMessage,
			fmt.Errorf("%s: the :protocol is not one that is spoken here, expected %d", v.Pos(), protocol.Version))
		c.leaving = true
		return
	}
	if !id.IsNil() {
		c.send(respond(id, true, sexpr.Plist("protocol", sexpr.Int64(protocol.Version))))
	}
}

// health answers how the engine stands. It asks the engine, so :checked-p is
// always true (row 15).
func (c *conn) health(id sexpr.Value) {
	st, err := c.s.opt.Engine.Status(c.ctx)
	status, why := "healthy", ""
	switch {
	case err != nil:
		status, why = "unhealthy", "the engine is closed or cannot be read"
	case st.ReadOnly != nil:
		status, why = "unhealthy", "the record cannot be written, so everything is denied"
	case st.Killed:
		status, why = "degraded", "the kill switch is on, so everything is denied"
	case st.Scrub.Err != nil:
		status, why = "degraded", "the record is damaged; with the daemon stopped, cortex fsck says what can be mended"
	case st.Full != nil:
		status, why = "degraded", "there is no space to record what is new, so it is denied until there is"
	case st.Reload != nil:
		status, why = "degraded", "the last reload failed; the policy before it is in force"
	case c.s.opt.Degraded != nil:
		if wrong := c.s.opt.Degraded(); wrong != nil {
			status, why = "degraded", wrong.Error()
		}
	}
	b := answer(id, perceive.HealthResponse)
	b.Add("status", sexpr.Key(status))
	b.Add("checked-p", sexpr.T())
	b.Add("live", sexpr.Bool(st.Live))
	b.True("killed", st.Killed)
	b.Int("running", int64(st.Running))
	b.Int("pending", int64(st.Pending))
	b.Text("text", why)
	c.send(b.Done())
}

// request evaluates a form, the one thing that a client may ask for. What it
// wants done in the world it says in an event, and the gates decide (W3, row 21).
func (c *conn) request(id, form sexpr.Value, size int64) {
	if target := protocol.Word(form, "target"); target != "repl" {
		text := "a client cannot send this :request; expected :target :repl, or an :event with :sensor :user-input that " +
			"says what you want"
		if target == "auth" && c.s.approval != "" {
			text = "the pairing secret is shown on the approval socket: " + c.s.approval
		}
		c.fail(id, codeRefused, fmt.Errorf("%s: %s", form.Pos(), text))
		return
	}
	payload, _ := form.Get("payload")
	expr, ok := payload.Get("form")
	if !ok {
		c.fail(id, codeMessage, fmt.Errorf("%s: a request to the REPL without a :form in its :payload", form.Pos()))
		return
	}
	name, err := sessionOf(form)
	if err != nil {
		c.fail(id, codeMessage, err)
		return
	}
	run := &evaluation{c: c, id: id, session: name, form: expr, lasts: repl.Lasts(expr), parts: form.GetTrue("stream")}
	if run.lasts {
		c.lasting(id, size, func() { run.eval(c.s.work) })
		return
	}
	c.start(id, size, func() { run.eval(c.ctx) })
}

// Sessions of one client, and what their names may be.
const (
	mainSession = "main"
	maxSessions = 16
	maxName     = 64
)

// sessionOf is the session that a message speaks in, within those of its
// sender.
func sessionOf(form sexpr.Value) (string, error) {
	meta, _ := form.Get("meta")
	for _, key := range []string{"session", "session-id"} {
		v, _ := meta.Get(key)
		switch name := v.Text(); {
		case v.IsNil():
			continue
		case v.Kind() != sexpr.String || name == "" || len(name) > maxName || strings.ContainsFunc(name, strange):
			return "", fmt.Errorf("%s: the :%s in the :meta is not a name, expected a string of letters, digits and -_.: of "+
				"at most %d bytes", v.Pos(), key, maxName)
		default:
			return name, nil
		}
	}
	return mainSession, nil
}

func strange(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_.:", r):
		return false
	}
	return true
}

// speaking is the client's identity in one of its sessions.
func (c *conn) speaking(session string) perceive.Peer {
	p := c.peer
	p.Session = strings.Join([]string{p.Source, p.Principal, session}, "/")
	p.Operator = c.who() != nil
	return p
}

// evaluator returns the evaluator of one of the client's sessions.
func (c *conn) evaluator(session string) (evaluator, error) {
	peer := c.speaking(session)
	c.mu.Lock()
	defer c.mu.Unlock()
	if ev := c.sessions[session]; ev != nil {
		return ev, nil
	}
	if len(c.sessions) == maxSessions {
		return nil, &repl.Error{Code: codeLimit,
			Err: fmt.Errorf("this connection has %d sessions already; open another connection", maxSessions)}
	}
	ev := c.s.open(repl.Caller{Peer: peer, Approver: c.approver, Share: c.asks})
	c.sessions[session] = ev
	return ev, nil
}

// event makes a signal of what the client says and answers it, first that it is
// durable, and then how it was answered.
func (c *conn) event(id, form sexpr.Value, size int64) {
	name, err := sessionOf(form)
	if err != nil {
		c.fail(id, codeMessage, err)
		return
	}
	peer := c.speaking(name)
	knows := peer
	knows.Operator = true // an interrupt reaches the sender's own work alone, so anybody may send it here
	sig, err := perceive.Normalise(knows, form)
	switch {
	case errors.Is(err, perceive.ErrRefused):
		c.fail(id, codeRefused, err)
	case err != nil:
		c.fail(id, codeMessage, err)
	case sig.Sensor == perceive.Interrupt:
		c.guard(id, func() { c.interrupt(id, name, peer) })
	default:
		c.signal(id, sig, size)
	}
}

// signal has a signal answered. That is the server's work and not the
// connection's: what is accepted is answered, whether or not the client stays.
func (c *conn) signal(id sexpr.Value, sig perceive.Signal, size int64) {
	c.lasting(id, size, func() {
		a, err := c.s.opt.Engine.Accept(c.s.work, sig)
		if err != nil {
			c.failed(id, 0, err)
			return
		}
		c.accepted(id, a.Signal, a.Repeat)
		out, err := a.Answer(c.s.work)
		if err != nil {
			c.failed(id, a.Signal, err)
			return
		}
		c.send(respond(id, true, outcome(c.s.opt.Engine.Approvals().ShownOutcome(out))))
	})
}

// lasting starts work that goes on when the client has left, as far as the server
// has room for it.
func (c *conn) lasting(id sexpr.Value, size int64, work func()) {
	cost := size + signalCost
	if !c.s.room.TryAcquire(cost) {
		c.fail(id, codeLimit, errors.New("too many signals are being answered; try again when some are"))
		return
	}
	begun := c.start(id, size, func() {
		defer c.s.room.Release(cost)
		work()
	})
	if !begun {
		c.s.room.Release(cost)
	}
}

// accepted says that a signal is on record.
func (c *conn) accepted(id sexpr.Value, signal uint64, repeat bool) {
	b := answer(id, perceive.Status)
	p := plist.Builder{}
	p.Add("state", sexpr.Key("accepted"))
	p.Int("signal", int64(signal))
	p.True("repeat", repeat)
	b.Add("payload", p.Done())
	c.send(b.Done())
}

// interrupt cancels what is being answered in one session for this principal, and
// the forms that this client has evaluated in it.
func (c *conn) interrupt(id sexpr.Value, session string, peer perceive.Peer) {
	stopped, err := c.s.opt.Engine.Operations().Interrupt(c.s.work, peer.Session, peer)
	c.mu.Lock()
	for run := range c.evals {
		if run.session == session {
			if !run.lasts { // what lasts is a signal, and the engine has counted it
				stopped++
			}
			run.stop(cortex.Interrupted(c.peer.Principal))
		}
	}
	c.mu.Unlock()
	if err != nil {
		c.failed(id, 0, err)
		return
	}
	c.send(respond(id, true, sexpr.Plist("stopped", sexpr.Int64(int64(stopped)))))
}

const (
	maxFailures = 3           // wrong secrets on one connection
	setback     = time.Second // before the first wrong secret is answered; twice that for the next
)

// auth takes the pairing secret. The reader itself waits after a wrong one, so
// no client tries two at a time; three wrong ones end the connection.
func (c *conn) auth(id, payload sexpr.Value) {
	who, err := c.s.opt.Engine.Approvals().Operator(payload.GetText("secret"), "repl")
	if err == nil {
		c.mu.Lock()
		c.approver = &who
		c.mu.Unlock()
		c.place.Prove()
		c.s.crier.join(c) // before the answer: from then on nothing is missed
		c.send(respond(id, true, sexpr.Plist("approver", sexpr.Str(who.Name))))
		return
	}
	c.failures++
	c.s.opt.Logger.Warn("a wrong pairing secret", "principal", c.peer.Principal, "times", c.failures, "error", err)
	if c.s.opt.pause(c.s.ctx, setback<<(c.failures-1)) != nil {
		return
	}
	c.send(refuse(id, fault{code: codeDenied, text: "this is not the pairing secret of this record"}))
	if c.failures == maxFailures {
		c.leaving = true
	}
}
