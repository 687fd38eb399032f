package admission

import (
	"cmp"
	"fmt"
)

// Caps bound what an engine holds at a time. What is beyond a cap is refused with
// a [BusyError], before anything of it is on record; nothing that was accepted is
// dropped for it. 0 is the default.
type Caps struct {
	// Signals that are accepted and not answered: in all (4096), of one session
	// (256) and of one principal (1024). A person's answer to an approval is
	// never refused.
	Signals, SessionSignals, PrincipalSignals int
	// Approvals that are pending, or given and not used: in all (4096), of one
	// session (64) and of one requester (4096).
	Approvals, SessionApprovals, PrincipalApprovals int
	// Doubts are intents of which nobody knows what came of them: in all (1024),
	// and of one session (64). Beyond them no effect begins.
	Doubts, SessionDoubts int
	// Lag is how many writes wait for the record, in all (1024). Beyond it
	// nothing new begins; what has begun is finished.
	Lag int
	// Memory is how many bytes sessions take in memory, in all (128 MiB, or
	// twice what is set for one session): their
	// histories, what was spent, and signals that wait for their answers, as far as
	// that can be told from what is in them. Histories that nobody looks at are let
	// go, the least recently used first, and are read again from the record when
	// they are needed. Where what is in use leaves no room, what would be new is
	// refused. The caches of the store, rules and models come on top.
	Memory int
	// SessionMemory is how many bytes of that the history of one session may take
	// (half of Memory): some 100 000 calls, if they are short. A longer history is
	// not looked at for what is new: signals that a model would answer are refused,
	// and so are decisions, if a rule looks at the history. What has begun is
	// finished, and may lead a little beyond. Such a session does not become usable
	// by waiting: begin another one, or have an operator end it (Operations.EndSession).
	// Decisions whose rules do not look back are never refused for it.
	SessionMemory int
	// PrincipalMemory is how many bytes the signals of one principal may take that
	// wait for their answers (a quarter of Memory), because these are what a sender
	// can fill memory with and what cannot be let go. Histories are not counted
	// here: they belong to sessions, in which several may speak, and how long they
	// stay is the engine's choice.
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

// ToFinish is how many bytes the history of a session may take where something that
// was accepted, or that people have approved, is carried on.
func (c Caps) ToFinish() int { return c.SessionMemory + c.SessionMemory/8 }

// Valid reports negative caps.
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

// BusyError says that there is too much of something at the moment. The same may
// be accepted later, but for a session whose memory is full: that needs another
// session.
type BusyError struct {
	What string // "signals", "approvals", "doubts", "lag" or "memory"
	Of   string // whose: "" is all, or "session" or "principal"
	Cap  int    // how many there may be; bytes, of memory
}

func (e *BusyError) Error() string {
	if e.What == "memory" {
		return e.full()
	}
	of := map[string]string{"": "", "session": " in this session", "principal": " of this sender"}[e.Of]
	return fmt.Sprintf("busy: there are %d %s%s already; try again later", e.Cap, map[string]string{
		"signals": "requests waiting", "approvals": "questions waiting for people",
		"doubts": "actions of which nobody knows what came of them", "lag": "writes waiting",
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
