package sexpr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is one of the six kinds of datum.
type Kind uint8

// The kinds. List comes first so that the zero Value is nil, the empty list.
const (
	List Kind = iota
	Keyword
	Symbol
	String
	Int
	Float
)

// String names the kind as error messages do.
func (k Kind) String() string {
	switch k {
	case List:
		return "list"
	case Keyword:
		return "keyword"
	case Symbol:
		return "symbol"
	case String:
		return "string"
	case Int:
		return "integer"
	case Float:
		return "float"
	}
	return "kind " + strconv.Itoa(int(k))
}

// Pos is where a datum begins in its source. Line and Col count from 1, Col in
// characters; the zero Pos means that the value was not read from text.
type Pos struct{ Line, Col int32 }

// String prints the position as "line:col", or "-" for the zero Pos.
func (p Pos) String() string {
	if p.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}

// Value is one datum. It is immutable: do not change slices that its methods return.
// The zero Value is nil, which is also the empty list and false.
//
// A keyword or symbol carries its name as [Value.Text]: "tool" for :tool,
// "userId" for :|userId|.
type Value struct {
	kind Kind
	pos  Pos
	num  uint64 // the int64, or the bits of the float64
	text string
	list []Value
}

// Nil returns the empty list.
func Nil() Value { return Value{} }

// T returns the symbol t, which is true.
func T() Value { return Sym("t") }

// False returns JSON's false, which is not the empty list.
func False() Value { return Sym("false") }

// Null returns JSON's null, which equals only itself.
func Null() Value { return Sym("null") }

// EmptyObject returns {}, JSON's object without members.
func EmptyObject() Value { return Sym("{}") }

// Bool returns [T] or [False].
func Bool(b bool) Value {
	if b {
		return T()
	}
	return False()
}

// Key returns the keyword of this name, without its colon.
func Key(name string) Value { return Value{kind: Keyword, text: name} }

// Sym returns the symbol of this name. Sym("nil") is the empty list.
func Sym(name string) Value {
	if name == "nil" {
		return Value{}
	}
	return Value{kind: Symbol, text: name}
}

// Str returns a string. It does not check that s is UTF-8; printing does.
func Str(s string) Value { return Value{kind: String, text: s} }

// Int64 returns an integer.
func Int64(i int64) Value { return Value{kind: Int, num: uint64(i)} }

// Float64 returns a float. NaN and the infinities cannot be written: printing and
// [Canonical] return errors for them.
func Float64(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }

// ListOf returns the list of vs, and keeps the slice.
func ListOf(vs ...Value) Value { return Value{kind: List, list: vs} }

// Plist returns the list of keywords and values in turn, in this order: a string, and a
// Go value as [From] takes it. It panics if kv is not that: call it with literals.
func Plist(kv ...any) Value {
	if len(kv)%2 != 0 {
		panic("sexpr.Plist: a key without a value")
	}
	out := make([]Value, len(kv))
	for i := 0; i < len(kv); i += 2 {
		key, ok := kv[i].(string)
		if !ok {
			panic(fmt.Sprintf("sexpr.Plist: found %T as key %d, expected a string", kv[i], i/2))
		}
		v, err := From(kv[i+1])
		if err != nil {
			panic(fmt.Sprintf("sexpr.Plist: %s: %v", key, err))
		}
		out[i], out[i+1] = Key(key), v
	}
	return ListOf(out...)
}

// At returns v with another position.
func (v Value) At(p Pos) Value { v.pos = p; return v }

// Kind reports which sort of datum v is.
func (v Value) Kind() Kind { return v.kind }

// Pos reports where v began in its source.
func (v Value) Pos() Pos { return v.pos }

// Text returns the characters of a string, or the name of a keyword or symbol;
// "" for the other kinds.
func (v Value) Text() string { return v.text }

// Int returns the value of an Int, and 0 for every other kind.
func (v Value) Int() int64 {
	if v.kind != Int {
		return 0
	}
	return int64(v.num)
}

// Float returns the value of a Float, and 0 for every other kind.
func (v Value) Float() float64 {
	if v.kind != Float {
		return 0
	}
	return math.Float64frombits(v.num)
}

// Items returns the elements of a list, and nil for every other kind.
func (v Value) Items() []Value { return v.list }

// Len returns the number of elements of a list, and 0 for every other kind.
func (v Value) Len() int { return len(v.list) }

// IsNil reports whether v is the empty list.
func (v Value) IsNil() bool { return v.kind == List && len(v.list) == 0 }

// IsSym reports whether v is the symbol of this name.
func (v Value) IsSym(name string) bool { return v.kind == Symbol && v.text == name }

// IsKey reports whether v is the keyword of this name.
func (v Value) IsKey(name string) bool { return v.kind == Keyword && v.text == name }

// IsPlist reports whether v is a non-empty list that starts with a keyword.
// Canonical form requires it to be a well-formed property list.
func (v Value) IsPlist() bool { return v.kind == List && len(v.list) > 0 && v.list[0].kind == Keyword }

// IsObject reports whether v represents a JSON object: a plist, or {}.
func (v Value) IsObject() bool { return v.IsPlist() || v.IsSym("{}") }

// Get looks key up in a plist: the value after the first keyword of this name
// at an even place. It returns false if v is not a plist.
func (v Value) Get(key string) (Value, bool) {
	if !v.IsPlist() {
		return Value{}, false
	}
	for i := 0; i+1 < len(v.list); i += 2 {
		if v.list[i].kind == Keyword && v.list[i].text == key {
			return v.list[i+1], true
		}
	}
	return Value{}, false
}

// GetText returns the text of the string under key, or "".
func (v Value) GetText(key string) string {
	x, _ := v.Get(key)
	if x.kind != String {
		return ""
	}
	return x.text
}

// GetInt returns the integer under key, or 0.
func (v Value) GetInt(key string) int64 {
	x, _ := v.Get(key)
	return x.Int()
}

// GetTrue reports whether the value under key is t.
func (v Value) GetTrue(key string) bool {
	x, _ := v.Get(key)
	return x.IsSym("t")
}

// With returns the plist v with key set to val: in place of its old value, or
// at the end. {} and nil count as the empty plist.
func (v Value) With(key string, val Value) Value {
	if !v.IsPlist() {
		return ListOf(Key(key), val).At(v.pos)
	}
	out := make([]Value, len(v.list), len(v.list)+2)
	copy(out, v.list)
	for i := 0; i+1 < len(out); i += 2 {
		if out[i].kind == Keyword && out[i].text == key {
			out[i+1] = val
			return ListOf(out...).At(v.pos)
		}
	}
	return ListOf(append(out, Key(key), val)...).At(v.pos)
}

// Clone returns a copy of v that shares no memory with the text it was read from: a
// small part of a long text can be kept without the rest.
func (v Value) Clone() Value {
	v.text = strings.Clone(v.text)
	if v.list == nil {
		return v
	}
	items := make([]Value, len(v.list))
	for i := range v.list {
		items[i] = v.list[i].Clone()
	}
	v.list = items
	return v
}

// Equal reports whether a and b are the same datum, position aside. The integer
// 1 and the float 1.0 differ, and so do two plists in another order.
func Equal(a, b Value) bool {
	type pair struct{ a, b []Value }
	var room [16]pair // most values need no more
	stack := append(room[:0], pair{[]Value{a}, []Value{b}})
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range p.a {
			a, b := &p.a[i], &p.b[i]
			if a.kind != b.kind || a.num != b.num || a.text != b.text || len(a.list) != len(b.list) {
				return false
			}
			if len(a.list) > 0 {
				stack = append(stack, pair{a.list, b.list})
			}
		}
	}
	return true
}
