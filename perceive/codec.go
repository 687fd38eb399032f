package perceive

import (
	"github.com/opencortex-go/cortex/internal/plist"
	"github.com/opencortex-go/cortex/sexpr"
)

// Value returns the signal as it is stored in records.
func (s Signal) Value() sexpr.Value {
	var b plist.Builder
	b.Text("type", s.Type)
	b.Text("key", s.Key)
	b.Text("sensor", s.Sensor)
	b.Text("source", s.Source)
	b.Text("principal", s.Principal)
	plist.Each(&b, "roles", s.Roles, sexpr.Str)
	b.Text("session", s.Session)
	b.Text("text", s.Text)
	b.Value("payload", s.Payload)
	b.Int("depth", int64(s.Depth))
	b.Int("root", int64(s.Root))
	return b.Done()
}

// DecodeSignal reads a value made by [Signal.Value]. Use it only for records;
// messages from a connection go through [Normalise].
func DecodeSignal(v sexpr.Value) (Signal, error) {
	r := plist.NewReader(v, "signal")
	s := Signal{
		Type: r.Text("type"), Key: r.Text("key"), Sensor: r.Text("sensor"),
		Source: r.Text("source"), Principal: r.Text("principal"), Roles: r.Texts("roles"),
		Session: r.Text("session"), Text: r.Text("text"), Payload: r.Value("payload"),
		Depth: r.Small("depth"), Root: r.Seq("root"),
	}
	return s, r.Err()
}
