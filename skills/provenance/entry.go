package provenance

// Ref names the record that something was read from, such as its number in the
// journal. References need not be unique: they come back in a [Where].
type Ref uint64

// Message is one message that came in as the user's.
type Message struct {
	Text string
	// Sources are the texts that the host marks as pasted, attached or filled in for
	// @file. The user pointed at them; they are not the user's words.
	Sources []Source
}

// Source is a text that is neither the user's nor a tool's result.
type Source struct {
	Name string // "README.md"; names its kind, for delegation
	Text string
}

// Call is one call that ran or may have run, with what it gave back.
type Call struct {
	Tool   string
	Args   map[string]any
	Result any  // text, or a tree of map[string]any, []any, string, number, bool; nil if there is none
	Cut    bool // the result was longer than what is here
	// Floor is the best origin that its values can have; for a sub-agent, the worst
	// that it read ([View.Worst]). Zero means no floor.
	Floor Origin
}

// Where is a place that a value was found in.
type Where struct {
	Ref    Ref
	Kind   Origin // how the value stands there
	Tool   string // that gave the result, or the source's name; "" for a message
	Record int    // which record of the result, from 1; 0 for the result as a whole
	Key    string // of the field; "" if it has none
	Text   string // the text around it, at most 120 bytes, for people
}
