package shelljudge

import (
	"errors"
	"fmt"
)

// Bench is one worker: a reader, and a sandbox for each shell. It is used by one
// goroutine at a time.
type Bench struct {
	Reader *Reader
	boxes  []*Sandbox
	Cut    int // runs that were stopped
	Runs   int
}

// NewBench starts the sandboxes on one processor.
func (k *Kit) NewBench(cpu int) (*Bench, error) {
	r, err := NewReader()
	if err != nil {
		return nil, err
	}
	b := &Bench{Reader: r}
	for _, sh := range Shells {
		s, err := k.Start(sh, cpu)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", sh.Name, err), b.Close())
		}
		b.boxes = append(b.boxes, s)
	}
	return b, nil
}

// Try runs a line that was read in every shell and returns the failures, at most
// one for each shell.
func (b *Bench) Try(r *Reading) ([]Failure, error) {
	var out []Failure
	for _, s := range b.boxes {
		run, err := s.Run(r.Line)
		if err != nil {
			return nil, err
		}
		b.Runs++
		if run.Cut {
			b.Cut++
		}
		if f, wrong := Judge(r, run); wrong {
			out = append(out, f)
		}
	}
	return out, nil
}

// Close ends the sandboxes.
func (b *Bench) Close() error {
	var errs []error
	for _, s := range b.boxes {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
