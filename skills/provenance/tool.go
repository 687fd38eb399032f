package provenance

// Trust says whether a tool's output may steer later actions.
type Trust uint8

// The trusts. A mixed output is untrusted where no field says otherwise, and so is the
// output of a tool that runs programs.
const (
	Untrusted Trust = iota
	TrustedOutput
	Mixed
)

// String returns "untrusted", "trusted" or "mixed".
func (t Trust) String() string {
	switch t {
	case TrustedOutput:
		return "trusted"
	case Mixed:
		return "mixed"
	case Untrusted:
	}
	return "untrusted"
}

// Tool is what a deftool declares, as far as origin and intent go.
type Tool struct {
	Name    string
	Read    bool            // its effect is :none
	Classes Class           // of an effect
	Verb    string          // the verb in the name, "send"; "" if it has none
	Nouns   []string        // the other words of the name, in small letters
	Roles   map[string]Role // by argument; of one inside an argument, by "outer.inner"
	Output  Trust
	Fields  map[string]bool // whether a field of the output is trusted, by its key; others are as Output says
}

// trusts reports whether a field of the tool's output is trusted.
func (t *Tool) trusts(key string) bool {
	if t == nil {
		return false
	}
	if yes, ok := t.Fields[key]; ok {
		return yes
	}
	return t.Output == TrustedOutput && t.Classes&Run == 0
}
