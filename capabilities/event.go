package capabilities

import (
	"encoding/json"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// family is whose words the events of the runs of capabilities are.
const family = "capability"

// The kinds of event in the log of a run.
const (
	kindStarted = "run_started"
	kindStep    = "step_ended"
	kindBroke   = "making_up"
	kindUndone  = "step_undone"
	kindApplied = "skill_apply"
	kindRepeat  = "repeat"
	kindAwaited = "awaited" // how the Result is told
)

// started begins a run.
type started struct {
	Capability string      `json:"capability"`
	Version    string      `json:"version"`
	Plan       string      `json:"plan"`
	Inputs     sexpr.Value `json:"inputs"`
	Ctx        sexpr.Value `json:"ctx"` // facts.ctx, as the plan was judged with
	Requester  string      `json:"requester"`
	Once       string      `json:"once,omitempty"` // the log of its once-key
	At         int64       `json:"at"`             // Unix seconds
}

// stepEnded says what a step came to.
type stepEnded struct {
	Step     string      `json:"step"`
	State    string      `json:"state"` // "done", "skipped", or as [engine.StepState] has it
	Why      string      `json:"why,omitempty"`
	Decision uint64      `json:"decision,omitempty"`
	Intent   uint64      `json:"intent,omitempty"`
	Receipt  uint64      `json:"receipt,omitempty"`
	Out      sexpr.Value `json:"out"`            // what it gives to work
	Took     int64       `json:"took,omitempty"` // milliseconds
	Cost     float64     `json:"cost,omitempty"` // US dollars
	Tries    int         `json:"tries,omitempty"`
	Nothing  bool        `json:"nothing,omitempty"` // it certainly did not happen
}

// broke says why the run makes up for what it did.
type broke struct {
	Step string `json:"step"`
	Code string `json:"code"`
	Why  string `json:"why"`
}

// undone says what making up for a step came to.
type undone struct {
	Step   string `json:"step"`
	State  string `json:"state"` // "done", "needless", or as [engine.StepState] has it
	Why    string `json:"why,omitempty"`
	Intent uint64 `json:"intent,omitempty"`
}

// applied ends a run. It is the one Result (R22).
type applied struct {
	Status  string      `json:"status"` // "ok", "partial_failure" or "refused"
	Outputs sexpr.Value `json:"outputs"`
	Why     string      `json:"why,omitempty"`
	Took    int64       `json:"took"` // milliseconds of the steps
	Cost    float64     `json:"cost"` // US dollars
}

// repeat says that a start was answered with the outputs of this run.
type repeat struct {
	Call string `json:"call"` // the idempotency key of the start
}

// The statuses of a run that has ended.
const (
	statusOK      = "ok"
	statusPartial = "partial_failure"
	statusRefused = "refused"
)

// entry makes an event. key names it in its log: entered twice, it counts once.
func entry(kind, key string, data any) (logs.Event, error) {
	text, err := canon.Of(data)
	if err != nil {
		return logs.Event{}, err
	}
	id := canon.Digest([]byte(kind + " " + key))
	name := fmt.Sprintf("%s:%x", kind, id[:12])
	return logs.Event{ID: name, Kind: kind, Dedupe: name, Data: string(text)}, nil
}

func decode[T any](e logs.Event) (out T, err error) {
	if err = json.Unmarshal([]byte(e.Data), &out); err != nil {
		err = fmt.Errorf("event %d, %s: %w", e.Index, e.Kind, err)
	}
	return out, err
}
