// Package nearby goes through the small edits of an action's arguments, the smallest
// first: what a person would try to have an action decided otherwise.
//
// It judges nothing. Its caller gives the values that the rules name, and a function
// that judges each edit; the search ends with the first one that it takes, or at its
// bound. The order depends on the arguments and the values alone, so that a search on
// record comes out the same when it is made again.
package nearby

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Most is how many edits a [Search] tries if it does not say otherwise.
const Most = 256

// Edit is one small change of an action's arguments.
type Edit struct {
	Path    string      // what is changed, from :args on: "to", "headers.x-id", "paths.0"
	Dropped bool        // it is left out, and New says nothing
	Old     sexpr.Value // what stands there
	New     sexpr.Value // what stands there afterwards
	Args    sexpr.Value // all arguments afterwards

	At      []sexpr.Value // Path step by step: names, and numbers from 0 in lists
	Without string        // the word that a text is left without, or ""
	Folder  string        // the folder that a path is put in, or ""
}

// String says what to do: "drop :force" or "set :amount to 499 (it is 500)".
func (e Edit) String() string {
	if e.Dropped {
		return "drop :" + e.Path + " (it is " + e.Old.String() + ")"
	}
	return "set :" + e.Path + " to " + e.New.String() + " (it is " + e.Old.String() + ")"
}

// Search is a bounded search. The zero Search tries only edits that need no values.
type Search struct {
	Values []sexpr.Value // strings and numbers that rules name, in any order
	Most   int           // edits to try; 0: [Most]
	// Of, if set, takes the place of Values: it says what the rules name for one place,
	// and reports false for one that is to stay as it is. Then every edit can be told
	// without a word of the arguments ([Edit.Told]).
	Of func(at []sexpr.Value) (Own, bool)
}

// First returns the first edit of args that take takes, and how many it was asked about.
func (s Search) First(args sexpr.Value, take func(Edit) bool) (found Edit, tried int, ok bool) {
	most := cmp.Or(s.Most, Most)
	for e := range s.Edits(args) {
		if tried == most {
			break
		}
		tried++
		if take(e) {
			return e, tried, true
		}
	}
	return Edit{}, tried, false
}

// Edits goes through the edits of args in order: something dropped, a flag turned, a
// number moved to a boundary, nearest first, a word of a text left out, a text replaced.
// No edit comes twice, and none changes nothing.
func (s Search) Edits(args sexpr.Value) iter.Seq[Edit] {
	return func(yield func(Edit) bool) {
		places := s.places(args)
		seen := map[string]bool{args.String(): true}
		for _, of := range s.kinds() {
			for _, p := range places {
				for _, c := range of(p) {
					e := Edit{Path: p.path, Old: p.value, New: c.to, At: p.at, Without: c.without, Folder: c.folder}
					if e.Dropped = c.drop; c.drop {
						e.Args = p.edit(nil)
					} else {
						e.Args = p.edit(&c.to)
					}
					text := e.Args.String()
					if seen[text] {
						continue
					}
					seen[text] = true
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// change is one thing that may be done at a place.
type change struct {
	to              sexpr.Value
	drop            bool
	without, folder string // how it is told, where the new value is not
}

// kinds are the kinds of edits, in order.
func (s Search) kinds() []func(place) []change {
	if s.Of != nil {
		return []func(place) []change{dropped, turned, s.moved, s.without, s.elsewhere, s.whole}
	}
	return []func(place) []change{dropped, turned, s.moved, shortened, s.replaced}
}

// own is what the rules name for a place.
func (s Search) own(p place) Own {
	if s.Of == nil {
		return Own{Values: s.Values}
	}
	own, _ := s.Of(p.at)
	return own
}

// place is one value within the arguments.
type place struct {
	at    []sexpr.Value
	path  string
	value sexpr.Value
	edit  func(*sexpr.Value) sexpr.Value // all arguments with another value here; nil: none
}

// places are the members of an object and the elements of its lists, at every depth,
// outer ones first, but those that are to stay as they are.
func (s Search) places(args sexpr.Value) []place {
	var out []place
	todo := []place{{value: args, edit: func(v *sexpr.Value) sexpr.Value { return *v }}}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		todo = append(todo, members(p)...)
		stays := len(p.at) == 0
		if !stays && s.Of != nil {
			_, may := s.Of(p.at)
			stays = !may
		}
		if !stays {
			out = append(out, p)
		}
	}
	return out
}

// members are the places right below one.
func members(p place) (out []place) {
	items := p.value.Items()
	step, first := 1, 0
	if p.value.IsPlist() {
		step, first = 2, 1
	}
	for i := first; i < len(items); i += step {
		name, at := strconv.Itoa(i), sexpr.Int64(int64(i))
		if step == 2 {
			name = items[i-1].Text()
			at = sexpr.Str(name)
		}
		if p.path != "" {
			name = p.path + "." + name
		}
		out = append(out, place{append(slices.Clip(p.at), at), name, items[i], func(v *sexpr.Value) sexpr.Value {
			next := slices.Clone(items)
			if v != nil {
				next[i] = *v
			} else {
				next = slices.Delete(next, i-first, i+1)
			}
			whole := sexpr.ListOf(next...)
			if len(next) == 0 && step == 2 {
				whole = sexpr.EmptyObject()
			}
			return p.edit(&whole)
		}})
	}
	return out
}

func dropped(place) []change { return []change{{drop: true}} }

func turned(p place) []change {
	switch {
	case p.value.IsSym("t"):
		return []change{{to: sexpr.False()}}
	case p.value.IsSym("false"):
		return []change{{to: sexpr.T()}}
	}
	return nil
}

// moved are the numbers that rules name, each with its neighbours, by distance.
func (s Search) moved(p place) (out []change) {
	at, ok := number(p.value)
	if !ok {
		return nil
	}
	for _, v := range s.own(p).Values {
		if v.Kind() == sexpr.Int {
			out = append(out, change{to: v}, change{to: sexpr.Int64(v.Int() - 1)}, change{to: sexpr.Int64(v.Int() + 1)})
		} else if v.Kind() == sexpr.Float {
			out = append(out, change{to: v}, change{to: sexpr.Float64(v.Float() - 1)},
				change{to: sexpr.Float64(v.Float() + 1)})
		}
	}
	slices.SortStableFunc(out, func(a, b change) int {
		x, _ := number(a.to)
		y, _ := number(b.to)
		return cmp.Or(cmp.Compare(max(x-at, at-x), max(y-at, at-y)), cmp.Compare(x, y))
	})
	return out
}

func number(v sexpr.Value) (float64, bool) {
	switch v.Kind() { //nolint:exhaustive // the others are no numbers
	case sexpr.Int:
		return float64(v.Int()), true
	case sexpr.Float:
		return v.Float(), true
	}
	return 0, false
}

// shortened are a text of a few words without each of them.
func shortened(p place) (out []change) {
	words := strings.Split(p.value.Text(), " ")
	if p.value.Kind() != sexpr.String || len(words) < 2 || len(words) > 32 {
		return nil
	}
	for i := range words {
		out = append(out, change{to: sexpr.Str(strings.Join(slices.Delete(slices.Clone(words), i, i+1), " "))})
	}
	return out
}

// replaced are the texts that rules name, in their order, and for what looks like a
// folder something within it. A pattern is no text to put there.
func (s Search) replaced(p place) (out []change) {
	if p.value.Kind() != sexpr.String {
		return nil
	}
	var texts []string
	for _, v := range s.Values {
		if v.Kind() == sexpr.String && v.Text() != "" && !strings.ContainsAny(v.Text(), "*?[]{}^$|()\\") {
			texts = append(texts, v.Text())
		}
	}
	slices.Sort(texts)
	for _, t := range slices.Compact(texts) {
		out = append(out, change{to: sexpr.Str(t)})
		if strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~") {
			out = append(out, change{to: sexpr.Str(strings.TrimSuffix(t, "/") + "/x")})
		}
	}
	return out
}

// Literals are the strings and numbers that stand in a form, in order, each once.
func Literals(form sexpr.Value) (out []sexpr.Value) {
	switch form.Kind() { //nolint:exhaustive // names are not values
	case sexpr.String, sexpr.Int, sexpr.Float:
		return []sexpr.Value{form}
	}
	for _, v := range form.Items() {
		for _, l := range Literals(v) {
			if !slices.ContainsFunc(out, func(x sexpr.Value) bool { return sexpr.Equal(x, l) }) {
				out = append(out, l)
			}
		}
	}
	return out
}
