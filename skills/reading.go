package skills

// Source is a text that a model read and that is neither a message of the user nor
// what a call returned.
type Source struct {
	Name string // "README.md"; "" if it has none
	Text string
}

// IsUser reports whether the turn is a message of the user.
func (t Turn) IsUser() bool { return t.Call == nil && t.Source == nil && t.Reply == "" }

// Entry is one thing that entered a session, and where it is on record.
type Entry struct {
	Ref  uint64 // the number of the record; without a record, the place among the turns, from 1
	Turn Turn   // a call enters when it has its result
	// Unnamed marks a message whose sender is not known: it does not count as the user's.
	Unnamed bool
}

// Entries numbers the turns of a session that is on no record.
func Entries(turns []Turn) []Entry {
	out := make([]Entry, len(turns))
	for i := range turns {
		out[i] = Entry{Ref: uint64(i + 1), Turn: turns[i]}
	}
	return out
}

// Reading is what gates make of a session, such as an index of where values come from.
// It takes the session in entry by entry, so that it can be kept from one decision to
// the next.
type Reading interface {
	// Enter takes in what entered the session next.
	Enter(e Entry)
	// Bytes returns about how much memory the reading takes.
	Bytes() int
}

// Reader makes readings of one sort.
type Reader struct {
	// Name tells sorts of reading apart: two of one name make the same of one session.
	Name  string
	Blank func(s *Session) Reading // a reading of nothing but the session's own properties
}

// Reading returns what a reader makes of the session so far, and notes that the decision
// depends on the session. The reading may be used until the decision is made.
func (c *Case) Reading(by Reader) (Reading, error) {
	c.Read(SessionKey(c.facts.Session.ID))
	if c.facts.Recall != nil {
		return c.facts.Recall.Reading(by)
	}
	if c.reading == nil || c.readBy != by.Name {
		c.reading, c.readBy = ReadAll(by, &c.facts.Session), by.Name
	}
	return c.reading, nil
}

// ReadAll returns what a reader makes of the turns of a session.
func ReadAll(by Reader, s *Session) Reading {
	r := by.Blank(s)
	for _, e := range Entries(s.Turns) {
		r.Enter(e)
	}
	return r
}

// Whole reports whether the session holds every result that the model saw, and notes
// that the decision depends on the session.
func (c *Case) Whole() (bool, error) {
	c.Read(SessionKey(c.facts.Session.ID))
	if c.facts.Recall != nil {
		return c.facts.Recall.Whole()
	}
	return !c.facts.Session.Partial, nil
}
