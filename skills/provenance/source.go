package provenance

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
)

// source is one result, or another text that was read.
type source struct {
	ref     Ref
	name    string
	tool    *Tool
	message bool     // it stood in a message of the user, who so pointed at it
	handed  bool     // that message handed the task over
	floor   Origin   // the best origin of its values
	args    []string // the texts in the call's arguments
	many    bool     // ... and there are more, or longer ones
	found   bool     // ... and it was found by words of them
	first   int32    // its fields
	end     int32
	nested  map[int32]bool // records that stand in a list inside an object
	dropped bool           // some of its text was not kept
}

// echoes reports whether the call itself had the value: that its result repeats it, be it
// to say that there is no such thing, tells nothing about where it came from. An effect's
// result repeats what it was given in any form; of a read, only whole words count, so that
// a 5 in a date asked for does not hide the 5 that was found.
func (s *source) echoes(v *said.Value) bool {
	if v.Text == "" {
		return false
	}
	read := s.tool != nil && s.tool.Read
	if read && s.many {
		return true
	}
	text, same := strings.ToLower(v.Text), v.Normal()
	return slices.ContainsFunc(s.args, func(a string) bool {
		if read {
			return words.Normal(a) == same || len(text) > 2 && words.StandsIn(strings.ToLower(a), text)
		}
		return strings.Contains(strings.ToLower(a), text)
	})
}

// field is one field of a source that is kept in full.
type field struct {
	source  int32
	record  int32
	next    int32 // the next field with the same whole text; 0: none
	quoted  int32 // where a quotation of others begins in the text, or its length
	key     *lexicon.Key
	side    string // what somebody adds to the record there; "" in other fields
	text    string
	kind    fields.Kind
	trusted bool
}

// sideOf returns what somebody adds to a record in a field: a sentence under such a key.
func (x *Index) sideOf(f fields.Field) string {
	if f.Kind != fields.Value || len(f.Text) < 12 || strings.Count(strings.TrimSpace(f.Text), " ") < minSentence-1 {
		return ""
	}
	if k := x.keys.Of(f.Key); k.Side != "" {
		return k.Side
	}
	for name := range strings.SplitSeq(f.Under, ".") {
		if k := x.keys.Of(name); k.Side != "" {
			return k.Side
		}
	}
	return ""
}

// added reports whether somebody added a field to the record, and neither words of the user nor the
// tool's name call for it: "do what the remarks say".
func (x *Index) added(f *field, v *voice) bool {
	if f.side == "" || v.heard.Stems[f.side] || x.authored(x.pointers, f.source, f.record) {
		return false
	}
	t := x.sources[f.source].tool
	return t == nil || !slices.ContainsFunc(t.Nouns, func(n string) bool { return x.lex.words.Stem(n) == f.side })
}

// ends are the first and the last field with the same whole text.
type ends struct{ first, last int32 }

// noteWhole enters a field by its whole text.
func (x *Index) noteWhole(n int32, d digest) {
	e, known := x.wholes[d]
	if known {
		x.fields[e.last].next = n
	} else {
		e.first = n
	}
	x.wholes[d] = ends{e.first, n}
}

// same lists the fields with a whole text, oldest first.
func (x *Index) same(d digest) iter.Seq2[int, int32] {
	return func(yield func(int, int32) bool) {
		e, ok := x.wholes[d]
		for i, n := 0, e.first; ok && yield(i, n) && n != e.last; i++ {
			n = x.fields[n].next
		}
	}
}

// digest stands for a whole text.
type digest [16]byte

func digestOf(normal string) digest {
	sum := sha256.Sum256([]byte(normal))
	return digest(sum[:16])
}

// What is kept of a call's arguments, to tell what the user pointed at.
const (
	maxArgument  = 256 // bytes of one
	maxArguments = 32
)

// Call enters a call that ran or may have run, and its result.
func (x *Index) Call(ref Ref, c Call) {
	s := source{ref: ref, name: c.Tool, tool: x.tools[c.Tool], floor: c.Floor, found: x.lex.words.Finds(c.Tool, c.Args)}
	var args []string
	fields.Texts(c.Args, &args)
	for _, a := range args {
		if len(a) <= maxArgument && len(s.args) < maxArguments {
			s.args = append(s.args, a)
		} else {
			s.many = true
		}
	}
	n := int32(len(x.sources))
	if s.tool == nil || !s.tool.Read {
		x.write(n, args)
		x.spend(s.tool)
	}
	x.sources = append(x.sources, s)
	if c.Cut {
		x.lost.any = true
	}
	if c.Result != nil {
		x.enter(n, fields.Of(c.Result))
	}
}

// Source enters an untrusted text other than a tool's result: a tool description that a
// server sent, an event of a host that is not the user's, the task of a sub-agent.
func (x *Index) Source(ref Ref, s Source) {
	x.sources = append(x.sources, source{ref: ref, name: s.Name})
	x.enter(int32(len(x.sources)-1), fields.Split(s.Text))
}

// Opaque enters something that the model saw and that has no fields to read.
func (x *Index) Opaque(ref Ref, name string) {
	x.sources = append(x.sources, source{ref: ref, name: name})
	x.dark(int32(len(x.sources) - 1))
}

// dark notes that a source could not be read whole.
func (x *Index) dark(n int32) {
	if x.opaque == nil {
		s := x.sources[n]
		x.opaque = &s
	}
	x.read.any = true
	x.read.worst = max(x.read.worst, Opaque)
}

// Rule enters values that a rule set, or the system prompt of an embedder.
func (x *Index) Rule(_ Ref, v any) {
	var all []string
	fields.Texts(v, &all)
	for _, t := range all {
		ws := words.Atoms(t)
		x.rules.Add(words.Keys(ws), words.Starts(ws))
	}
}

// maxWrites is how many words of dropped arguments are kept.
const maxWrites = 1 << 16

// write notes what an effect was given: what reads it back later proves nothing new.
func (x *Index) write(n int32, args []string) {
	for _, a := range args {
		if x.kept+len(a) <= x.lim.Text {
			x.kept += len(a)
			x.written.Add(n, a, 0, 0, len(a)+1)
			continue
		}
		if x.lost.all {
			return
		}
		if x.lost.writes == nil {
			x.lost.writes, x.lost.writeSeq = map[string]bool{}, int(n)
		}
		for _, w := range words.Loose(a) {
			x.lost.writes[strings.Clone(w.Key)] = true
		}
		x.lost.all = x.lost.all || len(x.lost.writes) > maxWrites
	}
}
