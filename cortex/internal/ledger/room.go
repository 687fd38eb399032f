package ledger

import (
	"errors"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/record"
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
	prefix := record.Key(record.TableDoing, session)
	err := record.Scan(r, []byte{record.TableDoing}, func(k, v []byte) error {
		d, err := doingFrom(v)
		if err == nil && l.doubtful(d) {
			all++
			if len(k) > len(prefix) && string(k[:len(prefix)]) == string(prefix) {
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

// crowded is the reason for a refusal because of a cap.
func crowded(err *admission.BusyError) *skills.Reason {
	return &skills.Reason{Key: KeyBusy, Text: err.Error(), Retryable: true}
}

// noCard returns why there can be no card for a decision that asks, or nil. One
// that is open already can be joined, and one that is replaced leaves its place,
// unless the record has said that even so there is none.
func (l *Ledger) noCard(d *record.Decision, q Question) (full *admission.BusyError, err error) {
	if q.Instead != nil && !q.crowded {
		return nil, nil
	}
	open, err := l.J.Get(record.Key(record.TableGrant, q.Facts.Session.ID, q.Requester, d.Action.Digest()))
	if err != nil || open != nil {
		return nil, err
	}
	err = l.roomForCard(l.J, q.Facts.Session.ID, q.Requester)
	if errors.As(err, &full) {
		return full, nil
	}
	return nil, err
}
