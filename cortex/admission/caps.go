package admission

import (
	"cmp"
	"fmt"
)

// Caps bound what an engine holds at a time. The engine refuses what exceeds a cap with a
// [BusyError], before it records anything of it. It drops nothing that it has accepted. 0
// means the default, given in brackets.
type Caps struct {
	// Signals bound the signals that are accepted and not answered: in all (4096), of one
	// session (256) and of one principal (1024). A person's answer to an approval is never
	// refused.
	Signals, SessionSignals, PrincipalSignals int
	// Approvals bound the approvals that are pending, or approved and not used: in all
	// (4096), of one session (64) and of one requester (4096).
	Approvals, SessionApprovals, PrincipalApprovals int
	// Doubts bound the intents in doubt: in all (1024), and of one session (64). Beyond
	// them no effect begins.
	Doubts, SessionDoubts int
	// Lag bounds the writes that wait for the record, in all (1024). Beyond it the engine
	// begins nothing new and finishes what has begun.
	Lag int
	// Memory bounds the bytes that sessions take in memory, in all (128 MiB, or twice
	// SessionMemory or PrincipalMemory if that is more): their histories, what was spent,
	// and signals that wait for their answers, as estimated from their contents. The
	// engine drops histories that are not in use from memory, the least recently used
	// first, and reads them again from the record when it needs them. If what is in use
	// leaves no room, it refuses new work. The caches of the store, rules and models come
	// on top.
	Memory int
	// SessionMemory bounds the bytes of Memory that the history of one session may take
	// (half of Memory): some 100 000 short calls. The engine reads no longer history for
	// new work: it refuses signals that a model would answer, and decisions if a rule
	// looks at the history. It finishes what has begun, which may exceed the cap a little.
	// Waiting does not help such a session: begin another one, or have an operator end it
	// (Operations.EndSession). Decisions whose rules do not look back are never refused
	// because of this cap.
	SessionMemory int
	// PrincipalMemory bounds the bytes of the signals of one principal that wait for their
	// answers (a quarter of Memory). A sender can fill memory with these, and the engine
	// cannot drop them. Histories do not count here: they belong to sessions, in which
	// several principals may speak, and the engine chooses how long they stay.
	PrincipalMemory int
}

// WithDefaults fills in the caps that are 0.
func (c Caps) WithDefaults() Caps {
	c.Signals = cmp.Or(c.Signals, 4096)
	c.SessionSignals = cmp.Or(c.SessionSignals, 256)
	c.PrincipalSignals = cmp.Or(c.PrincipalSignals, 1024)
	c.Approvals = cmp.Or(c.Approvals, 4096)
	c.SessionApprovals = cmp.Or(c.SessionApprovals, 64)
	c.PrincipalApprovals = cmp.Or(c.PrincipalApprovals, 4096)
	c.Doubts = cmp.Or(c.Doubts, 1024)
	c.SessionDoubts = cmp.Or(c.SessionDoubts, 64)
	c.Lag = cmp.Or(c.Lag, 1024)
	c.Memory = cmp.Or(c.Memory, max(128<<20, 2*c.SessionMemory, 2*c.PrincipalMemory))
	c.SessionMemory = cmp.Or(c.SessionMemory, c.Memory/2)
	c.PrincipalMemory = cmp.Or(c.PrincipalMemory, c.Memory/4)
	return c
}

// ToFinish is how many bytes the history of a session may take when the engine continues
// something that it accepted or that people approved: an eighth more than SessionMemory.
func (c Caps) ToFinish() int { return c.SessionMemory + c.SessionMemory/8 }

// Valid returns an error if a cap is negative, or SessionMemory or PrincipalMemory exceeds
// Memory.
func (c Caps) Valid() error {
	if min(c.Signals, c.SessionSignals, c.PrincipalSignals, c.Approvals, c.SessionApprovals, c.PrincipalApprovals,
		c.Doubts, c.SessionDoubts, c.Lag,
		c.Memory, c.SessionMemory, c.PrincipalMemory) < 0 {
		return fmt.Errorf("cortex: Options.Caps holds a negative number: %+v", c)
	}
	if all := c.WithDefaults(); all.SessionMemory > all.Memory || all.PrincipalMemory > all.Memory {
		return fmt.Errorf("cortex: Options.Caps gives %d bytes of memory to one session and %d to one principal, expected "+
			"no more than the %d for all", all.SessionMemory, all.PrincipalMemory, all.Memory)
	}
	return nil
}

// BusyError says that there is too much of something at the moment. The caller may try
// again later. Only a session whose memory is full stays full: use another session.
type BusyError struct {
	What string // "signals", "approvals", "doubts", "lag" or "memory"
	Of   string // "session", "principal", or "" for all
	Cap  int    // the cap; for memory in bytes
}

func (e *BusyError) Error() string {
	if e.What == "memory" {
		return e.full()
	}
	of := map[string]string{"": "", "session": " in this session", "principal": " of this sender"}[e.Of]
	return fmt.Sprintf("busy: there are %d %s%s already; try again later", e.Cap, map[string]string{
		"signals": "requests waiting", "approvals": "questions waiting for people",
		"doubts": "actions whose outcome is unknown", "lag": "writes waiting",
	}[e.What], of)
}

func (e *BusyError) full() string {
	switch e.Of {
	case "session":
		return fmt.Sprintf("this session is full: its history takes all of the %d bytes that one may have; begin another "+
			"session, or have an operator end this one", e.Cap)
	case "principal":
		return fmt.Sprintf("busy: the requests of this sender that wait take all of the %d bytes that they may have; try "+
			"again later", e.Cap)
	}
	return fmt.Sprintf("busy: sessions take all of the %d bytes of memory that they may have; try again later", e.Cap)
}
