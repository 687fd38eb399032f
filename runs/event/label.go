package event

import "strings"

// maxStem bounds the part of a label that the workflow's name gives; labelTail is how many letters
// of the log's id follow.
const (
	maxStem   = 20
	labelTail = 5
)

// Label names a run for people and agents: the workflow's name, and letters of the log's id.
func Label(session SessionID, flow WorkflowID) string {
	_, name, dotted := strings.Cut(string(flow), ".")
	if !dotted {
		name = string(flow)
	}
	words := strings.FieldsFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	stem := strings.Join(words, "-")
	stem = strings.Trim(stem[:min(len(stem), maxStem)], "-")
	return strings.Trim(stem+"-"+LabelEnd(session), "-")
}

// LabelEnd is how each label of this log ends, whatever its workflow.
func LabelEnd(session SessionID) string {
	return strings.TrimPrefix(string(session), "sess_")[:labelTail]
}
