package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/reason/internal/foreign"
	"github.com/opencortex-go/cortex/sexpr"
)

// Scripted is a provider that plays a file of replies, for tests and the demo.
// It is safe for concurrent use.
//
// The file holds one plist for each reply, taken in order:
//
//	(:reply "Hello there")                          ; the text of an answer
//	(:form (:type :request :target :tool ...))      ; a proposal, printed
//	(:calls ((:id "1" :name "shell" :args (:cmd "ls"))) :reply "looking")
//	(:empty t) (:error "connection refused") (:panic "boom") (:hang t)
//
// :arguments "{..." in a call is JSON text as it stands, in place of :args. Every
// reply may have
//
//	:when ("text" ...)    ; is for the first prompt whose last message has all of these
//	:expect ("text" ...)  ; fails if the prompt or its last messages lack one of these
//	:refuse ("text" ...)  ; fails if they have one of these
//	:repeat t             ; is not used up
//	:usage (:in 10 :out 20 :cost 0.001)
//
// So a script checks what the model was shown: that a reason came back, that a
// secret did not.
type Scripted struct {
	name    string
	mu      sync.Mutex
	replies []*scriptedReply
}

type scriptedReply struct {
	where                string // "script.lisp:3:1"
	when, expect, refuse []string
	repeat, used         bool
	completion           Completion
	err                  error
	panics               string
	hang                 bool
}

// NewScripted reads a script. file names it in errors.
func NewScripted(name, file, src string) (*Scripted, error) {
	forms, err := sexpr.ReadAll(file, src)
	if err != nil {
		return nil, err
	}
	s := &Scripted{name: name}
	for _, f := range forms {
		where := fmt.Sprintf("%s:%s", file, f.Pos())
		r, err := readReply(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		r.where = where
		s.replies = append(s.replies, r)
	}
	return s, nil
}

var scriptKeys = map[string]bool{
	"reply": true, "form": true, "calls": true, "empty": true, "error": true, "panic": true, "hang": true,
	"when": true, "expect": true, "refuse": true, "repeat": true, "usage": true,
}

func readReply(f sexpr.Value) (*scriptedReply, error) {
	r := plist.NewReader(f, "a scripted reply")
	for i := 0; i < f.Len(); i += 2 {
		if k := f.Items()[i]; !scriptKeys[k.Text()] {
			return nil, fmt.Errorf("the key :%s is unknown, expected one of :reply :form :calls :empty :error :panic :hang "+
				":when :expect :refuse :repeat :usage", k.Text())
		}
	}
	out := &scriptedReply{
		when: r.Texts("when"), expect: r.Texts("expect"), refuse: r.Texts("refuse"), repeat: r.True("repeat"),
		panics: r.Text("panic"), hang: r.True("hang"),
	}
	if e := r.Text("error"); e != "" {
		out.err = errors.New(e)
	}
	out.completion.Text = r.Text("reply")
	if form := r.Value("form"); !form.IsNil() {
		out.completion.Text = form.String()
	}
	usage := r.Sub("usage")
	out.completion.Usage = Usage{TokensIn: usage.Int("in"), TokensOut: usage.Int("out"), Cost: usage.Float("cost")}
	for _, c := range r.List("calls") {
		call := NativeCall{ID: c.Text("id"), Name: c.Text("name"), Arguments: c.Text("arguments")}
		if args := c.Value("args"); !args.IsNil() {
			json, err := sexpr.ToJSON(args)
			r.Fail(err)
			call.Arguments = string(json)
		}
		out.completion.Calls = append(out.completion.Calls, call)
	}
	return out, r.Err()
}

// Name returns the name it was made with.
func (s *Scripted) Name() string { return s.name }

// Left returns where the replies stand that were not used and do not repeat.
func (s *Scripted) Left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.replies {
		if !r.used && !r.repeat {
			out = append(out, r.where)
		}
	}
	return out
}

// Complete plays the next reply that is for this prompt.
func (s *Scripted) Complete(ctx context.Context, p Prompt) (Completion, error) {
	r := s.next(p)
	if r == nil {
		return Completion{}, fmt.Errorf("the script has no reply left for %q", foreign.Clip(last(p), 200))
	}
	shown := everything(p)
	for _, want := range r.expect {
		if !strings.Contains(shown, want) {
			return Completion{}, fmt.Errorf("%s: the prompt lacks %q", r.where, want)
		}
	}
	for _, bad := range r.refuse {
		if strings.Contains(shown, bad) {
			return Completion{}, fmt.Errorf("%s: the prompt has %q", r.where, bad)
		}
	}
	switch {
	case r.panics != "":
		panic(r.panics)
	case r.hang:
		<-ctx.Done()
		return Completion{}, ctx.Err()
	}
	return r.completion, r.err
}

func (s *Scripted) next(p Prompt) *scriptedReply {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := last(p)
	for _, r := range s.replies {
		if (r.repeat || !r.used) && hasAll(said, r.when) {
			r.used = true
			return r
		}
	}
	return nil
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// last is the text of the newest message.
func last(p Prompt) string {
	if len(p.Messages) == 0 {
		return ""
	}
	return p.Messages[len(p.Messages)-1].Text
}

// everything is all that the model was shown, its own words left out.
func everything(p Prompt) string {
	var b strings.Builder
	b.WriteString(p.System)
	for _, m := range p.Messages {
		if m.Role != RoleAssistant {
			b.WriteString("\n" + m.Text)
		}
	}
	return b.String()
}
