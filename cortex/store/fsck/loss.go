package fsck

import (
	"context"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// mend finds what is nowhere, of so many commits, and what is to be written for it.
func (s *salvage) mend(ctx context.Context, claim, torn uint64) (l Loss, err error) {
	l = s.loss(claim, torn)
	m, newest := journal.NewMending(), max(s.x.log.newest, s.x.tables.head)
	if err := s.each(ctx, func(w journal.Write) error {
		m.Add(w)
		if head, ok := journal.HeadIn(w); ok {
			newest = max(newest, head)
		}
		return nil
	}); err != nil {
		return l, err
	}
	writes, lost, err := m.Finish(max(newest, m.Newest()), l.Commits > 0, time.Now())
	for _, w := range writes {
		s.state.put(w)
	}
	s.mending, l.Lost = writes, s.ofKinds(lost, m)
	for _, r := range l.Lost {
		l.Records += r.To - r.From + 1
	}
	return l, err
}

// ofKinds divides what is lost by the kind of the records, as far as it can be read in what
// is left of them, and is one that others have.
func (s *salvage) ofKinds(lost []journal.Lost, m *journal.Mending) (out []journal.Lost) {
	for _, l := range lost {
		for seq := l.From; seq <= l.To; seq++ {
			kind := s.kinds[seq]
			if !m.Has(kind) {
				kind = ""
			}
			if n := len(out); n > 0 && out[n-1].To+1 == seq && out[n-1].Kind == kind {
				out[n-1].To = seq
				continue
			}
			out = append(out, journal.Lost{From: seq, To: seq, Kind: kind})
		}
	}
	return out
}

// reach is the newest commit of which anything is left.
func (s *salvage) reach() wal.Mark {
	if n := len(s.frames); n > 0 && s.frames[n-1].Seq > s.at.Seq {
		return s.frames[n-1].Mark
	}
	return s.at
}

// loss counts what is nowhere: of claim commits, whatever was in the tables as far as
// these cannot be read whole.
func (s *salvage) loss(claim, torn uint64) (l Loss) {
	whole := s.complete && !slices.ContainsFunc(s.parts, func(p *wreck) bool { return len(p.gaps) > 0 })
	from := uint64(0)
	if whole {
		from = s.at.Seq
	} else if s.base != nil {
		from = s.base.At.Seq
		if !s.whole {
			l.Commits, l.AtLeast = 1, true
		}
	}
	there := uint64(0)
	for _, f := range s.frames {
		if f.Seq > from && f.Seq <= claim {
			there++
		}
	}
	l.Commits += claim - min(claim, from) - there
	if torn > 0 && l.Commits > 0 {
		l.Commits--
	}
	l.AtLeast = l.AtLeast || s.x.log.newestIn < claim
	return l
}
