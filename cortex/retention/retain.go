package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"time"

	"github.com/opencortex-go/cortex/cortex/approval"
	"github.com/opencortex-go/cortex/cortex/internal/history"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/perceive"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// Retain says how long the engine keeps records. The zero value keeps all of them.
//
// Retention never removes what something live refers to, however old it is: open
// approvals, intents without a receipt and unanswered signals, with their decisions and
// signals; compensations that failed, with the intents they compensate; the whole history
// of a session that has continued since; what was spent within the last day before; the
// rulebooks of decisions that are kept, and all protected places. A session that has been
// silent for so long is over: later signals under its name begin a new one. A dedupe key
// is forgotten with its signal.
type Retain struct {
	Age   time.Duration // remove older records; 0 keeps them; otherwise at least an hour
	Bytes int64         // remove the oldest while records take more than this; 0 sets no limit
	// Keep protects records younger than this from Bytes, however large they are. 0 means
	// 24 hours.
	Keep time.Duration
	// Secrets destroys the keys of secret arguments in records older than this, while the
	// records stay: the chain goes on to verify, and their decisions are not replayable. 0
	// destroys a key when its record goes, and not before; otherwise at least an hour.
	Secrets time.Duration
	// Runs is how long a log that is over has to be silent before it may go, and no less than
	// Age; 0 means 90 days. A log that is not over, or exempt, stays, with the session that it
	// acts in and the approval that it began with. A log goes whole, and content when the last
	// log that pins it goes.
	Runs time.Duration
}

// runs is how long a log has to be silent.
func (r Retain) runs() time.Duration {
	if r.Runs == 0 {
		return max(90*24*time.Hour, r.Age)
	}
	return max(r.Runs, r.Age)
}

// Valid returns what is wrong with the options, or nil.
func (r Retain) Valid() error {
	switch {
	case r.Age < 0 || r.Bytes < 0 || r.Keep < 0 || r.Secrets < 0 || r.Runs < 0:
		return errors.New("cortex: Options.Retain is negative")
	case r.Age > 0 && r.Age < time.Hour:
		return fmt.Errorf("cortex: Options.Retain.Age is %s, expected 0 or at least an hour", r.Age)
	case r.Secrets > 0 && r.Secrets < time.Hour:
		return fmt.Errorf("cortex: Options.Retain.Secrets is %s, expected 0 or at least an hour", r.Secrets)
	}
	return nil
}

const (
	// sliceOf is how many records one step of retention looks at. It is one update
	// of the single writer: others wait no longer than for that.
	SliceOf = 256
	// slicesARun bounds what one heartbeat does.
	slicesARun = 256
	// spendsFor is how long before the boundary it is known what was spent: rules
	// look back to the beginning of a day.
	spendsFor = 26 * time.Hour
)

// Retention is the result of one run of retention.
type Retention struct {
	Removed int    // records
	To      uint64 // older records are removed, or kept because something live refers to them
	Kept    int    // records before that
	// Destroyed counts the records that stay and whose secrets cannot be read any more.
	Destroyed int
	More      bool // this run did not remove all that it could
}

// Keeper removes old records, in one run at a time.
type Keeper struct {
	Opt     Retain
	Logger  *slog.Logger
	J       *journal.Journal
	Store   journal.Store // under it
	History *history.History
	Now     func() time.Time
	Policy  func() sexpr.Digest // in force
	Keys    record.Keys         // of secrets; nil where there are none

	retaining  sync.Mutex // held during a run
	retainedAt time.Time  // when a heartbeat last did, under retaining
}

// Retain removes what its options no longer keep. It works in small steps between other
// writes. Each step leaves a record of kind "retention".
func (k *Keeper) Retain(ctx context.Context) (Retention, error) {
	k.retaining.Lock()
	defer k.retaining.Unlock()
	r := retention{keeper: k, now: k.Now(), policies: map[string]bool{}}
	target, err := r.target(ctx)
	if err != nil {
		return Retention{}, fmt.Errorf("retention: %w", err)
	}
	err = errors.Join(r.run(ctx, target), r.secrets(ctx))
	if r.out.Removed > 0 && !r.out.More {
		err = errors.Join(err, k.reclaim(ctx))
	}
	to, kept, lost := k.J.Retained()
	r.out.To = to.Seq
	for _, s := range kept {
		r.out.Kept += int(s.To - s.From + 1)
	}
	if err = errors.Join(err, lost); err != nil {
		err = fmt.Errorf("retention: %w", err)
	}
	return r.out, err
}

// reclaim returns the space of removed records to the disk. If the disk lacks the space
// for that, a later run does it.
func (k *Keeper) reclaim(ctx context.Context) error {
	s, ok := k.Store.(interface {
		Reclaim(ctx context.Context, lo, hi []byte) error
	})
	if !ok {
		return nil
	}
	to, _, err := k.J.Retained()
	if err != nil {
		return err
	}
	lo, hi := journal.KeysTo(to.Seq)
	if err := s.Reclaim(ctx, lo, hi); err != nil && !errors.Is(err, journal.ErrFull) {
		return err
	}
	return nil
}

// retention is one run.
type retention struct {
	keeper *Keeper
	now    time.Time
	cutoff int64  // nanoseconds: what is younger stays
	to     uint64 // what is newer stays
	slices int
	out    Retention
	// policies are the rulebooks of the decisions that were kept in this run.
	policies map[string]bool
}

// target returns the last record that may go, by age or by size.
func (r *retention) target(ctx context.Context) (uint64, error) {
	opt, j := r.keeper.Opt, r.keeper.J
	to := uint64(0)
	if opt.Age > 0 {
		r.cutoff = r.now.Add(-opt.Age).UnixNano()
		var err error
		if to, err = r.before(r.cutoff); err != nil {
			return 0, err
		}
	}
	if opt.Bytes == 0 {
		return to, nil
	}
	total, lightest := int64(0), uint64(0)
	if err := j.Weigh(1, func(_ uint64, n int) bool { total += int64(n); return ctx.Err() == nil }); err != nil {
		return 0, err
	}
	if total > opt.Bytes {
		err := j.Weigh(1, func(seq uint64, n int) bool {
			total, lightest = total-int64(n), seq
			return total > opt.Bytes && ctx.Err() == nil
		})
		if err != nil {
			return 0, err
		}
	}
	young := r.now.Add(-opt.Keep).UnixNano()
	bySize, err := r.before(young)
	if err != nil {
		return 0, err
	}
	if bySize = min(bySize, lightest); bySize > to {
		to, r.cutoff = bySize, young
	}
	return to, context.Cause(ctx)
}

// before returns the last record in front of which all are older than cutoff, as
// far as the clock went forward. Where it did not, each step looks again.
func (r *retention) before(cutoff int64) (uint64, error) {
	to, _, err := r.keeper.J.Retained()
	if err != nil {
		return 0, err
	}
	last := r.keeper.J.Last()
	n := sort.Search(int(last-to.Seq), func(i int) bool {
		rec, lost := r.keeper.J.Read(to.Seq + 1 + uint64(i))
		if lost != nil {
			err = lost
		}
		return lost != nil || rec.At > cutoff
	})
	return to.Seq + uint64(n), err
}

// run looks again at what was kept, moves the boundary, and then removes rulebooks without
// references.
func (r *retention) run(ctx context.Context, target uint64) error {
	to, kept, err := r.keeper.J.Retained()
	if err != nil || target <= to.Seq {
		return err
	}
	r.to = target
	for len(kept) > 0 {
		var from, last uint64
		from, last, kept = FirstOf(kept)
		if err := r.step(ctx, from, last); err != nil {
			return err
		}
	}
	for from := to.Seq + 1; from <= target; from += SliceOf {
		if r.slices++; r.slices > slicesARun {
			r.out.More = true
			return nil
		}
		if err := r.step(ctx, from, min(target, from+SliceOf-1)); err != nil {
			return err
		}
	}
	if err := r.books(ctx); err != nil {
		return err
	}
	return r.keeper.forgetEnds(ctx, r.cutoff-int64(spendsFor))
}

// FirstOf returns where the first records of spans begin and end, as many as one step
// looks at, and the spans without them; it takes them out of spans itself. What is kept lies scattered: a step for each
// span would gather what is live for each record anew.
func FirstOf(spans []journal.Span) (from, to uint64, rest []journal.Span) {
	from = spans[0].From
	for left := uint64(SliceOf); left > 0 && len(spans) > 0; {
		s := &spans[0]
		n := min(left, s.To-s.From+1)
		to, left = s.From+n-1, left-n
		if s.From = to + 1; s.From > s.To {
			spans = spans[1:]
		}
	}
	return from, to, spans
}

// step looks at some records in one update. Anyone who reads a history meanwhile
// waits until what is remembered of it is gone too.
func (r *retention) step(ctx context.Context, from, to uint64) error {
	h := r.keeper.History
	h.Gate.Lock()
	defer h.Gate.Unlock()
	var ended []string
	var did journal.Removal
	// Finish, because what is removed makes room: it goes on with the space that is kept back.
	err := r.keeper.J.Finish(ctx, func(tx *journal.Tx) error {
		s := &slice{retention: r, tx: tx, lives: map[string]life{}, logs: logs.Removal{Tx: tx, To: r.to,
			Silent: r.now.Add(-r.keeper.Opt.runs()).UnixNano()}}
		var err error
		if s.liveRefs, err = findLiveRefs(tx); err != nil {
			return err
		}
		did, err = tx.Retain(from, to, s.keep)
		ended = s.ended
		return err
	})
	for _, session := range ended { // whatever came of it: what is read anew is right
		h.Forget(session)
	}
	if err == nil {
		r.out.Removed += did.Removed
	}
	return err
}

// slice is one update of a run.
type slice struct {
	*retention
	tx       *journal.Tx
	liveRefs liveRefs
	lives    map[string]life // of sessions, as far as they were asked about
	logs     logs.Removal
	ended    []string
}

// keep reports whether a record stays. For one that goes it removes the index entries too.
func (s *slice) keep(r journal.Record) (bool, error) {
	stays, err := s.stays(r)
	if err != nil || stays {
		if r.Kind == record.KindDecision {
			d, _ := r.Body.Get("decision")
			s.policies[d.GetText("policy")] = true
		}
		return stays, err
	}
	return false, s.forget(r)
}

func (s *slice) stays(r journal.Record) (bool, error) {
	switch {
	case r.At > s.cutoff, s.liveRefs.records[r.Seq], r.Kind == record.KindRulebook, r.Kind == record.KindPlaces:
		return true, nil
	case r.Kind == record.KindEvents || r.Kind == record.KindKept || r.Kind == record.KindStanding:
		return s.logs.Stays(r)
	case r.Kind == record.KindThink: // as long as the session that it is about
		return s.alive(r)
	case r.Kind == record.KindApproval || r.Kind == record.KindPosting:
		return s.liveRefs.tokens[r.Body.GetText("token")] || s.liveRefs.waitFor(r.Body), nil
	case r.Kind == record.KindIntent:
		if len(record.IntentFrom(r.Body).Spends) == 0 {
			return false, nil
		}
	case r.Kind == record.KindReceipt && record.ReceiptFrom(r.Body).Principal != "":
	default:
		seen, err := s.tx.Get(record.TableSession.Key(r.Session, r.Seq))
		if err != nil || seen == nil {
			return false, err
		}
		return s.alive(r)
	}
	if r.At > s.cutoff-int64(spendsFor) {
		return true, nil // and ends no session: that is for what goes, with the record that says so
	}
	return s.alive(r)
}

// life is what is known of a session: the record up to which it is over, and
// whether it has gone on behind that since, or something in it is open.
type life struct {
	ended uint64
	live  bool
}

// alive reports whether the session that a record belongs to has gone on since, or
// something in it is open. One that has not is over.
func (s *slice) alive(r journal.Record) (bool, error) {
	l, known := s.lives[r.Session]
	if !known {
		last, err := record.Version(s.tx, skills.SessionKey(r.Session))
		if err != nil {
			return false, err
		}
		if l.ended, err = record.EndOf(s.tx, r.Session); err != nil {
			return false, err
		}
		l.live = last > s.to || s.liveRefs.sessions[r.Session]
		s.lives[r.Session] = l
	}
	if l.live || r.Seq <= l.ended { // in an earlier step, perhaps
		return l.live && r.Seq > l.ended, nil
	}
	s.lives[r.Session] = life{ended: s.tx.Last() + 1}
	s.ended = append(s.ended, r.Session)
	return false, s.end(r.Session)
}

// end ends a session: what is on record of it so far no longer counts as its history.
func (s *slice) end(session string) error {
	return record.Ended(s.tx, session, s.tx.Last()+1) // the retention record
}

// forget removes the index entries of a record that goes.
func (s *slice) forget(r journal.Record) error {
	if record.IsVeiled(r.Body) {
		destroy(s.tx, r.Seq)
	}
	switch r.Kind {
	case record.KindEvents, record.KindKept:
		return s.logs.Forget(r)
	case record.KindSignal:
		return s.forgetSignal(r)
	case record.KindDecision:
		s.tx.Delete(record.TableSession.Key(r.Session, r.Seq))
		s.tx.Delete(record.TableUsed.Key(r.Seq))
		return s.forgetTry(r)
	case record.KindIntent, record.KindReceipt:
		s.tx.Delete(record.TableSession.Key(r.Session, r.Seq))
		if r.Kind == record.KindIntent {
			s.tx.Delete(record.TableCompensation.Key(r.Seq))
		}
		return s.forgetSpent(r)
	case record.KindApproval:
		// its last record
		if st := approval.State(r.Body.GetText("state")); st != approval.Pending && st != approval.Approved {
			return s.forgetApproval(r.Body.GetText("token"))
		}
	}
	return nil
}

func (s *slice) forgetSignal(r journal.Record) error {
	s.tx.Delete(record.TableSession.Key(r.Session, r.Seq))
	s.tx.Delete(record.TableAnswer.Key(r.Seq))
	s.tx.Delete(record.TableBudget.Key(r.Seq))
	sig, err := perceive.DecodeSignal(r.Body)
	if err != nil {
		return fmt.Errorf("signal %d: %w", r.Seq, err)
	}
	if sig.Key == "" {
		return nil
	}
	first, err := s.tx.Get([]byte(record.DedupeName(sig)))
	if err == nil && record.AsNumber(first) == r.Seq {
		s.tx.Delete([]byte(record.DedupeName(sig)))
	}
	return err
}

// forgetTry removes how a try at a step of a run stands with its newest decision.
func (s *slice) forgetTry(decision journal.Record) error {
	step, ok := record.StepFrom(decision.Body)
	if !ok {
		return nil
	}
	t, err := record.TriedAt(s.tx, step)
	if err == nil && t.Decision == decision.Seq {
		s.tx.Delete(record.TableTry.Key(step.Root, step.ID, step.Try))
	}
	return err
}

func (s *slice) forgetSpent(r journal.Record) error {
	who := r.Body.GetText("principal")
	s.tx.Delete(record.TablePrincipal.Key(who, r.Seq))
	s.tx.Delete(record.TableSpent.Key(r.Session, r.Seq))
	last, err := record.Version(s.tx, skills.PrincipalKey(who))
	if err == nil && last == r.Seq {
		s.tx.Delete(record.TableVersion.Key(skills.PrincipalKey(who)))
	}
	return err
}

// forgetApproval removes the index entries of an approval whose last record goes.
func (s *slice) forgetApproval(token string) error {
	if _, err := approval.Load(s.tx, token); errors.Is(err, approval.ErrUnknownToken) {
		return nil
	} else if err != nil {
		return err
	}
	err := record.TablePosted.Scan(s.tx, token, func(nonce string, _ []byte) error {
		v, _, err := record.GetPlist(s.tx, record.TablePosting.Key(nonce))
		if err != nil {
			return err
		}
		p := approval.PostingFrom(v)
		s.tx.Delete(record.TableMessage.Key(p.Gateway, p.Chat, p.Message))
		s.tx.Delete(record.TablePosting.Key(nonce))
		s.tx.Delete(record.TablePosted.Key(token, nonce))
		return nil
	})
	s.tx.Delete(record.TableApproval.Key(token))
	return err
}

// books removes rulebooks under which nothing is left that was decided. A rulebook
// is known to be out of force since the engine has noted that; see [record.OutOfForce].
func (r *retention) books(ctx context.Context) error {
	removed := 0
	err := r.keeper.J.Finish(ctx, func(tx *journal.Tx) error {
		removed = 0
		to, _, err := r.keeper.J.Retained()
		if err != nil {
			return err
		}
		liveRefs, err := findLiveRefs(tx)
		if err != nil {
			return err
		}
		current := r.keeper.Policy()
		return record.TableCeased.Scan(tx, func(hash sexpr.Digest, since []byte) error {
			if hash == current || record.AsNumber(since) > to.Seq || r.policies[hash.String()] ||
				liveRefs.policies[hash.String()] {
				return nil
			}
			at, err := tx.Get(record.TablePolicy.Key(hash))
			if err != nil || at == nil || record.AsNumber(at) > to.Seq {
				return err
			}
			did, err := tx.Retain(record.AsNumber(at), record.AsNumber(at),
				func(old journal.Record) (bool, error) {
					if record.IsVeiled(old.Body) {
						destroy(tx, old.Seq)
					}
					return false, nil
				})
			removed += did.Removed
			tx.Delete(record.TablePolicy.Key(hash))
			tx.Delete(record.TableCeased.Key(hash))
			return err
		})
	})
	if err == nil {
		r.out.Removed += removed
	}
	return err
}

// forgetEnds takes away what says that sessions have ended, once nothing of them is
// left: neither history nor what was spent in them.
func (k *Keeper) forgetEnds(ctx context.Context, before int64) error {
	return k.J.Finish(ctx, func(tx *journal.Tx) error {
		to, _, err := k.J.Retained()
		if err != nil {
			return err
		}
		left := SliceOf
		return record.TableEnded.Scan(tx, func(session string, v []byte) error {
			at, when := record.AsNumber(v[:8]), int64(record.AsNumber(v[8:]))
			if left == 0 || at > to.Seq || when > before {
				return nil
			}
			if rest, err := record.Remains(tx, session, at); err != nil || rest {
				return err
			}
			left--
			last, err := record.Version(tx, skills.SessionKey(session))
			if err == nil && last == at {
				tx.Delete(record.TableVersion.Key(skills.SessionKey(session)))
			}
			tx.Delete(record.TableEnded.Key(session))
			return err
		})
	})
}

// retainEvery is how often heartbeats run retention.
const retainEvery = 10 * time.Minute

// RetainSometimes runs retention from a heartbeat: at once if the last run left more to
// remove, otherwise once in retainEvery.
func (k *Keeper) RetainSometimes(ctx context.Context) error {
	if opt := k.Opt; opt.Age == 0 && opt.Bytes == 0 && opt.Secrets == 0 {
		return nil
	}
	k.retaining.Lock()
	since := k.Now().Sub(k.retainedAt)
	k.retaining.Unlock()
	if since >= 0 && since < retainEvery {
		return nil
	}
	did, err := k.Retain(ctx)
	if did.Removed > 0 {
		k.Logger.Info("old records were removed", "records", did.Removed, "to", did.To, "kept", did.Kept,
			"more", did.More)
	}
	k.retaining.Lock()
	if k.retainedAt = k.Now(); did.More {
		k.retainedAt = time.Time{}
	}
	k.retaining.Unlock()
	return err
}
