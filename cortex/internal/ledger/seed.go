package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/opencortex-go/cortex/cortex/internal/policy"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// Seed is where facts come from, besides operators: a file, what the host knows, or a probe, which finds
// something out. What a model or a tool can write must not be a seed: rules believe it.
type Seed struct {
	Name string // for the record: "facts.lisp"
	Part string // which of facts.ctx, facts.work and facts.policy it is for; "" means [PartCtx]
	// Read returns a plist of facts. It is called before each turn, one call at a time. After an error, a
	// panic, or no answer in time, the facts of this seed are gone until it can be read again: a rule that
	// reads one refuses.
	Read func(ctx context.Context) (sexpr.Value, error)
	// Timeout bounds Read, and so what a turn waits for it; 0 means a second.
	Timeout time.Duration
}

// Valid returns an error if the seed cannot be read.
func (s Seed) Valid() error {
	switch {
	case s.Name == "" || s.Read == nil || s.Timeout < 0:
		return fmt.Errorf("cortex: the seed %q needs a name, something to read, and no negative timeout", s.Name)
	case s.Part != "" && s.Part != PartCtx && s.Part != PartWork && s.Part != PartPolicy:
		return fmt.Errorf("cortex: the seed %q is for facts.%s, which nothing seeds", s.Name, s.Part)
	}
	return nil
}

// source is a seed that is read by one turn at a time.
type source struct {
	Seed
	busy chan struct{}
}

func sourcesOf(seeds []Seed) []*source {
	var out []*source
	for _, s := range seeds {
		out = append(out, &source{s, make(chan struct{}, 1)})
	}
	return out
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
	if len(l.seeds) == 0 || l.Opt.Inspect {
		return nil
	}
	var all []fromSeed
	for _, s := range l.seeds {
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
func (s *source) read(ctx context.Context) (out []fromSeed, err error) {
	v, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	if !v.IsNil() && !v.IsObject() {
		return nil, fmt.Errorf("facts are a plist, not a %s", v.Kind())
	}
	for kv := v.Items(); len(kv) > 1; kv = kv[2:] {
		name := fullName(s.Part, kv[0].Text())
		if err := validFact(name, kv[1]); err != nil {
			return nil, err
		}
		if !kv[1].IsNil() {
			out = append(out, fromSeed{name, s.Name, kv[1]})
		}
	}
	return out, nil
}

// ask calls Read in its own goroutine, which a turn leaves behind when the time is over. The next call waits for
// it, for as long.
func (s *source) ask(ctx context.Context) (sexpr.Value, error) {
	within := cmp.Or(s.Timeout, time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("no answer within %s", within))
	defer cancel()
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		return sexpr.Value{}, context.Cause(ctx)
	}
	type answer struct {
		facts sexpr.Value
		err   error
	}
	to := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New("its goroutine ended without an answer")}
		defer func() {
			if p := recover(); p != nil {
				a = answer{err: errors.New(policy.PanicText(p))}
			}
			<-s.busy
			to <- a
		}()
		a.facts, a.err = s.Read(ctx)
	}()
	select {
	case a := <-to:
		return a.facts, a.err
	case <-ctx.Done():
		return sexpr.Value{}, context.Cause(ctx)
	}
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
