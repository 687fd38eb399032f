package fsck

import (
	"context"
	"fmt"
)

// judge decides which place is to be believed, and what neither has.
func (x *examination) judge() {
	t, l := &x.tables, &x.log
	claim := max(l.claim, t.applied.Seq)
	x.report.Commits, x.report.Torn = claim, l.torn
	if l.whole { // it is the record; the tables follow
		x.source, x.reach, x.state = inLog, l.last.Mark, l.state
	}
	if t.fault == nil && (x.source == "" || l.beyond.Seq > x.reach.Seq) {
		x.source, x.reach, x.state = inTables, l.beyond.Mark, t.state
	}
	if t.fault == nil && l.fault == nil && l.end == nil {
		x.report.Keys = len(x.state)
		return
	}
	lost := claim - min(x.reach.Seq, claim)
	if l.torn > 0 && lost > 0 {
		lost--
	}
	good := ""
	if lost == 0 {
		good = x.source
	}
	x.report.Keys = len(x.state)
	for _, f := range []*Fault{t.fault, l.fault, l.end} {
		if f != nil {
			f.Good = good
			x.report.Faults = append(x.report.Faults, *f)
		}
	}
	if lost > 0 {
		x.report.Loss = Loss{Commits: lost}
		if l.newest > l.heads(x.source) {
			x.report.Loss.Records = l.newest - l.heads(x.source)
		}
		x.report.Loss.AtLeast = l.newestIn < claim
	}
}

// combine takes what there is from both places, where neither has all of it.
func (x *examination) combine(ctx context.Context) (err error) {
	s, err := newSalvage(ctx, x)
	if err != nil || x.source != "" && !x.report.Loss.some() && s.reach().Seq <= x.reach.Seq {
		return err // one place has all of it
	}
	if len(x.report.Faults) == 0 {
		x.report.Faults = []Fault{{File: x.dir, Commit: s.at.Seq,
			Text: fmt.Sprintf("there are tables of commit %d, and the list of the tables that count ends before", s.at.Seq)}}
	}
	x.report.Torn = 0
	x.salvage = s
	claim := x.report.Commits
	for _, f := range s.frames {
		claim = max(claim, f.Seq)
	}
	x.report.Commits = claim
	if n := len(x.log.segs); n > 0 {
		if head := x.log.segs[n-1].Newest(); head.Tail.Seq == s.reach().Seq+1 && !head.Closed && claim == head.Tail.Seq {
			x.report.Torn = claim
		}
	}
	if x.report.Loss, err = s.mend(ctx, claim, x.report.Torn); err != nil {
		return err
	}
	x.source, x.reach, x.state, x.report.Keys = inBoth, s.reach(), s.state, len(s.state)
	good := ""
	if !x.report.Loss.some() {
		good = inBoth
	}
	for i := range x.report.Faults {
		x.report.Faults[i].Good = good
	}
	return nil
}
