package ledger

import (
	"errors"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// roomForCard reports whether one more approval may be open.
func (l *Ledger) roomForCard(r record.Reader, session, requester string) error {
	caps := l.Opt.Caps
	most := [3]admission.BusyError{
		{What: "approvals", Of: "session", Cap: caps.SessionApprovals},
		{What: "approvals", Cap: caps.Approvals},
		{What: "approvals", Of: "principal", Cap: caps.PrincipalApprovals},
	}
	for i, k := range approval.OpenCounts(session, requester) {
		n, err := r.Get(k)
		if err != nil {
			return err
		}
		if int(record.AsNumber(n)) >= most[i].Cap {
			return &most[i]
		}
	}
	return nil
}

// KeepsUp reports whether the record keeps up with what is written to it.
func (l *Ledger) KeepsUp() error {
	if l.J.Waiting() >= l.Opt.Caps.Lag {
		return &admission.BusyError{What: "lag", Of: "", Cap: l.Opt.Caps.Lag}
	}
	return nil
}

// roomForDoubt reports whether one more effect may begin, which may come to be in
// doubt.
func (l *Ledger) roomForDoubt(r record.Reader, session string) error {
	caps, all, own := l.Opt.Caps, 0, 0
	err := record.TableDoing.Scan(r, func(in string, _ sexpr.Digest, _ uint64, v []byte) error {
		d, err := doingFrom(v)
		if err == nil && l.doubtful(d) {
			all++
			if in == session {
				own++
			}
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case all >= caps.Doubts:
		return &admission.BusyError{What: "doubts", Of: "", Cap: caps.Doubts}
	case own >= caps.SessionDoubts:
		return &admission.BusyError{What: "doubts", Of: "session", Cap: caps.SessionDoubts}
	}
	return nil
}

// unasked returns why people are not asked, although a decision asks, or nil.
func (l *Ledger) unasked(d *record.Decision, q Question) (*skills.Reason, error) {
	over, err := l.exhausted(d.Action.Digest(), q)
	if err != nil {
		return nil, err
	}
	if over {
		return &skills.Reason{Key: KeyCards,
			Text: "people have been asked about this several times; it is not asked again"}, nil
	}
	open, err := l.J.Get(record.TableGrant.Key(q.Facts.Session.ID, q.Requester, d.Action.Digest()))
	if err != nil {
		return nil, err
	}
	if open != nil {
		a, err := approval.Load(l.J, string(open))
		if err != nil {
			return nil, err
		}
		if l.InTime(a) && !l.Expired(a) && promised(a, q.Step().Root) {
			return &skills.Reason{Key: KeyBusy, Text: "a run is about to do the same; propose it again later",
				Retryable: true}, nil
		}
	}
	full, err := l.noCard(d, q)
	if err != nil || full == nil {
		return nil, err
	}
	return &skills.Reason{Key: KeyBusy, Text: full.Error(), Retryable: true}, nil
}

// promised reports whether a card is a grant for a run other than the one with this root, which is
// about to use it. No other card takes its place.
func promised(a *approval.Approval, root uint64) bool {
	return a.Run && a.State == approval.Approved && a.Owner() != root
}

// noCard returns why there can be no card for a decision that asks, or nil. One
// that is open already can be joined, and one that is replaced leaves its place,
// unless the record has said that even so there is none.
func (l *Ledger) noCard(d *record.Decision, q Question) (full *admission.BusyError, err error) {
	if in := q.replaces(); in != nil && !in.crowded {
		return nil, nil
	}
	open, err := l.J.Get(record.TableGrant.Key(q.Facts.Session.ID, q.Requester, d.Action.Digest()))
	if err != nil || open != nil {
		return nil, err
	}
	err = l.roomForCard(l.J, q.Facts.Session.ID, q.Requester)
	if errors.As(err, &full) {
		return full, nil
	}
	return nil, err
}
