package approval

import (
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// Posting is a card as one chat showed it. What people do to that message there counts
// only for this approval.
type Posting struct {
	Token   string // of the approval
	Gateway string // "telegram", ...
	Chat    string // where, as the gateway names it
	Message string // as the gateway names it; "" until it is sent
	Nonce   string // what its buttons carry, at least 128 random bits; unique
}

// Value returns the posting as the record stores it.
func (p Posting) Value() sexpr.Value {
	return sexpr.Plist("token", sexpr.Str(p.Token), "gateway", sexpr.Str(p.Gateway), "chat", sexpr.Str(p.Chat),
		"message", sexpr.Str(p.Message), "nonce", sexpr.Str(p.Nonce))
}

// Kind implements [record.Entry].
func (Posting) Kind() string { return record.KindPosting }

// PostingFrom reads what [Posting.Value] wrote.
func PostingFrom(v sexpr.Value) Posting {
	return Posting{Token: v.GetText("token"), Gateway: v.GetText("gateway"), Chat: v.GetText("chat"),
		Message: v.GetText("message"), Nonce: v.GetText("nonce")}
}
