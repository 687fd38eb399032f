package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/runs/event"
	"github.com/opencortex-go/cortex/runs/fold"
	"github.com/opencortex-go/cortex/runs/tools"
	"github.com/opencortex-go/cortex/sexpr"
)

// export gathers what goes into a bundle, segment by segment.
type export struct {
	logs *logs.Logs
	out  Session
	log  fold.State
	cuts []Segment
	all  []*event.Event
	// secrets are those that marks stand for, by what they are: equal ones have the same mark, and two have two.
	secrets map[string]string
}

// Export reads the log of a run. It writes nothing. Of a log that is not sound the bundle has what
// is before the damage, and says so; if that is nothing, the error is a [tools.SessionNotHealthy].
// at is the time that the bundle bears.
func Export(ctx context.Context, l *logs.Logs, session event.SessionID, by Producer, at time.Time) (*Bundle, error) {
	got, err := l.Read(ctx, string(session))
	if err != nil {
		return nil, err
	}
	if got.Head.Family != event.Family {
		return nil, fmt.Errorf("log %s is of family %q, and no run: %w", session, got.Head.Family, logs.ErrNoLog)
	}
	x := &export{logs: l, out: Session{ID: session}, secrets: map[string]string{}}
	why := got.Health.Err
	if got.Health.Condition != logs.Healthy {
		x.out.Damage = &Damage{got.Health.Condition, got.Health.Fault, got.Health.Index}
	}
	for _, a := range got.Appends {
		if err := x.segment(a, got.Events[a.First:a.Last+1]); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			x.out.Damage, why = &Damage{logs.CorruptTail, logs.Malformed, a.First}, err
			break
		}
	}
	if len(x.all) == 0 {
		return nil, tools.Failed(tools.SessionNotHealthy, "nothing of the log is sound", "").Because(why)
	}
	return x.bundle(by, at)
}

// segment takes what one append entered, whole or not at all.
func (x *export) segment(a logs.Append, list []logs.Event) error {
	p := &outward{x: x, pins: map[string]bool{}, snapshots: map[event.Digest]json.RawMessage{},
		plans: map[event.Digest]json.RawMessage{}, replies: map[event.Digest]json.RawMessage{},
		artifacts: map[event.Digest]Artifact{}}
	for _, pin := range a.Pins {
		p.pins[pin.Content.String()] = true
	}
	var events []*event.Event
	var lines []json.RawMessage
	for _, in := range list {
		in.Data, in.Scope = x.masked(in.Data), x.masked(in.Scope)
		e, err := event.Decode([]byte(masked(in.Line(string(x.out.ID), record.EventsVersion))))
		if err == nil {
			err = p.event(e)
		}
		if err == nil {
			err = x.log.Apply(e)
		}
		if err != nil {
			return err
		}
		line, err := canon.Of(e)
		if err != nil {
			return err
		}
		events, lines = append(events, e), append(lines, line)
	}
	x.all, x.out.Events = append(x.all, events...), append(x.out.Events, lines...)
	x.cuts = append(x.cuts, Segment{First: a.First, Last: a.Last, Over: a.Over, Held: a.Held})
	x.out.Snapshots, x.out.Plans = merged(x.out.Snapshots, p.snapshots), merged(x.out.Plans, p.plans)
	x.out.Replies, x.out.Artifacts = merged(x.out.Replies, p.replies), merged(x.out.Artifacts, p.artifacts)
	return nil
}

// masked puts marks in place of tickets and secrets.
func (x *export) masked(text string) string { return masked(x.withoutSecrets(text)) }

func (x *export) withoutSecrets(text string) string {
	if text == "" {
		return text
	}
	return x.logs.Masked(string(x.out.ID), text, func(secret string) string {
		if x.secrets[secret] == "" {
			x.secrets[secret] = fmt.Sprintf("[secret %d]", len(x.secrets)+1)
		}
		return x.secrets[secret]
	})
}

func merged[V any](into, more map[event.Digest]V) map[event.Digest]V {
	if into == nil {
		return more
	}
	maps.Copy(into, more)
	return into
}

// bundle makes the bundle of what was gathered.
func (x *export) bundle(by Producer, at time.Time) (*Bundle, error) {
	b := &Bundle{Version: Version, ExportedAt: stamp(at), Producer: by, Session: x.out, events: x.all}
	var err error
	if b.Session.Manifest, err = manifest(x.out.ID, x.all, x.cuts); err != nil {
		return nil, err
	}
	return b, b.seal()
}

// seal lists the values of the session, and names the bundle after them.
func (b *Bundle) seal() (err error) {
	if b.Integrity, err = b.Session.listed(); err != nil {
		return err
	}
	text, err := canon.Of(b.Integrity)
	sum := canon.Digest(text)
	b.ID = fmt.Sprintf("bundle_%x", sum[:16])
	return err
}

// outward is a segment that is being exported: its events as a bundle has them, and what they
// rest on.
type outward struct {
	x         *export
	pins      map[string]bool
	snapshots map[event.Digest]json.RawMessage
	plans     map[event.Digest]json.RawMessage
	replies   map[event.Digest]json.RawMessage
	artifacts map[event.Digest]Artifact
}

// event makes of an event on record what stands in a bundle.
func (p *outward) event(e *event.Event) (err error) {
	switch d := e.Data.(type) {
	case *event.RunStarted:
		d.SourceRef = withoutRoot(d.SourceRef)
		var plan string
		if plan, err = p.pinned(d.Hash); err == nil { // a plan is as its author wrote it, but for secrets: the hash names it
			plan = p.x.withoutSecrets(plan)
			d.Hash = event.DigestOf([]byte(plan))
			err = put(p.plans, d.Hash, plan)
		}
	case *event.NodeCreated:
		if d.Snapshot, err = p.json(p.snapshots, d.Snapshot); err == nil && d.Reply != "" {
			d.Reply, err = p.json(p.replies, d.Reply)
		}
	case *event.AdvanceRecorded:
		if d.Reply != "" {
			d.Reply, err = p.json(p.replies, d.Reply)
		}
	case *event.NodeOutputAppended:
		err = p.artifact(&d.Payload)
	case *event.ContextSet:
		err = p.context(d)
	case *event.ObservationRecorded:
		d.Value = hidden(d.Value)
		e.Dedupe = event.Key(e.Session, e.Scope, d)
	case *event.SessionCreated, *event.EdgeCreated, *event.ValidationPerformed, *event.PreferencesChanged,
		*event.CapabilityObserved, *event.GapRecorded, *event.DivergenceRecorded, *event.DecisionTraceAppended:
	}
	return err
}

// pinned reads content that the segment pins.
func (p *outward) pinned(of event.Digest) (string, error) {
	if !p.pins[string(of)] {
		return "", fmt.Errorf("%s is not pinned", of)
	}
	digest, err := sexpr.ParseDigest(string(of))
	if err != nil {
		return "", err
	}
	_, data, err := p.x.logs.Content(digest)
	return data, err
}

// put puts content that is canonical JSON.
func put(into map[event.Digest]json.RawMessage, of event.Digest, data string) error {
	text, err := canon.JSON([]byte(data))
	if err == nil && string(text) != data {
		err = fmt.Errorf("%s is not canonical JSON", of)
	}
	into[of] = json.RawMessage(text)
	return err
}

// json puts content that is canonical JSON and may quote a ticket, and returns its digest.
func (p *outward) json(into map[event.Digest]json.RawMessage, of event.Digest) (event.Digest, error) {
	data, err := p.pinned(of)
	if err != nil {
		return "", err
	}
	data = p.x.masked(data)
	of = event.DigestOf([]byte(data))
	return of, put(into, of, data)
}

func (p *outward) artifact(of *event.Payload) error {
	if of.SHA256 == "" {
		return nil
	}
	data, err := p.pinned(of.SHA256)
	if err != nil {
		return err
	}
	data = p.x.masked(data)
	of.SHA256, of.Bytes = event.DigestOf([]byte(data)), int64(len(data))
	p.artifacts[of.SHA256] = artifactOf(data)
	return nil
}

func (p *outward) context(d *event.ContextSet) error {
	if d.Ref != "" {
		data, err := p.pinned(d.Ref)
		if err != nil {
			return err
		}
		d.Text = event.MapText(p.x.masked(data))
	}
	d.Ref, d.Sources = "", nil
	return nil
}
