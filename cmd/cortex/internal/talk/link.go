package talk

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/console"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/gateways/card"
	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/sexpr"
)

// Options says who talks to which daemon.
type Options struct {
	Console *console.Console
	Socket  string // the daemon's plain socket
	Session string // the conversation to speak in
	Dial    func(ctx context.Context, socket string) (*client.Conn, error)
	Secret  func(record string) (string, error) // the operator's pairing secret
}

// Link is the way to a daemon: a connection to its plain socket, and one to its
// approval socket from the first form on that takes an operator.
type Link struct {
	ctx context.Context
	p   *console.Console
	opt Options

	mu       sync.Mutex // an interrupt comes from a goroutine of its own
	plain    *client.Conn
	operator *client.Conn // nil until it is needed

	pressed chan os.Signal // Ctrl-C, on a terminal
	dumb    bool           // it is one where Ctrl-C ends the program while a line is typed

	denied, asked bool // something was

	mine    asked
	decided map[string]string // the states that cards were brought into here, by token: no news

	last [3]sexpr.Value // *, ** and ***: the same on both connections, and after a restart of the daemon
}

// Open connects to the plain socket.
func Open(ctx context.Context, opt Options) (*Link, error) {
	l := &Link{ctx: ctx, p: opt.Console, opt: opt, decided: map[string]string{}}
	return l, l.connect()
}

// connect connects to the plain socket.
func (l *Link) connect() error {
	ctx, cancel := context.WithTimeout(l.ctx, patience)
	defer cancel()
	c, err := l.opt.Dial(ctx, l.opt.Socket)
	if err != nil {
		return err
	}
	c.Session = l.opt.Session
	l.set(&l.plain, c)
	return nil
}

// set puts a connection in its place; nil takes it away.
func (l *Link) set(place **client.Conn, c *client.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*place = c
}

// both are the connections that there are.
func (l *Link) both() []*client.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc([]*client.Conn{l.plain, l.operator}, func(c *client.Conn) bool { return c == nil })
}

// patience is how long a daemon may take for what needs no thinking.
const patience = 5 * time.Second

// Close ends the connections.
func (l *Link) Close() {
	for _, c := range l.both() {
		_ = c.Close() // nothing more is expected of it
	}
	l.set(&l.plain, nil)
	l.set(&l.operator, nil)
}

// eval evaluates a form where it belongs.
func (l *Link) eval(ctx context.Context, form sexpr.Value) (repl.Result, error) {
	form = repl.Recall(form, l.last)
	c := l.plain
	if repl.TakesOperator(form) {
		if err := l.asOperator(); err != nil {
			return repl.Result{}, err
		}
		c = l.operator
	}
	if c == nil {
		return repl.Result{}, ErrAway
	}
	r, err := c.Eval(ctx, form)
	var of *repl.Error
	switch {
	case err == nil:
		l.last[2], l.last[1], l.last[0] = l.last[1], l.last[0], r.Value
		l.mine.add(r.Value)
		if c == l.operator {
			l.decided[r.Value.GetText("token")] = r.Value.GetText("state")
		}
	case !errors.As(err, &of) && ctx.Err() == nil:
		err = away(err)
	}
	return r, err
}

// interrupt stops what is being evaluated and answered in this session, and returns
// how much that was.
func (l *Link) interrupt() (stopped int, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, patience)
	defer cancel()
	for _, c := range l.both() {
		n, e := c.Interrupt(ctx)
		stopped, err = stopped+n, errors.Join(err, e)
	}
	return stopped, err
}

// asOperator connects to the approval socket and shows the pairing secret, unless
// that was done and still stands.
func (l *Link) asOperator() error {
	if l.operator != nil {
		if _, err := health(l.ctx, l.operator); err == nil {
			return nil
		}
		_ = l.operator.Close() // it is of no use any more
		l.set(&l.operator, nil)
	}
	ctx, cancel := context.WithTimeout(l.ctx, patience)
	defer cancel()
	c, err := l.opt.Dial(ctx, socket.Approvals(l.opt.Socket))
	if err != nil {
		return err
	}
	secret, err := l.opt.Secret(c.Handshake().Record)
	if err == nil {
		ctx, cancel := context.WithTimeout(l.ctx, patience)
		defer cancel()
		err = c.Auth(ctx, secret)
	}
	if err != nil {
		return errors.Join(err, c.Close())
	}
	c.Session = l.opt.Session
	l.set(&l.operator, c)
	return nil
}

// notices prints what became of cards elsewhere. It is called between lines: the
// editor has no lock, and what is printed while it reads draws over what is typed.
func (l *Link) notices() {
	if l.operator == nil {
		return
	}
	list, missed := l.operator.Notices()
	for _, n := range list {
		switch here := l.decided[n.Token]; {
		case here == string(n.State), here == string(cortex.Consumed) && n.State == cortex.Approved:
			delete(l.decided, n.Token)
		case slices.Contains(l.mine, n.Token): // its asker has been told, and sees its outcome
		case n.State == cortex.Pending:
			l.p.Printf("%s\n", card.Plain(strings.TrimSuffix(n.Text, "\n")))
		default:
			l.p.Printf("approval %s  %s\n", card.Plain(n.Token), card.Plain(n.Outcome))
		}
	}
	if missed > 0 {
		l.p.Printf("%d more cards were opened or decided: (approvals) shows what waits\n", missed)
	}
}

func health(ctx context.Context, c *client.Conn) (client.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.Health(ctx)
}

// state is how the daemon stands, in one word for the prompt; "" is live and well.
type state string

const (
	stateDry    state = "dry"
	stateKilled state = "KILLED"
	stateBroken state = "read-only"
	stateAway   state = "no daemon"
)

// look asks how the daemon stands, and connects again if it has gone, which it
// says. What was being evaluated when it went is not tried again: it is not known
// how far it came.
func (l *Link) look() state {
	if l.plain != nil {
		if h, err := health(l.ctx, l.plain); err == nil {
			return stateOf(h)
		}
		l.Close()
	}
	if err := l.connect(); err != nil {
		return stateAway
	}
	h, err := health(l.ctx, l.plain)
	if err != nil {
		return stateAway
	}
	l.p.Printf("connected again: the daemon was gone\n")
	return stateOf(h)
}

func stateOf(h client.Health) state {
	switch {
	case h.Killed:
		return stateKilled
	case h.Status == "unhealthy":
		return stateBroken
	case !h.Live:
		return stateDry
	}
	return ""
}

// complete returns what a word may be the beginning of, behind the text before
// it: tokens of cards where one is expected, else names. Who waits for it has
// pressed a key: it takes no longer than a moment.
func (l *Link) complete(before, prefix string) []string {
	if l.plain == nil || strings.ContainsFunc(prefix, func(r rune) bool { return r > unicode.MaxASCII }) {
		return nil // the editor counts bytes of a word where it should count characters
	}
	ctx, cancel := context.WithTimeout(l.ctx, time.Second)
	defer cancel()
	var names []string
	switch {
	case wantsToken.MatchString(before):
		cards, _ := l.plain.Approvals(ctx, false)
		for _, a := range cards {
			names = append(names, a.Token)
		}
	case prefix == "" || strings.Count(before, `"`)%2 == 1: // everything, or words of a text
	default:
		names, _ = l.plain.Complete(ctx, prefix)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

var wantsToken = regexp.MustCompile(`\((approve|deny|edit|approval)\s+"$`)
