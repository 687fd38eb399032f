package capabilities

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/opencortex-go/cortex/capabilities/mine"
	"github.com/opencortex-go/cortex/cortex/logs"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/plans/canon"
	"github.com/opencortex-go/cortex/sexpr"
)

// maxCandidate bounds the text of a candidate, in bytes.
const maxCandidate = 256 << 10

// Learnt enters candidates in the record, each with its text and what was observed, and returns how many were
// not there. A candidate stands in no registry: no model is offered it, and a person who wants it registers the
// file, as any other (R27).
func (c *Capabilities) Learnt(ctx context.Context, list []mine.Candidate, by string) (entered int, err error) {
	for _, x := range list {
		if !strings.HasPrefix(x.ID, mine.State+".") || len(x.Text) > maxCandidate {
			return entered, fmt.Errorf("%.80q is not the id of a candidate, or its text has more than %d bytes", x.ID,
				maxCandidate)
		}
		text, err := sexpr.ToJSON(x.Body(by))
		if err == nil {
			text, err = canon.JSON(text)
		}
		if err != nil {
			return entered, err
		}
		of := record.ContentDigest(x.Text)
		name := mine.Kind + ":" + hex.EncodeToString(of[:])
		got, err := c.logs.Append(ctx, logs.Write{Log: mine.Log, Family: registryFamily, By: by}, func(tx *logs.Tx) error {
			e, err := tx.Event(logs.Event{ID: name, Kind: mine.Kind, Dedupe: name, Data: string(text)})
			if err != nil {
				return err
			}
			if _, err = tx.Keep("text/plain", x.Text); err != nil {
				return err
			}
			return tx.Pin(of, e.ID)
		})
		if err != nil {
			return entered, err
		}
		if !got.Known {
			entered++
		}
	}
	return entered, nil
}
