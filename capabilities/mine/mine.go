// Package mine finds, in the record of what agents did, sequences of calls that succeeded
// again and again, and writes each as the text of a capability for people to look at. It
// reads records and decides nothing: a candidate is offered to no model.
//
// A trace is one root signal. It counts as a success if it was answered without an error,
// in words, and all that ran was done. Sequences are contiguous calls of one trace. What
// differs between traces becomes a slot if each value stood in the user's words, in a fact or
// in an earlier output. What does not differ becomes a constant, unless only an output had
// said it: an address, a path, a number, an odd word, a whole argument or three words in a
// row that stood in an output of the session before the call, and that neither the user nor a
// rule had said, keep the whole sequence out. Three words that a call had before any output
// repeated them are the model's own.
//
// The same records and options give the same candidates, byte for byte.
package mine

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// The lengths of sequences, in calls.
const (
	shortest = 2
	longest  = 8
)

// Options of a [Miner]. The zero value of a field is its default.
type Options struct {
	Support int     // in how many successful traces a sequence has to stand; 0 means 5
	Success float64 // which part of the traces that have it has to be successful; 0 means 0.9
	// Cost is which part of what its calls took it may take as one capability; 0 means 0.6.
	// It is compared in dollars where models reported them, else in tokens, else in time.
	Cost float64
}

func (o Options) withDefaults() Options {
	if o.Support == 0 {
		o.Support = 5
	}
	if o.Success == 0 {
		o.Success = 0.9
	}
	if o.Cost == 0 {
		o.Cost = 0.6
	}
	return o
}

// Miner takes records in their order, and then mines what they hold. Make one with [New].
type Miner struct {
	opt      Options
	rules    *heard
	sessions map[string]*session
	open     map[uint64]*trace // by root signal
	calls    map[uint64]*call  // by decision, without an intent
	runs     map[uint64]*call  // by intent, without a receipt
	done     []*trace          // that were answered, in order
	boards   map[string]*board // facts, by their text
	shapes   map[string]int    // of calls
	names    []string          // of the shapes, by number
	words    map[string]string // one copy of each text
	reads    map[string]bool   // the tools that change nothing, by the newest rules
	known    map[string]bool   // the texts of candidates that are on record, by digest
}

// New returns a miner that has seen nothing.
func New(opt Options) *Miner {
	return &Miner{opt: opt.withDefaults(), rules: newHeard(true), sessions: map[string]*session{},
		open: map[uint64]*trace{}, calls: map[uint64]*call{}, runs: map[uint64]*call{}, boards: map[string]*board{},
		shapes: map[string]int{}, words: map[string]string{}, reads: map[string]bool{}, known: map[string]bool{}}
}

// session is what was said and read in one session so far.
type session struct {
	user *heard // by people
	out  *heard // by tools, and other texts that were read
	// own are runs of words that a call had before any output did: many tools repeat the command
	// that they were given, and that makes it the model's own as before.
	own map[string]bool
}

func (m *Miner) session(name string) *session {
	s := m.sessions[name]
	if s == nil {
		s = &session{newHeard(true), newHeard(false), map[string]bool{}}
		m.sessions[name] = s
	}
	return s
}

// trace is what one root signal led to.
type trace struct {
	user     string // what the person had asked for
	calls    []*call
	thoughts []thought
	ok       bool
	failed   bool // an action was not done
}

// thought is what one question to a model took.
type thought struct {
	cost   float64
	tokens int64
	took   int64 // in nanoseconds
}

// board is what rules could read as facts when a call was decided on.
type board struct {
	facts map[string]string     // facts.ctx, by the way to each
	kinds map[string]sexpr.Kind // of those
	env   string                // facts.env.name
}

// Add takes the next record. Its order is that of the record: what a call may repeat is what
// had been said before it.
func (m *Miner) Add(r journal.Record) error {
	switch r.Kind {
	case record.KindRulebook:
		m.rulebook(r.Body)
	case record.KindSignal:
		return m.signal(r)
	case record.KindThink:
		x := record.ThinkFrom(r.Body)
		if t := m.open[x.Root]; t != nil {
			t.thoughts = append(t.thoughts, thought{x.Cost, x.TokensIn + x.TokensOut, int64(x.Took)})
		}
	case record.KindDecision:
		return m.decision(r)
	case record.KindIntent:
		in := record.IntentFrom(r.Body)
		if c := m.calls[in.Decision]; c != nil {
			c.began = r.At
			m.runs[r.Seq] = c
			delete(m.calls, in.Decision)
		}
	case record.KindReceipt:
		m.receipt(r)
	case record.KindAnswer:
		m.answer(record.AnswerFrom(r.Body))
	case record.KindEvents:
		return m.entered(r)
	}
	return nil
}

// entered notes the candidates that are on record.
func (m *Miner) entered(r journal.Record) error {
	if r.Body.GetText("log") != Log {
		return nil
	}
	e, err := record.EventsFrom(r.Body)
	for i := range e.Events {
		body, bad := sexpr.FromJSON([]byte(e.Events[i].Data))
		err = errors.Join(err, bad)
		m.known[body.GetText("digest")] = true
	}
	return err
}

// rulebook takes in what rules say, and which tools change nothing. Lists of words and the
// guard, which name what attackers say, say nothing here.
func (m *Miner) rulebook(body sexpr.Value) {
	texts := []string{body.GetText("tools")}
	files, _ := body.Get("files")
	for _, f := range files.Items() {
		if !f.GetTrue("words") && !f.GetTrue("on-top") {
			texts = append(texts, f.GetText("data"))
		}
	}
	for _, text := range texts {
		m.rules.add(text)
		forms, err := sexpr.ReadAll("rules", text)
		if err != nil {
			continue // of another version: then its steps need their undo
		}
		for _, f := range forms {
			if items := f.Items(); len(items) > 1 && items[0].IsSym("deftool") {
				effect, _ := sexpr.ListOf(items[2:]...).Get("effect")
				m.reads[items[1].Text()] = effect.Text() == "none"
			}
		}
	}
}

func (m *Miner) signal(r journal.Record) error {
	sig, err := perceive.DecodeSignal(r.Body)
	if err != nil {
		return fmt.Errorf("signal %d: %w", r.Seq, err)
	}
	s := m.session(r.Session)
	if sig.Sensor != perceive.UserInput && sig.Sensor != perceive.ChatMessage || sig.Depth > 0 || sig.Principal == "" {
		s.out.add(sig.Text)
		return nil
	}
	s.user.add(sig.Text)
	m.open[r.Seq] = &trace{user: sig.Text}
	return nil
}

// decision takes in a call that was allowed. It becomes one of its trace when it runs.
func (m *Miner) decision(r journal.Record) error {
	t := m.open[uint64(r.Body.GetInt("root"))]
	if t == nil {
		return nil
	}
	d, err := record.DecisionFrom(r)
	if err != nil {
		return err
	}
	if d.Kind != reason.Allow || d.Action == nil || d.Action.Tool() == skills.ReplyTool {
		return nil
	}
	facts, _ := r.Body.Get("facts")
	c := m.call(d.Action, m.session(r.Session), m.board(facts), record.IsVeiled(r.Body))
	c.trace, c.decided, c.thought = t, r.At-int64(d.Elapsed), len(t.thoughts)-1
	m.calls[r.Seq] = c
	return nil
}

// receipt ends a call, and makes known what it returned.
func (m *Miner) receipt(r journal.Record) {
	rc := record.ReceiptFrom(r.Body)
	s := m.session(r.Session)
	s.out.add(rc.Text)
	s.out.add(rc.Error)
	flat(rc.Result, "", func(_, text string, _ sexpr.Kind) { s.out.add(text) })
	keys(rc.Result, s.out.add)
	c := m.runs[rc.Intent]
	if c == nil {
		return
	}
	delete(m.runs, rc.Intent)
	c.ended, c.done = r.At, string(rc.State) == "done"
	c.trace.failed = c.trace.failed || !c.done
	c.keep(m, rc)
	c.trace.calls = append(c.trace.calls, c)
}

func (m *Miner) answer(a record.Answer) {
	t := m.open[a.Signal]
	if t == nil || a.Approval != "" {
		return // or it waits for a person, and is answered again
	}
	delete(m.open, a.Signal)
	t.ok = a.Error == "" && a.Text != "" && !t.failed
	if len(t.calls) >= shortest {
		m.done = append(m.done, t)
	}
}

// board returns the facts of a decision, one copy of each.
func (m *Miner) board(facts sexpr.Value) *board {
	ctx, _ := facts.Get("ctx")
	env, _ := facts.Get("env")
	name := env.GetText("name")
	at := name + "\n" + ctx.String()
	if b := m.boards[at]; b != nil {
		return b
	}
	b := &board{map[string]string{}, map[string]sexpr.Kind{}, name}
	flat(ctx, "", func(path, text string, kind sexpr.Kind) { b.facts[path], b.kinds[path] = text, kind })
	m.boards[at] = b
	return b
}

// one returns the one copy of a text that is kept.
func (m *Miner) one(s string) string {
	if have, ok := m.words[s]; ok {
		return have
	}
	m.words[s] = s
	return s
}
