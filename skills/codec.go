package skills

import (
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// Value returns the facts in the form of records: a plist without zero values, the
// same for equal facts.
func (f *Facts) Value() sexpr.Value {
	var b plist.Builder
	f.Put(&b)
	return b.Done()
}

// Put puts the members of [Facts.Value] into b, in canonical order.
func (f *Facts) Put(b plist.Sink) {
	b.Value("ctx", f.Ctx)
	b.Value("env", f.Env)
	b.Int("now", f.Now)
	b.Value("policy", f.Policy)
	b.Open("session")
	f.Session.put(b)
	b.Close()
	b.Value("signal", omitEmpty(f.Signal.Value()))
	plist.Each(b, "spends", f.Spends, Spend.value)
	b.Value("step", f.Step.Value())
	if len(f.Versions) > 0 {
		plist.Each(b, "versions", slices.Sorted(maps.Keys(f.Versions)), func(k string) sexpr.Value {
			return sexpr.ListOf(sexpr.Str(k), sexpr.Int64(int64(f.Versions[k])))
		})
	}
	b.Value("work", f.Work)
}

// Value returns the step as a plist, or nil for none.
func (s Step) Value() sexpr.Value {
	if s == (Step{}) {
		return sexpr.Nil()
	}
	return sexpr.Plist("plan", sexpr.Str(s.Plan), "step", sexpr.Str(s.ID), "undo", sexpr.Bool(s.Undo),
		"version", sexpr.Int64(int64(s.Version)))
}

// DecodeFacts reads the output of [Facts.Value].
func DecodeFacts(v sexpr.Value) (*Facts, error) {
	r := plist.NewReader(v, "facts")
	f := &Facts{
		Now: r.Int("now"), Session: decodeSession(r.Sub("session")),
		Ctx: r.Value("ctx"), Env: r.Value("env"), Work: r.Value("work"), Policy: r.Value("policy"),
	}
	if s := r.Sub("step"); !r.Value("step").IsNil() {
		f.Step = Step{Plan: s.Text("plan"), Version: s.Small("version"), ID: s.Text("step"), Undo: s.True("undo")}
	}
	if s := r.Value("signal"); !s.IsNil() {
		var err error
		f.Signal, err = perceive.DecodeSignal(s)
		r.Fail(err)
	}
	for _, s := range r.List("spends") {
		f.Spends = append(f.Spends, Spend{
			Budget: s.Text("budget"), Amount: s.Float("amount"), Session: s.Text("session"),
			Principal: s.Text("principal"), Tool: s.Text("tool"), At: s.Int("at"),
		})
	}
	for _, pair := range r.Value("versions").Items() {
		p := pair.Items()
		if len(p) != 2 || p[0].Kind() != sexpr.String || p[1].Kind() != sexpr.Int {
			r.Fail(errAt(pair.Pos(), ":versions holds a %s, expected (\"key\" number)", pair.Kind()))
			break
		}
		if f.Versions == nil {
			f.Versions = make(map[string]uint64)
		}
		f.Versions[p[0].Text()] = uint64(p[1].Int())
	}
	return f, r.Err()
}

func omitEmpty(v sexpr.Value) sexpr.Value {
	if v.IsSym("{}") {
		return sexpr.Nil()
	}
	return v
}

func (s *Session) put(b plist.Sink) {
	b.Text("id", s.ID)
	b.True("partial", s.Partial)
	b.Text("principal", s.Principal)
	plist.Each(b, "roles", s.Roles, sexpr.Str)
	b.Text("system", s.System)
	plist.Each(b, "turns", s.Turns, Turn.value)
}

func decodeSession(r plist.Reader) Session {
	s := Session{ID: r.Text("id"), Principal: r.Text("principal"), Roles: r.Texts("roles"), System: r.Text("system"),
		Partial: r.True("partial")}
	for _, t := range r.List("turns") {
		turn := Turn{User: t.Text("user"), Reply: t.Text("reply")}
		if !t.Value("call").IsNil() {
			turn.Call = decodeCall(t.Sub("call"))
		}
		if !t.Value("source").IsNil() {
			source := decodeSource(t.Sub("source"))
			turn.Source = &source
		}
		for _, a := range t.List("attached") {
			turn.Attached = append(turn.Attached, decodeSource(a))
		}
		s.Turns = append(s.Turns, turn)
	}
	return s
}

func (t Turn) value() sexpr.Value {
	if t.IsUser() && t.Attached == nil {
		return sexpr.Plist("user", sexpr.Str(t.User))
	}
	var b plist.Builder
	if t.IsUser() {
		b.Add("user", sexpr.Str(t.User))
	} else {
		b.Text("user", t.User)
	}
	if t.Call != nil {
		b.Add("call", t.Call.value())
	}
	b.Text("reply", t.Reply)
	if t.Source != nil {
		b.Add("source", t.Source.value())
	}
	plist.Each(&b, "attached", t.Attached, Source.value)
	return b.Done()
}

func (s Source) value() sexpr.Value {
	return sexpr.Plist("name", sexpr.Str(s.Name), "text", sexpr.Str(s.Text))
}

func decodeSource(r plist.Reader) Source { return Source{Name: r.Text("name"), Text: r.Text("text")} }

func (c *Call) value() sexpr.Value {
	var b plist.Builder
	b.Text("tool", c.Tool)
	b.Value("args", c.Args)
	b.Text("decision", c.Decision)
	b.Value("result", c.Result)
	b.Text("error", c.Error)
	b.True("happened", c.Happened)
	b.Int("at", c.At)
	b.True("cut", c.Cut)
	b.True("untold", c.Untold)
	return b.Done()
}

func decodeCall(r plist.Reader) *Call {
	return &Call{
		Tool: r.Text("tool"), Args: r.Value("args"), Decision: r.Text("decision"),
		Result: r.Value("result"), Error: r.Text("error"), Happened: r.True("happened"), At: r.Int("at"),
		Cut: r.True("cut"), Untold: r.True("untold"),
	}
}

func (s Spend) value() sexpr.Value {
	var b plist.Builder
	b.Text("budget", s.Budget)
	if s.Amount != 0 {
		b.Add("amount", sexpr.Float64(s.Amount))
	}
	b.Text("session", s.Session)
	b.Text("principal", s.Principal)
	b.Text("tool", s.Tool)
	b.Int("at", s.At)
	return b.Done()
}
