package cortex

import (
	"errors"

	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/skills"
)

// roomForCard reports whether one more approval may be open.
func (l *mainLedger) roomForCard(r reader, session, requester string) error {
	caps := l.opt.Caps
	most := [3]BusyError{{"approvals", "session", caps.SessionApprovals}, {"approvals", "", caps.Approvals},
		{"approvals", "principal", caps.PrincipalApprovals}}
	for i, k := range openCounts(session, requester) {
		n, err := r.Get(k)
		if err != nil {
			return err
		}
		if int(asNumber(n)) >= most[i].Cap {
			return &most[i]
		}
	}
	return nil
}

// keepsUp reports whether the record keeps up with what is written to it.
func (l *mainLedger) keepsUp() error {
	if l.j.Waiting() >= l.opt.Caps.Lag {
		return &BusyError{"lag", "", l.opt.Caps.Lag}
	}
	return nil
}

// roomForDoubt reports whether one more effect may begin, which may come to be in
// doubt.
func (l *mainLedger) roomForDoubt(r reader, session string) error {
	caps, all, own := l.opt.Caps, 0, 0
	prefix := key(tableDoing, session)
	err := scan(r, []byte{tableDoing}, func(k, v []byte) error {
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
		return &BusyError{"doubts", "", caps.Doubts}
	case own >= caps.SessionDoubts:
		return &BusyError{"doubts", "session", caps.SessionDoubts}
	}
	return nil
}

// crowded is the reason for a refusal because of a cap.
func crowded(err *BusyError) *skills.Reason {
	return &skills.Reason{Key: keyBusy, Text: err.Error(), Retryable: true}
}

// noCard returns why there can be no card for a decision that asks, or nil. One
// that is open already can be joined, and one that is replaced leaves its place,
// unless the record has said that even so there is none.
func (l *mainLedger) noCard(d *reason.Decision, q question) (full *BusyError, err error) {
	if q.instead != nil && !q.crowded {
		return nil, nil
	}
	open, err := l.j.Get(key(tableGrant, q.facts.Session.ID, q.requester, d.Action.Digest()))
	if err != nil || open != nil {
		return nil, err
	}
	err = l.roomForCard(l.j, q.facts.Session.ID, q.requester)
	if errors.As(err, &full) {
		return full, nil
	}
	return nil, err
}
