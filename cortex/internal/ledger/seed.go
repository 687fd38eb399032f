package ledger

import (
	"context"
	"fmt"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// Seed is where facts of facts.ctx come from, besides operators: a file, or what the host knows. What a
// model or a tool can write must not be a seed: rules believe it.
type Seed struct {
	Name string // for the record: "facts.lisp"
	// Read returns a plist of facts. It is called before each turn, so it is to be quick. After an error
	// the facts of this seed are gone until it can be read again.
	Read func(ctx context.Context) (sexpr.Value, error)
}

// seedChannel is how a seed sets facts, for the record.
const seedChannel = "seed"

// fromSeed is a fact that a seed sets.
type fromSeed struct {
	name, seed string
	value      sexpr.Value
}

// Seed reads the seeds, and records what has changed since: one record for each fact, with the seed that it
// is from. A later seed overrides an earlier one, and an operator all of them.
func (l *Ledger) Seed(ctx context.Context) error {
	if len(l.Opt.Seeds) == 0 || l.Opt.Inspect {
		return nil
	}
	var all []fromSeed
	for _, s := range l.Opt.Seeds {
		facts, err := s.read(ctx)
		if err != nil {
			l.Opt.Logger.Warn("facts could not be read, and are gone until they can", "seed", s.Name, "error", err)
		}
		all = append(all, facts...)
	}
	if now := l.board.Load(); len(changes(now, all)) == 0 {
		return nil
	}
	var next board
	err := l.Update(ctx, func(tx *journal.Tx) (err error) {
		if next.facts, _, err = record.GetPlist(tx, record.TableSetting.Key(record.SettingFacts)); err != nil {
			return err
		}
		if next.seeded, _, err = record.GetPlist(tx, record.TableSetting.Key(record.SettingSeeded)); err != nil {
			return err
		}
		raw, err := tx.Get(record.TableSetting.Key(record.SettingBoard))
		if err != nil {
			return err
		}
		next.seq = record.AsNumber(raw)
		for _, c := range changes(&next, all) {
			rec, err := record.Append(tx, "", record.Fact{Name: c.name, Fact: c.value, By: c.seed, Via: seedChannel})
			if err != nil {
				return err
			}
			next.seq, next.facts = rec.Seq, withFact(next.facts, c.name, c.value)
			by := sexpr.Str(c.seed)
			if c.value.IsNil() {
				by = sexpr.Nil()
			}
			next.seeded = withFact(next.seeded, c.name, by)
		}
		return next.save(tx)
	})
	if err == nil {
		l.post(&next)
	}
	return err
}

// read reads the facts of a seed. What no rule could read is an error for all of them.
func (s Seed) read(ctx context.Context) (out []fromSeed, err error) {
	v, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	if !v.IsNil() && !v.IsObject() {
		return nil, fmt.Errorf("facts are a plist, not a %s", v.Kind())
	}
	for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
		if err := validFact(kv[0].Text(), kv[1]); err != nil {
			return nil, err
		}
		if !kv[1].IsNil() {
			out = append(out, fromSeed{kv[0].Text(), s.Name, kv[1]})
		}
	}
	return out, nil
}

// changes are what seeds set anew, and what they set no more, on a board. The last of a name counts.
func changes(b *board, all []fromSeed) (out []fromSeed) {
	last := map[string]int{}
	for i, f := range all {
		last[f.name] = i
	}
	for i, f := range all {
		old, there := b.facts.Get(f.name)
		by, seeded := b.seeded.Get(f.name)
		switch {
		case last[f.name] != i, there && !seeded: // overridden
		case there && sexpr.Equal(old, f.value) && by.Text() == f.seed:
		default:
			out = append(out, f)
		}
	}
	for kv := b.seeded.Items(); len(kv) > 1; kv = kv[2:] {
		if _, still := last[kv[0].Text()]; !still {
			out = append(out, fromSeed{name: kv[0].Text(), seed: kv[1].Text()})
		}
	}
	return out
}
