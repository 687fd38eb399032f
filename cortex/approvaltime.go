package cortex

import "time"

// birthOf is when an approval was made.
func birthOf(a *Approval) birth { return birth{a.Boot, time.Duration(a.Up), a.Era} }

// over reports whether an approval is past its time, by either clock, whatever
// has become of it.
func (l *mainLedger) over(a *Approval) bool {
	return l.clock.passed(birthOf(a), time.Unix(a.Expires, 0), time.Duration(a.Expires-a.Created)*time.Second)
}

// inTime reports whether an approval may be given, or used, at this time.
func (l *mainLedger) inTime(a *Approval) bool { return !l.over(a) && !l.clock.frozen(birthOf(a)) }
