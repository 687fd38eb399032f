package fsck

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store/internal/guard"
	"github.com/opencortex-go/cortex/cortex/store/internal/wal"
)

// walk calls put with each write that the log has, and done behind those of each
// commit. It returns the last one, and what keeps it from going on; without whole
// that is its beginning.
func (l *logReading) walk(ctx context.Context, put func(journal.Write) error,
	done func(wal.Mark) error) (last wal.Place,
	whole bool, broken *Fault, err error) {
	start := l.start()
	i := len(l.segs) - 1
	for i >= 0 && l.segs[i].Newest().Before.Seq > start.Seq {
		i--
	}
	if i < 0 || l.baseless {
		return last, false, &Fault{File: l.segs[0].Path, Commit: start.Seq + 1,
			Text: fmt.Sprintf("the log begins with commit %d", l.segs[0].Newest().Before.Seq+1)}, nil
	}
	if l.base != nil {
		err := l.base.Read(l.fs, func(w journal.Write) error { return errors.Join(put(w), context.Cause(ctx)) })
		if ctx.Err() != nil {
			return last, false, nil, err
		}
		if err != nil {
			f := asFault(err, Fault{File: l.base.Path, Commit: start.Seq})
			return last, false, &f, nil
		}
	}
	if err := done(start); err != nil {
		return last, false, nil, err
	}
	last, broken, err = l.frames(ctx, i, l.segs[i].Start(), start, put, done)
	if broken == nil && last.Seq < start.Seq {
		broken = &Fault{File: l.segs[len(l.segs)-1].Path, Offset: last.End, Commit: last.Seq + 1,
			Text: fmt.Sprintf("what stands there is not a whole commit, and the base is of commit %d", start.Seq)}
	}
	return last, last.Seq >= start.Seq, broken, err
}

// frames is walk for the frames behind from, in the segments from the ith on. Those up
// to start are known.
func (l *logReading) frames(ctx context.Context, i int, from wal.Place, start wal.Mark, put func(journal.Write) error,
	done func(wal.Mark) error) (last wal.Place, broken *Fault, err error) {
	last = from
	var own error // of put or done
	for n, s := range l.segs[i:] {
		if n > 0 {
			if last.Mark != s.Newest().Before {
				return last, &Fault{File: l.segs[i+n-1].Path, Offset: last.End, Commit: last.Seq + 1,
					Text: "what stands there is not a whole commit"}, nil
			}
			last = s.Start()
		}
		last, err = s.Scan(l.fs, last, func(payload []byte, at wal.Place) error {
			if own = context.Cause(ctx); own != nil || at.Seq < start.Seq {
				return own
			}
			if at.Seq == start.Seq {
				if at.Hash != start.Hash {
					return &guard.Damage{File: s.Path, Offset: at.End, Frame: at.Seq,
						Text: "the base has another commit of this number"}
				}
				return nil
			}
			if own = wal.EachWrite(payload, put); own == nil && done != nil {
				own = done(at.Mark)
			}
			return own
		})
		if own != nil {
			return last, nil, own
		}
		if err != nil {
			f := asFault(err, Fault{File: s.Path, Offset: last.End, Commit: last.Seq + 1})
			return last, &f, nil
		}
	}
	return last, nil, nil
}
