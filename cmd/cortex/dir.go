package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/cortex"
	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/store"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
)

// dirFlag names the folder of a record. Only one process can hold it.
type dirFlag struct {
	Dir string `name:"dir" required:"" placeholder:"FOLDER" help:"The folder of the record."`
}

// journal opens the record itself, without rules. The caller closes it.
func (d dirFlag) journal() (*journal.Journal, error) {
	if err := d.exists(); err != nil {
		return nil, err
	}
	st, err := store.Open(d.Dir, store.Options{})
	if err != nil {
		return nil, d.explain(err)
	}
	j, err := journal.Open(st, journal.Options{})
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return j, nil
}

// engine opens the record to look at it and to answer approvals: nothing is
// decided, resumed or run. The caller closes it.
func (d dirFlag) engine(ctx context.Context) (*cortex.Engine, error) {
	if err := d.exists(); err != nil {
		return nil, err
	}
	e, err := cortex.Open(ctx, cortex.Options{Dir: d.Dir, Inspect: true, Functions: secrets.Functions()})
	return e, d.explain(err)
}

// exists keeps a mistyped folder from becoming an empty record.
func (d dirFlag) exists() error {
	if _, err := os.Stat(filepath.Join(d.Dir, "LOCK")); err != nil {
		return fmt.Errorf("--dir %s: there is no record in it", d.Dir)
	}
	return nil
}

func (d dirFlag) explain(err error) error {
	if errors.Is(err, store.ErrInUse) {
		return fmt.Errorf("--dir %s: another process is using this record", d.Dir)
	}
	return err
}
