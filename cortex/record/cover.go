package record

import (
	"fmt"

	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Cover says that a person covered more calls like one that they approved, or took such a
// cover back. [skills.Cover] says what it means. The session is the record's own.
type Cover struct {
	Ends    uint64       // the record of the cover that is taken back; 0 for a new one
	Cover   skills.Cover // the new one
	Token   string       // the approval that it came with
	By, Via string       // who said so, and where
}

// Kind implements [Entry].
func (Cover) Kind() string { return KindCover }

// Value implements [Entry].
func (c Cover) Value() sexpr.Value {
	if c.Ends != 0 {
		return sexpr.Plist("ends", number(c.Ends), "by", sexpr.Str(c.By), "via", sexpr.Str(c.Via))
	}
	return sexpr.Plist("tool", sexpr.Str(c.Cover.Tool), "principal", sexpr.Str(c.Cover.Principal),
		"digest", sexpr.Str(c.Cover.Approved.String()),
		"sources", Numbers(c.Cover.Sources), "calls", number(c.Cover.Left), "until", number(c.Cover.Until),
		"token", sexpr.Str(c.Token), "by", sexpr.Str(c.By), "via", sexpr.Str(c.Via))
}

// CoverFrom reads what [Cover.Value] wrote.
func CoverFrom(v sexpr.Value) Cover {
	approved, _ := sexpr.ParseDigest(v.GetText("digest")) // of a cover that is taken back there is none
	return Cover{Ends: seqIn(v, "ends"), Token: v.GetText("token"), By: v.GetText("by"), Via: v.GetText("via"),
		Cover: skills.Cover{Tool: v.GetText("tool"), Principal: v.GetText("principal"),
			Approved: approved, Sources: NumbersFrom(v, "sources"), Left: int(v.GetInt("calls")), Until: v.GetInt("until")}}
}

func (c Cover) summary(show Show) string {
	if c.Ends != 0 {
		return fmt.Sprintf("taken back: %d  by %s", c.Ends, show(c.By))
	}
	return fmt.Sprintf("%d calls of %s by %s  by %s", c.Cover.Left, show(c.Cover.Tool), show(c.Cover.Principal),
		show(c.By))
}
