package main

import (
	"errors"
	"fmt"

	"github.com/opencortex-go/cortex/reason"
)

// loading measures reading, checking and compiling rules beside expr's compiler
// alone on the same conditions.
func loading(r *report) error {
	n := 1000
	if r.short {
		n = 100
	}
	files := ourRules(n, true)
	return r.measure(row{
		what: fmt.Sprintf("load %d rules: read, check, compile; by rule", n), items: n, unit: "rules", limit: 1.2,
		ours: each(func() error {
			book, err := reason.LoadRules(files)
			if err == nil && book.Len() != n {
				err = errors.New("rules are missing")
			}
			return err
		}),
		theirs: each(func() error { _, err := exprRules(0, n, true); return err }),
		rival:  "expr.Compile, each",
	})
}
