package provenance

import (
	"slices"
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Pointed reports whether the user pointed at a record that holds the value.
func (w *View) Pointed(v any) (bool, Where, error) {
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		return w.held(val, func(f *field, _ int) bool { return w.pointedField(f) })
	})
}

// Delegated reports whether the user handed the task to a record that holds the value,
// and whether that reaches the action: one that the sentence or the kind of source implies,
// never what gives somebody access. What of it needs a question is for the rules to say.
func (w *View) Delegated(v any) (bool, Where, error) {
	handed := func(f *field, offset int) bool { return w.delegatedField(f, offset) && w.reaches(f) }
	return w.every(v, func(val *said.Value) (bool, Where, error) {
		ok, at, err := w.held(val, handed)
		if ok || err != nil {
			return ok, at, err
		}
		return w.inFolder(val, handed)
	})
}

// inFolder asks about a path that stands nowhere as a whole, such as a file of a listing in another
// folder: the folder has to be the user's or held as asked, the longest that is one counts, and no
// name below it comes from a text that tells its reader to act.
func (w *View) inFolder(v *said.Value, ask func(f *field, offset int) bool) (bool, Where, error) {
	names := strings.Split(v.Text, "/")
	rooted := strings.HasPrefix(v.Text, "/")
	if !rooted && v.Shape != words.Path || len(names) > fields.MaxDepth || slices.Contains(names, "..") {
		return false, Where{}, nil
	}
	for n := len(names) - 1; n > 1 || n == 1 && !rooted; n-- {
		folder := said.New(w.x.lex.words, strings.Join(names[:n], "/"), v.Role)
		st := w.x.user.Stands(folder)
		ok, at, err := st.Wanted && !folder.Empty, told(st), error(nil)
		if !ok {
			ok, at, err = w.held(folder, ask)
		}
		if err != nil {
			return false, Where{}, err
		}
		if !ok {
			continue
		}
		for _, name := range names[n:] {
			part := said.New(w.x.lex.words, name, Object)
			if ok, _, err := w.held(part, ask); ok && err == nil {
				continue
			}
			if o, _, err := w.scalar(part); err != nil || o == 0 || o == Opaque || o > Prose {
				return false, Where{}, err
			}
		}
		return true, at, nil
	}
	return false, Where{}, nil
}

// Delegates reports whether the user said to do what some source says.
func (w *View) Delegates() (bool, error) {
	if !w.x.talk.heard {
		return false, Unknown{"the session holds no words of the user"}
	}
	return len(w.x.talk.handed) > 0, nil
}

// held asks about every field that holds a value, the oldest first, until one says yes. What
// the session itself had written before proves nothing: a value that is read back there is
// no more handed over than it was where it came from.
func (w *View) held(v *said.Value, ask func(f *field, offset int) bool) (bool, Where, error) {
	x := w.x
	if !x.talk.heard {
		return false, Where{}, Unknown{"the session holds no words of the user"}
	}
	if len(v.Atoms) == 0 {
		return false, Where{}, nil
	}
	since, known := x.firstWrite(v)
	sure := known && !w.partial() && !x.lost.any
	for i, n := range x.same(digestOf(v.Normal())) {
		if i == x.lim.Hits {
			sure = false
			break
		}
		if f := &x.fields[n]; f.source < since && ask(f, 0) {
			return true, x.where(f, 0, Record), nil
		}
	}
	if v.Empty { // such as a number of one digit: within a text it stands by chance
		return false, Where{}, nil
	}
	for lv := range x.text {
		for _, keys := range v.LooseRuns() {
			hits, all := x.find(&x.text[lv], keys, x.lim.Hits)
			for _, h := range hits {
				if f := &x.fields[h.field]; f.source < since && ask(f, h.offset) {
					return true, x.where(f, h.offset, zones.Level(lv).Origin()), nil
				}
			}
			sure = sure && all
		}
	}
	if !sure {
		return false, Where{}, Unknown{"not every place that holds the value was looked at"}
	}
	return false, Where{}, nil
}

func (w *View) pointedField(f *field) bool {
	p := w.x.points(w.x.pointers, f.source)
	return p.at(f)
}

// delegatedField reports whether the user handed the task to a field, up to an offset:
// not to the comments and quotations of others in it, but for those whose author the user named, or
// whose heading: "work through the comments".
func (w *View) delegatedField(f *field, offset int) bool {
	x := w.x
	s := &x.sources[f.source]
	if s.tool != nil && !s.tool.Read && s.tool.Classes&Run == 0 {
		return false // what an effect says of itself
	}
	by := ""
	if q := int(f.quoted); offset >= q && q < len(f.text) {
		by, _, _ = strings.Cut(f.text[q:], "\n") // the heading of others
	}
	nested := s.nested[f.record]
	if nested && !x.authored(x.pointers, f.source, f.record) {
		return false
	}
	for i := range x.talk.handed {
		h := &x.talk.handed[i]
		v := h.voice
		if h.Guessed {
			v = x.guess
		} else if h.whole || !h.exact && !x.pointsAnywhere(v) {
			v = x.hints
		}
		if x.added(f, h.voice) || by != "" && !x.othersSaid(v, by) {
			continue
		}
		p := x.points(v, f.source)
		if p.at(f) || nested && p.some() || s.message && s.handed {
			return true
		}
	}
	return false
}

// othersSaid reports whether a voice has the word under which others write: "Comments".
func (x *Index) othersSaid(v *voice, heading string) bool {
	return slices.ContainsFunc(words.Keys(words.Loose(heading)), func(w string) bool {
		return x.lex.words.Adders[w] && v.heard.Stems[x.lex.words.Stem(w)]
	})
}

// anySource are the classes that any source may ask for to which a task is handed; a tool of
// an unknown verb runs something. Paying and deleting take a source of a kind that is for it.
const anySource = Create | Update | Comm | Book | Run

// reaches reports whether the delegation to a field reaches the action's class: one that
// the sentence or the kind of source implies.
func (w *View) reaches(f *field) bool {
	x, t := w.x, w.a.Tool
	if t == nil || t.Classes&Grant != 0 {
		return false
	}
	if t.Read || t.Classes&(Pay|Delete) != 0 {
		return true // nothing is at stake, or so much that rules ask about it each time
	}
	s := &x.sources[f.source]
	kinds := anySource | x.lex.words.Kinds(s.name)
	for _, a := range s.args {
		if name, ok := words.BaseName(a); ok {
			kinds |= x.lex.words.Kinds(name)
		} else if len(a) < 80 {
			kinds |= x.lex.words.Kinds(a)
		}
		if words.ShapeOf(a) == words.URL || x.turns(f.source) {
			kinds |= x.lex.words.Kinds("page")
		}
	}
	for i := range x.talk.handed {
		h := &x.talk.handed[i]
		implied := h.Kinds | kinds
		if h.Manner && h.Classes != 0 {
			implied &^= Book | Pay
		}
		if t.Classes&(h.Classes|implied) != 0 {
			return true
		}
	}
	return false
}
