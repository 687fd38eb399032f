package policy

import (
	"errors"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// lostBook finds the record of a rulebook whose index entry a repair has lost: the one
// before the first decision under it. Protected places have their digest in themselves.
func (k *Keeper) lostBook(hash sexpr.Digest) (rec journal.Record, err error) {
	var last journal.Record
	err = k.j.Records(1, func(r journal.Record) error {
		switch r.Kind {
		case record.KindPlaces:
			if placesDigest(placesFrom(r.Body)) == hash {
				rec = r
				return errFoundBook
			}
		case record.KindRulebook:
			last = r
		case record.KindDecision:
			d, _ := r.Body.Get("decision")
			if d.GetText("policy") == hash.String() && last.Seq > 0 {
				rec = last
				return errFoundBook
			}
		}
		return nil
	})
	if errors.Is(err, errFoundBook) {
		err = nil
	}
	return rec, err
}

var errFoundBook = errors.New("found")
