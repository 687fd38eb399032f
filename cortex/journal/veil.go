package journal

import "github.com/opencortex-go/cortex/sexpr"

// Veil stands between the bodies of records as the journal's owner has them and as they are
// stored. What it hides is hidden from everything that reads the store: views, walks,
// exports, repairs. The chain is over the stored bodies, so it can be checked without it.
type Veil interface {
	// Hide returns the body as record tx.Last()+1 is to store it: body itself where there is
	// nothing to hide. It may write entries of its own with tx.
	Hide(tx *Tx, kind, session string, body Body) (Body, error)
	// Show returns the body of a record, or of an entry copied from one, as its owner had it:
	// the stored one where nothing is hidden, or where that cannot be read any more.
	Show(from Getter, r Record) (Record, error)
	// Look reads the texts of a value that is to go on record soon, so that Hide, which holds up every writer, finds
	// that done.
	Look(v sexpr.Value)
}

// Look is [Veil.Look], to be called before a write of long texts from outside.
func (j *Journal) Look(v sexpr.Value) {
	if j.opt.Veil != nil {
		j.opt.Veil.Look(v)
	}
}

// Getter is what Journal, Tx and Store have in common.
type Getter interface {
	Get(key []byte) ([]byte, error)
}

// shown is r as the journal's owner has it.
func shown(v Veil, from Getter, r Record, err error) (Record, error) {
	if v == nil || err != nil {
		return r, err
	}
	return v.Show(from, r)
}

// Show is [Veil.Show] for an entry that was copied from a record.
func (j *Journal) Show(r Record) (Record, error) { return shown(j.opt.Veil, j.store, r, nil) }

// Show is [Veil.Show] for an entry that was copied from a record.
func (tx *Tx) Show(r Record) (Record, error) { return shown(tx.veil, tx, r, nil) }

// Text returns the body as it will be printed. It must not be changed.
func (b Body) Text() []byte { return b.text }
