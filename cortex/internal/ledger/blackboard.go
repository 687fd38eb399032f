package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// board is the part of the blackboard that operators and seeds write: what rules read as facts.ctx,
// facts.work and facts.policy. It is replaced as a whole, never changed.
type board struct {
	facts  sexpr.Value // a plist of all: see fullName
	seeded sexpr.Value // of those that a seed set, the name of the seed: a plist
	seq    uint64      // the record of its last change; 0 for none

	ctx, work, policy sexpr.Value // of facts: see lay
}

// maxFact bounds the text of one fact, in bytes: every decision's record repeats
// it.
const maxFact = 4096

// Facts returns the facts that operators and seeds have set: those that rules read as facts.ctx by their
// names, others as "facts.policy.freeze".
func (l *Ledger) Facts() sexpr.Value { return l.board.Load().facts }

// SetFact sets one fact of facts.ctx, or, with a name such as "facts.policy.freeze", of facts.policy or
// facts.work; it removes it if value is nil. Only an operator may do so, and the engine records
// it. The fact holds for later decisions. The engine makes an earlier decision again before it acts
// on it.
func (l *Ledger) SetFact(ctx context.Context, name string, value sexpr.Value, who approval.Approver) error {
	if err := l.Usable(); err != nil {
		return err
	}
	if !l.Belongs(who, skills.DefaultClass) {
		return fmt.Errorf("fact %q: %w: facts are set by an operator", name, approval.ErrNotApprover)
	}
	if err := validFact(name, value); err != nil {
		return err
	}
	var next board
	name = fullName(PartCtx, name)
	err := l.J.Update(ctx, func(tx *journal.Tx) error {
		old, _, err := record.GetPlist(tx, record.TableSetting.Key(record.SettingFacts))
		if err != nil {
			return err
		}
		if next.seeded, _, err = record.GetPlist(tx, record.TableSetting.Key(record.SettingSeeded)); err != nil {
			return err
		}
		next.facts, next.seeded = withFact(old, name, value), withFact(next.seeded, name, sexpr.Nil())
		rec, err := record.Append(tx, "", record.Fact{Name: name, Fact: value, By: who.Name, Via: who.Via})
		if err != nil {
			return err
		}
		next.seq = rec.Seq
		return next.save(tx)
	})
	if err == nil {
		l.post(&next)
	}
	return err
}

// save keeps a board for the next run.
func (b *board) save(tx *journal.Tx) error {
	tx.Set(record.TableSetting.Key(record.SettingBoard), record.Number(b.seq))
	return errors.Join(record.SetPlist(tx, record.TableSetting.Key(record.SettingFacts), b.facts),
		record.SetPlist(tx, record.TableSetting.Key(record.SettingSeeded), b.seeded))
}

// validFact keeps out what no rule could read, or no record should repeat.
func validFact(name string, value sexpr.Value) error {
	if name == "" || len(name) > 256 {
		return errors.New("a fact has a name of at most 256 bytes")
	}
	if err := sexpr.CheckJSON(value); err != nil {
		return fmt.Errorf("fact %q: %w", name, err)
	}
	text, err := sexpr.Canonical(value)
	if err != nil {
		return fmt.Errorf("fact %q: %w", name, err)
	}
	if len(text) > maxFact {
		return fmt.Errorf("fact %q has %d bytes, expected at most %d", name, len(text), maxFact)
	}
	return nil
}

// withFact is facts with one changed, or without it.
func withFact(facts sexpr.Value, name string, value sexpr.Value) sexpr.Value {
	var out []sexpr.Value
	for kv := facts.Items(); len(kv) > 1; kv = kv[2:] {
		if kv[0].Text() != name {
			out = append(out, kv[0], kv[1])
		}
	}
	if !value.IsNil() {
		out = append(out, sexpr.Key(name), value)
	}
	return sexpr.ListOf(out...)
}

// post puts a board up, unless a later one is.
func (l *Ledger) post(b *board) {
	b.lay()
	for {
		old := l.board.Load()
		if old != nil && old.seq >= b.seq && b.seq != 0 {
			return
		}
		if l.board.CompareAndSwap(old, b) {
			return
		}
	}
}

// RecallBoard reads the facts that earlier runs set, and makes the seeds ready.
func (l *Ledger) RecallBoard() error {
	l.seeds = sourcesOf(l.Opt.Seeds)
	facts, _, err := record.GetPlist(l.J, record.TableSetting.Key(record.SettingFacts))
	if err != nil {
		return err
	}
	seeded, _, err := record.GetPlist(l.J, record.TableSetting.Key(record.SettingSeeded))
	if err != nil {
		return err
	}
	seq, err := l.J.Get(record.TableSetting.Key(record.SettingBoard))
	l.post(&board{facts: facts, seeded: seeded, seq: record.AsNumber(seq)})
	return err
}

// freshBoard reports whether what a decision read of facts.ctx still stands.
// Facts that its caller brought are the caller's business.
func freshBoard(tx *journal.Tx, inputs sexpr.Value) (bool, error) {
	saw, own := inputs.Get("board")
	if !own {
		return true, nil
	}
	now, err := tx.Get(record.TableSetting.Key(record.SettingBoard))
	return record.AsNumber(now) == uint64(saw.Int()), err
}
