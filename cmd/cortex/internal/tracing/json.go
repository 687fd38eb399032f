package tracing

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/cortex/traces"
	"github.com/opencortex-go/cortex/sexpr"
)

// inJSON is a trace for programs.
func inJSON(t *traces.Trace) map[string]any {
	var thoughts, calls, answers []map[string]any
	for _, x := range t.Thoughts {
		thoughts = append(thoughts, map[string]any{"record": x.Seq, "provider": x.Provider, "model": x.Model,
			"asked": saidJSON(x.Prompt), "answered": saidJSON(x.Answer), "tokens_in": x.TokensIn, "tokens_out": x.TokensOut,
			"cost": x.Cost, "took_ms": ms(int64(x.Took)), "error": x.Error})
	}
	for _, c := range t.Calls {
		calls = append(calls, callJSON(c))
	}
	for _, a := range t.Answers {
		answers = append(answers, map[string]any{"text": a.Text, "notice": a.Notice, "approval": a.Approval,
			"error": a.Error})
	}
	u := t.Usage()
	return map[string]any{"signal": t.Root, "trace": hex.EncodeToString(t.ID[:]), "session": t.Session,
		"at": time.Unix(0, t.Begun.At).UTC().Format(time.RFC3339Nano), "text": t.Signal.Text, "thoughts": thoughts,
		"decisions": calls, "answers": answers, "cost": u.Cost, "tokens_in": u.TokensIn, "tokens_out": u.TokensOut,
		"took_ms": ms(t.End() - t.Begun.At)}
}

func saidJSON(s record.Said) map[string]any {
	out := map[string]any{"digest": s.Digest.String(), "bytes": s.Bytes}
	if s.Text != "" {
		out["messages"] = json.RawMessage(s.Text)
	}
	return out
}

func callJSON(c *traces.Call) map[string]any {
	out := map[string]any{"record": c.ID, "decision": c.Kind.String(), "key": c.Key, "elapsed_ms": ms(int64(c.Elapsed))}
	if c.Thought != nil {
		out["thought"] = c.Thought.Seq
	}
	if c.Step != (record.Step{}) {
		out["step"] = map[string]any{"id": c.Step.ID, "try": c.Step.Try}
	}
	if c.Action != nil {
		out["tool"] = c.Action.Tool()
		if args, err := sexpr.ToJSON(c.Action.Args()); err == nil {
			out["args"] = json.RawMessage(args)
		}
	}
	var waits, runs []map[string]any
	for _, w := range c.Waits {
		waits = append(waits, map[string]any{"record": w.Seq, "state": w.State, "waited_ms": ms(w.Ended - w.Created)})
	}
	for _, r := range c.Runs {
		run := map[string]any{"intent": r.Seq, "tool": r.Tool}
		if r.Receipt != nil {
			run["state"], run["took_ms"], run["text"], run["error"] = r.Receipt.State, ms(r.Ended-r.At), r.Receipt.Text,
				r.Receipt.Error
		}
		runs = append(runs, run)
	}
	out["approvals"], out["runs"] = waits, runs
	return out
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
