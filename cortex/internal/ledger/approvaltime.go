package ledger

import (
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/clock"
)

// BirthOf is when an approval was made.
func BirthOf(a *approval.Approval) clock.Birth {
	return clock.Birth{Boot: a.Boot, Up: time.Duration(a.Up), Era: a.Era}
}

// over reports whether an approval is past its time, by either clock, whatever
// has become of it.
func (l *Ledger) over(a *approval.Approval) bool {
	return l.Clock.Passed(BirthOf(a), time.Unix(a.Expires, 0), time.Duration(a.Expires-a.Created)*time.Second)
}

// InTime reports whether an approval may be given, or used, at this time.
func (l *Ledger) InTime(a *approval.Approval) bool { return !l.over(a) && !l.Clock.Frozen(BirthOf(a)) }
