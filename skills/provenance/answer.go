package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/fields"
	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/said"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Origin says where a value came from: of a list or object, the worst of its parts. Its
// role is that of the argument that has it.
func (w *View) Origin(v any) (Origin, Where, error) {
	return w.worst(v, func(s any) (Origin, Where, error) { return w.OriginAs(s, w.roleOf(s)) })
}

func (w *View) worst(v any, ask func(any) (Origin, Where, error)) (Origin, Where, error) {
	var at Where
	var why error
	out := User
	scalars := fields.Scalars(v)
	if len(scalars) == 0 {
		return Model, at, nil
	}
	for i, s := range scalars {
		o, where, err := ask(s)
		if worse := Worst(out, o); i == 0 || worse != out {
			out, at, why = worse, where, err
		}
	}
	return out, at, why
}

// OriginAs is Origin for a scalar in a role.
func (w *View) OriginAs(v any, r Role) (Origin, Where, error) {
	for _, l := range w.leaves {
		if l.set && l.role == r && fields.Scalar(l.Value) == fields.Scalar(v) {
			return Rule, Where{Kind: Rule}, nil
		}
	}
	return w.origin(said.New(w.x.lex.words, v, r), 2)
}

// origin is that of the whole value; where it stands nowhere, the worst of what that
// means and of its parts, and so on as deep as told.
func (w *View) origin(v *said.Value, depth int) (Origin, Where, error) {
	o, at, err := w.scalar(v)
	if o >= Record && o < Alien && o != Model && depth > 0 {
		return w.clean(v, o, at)
	}
	if o != 0 && o != Model || v.Empty || err != nil {
		return o, at, err
	}
	if o == 0 {
		o, at, err = w.nowhere(v)
	}
	if depth == 0 {
		return o, at, err
	}
	parted, where, e := w.parts(v, depth-1)
	switch worse := Worst(o, parted); {
	case parted == 0 && e == nil: // it has no parts
		return o, at, err
	case o == Model && parted < Model: // the host and all parts are better than an invention
		return parted, where, e
	case worse == o:
		return o, at, err
	default:
		return worse, where, e
	}
}

// clean is the origin of a value that stands somewhere as a whole, unless an address in
// it, or its host, is alien: no text clears what another one gave.
func (w *View) clean(v *said.Value, o Origin, at Where) (Origin, Where, error) {
	host := ""
	if v.Shape == words.URL {
		host = words.HostOf(v.Text)
	}
	for _, p := range append(v.Shaped(), host) {
		val := said.New(w.x.lex.words, p, Object)
		if val.Empty || w.x.user.Stands(val).Wanted {
			continue
		}
		f := w.alien(val)
		switch {
		case !f.sure:
			return 0, Where{}, Unknown{"the value stands in more places than one question looks at"}
		case f.kind == Alien && p == host:
			return AlienHost, f.where, nil
		case f.kind == Alien:
			return Alien, f.where, nil
		}
	}
	return o, at, nil
}

// scalar is the origin of one value as a whole. Zero without an error means that it
// stands nowhere, and Model that the session itself wrote it where it stands.
func (w *View) scalar(v *said.Value) (Origin, Where, error) {
	x := w.x
	if v.Empty {
		if at, ok := w.labelled(v); ok {
			return User, at, nil
		}
		return Model, Where{}, nil
	}
	st := x.user.Stands(v)
	if st.Wanted {
		return User, told(st), nil
	}
	if ruled, _ := x.rules.Has(v.Atoms); ruled {
		return Rule, Where{Kind: Rule}, nil
	}
	f := w.find(v)
	switch {
	case f.kind == Alien:
		return Alien, f.where, nil
	case x.lost.all:
		return 0, Where{}, tooMuch
	case !f.sure || !st.Sure:
		return 0, Where{}, Unknown{"the value stands in more places than one question looks at"}
	case (w.strong(v.Role) || v.Role == ID) && x.user.Twin(v) && !st.Said:
		return Alien, Where{Kind: Alien}, nil
	}
	return f.kind, f.where, nil
}

// labelled reports whether the user said a value that proves nothing by itself, such as a number
// of two digits, right behind the name of the argument that has it: "I'm member 88".
func (w *View) labelled(v *said.Value) (Where, bool) {
	for _, l := range w.leaves {
		name := lexicon.Split(l.Keys[len(l.Keys)-1])
		if len(v.Atoms) != 1 || len(name) == 0 ||
			w.x.lex.words.Common[name[len(name)-1]] ||
			strings.TrimSpace(fields.Scalar(l.Value)) != v.Text {
			continue
		}
		val := *v
		val.Atoms = []string{name[len(name)-1], v.Atoms[0]}
		if st := w.x.user.Stands(&val); st.Wanted {
			return told(st), true
		}
	}
	return Where{}, false
}

// nowhere is the origin of a value that was found nowhere.
func (w *View) nowhere(v *said.Value) (Origin, Where, error) {
	x := w.x
	switch {
	case x.droppedZone(v) > zones.Prose:
		return Zone, Where{Kind: Zone}, nil
	case w.partial():
		return 0, Where{}, Unknown{"the session does not hold every result"}
	case !x.talk.heard:
		return 0, Where{}, Unknown{"the session holds no words of the user"}
	case x.lost.any || x.lost.words:
		return 0, Where{}, Unknown{"not every text that was read was kept"}
	case x.opaque != nil:
		return Opaque, Where{Ref: x.opaque.ref, Kind: Opaque, Tool: x.opaque.name}, nil
	}
	return Model, Where{}, nil
}

// told is the place of a value in the user's words.
func told(st said.Standing) Where {
	if st.Text == "" {
		return Where{}
	}
	return Where{Ref: Ref(st.Ref), Kind: User, Text: st.Text}
}
