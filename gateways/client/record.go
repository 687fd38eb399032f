package client

import (
	"context"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/gateways/repl"
	"github.com/opencortex-go/cortex/sexpr"
)

// page is how many records are asked for at a time.
const page = 500

// Records calls f for each record from one on, as they stream in. It ends with the
// record that is newest when it gets there, or with an error of f.
func (c Calls) Records(ctx context.Context, from uint64, f func(journal.Record) error) error {
	for more := true; more; {
		more = false
		form := command("journal", sexpr.Key("from"), number(from), sexpr.Key("last"), sexpr.Int64(page))
		err := c.forms.Stream(ctx, form, func(part repl.Result) error {
			for _, x := range part.Value.Items() {
				r, err := recordFrom(x)
				if err == nil {
					err = f(r)
				}
				if err != nil {
					return err
				}
				from, more = r.Seq+1, true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Read returns one record.
func (c Calls) Read(ctx context.Context, seq uint64) (journal.Record, error) {
	v, err := c.call(ctx, "journal", number(seq))
	if err != nil {
		return journal.Record{}, err
	}
	return recordFrom(v)
}

// Verify has the engine check every record, and that heads seen earlier are part of
// the chain. It returns the newest head.
func (c Calls) Verify(ctx context.Context, seen []journal.Head) (journal.Head, error) {
	var args []sexpr.Value
	for _, h := range seen {
		args = append(args, sexpr.Str(h.String()))
	}
	v, err := c.call(ctx, "verify", args...)
	if err != nil {
		return journal.Head{}, err
	}
	return journal.ParseHead(v.GetText("head"))
}

// Checkpoint returns the newest signed head of the record.
func (c Calls) Checkpoint(ctx context.Context) (string, error) {
	v, err := c.call(ctx, "checkpoint")
	return v.Text(), err
}

// Replayed is what a replay found.
type Replayed struct {
	Decisions   int          `json:"decisions"`
	Differences []Difference `json:"differences"`
	Others      []string     `json:"others"`  // policies that this program compiles to something else
	Skipped     int          `json:"skipped"` // the program lacks functions that their rules call
	Removed     int          `json:"removed"` // retention removed what they rested on
	// not replayable: the keys of their secret arguments are destroyed
	Destroyed int      `json:"destroyed,omitempty"`
	Gates     []string `json:"gates"` // gates in Go on record that this program lacks, such as "fraud-check 2"
}

// Difference is one decision that did not come out as recorded.
type Difference struct {
	Record uint64   `json:"record"`
	Was    string   `json:"was"`
	Is     string   `json:"is"`
	Fields []string `json:"fields"`
}

// Replay has the engine derive its decisions again, from a record on.
func (c Calls) Replay(ctx context.Context, from uint64) (Replayed, error) {
	v, err := c.call(ctx, "replay", sexpr.Key("from"), number(from))
	out := Replayed{Decisions: int(v.GetInt("decisions")), Differences: []Difference{}, Others: texts(v, "others"),
		Skipped: int(v.GetInt("skipped")), Removed: int(v.GetInt("removed")), Destroyed: int(v.GetInt("destroyed")),
		Gates: texts(v, "gates")}
	list, _ := v.Get("differences")
	for _, d := range list.Items() {
		out.Differences = append(out.Differences,
			Difference{uint64(d.GetInt("record")), d.GetText("was"), d.GetText("is"), texts(d, "fields")})
	}
	return out, err
}

// recordFrom reads a record.
func recordFrom(v sexpr.Value) (r journal.Record, err error) {
	body, _ := v.Get("body")
	r = journal.Record{Seq: uint64(v.GetInt("seq")), Kind: v.GetText("kind"), At: v.GetInt("at"),
		Session: v.GetText("session"), Body: body}
	if r.Prev, err = sexpr.ParseDigest(v.GetText("prev")); err == nil {
		r.Hash, err = sexpr.ParseDigest(v.GetText("hash"))
	}
	return r, err
}
