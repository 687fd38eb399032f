package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/gateways/client"
	"github.com/opencortex-go/cortex/gateways/telegram/telegramtest"
	"github.com/opencortex-go/cortex/internal/socket"
	"github.com/opencortex-go/cortex/reason/model"
	"github.com/opencortex-go/cortex/sexpr"
)

//go:embed tour.lisp menu.lisp script.lisp
var files embed.FS

// tour is one run: the daemon, those who talk to it, and what was told.
type tour struct {
	mu sync.Mutex // for telling: the model tells what it reads while its asker waits
	teller
	brief  bool // one scene for each of the five outcomes, four of plans, and two of the guard
	cortex program
	daemon *served
	model  *recording
	phones *telegramtest.Server // Telegram, where Carla is an operator

	user  *client.Conn // in the kitchen
	ben   *client.Conn // in the garden, at the same time
	ana   *client.Conn // an operator: on the approval socket, with the pairing secret
	watch *client.Conn // looks at the record

	reading sync.Mutex        // the record is read by one at a time
	told    uint64            // the last record that was told
	counts  map[string]int    // records by kind
	cards   map[string]string // names of approval tokens
	tools   map[uint64]string // by intent
	answers int               // what has ended for the user, well or not
	noticed string            // what the user was told last, where it was no reply
	replies int               // answers that have reached somebody

	failed error // what the model or the record had to object
}

// give builds cortex, starts it, runs the scenes and prints them, stops it, and
// checks the record. It returns what is to be compared.
func give(ctx context.Context, out io.Writer, made parts, brief bool) (text string, err error) {
	h, leave, err := newHouse()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, leave()) }()
	t := &tour{teller: teller{out: out}, brief: brief, counts: map[string]int{}, cards: map[string]string{},
		tools: map[uint64]string{}}
	err = t.give(ctx, h, made)
	return t.shape.String(), err
}

func (t *tour) give(ctx context.Context, h house, made parts) (err error) {
	t.call(h.path("state"), "/state")
	t.call(h.path("work"), "/workspace")
	t.call(h.dir, "/house")
	if err := h.furnish(); err != nil {
		return err
	}
	if t.cortex, err = made.build(ctx, h); err != nil {
		return err
	}
	if err := t.cortex.pin(); err != nil {
		return err
	}
	stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := t.play(ctx); err != nil {
		return errors.Join(err, t.failed, t.daemon.kill())
	}
	return t.finish(ctx)
}

// open starts the model and the daemon and connects everybody. What it returns
// lets them go.
func (t *tour) open(ctx context.Context) (stop func() error, err error) {
	script, err := files.ReadFile("script.lisp")
	if err != nil {
		return nil, err
	}
	play, err := model.NewScripted("script", "script.lisp",
		strings.ReplaceAll(t.lines(string(script)), "STATE", t.cortex.house.path("state")))
	if err != nil {
		return nil, err
	}
	t.model = &recording{Scripted: play, tour: t, slow: make(chan struct{}), asked: make(chan struct{})}
	url, silent, err := t.model.listen()
	if err != nil {
		return nil, err
	}
	t.phones = telegramtest.New()
	quiet := func() error {
		t.phones.Close()
		return silent()
	}
	if t.daemon, err = t.cortex.serve(url, t.phones.URL); err != nil {
		return nil, errors.Join(err, quiet())
	}
	stop = func() error {
		for _, c := range []*client.Conn{t.user, t.ben, t.ana, t.watch} {
			if c != nil {
				_ = c.Close() // the daemon may have gone before
			}
		}
		var err error
		if t.daemon.cmd != nil {
			err = t.daemon.kill()
		}
		return errors.Join(err, quiet())
	}
	if err := t.connect(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

// section begins the lines of one scene in the script.
var section = regexp.MustCompile(`(?m)^; (\d+) `)

// lines are what the model says in the scenes that are played.
func (t *tour) lines(script string) string {
	at := section.FindAllStringSubmatchIndex(script, -1)
	var b strings.Builder
	for i, s := range scenes() {
		if end := len(script); s.brief || !t.brief {
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			b.WriteString(script[at[i][0]:end])
		}
	}
	return b.String()
}

// connect connects everybody to the daemon: three to its plain socket, and Ana to
// the one for approvals.
func (t *tour) connect(ctx context.Context) (err error) {
	for _, c := range []struct {
		client  **client.Conn
		session string
		socket  string
	}{
		{&t.user, "kitchen", t.daemon.Socket}, {&t.ben, "garden", t.daemon.Socket}, {&t.watch, "window", t.daemon.Socket},
		{&t.ana, "desk", socket.Approvals(t.daemon.Socket)},
	} {
		if *c.client, err = client.Dial(ctx, c.socket); err != nil {
			return err
		}
		(*c.client).Session = c.session
	}
	secret, err := os.ReadFile(t.cortex.house.path("secret"))
	if err != nil {
		return err
	}
	return t.ana.Auth(ctx, strings.TrimSpace(string(secret)))
}

// play runs the scenes.
func (t *tour) play(ctx context.Context) error {
	t.introduce()
	number := 0
	for _, s := range scenes() {
		if t.brief && !s.brief {
			continue
		}
		number++
		if err := t.scene(ctx, number, s); err != nil {
			return fmt.Errorf("scene %d, %s: %w", number, s.title, err)
		}
	}
	return nil
}

func (t *tour) introduce() {
	mode := "dry"
	if t.daemon.Live {
		mode = "live"
	}
	t.printf("A tour of Cortex. A language model suggests; rules decide; what is allowed runs.\n\n"+
		"   daemon    | cortex serve, %s, with %d skills, one of them a process of its own; everybody\n             |   "+
		"talks to it through its sockets\n", mode, t.daemon.Skills)
	if t.brief {
		t.printf("   user      | a person at a terminal\n")
	} else {
		t.printf("   user, Ben | people, each at a terminal of their own, at the same time\n")
	}
	t.printf("   Ana       | an operator, on the approval socket, with the pairing secret\n")
	if !t.brief {
		t.printf("   Carla     | an operator too, far away, with a telephone and Telegram (a stand-in for it)\n")
	}
	t.printf("   model     | what the model answers, here as it was recorded\n" +
		"   rules     | what was decided, by which rule, and why\n" +
		"   shell     | what a command did: a real shell in a scratch folder\n" +
		"   answer    | what reaches the user\n")
}

// scene runs one scene to its end.
func (t *tour) scene(ctx context.Context, number int, s scene) error {
	t.title(number, s.title, s.story)
	var out client.Reply
	var err error
	if s.prepare != nil {
		if err := s.prepare(ctx, t); err != nil {
			return err
		}
	}
	if s.user != "" {
		if out, err = t.submit(ctx, s.user); err != nil {
			return err
		}
	}
	if s.then != nil {
		if err := s.then(ctx, t, out); err != nil {
			return err
		}
	}
	t.recite(ctx)
	return t.objection()
}

// submit sends a message of the user and tells its outcome.
func (t *tour) submit(ctx context.Context, text string) (client.Reply, error) {
	t.recite(ctx)
	t.say("user", text)
	out, err := t.user.Signal(ctx, client.Message{Text: text})
	t.recite(ctx)
	return out, errors.Join(err, t.objection())
}

func (t *tour) userSays(ctx context.Context, text string) error {
	_, err := t.submit(ctx, text)
	return err
}

// form has a client evaluate a form, as `cortex repl` would.
func (t *tour) form(ctx context.Context, c *client.Conn, text string) (sexpr.Value, error) {
	form, err := sexpr.Reader{Code: true}.Read("", text)
	if err != nil {
		return form, err
	}
	r, err := c.Eval(ctx, form)
	return r.Value, err
}

// answered waits for what a person's word on an approval has set off, until the
// user has been answered, as it shows in the record. An answer that is a notice
// and no reply says that it came to nothing, which no scene expects.
func (t *tour) answered(ctx context.Context) error {
	told, replies := t.heard()
	for now, _ := t.heard(); now == told; now, _ = t.heard() {
		if err := errors.Join(ctx.Err(), t.objection()); err != nil {
			return err
		}
		t.recite(ctx)
	}
	if _, now := t.heard(); now == replies {
		return fmt.Errorf("an action that a person had answered for ended without a reply; the user was told %q", t.noticed)
	}
	return nil
}

// heard is how many answers the user has had, and how many replies anybody.
func (t *tour) heard() (answers, replies int) {
	t.reading.Lock()
	defer t.reading.Unlock()
	return t.answers, t.replies
}

// fail notes what went wrong where there is no caller to return it to.
func (t *tour) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = errors.Join(t.failed, err)
}

func (t *tour) objection() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// say prints a line, no matter who tells it.
func (t *tour) say(label, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.teller.say(label, text)
}

// finish stops the daemon and checks what it left behind: the files, the chain of
// records, and that every decision comes out the same again.
func (t *tour) finish(ctx context.Context) error {
	t.printf("\nWhat is left\n\n")
	checks := []func(context.Context) error{t.checkFiles, t.checkScript, t.checkPending, t.checkStop, t.checkRecord,
		t.checkReplay, t.checkFlipped}
	if t.brief {
		checks = []func(context.Context) error{t.checkScript, t.checkStop, t.checkRecord, t.checkReplay, t.checkFlipped}
	}
	for _, check := range checks {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return errors.Join(t.objection(), t.teller.err)
}

func (t *tour) checkFiles(context.Context) error {
	for _, name := range []string{"notes.txt", "ledger.txt", ".env"} {
		text, err := os.ReadFile(t.cortex.house.path("work/" + name))
		if err != nil {
			return err
		}
		shown := string(text)
		if name == ".env" {
			if !bytes.Contains(text, []byte("hunter2")) {
				return errors.New(".env has changed")
			}
			shown = "is as it was, and no model has read it"
		}
		t.say(name, shown)
	}
	return nil
}

func (t *tour) checkScript(context.Context) error {
	if left := t.model.Left(); len(left) > 0 {
		return fmt.Errorf("the model was not asked for %s", strings.Join(left, ", "))
	}
	return nil
}

func (t *tour) checkPending(ctx context.Context) error {
	cards, err := t.watch.Approvals(ctx, false)
	for _, c := range cards {
		t.say("waiting", c.Token+": "+c.Action.Tool()+", "+c.Slots[0].Reason.Text)
	}
	return err
}

// checkStop ends the daemon as an operator would.
func (t *tour) checkStop(context.Context) error {
	if err := t.daemon.stop(); err != nil {
		return err
	}
	t.say("daemon", "told to stop: it has finished what it was at, and is gone")
	return nil
}
