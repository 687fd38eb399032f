package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/opencortex-go/cortex/act"
	"github.com/opencortex-go/cortex/adapters/api/client"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/skills"
)

// I1: the rules on a built-in tool say what the engine does. A host's own tool of the name may do anything, so
// the host gets no permit for it.
func TestI1_NoPermitForAToolNamedLikeABuiltinOne(t *testing.T) {
	peek := act.Tool{Schema: &skills.Tool{Name: "peek", Tier: skills.TierAllow, Effect: skills.EffectNone},
		Actuator: act.Func(func(context.Context, act.Call) (act.Receipt, error) { return act.Receipt{State: act.Done}, nil })}
	d := newDaemon(t, func(o *cortex.Options) { o.Tools = append(o.Tools, peek) })
	for name, args := range map[string]string{"peek": `{}`, "reply": `{"text":"hello"}`, "Reply": `{"text":"hello"}`,
		skills.AskPersonTool: `{"kind":"confirm","question":"Sure?"}`} {
		q := client.Request{Session: "s1", Host: "test", Tool: name, Args: json.RawMessage(args)}
		_, err := d.Judge(t.Context(), q)
		var no *client.Refused
		require.ErrorAs(t, err, &no, name)
		assert.Equal(t, http.StatusBadRequest, no.Status)
		assert.Contains(t, no.Text, "another name", name)
		r, err := d.Decide(t.Context(), q)
		require.NoError(t, err)
		begin := map[string]any{"session": map[string]string{"id": "s1", "host": "test"}, "record": r.Record}
		if r.Kind == "allow" {
			assert.Contains(t, d.ask(http.MethodPost, "begin", begin), "another name", name)
		}
	}
	open, err := d.engine.Hosts().Open("host/test/s1")
	require.NoError(t, err)
	assert.Empty(t, open)
}

// I1: rules find a tool and its arguments in any case. A host that takes them by their exact names must not run
// what was judged as another call.
func TestI1_WhatRulesReadInAnotherCaseIsNotRunAsItIs(t *testing.T) {
	d := newDaemon(t)
	for _, name := range []string{"Edit", "EDIT"} {
		_, err := d.Judge(t.Context(), client.Request{Session: "s1", Host: "test", Tool: name, Args: json.RawMessage(`{"path":"a"}`)})
		require.ErrorContains(t, err, `the rules know no tool "`+name+`"`)
	}
	_, err := d.Judge(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "PUSH", Args: json.RawMessage(`{"branch":"m"}`)})
	require.ErrorContains(t, err, "another name")
	for a, err := range d.engine.Pending(t.Context()) {
		t.Error("people are asked about what cannot run", a, err)
	}
	for _, args := range []string{`{"Path":"a"}`, `{"path":"x"}`} {
		r := d.judge("edit", args, 0)
		assert.Equal(t, "allow", r.Kind)
		assert.True(t, r.Rewritten, args)
		d.finish(r, `"ok"`)
	}
	r, err := d.Decide(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "edit", Args: json.RawMessage(`{"PATH":"a"}`)})
	require.NoError(t, err)
	begin := map[string]any{"session": map[string]string{"id": "s1", "host": "test"}, "record": r.Record}
	assert.Contains(t, d.ask(http.MethodPost, "begin", begin), `"rewritten":true`)
	r, err = d.Decide(t.Context(), client.Request{Session: "s1", Host: "test", Tool: "eDit", Args: json.RawMessage(`{"path":"a"}`)})
	require.NoError(t, err)
	begin["record"] = r.Record
	assert.Contains(t, d.ask(http.MethodPost, "begin", begin), "another name")
	r = d.judge("edit", `{"path":"a"}`, 0)
	assert.False(t, r.Rewritten, "as it was put")
}
