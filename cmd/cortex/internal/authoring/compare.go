package authoring

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/opencortex-go/cortex/cmd/cortex/internal/judging"
	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/reason"
	"github.com/opencortex-go/cortex/reason/author"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/rules"
)

// Compared is what two rulebooks decide differently, and on what.
type Compared struct {
	author.Comparison
	On      string   // what was judged: "requests" or "decisions on record"
	Gates   []string // recorded gates in Go whose recorded answers were used
	Removed int      // decisions that were left out, because retention removed what they rested on
}

// CompareExamples compares two rulebooks on the actions of the examples of both.
func CompareExamples(ctx context.Context, a, b *rules.Rulebook, most int) Compared {
	d := &author.Differ{A: a, B: b, Most: most}
	for _, book := range []*rules.Rulebook{a, b} {
		for _, e := range book.Examples() {
			d.Judge(ctx, e.Proposal.String(), reason.Request{Proposal: e.Proposal, Facts: e.Facts, Lookup: e.Lookup})
		}
	}
	return Compared{Comparison: d.Comparison(), On: "requests"}
}

// CompareRequests compares two rulebooks on requests, one a line.
func CompareRequests(ctx context.Context, in io.Reader, a, b *rules.Rulebook, most int) (Compared, error) {
	d := &author.Differ{A: a, B: b, Most: most}
	n := 0
	err := judging.Requests(ctx, a, in, time.Now(), func(id json.RawMessage, req reason.Request) error {
		n++
		text, _ := sexpr.Print(req.Proposal)
		d.Judge(ctx, cmp.Or(string(id), strconv.Itoa(n))+" "+text, req)
		return nil
	})
	return Compared{Comparison: d.Comparison(), On: "requests"}, err
}

// CompareRecord compares two rulebooks on the decisions on record from one on, each with
// the facts and the history that it rested on. Flips name the record and the proposal,
// without credentials.
func CompareRecord(ctx context.Context, e *cortex.Engine, from uint64, a, b *rules.Rulebook,
	most int) (Compared, error) {
	d := &author.Differ{Most: most}
	mask := secrets.NewMask()
	got, err := e.Replay(ctx, cortex.ReplayOptions{From: from, Before: a, Rules: b, Most: 1,
		Each: func(x cortex.Difference) {
			d.Note(mask(fmt.Sprintf("record %d %s", x.Seq, proposed(x.Was))), &x.Was.Decision, &x.Is.Decision)
		}})
	out := Compared{Comparison: d.Comparison(), On: "decisions on record", Gates: got.Gates, Removed: got.Removed}
	out.Requests = got.Decisions
	return out, err
}

// proposed is the call that a decision is about; "" if the proposal could not be read.
func proposed(d *cortex.Decision) string {
	a := cmp.Or(d.Proposed, d.Action)
	if a == nil {
		return ""
	}
	return sexpr.Plist("tool", sexpr.Str(a.Tool()), "args", a.Args()).String()
}
