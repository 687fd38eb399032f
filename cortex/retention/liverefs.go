package retention

import (
	"slices"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
)

// liveRefs are what live things refer to.
type liveRefs struct {
	records  map[uint64]bool
	sessions map[string]bool
	tokens   map[string]bool // of approvals that are open, or that open intents rest on
	policies map[string]bool
	logs     map[string]bool // that are not over, or exempt
}

// findLiveRefs gathers the references from the tables of what is open.
func findLiveRefs(tx *journal.Tx) (liveRefs, error) {
	p := liveRefs{map[uint64]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	err := record.TableGrant.Scan(tx, func(_, _ string, _ sexpr.Digest, token []byte) error {
		a, err := approval.Load(tx, string(token))
		if err != nil {
			return err
		}
		p.tokens[a.Token], p.sessions[a.Session], p.policies[a.Policy.String()] = true, true, true
		for _, x := range append([]approval.Joined{{Decision: a.Decision, Root: a.Root}}, a.Joined...) {
			p.records[x.Decision], p.records[x.Root] = true, true
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	if err := logs.Each(tx, func(h logs.Head) {
		p.records[h.Root] = true // a log that is over may go on, too
		p.logs[h.Log] = !h.Over || h.Exempt
		if h.Over {
			return
		}
		p.tokens[h.Approval] = true
		if h.Acts != "" {
			p.sessions[h.Acts] = true
		}
	}); err != nil {
		return p, err
	}
	delete(p.tokens, "") // of logs that began without one
	open := func(seq uint64) error {
		rec, err := tx.Read(seq)
		if err == nil {
			p.records[seq], p.sessions[rec.Session] = true, true
			p.records[uint64(rec.Body.GetInt("root"))] = true
			if grant := rec.Body.GetText("grant"); grant != "" { // it goes on to hold: see askedAgain
				p.tokens[grant] = true
			}
			if rec.Kind == record.KindIntent {
				err = p.compensated(tx, record.IntentFrom(rec.Body).Compensates)
			}
		}
		return err
	}
	if err = record.TableIntent.Scan(tx, func(intent uint64, decision []byte) error {
		p.records[record.AsNumber(decision)] = true
		return open(intent)
	}); err != nil {
		return p, err
	}
	for _, table := range []record.Table1[uint64]{record.TableUnanswered, record.TableFailed} {
		if err = table.Scan(tx, func(seq uint64, _ []byte) error { return open(seq) }); err != nil {
			return p, err
		}
	}
	return p, nil
}

// waitFor reports whether an unanswered signal waits for an approval, and so still needs
// to learn the answer.
func (p *liveRefs) waitFor(approval sexpr.Value) bool {
	live := func(x sexpr.Value) bool {
		root := uint64(x.GetInt("root"))
		return root > 0 && p.records[root] // 0: an embedder asked, who has its answer
	}
	joined, _ := approval.Get("joined")
	return live(approval) || slices.ContainsFunc(joined.Items(), live)
}

// rest reports whether something that stays rests on a record whatever its age: decisions on their rulebook and
// places, and a log that is not over, or exempt, on its events and their content.
func (p *liveRefs) rest(tx *journal.Tx, rec journal.Record) (rests bool, err error) {
	switch rec.Kind {
	case record.KindRulebook, record.KindPlaces:
		return true, nil
	case record.KindEvents:
		return p.logs[rec.Body.GetText("log")], nil
	case record.KindKept:
		of, err := sexpr.ParseDigest(rec.Body.GetText("sha256"))
		if err != nil {
			return false, err
		}
		err = record.TablePin.Scan(tx, of, func(log string, _ []byte) error {
			rests = rests || p.logs[log]
			return nil
		})
		return rests, err
	}
	return false, nil
}

// compensated keeps an intent and its receipt while a compensation of it is open or has
// failed.
func (p *liveRefs) compensated(tx *journal.Tx, intent uint64) error {
	if intent == 0 {
		return nil
	}
	rec, err := tx.Read(intent)
	if err != nil {
		return err
	}
	p.records[intent], p.sessions[rec.Session] = true, true
	return nil
}
