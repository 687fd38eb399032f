// Package work is the variables of a run. An agent, the host, people and outputs change them by
// [Merge]; [Measure] holds them to their budget; [InLoop] adds what the body of a loop sees.
//
// Every key has a [Source]. Conditions and prompts of a plan see all keys. Gates see only what
// [Visible] gives them: keys that a step declares and that no model wrote.
package work

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// The budgets of work.
const (
	MaxBytes   = 262144 // of its canonical JSON
	MaxDepth   = 64     // of objects and arrays inside each other; work itself is the first
	MaxVisible = 16384  // bytes of canonical JSON that gates see
)

// Method is how sizes are measured, for messages.
const Method = "UTF-8 bytes of the RFC 8785 form"

var reserved = []string{"__proto__", "constructor", "prototype"}

// KeyError is a key that work does not take.
type KeyError struct{ Key string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("context: the key %s is reserved; use another name", e.Key)
}

// BudgetError is work that is too large or too deep.
type BudgetError struct {
	Measured, Max int
	Method        string
	Path          string // where it is too deep; "" if it is too large
}

func (e *BudgetError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("context: too deep at %s: measured %d, max %d, method: %s", e.Path, e.Measured, e.Max, e.Method)
	}
	return fmt.Sprintf("context: measured %d, max %d, method: %s; hand over paths and ids in place of texts",
		e.Measured, e.Max, e.Method)
}

// Merge lays delta over work: null deletes a key, everything else replaces its value whole. The
// keys of delta come from that source now. Neither argument changes. A delta that is not an object,
// or has a reserved key, is an error.
func Merge(work sexpr.Value, sources Sources, delta sexpr.Value, from Source) (sexpr.Value, Sources, error) {
	if !delta.IsObject() {
		return work, sources, fmt.Errorf("context: found %s, expected an object", delta.Kind())
	}
	next := maps.Clone(sources)
	if next == nil {
		next = Sources{}
	}
	changed := map[string]sexpr.Value{}
	var order []string
	for key, v := range Members(delta) {
		if slices.Contains(reserved, key) {
			return work, sources, &KeyError{key}
		}
		if v.IsSym("null") {
			delete(next, key)
		} else {
			next[key] = from
		}
		changed[key] = v
		order = append(order, key)
	}
	var items []sexpr.Value
	add := func(key string, v sexpr.Value) {
		if !v.IsSym("null") {
			items = append(items, sexpr.Key(key), v)
		}
	}
	for key, v := range Members(work) {
		if w, ok := changed[key]; ok {
			v = w
			delete(changed, key)
		}
		add(key, v)
	}
	for _, key := range order {
		if v, ok := changed[key]; ok {
			add(key, v)
		}
	}
	if len(items) == 0 {
		return sexpr.EmptyObject(), next, nil
	}
	return sexpr.ListOf(items...), next, nil
}

// Members are the keys and values of an object, in order.
func Members(v sexpr.Value) func(yield func(string, sexpr.Value) bool) {
	return func(yield func(string, sexpr.Value) bool) {
		if !v.IsPlist() {
			return
		}
		items := v.Items()
		for i := 0; i+1 < len(items); i += 2 {
			if !yield(items[i].Text(), items[i+1]) {
				return
			}
		}
	}
}

// Measure returns work as canonical JSON, or a *[BudgetError].
func Measure(work sexpr.Value) ([]byte, error) {
	if path, deep := tooDeep(work, MaxDepth); deep {
		return nil, &BudgetError{Measured: MaxDepth + 1, Max: MaxDepth, Path: path,
			Method: "objects and arrays inside each other"}
	}
	text, err := canonical(work)
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, &BudgetError{Measured: len(text), Max: MaxBytes, Method: Method}
	}
	return text, nil
}

func canonical(v sexpr.Value) ([]byte, error) {
	text, err := sexpr.ToJSON(v)
	if err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	return canon.JSON(text)
}

// tooDeep finds what lies deeper than left levels. It goes no deeper than that.
func tooDeep(v sexpr.Value, left int) (string, bool) {
	if v.Kind() != sexpr.List && !v.IsObject() || v.IsNil() {
		return "", false
	}
	if left == 0 {
		return "$", true
	}
	if v.IsObject() {
		for key, m := range Members(v) {
			if path, deep := tooDeep(m, left-1); deep {
				return "$." + key + path[1:], true
			}
		}
		return "", false
	}
	for i, item := range v.Items() {
		if path, deep := tooDeep(item, left-1); deep {
			return fmt.Sprintf("$[%d]%s", i, path[1:]), true
		}
	}
	return "", false
}
