package shelljudge

import (
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Campaign runs many lines.
type Campaign struct {
	Lines    int    // readable distinct lines to run, in every shell each
	Seed     uint64 // of the generator
	Workers  int
	Most     int           // distinct failures after which it stops; 0 is never
	Failed   func(Finding) // called with each new failure, by one goroutine at a time
	Progress io.Writer     // may be nil
	// Wanted, if set, says which failures are worth to be made small and counted.
	Wanted func(Candidate, Failure) bool
	Until  func() bool // may be nil; when it is true the campaign ends
}

// Finding is a failure, made small, and where it was met.
type Finding struct {
	Failure
	Family string
	After  int // readable lines that were run before
	Made   string
}

// Report says what a campaign did.
type Report struct {
	Lines, Made, Runs, Cut int
	Findings               []Finding
	Nodes, Pairs           int      // of the grammar that readable lines have covered
	NodesAll, PairsAll     int      // that the grammar can make
	Missing                []string // what was not covered
}

// String is one line of figures.
func (r Report) String() string {
	return fmt.Sprintf("%d readable distinct lines of %d made, %d runs (%d cut off), "+
		"nodes %d/%d, pairs %d/%d, %d failures",
		r.Lines, r.Made, r.Runs, r.Cut, r.Nodes, r.NodesAll, r.Pairs, r.PairsAll, len(r.Findings))
}

// hunt is the state that the workers of a campaign share.
type hunt struct {
	Campaign
	mu     sync.Mutex
	maker  *Maker
	seen   map[uint64]bool
	hash   maphash.Seed
	report Report
	nodes  map[string]bool
	pairs  map[[2]string]bool
	causes map[string]bool
	first  []Seed // lines of the corpus, which are run before any other
	err    error
}

// Run runs the campaign on these benches, one worker each.
func (c Campaign) Run(corpus []Seed, benches []*Bench) (Report, error) {
	h := &hunt{
		Campaign: c, maker: NewMaker(c.Seed, corpus), seen: map[uint64]bool{}, hash: maphash.MakeSeed(),
		nodes: map[string]bool{}, pairs: map[[2]string]bool{}, causes: map[string]bool{}, first: slices.Clone(corpus),
	}
	var wg sync.WaitGroup
	for _, b := range benches {
		wg.Go(func() { h.work(b) })
	}
	wg.Wait()
	for _, b := range benches {
		h.report.Runs += b.Runs
		h.report.Cut += b.Cut
	}
	h.cover()
	return h.report, h.err
}

// next makes the next line that was not there before, or says that enough was run.
func (h *hunt) next() (Candidate, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.err == nil && (h.Until == nil || !h.Until()) && h.report.Lines < h.Lines &&
		(h.Most == 0 || len(h.report.Findings) < h.Most) {
		var c Candidate
		if len(h.first) > 0 {
			c, h.first = Candidate{Line: h.first[0].Line, Family: h.first[0].Family}, h.first[1:]
		} else {
			c = h.maker.Next()
		}
		h.report.Made++
		key := maphash.String(h.hash, c.Line)
		if h.seen[key] || len(c.Line) > 2000 {
			continue
		}
		h.seen[key] = true
		return c, true
	}
	return Candidate{}, false
}

func (h *hunt) work(b *Bench) {
	for {
		c, ok := h.next()
		if !ok {
			return
		}
		r, err := b.Reader.Read(c.Line)
		if err != nil {
			continue
		}
		fs, err := b.Try(r)
		if err != nil {
			h.mu.Lock()
			h.err = err
			h.mu.Unlock()
			return
		}
		h.ran(b, c, fs)
	}
}

// ran counts a line that was run, and notes its failures.
func (h *hunt) ran(b *Bench, c Candidate, fs []Failure) {
	h.mu.Lock()
	h.report.Lines++
	after := h.report.Lines
	maps.Copy(h.nodes, c.nodes)
	maps.Copy(h.pairs, c.pairs)
	if h.Progress != nil && after%10000 == 0 {
		_, _ = fmt.Fprintf(h.Progress, "%d lines, %d made, %d failures\n", after, h.report.Made, len(h.report.Findings))
	}
	h.mu.Unlock()
	for _, f := range fs {
		if h.Wanted != nil {
			h.mu.Lock()
			wanted := h.Wanted(c, f)
			h.mu.Unlock()
			if !wanted {
				continue
			}
		}
		small, err := b.Minimise(f)
		if err != nil {
			small = f
		}
		h.mu.Lock()
		if cause := small.cause(); !h.causes[cause] {
			h.causes[cause] = true
			found := Finding{Failure: small, Family: c.Family, After: after, Made: c.Line}
			h.report.Findings = append(h.report.Findings, found)
			if h.Failed != nil {
				h.Failed(found)
			}
		}
		h.mu.Unlock()
	}
}

// cause tells failures apart: those of one line, by whatever shell and oracle, are
// one.
func (f Failure) cause() string { return strings.Join(strings.Fields(f.Line), " ") }

// cover compares what was covered with what the grammar can make, which is found
// out by making lines.
func (h *hunt) cover() {
	nodes, pairs := map[string]bool{}, map[[2]string]bool{}
	m := NewMaker(h.Seed+1, h.maker.seeds)
	for range 30000 {
		c := m.grammar("")
		maps.Copy(nodes, c.nodes)
		maps.Copy(pairs, c.pairs)
	}
	for n := range nodes {
		if h.nodes[n] {
			h.report.Nodes++
		} else {
			h.report.Missing = append(h.report.Missing, n)
		}
	}
	for p := range pairs {
		if h.pairs[p] {
			h.report.Pairs++
		} else {
			h.report.Missing = append(h.report.Missing, p[0]+" "+p[1])
		}
	}
	h.report.NodesAll, h.report.PairsAll = len(nodes), len(pairs)
	slices.Sort(h.report.Missing)
}
