package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// The most that one cover may cover.
const (
	MaxCovered  = 50
	MaxCoverFor = 8 * time.Hour
)

// CoverTerms are how many calls a cover covers, the approved one among them, and for how long.
type CoverTerms struct {
	Calls int
	For   time.Duration
}

func (c CoverTerms) check() error {
	if c.Calls < 2 || c.Calls > MaxCovered {
		return fmt.Errorf("a cover is for 2 to %d calls, the approved one among them; found %d", MaxCovered, c.Calls)
	}
	if c.For <= 0 || c.For > MaxCoverFor {
		return fmt.Errorf("a cover ends within %g hours; found %s", MaxCoverFor.Hours(), c.For)
	}
	return nil
}

// Cover writes that more calls like the one that who has approved need no question.
func (l *Ledger) Cover(tx *journal.Tx, a *approval.Approval, who approval.Approver, terms CoverTerms) error {
	if err := terms.check(); err != nil {
		return err
	}
	if a.State != approval.Approved {
		return fmt.Errorf("approval %s: other people have to say yes first; the last of them may cover more calls", a.Token)
	}
	q, err := l.Asked(a.Decision)
	if err != nil {
		return err
	}
	c := skills.Cover{Tool: a.Action.Tool(), Principal: q.Facts.Session.Principal, Approved: a.Action.Digest(),
		Left: terms.Calls, Until: l.Now().Add(terms.For).Unix()}
	for _, s := range a.Slots {
		c.Sources = append(c.Sources, s.Sources...)
	}
	slices.Sort(c.Sources)
	c.Sources = slices.Compact(c.Sources)
	return cover(tx, a.Session, record.Cover{Cover: c, Token: a.Token, By: who.Name, Via: who.Via})
}

// Uncover takes a cover of a session back.
func (l *Ledger) Uncover(ctx context.Context, session string, id uint64, who approval.Approver) error {
	standing, err := l.Covers(session)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(standing, func(c history.Standing) bool { return c.ID == id }) {
		return fmt.Errorf("session %q has no cover %d", session, id)
	}
	return l.Update(ctx, func(tx *journal.Tx) error {
		return cover(tx, session, record.Cover{Ends: id, By: who.Name, Via: who.Via})
	})
}

// Covers returns the covers of a session that are not used up, oldest first.
func (l *Ledger) Covers(session string) ([]history.Standing, error) {
	return l.History.Covers(session, l.J.Last(), l.Now().Unix())
}

func cover(tx *journal.Tx, session string, c record.Cover) error {
	rec, err := record.Append(tx, session, c)
	if err != nil {
		return err
	}
	return record.HappenedIn(tx, session, rec.Seq, record.MarkCover, 0, history.BytesOfCover)
}
