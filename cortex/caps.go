package cortex

import (
	"fmt"
	"sync"

	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/skills"
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
}

func (c Caps) withDefaults() Caps {
	setDefault(&c.Signals, 4096)
	setDefault(&c.SessionSignals, 256)
	setDefault(&c.PrincipalSignals, 1024)
	setDefault(&c.Approvals, 4096)
	setDefault(&c.SessionApprovals, 64)
	setDefault(&c.PrincipalApprovals, 4096)
	setDefault(&c.Doubts, 1024)
	setDefault(&c.SessionDoubts, 64)
	setDefault(&c.Lag, 1024)
	return c
}

// valid reports negative caps.
func (c Caps) valid() error {
	if min(c.Signals, c.SessionSignals, c.PrincipalSignals, c.Approvals, c.SessionApprovals, c.PrincipalApprovals, c.Doubts, c.SessionDoubts, c.Lag) < 0 {
		return fmt.Errorf("cortex: Options.Caps holds a negative number: %+v", c)
	}
	return nil
}

// BusyError says that there is too much of something at the moment. The same may
// be accepted later.
type BusyError struct {
	What string // "signals", "approvals", "doubts" or "lag"
	Of   string // whose: "" is all, or "session" or "principal"
	Cap  int    // how many there may be
}

func (e *BusyError) Error() string {
	of := map[string]string{"": "", "session": " in this session", "principal": " of this sender"}[e.Of]
	return fmt.Sprintf("busy: there are %d %s%s already; try again later", e.Cap, map[string]string{
		"signals": "requests waiting", "approvals": "questions waiting for people", "doubts": "actions of which nobody knows what came of them", "lag": "writes waiting",
	}[e.What], of)
}

// crowd counts the signals that are accepted and not answered.
type crowd struct {
	mu         sync.Mutex
	all        int
	sessions   map[string]int
	principals map[string]int
}

// admit takes one more signal in. leave must be called once.
func (e *Engine) admit(sig Signal) (leave func(), err error) {
	if _, answer := perceive.ParseAnswer(sig.Text); answer && fromUser(sig) {
		return func() {}, nil
	}
	if err := e.keepsUp(); err != nil {
		return nil, err
	}
	c, caps := &e.crowd, e.opt.Caps
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.all >= caps.Signals:
		return nil, &BusyError{"signals", "", caps.Signals}
	case c.sessions[sig.Session] >= caps.SessionSignals:
		return nil, &BusyError{"signals", "session", caps.SessionSignals}
	case c.principals[sig.Principal] >= caps.PrincipalSignals:
		return nil, &BusyError{"signals", "principal", caps.PrincipalSignals}
	}
	if c.sessions == nil {
		c.sessions, c.principals = map[string]int{}, map[string]int{}
	}
	c.count(sig, 1)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count(sig, -1)
	}), nil
}

func (c *crowd) count(sig Signal, n int) {
	c.all += n
	for _, x := range []struct {
		of   map[string]int
		name string
	}{{c.sessions, sig.Session}, {c.principals, sig.Principal}} {
		if x.of[x.name] += n; x.of[x.name] == 0 {
			delete(x.of, x.name)
		}
	}
}

// keepsUp reports whether the record keeps up with what is written to it.
func (e *Engine) keepsUp() error {
	if e.j.Waiting() >= e.opt.Caps.Lag {
		return &BusyError{"lag", "", e.opt.Caps.Lag}
	}
	return nil
}

// roomForCard reports whether one more approval may be open.
func (e *Engine) roomForCard(r reader, session, requester string) error {
	caps := e.opt.Caps
	if count(r, key(tableGrant, session), caps.SessionApprovals) {
		return &BusyError{"approvals", "session", caps.SessionApprovals}
	}
	all, own := 0, 0
	err := scan(r, []byte{tableGrant}, func(k, _ []byte) error {
		all++
		if _, who := grantKey(k); who == requester {
			own++
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case all >= caps.Approvals:
		return &BusyError{"approvals", "", caps.Approvals}
	case own >= caps.PrincipalApprovals:
		return &BusyError{"approvals", "principal", caps.PrincipalApprovals}
	}
	return nil
}

// grantKey takes a key of the index of open approvals apart.
func grantKey(k []byte) (session, requester string) {
	var parts [2]string
	k = k[1:]
	for i := range parts {
		for j, c := range k {
			if c == 0 {
				parts[i], k = string(k[:j]), k[j+1:]
				break
			}
		}
	}
	return parts[0], parts[1]
}

// count reports whether there are at least n entries under prefix.
func count(r reader, prefix []byte, n int) bool {
	have := 0
	_ = r.Scan(prefix, after(prefix), func(_, _ []byte) bool { have++; return have < n }) // an error shows where all are counted
	return have >= n
}

// roomForDoubt reports whether one more effect may begin, which may come to be in
// doubt.
func (e *Engine) roomForDoubt(r reader, session string) error {
	caps, all, own := e.opt.Caps, 0, 0
	prefix := key(tableDoing, session)
	err := scan(r, []byte{tableDoing}, func(k, v []byte) error {
		d, err := doingFrom(v)
		if err == nil && e.doubtful(d) {
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
