package act

import (
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
)

// The sensors of feedback.
const (
	SensorOutput = "tool-output"
	SensorError  = "tool-error"
)

// Feedback returns the signal that reports an action's result to the model, one
// level deeper than cause and on the same behalf. cause.Root must be filled in, as
// the engine does for a recorded signal. For a silent tool it returns false
// (row 77).
//
// The receipt must have been recorded. Its text is untrusted data from a tool: it
// goes into the payload, never into the signal's Text.
func (r *Registry) Feedback(cause perceive.Signal, tool string, rc Receipt) (perceive.Signal, bool) {
	if t, err := r.Find(tool); err == nil && t.Silent {
		return perceive.Signal{}, false
	}
	s := cause
	s.Type, s.Key, s.Text = "event", "", ""
	s.Depth++
	if rc.State == Done {
		s.Sensor = SensorOutput
		s.Payload = sexpr.Plist("sensor", sexpr.Key(s.Sensor), "tool", sexpr.Str(tool),
			"result", sexpr.Plist("status", sexpr.Key("success"), "content", sexpr.Str(rc.Show(tool))))
		return s, true
	}
	s.Sensor = SensorError
	s.Payload = sexpr.Plist("sensor", sexpr.Key(s.Sensor), "tool", sexpr.Str(tool),
		"state", sexpr.Key(string(rc.State)), "message", sexpr.Str(rc.message()))
	return s, true
}
