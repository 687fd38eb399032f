package cortextest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/opencortex-go/cortex/cortex"
)

// Life is what a simulated engine lives through.
type Life struct {
	// Seed draws everything that happens.
	Seed uint64
	// Days is how long it lasts.
	Days int
	// Options are the program's: its rules, who may answer cards, and its tools. Of a tool,
	// only the schema counts, since the simulated world does the acting: Schema.Idempotent
	// says that it honours its key, and belongs in the rules as well. The clock, the models,
	// the heartbeat, checkpoints and the folder are the simulation's.
	Options cortex.Options
	// Propose draws what agents and models propose: what the rules allow, ask about and
	// deny. A word occurs once in the whole life; an action that has it is done once.
	Propose func(rng *rand.Rand, word string) *cortex.Action
}

func (l Life) check() error {
	switch {
	case l.Propose == nil:
		return errors.New("cortextest: Life.Propose is missing")
	case len(l.Options.Approvals.Classes["operator"]) == 0:
		return errors.New("cortextest: Life.Options.Approvals.Classes has no operator, who is needed to answer cards")
	}
	return l.Options.Check()
}

// Report says what a life was like.
type Report struct {
	Steps        int // events that the seed gave
	Records      int
	Acknowledged int // records that clients were told of
	Effects      int // on the simulated world
	// Counts says how often each kind of event happened, and how many records of each kind
	// there are, as "record-decision".
	Counts map[string]int
	// Digest stands for all that was ever committed, and when. Each life of the same seed,
	// options and program has the same, in any process.
	Digest string

	wrong []string
	disk  *simDisk
}

// Differs describes the first commit in which another life parts from this one, or returns
// "" for the same life.
func (r *Report) Differs(other *Report) string { return r.disk.differs(other.disk) }

// Simulate lives through days of an engine's life, in a bubble of [testing/synctest] with its
// own time: people who approve, deny, edit, withdraw, press twice or too late; models that
// take their time; tools that fail, break off or never answer; jumps of the clock, sleep,
// restarts, power cuts between commits, the kill switch and retention. After each day, each
// restart and before each jump, a [Ledger] holds the record against what was said and done.
// Whatever it finds fails the test, and the seed finds it again.
//
// Only one life at a time is simulated on a machine.
func Simulate(t *testing.T, life Life) *Report {
	t.Helper()
	r := simulate(t, life, simFault{})
	for _, wrong := range r.wrong {
		t.Errorf("seed %d: %s", life.Seed, wrong)
	}
	return r
}

// simulate is Simulate with a bug in it, or none.
func simulate(t *testing.T, life Life, fault simFault) (r *Report) {
	t.Helper()
	if err := life.check(); err != nil {
		t.Fatal(err)
	}
	dir, done := folder(t)
	defer done()
	t.Run(fmt.Sprint("seed ", life.Seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, life.Seed+fault.dice)
		synctest.Test(t, func(*testing.T) {
			s := newSimulation(life, fault, dir)
			s.run(life.Days)
			r = s.report()
		})
	})
	if r == nil {
		t.FailNow()
	}
	return r
}

// folder makes the folder of a simulation's checkpoints. It is the same in each process,
// because it is on record; so it is locked until done is called.
func folder(t *testing.T) (dir string, done func()) {
	t.Helper()
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("cortex-sim-%d", os.Getuid()))
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		t.Fatal(err)
	}
	done = func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
		unlock()
	}
	err = os.RemoveAll(dir)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		done()
		t.Fatal(err)
	}
	return dir, done
}

func newSimulation(life Life, fault simFault, dir string) *simulation {
	s := &simulation{life: life, fault: fault, dir: dir, rng: rand.New(rand.NewPCG(life.Seed, 11)),
		clock: NewClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)), books: NewLedger(), counts: map[string]int{},
		honours: map[string]bool{}}
	s.clock.Run()
	s.disk = &simDisk{clock: s.clock, begun: time.Now(), stamps: map[uint64]stamp{}}
	s.world = &simWorld{s: s}
	s.books.stamps, s.books.ttl = s.disk.stamp, cmp.Or(life.Options.Approvals.TTL, simTTL)
	for _, tool := range life.Options.Tools {
		s.honours[tool.Schema.Name] = tool.Schema.Idempotent
	}
	classes := life.Options.Approvals.Classes
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		s.people = append(s.people, classes[name]...)
	}
	slices.Sort(s.people)
	s.people = slices.Compact(s.people)
	s.operator = cortex.Approver{Name: classes["operator"][0], Via: "api"}
	return s
}

func (s *simulation) report() *Report {
	r := &Report{Steps: s.steps, Records: len(s.books.hashes), Acknowledged: s.books.Told(), Effects: s.books.Effects(),
		Counts: s.counts, Digest: s.disk.digest(), wrong: s.bad, disk: s.disk}
	for _, kind := range s.books.kinds {
		r.Counts["record-"+kind]++
	}
	return r
}
