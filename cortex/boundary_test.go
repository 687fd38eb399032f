package cortex_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/sexpr"
)

var noTransfers = fstest.MapFS{"bank.lisp": {Data: []byte(`
(deftool transfer :params (:amount number) :required (:amount) :tier :deny :effect :external)`)}}

// Anyone who holds an engine is handed its record. If that can be written, a decision that no rule ever
// made is on record, and a recorded allow is all that Begin asks for.
func TestI1_WhatTheEngineHandsOutCannotAppend(t *testing.T) {
	ctx := t.Context()
	eng, err := cortex.Open(ctx, cortex.Options{Rules: noTransfers, Live: true})
	require.NoError(t, err)
	defer eng.Close()
	action, err := cortex.NewAction("transfer", sexpr.Plist("amount", sexpr.Int64(1000)), "")
	require.NoError(t, err)
	denied, err := eng.Decide(ctx, action, nil)
	require.NoError(t, err)
	_, err = eng.Begin(ctx, denied)
	require.ErrorContains(t, err, "tier/transfer")

	type writer interface {
		Update(context.Context, func(*journal.Tx) error) error
	}
	w, can := any(eng.Journal()).(writer)
	if assert.False(t, can, "the record that the engine hands out can be written") {
		return
	}
	rec, err := eng.Journal().Read(denied.ID) // and this is what comes of it
	require.NoError(t, err)
	text := strings.ReplaceAll(rec.Body.String(), ":kind :deny", ":kind :allow")
	body, err := sexpr.Read("forged", strings.ReplaceAll(text, `:kind "deny"`, `:kind "allow"`))
	require.NoError(t, err)
	forged := *denied
	require.NoError(t, w.Update(ctx, func(tx *journal.Tx) error {
		r, err := tx.Append(rec.Kind, rec.Session, body)
		forged.ID = r.Seq
		return err
	}))
	p, err := eng.Begin(ctx, &forged)
	assert.Error(t, err, "a permit for what the rules denied: dry %v", p != nil && p.Dry())
}

// No method of the engine, and of nothing that its methods return, takes or gives what can write.
func TestI1_NoGetterLeadsToTheWriter(t *testing.T) {
	barred := map[reflect.Type]bool{
		reflect.TypeFor[*journal.Journal](): true, reflect.TypeFor[*journal.Tx](): true,
		reflect.TypeFor[journal.Store](): true,
	}
	seen := map[reflect.Type]bool{}
	var look func(path string, x reflect.Type)
	look = func(path string, x reflect.Type) {
		if barred[x] {
			t.Errorf("%s leads to %s", path, x)
			return
		}
		if seen[x] {
			return
		}
		seen[x] = true
		for i := range x.NumMethod() {
			look(path+"."+x.Method(i).Name, x.Method(i).Type)
		}
		switch x.Kind() {
		case reflect.Func:
			for i := range x.NumIn() {
				look(path, x.In(i))
			}
			for i := range x.NumOut() {
				look(path+"()", x.Out(i))
			}
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Array:
			look(path, x.Elem())
		case reflect.Struct:
			for f := range x.NumField() {
				if x.Field(f).IsExported() {
					look(path+"."+x.Field(f).Name, x.Field(f).Type)
				}
			}
		}
	}
	look("Engine", reflect.TypeFor[*cortex.Engine]())
	look("Options", reflect.TypeFor[cortex.Options]())
	require.Greater(t, len(seen), 100, "the walk itself went nowhere")
}
