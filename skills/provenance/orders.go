package provenance

import (
	"strings"

	"github.com/opencortex-go/cortex/skills/provenance/internal/lexicon"
	"github.com/opencortex-go/cortex/skills/provenance/internal/words"
	"github.com/opencortex-go/cortex/skills/provenance/internal/zones"
)

// Command says which zones [View.Commanded] looks at.
type Command uint8

// The kinds of command.
const (
	ByAny       Command = iota // every zone
	ByAlien                    // alien zones
	ByUnpointed                // zones of sources that the user did not point at, alien ones too
	ByPointed                  // plain zones of sources that the user pointed at
	ByDelegated                // plain zones of sources that the user handed the task to
)

// order is a zone that commands something.
type order struct {
	field field
	level zones.Level
	start int
}

// orderKey is what a zone commands: a class, with a noun's stem or a group of things,
// or a tool by its name.
type orderKey struct {
	class Class
	stem  string
	group int8 // from 1
	tool  string
	level zones.Level
}

// orders finds zones by what they command. Of each kind it keeps the oldest few.
type orders struct {
	zones []order
	by    map[orderKey][]int32
	more  map[orderKey]bool // there were more than maxOrders
}

// maxOrders is how many zones that command the same are kept.
const maxOrders = 64

func (o *orders) init() { o.by, o.more = map[orderKey][]int32{}, map[orderKey]bool{} }

// enter notes what the zones of a field command.
func (o *orders) enter(x *Index, _ int32, f field, m *zones.Map) {
	for _, z := range m.Zones {
		n := int32(len(o.zones))
		used := false
		post := func(k orderKey) {
			k.level = z.Level
			if len(o.by[k]) == maxOrders {
				o.more[k] = true
				return
			}
			o.by[k], used = append(o.by[k], n), true
		}
		for _, t := range z.Tools {
			post(orderKey{tool: t})
		}
		groups := uint64(0)
		for _, st := range z.Stems {
			groups |= x.lex.words.Groups[st]
		}
		for c := lexicon.Comm; c <= lexicon.Run; c <<= 1 {
			if z.Classes&c == 0 {
				continue
			}
			post(orderKey{class: c})
			for g := range 64 {
				if groups&(1<<g) != 0 {
					post(orderKey{class: c, group: int8(g + 1)})
				}
			}
			for _, st := range z.Stems {
				if x.nouns[st] {
					post(orderKey{class: c, stem: strings.Clone(st)})
				}
			}
		}
		if used {
			short := f
			short.text = strings.Clone(words.Around(f.text, z.Start))
			o.zones = append(o.zones, order{field: short, level: z.Level, start: z.Start})
		}
	}
}

// Commanded says how closely a zone commands the action: 3 if it names the tool, 2 if it
// has a verb of its class and its noun, 1 if a verb of its class, 0 if no zone does.
func (w *View) Commanded(by Command) (int, Where, error) {
	if w.x.lost.all {
		return 0, Where{}, tooMuch
	}
	if by >= ByUnpointed && by <= ByDelegated && !w.x.talk.heard {
		return 0, Where{}, Unknown{"the session holds no words of the user"}
	}
	t := w.a.Tool
	if t == nil {
		return 0, Where{}, Unknown{"the tool is not declared"}
	}
	var named, exact, loose []orderKey
	if zones.StandsOut(t.Name) {
		named = append(named, orderKey{tool: strings.ToLower(t.Name)})
	}
	for c := lexicon.Comm; c <= lexicon.Run; c <<= 1 {
		if t.Classes&c == 0 {
			continue
		}
		loose = append(loose, orderKey{class: c})
		if len(t.Nouns) == 0 {
			exact = append(exact, orderKey{class: c})
		}
		for _, n := range t.Nouns {
			st := w.x.lex.words.Stem(n)
			exact = append(exact, orderKey{class: c, stem: st})
			for g := range 64 {
				if w.x.lex.words.Groups[st]&(1<<g) != 0 {
					exact = append(exact, orderKey{class: c, group: int8(g + 1)})
				}
			}
		}
	}
	sure := true
	for i, keys := range [][]orderKey{named, exact, loose} {
		if at, ok, all := w.ordered(keys, by); ok {
			return 3 - i, at, nil
		} else if !all {
			sure = false
		}
	}
	if !sure || w.partial() {
		return 0, Where{}, Unknown{"not every text that was read is here"}
	}
	return 0, Where{}, nil
}

// ordered looks for a zone of this kind under one of the keys.
func (w *View) ordered(keys []orderKey, by Command) (at Where, found, all bool) {
	all = true
	for _, k := range keys {
		for lv := zones.Strong; lv >= zones.Plain; lv-- {
			k.level = lv
			for _, n := range w.x.orders.by[k] {
				if o := &w.x.orders.zones[n]; w.counts(o, by) {
					return w.whereOf(o), true, true
				}
			}
			all = all && !w.x.orders.more[k]
		}
	}
	return Where{}, false, all
}

// counts reports whether a zone is of the kind asked for.
func (w *View) counts(o *order, by Command) bool {
	alien := o.level == zones.Strong || o.level == zones.Weak && !w.delegatedField(&o.field, 0)
	switch by {
	case ByAny:
		return true
	case ByAlien:
		return alien
	case ByUnpointed:
		return alien || !w.pointedField(&o.field) && !w.delegatedField(&o.field, o.start)
	case ByPointed:
		return !alien && w.pointedField(&o.field)
	case ByDelegated:
		return !alien && w.delegatedField(&o.field, o.start)
	}
	return true
}

func (w *View) whereOf(o *order) Where {
	out := w.x.where(&o.field, 0, Zone)
	if o.level == zones.Strong {
		out.Kind = Alien
	}
	return out
}

// where describes a place in a field.
func (x *Index) where(f *field, offset int, kind Origin) Where {
	s := &x.sources[f.source]
	return Where{Ref: s.ref, Kind: kind, Tool: s.name, Record: int(f.record), Key: f.key.Name,
		Text: words.Around(f.text, offset)}
}
