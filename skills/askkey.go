package skills

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
)

// askDomain separates ask keys from every other hash.
const askDomain = "cortex/ask/1"

// AskKey computes [Slot.Key] from the rule's id, the approver class, the quorum, and
// the clause in canonical text with the lists it names. A grant that holds the key
// satisfies the ask; an edited clause has another key.
func AskKey(id string, s Slot, clause string) sexpr.Digest {
	class, quorum := s.Class, s.Quorum
	if class == "" {
		class = DefaultClass
	}
	if quorum == 0 {
		quorum = 1
	}
	return sexpr.DigestText(askDomain, fmt.Sprintf("%q %q %d %q", id, class, quorum, clause))
}

// BarredKey is the key of an ask that excludes the requester. It includes the
// requester, because a yes to one person's task must not count for the same task of
// another person, who may have given that yes.
func BarredKey(ask sexpr.Digest, principal string) sexpr.Digest {
	return sexpr.DigestText(askDomain, fmt.Sprintf("%s not %q", ask, principal))
}

// StepKey is the key of an ask that a person answers for a step of a plan before it is due: a yes
// counts for the step of that name, with the action of that digest, and for no other.
func StepKey(ask sexpr.Digest, step string, action sexpr.Digest) sexpr.Digest {
	return sexpr.DigestText(askDomain, fmt.Sprintf("%s of %q %s", ask, step, action))
}
