package decisions

import "encoding/json"

// eventType names the form of the lines.
const eventType = "dev.cortex.decision.v1"

// Event is one line: an event of CloudEvents 1.0 about one decision.
type Event struct {
	SpecVersion     string `json:"specversion"`
	ID              string `json:"id"`     // the hash of the decision's record
	Source          string `json:"source"` // "/cortex/" and the name of the record
	Type            string `json:"type"`
	Time            string `json:"time"`    // RFC 3339
	Subject         string `json:"subject"` // "decision/" and its number
	DataContentType string `json:"datacontenttype"`
	Data            Data   `json:"data"`
}

// Data has the fields of OPA's decision log, then our own. Numbers of records are texts,
// since many readers of JSON lose digits of numbers beyond 2^53.
type Data struct {
	DecisionID  string            `json:"decision_id"`
	Labels      map[string]string `json:"labels"`
	Bundles     map[string]Bundle `json:"bundles"`
	Path        string            `json:"path"`
	Input       *Call             `json:"input,omitempty"` // as proposed; absent without a canonical form
	Result      Result            `json:"result"`
	RequestedBy string            `json:"requested_by"`
	Timestamp   string            `json:"timestamp"`
	Metrics     map[string]int64  `json:"metrics"`
	Erased      []string          `json:"erased"` // JSON pointers into this object
	Masked      []string          `json:"masked"` // likewise

	Seq            string    `json:"seq"`       // of the record
	PrevHash       string    `json:"prev_hash"` // of the record before
	ProposalDigest string    `json:"proposal_digest,omitempty"`
	TraceID        string    `json:"trace_id"`
	Session        string    `json:"session"`
	Verdicts       []Verdict `json:"verdicts"` // of the gates that said something
}

// Bundle is a set of rules.
type Bundle struct {
	Revision string `json:"revision"`
}

// Call is an action, its texts masked.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Result is what was decided.
type Result struct {
	Decision string   `json:"decision"` // "allow", "ask", "deny"
	Observed bool     `json:"observed,omitempty"`
	Rule     string   `json:"rule"`
	Reasons  []Reason `json:"reasons"`
	Action   *Call    `json:"action,omitempty"` // after rewrites, if they changed it
}

// Reason is why an action is not allowed as it stands.
type Reason struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Verdict is one gate's part.
type Verdict struct {
	Gate    string `json:"gate"`
	Outcome string `json:"outcome"`
	Round   int    `json:"round"`
	Note    string `json:"note,omitempty"`
}
