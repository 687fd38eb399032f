package history

import (
	"slices"

	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// BytesOfCover is about what a cover takes in memory.
const BytesOfCover = 256

// cover is a cover, or the end of one, and its record.
type cover struct {
	seq uint64
	*record.Cover
}

// Covers implements [skills.History].
func (r *Recall) Covers(tool string) (covers []skills.Cover, err error) {
	if r.Own {
		return nil, nil
	}
	err = r.look(func(l *SessionLog) {
		for _, c := range l.coversAt(r.H, r.AsOf, r.First) {
			if c.Cover.Cover.Tool == tool {
				covers = append(covers, c.Cover.Cover)
			}
		}
	})
	return covers, err
}

// Standing is a cover as it stands: its Left is what is left of it.
type Standing struct {
	ID uint64 // its record
	skills.Cover
}

// Covers returns the covers of a session as of record asOf that still cover calls at a time
// in Unix seconds.
func (h *History) Covers(session string, asOf uint64, now int64) (out []Standing, err error) {
	x, err := h.look(session, asOf, false, func(l *SessionLog) {
		for _, c := range l.coversAt(h, asOf, 0) {
			if c.Cover.Cover.Left > 0 && now < c.Cover.Cover.Until {
				out = append(out, Standing{c.seq, c.Cover.Cover})
			}
		}
	})
	if err == nil {
		x.Done()
	}
	return out, err
}

// coversAt returns the covers as of record asOf that were not taken back. Each call of its
// tool and behind it that was allowed has used it, but for that of decision except: so two
// calls do not share the last.
func (l *SessionLog) coversAt(h *History, asOf, except uint64) (out []cover) {
	for _, c := range l.covers {
		switch {
		case c.seq > asOf:
			return out
		case c.Ends != 0:
			out = slices.DeleteFunc(out, func(o cover) bool { return o.seq == c.Ends })
			continue
		}
		left := *c.Cover
		left.Cover.Until += h.shift(c.seq, asOf) // the wall clock was moved
		for _, i := range l.byTool[left.Cover.Tool] {
			if t := &l.turns[i]; t.seq > c.seq && t.seq <= asOf && t.seq != except && t.call.Decision == "allow" {
				left.Cover.Left--
			}
		}
		out = append(out, cover{c.seq, &left})
	}
	return out
}
