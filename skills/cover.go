package skills

import "github.com/opencortex-go/cortex/sexpr"

// Cover is a person's word that more calls like one that they approved need no question. It
// is no grant, which is used once: each covered call has a decision and a permit of its own,
// and rules ask (covered?) where they would ask a person. What they deny stays denied.
type Cover struct {
	Tool      string // of the calls
	Principal string // of the session: who asked for them
	// Approved is the action that was approved. It has its approval, and uses that.
	Approved sexpr.Digest
	Sources  []uint64 // the records that a call may take orders and values from; 0: values that stand nowhere
	Left     int      // how many more calls it covers
	Until    int64    // Unix seconds; from then on it covers none
}

// Covers returns the covers that people gave the session for a tool, and notes that the
// decision depends on the session.
func (c *Case) Covers(tool string) (out []Cover, err error) {
	c.Read(SessionKey(c.facts.Session.ID))
	if c.facts.Recall != nil {
		return c.facts.Recall.Covers(tool)
	}
	for _, x := range c.facts.Covers {
		if x.Tool == tool {
			out = append(out, x)
		}
	}
	return out, nil
}
