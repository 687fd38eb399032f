package skills

import (
	"strings"

	"github.com/opencortex-go/cortex/sexpr"
)

// Verdict is one gate's answer. A nil Verdict is not an answer and denies.
//
//sumtype:decl
type Verdict interface{ verdict() }

type (
	// Pass abstains. Note, if set, is only for the trace: an allow clause whose
	// condition errs passes and notes why.
	Pass struct{ Note string }

	// Allow vouches for the action: it answers the tier of a tool that asks,
	// and an undeclared tool. It never overrides an ask or a denial.
	Allow struct{ Reason Reason }

	// Rewrite merges Set, a plist of literals, deep into :args; lists are
	// replaced whole. Tool and target never change.
	Rewrite struct {
		Set    sexpr.Value
		Reason Reason
		// Literal says that Set stands in a rule as it is, and nothing in it was computed.
		Literal bool
		// Origin says that the rule asks where a value came from. What is denied after that
		// rests on it too, and gets no hint.
		Origin bool
	}

	// Ask holds the action until people approve.
	Ask struct {
		Reason Reason
		Slot   Slot
		// Sources are the records that the action takes orders and values from, if the asker
		// looked; 0 stands for values that stand nowhere. A person may cover more calls from
		// them, see [Cover].
		Sources []uint64
		// Of is the step of a plan that the ask is about; nil if it is about the action itself.
		Of *Of
	}

	// Asks holds the action until people approve all that its plan asks: one ask for each step
	// that asks. Plan, if set, is the whole plan, for the card: if nothing asks, it counts for nothing.
	Asks struct {
		List []Ask
		Plan []Of
	}

	// Deny denies. Mend, if set, asks that the denial bring a hint: an edit of the
	// action that every gate lets pass.
	Deny struct {
		Reason Reason
		Mend   *Mend
	}
)

func (Pass) verdict()    {}
func (Allow) verdict()   {}
func (Rewrite) verdict() {}
func (Ask) verdict()     {}
func (Asks) verdict()    {}
func (Deny) verdict()    {}

// Of is a step of a plan, and its action as it would run. A step that is judged only when it is due has
// no action, and the note says why; only in a whole plan is there such a one.
type Of struct {
	Step   string
	Action *Action
	// Note is for people: what is asked besides when the step fails, for example.
	Note string
}

// DefaultClass is the approver class of an ask that names none.
const DefaultClass = "operator"

// Slot is the requirement of one ask: approvals by Quorum different people of Class.
type Slot struct {
	Class  string // "" means [DefaultClass]
	Quorum int    // 0 means 1
	// NotUser excludes the requester from this slot.
	NotUser bool
	// Key is the ask key: the hash of rule id, class, quorum and the clause's
	// canonical text with the lists it names. A grant satisfies the asks whose
	// keys it holds, so an edited clause asks again.
	Key sexpr.Digest
}

// Reason explains a verdict. Text was written by the rule's author and may be shown
// to the model; Detail holds values and is only for the log and the operator; Advice
// tells the author of the rule what to write instead, and where. Key names the rule: "skill/clause", "tier/<tool>",
// "invariant/<name>",
// "gate/<name>/failed", ...
type Reason struct {
	Key       string
	Text      string
	Detail    string
	Advice    string // for people alone; it and Pos may change while the reason stays the same
	Pos       string // "bank.lisp:14:5", or ""
	Retryable bool   // another proposal may fare better
}

// Place is the reason's source, for people: a rule's file, line and column, or
// "proposal" with the line and column in the proposal, which has no file.
func (r Reason) Place() string {
	if strings.Count(r.Pos, ":") == 1 {
		return "proposal:" + r.Pos
	}
	return r.Pos
}
