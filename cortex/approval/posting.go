package approval

import (
	"github.com/opencortex-go/cortex/sexpr"
)

// Posting is a card as it was shown in one chat. What people do to that message
// there counts for this approval alone.
type Posting struct {
	Token   string // the approval's
	Gateway string // "telegram", ...
	Chat    string // where, as the gateway names it
	Message string // which message, as the gateway names it; "" until it is sent
	Nonce   string // what its buttons carry, at least 128 random bits; unique
}

// Value is the posting as it stands in the record.
func (p Posting) Value() sexpr.Value {
	return sexpr.Plist("token", sexpr.Str(p.Token), "gateway", sexpr.Str(p.Gateway), "chat", sexpr.Str(p.Chat),
		"message", sexpr.Str(p.Message), "nonce", sexpr.Str(p.Nonce))
}

// PostingFrom reads what [Posting.Value] wrote.
func PostingFrom(v sexpr.Value) Posting {
	return Posting{Token: v.GetText("token"), Gateway: v.GetText("gateway"), Chat: v.GetText("chat"),
		Message: v.GetText("message"), Nonce: v.GetText("nonce")}
}
