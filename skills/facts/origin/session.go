package origin

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
	"github.com/opencortex-go/cortex/skills/provenance"
)

// session is the index of one session.
type session struct {
	words *Words
	index *provenance.Index
	bytes int
}

// reader makes the indexes of sessions that have this system prompt.
func (w *Words) reader(system string) skills.Reader {
	w.ready()
	name := w.name
	if system != "" {
		name += " " + sexpr.DigestText("cortex/system/1", system).String()
	}
	return skills.Reader{Name: name, Blank: func(s *skills.Session) skills.Reading {
		x := &session{words: w, index: provenance.New(w.lexicon, w.list, provenance.Limits{})}
		if s.System != "" {
			x.index.Rule(0, s.System)
		}
		return x
	}}
}

// weight is about how many bytes an index takes for each byte of text: 1.6 were measured of
// prose, 2.4 of mails, 10 of lists of short values.
const weight = 4

// Bytes returns about what the index takes in memory.
func (x *session) Bytes() int { return 4096 + weight*min(x.bytes, 4<<20) }

// Enter takes in the next entry of the session. Nothing that a model wrote and nothing
// that a tool returned becomes the user's words.
func (x *session) Enter(e skills.Entry) {
	ref, t := provenance.Ref(e.Ref), e.Turn
	switch {
	case t.Call != nil:
		x.call(ref, t.Call)
	case t.Source != nil:
		x.source(ref, *t.Source)
	case t.Reply != "":
		x.index.Reply(ref, t.Reply)
	case e.Unnamed:
		x.source(ref, skills.Source{Text: t.User})
		x.sources(ref, t.Attached)
	default:
		m := provenance.Message{Text: t.User}
		for _, a := range t.Attached {
			m.Sources = append(m.Sources, provenance.Source{Name: a.Name, Text: a.Text})
			x.bytes += len(a.Text)
		}
		x.bytes += len(t.User)
		x.index.User(ref, m)
	}
}

func (x *session) source(ref provenance.Ref, s skills.Source) {
	x.bytes += len(s.Text)
	x.index.Source(ref, provenance.Source{Name: s.Name, Text: s.Text})
}

func (x *session) sources(ref provenance.Ref, all []skills.Source) {
	for _, s := range all {
		x.source(ref, s)
	}
}

// call enters a call with what it returned. What the agent says to the user through the
// reply tool is not a source.
func (x *session) call(ref provenance.Ref, c *skills.Call) {
	returned := !c.Result.IsNil()
	ran := c.Happened || returned
	if c.Tool == skills.ReplyTool {
		if ran && c.Decision == "allow" {
			x.index.Reply(ref, c.Args.GetText("text"))
		}
		return
	}
	if c.Tool == skills.AskPersonTool {
		if ran && c.Decision == "allow" {
			x.answered(ref, c)
		}
		return
	}
	if ran {
		args, _ := plain(skills.Native(c.Args)).(map[string]any)
		n := provenance.Call{Tool: c.Tool, Args: args, Cut: c.Cut}
		if returned {
			n.Result = plain(skills.Native(c.Result))
		}
		x.bytes += size(c.Args) + size(c.Result)
		x.index.Call(ref, n)
		if c.Cut || garbled(c.Result) {
			x.index.Opaque(ref, c.Tool)
		}
		if c.Untold && x.words.tool(c.Tool).Read {
			x.index.Opaque(ref, c.Tool)
		}
	}
	if c.Error != "" { // the model was told
		x.source(ref, skills.Source{Name: c.Tool, Text: c.Error})
	}
}

// answered enters what a person answered to ask_person. Words that they wrote are theirs, and a
// "yes" among them assents to the question. A choice and a yes alone say nothing new: what
// the text of a choice is worth was told by where it came from.
func (x *session) answered(ref provenance.Ref, c *skills.Call) {
	if c.Args.GetText("kind") != skills.Words || c.Result.Kind() != sexpr.String {
		return
	}
	said := c.Result.Text()
	x.bytes += len(said)
	x.index.Reply(ref, c.Args.GetText("question"))
	x.index.User(ref, provenance.Message{Text: said})
}

// size is the bytes of text in a value.
func size(v sexpr.Value) int {
	n := len(v.Text())
	for _, x := range v.Items() {
		n += size(x) + 8
	}
	return n
}

// garbled reports whether bytes that are no UTF-8 stood in a value: readers of texts put
// U+FFFD in their place.
func garbled(v sexpr.Value) bool {
	return strings.ContainsRune(v.Text(), utf8.RuneError) || slices.ContainsFunc(v.Items(), garbled)
}

// plain is a native value without [skills.Null], which provenance writes as nil.
func plain(v any) any {
	switch v := v.(type) {
	case skills.Null:
		return nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = plain(v[k])
		}
		return out
	}
	return v
}
