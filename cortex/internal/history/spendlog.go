package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/opencortex-go/cortex/cortex/admission"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/skills"
)

// spendLog lists what one principal spent, or what was spent in one session, oldest first,
// with running sums by budget.
type spendLog struct {
	mu       sync.Mutex
	begun    bool   // end is known
	end      uint64 // of a session: the record that ended the last one of this name
	upto     uint64
	spends   []LogSpend
	accounts map[string]*account // by budget
	unnamed  map[string]bool     // budgets from which callers without a name took
}

// LogSpend is one spend with its place in the record.
type LogSpend struct {
	skills.Spend
	Seq    uint64
	undone uint64   // the receipt that returned it to the budget; 0 for none
	latest moveless // the latest time so far of a spend from its budget
}

// Spends returns what the session's principal had spent, and what others had spent in the
// session, as of record asOf. The intent except does not count; 0 means none.
func (h *History) Spends(s skills.Session, asOf, except uint64) ([]skills.Spend, error) {
	h.Gate.RLock()
	defer h.Gate.RUnlock()
	end, err := record.EndOf(h.J, s.ID)
	if err != nil {
		return nil, err
	}
	all, err := h.spent(record.TablePrincipal, s.Principal, asOf, func(x *LogSpend) bool { return x.Seq != except })
	if err != nil {
		return nil, err
	}
	others, err := h.spent(record.TableSpent, s.ID, asOf, func(x *LogSpend) bool {
		return x.Principal != s.Principal && x.Seq > end && x.Seq != except
	})
	if err != nil {
		return nil, err
	}
	if len(others) > 0 {
		all = append(all, others...)
		slices.SortStableFunc(all, func(a, b LogSpend) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	out := make([]skills.Spend, len(all))
	for i := range all {
		out[i] = all[i].Spend
		out[i].At = all[i].atAs(h, asOf)
		if all[i].Seq <= end && out[i].Session == s.ID {
			out[i].Session = EndedSession // an earlier one, which has ended
		}
	}
	return out, nil
}

// EndedSession is the name given to an ended session. No session has this name.
const EndedSession = "\x00"

// atAs returns when the amount was spent, by the wall clock as of record asOf.
func (x *LogSpend) atAs(h *History, asOf uint64) int64 {
	if by := h.shift(x.Seq, asOf); by != 0 && x.At != 0 {
		return max(1, x.At+by)
	}
	return x.At
}

// counts reports whether the amount was spent and not returned, as of record asOf.
func (x *LogSpend) counts(asOf uint64) bool {
	return x.Seq <= asOf && (x.undone == 0 || x.undone > asOf)
}

// spent returns a new slice of the index's entries as of record asOf for which keep
// reports true.
func (h *History) spent(table record.Series, name string, asOf uint64, keep func(*LogSpend) bool) (out []LogSpend,
	err error) {
	err = h.withSpends(table, name, asOf, func(l *spendLog) {
		for i := range l.spends {
			if x := &l.spends[i]; x.counts(asOf) && keep(x) {
				if out == nil {
					out = make([]LogSpend, 0, len(l.spends)-i)
				}
				out = append(out, *x)
			}
		}
	})
	return out, err
}

// Sum adds up what was spent as of record asOf, in the order of the record. ok is false if
// the running sums cannot answer, and the caller has to add up [History.Spends].
func (h *History) Sum(s skills.Session, of skills.Sum, asOf uint64) (sum float64, ok bool, err error) {
	h.Gate.RLock()
	defer h.Gate.RUnlock()
	unnamed := false // what callers without a name took here counts for every principal
	if err := h.withSpends(record.TableSpent, s.ID, asOf, func(l *spendLog) {
		if of.Session {
			sum = l.accounts[of.Budget].all(asOf)
		}
		unnamed = s.Principal != "" && l.unnamed[of.Budget]
	}); err != nil || of.Session || unnamed {
		return sum, of.Session, err
	}
	err = h.withSpends(record.TablePrincipal, s.Principal, asOf, func(l *spendLog) {
		sum = l.accounts[of.Budget].since(h, l.spends, of.Since, asOf)
	})
	return sum, true, err
}

// withSpends calls f with the log of an index, which has read at least up to record asOf.
func (h *History) withSpends(table record.Series, name string, asOf uint64, f func(*spendLog)) error {
	x, err := h.memory.Take(string(table.Under(name)), 0, false, func() any { return &spendLog{} })
	if err != nil {
		return err
	}
	defer x.Done()
	l := x.What.(*spendLog)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.catchUp(h, x, table, name, asOf); err != nil {
		return fmt.Errorf("spending of %q: %w", name, err)
	}
	f(l)
	return nil
}

func (l *spendLog) catchUp(h *History, x *admission.Memo, table record.Series, name string, asOf uint64) (err error) {
	if !l.begun && table == record.TableSpent {
		if l.end, err = record.EndOf(h.J, name); err != nil {
			return err
		}
	}
	l.begun = true
	if asOf <= l.upto {
		return nil
	}
	var seqs []uint64
	err = table.Range(h.J, name, l.upto+1, asOf+1, func(seq uint64, _ []byte) error {
		seqs = append(seqs, seq)
		return nil
	})
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		e, err := h.item(seq)
		if errors.Is(err, journal.ErrRemoved) {
			continue // older than any rule looks back
		}
		if err != nil {
			return err
		}
		l.upto = seq
		if e.Receipt != nil {
			x.Grow(admission.StepSize * l.undo(h, e.Intent, seq))
			continue
		}
		for _, s := range e.Spends {
			l.add(h, seq, s)
			x.Grow(admission.BytesOfSpend(&s) + admission.StepSize)
		}
	}
	l.upto = asOf
	return nil
}

// add adds one spend of intent seq.
func (l *spendLog) add(h *History, seq uint64, s skills.Spend) {
	t := l.accounts[s.Budget]
	if t == nil {
		if l.accounts == nil {
			l.accounts, l.unnamed = map[string]*account{}, map[string]bool{}
		}
		t = &account{}
		l.accounts[s.Budget] = t
	}
	latest := h.moveless(s.At, seq)
	if n := len(t.entries); n > 0 {
		latest = max(latest, l.spends[t.entries[n-1]].latest)
	}
	l.spends = append(l.spends, LogSpend{Seq: seq, Spend: s, latest: latest})
	if seq > l.end {
		l.unnamed[s.Budget] = l.unnamed[s.Budget] || s.Principal == ""
	}
	t.add(h, l.spends, l.end)
}

// undo returns an intent's amounts to their budgets, because receipt seq says that nothing
// happened. It returns the number of amounts.
func (l *spendLog) undo(h *History, intent, seq uint64) (n int) {
	i := sort.Search(len(l.spends), func(i int) bool { return l.spends[i].Seq >= intent })
	for ; i < len(l.spends) && l.spends[i].Seq == intent; i++ {
		l.spends[i].undone = seq
		l.accounts[l.spends[i].Budget].undo(h, l.spends, l.end, i, seq)
		n++
	}
	return n
}
